// What a preprocessor reads, by the letter of the standard and nothing else: the plainest model to hold a lexer
// against.
#pragma once

#include <string_view>

namespace scantune::fuzz {

// Whether a line of the source is a directive that reads a file, once lines are spliced, comments are blanks and
// literals are gone. Knows no raw strings, so a source with one has no answer here: false.
bool has_reading_directive(std::string_view source);

}  // namespace scantune::fuzz
