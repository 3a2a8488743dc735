// A request of exactly its extents, ready to launch on one device.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "launch/arguments.h"
#include "launch/capture_reserve.h"
#include "launch/initial_value.h"
#include "launch/launch_context.h"
#include "launch/workspace_layout.h"
#include "select/selector.h"
#include "space/custom_operator.h"

namespace scantune {

class CallCounter;

// When the workspaces of captured launches are allocated.
enum class CaptureMemory {
  ahead,     // allocated with the plan, so that a capture allocates nothing
  on_demand  // allocated by the first capture that needs one, so that a plan never captured costs nothing
};

class Plan {
 public:
  static constexpr int kMostCapturedLaunches = 4096;

  // Compiles and loads the selected config, both variants of its kernels. custom is copied; it is null unless the
  // request's operator, a map or an equality of it is the caller's own. Throws CompileError or DeviceError when the
  // config's kernels cannot be compiled or loaded, RequestError when the config does not solve the request. No launch
  // may be captured until allow_captures().
  Plan(const std::shared_ptr<Device>& device, const CheckedRequest& request, Selection selection,
       const CustomOperator* custom = nullptr);

  // Lets this many launches live in graphs at the same time. It is called before the first run(). Throws
  // OutOfMemoryError.
  void allow_captures(int captured_launches, CaptureMemory memory);

  // Throws RequestError before anything is launched when a pointer is null or misaligned, when operands overlap that
  // must not, or when the stream is being captured and no reserved workspace is free. It allocates nothing once the
  // stream has been used. A plan of one launch takes no lock; one of several launches holds its stream's workspace
  // while it enqueues them. states: those of sources; null without a state.
  void run(const Pointers& pointers, const InitialValue& init, Stream stream, const CallStates* states = nullptr) {
    arguments_.check(device(), pointers, stream);
    enqueue(pointers, init, stream, states);
  }

  // Does as run() for checked pointers.
  void enqueue(const Pointers& pointers, const InitialValue& init, Stream stream, const CallStates* states = nullptr);

  // Bytes of workspace that one run needs; 0 without a workspace.
  u64 workspace_bytes() const { return given_bytes(need_); }

  // Does as run() in the caller's workspace, of which it uses the first workspace_bytes(). It allocates nothing, takes
  // no lock, and may be captured any number of times. Other work that uses the workspace must come before or after
  // everything that this call enqueues. Also throws RequestError if the workspace is null, too small or misaligned, or
  // overlaps an operand; a plan that needs no workspace accepts any.
  void run_in(const GivenWorkspace& workspace, const Pointers& pointers, const InitialValue& init, Stream stream,
              const CallStates* states = nullptr);

  std::string describe() const;

  // Lets calls be counted if SCANTUNE_RECORD asks for it (launch/call_recorder.h). It is called before the first one.
  void record_calls();
  // Counts one call, with these pointers, of a plan that is_counted().
  void count(const Pointers& pointers) const noexcept;

  const Request& request() const { return request_; }
  const CustomOperator* custom() const { return custom_ ? &*custom_ : nullptr; }
  const Selection& selection() const { return selection_; }
  const Arguments& arguments() const { return arguments_; }
  // Whether callers are to count() their calls.
  bool is_counted() const { return counter_ != nullptr; }
  Device& device() const { return context_.device(); }

 private:
  struct Kernels {
    std::shared_ptr<const LoadedModule> module;
    LaunchList launches;
  };

  struct Workspace {
    void* memory = nullptr;
    u64 bytes = 0;
    std::unique_lock<std::mutex> turn;  // held by a call that takes turns, unless the workspace is a graph's own
  };

  Kernels load(Variant variant);
  const Kernels& kernels(Variant variant) const { return kernels_[static_cast<std::size_t>(variant)]; }
  Workspace workspace(Stream stream);
  void launch(const Pointers& pointers, const InitialValue& init, void* workspace, Stream stream,
              const CallStates* states);
  void clear_after_failure(const Workspace& workspace, Stream stream) noexcept;
  bool takes_turns() const;

  LaunchContext& context_;
  Request request_;
  Arguments arguments_;
  Selection selection_;
  std::optional<CustomOperator> custom_;
  WorkspaceNeed need_;
  bool takes_turns_ = false;
  std::array<Kernels, 2> kernels_;  // by variant
  std::shared_ptr<CaptureReserve> reserve_;
  CallCounter* counter_ = nullptr;
};

// The description of a problem of n = 0, which needs no plan.
std::string describe_empty(const Device& device, const Request& request, const CustomOperator* custom);

// Throws RequestError unless a plan may reserve workspaces for that many captured launches.
void check_captured_launches(int captured_launches);

// Creates the plan that the table's records suggest. If the kernels of the selected config do not compile or load, or
// do not fit the device, a default config without clusters is used, which fits every GPU; that is logged once and named
// by describe(). A failed device, a lack of memory and a custom operator that does not compile are errors instead. A
// config that the caller gives, as select_given() takes it, is never replaced.
std::shared_ptr<Plan> make_plan(const std::shared_ptr<Device>& device, const TuningTable& table,
                                const CheckedRequest& request, int captured_launches,
                                CaptureMemory memory = CaptureMemory::ahead, const CustomOperator* custom = nullptr,
                                std::string_view config = {});

}  // namespace scantune
