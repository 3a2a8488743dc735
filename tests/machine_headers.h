// What a GPU and the host device can do, for kernels that stand in tests.
#pragma once

#include <string>
#include <vector>

namespace scantune {

inline const std::vector<std::string>& machine_headers() {
  static const std::vector<std::string> kHeaders = {
      "core/machine/barriers.h", "core/machine/bits.h",         "core/machine/bulk.h",     "core/machine/clusters.h",
      "core/machine/counters.h", "core/machine/dependents.h",   "core/machine/matching.h", "core/machine/memory.h",
      "core/machine/numbers.h",  "core/machine/packed_words.h", "core/machine/shared.h",   "core/machine/status.h",
      "core/machine/warp.h"};
  return kHeaders;
}

// The lines that include them.
inline std::string machine_includes() {
  std::string text;
  for (const std::string& header : machine_headers()) text += "#include \"" + header + "\"\n";
  return text;
}

}  // namespace scantune
