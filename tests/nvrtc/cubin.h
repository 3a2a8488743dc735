// The parts of a cubin that decide what a GPU does.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace scantune {

// The machine code of all kernels, their constants and their launch attributes, without names and notes. The addresses
// of global variables are left out, and with them those of the templates' constants. Each place among a kernel's
// parameters is a number, in the order in which the code comes to them: so struct members may move.
std::string code_of(const std::vector<char>& cubin);

// Offsets in the table of addresses, each with the global variable whose address stands there.
using GlobalAddresses = std::set<std::pair<std::uint64_t, std::string>>;
GlobalAddresses global_addresses_of(const std::vector<char>& cubin);

// The opcodes of a kernel's instructions, in the order of their addresses.
std::vector<unsigned> opcodes_of(const std::vector<char>& cubin, const std::string& kernel);

}  // namespace scantune
