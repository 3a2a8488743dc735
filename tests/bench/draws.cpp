#include "draws.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace scantune::bench {
namespace {

// The standard's generators give the same numbers everywhere; its distributions do not.
class Dice {
 public:
  explicit Dice(u64 seed) : random_(seed) {}

  u64 below(u64 end) { return random_() % end; }
  double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 random_;
};

u64 drawn_n(Dice& dice, const DrawRange& range) {
  const auto least = static_cast<double>(range.least_n), most = static_cast<double>(range.most_n);
  const auto n = static_cast<u64>(std::llround(least * std::pow(most / least, dice.fraction())));
  return std::clamp(n, range.least_n, range.most_n);
}

u64 drawn_offset(Dice& dice, int item_bytes) {
  const bool aligned = dice.below(2) == 0;
  const u64 offset = 1 + dice.below(static_cast<u64>(kVectorAlignmentBytes / item_bytes) - 1);
  return aligned ? 0 : offset;
}

}  // namespace

std::vector<Case> draw_cases(std::span<const Request> problems, const DrawRange& range, int count, u64 seed) {
  std::map<ValueType, std::vector<Request>> by_type;
  for (const Request& problem : problems) by_type[Case{problem}.input().type].push_back(problem);
  Dice dice(seed);
  std::vector<Case> cases;
  for (int draw = 0; draw < count; ++draw) {
    const auto& of_type = std::next(by_type.begin(), static_cast<std::ptrdiff_t>(dice.below(by_type.size())))->second;
    Case& drawn = cases.emplace_back(Case{of_type[dice.below(of_type.size())]});
    drawn.request.n = drawn_n(dice, range);
    drawn.input_offset = drawn_offset(dice, drawn.input().item_bytes);
    drawn.output_offset = drawn_offset(dice, drawn.output().item_bytes);
  }
  return cases;
}

bool is_slow(const CaseResult& result) {
  const std::optional<double> ratio = result.ratio(Role::cub, Condition::cold);
  return ratio.has_value() && *ratio < kLeastRatio;
}

bool is_doubtful(const CaseResult& result) {
  const std::optional<double> ratio = result.ratio(Role::cub, Condition::cold);
  return ratio.has_value() && *ratio - kLeastRatio < result.spread(Condition::cold);
}

DrawResult settled(std::size_t number, const CaseResult& first,
                   const std::function<std::optional<CaseResult>(const Case&)>& measure_again) {
  if (!is_doubtful(first)) return {number, first, std::nullopt};
  return {number, measure_again(first.subject).value_or(first), first.ratio(Role::cub, Condition::cold)};
}

}  // namespace scantune::bench
