// A problem as C states it, in the words of the library.
#pragma once

#include <cstddef>
#include <optional>

#include "launch/plan.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

struct Problem {
  Request request;
  std::optional<CustomOperatorView> custom;  // of the caller's text
  InitialValue init;
  const void* device_init = nullptr;  // where it lies instead
  int captured_launches = 0;

  Pointers pointers(const void* input, const void* output) const { return {input, output, device_init}; }
};

// Throws RequestError that names the member which is wrong, what was found and what to do. Allocates nothing else.
Problem checked_problem(const scantune_problem* caller);

// Sets every member of a problem of this size to its default. Throws RequestError if no problem has it.
void initialise(scantune_problem* problem, std::size_t struct_bytes);

// What scantune_accumulator() answers.
scantune_type default_accumulator_of(scantune_type input, scantune_type output);

}  // namespace scantune::c_api
