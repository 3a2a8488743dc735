// The seeded generator of every choice of the host device (splitmix64: Steele, Lea and Flood, 2014).
#pragma once

#include "core/contract/types.h"

namespace scantune {

class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}

  u64 next() {
    u64 bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
  }
  u32 below(u32 bound) { return static_cast<u32>(((next() >> 32) * bound) >> 32); }  // bound > 0
  bool chance(u32 percent) { return percent != 0 && below(100) < percent; }
  // A waiting time with the given mean, at least 1.
  u32 around(u32 mean) { return 1 + below(2 * mean); }

 private:
  u64 state_;
};

}  // namespace scantune
