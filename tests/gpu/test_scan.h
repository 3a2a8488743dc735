// One config's scans and the memory that they work in, which nothing clears between them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "measure/device_buffer.h"
#include "measure/prepared_config.h"

namespace scantune {

// How many items behind a vector boundary the pointers lie.
struct Placement {
  u64 input_offset = 0;
  u64 output_offset = 0;
  bool in_place = false;

  bool aligned() const { return input_offset == 0 && output_offset == 0; }
};

class TestScan {
 public:
  // Prepares scans of up to request.n items.
  TestScan(Device& device, const ScanRequest& request, const Config& config, const Placement& placement = {})
      : device_(device),
        scan_(device, request, config, placement.aligned() ? Variant::aligned : Variant::any),
        n_(request.n),
        result_bytes_(request.n * static_cast<u64>(request.output_bytes())),
        before_results_(kGuardBytes + placement.output_offset * static_cast<u64>(request.output_bytes())),
        input_(device, placement.in_place ? 0 : bytes_of_input(request, placement)),
        output_(device, before_results_ + result_bytes_ + kGuardBytes),
        workspace_(device, scan_.workspace_bytes(request.n)),
        items_(placement.in_place ? results()
                                  : input_.data() + placement.input_offset * static_cast<u64>(request.input_bytes())) {
    if (workspace_.data() != nullptr) device.zero(workspace_.data(), scan_.workspace_bytes(request.n));
    const std::vector<std::byte> poison(kGuardBytes, kPoison);
    device.upload(results() - kGuardBytes, poison.data(), kGuardBytes);
    device.upload(results() + result_bytes_, poison.data(), kGuardBytes);
  }

  const Config& config() const { return scan_.config(); }
  std::byte* items() const { return items_; }
  std::byte* results() const { return output_.data() + before_results_; }
  std::span<std::byte> workspace() const { return {workspace_.data(), scan_.workspace_bytes(n_)}; }

  void enqueue(Stream stream) const { enqueue(n_, stream); }
  void enqueue(u64 n, Stream stream) const { scan_.enqueue({items_, results()}, n, workspace_.data(), stream); }

  // Waits for the device. Returns whether the memory around the results is unchanged.
  bool surroundings_intact() const {
    return is_poison(results() - kGuardBytes) && is_poison(results() + result_bytes_);
  }

 private:
  static constexpr u64 kGuardBytes = 4096;
  static constexpr std::byte kPoison{0xa5};

  static u64 bytes_of_input(const ScanRequest& request, const Placement& placement) {
    return (placement.input_offset + request.n) * static_cast<u64>(request.input_bytes());
  }

  bool is_poison(const std::byte* guard) const {
    std::vector<std::byte> found(kGuardBytes);
    device_.download(found.data(), guard, kGuardBytes);
    return std::ranges::all_of(found, [](std::byte byte) { return byte == kPoison; });
  }

  Device& device_;
  PreparedConfig scan_;
  u64 n_;
  u64 result_bytes_;
  u64 before_results_;
  DeviceBuffer input_;
  DeviceBuffer output_;
  DeviceBuffer workspace_;
  std::byte* items_;
};

}  // namespace scantune
