// The operands of a request: sizes, ranges and alignments.
#pragma once

#include <array>
#include <span>

#include "space/request.h"

namespace scantune {

struct RequestOperand {
  const char* name;
  OperandRole role;
  ValueType type;
  int item_bytes;
  int alignment;       // alignment of its items
  u64 items;           // from the lowest to the highest, gaps included
  i64 lowest;          // the place of the lowest item relative to the array's pointer, 0 or less
  const char* extent;  // the name of the extent that says how many
  bool is_array;       // it has as many items as an extent says, not one
  bool may_be_null;
  bool from_end;
  bool is_limited;
  bool lies_apart;
  bool is_consumed;

  i64 lowest_bytes() const { return lowest * item_bytes; }
  u64 bytes() const { return items * static_cast<unsigned>(item_bytes); }
  // How far past a vector boundary an array begins, with its lowest item, for the kernels for aligned pointers.
  u64 aligned_offset() const {
    return (from_end ? -bytes() : static_cast<u64>(lowest_bytes())) % kVectorAlignmentBytes;
  }
};

class Operands {
 public:
  explicit Operands(const Request& request);

  std::span<const RequestOperand> list() const& { return {all_.data(), count_}; }
  void list() const&& = delete;               // it would point into what is gone
  RequestOperand of(OperandRole role) const;  // the first of that role; throws Error without one

 private:
  std::array<RequestOperand, OperandList::kCapacity> all_{};
  std::size_t count_ = 0;
};

// The bytes of all operands but those in the place of a kernel's argument.
u64 moved_bytes(const Request& request);

// The variant for arrays that all begin this many items past a vector boundary.
Variant variant_behind_boundaries(const Request& request, u64 offset = 0);

// The alignment of pointers that the variant `any` serves.
int element_alignment(const Request& request);

}  // namespace scantune
