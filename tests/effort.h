// The factor by which a test multiplies its seeds and draws. `make test-long` runs the same tests with a larger one.
#pragma once

#ifndef SCANTUNE_TEST_EFFORT
#define SCANTUNE_TEST_EFFORT 1
#endif

namespace scantune {

inline constexpr int kTestEffort = SCANTUNE_TEST_EFFORT;

}  // namespace scantune
