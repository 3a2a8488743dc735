#include "launch/scan_plan.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "instantiation/instantiation.h"
#include "launch/arguments.h"
#include "launch/loading.h"
#include "launch/tuning_command.h"
#include "scantune/error.hpp"
#include "support/log.h"

namespace scantune {
namespace {

void log_untuned(const ScanPlan& plan) {
  const DeviceIdentity& device = plan.device().identity();
  log_once("no tuning record for " + scanned(plan.request(), plan.custom()) + " on " + device.name + " (" +
           device.arch + "): the default config runs. '" + tuning_command(plan.request(), plan.custom(), device.arch) +
           "' tunes it.");
}

Selection instead_of(const Selection& selected, const Config& substitute, const std::string& why) {
  return {substitute, ConfigOrigin::untuned,
          to_string(selected.config) + " was " + selected.reason + ", but cannot run: " + why, std::nullopt};
}

std::string microseconds(double us) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", us);
  return std::string(text) + " us";
}

std::string describe(const TuningRecord& record) {
  return microseconds(record.median_us) + " (default " +
         (record.default_us ? microseconds(*record.default_us) : "failed") + ") for " + to_string(record.request) +
         " on " + record.device.name + ", measured " + record.finished_at + ", from " + record.database;
}

std::string describe(const DeviceIdentity& device) {
  return device.name + " (" + device.arch + ", " + std::to_string(device.sm_count) + " SMs)";
}

std::shared_ptr<ScanPlan> loaded_plan(const std::shared_ptr<Device>& device, const TuningTable& table,
                                      const ScanRequest& request, const CustomOperator* custom) {
  const auto make = [&](Selection selection) {
    return std::make_shared<ScanPlan>(device, request, std::move(selection), custom);
  };
  if (request.n == 0)
    return make({Config(*families().front()), ConfigOrigin::untuned, "there is nothing to scan", std::nullopt});
  if (const std::string problem = size_problem(request); !problem.empty()) throw RequestError(problem);
  const Selection selection = select(table, device->identity(), request, name_of(custom));
  const Config substitute = default_config_without_clusters(request, device->identity().sm);
  const auto make_selected = [&] {
    auto plan = make(selection);
    if (selection.origin == ConfigOrigin::untuned) log_untuned(*plan);
    return plan;
  };
  if (selection.config == substitute) return make_selected();
  std::string failure;
  try {
    return make_selected();
  } catch (const CompileError& error) {
    if (custom != nullptr) throw;
    failure = error.what();
  } catch (const OutOfMemoryError&) {  // not the config's fault
    throw;
  } catch (const DeviceError& error) {
    if (!device->failure().empty()) throw;
    failure = error.what();
  }
  auto plan = make(instead_of(selection, substitute, failure));
  log_once("the selected kernel of " + scanned(request, custom) + " is not used: " + failure + "\n" +
           to_string(substitute) + " runs instead.");
  return plan;
}

}  // namespace

InitialValue::InitialValue(const ScanRequest& request, const void* value) {
  if (request.init == Init::memory) {
    memory = value;
  } else if (value != nullptr) {
    std::memcpy(bytes, value, static_cast<std::size_t>(request.accumulator_bytes()));
  }
}

ScanPlan::ScanPlan(const std::shared_ptr<Device>& device, const ScanRequest& request, Selection selection,
                   const CustomOperator* custom)
    : context_(launch_context(device)), request_(request), selection_(std::move(selection)) {
  if (custom != nullptr) custom_ = *custom;
  if (request_.n == 0) return;
  if (const std::string problem = size_problem(request_); !problem.empty()) throw RequestError(problem);
  if (const char* reason = reject_reason(selection_.config, request_, device->identity().sm))
    throw RequestError(to_string(selection_.config) + " cannot run " + to_string(request_) + ": " + reason);
  ScanRequest vector_aligned = request_;
  vector_aligned.alignment_bytes = kVectorAlignmentBytes;
  variants_ = {load_variant(element_aligned(request_)), load_variant(vector_aligned)};
  need_ = selection_.config.family().workspace(selection_.config, request_);
}

