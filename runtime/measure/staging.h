// Host memory for copies to and from a device, part by part: while one part is copied, the CPU computes or checks the
// next.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "device/device.h"

namespace scantune {

class Staging {
 public:
  static constexpr u64 kPartBytes = u64{8} << 20;  // what callers cut large copies into

  struct Part {
    std::byte* on_device;
    u64 bytes;
  };
  using Make = std::function<void(u64 part, std::span<std::byte> bytes)>;
  using Use = std::function<bool(u64 part, std::span<const std::byte> bytes)>;

  explicit Staging(Device& device) : device_(device) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { release(); }

  // No launch may be under way that touches the parts.

  // Calls make() for each part, in order, and copies what it made to `count` places, stride_bytes apart. All copies are
  // complete on return.
  void upload(std::span<const Part> parts, const Make& make, int count = 1, u64 stride_bytes = 0);

  // Calls use() for each part, in order, until it returns false.
  void download(std::span<const Part> parts, const Use& use);

  // Copies one part, which lasts until the next call.
  std::span<const std::byte> download(const Part& part);

 private:
  void reserve(std::span<const Part> parts);
  void release() noexcept;
  void wait();  // ends the copies under way, of which a caller that stopped early leaves one
  // A part's place in one of the two buffers, while the next part takes the other.
  std::span<std::byte> room(u64 part, u64 bytes) const { return {static_cast<std::byte*>(buffers_[part % 2]), bytes}; }

  Device& device_;
  void* buffers_[2] = {};
  u64 buffer_bytes_ = 0;
  bool under_way_ = false;
};

// Cuts bytes into parts of at most kPartBytes, and each but the last into whole units.
std::vector<Staging::Part> parts_of(std::byte* on_device, u64 bytes, u64 unit_bytes);

}  // namespace scantune
