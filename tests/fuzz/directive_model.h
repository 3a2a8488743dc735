// A plain model of a preprocessor, by the letter of the standard alone, to compare a lexer with.
#pragma once

#include <string_view>

namespace scantune::fuzz {

// Whether a line of the source is a directive that reads a file, once lines are spliced, comments are blanks and
// literals are gone. The model knows no raw strings, so it returns false for a source with one.
bool has_reading_directive(std::string_view source);

}  // namespace scantune::fuzz
