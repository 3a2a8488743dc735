// Operators of a caller, with a second implementation of each for the expected results.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "device/host/random.h"
#include "scan/config/scan.h"
#include "space/custom_operator.h"

namespace scantune {

struct TestOperator {
  std::string name;     // usable in the name of a test
  ScanRequest request;  // types and the operator's cost class
  CustomOperator custom;
  std::function<void(void* result, const void* earlier, const void* later)> combine;  // takes accumulators
  std::function<void(void* item, Random& random)> draw;                               // makes an item of the input type
  int padding_bytes = 0;                                                              // bytes of padding at its end

  int significant_bytes(const ScanRequest& problem) const { return problem.output_bytes() - padding_bytes; }
};

inline void PrintTo(const TestOperator& tested, std::ostream* out) { *out << tested.name; }

// All are exactly associative, so that every order of combining gives the same bits.
TestOperator affine_maps();                     // linear recurrences x -> scale * x + offset of u32
TestOperator affine_maps_among_common_names();  // the same; the source uses names of the kernels for other things
TestOperator running_extremes();                // the smallest and largest f32 so far
TestOperator complex_products();                // products of Gaussian integers
TestOperator last_nonzero(ValueType input, ValueType accumulator, ValueType output);
TestOperator affine_maps_in_i64();  // maps of u32, packed into a built-in type
TestOperator padded_values();       // values whose last bytes mean nothing
// Operators that do not commute, on values whose every byte is in use.
TestOperator maps_of_bytes(int bytes, int alignment);

// All of the above.
std::vector<TestOperator> test_operators();

}  // namespace scantune
