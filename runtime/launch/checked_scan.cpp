#include "launch/checked_scan.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "launch/arguments.h"
#include "scantune/error.hpp"
#include "space/request_members.h"

namespace scantune {
namespace {

[[noreturn]] void fail(const ScanRequest& request, const std::string& problem) {
  throw RequestError(to_string(request) + ": " + problem);
}

void check_arguments(Device& device, const ScanCall& call) {
  const ScanRequest& request = call.request;
  const ScanPointers pointers{call.input, call.output, call.init.memory};
  if (!arguments_are_plausible(request, pointers)) refuse_arguments(device, request, pointers, call.stream);
  if (const auto problem = device.argument_problem(NamedArguments(request, pointers).list(), call.stream);
      !problem.empty())
    fail(request, problem);
}

// The plan of a problem that this thread has not scanned lately.
ScanPlan& new_plan(const std::shared_ptr<Device>& device, const TuningTable& table, PlanCache& plans,
                   const ScanCall& call) {
  if (device->stream_state(call.stream).capturing_graph != nullptr)
    fail(call.request,
         "the stream is being captured, and a first scan of this problem loads kernels and allocates: make a plan "
         "before the capture and call that, or call scan() shortly before (a thread remembers at least its last " +
             std::to_string(PlanCache::kLeastRemembered) + " problems)");
  const std::optional<CustomOperator> custom = copy_of(call.custom);
  return plans.insert(make_scan_plan(device, table, call.request, call.captured_launches, CaptureMemory::on_demand,
                                     custom ? &*custom : nullptr),
                      call.captured_launches);
}

}  // namespace

PlanCache::Set& PlanCache::set_of(const ScanRequest& request, const std::optional<CustomOperatorView>& custom) {
  u64 hash = request.n + (custom ? std::hash<std::string_view>()(custom->source) : 0);
  for (const RequestMember& member : kRequestMembers) hash = hash * 31 + static_cast<unsigned>(member.get(request));
  return sets_[(hash * 0x9e3779b97f4a7c15u) >> 61];
}

ScanPlan* PlanCache::find(const Device& device, const ScanRequest& request,
                          const std::optional<CustomOperatorView>& custom, int captured_launches) {
  const auto serves = [&](const Entry& entry) {
    return entry.plan != nullptr && &entry.plan->device() == &device && entry.plan->request() == request &&
           entry.captured_launches == captured_launches && view_of(entry.plan->custom()) == custom;
  };
  if (last_ != nullptr && serves(*last_)) return last_->plan.get();
  for (Entry& entry : set_of(request, custom))
    if (serves(entry)) {
      entry.last_use = ++uses_;
      last_ = &entry;
      return entry.plan.get();
    }
  return nullptr;
}

ScanPlan& PlanCache::insert(std::shared_ptr<ScanPlan> plan, int captured_launches) {
  last_ = &*std::ranges::min_element(set_of(plan->request(), view_of(plan->custom())), {}, &Entry::last_use);
  *last_ = {std::move(plan), captured_launches, ++uses_};
  return *last_->plan;
}

void checked_scan(const std::shared_ptr<Device>& device, const TuningTable& table, PlanCache& plans,
                  const ScanCall& call) {
  const ScanRequest& request = call.request;
  if (request.n == 0) return;
  ScanPlan* plan = plans.find(*device, request, call.custom, call.captured_launches);
  if (plan == nullptr)  // else it was checked when the plan was made
    if (const auto problem = size_problem(request); !problem.empty()) fail(request, problem);
  check_arguments(*device, call);
  if (plan == nullptr) plan = &new_plan(device, table, plans, call);
  plan->enqueue(call.input, call.output, call.init, call.stream);
}

void check_init_memory(Device& device, const ScanRequest& request, const InitialValue& init) {
  if (request.init != Init::memory) return;
  const auto bytes = static_cast<unsigned>(request.accumulator_bytes());
  if (const auto problem = device.pointer_problem(init.memory, bytes, bytes); !problem.empty())
    fail(request, "device_init: " + problem);
}

}  // namespace scantune
