#include "launch/checked_scan.h"

#include <algorithm>

#include "launch/arguments.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

[[noreturn]] void fail(const ScanRequest& request, const std::string& problem) {
  throw RequestError(to_string(request) + ": " + problem);
}

void check_arguments(Device& device, const ScanRequest& request, const void* input, const void* output, Stream stream) {
  if (const auto problem = size_problem(request); !problem.empty()) fail(request, problem);
  if (!arguments_are_plausible(request, input, output)) fail(request, arguments_problem(request, input, output));
  const auto bytes = [&](ValueType type) { return request.n * static_cast<unsigned>(size_of(type)); };
  if (const auto problem = device.pointer_problem(input, bytes(request.input_type)); !problem.empty())
    fail(request, "input: " + problem);
  if (const auto problem = device.pointer_problem(output, bytes(request.output_type)); !problem.empty())
    fail(request, "output: " + problem);
  if (const auto problem = device.stream_problem(stream); !problem.empty()) fail(request, "stream: " + problem);
}

}  // namespace

PlanCache::Set& PlanCache::set_of(const ScanRequest& request) {
  u64 hash = request.n;
  for (const int part : {static_cast<int>(request.input_type), static_cast<int>(request.op),
                         static_cast<int>(request.kind), static_cast<int>(request.init)})
    hash = hash * 31 + static_cast<unsigned>(part);
  return sets_[(hash * 0x9e3779b97f4a7c15u) >> 61];
}

ScanPlan* PlanCache::find(const Device& device, const ScanRequest& request, int captured_launches) {
  for (Entry& entry : set_of(request))
    if (entry.plan != nullptr && &entry.plan->device() == &device && entry.plan->request() == request &&
        entry.captured_launches == captured_launches) {
      entry.last_use = ++uses_;
      return entry.plan.get();
    }
  return nullptr;
}

ScanPlan& PlanCache::insert(std::shared_ptr<ScanPlan> plan, int captured_launches) {
  Entry& entry = *std::ranges::min_element(set_of(plan->request()), {}, &Entry::last_use);
  entry = {std::move(plan), captured_launches, ++uses_};
  return *entry.plan;
}

void checked_scan(const std::shared_ptr<Device>& device, const TuningTable& table, PlanCache& plans,
                  const ScanRequest& request, const void* input, void* output, const void* init, int captured_launches,
                  Stream stream) {
  if (request.n == 0) return;
  check_arguments(*device, request, input, output, stream);
  ScanPlan* plan = plans.find(*device, request, captured_launches);
  if (plan == nullptr) {
    if (device->stream_state(stream).capturing_graph != nullptr)
      fail(request,
           "the stream is being captured, and a first scan of this problem loads kernels and allocates: make a "
           "plan before the capture and call that, or call scan() once before");
    plan = &plans.insert(make_scan_plan(device, table, request, captured_launches, CaptureMemory::on_demand),
                         captured_launches);
  }
  plan->run(input, output, InitialValue(request, init), stream);
}

}  // namespace scantune
