// Names of CUB's releases.
#pragma once

#include <string>

namespace scantune::bench {

// The name, such as "CUB 3.0.1", of a CubScans' version.
inline std::string cub_name(int version) {
  return "CUB " + std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
         std::to_string(version % 100);
}

}  // namespace scantune::bench
