// The hash of a breakpoint between two records, as the tuner has it.
#pragma once

#include <string>

#include "support/sha256.h"

namespace scantune {

// What a breakpoint between records with these hashes names: SHA-256 over both where they differ.
inline std::string joint_template_hash(const std::string& low, const std::string& high) {
  return low == high ? low : Sha256().add_field(low).add_field(high).hex();
}

}  // namespace scantune
