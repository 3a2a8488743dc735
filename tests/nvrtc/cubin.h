// The parts of a cubin that decide what a GPU does.
#pragma once

#include <string>
#include <vector>

namespace scantune {

// The machine code of all kernels and their launch attributes, without names and notes.
std::string code_of(const std::vector<char>& cubin);

// The opcodes of a kernel's instructions, in the order of their addresses.
std::vector<unsigned> opcodes_of(const std::vector<char>& cubin, const std::string& kernel);

}  // namespace scantune
