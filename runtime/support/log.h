// Remarks for people, on standard error.
#pragma once

#include <string_view>

namespace scantune {

// Writes "scantune: message" and a newline; the same message only once per process. SCANTUNE_LOG=quiet
// silences it. Never throws.
void log_once(std::string_view message) noexcept;

}  // namespace scantune
