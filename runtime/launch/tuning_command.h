// The command that tunes a problem, for messages.
#pragma once

#include <string>

#include "space/custom_operator.h"
#include "space/request.h"

namespace scantune {

// "i8:i32 sum", types as the command line spells them: input:accumulator:output, the accumulator only where it is not
// the default, and one type where input and output are equal. A custom operator is spelled by its name, if it has one,
// and a request without operator by its algorithm.
std::string solved(const Request& request, const CustomOperator* custom);

// "scantune --arch sm_90 --type i8:i32 --op sum --determinism run_to_run": every option whose default would tune
// another problem.
std::string tuning_command(const Request& request, const CustomOperator* custom, const std::string& arch);

}  // namespace scantune
