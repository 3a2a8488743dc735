// The parts of a cubin that decide what a GPU does.
#pragma once

#include <string>
#include <vector>

namespace scantune {

// The machine code of all kernels and their launch attributes, without names and notes.
std::string code_of(const std::vector<char>& cubin);

}  // namespace scantune
