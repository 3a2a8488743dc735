// Checks the results of contenders before they are timed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_memory.h"
#include "turns.h"

namespace scantune::bench {

// For each scan what is wrong with it, or an empty string. One that the CPU has checked, of a long output in parts, is
// what the others are compared with, bit by bit, in all buffers; where two differ the CPU tells which is wrong.
// scans: scantune first. expected: room for one output.
std::vector<std::string> check_scans(std::span<const Contender> scans, const InputSpec& input, std::byte* expected,
                                     const Setting& setting);

}  // namespace scantune::bench
