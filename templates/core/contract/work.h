// A family's standing, and the work that its kernels do.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// A family of the gallery teaches an algorithm. It is compiled, verified and raced like others, but is never a default,
// and is searched only if named.
enum class Standing { library, gallery };
template <>
struct Tokens<Standing> {
  static constexpr const char* kNames[] = {"library", "gallery"};
};

// The cost of a run on any machine: formulas of n, which a test compares with the host device's counts.
struct Work {
  u64 operations = 0;  // applications of the operator
  u64 steps = 0;       // of these, the most that wait for each other, one after the other
  u64 bytes = 0;       // of items and partial results that go from and to global memory; without status words

  constexpr bool operator==(const Work&) const = default;
};

// The work of two concurrent runs: the longer one's steps count.
constexpr Work beside(const Work& one, const Work& other) {
  return {one.operations + other.operations, one.steps > other.steps ? one.steps : other.steps,
          one.bytes + other.bytes};
}

constexpr u64 floor_log2(u64 value) {
  u64 log = 0;
  while (value >>= 1) ++log;
  return log;
}
constexpr u64 ceil_log2(u64 value) { return value <= 1 ? 0 : floor_log2(value - 1) + 1; }
constexpr u64 bit_count(u64 value) {
  u64 bits = 0;
  for (; value != 0; value &= value - 1) ++bits;
  return bits;
}
constexpr u64 larger(u64 one, u64 other) { return one > other ? one : other; }

}  // namespace scantune
