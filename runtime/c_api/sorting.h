// A C caller's sort and its arrays in the types of the library.
#pragma once

#include "c_api/problem.h"

namespace scantune::c_api {

struct SortingProblem {
  Problem problem;
  Sorted sorted;
};

// Throws a RequestError that names the wrong member, what was found and what to do. It allocates nothing unless it
// throws.
SortingProblem checked_sort(const scantune_sorting* caller);

// The pointers in the order of the request's operands. Throws RequestError for arrays that the sort does not have.
// Those that it lacks are for Arguments to find.
Pointers checked_arrays(Sorted its, const scantune_sorting_arrays* caller);

}  // namespace scantune::c_api
