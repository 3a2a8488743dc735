// The type of a function's results.
#pragma once

#include <optional>

#include "python/call.h"
#include "python/operation.h"

namespace scantune::python {

// Throws TypeError if the items of the named array cannot become results, or if the operation does not take them.
void check_types(const Call& call, const Operation& operation, const char* name, const ElementType& items,
                 const ElementType& results);

// The type that `dtype` names, else that of `out`, else the operation's default as the library of x has it. Throws
// as check_types() does.
const ElementType& result_type(const Call& call, const Operation& operation, const ElementType& items,
                               const nanobind::object& dtype, const std::optional<Array>& out);

}  // namespace scantune::python
