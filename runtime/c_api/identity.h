// The identities of the built-in operators.
#pragma once

#include "launch/scan_plan.h"

namespace scantune::c_api {

// What an exclusive scan starts from if the caller names nothing: the accumulator that leaves every value of the input
// type as it is. The minimum over i8 starts from 127, whatever it is combined in. For supported requests of built-in
// operators only.
InitialValue identity_of(const ScanRequest& request);

}  // namespace scantune::c_api
