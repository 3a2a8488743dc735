// Breakpoints: which of two records serves between their N.
#include "select_selection.h"

#include <gtest/gtest.h>

namespace scantune {
namespace {

using testing::built_in;
using testing::contains;
using testing::isolated_sum_of;
using testing::row_of;
using testing::row_with;
using testing::select_from;
using testing::sum_of;
using testing::value_of;

// Adds a breakpoint between records of one family.
RecordRow with_breakpoint(RecordRow row, std::int64_t n_high, std::int64_t n_switch, double regret = 0.015) {
  row.breakpoint = BreakpointRow{n_high, n_switch, regret, row.template_hash};
  return row;
}

// Records of 2^16 items with 512 threads up to a breakpoint, and of 2^17 items with 128 from there on.
std::vector<RecordRow> rows_around(std::int64_t n_switch) {
  return {with_breakpoint(row_with("lookback", 1 << 16, "block_threads", 512), 1 << 17, n_switch),
          row_with("lookback", 1 << 17, "block_threads", 128)};
}

TEST(Rule11, SwitchesBetweenTwoRecordsWhereTheBreakpointSays) {
  for (const std::int64_t n_switch : {70'000, 120'000}) {
    const u64 at = static_cast<u64>(n_switch);
    EXPECT_EQ(value_of(select_from(rows_around(n_switch), sum_of(at - 1)).config, "block_threads"), 512) << n_switch;
    EXPECT_EQ(value_of(select_from(rows_around(n_switch), sum_of(at)).config, "block_threads"), 128) << n_switch;
  }
}

TEST(Rule11, LeavesTheRecordsOfABreakpointTheirOwnN) {
  const auto rows = rows_around(1 << 17);
  EXPECT_EQ(value_of(select_from(rows, sum_of(1 << 16)).config, "block_threads"), 512);
  EXPECT_EQ(value_of(select_from(rows, sum_of(1 << 17)).config, "block_threads"), 128);
}

TEST(Rule11, SaysThatABreakpointDecidedAndWhatThatCostsAtMost) {
  const auto below = select_from(rows_around(70'000), sum_of(66'000));
  EXPECT_EQ(below.origin, ConfigOrigin::between_n);
  EXPECT_TRUE(contains(below.reason,
                       "tuned for n = 65536 (which serves n = 66000, below the breakpoint n = 70000 between it and n = "
                       "131072, by its probes up to 1.5 % slower than the other) on this device"))
      << below.reason;
  const auto above = select_from(rows_around(70'000), sum_of(71'000));
  EXPECT_TRUE(contains(above.reason,
                       "tuned for n = 131072 (which serves n = 71000, from the breakpoint n = 70000 between it and n = "
                       "65536, "))
      << above.reason;
}

TEST(Rule11, SaysNothingOfTheCostWhereTheProbesTimedSomethingElse) {
  ScanRequest max = sum_of(66'000), of_u32 = sum_of(66'000);
  max.op = Operator::max;
  of_u32.input_type = of_u32.accumulator_type = of_u32.output_type = ValueType::u32;
  const DeviceIdentity h100{"sm_90", 90, "NVIDIA H100", 132};
  for (const Selection& selection : {select_from(rows_around(70'000), max), select_from(rows_around(70'000), of_u32),
                                     select_from(rows_around(70'000), sum_of(66'000), h100),
                                     select_from(rows_around(70'000), isolated_sum_of(66'000))}) {
    EXPECT_TRUE(contains(selection.reason, "the breakpoint n = 70000")) << selection.reason;
    EXPECT_FALSE(contains(selection.reason, "slower than the other")) << selection.reason;
  }
}

TEST(Rule11, SaysThatABreakpointIsOfOtherTemplates) {
  auto rows = rows_around(70'000);
  EXPECT_FALSE(contains(select_from(rows, sum_of(66'000)).reason, "other kernel templates"));
  rows[0].breakpoint->template_hash = "another";
  const auto selection = select_from(rows, sum_of(66'000));
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "; the breakpoint was measured with other kernel templates"))
      << selection.reason;
}

TEST(Rule11, JudgesABreakpointByTheTemplatesOfBothItsFamilies) {
  RecordRow low = row_of("single_block", 1 << 14);
  const RecordRow high = row_of("lookback", 1 << 16);
  const auto says_stale = [&](const std::string& hash) {
    low.breakpoint = BreakpointRow{1 << 16, 60'000, 0.01, hash};
    return contains(select_from({low, high}, sum_of(20'000)).reason, "; the breakpoint was measured with other");
  };
  EXPECT_FALSE(says_stale(joint_template_hash(low.template_hash, high.template_hash)));
  EXPECT_TRUE(says_stale(joint_template_hash(high.template_hash, low.template_hash)));
  EXPECT_TRUE(says_stale(low.template_hash));
  EXPECT_TRUE(says_stale(high.template_hash));
}

TEST(Rule11, LetsNoPreferenceOfFamiliesOverruleABreakpoint) {
  const std::vector rows{with_breakpoint(row_of("single_block", 1 << 14), 1 << 16, 60'000),
                         row_of("lookback", 1 << 16)};
  for (const u64 n : {u64{17'000}, u64{33'000}, u64{59'999}})
    EXPECT_STREQ(select_from(rows, sum_of(n)).config.family().name(), "single_block") << n;
  EXPECT_STREQ(select_from(rows, sum_of(60'000)).config.family().name(), "lookback");
  EXPECT_EQ(select_from({row_of("single_block", 1 << 14)}, sum_of(59'999)).origin, ConfigOrigin::untuned)
      << "without a breakpoint it does not reach as far";
}

TEST(Rule11, LetsABreakpointDecideBetweenTwoEndsThatAreBothFar) {
  const std::vector rows{with_breakpoint(row_of("single_block", 1 << 12), 1 << 17, 100'000),
                         row_of("three_phase", 1 << 17)};
  EXPECT_STREQ(select_from(rows, sum_of(1 << 14)).config.family().name(), "single_block");
}

TEST(Rule11, RunsWhatABreakpointWasMeasuredWithThoughItIsTheDefaultFarAway) {
  const RecordRow low = row_of("pipelined", 1 << 22), high = row_with("pipelined", 1 << 30, "poll_distance", 1);
  const auto selection = select_from({with_breakpoint(low, 1 << 30, 1 << 29), high}, sum_of(1 << 28));
  EXPECT_EQ(selection.record->request.n, 1u << 22);
  EXPECT_EQ(selection.config, selection.record->config);
  EXPECT_NE(selection.config, find_family("pipelined")->default_config(sum_of(1 << 28), 90));
}

TEST(Rule11, ForgetsABreakpointOverARecordBetweenItsEnds) {
  auto rows = rows_around(120'000);
  rows.push_back(row_with("lookback", 80'000, "block_threads", 384));
  EXPECT_EQ(value_of(select_from(rows, sum_of(110'000)).config, "block_threads"), 128) << "the nearest";
}

TEST(Rule11, UsesNoBreakpointOfOneDatabaseBetweenRecordsOfTwo) {
  auto rows = rows_around(120'000);
  RecordRow users = rows[1];
  rows[0].layer = rows[1].layer = Layer::project;
  users.database = "another.db";
  rows.push_back(users);
  EXPECT_EQ(value_of(select_from(rows, sum_of(100'000)).config, "block_threads"), 128) << "the nearest";
}

TEST(Rule11, UsesTheBreakpointOfBuiltInRecords) {
  auto rows = rows_around(120'000);
  for (RecordRow& row : rows) row.layer = Layer::built_in;
  EXPECT_EQ(value_of(select_from(rows, sum_of(100'000)).config, "block_threads"), 512);
}

TEST(Rule11, LetsABreakpointServeOtherOperatorsToo) {
  ScanRequest request = sum_of(100'000);
  request.op = Operator::max;
  const auto selection = select_from(rows_around(120'000), request);
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

}  // namespace
}  // namespace scantune
