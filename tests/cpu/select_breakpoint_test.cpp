// Breakpoints: which of two records serves between their N.
#include "select_selection.h"

#include <gtest/gtest.h>

namespace scantune {
namespace {

using testing::built_in;
using testing::everywhere;
using testing::row_of;
using testing::row_with;
using testing::select_from;
using testing::serving;
using testing::sum_of;
using testing::value_of;

RecordRow with_breakpoint(RecordRow row, std::int64_t n_high, std::int64_t n_switch) {
  row.breakpoint = BreakpointRow{n_high, n_switch};
  return row;
}

// Records of 2^16 items with 512 threads up to a breakpoint, and of 2^17 items with 128 from there on.
std::vector<RecordRow> rows_around(std::int64_t n_switch) {
  return {with_breakpoint(row_with("lookback", 1 << 16, "block_threads", 512), 1 << 17, n_switch),
          row_with("lookback", 1 << 17, "block_threads", 128)};
}

// The threads that an n gets; -1 where no record serves it.
int threads_at(const std::vector<RecordRow>& rows, u64 n) {
  const auto selection = select_from(rows, sum_of(n));
  return selection.record ? value_of(selection.config, "block_threads") : -1;
}

void expect_switch(const std::vector<RecordRow>& rows, u64 n_switch) {
  SCOPED_TRACE(n_switch);
  EXPECT_EQ(threads_at(rows, 1 << 16), 512) << "a record keeps its own n";
  EXPECT_EQ(threads_at(rows, n_switch - 1), 512);
  EXPECT_EQ(threads_at(rows, n_switch), 128);
  EXPECT_EQ(threads_at(rows, 1 << 17), 128) << "a record keeps its own n";
}

TEST(Breakpoint, SplitsWhatTheRecordAboveServes) {
  for (const u64 n_switch : {(1 << 16) + 1, 70'000, 120'000, 1 << 17}) {
    const auto rows = rows_around(static_cast<std::int64_t>(n_switch));
    expect_switch(rows, n_switch);
    EXPECT_EQ(threads_at(rows, 1 << 15), -1);
    EXPECT_EQ(threads_at(rows, (1 << 17) + 1), -1);
  }
}

TEST(Breakpoint, NarrowsWiderRangesToo) {
  for (const bool low_is_wide : {false, true})
    for (const bool high_is_wide : {false, true}) {
      auto rows = rows_around(100'000);
      if (low_is_wide) rows[0] = everywhere(rows[0]);
      if (high_is_wide) rows[1] = everywhere(rows[1]);
      expect_switch(rows, 100'000);
      EXPECT_EQ(threads_at(rows, 1 << 15), low_is_wide ? 512 : -1);
      EXPECT_EQ(threads_at(rows, (1 << 17) + 1), high_is_wide ? 128 : -1);
    }
}

TEST(Breakpoint, IsToldAsTheRangesOfBothRecords) {
  EXPECT_EQ(select_from(rows_around(70'000), sum_of(66'000)).reason,
            "tuned for n = 65536, which serves 32769 to 69999 items, on this device");
  EXPECT_EQ(select_from(rows_around(70'000), sum_of(71'000)).reason,
            "tuned for n = 131072, which serves 70000 to 131072 items, on this device");
}

// Outside its range a record was no faster than what runs untuned, or nobody measured whether it is.
TEST(Breakpoint, LetsNoRecordServeWhatItsOwnRangeLeavesOut) {
  auto rows = rows_around(70'000);
  for (const std::int64_t above : {(1 << 16) + 1, 90'000}) {
    SCOPED_TRACE(above);
    rows[1] = serving(above, 1 << 17, rows[1]);
    EXPECT_EQ(threads_at(rows, 1 << 16), 512);
    EXPECT_EQ(threads_at(rows, (1 << 16) + 1), -1);
    EXPECT_EQ(threads_at(rows, static_cast<u64>(above)), -1);
    EXPECT_EQ(threads_at(rows, static_cast<u64>(above) + 1), 128);
  }
  rows[0] = serving(1 << 15, 80'000, rows[0]);
  EXPECT_EQ(threads_at(rows, 80'000), 512) << "its own range reaches beyond the breakpoint";
  EXPECT_EQ(threads_at(rows, 80'001), -1);
}

// Databases of before there were ranges hold records of every other octave.
TEST(Breakpoint, LeavesRecordsOfASparseGridTheirOctaves) {
  const std::vector rows{with_breakpoint(row_with("lookback", 1 << 16, "block_threads", 512), 1 << 18, 100'000),
                         row_with("lookback", 1 << 18, "block_threads", 128)};
  EXPECT_EQ(threads_at(rows, 1 << 16), 512);
  for (const u64 n : {(1 << 16) + 1, 99'999, 100'000, 1 << 17}) EXPECT_EQ(threads_at(rows, n), -1) << n;
  EXPECT_EQ(threads_at(rows, (1 << 17) + 1), 128);
}

TEST(Breakpoint, LetsARecordServeFarBeyondItsOctaveWhereTheNextOneWould) {
  const std::vector rows{with_breakpoint(row_of("single_block", 1 << 12), 1 << 17, 100'000),
                         serving(1 << 12, 1 << 17, row_of("three_phase", 1 << 17))};
  for (const u64 n : {u64{4097}, u64{17'000}, u64{99'999}})
    EXPECT_STREQ(select_from(rows, sum_of(n)).config.family().name(), "single_block") << n;
  EXPECT_STREQ(select_from(rows, sum_of(100'000)).config.family().name(), "three_phase");
  EXPECT_STREQ(select_from({rows[1]}, sum_of(4097)).config.family().name(), "three_phase") << "without the other";
}

TEST(Breakpoint, ThatMeetsAnotherLeavesTheRecordBetweenThemWhatIsBetween) {
  auto rows = rows_around(70'000);
  rows[1] = with_breakpoint(rows[1], 1 << 18, 200'000);
  rows.push_back(row_with("lookback", 1 << 18, "block_threads", 384));
  expect_switch(rows, 70'000);
  EXPECT_EQ(threads_at(rows, 199'999), 128);
  EXPECT_EQ(threads_at(rows, 200'000), 384);
}

TEST(Breakpoint, OfOneDatabaseSaysNothingOfRecordsOfAnother) {
  auto rows = rows_around(120'000);
  for (RecordRow& row : rows) row.layer = Layer::project;
  RecordRow users = rows[1];
  users.layer = Layer::user;
  users.database = "another.db";
  rows.push_back(users);
  EXPECT_EQ(threads_at(rows, 65'537), 128) << "the user's, of its own octave";
  EXPECT_EQ(threads_at({rows[0], users}, 65'537), 128);
  EXPECT_EQ(threads_at({rows[0], rows[1]}, 65'537), 512);
}

TEST(Breakpoint, OfBuiltInRecordsHoldsToo) {
  auto rows = rows_around(120'000);
  for (RecordRow& row : rows) row = built_in(row);
  expect_switch(rows, 120'000);
}

TEST(Breakpoint, HoldsForOtherOperatorsToo) {
  ScanRequest request = sum_of(100'000);
  request.op = Operator::max;
  const auto selection = select_from(rows_around(120'000), request);
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

}  // namespace
}  // namespace scantune
