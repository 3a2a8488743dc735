#include "device/host/shared_memory.h"

#include <algorithm>
#include <cstring>

namespace scantune {
namespace {

constexpr u32 kSharedGuardBytes = 256;
constexpr unsigned char kSharedGuard = 0x5a;

}  // namespace

void SharedMemory::poison(u32 bytes, Random& random) {
  bytes_ = bytes;
  storage_.resize(bytes + kSharedGuardBytes + kAlignment);
  unsigned char* const first = begin();
  u64 word = random.next();
  for (u32 offset = 0; offset < bytes; offset += 8) {
    std::memcpy(first + offset, &word, sizeof word);  // runs into the guard zone at most
    word = word * 0x9e3779b97f4a7c15 + 1;
  }
  std::memset(first + bytes, kSharedGuard, kSharedGuardBytes);
}

bool SharedMemory::guard_is_intact() const {
  const auto* const guard = reinterpret_cast<const unsigned char*>(first_address()) + bytes_;
  return std::all_of(guard, guard + kSharedGuardBytes, [](unsigned char byte) { return byte == kSharedGuard; });
}

}  // namespace scantune
