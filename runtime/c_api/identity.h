// The identities of the built-in operators.
#pragma once

#include "launch/plan.h"

namespace scantune::c_api {

// What an exclusive scan starts from if the caller names nothing: the accumulator that leaves every item, converted to
// the accumulator's type, as it is. The minimum over i8 starts from 127 in i32, and from the greatest u32 in u32, where
// negative items are larger than that. The types must convert to each other, and the operator be built in. Where a map
// loads, the input is what that makes.
InitialValue identity_of(ValueType input, ValueType accumulator, Operator op);

}  // namespace scantune::c_api
