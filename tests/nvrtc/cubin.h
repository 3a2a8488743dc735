// The parts of a cubin that decide what a GPU does.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace scantune {

// The machine code of all kernels, their constants and their launch attributes, without names and notes. Not
// among it are the addresses of global variables, which the templates' constants become too.
std::string code_of(const std::vector<char>& cubin);

// Where in the table of them the code finds the address of which global variable.
using GlobalAddresses = std::set<std::pair<std::uint64_t, std::string>>;
GlobalAddresses global_addresses_of(const std::vector<char>& cubin);

// The opcodes of a kernel's instructions, in the order of their addresses.
std::vector<unsigned> opcodes_of(const std::vector<char>& cubin, const std::string& kernel);

}  // namespace scantune
