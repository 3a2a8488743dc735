// Maps: functions of the caller's own that items go through on their way into a scan or reduction, or results on their
// way out.
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

// Maps, as loads and stores of a scan or reduction. As a load its source defines, at global scope,
//     __device__ Result load(Value item)
// and as a store
//     __device__ Result store(Value result)
// or another of the functions below. Value and Result are declared: of a load the input's type and the accumulator, of
// a store the accumulator and the output's type. Half-precision numbers are floats there. Where one is a struct that is
// not the accumulator, the source defines it, by the name of Value or Result, with the same members. All else is said
// of UserFunction.
struct Map {
  // load(Value item), store(Value result)
  template <class... State>
  static UserFunction source(std::string source, const State&... state) {
    return {UserFunction::Role::map, std::move(source), state...};
  }
  // load(Value item, unsigned long long index), store(Value result, unsigned long long index). The index is the place
  // in the array; of a reduction's result it is that of its row or column.
  template <class... State>
  static UserFunction indexed(std::string source, const State&... state) {
    return {UserFunction::Role::map_indexed, std::move(source), state...};
  }
  // load(unsigned long long index): items come of their indices alone, and the input is a null pointer.
  template <class... State>
  static UserFunction generated(std::string source, const State&... state) {
    return {UserFunction::Role::generate, std::move(source), state...};
  }
  // void store(Value result, unsigned long long index): it writes by itself, or not at all, and the output is a null
  // pointer.
  template <class... State>
  static UserFunction writing(std::string source, const State&... state) {
    return {UserFunction::Role::write, std::move(source), state...};
  }
};

}  // namespace scantune::runtime

#endif