ScanPlan::Variant ScanPlan::load_variant(const ScanRequest& request) {
  const Config& config = selection_.config;
  Variant variant{context_.modules().get(instantiate(request, config, custom()), max_shared_bytes(config, request)),
                  config.family().launches(config, request)};
  check_fit(device(), *variant.kernels->module, variant.launches);
  return variant;
}

void ScanPlan::allow_captures(int captured_launches, CaptureMemory memory) {
  if (need_.kind != WorkspaceKind::none && captured_launches > 0)
    reserve_ = CaptureReserve::make(context_.pool(), need_, captured_launches,
                                    memory == CaptureMemory::ahead ? captured_launches : 0);
}

void ScanPlan::run(const void* input, void* output, const InitialValue& init, Stream stream) {
  if (request_.n == 0) return;
  const ScanPointers pointers{input, output, init.memory};
  if (!arguments_are_plausible(request_, pointers)) refuse_arguments(device(), request_, pointers, stream);
  enqueue(input, output, init, stream);
}

void ScanPlan::enqueue(const void* input, void* output, const InitialValue& init, Stream stream) {
  const auto addresses = reinterpret_cast<std::uintptr_t>(input) | reinterpret_cast<std::uintptr_t>(output);
  const Variant& variant = variants_[addresses % kVectorAlignmentBytes == 0];
  const Workspace workspace = this->workspace(stream);
  KernelArguments arguments{};
  arguments.input = input;
  arguments.output = output;
  arguments.workspace = workspace.memory;
  arguments.init_memory = init.memory;
  std::memcpy(arguments.init, init.bytes, sizeof arguments.init);
  for (int index = 0; index < variant.launches.count; ++index)
    context_.device().launch(*variant.kernels->module, variant.launches.launches[index], arguments, stream);
}

ScanPlan::Workspace ScanPlan::workspace(Stream stream) {
  if (need_.kind == WorkspaceKind::none) return {};
  const StreamState state = context_.device().stream_state(stream);
  if (state.capturing_graph == nullptr) {
    const LeasedWorkspace leased = context_.streams().lease(state.id, need_);
    // Launches of another thread between the ones of this scan would write over what these have left there.
    if (passes_data_between_launches()) return {leased.memory, std::unique_lock(leased.launching)};
    return {leased.memory, {}};
  }
  if (reserve_ == nullptr)
    throw RequestError(
        "the stream is being captured and the plan reserved no workspace for that: raise "
        "ScanOptions::captured_launches");
  return {reserve_->take(context_.device(), state.capturing_graph), {}};
}

// Status words outlive every launch and tell each from the next; only scratch memory is lost to whoever comes between.
bool ScanPlan::passes_data_between_launches() const {
  return variants_[0].launches.count > 1 || need_.kind == WorkspaceKind::scratch;
}

std::string ScanPlan::describe() const {
  std::string text = to_string(request_, name_of(custom())) + " on " + scantune::describe(device().identity()) + "\n";
  if (request_.n == 0) return text + "  nothing to launch\n";
  text += "  config: " + to_string(selection_.config) + "\n";
  text += std::string("  origin: ") + token(selection_.origin) + ", " + selection_.reason + "\n";
  if (selection_.record) text += "  record: " + scantune::describe(*selection_.record) + "\n";
  text += "  kernel: " + variants_[1].kernels->key + " (aligned), " + variants_[0].kernels->key +
          " (any alignment), by " + variants_[1].kernels->compiler + "\n";
  return text;
}

void check_captured_launches(int captured_launches) {
  if (captured_launches < 0 || captured_launches > ScanPlan::kMostCapturedLaunches)
    throw RequestError("captured_launches is " + std::to_string(captured_launches) + "; it must be between 0 and " +
                       std::to_string(ScanPlan::kMostCapturedLaunches));
}

std::shared_ptr<ScanPlan> make_scan_plan(const std::shared_ptr<Device>& device, const TuningTable& table,
                                         const ScanRequest& request, int captured_launches, CaptureMemory memory,
                                         const CustomOperator* custom) {
  check_captured_launches(captured_launches);
  auto plan = loaded_plan(device, table, request, custom);
  plan->allow_captures(captured_launches, memory);
  return plan;
}

}  // namespace scantune
