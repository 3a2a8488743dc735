// The type of a function's results.
#pragma once

#include <optional>

#include "python/call.h"
#include "python/operation.h"

namespace scantune::python {

// The type that `dtype` names, else that of `out`, else the operation's default as the library of x has it. Throws
// TypeError if the items of x cannot become it, or if the operation does not take them.
const ElementType& result_type(const Call& call, const Operation& operation, const ElementType& items,
                               const nanobind::object& dtype, const std::optional<Array>& out);

}  // namespace scantune::python
