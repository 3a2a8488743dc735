// What the compiler reports of the kernels that it made.
#pragma once

#include <regex>
#include <string>

namespace scantune {

// The bytes of a kind, such as "spill stores" or "stack frame", summed over all kernels in the log of a compilation.
inline int reported_bytes(const std::string& log, const std::string& kind) {
  const std::regex report(R"((\d+) bytes )" + kind);
  int bytes = 0;
  for (std::sregex_iterator match(log.begin(), log.end(), report), end; match != end; ++match)
    bytes += std::stoi((*match)[1]);
  return bytes;
}

}  // namespace scantune
