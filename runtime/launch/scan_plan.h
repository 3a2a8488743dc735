// A scan of exactly n items, ready to launch on one device.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "launch/capture_reserve.h"
#include "launch/launch_context.h"
#include "select/selector.h"
#include "space/custom_operator.h"

namespace scantune {

// The initial value of a scan: the bytes of an accumulator, or where they will lie when the scan runs.
struct InitialValue {
  alignas(16) unsigned char bytes[kMaxValueBytes] = {};
  const void* memory = nullptr;  // of Init::memory: on the device

  InitialValue() = default;
  // value: an accumulator, on the device if that is what request.init says. May be null without an initial value.
  InitialValue(const ScanRequest& request, const void* value);
};

// When the workspaces of captured launches are allocated.
enum class CaptureMemory {
  ahead,     // with the plan, so that a capture allocates nothing
  on_demand  // by the first capture that needs one, so that a plan never captured costs nothing
};

class ScanPlan {
 public:
  static constexpr int kMostCapturedLaunches = 4096;

  // Compiles and loads the selected config, both its aligned and its any-alignment kernels. request.alignment_bytes is
  // ignored. custom: copied; null unless the request's operator is a custom one. Throws CompileError or DeviceError
  // when the config's kernels cannot be had, RequestError when the config does not solve the request. No launch may be
  // captured until allow_captures().
  ScanPlan(const std::shared_ptr<Device>& device, const ScanRequest& request, Selection selection,
           const CustomOperator* custom = nullptr);

  // Lets this many launches live in graphs at the same time. Before the first run(). Throws OutOfMemoryError.
  void allow_captures(int captured_launches, CaptureMemory memory);

  // Scans input[0, n) into output[0, n). Throws RequestError before anything is launched when a pointer is null or
  // misaligned, when the ranges overlap without being the same, when the initial value lies in the output, or when the
  // stream is being captured and no reserved workspace is free. Allocation-free once the stream has been used. A plan
  // of one launch takes no lock; one of several launches holds its stream's workspace while it enqueues them.
  void run(const void* input, void* output, const InitialValue& init, Stream stream);

  // As run() for n > 0 items, with pointers that are known to be right.
  void enqueue(const void* input, void* output, const InitialValue& init, Stream stream);

  std::string describe() const;

  const ScanRequest& request() const { return request_; }
  const CustomOperator* custom() const { return custom_ ? &*custom_ : nullptr; }
  const Selection& selection() const { return selection_; }
  Device& device() const { return context_.device(); }

 private:
  struct Variant {
    std::shared_ptr<const LoadedModule> kernels;
    LaunchList launches;
  };

  struct Workspace {
    void* memory = nullptr;
    std::unique_lock<std::mutex> turn;  // of a scan whose launches pass data on through the memory
  };

  Variant load_variant(const ScanRequest& request);
  Workspace workspace(Stream stream);
  bool passes_data_between_launches() const;

  LaunchContext& context_;
  ScanRequest request_;
  Selection selection_;
  std::optional<CustomOperator> custom_;
  WorkspaceNeed need_;
  std::array<Variant, 2> variants_;  // any alignment, aligned for vectors; empty when n is 0
  std::shared_ptr<CaptureReserve> reserve_;
};

// Throws RequestError unless a plan may reserve workspaces for that many captured launches.
void check_captured_launches(int captured_launches);

// The plan that the table's records suggest. Should the kernels of the selected config not compile or load, or find no
// place on the device, a default config without clusters takes its place, which fits every GPU; that is logged once and
// told by describe(). A device that has failed or is out of memory is no such case, and neither is a custom operator
// that does not compile: the mistake is in its source.
std::shared_ptr<ScanPlan> make_scan_plan(const std::shared_ptr<Device>& device, const TuningTable& table,
                                         const ScanRequest& request, int captured_launches,
                                         CaptureMemory memory = CaptureMemory::ahead,
                                         const CustomOperator* custom = nullptr);

}  // namespace scantune
