#include "launch/checked_call.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "scantune/error.hpp"

namespace scantune {
namespace {

// The plan of a problem that this thread has not scanned lately.
Plan& new_plan(const std::shared_ptr<Device>& device, RecordsForAPlan records, PlanCache& plans,
               const CheckedRequest& request, const Call& call) {
  if (device->stream_state(call.stream).capturing_graph != nullptr)
    throw RequestError(
        to_string(call.request) +
        ": the stream is being captured, and a first call for this problem loads kernels and allocates: make a plan "
        "before the capture and call that, or make this call shortly before (a thread remembers at least its last " +
        std::to_string(PlanCache::kLeastRemembered) + " problems)");
  const std::optional<CustomOperator> custom = copy_of(call.custom);
  return plans.insert(make_plan(device, *records(), request, call.captured_launches, CaptureMemory::on_demand,
                                custom ? &*custom : nullptr, call.config),
                      call);
}

}  // namespace

PlanCache::Set& PlanCache::set_of(const Call& call) {
  u64 hash = call.request.hash();
  if (call.custom) hash += std::hash<std::string_view>()(call.custom->source);
  if (call.custom && call.custom->maps != nullptr)
    hash += 3 * std::hash<std::string_view>()(call.custom->maps->load.source) +
            5 * std::hash<std::string_view>()(call.custom->maps->store.source) +
            7 * std::hash<std::string_view>()(call.custom->maps->equal.source);
  if (!call.config.empty()) hash += std::hash<std::string_view>()(call.config);
  return sets_[hash >> 61];
}

Plan* PlanCache::find(const Device& device, const Call& call) {
  const auto serves = [&](const Entry& entry) {
    return entry.plan != nullptr && &entry.plan->device() == &device && entry.plan->request() == call.request &&
           entry.captured_launches == call.captured_launches && entry.config == call.config &&
           are_same(entry.plan->custom(), call.custom);
  };
  if (last_ != nullptr && serves(*last_)) return last_->plan.get();
  for (Entry& entry : set_of(call))
    if (serves(entry)) {
      entry.last_use = ++uses_;
      last_ = &entry;
      return entry.plan.get();
    }
  return nullptr;
}

Plan& PlanCache::insert(std::shared_ptr<Plan> plan, const Call& call) {
  last_ = &*std::ranges::min_element(set_of(call), {}, &Entry::last_use);
  *last_ = {std::move(plan), call.captured_launches, std::string(call.config), ++uses_};
  return *last_->plan;
}

void PlanCache::clear() {
  last_ = nullptr;
  for (Set& set : sets_)
    for (Entry& entry : set) entry = {};
}

void run_checked(const std::shared_ptr<Device>& device, RecordsForAPlan records, PlanCache& plans, const Call& call) {
  Plan* plan = plans.find(*device, call);
  if (plan != nullptr) {
    plan->arguments().check_fully(*device, call.pointers, call.stream);
  } else {
    const CheckedRequest request(call.request);
    Arguments(request).check_fully(*device, call.pointers, call.stream);
    plan = &new_plan(device, records, plans, request, call);
  }
  plan->enqueue(call.pointers, call.init, call.stream, call.states);
  if (plan->is_counted()) [[unlikely]]
    plan->count(call.pointers);
}

void check_kept_pointers(Device& device, const Request& request, const Pointers& pointers) {
  const Operands operands(request);
  for (std::size_t place = 0; place < operands.list().size(); ++place) {
    const RequestOperand& operand = operands.list()[place];
    if (!is_argument(operand.role) || (pointers[place] == nullptr && operand.may_be_null)) continue;
    if (const auto fault =
            device.pointer_fault(pointers[place], operand.bytes(), static_cast<unsigned>(operand.item_bytes));
        !fault.empty())
      throw RequestError(to_string(request) + ": " + operand.name + ": " + fault);
  }
}

}  // namespace scantune
