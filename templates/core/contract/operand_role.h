// The role of each array of a request.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// A role is the place of its pointer among the kernels' arguments, so arrays to come take the places after `count`. No
// kernel changes then, and template hashes leave this file out.
enum class OperandRole {
  input,           // read; may be the output's very range
  output,          // written
  indices,         // written besides the output: input indices of its items, or ranks
  flags,           // read beside the input
  values,          // read beside the input
  values_output,   // written beside the output, of the values
  second,          // written: the second part of the items, where there are three
  rejected,        // written: the items of no other output
  count,           // written: how many items the output has, and a second one
  second_indices,  // written besides the second output
  keys,            // read beside the input: runs of equal ones are segments
  keys_output,     // written beside the output: the key of each segment
  begins,          // read beside the input: the first item of each segment, and the end of the last one
  ends,            // read beside the input: the item after each segment, where `begins` says only where they begin
  segment_count,   // read: how many segments there are
  init = 15,       // read, in the place of an initial value among the kernel's arguments
  n,               // read, in the place of the number of items among them
  clamped,         // written beside the output: 1 if that number was more than the request's, else 0
  k                // read: how many results there are
};
template <>
struct Tokens<OperandRole> {
  static constexpr const char* kNames[] = {"input",         "output",      "indices",  "flags", "values",
                                           "values_output", "second",      "rejected", "count", "second_indices",
                                           "keys",          "keys_output", "begins",   "ends",  "segment_count",
                                           "init",          "n",           "clamped",  "k"};
};

// The role in whose place among the arguments kernels find its pointer. All places have roles, so k takes that of n: no
// request reads both.
constexpr OperandRole place_of(OperandRole role) { return role == OperandRole::k ? OperandRole::n : role; }

}  // namespace scantune
