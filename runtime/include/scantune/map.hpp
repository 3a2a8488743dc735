// Maps: functions of the caller's own that items go through on their way into a scan or reduction, or results on their
// way out.
//
//   runtime::scan<float, int, int>(d_in, d_out, n, {.load = runtime::Map::source("__device__ int load(float x) { return
//   x > 0; }")});
#pragma once

#include "scantune/cxx20.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "scantune/error.hpp"
#include "scantune/source.hpp"
#include "scantune/types.hpp"

namespace scantune::runtime {

// A map in CUDA C++ source, which is compiled with the kernel, by the rules of Op::custom(). As a load its source
// defines, at global scope,
//     __device__ Result load(Value item)
// and as a store
//     __device__ Result store(Value result)
// or another of the functions below. Value and Result are declared: of a load the input's type and the accumulator, of
// a store the accumulator and the output's type. Half-precision numbers are floats there. Where one is a struct that is
// not the accumulator, the source defines it, by the name of Value or Result, with the same members. A mistake in the
// source counts its lines as load.cu or store.cu.
//
// With a state the function takes a State behind all else, and the source defines a struct State of the same members,
// of at most 32 bytes. It comes with every call, so another state needs no other kernel. A plan keeps the one that it
// was made with. Each function throws RequestError when the source holds a null character.
class Map {
 public:
  Map() = default;  // none: items convert as in C++

  // load(Value item), store(Value result)
  static Map source(std::string source) { return Map(SCANTUNE_MAP_ITEM, std::move(source)); }
  template <class State>
  static Map source(std::string source, const State& state) {
    return Map(SCANTUNE_MAP_ITEM, std::move(source), state);
  }
  // load(Value item, unsigned long long index), store(Value result, unsigned long long index). The index is the place
  // in the array; of a reduction's result it is that of its row or column.
  static Map indexed(std::string source) { return Map(SCANTUNE_MAP_INDEXED, std::move(source)); }
  template <class State>
  static Map indexed(std::string source, const State& state) {
    return Map(SCANTUNE_MAP_INDEXED, std::move(source), state);
  }
  // load(unsigned long long index): items come of their indices alone, and the input is a null pointer.
  static Map generated(std::string source) { return Map(SCANTUNE_MAP_GENERATED, std::move(source)); }
  template <class State>
  static Map generated(std::string source, const State& state) {
    return Map(SCANTUNE_MAP_GENERATED, std::move(source), state);
  }
  // void store(Value result, unsigned long long index): it writes by itself, or not at all, and the output is a null
  // pointer.
  static Map writing(std::string source) { return Map(SCANTUNE_MAP_WRITING, std::move(source)); }
  template <class State>
  static Map writing(std::string source, const State& state) {
    return Map(SCANTUNE_MAP_WRITING, std::move(source), state);
  }

  const scantune_map* get() const { return given_.get(); }  // null if there is none

 private:
  // A map, with what the C interface points to.
  struct Given {
    std::string source;
    detail::CallBytes state;
    scantune_map view = SCANTUNE_MAP_INIT;

    Given(scantune_map_kind kind, std::string text) : source(std::move(text)) {
      view.source = source.c_str();
      view.kind = kind;
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
  };

  Map(scantune_map_kind kind, std::string source) {
    detail::refuse_null_characters("source", source, "a map");
    keep(std::make_shared<Given>(kind, std::move(source)));
  }
  template <class State>
  Map(scantune_map_kind kind, std::string source, const State& state) {
    detail::refuse_null_characters("source", source, "a map");
    const auto given = std::make_shared<Given>(kind, std::move(source));
    given->state = detail::bytes_of_state(state);
    given->view.state = given->state.bytes;
    given->view.state_bytes = sizeof(State);
    keep(given);
  }
  void keep(const std::shared_ptr<Given>& given) { given_ = {given, &given->view}; }

  std::shared_ptr<const scantune_map> given_;  // in a Given; null if there is none
};

}  // namespace scantune::runtime
