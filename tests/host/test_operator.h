// Operators of a caller, with what they do said a second time for the expected results.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "config/scan.h"
#include "device/host/random.h"
#include "space/custom_operator.h"

namespace scantune {

struct TestOperator {
  std::string name;     // fit for the name of a test
  ScanRequest request;  // types and the operator's cost class
  CustomOperator custom;
  std::function<void(void* result, const void* earlier, const void* later)> combine;  // of accumulators
  std::function<void(void* item, Random& random)> draw;                               // an item of the input type
  int padding_bytes = 0;                                                              // that a value ends with

  int significant_bytes(const ScanRequest& problem) const { return problem.output_bytes() - padding_bytes; }
};

inline void PrintTo(const TestOperator& tested, std::ostream* out) { *out << tested.name; }

// All are exactly associative, so that every order of combining gives the same bits.
TestOperator affine_maps();                     // x -> scale * x + offset, of u32: linear recurrences
TestOperator affine_maps_among_common_names();  // whose source calls other things as the kernels call theirs
TestOperator running_extremes();                // of f32: smallest and largest so far
TestOperator complex_products();                // of Gaussian integers
TestOperator last_nonzero(ValueType input, ValueType accumulator, ValueType output);
TestOperator affine_maps_in_i64();  // of u32, packed into a built-in type
TestOperator padded_values();       // the last of whose bytes mean nothing
// Not commutative, with every byte of the value in use.
TestOperator maps_of_bytes(int bytes, int alignment);

// All of the above.
std::vector<TestOperator> test_operators();

}  // namespace scantune
