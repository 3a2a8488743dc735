// The value that a scan starts from, as the bytes of an accumulator.
#pragma once

#include <string>

#include "python/element_type.h"
#include "python/scan_arguments.h"

namespace scantune::python {

// Empty if the scan starts from nothing, or from the identity. Throws TypeError or ValueError that names init.
std::string initial_value(const ScanArguments& arguments, const ElementType& items, const ElementType& results);

}  // namespace scantune::python
