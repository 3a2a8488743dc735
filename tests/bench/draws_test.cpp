#include "draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

namespace scantune::bench {
namespace {

constexpr DrawRange kRange{u64{1} << 20, u64{1} << 28};

std::vector<Request> problems() {
  std::vector<Request> all;
  for (const ValueType type : {ValueType::i8, ValueType::f16, ValueType::i32, ValueType::f64})
    for (const Operator op : {Operator::sum, Operator::max})
      all.push_back(ScanRequest{
          .input_type = type, .accumulator_type = default_accumulator(type, type), .output_type = type, .op = op});
  all.push_back(
      ScanRequest{.input_type = ValueType::u64, .accumulator_type = ValueType::u64, .output_type = ValueType::u64});
  return all;
}

bool same(const Case& left, const Case& right) {
  return left.request == right.request && left.input_offset == right.input_offset &&
         left.output_offset == right.output_offset;
}

CaseResult timed(const Case& subject, double scantune_us, double cub_us, double spread = 0.01) {
  return {.subject = subject,
          .launches = 4,
          .buffers = 1,
          .samples = 9,
          .contenders = {{Role::scantune, "scantune", {{Condition::cold, {scantune_us, spread}}}},
                         {Role::cub, "CUB", {{Condition::cold, {cub_us, spread}}}}},
          .chosen = ""};
}

TEST(Draws, AreTheSameForTheSameSeed) {
  const auto once = draw_cases(problems(), kRange, 300, 7), again = draw_cases(problems(), kRange, 300, 7);
  EXPECT_TRUE(std::ranges::equal(once, again, same));
}

TEST(Draws, DifferForAnotherSeed) {
  const auto once = draw_cases(problems(), kRange, 300, 7), other = draw_cases(problems(), kRange, 300, 8);
  EXPECT_FALSE(std::ranges::equal(once, other, same));
}

TEST(Draws, BeginWithTheSameOnesWhenMoreAreAsked) {
  const auto some = draw_cases(problems(), kRange, 100, 7), more = draw_cases(problems(), kRange, 300, 7);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), more.begin(), same));
}

TEST(Draws, SpreadSizesEvenlyOverTheOrdersOfMagnitude) {
  int below_the_middle = 0, powers_of_two = 0;
  const auto cases = draw_cases(problems(), kRange, 2000, 1);
  for (const Case& drawn : cases) {
    EXPECT_GE(drawn.request.n, kRange.least_n);
    EXPECT_LE(drawn.request.n, kRange.most_n);
    below_the_middle += drawn.request.n < u64{1} << 24;
    powers_of_two += std::has_single_bit(drawn.request.n);
  }
  EXPECT_NEAR(below_the_middle, 1000, 100);
  EXPECT_LT(powers_of_two, 20);
}

TEST(Draws, ReachEveryProblemAndGiveEveryTypeItsShare) {
  std::set<std::pair<ValueType, Operator>> seen;
  int u64_draws = 0;
  for (const Case& drawn : draw_cases(problems(), kRange, 2000, 1)) {
    seen.insert({drawn.input().type, drawn.request.op().value()});
    u64_draws += drawn.input().type == ValueType::u64;  // it has one problem, where other types have two
  }
  EXPECT_EQ(seen.size(), problems().size());
  EXPECT_NEAR(u64_draws, 400, 80);
}

TEST(Draws, AlignEitherPointerInHalfOfTheCasesAndMoveItByWholeItemsInTheOthers) {
  int aligned_inputs = 0, equally_offset = 0;
  std::set<u64> offsets;
  const auto cases = draw_cases(problems(), kRange, 2000, 1);
  for (const Case& drawn : cases) {
    const u64 bytes = static_cast<u64>(drawn.input().item_bytes);
    EXPECT_LT(drawn.input_offset * bytes, 16u);
    EXPECT_LT(drawn.output_offset * bytes, 16u);
    aligned_inputs += drawn.input_offset == 0;
    equally_offset += drawn.input_offset == drawn.output_offset;
    if (bytes == 1) offsets.insert(drawn.input_offset);
  }
  EXPECT_NEAR(aligned_inputs, 1000, 100);
  EXPECT_LT(equally_offset, 900);  // two pointers that always moved together would make it 2000
  EXPECT_EQ(offsets.size(), 16u);
}

TEST(Draws, MoveTheResultOfAReductionByWholeItemsOfItsOwnType) {
  const ReduceRequest widening{
      .input_type = ValueType::i8, .accumulator_type = ValueType::i32, .output_type = ValueType::i32};
  std::set<u64> offsets;
  for (const Case& drawn : draw_cases(std::vector<Request>{widening}, kRange, 300, 1)) {
    EXPECT_TRUE(drawn.is_reduction());
    offsets.insert(drawn.output_offset);
  }
  EXPECT_EQ(offsets, (std::set<u64>{0, 1, 2, 3}));
}

TEST(SecondLook, IsMeasuredOnceIfItIsFastEnough) {
  const DrawResult draw = settled(1, timed({}, 100, 100), [](const Case&) -> std::optional<CaseResult> {
    ADD_FAILURE() << "measured again";
    return std::nullopt;
  });
  EXPECT_FALSE(draw.first_ratio);
  EXPECT_FALSE(is_slow(draw.result));
}

TEST(SecondLook, IsMeasuredAgainIfItSeemsSlowAndTheSecondResultCounts) {
  const Case subject{ScanRequest{.n = 12345}};
  const DrawResult draw = settled(1, timed(subject, 100, 97), [&](const Case& again) -> std::optional<CaseResult> {
    EXPECT_EQ(again.request.n, 12345u);
    return timed(again, 100, 103);
  });
  EXPECT_DOUBLE_EQ(draw.first_ratio.value(), 0.97);
  EXPECT_FALSE(is_slow(draw.result));
}

TEST(SecondLook, IsMeasuredAgainIfItsSpreadIsLargerThanItsDistanceToTheLeastRatio) {
  const Case subject{ScanRequest{.n = 12345}};
  const DrawResult draw =
      settled(1, timed(subject, 100, 100, 0.03),
              [&](const Case& again) -> std::optional<CaseResult> { return timed(again, 100, 97); });
  EXPECT_DOUBLE_EQ(draw.first_ratio.value(), 1.0);
  EXPECT_TRUE(is_slow(draw.result));
}

TEST(SecondLook, StaysSlowWhenItCannotBeMeasuredAgain) {
  const DrawResult draw =
      settled(1, timed({}, 100, 97), [](const Case&) -> std::optional<CaseResult> { return std::nullopt; });
  EXPECT_TRUE(is_slow(draw.result));
}

}  // namespace
}  // namespace scantune::bench
