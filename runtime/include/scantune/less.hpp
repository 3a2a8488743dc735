// An order of items that is the caller's. Included by reduce.hpp and sort.hpp.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <string>
#include <utility>

#include "scantune/function.hpp"

namespace scantune::runtime {

// An order of items, by which argmin() and argmax() find the least and the greatest, and sort() sorts.
struct Less {
  // A comparison in CUDA C++ source; UserFunction has the rules. The source defines
  //     __device__ bool less(Value a, Value b)
  // which is a strict weak order: irreflexive and transitive, and so is being equal, when neither is less. Value is the
  // accumulator of a reduction, int for a std::int8_t, and the key of a sort, float for a half-precision one. It is
  // already declared if it is a number; for a struct, the source defines a Value with the same members.
  template <class... State>
  static UserFunction source(std::string source, const State&... state) {
    return {UserFunction::Role::less, std::move(source), state...};
  }
};

}  // namespace scantune::runtime

#endif
