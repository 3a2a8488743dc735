// The caller's sources as text of a translation unit.
#pragma once

#include <string>

#include "space/custom_operator.h"
#include "space/request.h"

namespace scantune {

// The source at global scope, with line numbers of its own, and after it the struct ScantuneOperator that the kernels
// take; what comes before includes core/parts/custom_operator.h. Throws CompileError for a source that reads a file or
// lacks a definition, whatever compiler is to see it.
std::string operator_text(const Request& request, const CustomOperator& custom);

// Whether an equality of keys of the request is a source of the caller's.
bool has_equality(const Request& request);
// Whether a load, a store or such an equality is.
bool has_map_sources(const Request& request);

// The same of the sources of maps and of the equality, each in a namespace of its own, and after them the struct
// ScantuneMaps that the kernels take. The operator's text comes before, and includes core/parts/custom_map.h.
std::string maps_text(const Request& request, const CustomOperator& custom);

}  // namespace scantune
