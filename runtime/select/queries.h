// The SQL in db/queries, which the build embeds in the library.
#pragma once

#include <string>
#include <string_view>

namespace scantune {

// The text of a file.
std::string query(std::string_view file);

}  // namespace scantune
