// The identities of the built-in operators.
#pragma once

#include "launch/plan.h"

namespace scantune::c_api {

// The default start of an exclusive scan: the accumulator that changes no item, after conversion to the accumulator's
// type. The minimum over i8 starts from 127 in i32, and from the greatest u32 in u32, where negative items are larger
// than that. The types must convert to each other, and the operator must be built in. With a load, the input type is
// the load's result.
InitialValue identity_of(ValueType input, ValueType accumulator, Operator op);

}  // namespace scantune::c_api
