// The shared memory of a CTA: arbitrary bytes at first, and a guard zone after them.
#pragma once

#include <vector>

#include "device/host/random.h"

namespace scantune {

class SharedMemory {
 public:
  void poison(u32 bytes, Random& random);  // called when another CTA begins
  unsigned char* begin() { return reinterpret_cast<unsigned char*>(first_address()); }
  bool guard_is_intact() const;

 private:
  static constexpr u64 kAlignment = 128;
  u64 first_address() const { return round_up(reinterpret_cast<u64>(storage_.data()), kAlignment); }

  std::vector<unsigned char> storage_;
  u32 bytes_ = 0;
};

}  // namespace scantune
