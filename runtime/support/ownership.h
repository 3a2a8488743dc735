// Who may change a file.
#pragma once

#include <sys/stat.h>

#include <string>

namespace scantune {

// Why somebody other than the user and root may change this file or directory; empty if nobody may. Access lists beyond
// the mode, and the directories above, are not checked.
std::string changeable_because(const struct stat& status, uid_t user);

}  // namespace scantune
