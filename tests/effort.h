// The factor by which a test multiplies its seeds and draws. `make test-long` runs the same tests with a larger one.
#pragma once

#ifndef SCANTUNE_TEST_EFFORT
#define SCANTUNE_TEST_EFFORT 1
#endif

namespace scantune {

inline constexpr int kTestEffort = SCANTUNE_TEST_EFFORT;

// Cases that only long runs have, since a design has what they are for.
template <class Cases>
Cases drawn_in_long_runs(Cases cases) {
  if (kTestEffort == 1) cases.clear();
  return cases;
}

}  // namespace scantune
