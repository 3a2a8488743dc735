// The stacks of the fibres of one CTA.
#pragma once

#include <cstddef>

#include "core/contract/types.h"

namespace scantune {

class FibreStacks {
 public:
  static constexpr std::size_t kStackBytes = 32 * 1024;

  FibreStacks() = default;
  FibreStacks(const FibreStacks&) = delete;
  FibreStacks& operator=(const FibreStacks&) = delete;
  ~FibreStacks();

  // Makes room for `count` stacks. Throws DeviceError when memory is short. No fibre may be running on the old ones.
  void reserve(u32 count);
  unsigned char* top(u32 index) const { return base(index) + kStackBytes; }
  bool overflowed(u32 index) const;  // something has written to the end of the stack

 private:
  // Neighbouring stacks must not start in the same cache set, or switching through a warp thrashes the cache.
  static constexpr std::size_t kStride = kStackBytes + 9 * 64;
  unsigned char* base(u32 index) const { return memory_ + index * kStride; }

  unsigned char* memory_ = nullptr;
  u32 count_ = 0;
};

}  // namespace scantune
