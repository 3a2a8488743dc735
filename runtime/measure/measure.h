// How fast configs are on a device.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "measure/copy_kernel.h"
#include "measure/device_buffer.h"
#include "measure/ordinary_kernel.h"
#include "measure/prepared_scan.h"
#include "measure/race.h"
#include "measure/staging.h"
#include "scantune/error.hpp"

namespace scantune {

// What scans are timed with does not work here. Says nothing about a config.
struct NoInstrument : Error {
  using Error::Error;
};

struct Measurements {
  std::vector<MeasureOutcome> scans;  // in the order given
  std::optional<double> ceiling_us;   // of the fastest copy of as many bytes, where the policy asks for it
};

class Measurer {
 public:
  explicit Measurer(Device& device) : device_(device) {}

  // Times the scans, which are for one problem, in the surroundings that its latency names: scans that follow each
  // other in one graph, or each between two ordinary kernels whose own time is taken off. Items are random and not
  // zero. Throws OutOfDeviceMemory when there is none for the buffers, and NoInstrument.
  Measurements measure(std::span<const PreparedScan* const> scans, const MeasurePolicy& policy);

  // Gives back the buffers, which are kept from call to call. False if there are none.
  bool release() { return std::exchange(buffers_, nullptr) != nullptr; }

 private:
  // Pairs of input and output that are taken in turn.
  struct Buffers {
    ScanRequest request;
    int count;
    u64 input_stride_bytes;
    u64 output_stride_bytes;
    DeviceBuffer inputs;
    DeviceBuffer outputs;

    const void* input(int index) const { return inputs.data() + static_cast<u64>(index) * input_stride_bytes; }
    void* output(int index) const { return outputs.data() + static_cast<u64>(index) * output_stride_bytes; }
  };

  Batch batch_of(const ScanRequest& request, const MeasurePolicy& policy);
  const Buffers& buffers_for(const ScanRequest& request, int count);
  std::span<const CopyKernel> copies(const ScanRequest& request);
  const OrdinaryKernel& neighbour();

  Device& device_;
  Staging staging_{device_};
  std::unique_ptr<Buffers> buffers_;
  std::map<std::pair<int, int>, std::vector<CopyKernel>> copies_;  // by the sizes of input and output items
  std::unique_ptr<OrdinaryKernel> neighbour_;                      // made for the first isolated scan
};

}  // namespace scantune
