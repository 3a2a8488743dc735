#include "support/environment.h"

#include <sys/auxv.h>

#include <cstdlib>

namespace scantune {

const char* environment_variable(const char* name) { return getauxval(AT_SECURE) != 0 ? nullptr : std::getenv(name); }

}  // namespace scantune
