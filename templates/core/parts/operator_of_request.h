// The built-in operator that a request names.
#pragma once

#include "core/parts/operators.h"
#include "core/parts/type_of.h"

namespace scantune {

template <auto request>
using OperatorOfRequest = OperatorOf<typename TypeOf<request.accumulator_type>::Type, request.op>;

}  // namespace scantune
