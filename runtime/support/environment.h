// Environment variables.
#pragma once

namespace scantune {

// Null where the variable is not set, and for every variable in a program that runs with more rights than its caller's
// (set-uid, set-gid, with file capabilities): the caller must not say which code it loads or which files it trusts.
const char* environment_variable(const char* name);

}  // namespace scantune
