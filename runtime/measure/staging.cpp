#include "measure/staging.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr u64 kLeastBytes = u64{64} << 10;  // least size of a buffer: page-locking costs the same for fewer

}  // namespace

void Staging::upload(std::span<const Part> parts, const Make& make, int count, u64 stride_bytes) {
  wait();
  reserve(parts);
  for (u64 part = 0; part < parts.size(); ++part) {
    const auto made = room(part, parts[part].bytes);
    make(part, made);
    wait();  // the next part takes the other buffer
    under_way_ = true;
    for (int place = 0; place < count; ++place)
      device_.begin_upload(parts[part].on_device + static_cast<u64>(place) * stride_bytes, made.data(), made.size());
  }
  wait();
}

void Staging::download(std::span<const Part> parts, const Use& use) {
  wait();
  reserve(parts);
  const auto begin = [&](u64 part) {
    if (part == parts.size()) return;
    under_way_ = true;
    device_.begin_download(buffers_[part % 2], parts[part].on_device, parts[part].bytes);
  };
  begin(0);
  for (u64 part = 0; part < parts.size(); ++part) {
    wait();
    begin(part + 1);
    if (!use(part, room(part, parts[part].bytes))) return;
  }
}

std::span<const std::byte> Staging::download(const Part& part) {
  std::span<const std::byte> found;
  download({&part, 1}, [&](u64, std::span<const std::byte> bytes) {
    found = bytes;
    return true;
  });
  return found;
}

void Staging::reserve(std::span<const Part> parts) {
  u64 bytes = kLeastBytes;
  for (const Part& part : parts) bytes = std::max(bytes, part.bytes);
  if (bytes <= buffer_bytes_) return;
  release();
  // Parts are little longer than kPartBytes: twice as much would be for nothing.
  bytes = bytes <= kPartBytes ? std::bit_ceil(bytes) : (bytes + kLeastBytes - 1) / kLeastBytes * kLeastBytes;
  for (void*& buffer : buffers_) buffer = device_.allocate_staging(bytes);
  buffer_bytes_ = bytes;
}

void Staging::release() noexcept {
  try {
    wait();
  } catch (const Error&) {  // the device refuses everything, and copies nothing more
  }
  buffer_bytes_ = 0;
  for (void*& buffer : buffers_)
    if (buffer != nullptr) device_.free_staging(std::exchange(buffer, nullptr));
}

void Staging::wait() {
  if (!std::exchange(under_way_, false)) return;
  device_.synchronize();
}

std::vector<Staging::Part> parts_of(std::byte* on_device, u64 bytes, u64 unit_bytes) {
  const u64 most = std::max<u64>(Staging::kPartBytes / unit_bytes, 1) * unit_bytes;
  std::vector<Staging::Part> parts;
  for (u64 done = 0; done < bytes; done += most) parts.push_back({on_device + done, std::min(most, bytes - done)});
  return parts;
}

}  // namespace scantune
