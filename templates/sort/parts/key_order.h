// Keys as a less() of the caller's compares them.
#pragma once

#include "core/machine/numbers.h"
#include "sort/parts/sort_problem.h"

namespace scantune {

// Type: a key in memory. precedes(): whether one comes before another that it may not be equal to.
template <class Problem>
struct KeyOrder {
  using Type = typename TypeOf<Problem::kRequest.input_type, typename Problem::Comparison::Value>::Type;

  SCANTUNE_DEVICE static bool precedes(const Type& one, const Type& other) {
    if constexpr (Problem::kRequest.order == Order::ascending)
      return is_less(one, other);
    else
      return is_less(other, one);
  }

 private:
  SCANTUNE_DEVICE static bool is_less(const Type& one, const Type& other) {
    if constexpr (kIsHalf<Type>)
      return Problem::Comparison::less(scantune::value_of(one), scantune::value_of(other));
    else
      return Problem::Comparison::less(one, other);
  }
};

// How many of the first `diagonal` keys of the merge of two runs are the first run's, between `low` and `high`: a bound
// of a merge path. Equal keys of the first run come first. It ends and stays between the bounds whatever less() says.
template <class Keys>
SCANTUNE_DEVICE u32 merge_path(const typename Keys::Type* first, const typename Keys::Type* second, u32 diagonal,
                               u32 low, u32 high) {
#pragma unroll 1
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (Keys::precedes(second[diagonal - 1 - middle], first[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace scantune
