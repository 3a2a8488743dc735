// A C caller's load balance and its arrays in the types of the library.
#pragma once

#include "c_api/problem.h"

namespace scantune::c_api {

struct BalanceProblem {
  Problem problem;
  Assigned assigned;
  bool checks_offsets;
};

// Throws a RequestError that names the wrong member, what was found and what to do. It allocates nothing unless it
// throws.
BalanceProblem checked_balance(const scantune_balance* caller);

// The pointers in the order of the request's operands. Throws RequestError for arrays that the load balance does not
// have. Those that it lacks are for Arguments to find.
Pointers checked_arrays(Assigned its, const scantune_balance_arrays* caller);

}  // namespace scantune::c_api
