// Kernels of the host device whose operator tells how often, and of what, it is applied.
#pragma once

#include <vector>

#include "instantiation/instantiation.h"

namespace scantune {

// A value in place of what such kernels combine: a column, which says where it stands, and how many operations stand in
// a row behind it.
struct CountedValue {
  u32 column = 0;
  u32 step = 0;

  static CountedValue of(u64 word) { return {static_cast<u32>(word >> 16) & 0xffff, static_cast<u32>(word) & 0xffff}; }
  u32 word() const { return column << 16 | step; }
};

struct CountedOperation {
  CountedValue earlier;
  CountedValue later;
};

// The kernels, of u32 or u64, with an operator in place of the built-in one that puts its result a step behind the
// later of its operands. The result stands in the column of the later operand of a scan, and in that of the earlier one
// of a reduction.
Instantiation with_counted_operations(Instantiation kernels);

// What that operator was applied to in this process since the last reset.
std::vector<CountedOperation>& counted_operations();

}  // namespace scantune
