#include "device/host/stacks.h"

#include <sys/mman.h>

#include <cstring>

#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr u64 kCanary = 0x5ca27a9e5ca27a9e;

}  // namespace

FibreStacks::~FibreStacks() {
  if (memory_ != nullptr) munmap(memory_, count_ * kStride);
}

void FibreStacks::reserve(u32 count) {
  if (count <= count_) return;
  void* const memory =
      mmap(nullptr, count * kStride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw DeviceError("the host device needs " + std::to_string(count * kStride >> 20) +
                      " MiB of address space for the stacks of a CTA and got none; raise the limit (ulimit -v)");
  if (memory_ != nullptr) munmap(memory_, count_ * kStride);
  memory_ = static_cast<unsigned char*>(memory);
  count_ = count;
  for (u32 index = 0; index < count; ++index) std::memcpy(base(index), &kCanary, sizeof kCanary);
}

bool FibreStacks::overflowed(u32 index) const { return std::memcmp(base(index), &kCanary, sizeof kCanary) != 0; }

}  // namespace scantune
