// A scan of exactly n items, ready to launch on one device.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "launch/capture_reserve.h"
#include "launch/launch_context.h"
#include "select/selector.h"

namespace scantune {

// The initial value of a scan, as bytes of the accumulator type.
struct InitialValue {
  alignas(16) unsigned char bytes[kMaxValueBytes] = {};

  InitialValue() = default;
  // value may be null: then all bytes are zero, and no kernel reads them.
  InitialValue(const ScanRequest& request, const void* value);
};

class ScanPlan {
 public:
  static constexpr int kMostCapturedLaunches = 4096;

  // Compiles and loads the selected config, both its aligned and its any-alignment kernels, and sets workspaces aside
  // for captured_launches. request.alignment_bytes is ignored. Throws CompileError or DeviceError when the config's
  // kernels cannot be had, RequestError when the config does not solve the request.
  ScanPlan(const std::shared_ptr<Device>& device, const ScanRequest& request, Selection selection,
           int captured_launches);

  // Scans input[0, n) into output[0, n). Throws RequestError before anything is launched when a pointer is null,
  // misaligned, or the ranges overlap without being the same, or when the stream is being captured and no reserved
  // workspace is free. Lock-free and allocation-free once the stream has been used.
  void run(const void* input, void* output, const InitialValue& init, Stream stream);

  std::string describe() const;

  const ScanRequest& request() const { return request_; }
  const Selection& selection() const { return selection_; }
  Device& device() const { return context_.device(); }

 private:
  struct Variant {
    std::shared_ptr<const LoadedModule> kernels;
    LaunchList launches;
  };

  Variant load_variant(int alignment_bytes);
  void* workspace(Stream stream);

  LaunchContext& context_;
  ScanRequest request_;
  Selection selection_;
  WorkspaceNeed need_;
  std::array<Variant, 2> variants_;  // any alignment, aligned for vectors; empty when n is 0
  std::shared_ptr<CaptureReserve> reserve_;
};

// The plan that the table's records suggest. Should the kernels of a tuned config not compile or load, the default
// config takes its place, which is logged once and told by describe().
std::shared_ptr<ScanPlan> make_scan_plan(const std::shared_ptr<Device>& device, const TuningTable& table,
                                         const ScanRequest& request, int captured_launches);

}  // namespace scantune
