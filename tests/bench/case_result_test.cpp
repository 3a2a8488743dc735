#include "case_result.h"

#include <gtest/gtest.h>

namespace scantune::bench {
namespace {

ContenderTimes contender(Role role, const char* name, double cold_us, double spread = 0.01) {
  return {role, name, {{Condition::cold, {cold_us, spread}}}};
}

CaseResult result_of(std::vector<ContenderTimes> contenders) {
  return {.subject = {ScanRequest{.input_type = ValueType::i8, .output_type = ValueType::i32, .n = 1'000'000}},
          .launches = 64,
          .buffers = 32,
          .samples = 21,
          .contenders = std::move(contenders),
          .chosen = "lookback"};
}

TEST(TimeOf, IsTheMedianAndTheInterquartileRangeOverIt) {
  const Time time = time_of({40, 10, 20, 50, 30});
  EXPECT_EQ(time.median_us, 30);
  EXPECT_DOUBLE_EQ(time.spread, 20.0 / 30);
}

TEST(TimeOf, TakesOffWhatEachSampleHoldsOfOtherKernels) {
  const Time time = time_of({11, 23, 35}, {1, 3, 5});
  EXPECT_EQ(time.median_us, 20);
  EXPECT_DOUBLE_EQ(time.spread, 10.0 / 20);
}

TEST(CaseResult, ComparesWithTheFasterOfSeveralCubs) {
  const CaseResult result = result_of({contender(Role::scantune, "scantune", 10), contender(Role::cub, "CUB 3.0.1", 15),
                                       contender(Role::cub, "CUB 3.6.0", 12)});
  EXPECT_DOUBLE_EQ(result.ratio(Role::cub, Condition::cold).value(), 1.2);
}

TEST(CaseResult, DoesNotTakeForcedLookAheadForCub) {
  const CaseResult result = result_of({contender(Role::scantune, "scantune", 10), contender(Role::cub, "CUB 3.6.0", 12),
                                       contender(Role::lookahead, "CUB 3.6.0 forced look-ahead", 8)});
  EXPECT_DOUBLE_EQ(result.ratio(Role::cub, Condition::cold).value(), 1.2);
}

TEST(CaseResult, HasNoRatioWhereARoleOrAConditionWasNotMeasured) {
  const CaseResult result =
      result_of({contender(Role::scantune, "scantune", 10), contender(Role::cub, "CUB 3.6.0", 12)});
  EXPECT_FALSE(result.ratio(Role::copy, Condition::cold));
  EXPECT_FALSE(result.ratio(Role::cub, Condition::hot_isolated));
}

TEST(CaseResult, IsAsUncertainAsTheLessCertainOfScantuneAndTheFasterCub) {
  const CaseResult result =
      result_of({contender(Role::scantune, "scantune", 10, 0.01), contender(Role::cub, "CUB 3.0.1", 15, 0.5),
                 contender(Role::cub, "CUB 3.6.0", 12, 0.03)});
  EXPECT_EQ(result.spread(Condition::cold), 0.03);
}

TEST(CaseResult, MovesTheBytesOfBothSides) {
  const CaseResult result = result_of({contender(Role::scantune, "scantune", 10)});
  EXPECT_DOUBLE_EQ(result.gigabytes_per_second(*result.fastest(Role::scantune, Condition::cold)), 500);
}

TEST(CaseResult, MovesOneResultOfAReduction) {
  CaseResult result = result_of({contender(Role::scantune, "scantune", 10)});
  result.subject = {ReduceRequest{.n = 1'000'000}};
  EXPECT_TRUE(result.subject.is_reduction());
  EXPECT_DOUBLE_EQ(result.gigabytes_per_second(*result.fastest(Role::scantune, Condition::cold)), 400.0004);
}

}  // namespace
}  // namespace scantune::bench
