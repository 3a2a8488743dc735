// How many times as many seeds and draws a test takes as usual. `make test-long` runs the same tests with more of both.
#pragma once

#ifndef SCANTUNE_TEST_EFFORT
#define SCANTUNE_TEST_EFFORT 1
#endif

namespace scantune {

inline constexpr int kTestEffort = SCANTUNE_TEST_EFFORT;

}  // namespace scantune
