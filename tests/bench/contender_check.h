// Checks the results of contenders before they are timed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_memory.h"
#include "turns.h"

namespace scantune::bench {

// Returns for each scan what is wrong with it, or an empty string. The CPU checks one scan, a long output only in
// parts. The others are compared with it, bit by bit, in all buffers; where two differ the CPU decides which is wrong.
// `scans` begins with scantune; `expected` has room for one output.
std::vector<std::string> check_scans(std::span<const Contender> scans, const InputSpec& input, std::byte* expected,
                                     const Setting& setting);

// The same for reductions. The CPU checks every result of each.
std::vector<std::string> check_reductions(std::span<const Contender> reductions, const Case& subject,
                                          const InputSpec& input, const Setting& setting);

}  // namespace scantune::bench
