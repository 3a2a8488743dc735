// What a line of recorded calls says of their plan.
#pragma once

#include <string>

#include "launch/plan.h"

namespace scantune {

// The line without its counts: a JSON object that is not closed. The problem has the names of db/builtin/records.jsonl,
// so that the tuner reads it as it reads records; sources of the caller's are digests.
std::string line_of(const Plan& plan);

}  // namespace scantune
