#include "device/host/allocations.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr u64 kGuardBytes = 256;  // before and after; also the alignment
constexpr int kGuard = 0xa5;
constexpr int kPoison = 0xcb;  // a large negative integer, and a float that no test expects

bool intact(const unsigned char* guard, u64 bytes) {
  return std::all_of(guard, guard + bytes, [](unsigned char byte) { return byte == kGuard; });
}

bool intact(const Allocations::Range& range) {
  return intact(range.begin - kGuardBytes, kGuardBytes) && intact(range.begin + range.bytes, kGuardBytes);
}

std::string hex(u64 value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", value);
  return text;
}

std::string name_of(const Allocations::Range& range) {
  return "the allocation of " + std::to_string(range.bytes) + " bytes at " + hex(reinterpret_cast<u64>(range.begin));
}

}  // namespace

Allocations::~Allocations() {
  for (const Range& range : ranges_) std::free(range.begin - kGuardBytes);
}

void* Allocations::allocate(u64 bytes) {
  const u64 total = round_up(bytes, kGuardBytes) + 2 * kGuardBytes;
  auto* const memory = total < bytes ? nullptr : static_cast<unsigned char*>(std::aligned_alloc(kGuardBytes, total));
  if (memory == nullptr)
    throw OutOfMemoryError("the host device cannot allocate " + std::to_string(bytes) + " bytes: memory is short");
  const Range range{memory + kGuardBytes, bytes};
  std::memset(memory, kGuard, kGuardBytes);
  std::memset(range.begin, kPoison, bytes);
  std::memset(range.begin + bytes, kGuard, total - bytes - kGuardBytes);
  ranges_.insert(std::upper_bound(ranges_.begin(), ranges_.end(), range.begin,
                                  [](const unsigned char* begin, const Range& other) { return begin < other.begin; }),
                 range);
  return range.begin;
}

void Allocations::free(void* memory) noexcept {
  if (memory == nullptr) return;
  const auto found =
      std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& range) { return range.begin == memory; });
  if (found == ranges_.end()) {
    std::fprintf(stderr, "scantune: %p is freed but is not an allocation of the host device\n", memory);
    std::abort();
  }
  if (!intact(*found)) {
    std::fprintf(stderr, "scantune: something wrote past %s\n", name_of(*found).c_str());
    std::abort();
  }
  std::free(found->begin - kGuardBytes);
  ranges_.erase(found);
}

void Allocations::wrap(void* memory, u64 bytes) { wrapped_.push_back({static_cast<unsigned char*>(memory), bytes}); }

void Allocations::unwrap(void* memory, u64 bytes) noexcept {
  const auto found = std::find_if(wrapped_.begin(), wrapped_.end(),
                                  [&](const Range& range) { return range.begin == memory && range.bytes == bytes; });
  if (found != wrapped_.end()) wrapped_.erase(found);
}

const Allocations::Range* Allocations::find(const void* address) const {
  const auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](const void* wanted, const Range& range) { return wanted < static_cast<const void*>(range.begin); });
  if (after != ranges_.begin() && (after - 1)->contains(address, 1)) return &*(after - 1);
  // Wrapped ranges may overlap. Of those with the address, the one that reaches farthest has most of an array that
  // begins there.
  const Range* farthest = nullptr;
  for (const Range& range : wrapped_)
    if (range.contains(address, 1) && (farthest == nullptr || range.end() > farthest->end())) farthest = &range;
  return farthest;
}

std::string Allocations::damaged_guard() const {
  for (const Range& range : ranges_)
    if (!intact(range)) return "something wrote outside " + name_of(range);
  return {};
}

std::string Allocations::describe(const void* address) const {
  const u64 wanted = reinterpret_cast<u64>(address);
  if (const Range* range = find(address))
    return hex(wanted) + ", byte " + std::to_string(wanted - reinterpret_cast<u64>(range->begin)) + " of " +
           name_of(*range);
  const Range* nearest = nullptr;
  u64 distance = ~0ull;
  for (const std::vector<Range>* ranges : {&ranges_, &wrapped_})
    for (const Range& range : *ranges) {
      const u64 begin = reinterpret_cast<u64>(range.begin), end = begin + range.bytes;
      const u64 away = wanted < begin ? begin - wanted : wanted - end;
      if (away < distance) nearest = &range, distance = away;
    }
  if (nearest == nullptr) return hex(wanted) + "; the device has no allocations";
  const char* const side =
      wanted < reinterpret_cast<u64>(nearest->begin) ? " bytes before " : " bytes past the end of ";
  return hex(wanted) + ", " + std::to_string(distance) + side + name_of(*nearest);
}

}  // namespace scantune
