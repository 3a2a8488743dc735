#include "launch/scan_plan.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "instantiation/instantiation.h"
#include "launch/arguments.h"
#include "scantune/error.hpp"
#include "support/log.h"

namespace scantune {
namespace {

int natural_alignment(const ScanRequest& request) {
  return std::max(size_of(request.input_type), size_of(request.output_type));
}

void raise_to(std::vector<int>& shared_bytes, const LaunchList& list) {
  for (int index = 0; index < list.count; ++index) {
    const Launch& launch = list.launches[index];
    int& bytes = shared_bytes[static_cast<std::size_t>(launch.kernel)];
    bytes = std::max(bytes, launch.shared_bytes);
  }
}

// The shared memory of every kernel of the family, also of those that only a larger n launches: the module does not
// depend on n, so that one serves them all.
std::vector<int> max_shared_bytes(const Config& config, ScanRequest request, int sm) {
  const FamilyModel& family = config.family();
  std::vector<int> bytes(family.kernels().size(), 0);
  raise_to(bytes, family.launches(config, request));
  request.n = u64{1} << 38;
  if (family.unsupported_reason(request, sm) == nullptr) raise_to(bytes, family.launches(config, request));
  return bytes;
}

std::string scanned(const ScanRequest& request) {
  return std::string(token(request.input_type)) + " " + token(request.op);
}

void log_untuned(const ScanPlan& plan) {
  const DeviceIdentity& device = plan.device().identity();
  log_once("no tuning record for " + scanned(plan.request()) + " on " + device.name + " (" + device.arch +
           "): the default config runs. 'scantune --arch " + device.arch + " --type " +
           token(plan.request().input_type) + " --op " + token(plan.request().op) + "' tunes it.");
}

Selection instead_of(const Selection& tuned, const ScanRequest& request, int sm, const std::string& why) {
  return {default_config(request, sm), ConfigOrigin::untuned,
          to_string(tuned.config) + " was " + tuned.reason + ", but cannot run: " + why, std::nullopt};
}

std::string microseconds(double us) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", us);
  return std::string(text) + " us";
}

std::string describe(const TuningRecord& record) {
  return microseconds(record.median_us) + " (default " + (record.default_us ? microseconds(*record.default_us) : "failed") + ") for " +
         to_string(record.request) + " on " + record.device.name + ", measured " + record.finished_at + ", from " +
         record.database;
}

std::string describe(const DeviceIdentity& device) {
  return device.name + " (" + device.arch + ", " + std::to_string(device.sm_count) + " SMs)";
}

}  // namespace

InitialValue::InitialValue(const ScanRequest& request, const void* value) {
  if (value != nullptr) std::memcpy(bytes, value, static_cast<std::size_t>(size_of(request.accumulator_type)));
}

ScanPlan::ScanPlan(const std::shared_ptr<Device>& device, const ScanRequest& request, Selection selection,
                   int captured_launches)
    : context_(launch_context(device)), request_(request), selection_(std::move(selection)) {
  if (captured_launches < 0 || captured_launches > kMostCapturedLaunches)
    throw RequestError("captured_launches is " + std::to_string(captured_launches) + "; it must be between 0 and " +
                       std::to_string(kMostCapturedLaunches));
  if (request_.n == 0) return;
  if (const std::string problem = size_problem(request_); !problem.empty()) throw RequestError(problem);
  if (const char* reason = reject_reason(selection_.config, request_, device->identity().sm))
    throw RequestError(to_string(selection_.config) + " cannot run " + to_string(request_) + ": " + reason);
  variants_ = {load_variant(natural_alignment(request_)), load_variant(kVectorAlignmentBytes)};
  need_ = selection_.config.family().workspace(selection_.config, request_);
  if (need_.kind != WorkspaceKind::none && captured_launches > 0)
    reserve_ = CaptureReserve::make(context_.pool(), need_, captured_launches);
}

ScanPlan::Variant ScanPlan::load_variant(int alignment_bytes) {
  ScanRequest request = request_;
  request.alignment_bytes = alignment_bytes;
  const Config& config = selection_.config;
  const int sm = context_.device().identity().sm;
  return {context_.modules().get(instantiate(request, config), max_shared_bytes(config, request, sm)),
          config.family().launches(config, request)};
}

void ScanPlan::run(const void* input, void* output, const InitialValue& init, Stream stream) {
  if (request_.n == 0) return;
  if (!arguments_are_plausible(request_, input, output))
    throw RequestError(to_string(request_) + ": " + arguments_problem(request_, input, output));
  const auto addresses = reinterpret_cast<std::uintptr_t>(input) | reinterpret_cast<std::uintptr_t>(output);
  const Variant& variant = variants_[addresses % kVectorAlignmentBytes == 0];
  KernelArguments arguments;
  arguments.input = input;
  arguments.output = output;
  arguments.workspace = need_.kind == WorkspaceKind::none ? nullptr : workspace(stream);
  std::memcpy(arguments.init, init.bytes, sizeof arguments.init);
  for (int index = 0; index < variant.launches.count; ++index) {
    const Launch& launch = variant.launches.launches[index];
    arguments.n = launch.n;
    arguments.source_offset = launch.source_offset;
    arguments.destination_offset = launch.destination_offset;
    context_.device().launch(*variant.kernels->module, launch, arguments, stream);
  }
}

void* ScanPlan::workspace(Stream stream) {
  const StreamState state = context_.device().stream_state(stream);
  if (state.capturing_graph == nullptr) return context_.streams().lease(state.id, need_);
  if (reserve_ == nullptr)
    throw RequestError("the stream is being captured and the plan reserved no workspace for that: raise "
                       "ScanOptions::captured_launches");
  return reserve_->take(context_.device(), state.capturing_graph);
}

std::string ScanPlan::describe() const {
  std::string text = to_string(request_) + " on " + scantune::describe(device().identity()) + "\n";
  if (request_.n == 0) return text + "  nothing to launch\n";
  text += "  config: " + to_string(selection_.config) + "\n";
  text += std::string("  origin: ") + token(selection_.origin) + ", " + selection_.reason + "\n";
  if (selection_.record) text += "  record: " + scantune::describe(*selection_.record) + "\n";
  text += "  kernel: " + variants_[1].kernels->key + " (aligned), " + variants_[0].kernels->key +
          " (any alignment), by " + variants_[1].kernels->compiler + "\n";
  return text;
}

std::shared_ptr<ScanPlan> make_scan_plan(const std::shared_ptr<Device>& device, const TuningTable& table,
                                         const ScanRequest& request, int captured_launches) {
  const auto make = [&](Selection selection) {
    return std::make_shared<ScanPlan>(device, request, std::move(selection), captured_launches);
  };
  if (request.n == 0)
    return make({Config(*families().front()), ConfigOrigin::untuned, "there is nothing to scan", std::nullopt});
  if (const std::string problem = size_problem(request); !problem.empty()) throw RequestError(problem);
  const Selection selection = select(table, device->identity(), request);
  if (selection.origin == ConfigOrigin::untuned) {
    auto plan = make(selection);
    log_untuned(*plan);
    return plan;
  }
  std::string failure;
  try {
    return make(selection);
  } catch (const CompileError& error) {
    failure = error.what();
  } catch (const DeviceError& error) {
    failure = error.what();
  }
  auto plan = make(instead_of(selection, request, device->identity().sm, failure));
  log_once("a tuned kernel of " + scanned(request) + " is not used: " + failure + "\nThe default config runs instead.");
  return plan;
}

}  // namespace scantune
