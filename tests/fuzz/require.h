// Claims of fuzz targets. One that does not hold ends the process, as a sanitizer's report does.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace scantune::fuzz {

inline void require(bool holds, const std::string& claim) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: this does not hold: %s\n", claim.c_str());
  std::abort();
}

}  // namespace scantune::fuzz
