// Rows whose items lie apart, as C names them.
#pragma once

#include "scan/config/scan.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

// Lets the request have rows with the strides of the problem, if that has any: dense columns where they are such, and
// columns where the rows lie closer than their items. Throws RequestError if the strides name no places, or name places
// of the output twice.
void take_strides(const scantune_problem& problem, ScanRequest& request);

// The same for a reduction, whose results lie one behind the other.
void take_strides_of_reduction(const scantune_problem& problem, ScanRequest& request);

}  // namespace scantune::c_api
