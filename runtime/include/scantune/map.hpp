// Maps: the caller's functions that convert items as a scan, reduction or selection loads them, or results as it stores
// them.
//
//   runtime::scan<float, int, int>(d_in, d_out, n, {.load = runtime::Map::source("__device__ int load(float x) { return
//   x > 0; }")});
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <string>
#include <utility>

#include "scantune/function.hpp"

namespace scantune::runtime {

// A map, for the load or store of a scan, reduction or selection. The source of a load defines, at global scope,
//     __device__ Result load(Value item)
// and that of a store
//     __device__ Result store(Value result)
// or another of the functions below. Value and Result are already declared: in a load they are the input type and the
// accumulator, in a store the accumulator and the output type. The accumulator of a selection is the item that is
// looked at. A half-precision number is a float. The source defines a struct that the source of an operator or a
// criterion does not, as Value or Result, with the same members. UserFunction has the other rules.
struct Map {
  // load(Value item), store(Value result)
  template <class... State>
  static UserFunction source(std::string source, const State&... state) {
    return {UserFunction::Role::map, std::move(source), state...};
  }
  // load(Value item, unsigned long long index), store(Value result, unsigned long long index). The index is the
  // position in the array, of a selection's store in the output; for a reduction's result it is the row or column.
  template <class... State>
  static UserFunction indexed(std::string source, const State&... state) {
    return {UserFunction::Role::map_indexed, std::move(source), state...};
  }
  // load(unsigned long long index): computes items from their indices; the input is a null pointer.
  template <class... State>
  static UserFunction generated(std::string source, const State&... state) {
    return {UserFunction::Role::generate, std::move(source), state...};
  }
  // void store(Value result, unsigned long long index): writes the result itself, or drops it; the output is a null
  // pointer.
  template <class... State>
  static UserFunction writing(std::string source, const State&... state) {
    return {UserFunction::Role::write, std::move(source), state...};
  }
};

}  // namespace scantune::runtime

#endif
