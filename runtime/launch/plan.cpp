#include "launch/plan.h"

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "instantiation/instantiation.h"
#include "launch/call_recorder.h"
#include "launch/loading.h"
#include "launch/tuning_command.h"
#include "scantune/error.hpp"
#include "support/log.h"

namespace scantune {
namespace {

// The request whose records serve: with maps, the types are those that the maps convert to and from, not those in
// memory.
Request recorded(const Request& request) { return request.algorithm().behind_maps(request); }

void log_untuned(const Plan& plan) {
  const DeviceIdentity& device = plan.device().identity();
  const Request request = recorded(plan.request());
  log_once("no tuning record for " + solved(request, plan.custom()) + " on " + device.name + " (" + device.arch +
           "): the default config runs. '" + tuning_command(request, plan.custom(), device.arch) + "' tunes it.");
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

std::string heading(const Device& device, const Request& request, const CustomOperator* custom) {
  return to_string(request, name_of(custom)) + " on " + describe(device.identity()) + "\n";
}

std::shared_ptr<Plan> loaded_plan(const std::shared_ptr<Device>& device, const TuningTable& table,
                                  const CheckedRequest& checked, const CustomOperator* custom,
                                  std::string_view config) {
  const Request& request = checked.get();
  const auto make = [&](Selection selection) {
    return std::make_shared<Plan>(device, checked, std::move(selection), custom);
  };
  if (!config.empty()) return make(select_given(config, device->identity(), request));
  const Selection selection = select(table, device->identity(), recorded(request), name_of(custom));
  const Config substitute = default_config_without_clusters(request, device->identity().sm);
  const auto make_selected = [&] {
    auto plan = make(selection);
    if (selection.origin == ConfigOrigin::untuned && request.n > 0) log_untuned(*plan);
    return plan;
  };
  if (selection.config == substitute) return make_selected();
  std::string failure;
  try {
    return make_selected();
  } catch (const CompileError& error) {
    if (custom != nullptr) throw;
    failure = error.what();
  } catch (const OutOfMemoryError&) {  // another config would not help
    throw;
  } catch (const DeviceError& error) {
    if (!device->failure().empty()) throw;
    failure = error.what();
  }
  auto plan = make(instead_of(selection, substitute, failure));
  log_once("the selected kernel of " + solved(request, custom) + " is not used: " + failure + "\n" +
           to_string(substitute) + " runs instead.");
  return plan;
}

}  // namespace

Plan::Plan(const std::shared_ptr<Device>& device, const CheckedRequest& request, Selection selection,
           const CustomOperator* custom)
    : context_(launch_context(device)), request_(request.get()), arguments_(request), selection_(std::move(selection)) {
  if (custom != nullptr) custom_ = *custom;
  if (const char* reason = reject_reason(selection_.config, request_, device->identity().sm))
    throw RequestError(to_string(selection_.config) + " cannot run " + to_string(request_) + ": " + reason);
  kernels_ = {load(Variant::any), load(Variant::aligned)};
  need_ = selection_.config.family().workspace(selection_.config, request_);
  takes_turns_ = takes_turns();
}

Plan::Kernels Plan::load(Variant variant) {
  const Config& config = selection_.config;
  Kernels kernels{context_.modules().get(instantiate(request_, config, variant, custom()),
                                         max_shared_bytes(config, request_, variant)),
                  config.family().launches(config, request_, variant)};
  check_fit(device(), *kernels.module->module, kernels.launches);
  return kernels;
}

void Plan::allow_captures(int captured_launches, CaptureMemory memory) {
  if (need_.kind != WorkspaceKind::none && captured_launches > 0)
    reserve_ = CaptureReserve::make(context_.pool(), need_, captured_launches,
                                    memory == CaptureMemory::ahead ? captured_launches : 0);
}

void Plan::record_calls() { counter_ = counter_of(*this); }

// Apart from calls that are not counted, which test one word and go on.
[[gnu::noinline]] void Plan::count(const Pointers& pointers) const noexcept { counter_->count(pointers); }

[[gnu::always_inline]] inline void Plan::launch(const Pointers& pointers, const InitialValue& init, void* workspace,
                                                Stream stream, const CallStates* states) {
  // Every call comes here, so only pointers are cleared.
  alignas(KernelArguments) std::byte memory[sizeof(KernelArguments)];
  KernelArguments& arguments = *reinterpret_cast<KernelArguments*>(memory);
  std::memset(arguments.ends, 0, sizeof arguments.ends);
  std::memset(arguments.others, 0, sizeof arguments.others);
  const Kernels& kernels = this->kernels(arguments_.fill(arguments, pointers));
  arguments.workspace = workspace;
  std::memcpy(arguments.init, init.bytes, sizeof arguments.init);
  if (states != nullptr) arguments.states = *states;
  for (int index = 0; index < kernels.launches.count; ++index)
    context_.device().launch(*kernels.module->module, kernels.launches.launches[index], arguments, stream);
}

void Plan::enqueue(const Pointers& pointers, const InitialValue& init, Stream stream, const CallStates* states) {
  const Workspace workspace = this->workspace(stream);
  try {
    launch(pointers, init, workspace.memory, stream, states);
  } catch (...) {
    clear_after_failure(workspace, stream);
    throw;
  }
}

// A run of which a part has run leaves counters and status words that the next one in the workspace would take for its
// own. Only what takes turns can end so.
void Plan::clear_after_failure(const Workspace& workspace, Stream stream) noexcept try {
  if (takes_turns_ && workspace.memory != nullptr && needs_zeroing(need_))
    device().enqueue_zero(workspace.memory, workspace.bytes, stream);
} catch (...) {  // the device is lost or the capture has failed: nothing runs in this workspace again
}

void Plan::run_in(const GivenWorkspace& workspace, const Pointers& pointers, const InitialValue& init, Stream stream,
                  const CallStates* states) {
  arguments_.check(device(), pointers, stream);
  void* memory = nullptr;
  if (need_.kind != WorkspaceKind::none) {
    arguments_.check_workspace(workspace, given_bytes(need_), pointers);
    const auto address = reinterpret_cast<std::uintptr_t>(workspace.memory);
    memory = static_cast<std::byte*>(workspace.memory) + (round_up(address, workspace_alignment(need_)) - address);
  }
  // No epoch tells words of this run from what the caller's memory holds.
  if (const u64 bytes = bytes_to_zero(need_); bytes > 0) device().enqueue_zero(memory, bytes, stream);
  launch(pointers, init, memory, stream, states);
}

Plan::Workspace Plan::workspace(Stream stream) {
  if (need_.kind == WorkspaceKind::none) return {};
  const StreamState state = context_.device().stream_state(stream);
  if (state.capturing_graph == nullptr) {
    const LeasedWorkspace leased = context_.streams().lease(state.id, need_);
    if (takes_turns_) return {leased.memory, leased.bytes, std::unique_lock(leased.launching)};
    return {leased.memory, leased.bytes, {}};
  }
  if (reserve_ == nullptr)
    throw RequestError(
        "the stream is being captured and the plan reserved no workspace for that: raise "
        "captured_launches of its options");
  const WorkspaceBlock block = reserve_->take(context_.device(), state.capturing_graph);
  return {block.memory, block.bytes, {}};
}

// Whether another thread must not launch in the stream's workspace before all of this run is enqueued, or has failed.
// Status words outlive every launch and tell each from the next; scratch memory and what several launches pass on is
// lost to whoever comes between.
bool Plan::takes_turns() const {
  return kernels(Variant::any).launches.count > 1 || need_.kind == WorkspaceKind::scratch ||
         device().outlives_failed_kernels();
}

std::string Plan::describe() const {
  std::string text = heading(device(), request_, custom());
  text += "  config: " + to_string(selection_.config) + "\n";
  text += std::string("  origin: ") + token(selection_.origin) + ", " + selection_.reason + "\n";
  if (selection_.record) text += "  record: " + scantune::describe(*selection_.record) + "\n";
  const LoadedModule &aligned = *kernels(Variant::aligned).module, &any = *kernels(Variant::any).module;
  text += "  kernel: " + aligned.key + " (aligned), " + any.key + " (any alignment), by " + aligned.compiler + "\n";
  return text;
}

std::string describe_empty(const Device& device, const Request& request, const CustomOperator* custom) {
  return heading(device, request, custom) + "  nothing to launch\n";
}

void check_captured_launches(int captured_launches) {
  if (captured_launches < 0 || captured_launches > Plan::kMostCapturedLaunches)
    throw RequestError("captured_launches is " + std::to_string(captured_launches) + "; it must be between 0 and " +
                       std::to_string(Plan::kMostCapturedLaunches));
}

std::shared_ptr<Plan> make_plan(const std::shared_ptr<Device>& device, const TuningTable& table,
                                const CheckedRequest& request, int captured_launches, CaptureMemory memory,
                                const CustomOperator* custom, std::string_view config) {
  check_captured_launches(captured_launches);
  auto plan = loaded_plan(device, table, request, custom, config);
  plan->allow_captures(captured_launches, memory);
  plan->record_calls();
  return plan;
}

}  // namespace scantune
