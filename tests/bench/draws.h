// Seeded draws of cases: sizes that are no powers of two, every type, operator, kind or position, and alignment.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "case_result.h"

namespace scantune::bench {

struct DrawRange {
  u64 least_n = u64{1} << 20;
  u64 most_n = u64{1} << 28;
};

// The same seed, problems and range give the same cases, and more of them begin with the same. n is log-uniform. Types
// are equally likely, as are the problems of one type. Each pointer is aligned to 16 bytes in one case of two, else it
// lies 1 or more items behind such an address, and before the next. problems: any n and items of at most 8 bytes; none
// is ill-formed.
std::vector<Case> draw_cases(std::span<const Request> problems, const DrawRange& range, int count, u64 seed);

// The least ratio of the faster CUB's time to scantune's that a draw is expected to have.
inline constexpr double kLeastRatio = 0.98;
bool is_slow(const CaseResult& result);

// Whether a result is slow, or above the least ratio by no more than the spread, so that it may be chance. Such a draw
// is measured again, with more samples, and the second result counts.
bool is_doubtful(const CaseResult& result);

struct DrawResult {
  std::size_t number;  // number of the case among those drawn, from 1
  CaseResult result;
  std::optional<double> first_ratio;  // the first ratio of a draw that was measured again
};

// The first result, or the second if measure_again(case), called for a doubtful one, has any.
DrawResult settled(std::size_t number, const CaseResult& first,
                   const std::function<std::optional<CaseResult>(const Case&)>& measure_again);

}  // namespace scantune::bench
