// The payload that moves with a key through shared memory: 32 bits. It is a value of at most 32 bits, or the input
// index of the key in its row, by which a wider value is found when the key has its final place.
#pragma once

#include "core/machine/memory.h"
#include "sort/parts/sort_problem.h"

namespace scantune {

template <class Problem>
class SortPayload {
  using Value = typename Problem::Value;
  static constexpr bool kIsValue = Problem::kRequest.has_values() && sizeof(Value) <= sizeof(u32);

 public:
  static constexpr bool kExists = Problem::kRequest.has_payload();

  // Returns the payload of the key at that place of the row that begins at `row`.
  template <CacheHint kHint>
  SCANTUNE_DEVICE static u32 load(const KernelArguments& arguments, u64 row, u32 place) {
    if constexpr (kIsValue) {
      const Value value = scantune::load_global<kHint>(Problem::values(arguments) + row + place);
      u32 payload = 0;
      scantune::copy_bytes(__builtin_addressof(payload), __builtin_addressof(value), sizeof value);
      return payload;
    } else {
      return place;
    }
  }

  // Stores what the payload stands for at a place of the row.
  template <CacheHint kHint>
  SCANTUNE_DEVICE static void store(const KernelArguments& arguments, u64 row, u32 place, u32 payload) {
    scantune::store_global<kHint>(Problem::payload_output(arguments) + row + place, value_of(arguments, row, payload));
  }

 private:
  SCANTUNE_DEVICE static Value value_of(const KernelArguments& arguments, u64 row, u32 payload) {
    if constexpr (kIsValue) {
      Value value;
      scantune::copy_bytes(__builtin_addressof(value), __builtin_addressof(payload), sizeof value);
      return value;
    } else if constexpr (Problem::kRequest.has_values()) {
      return scantune::load_global<CacheHint::normal>(Problem::values(arguments) + row + payload);
    } else {
      return static_cast<Value>(payload);
    }
  }
};

}  // namespace scantune
