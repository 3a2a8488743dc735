// The arrays that a request reads and writes, for the host compiler only. Pointer checks, kernel arguments, buffers and
// the bytes moved follow from them.
#pragma once

#ifndef __CUDACC_RTC__

#include "core/contract/combining.h"
#include "core/contract/operand_role.h"
#include "core/contract/strides.h"

namespace scantune {

// Whether its memory holds a value that could be a kernel argument, rather than items or results.
constexpr bool is_argument(OperandRole role) {
  return role == OperandRole::segment_count || role == OperandRole::init || role == OperandRole::n ||
         role == OperandRole::clamped || role == OperandRole::k;
}
// Whether kernels may move it in vectors, so that its alignment says which of them serve it.
constexpr bool comes_in_vectors(OperandRole role) {
  return !is_argument(role) && role != OperandRole::begins && role != OperandRole::ends;
}
constexpr bool is_written(OperandRole role) {
  return role == OperandRole::output || role == OperandRole::indices || role == OperandRole::values_output ||
         role == OperandRole::second || role == OperandRole::rejected || role == OperandRole::count ||
         role == OperandRole::second_indices || role == OperandRole::keys_output || role == OperandRole::clamped;
}

struct Operand {
  static constexpr const char* kItems = "n";  // extents that every request has
  static constexpr const char* kOne = "one";
  static constexpr const char* kTwo = "two";

  const char* name;  // the argument's name in messages
  OperandRole role;
  const char* type;          // the member that holds the type of its items, or the name of a built-in type
  const char* extent;        // how many there are: kItems, kOne, kTwo, or the name of another extent
  bool may_be_null = false;  // nothing is read or written where the pointer is null
  StridedRange range = {};   // of strided items
  bool from_end = false;     // kernels begin at the last item, so the end of the array must be on a vector boundary
  int units = 1;             // how many of its type are one item
  int alignment = 0;         // of an item, if not its type's
  bool is_limited = false;   // an output that may have room for fewer items than results, and stand for a longer input
  bool lies_apart = false;   // an output that must not take the place of the input, though it be as long
  bool is_consumed = false;  // an input that kernels may write to as well: it holds anything afterwards
};

// The range of an array's items with these strides of the request's rows or columns; none where the items are dense.
template <class Request>
constexpr StridedRange strided_range(const Request& request, const Strides& strides) {
  const u64 sequences = request.segments == Segments::columns ? request.columns : request.rows;
  if (!request.layout.is_strided() || sequences == 0) return {};
  return request.layout.range(strides, sequences, request.n / sequences);
}

struct OperandList {
  static constexpr int kCapacity = 9;  // a request that is refused may ask for more than any that is served
  Operand operands[kCapacity] = {};
  int count = 0;

  constexpr void add(const Operand& operand) { operands[count++] = operand; }
};

}  // namespace scantune

#endif
