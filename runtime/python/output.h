// Arrays as places for results: what is refused of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "python/call.h"

namespace scantune::python {

// Throws ValueError that names the array and what is wrong with it as a place for results of a shape. x: an input.
void check_output(const Call& call, const std::string& name, const Array& out, const std::vector<std::uint64_t>& shape,
                  const Array& x);

// Whether both arrays have bytes in common.
bool overlap(const Array& a, const Array& b);

// Throws ValueError if an output has bytes in common with another array.
void check_apart(const Call& call, const std::string& name, const Array& out, const std::string& other_name,
                 const Array& other);

// Throws TypeError if an array of the library of x cannot be cut to a number that is known later.
void check_length_may_follow(const Call& call, const Array& x);

// An array for what one kernel writes and another reads.
Array temporary(const Call& call, const Array& x, const std::vector<std::uint64_t>& shape, const ElementType& type);

}  // namespace scantune::python
