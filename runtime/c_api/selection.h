// A C caller's selection and its arrays in the types of the library.
#pragma once

#include "c_api/problem.h"

namespace scantune::c_api {

// The arrays that a selection has beside its input and the count.
struct SelectionArrays {
  bool has_items = false;
  bool has_flags = false;
  bool has_values = false;
  bool has_indices = false;
  bool has_rejected = false;
  bool has_second = false;
};

struct SelectionProblem {
  Problem problem;
  SelectionArrays arrays;
};

// Throws a RequestError that names the wrong member, what was found and what to do. It allocates nothing unless it
// throws.
SelectionProblem checked_selection(const scantune_selection* caller);

// The pointers in the order of the request's operands. Throws RequestError for arrays that the selection does not have,
// and for indices over its input. Those that it lacks are for Arguments to find.
Pointers checked_arrays(const SelectionArrays& its, const scantune_selection_arrays* caller);

}  // namespace scantune::c_api
