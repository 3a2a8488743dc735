// Selection by N, latency, device, operator, types and guarantees.
#include "families_under_test.h"
#include "select_selection.h"

#include <gtest/gtest.h>

#include "scan/config/tile.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using testing::contains;
using testing::custom_row;
using testing::isolated;
using testing::isolated_sum_of;
using testing::kH200;
using testing::of_type;
using testing::row_of;
using testing::row_with;
using testing::select_custom;
using testing::select_from;
using testing::sum_of;
using testing::value_of;

TEST(Rule9, TakesTheRecordOfExactlyThisN) {
  const auto selection = select_from(
      {row_with("lookback", 65536, "block_threads", 512), row_with("lookback", 131072, "block_threads", 128)},
      sum_of(131072));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_EQ(selection.record->request.n, 131072u);
}

TEST(Rule9, FallsBackToNearestNWhenNIsUnknown) {
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512),
                         row_with("lookback", 1 << 18, "block_threads", 128)};
  const auto low = select_from(rows, sum_of(125'000));
  EXPECT_EQ(low.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(low.config, "block_threads"), 512) << "nearer in log2, although not in n";
  const auto high = select_from(rows, sum_of(140'000));
  EXPECT_EQ(value_of(high.config, "block_threads"), 128);
  EXPECT_TRUE(contains(high.reason, "n = 262144")) << high.reason;
}

ScanRequest rows_of(u64 n, u64 rows) { return {.segments = Segments::rows, .n = n, .rows = rows}; }

RecordRow row_of_rows(std::int64_t n, const char* shape, int block_threads) {
  RecordRow row = row_with("scan_rows", n, "block_threads", block_threads);
  testing::state(row, {"segments"}, "rows");
  row.shape = shape;
  return row;
}

TEST(Rule2, KeepsRowsFromOneSequenceAndTheOtherWayRound) {
  const std::vector rows{row_of_rows(1 << 16, R"({"rows":6})", 128), row_of("lookback", 1 << 16)};
  EXPECT_STREQ(select_from(rows, sum_of(1 << 16)).config.family().name(), "lookback");
  EXPECT_STREQ(select_from(rows, rows_of(1 << 16, 64)).config.family().name(), "scan_rows");
  EXPECT_EQ(select_from({rows[1]}, rows_of(1 << 16, 64)).origin, ConfigOrigin::untuned);
  EXPECT_EQ(select_from({rows[0]}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

TEST(Rule9, TakesTheRecordOfTheNearestNumberOfRows) {
  const std::vector rows{row_of_rows(1 << 16, R"({"rows":4})", 64), row_of_rows(1 << 16, R"({"rows":8})", 512)};
  const auto exact = select_from(rows, rows_of(1 << 16, 256));
  EXPECT_EQ(exact.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(exact.config, "block_threads"), 512);
  const auto few = select_from(rows, rows_of(1 << 16, 32));
  EXPECT_EQ(value_of(few.config, "block_threads"), 64);
  EXPECT_TRUE(contains(few.reason, "tuned for about 16 rows")) << few.reason;
}

RecordRow row_of_short_rows(std::int64_t n, const char* shape, const char* config) {
  RecordRow row = row_of_rows(n, shape, 64);
  row.family = "scan_short_rows";
  row.config = canonical_parameters(parse_config("scan_short_rows", config));
  row.template_hash = template_hash(*find_family("scan_short_rows"), false, 90);
  return row;
}

// A config that is for the rows at hand may be for none of as many as their magnitude says: 30 rows of 200 items are
// whole runs of 8, and 32 rows of 6000 items in all are not; nor do 45 rows of 1280 items fit a tile if they are 32.
TEST(Rule9, KeepsARecordWhoseConfigIsForTheRowsThatWereTuned) {
  const RecordRow runs = row_of_short_rows(6000, R"({"rows":5})", R"({"block_threads": 64, "items_per_thread": 8,
      "whole_runs": 1, "load_hint": "normal", "store_hint": "normal", "pdl": 1})");
  EXPECT_EQ(select_from({runs}, rows_of(6000, 30)).origin, ConfigOrigin::exact_n);
  EXPECT_EQ(select_from({runs}, rows_of(6001, 17)).origin, ConfigOrigin::untuned) << "353 items are no whole runs";
  const RecordRow full = row_of_short_rows(57'600, R"({"rows":5})", R"({"block_threads": 256, "items_per_thread": 5,
      "whole_runs": 0, "load_hint": "normal", "store_hint": "normal", "pdl": 1})");
  EXPECT_EQ(select_from({full}, rows_of(57'600, 45)).origin, ConfigOrigin::exact_n);
}

// Rows are kept by their magnitude: n need be no multiple of that, nor as much.
TEST(Rule9, ServesRowsWhoseMagnitudeDoesNotDivideN) {
  const auto selection = select_from({row_of_rows(1000, R"({"rows":10})", 64)}, rows_of(1000, 1000));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 64);
}

TEST(Rule13, LeavesARecordToWhatOneTileOrOneClusterHolds) {
  const std::vector one_tile{row_of("single_block", 256), row_of("single_block", 512)};
  const auto two_tiles = select_from(one_tile, sum_of(300));
  EXPECT_EQ(two_tiles.record->request.n, 512u) << "though the other is nearer: " << two_tiles.reason;
  EXPECT_EQ(select_from(one_tile, sum_of(200)).record->request.n, 256u);
  EXPECT_EQ(select_from({one_tile[0]}, sum_of(300)).origin, ConfigOrigin::untuned);

  const std::vector one_cluster{row_of("one_shot", 1 << 15), row_of("one_shot", 1 << 16)};
  ASSERT_GT(value_of(parse_config(one_cluster[0].family, one_cluster[0].config), "cluster_blocks"), 1);
  EXPECT_EQ(select_from(one_cluster, sum_of(40'000)).record->request.n, 1u << 16);
  EXPECT_EQ(select_from(one_cluster, sum_of(30'000)).record->request.n, 1u << 15);
}

TEST(Rule14, PutsNothingFarInThePlaceOfARecordThatOneClusterHeld) {
  const RecordRow near = row_of("one_shot", 1 << 15), far = row_with("one_shot", 1 << 20, "poll_warps", 2);
  ASSERT_GT(value_of(parse_config(near.family, near.config), "cluster_blocks"), 1);
  EXPECT_EQ(select_from({far}, sum_of(33'000)).origin, ConfigOrigin::between_n);
  const auto both = select_from({near, far}, sum_of(33'000));
  EXPECT_EQ(both.origin, ConfigOrigin::untuned) << "a record five octaves away knows no better: " << both.reason;
}

TEST(Rule7, TakesTheRecordOfTheLatencyThatWasAskedFor) {
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512),
                         isolated(row_with("lookback", 1 << 16, "block_threads", 128))};
  EXPECT_EQ(value_of(select_from(rows, sum_of(1 << 16)).config, "block_threads"), 512);
  EXPECT_EQ(value_of(select_from(rows, isolated_sum_of(1 << 16)).config, "block_threads"), 128);
}

TEST(Rule7, UsesARecordOfTheOtherLatencyWhereThereIsNoneAndSaysSo) {
  const auto selection = select_from({row_with("lookback", 1 << 16, "block_threads", 512)}, isolated_sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "tuned for back_to_back latency, for want of a record of isolated latency"))
      << selection.reason;
}

TEST(Rule7, PrefersARecordOfTheLatencyWithinAnOctaveToOneOfTheOtherAndThisN) {
  const RecordRow other = row_with("lookback", 1 << 16, "block_threads", 512);
  const auto near =
      select_from({other, isolated(row_with("lookback", 1 << 15, "block_threads", 128))}, isolated_sum_of(1 << 16));
  EXPECT_EQ(value_of(near.config, "block_threads"), 128);
  const auto far =
      select_from({other, isolated(row_with("lookback", 1 << 14, "block_threads", 128))}, isolated_sum_of(1 << 16));
  EXPECT_EQ(value_of(far.config, "block_threads"), 512);
}

TEST(Rule7, PutsTheLatencyFirstWithinAnOctaveOnlyForOtherOperatorsAndDevicesToo) {
  ScanRequest max = isolated_sum_of(1 << 26);
  max.op = Operator::max;
  const DeviceIdentity other_device{"sm_90", 90, "NVIDIA H100", 114};
  const RecordRow back_to_back = row_with("lookback", 1 << 26, "block_threads", 512);
  const auto isolated_at = [](std::int64_t n) { return isolated(row_with("lookback", n, "block_threads", 128)); };
  for (const DeviceIdentity& device : {kH200, other_device}) {
    const auto far = select_from({isolated_at(1 << 14), back_to_back}, max, device);
    EXPECT_EQ(value_of(far.config, "block_threads"), 512) << device.name << ": " << far.reason;
    const auto near = select_from({isolated_at(1 << 25), back_to_back}, max, device);
    EXPECT_EQ(value_of(near.config, "block_threads"), 128) << device.name << ": " << near.reason;
  }
}

TEST(Rule2, PassesOverANearerRecordWhoseFamilyCannotScanThisN) {
  const auto selection = select_from({row_of("single_block", 1 << 17), row_of("lookback", 1 << 18)}, sum_of(150'000));
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_STREQ(selection.config.family().name(), "lookback");
}

TEST(Rule12, DoesNotStretchALastResortFarBeyondWhereItWon) {
  const auto near = select_from({row_of("single_block", 1 << 15)}, sum_of(1 << 16));
  EXPECT_EQ(near.origin, ConfigOrigin::between_n);
  const auto far = select_from({row_of("single_block", 1 << 10)}, sum_of(1 << 16));
  EXPECT_EQ(far.origin, ConfigOrigin::untuned);
}

TEST(Rule12, DoesNotStretchAFamilyBeyondAnOctaveToWhereTheDefaultsIsPreferred) {
  const std::vector rows{row_of("three_phase", 1 << 22)};
  EXPECT_EQ(select_from(rows, sum_of(1 << 21)).origin, ConfigOrigin::between_n);
  for (const u64 n : {u64{1000}, u64{1} << 16, u64{1} << 20, u64{1} << 28}) {
    const auto selection = select_from(rows, sum_of(n));
    EXPECT_EQ(selection.origin, ConfigOrigin::untuned) << n;
    EXPECT_EQ(selection.config, default_config(sum_of(n), 90)) << n;
  }
}

constexpr u64 kHeld = kBytesAllSmsHold / 4;  // sums of i32 for which one_shot is preferred; beyond, pipelined is

std::string family_of(const Selection& selection) { return selection.config.family().name(); }

TEST(Rule12, LeavesARecordWhereAFamilyTakesOverThatDidNotLoseToIt) {
  const auto at_held = row_of("one_shot", kHeld), beyond = row_of("pipelined", 2 * kHeld);
  EXPECT_EQ(family_of(select_from({at_held}, sum_of(kHeld * 3 / 4))), "one_shot");
  const auto left = select_from({at_held}, sum_of(kHeld * 3 / 2));
  EXPECT_EQ(family_of(left), "pipelined");
  EXPECT_EQ(left.origin, ConfigOrigin::untuned);
  EXPECT_EQ(family_of(select_from({beyond}, sum_of(kHeld))), "one_shot");
  EXPECT_EQ(family_of(select_from({row_of("one_shot", 2 * kHeld)}, sum_of(kHeld * 3))), "one_shot") << "it won there";

  const auto between = select_from({at_held, beyond}, sum_of(kHeld * 5 / 4));
  EXPECT_EQ(between.record->request.n, 2 * kHeld) << "though the other is nearer: " << between.reason;
  const auto far = select_from({at_held, row_with("pipelined", 4 * kHeld, "poll_distance", 1)}, sum_of(kHeld * 3 / 2));
  EXPECT_EQ(far.record->request.n, 4 * kHeld) << "a record of the family that takes over: " << far.reason;
}

TEST(Rule12, KeepsARecordWhereItsFamilyIsNoLongerPreferredAndNoneTakesOver) {
  RecordRow row = row_of("one_shot", kHeld);
  row.arch = "sm_80";
  row.config = canonical_parameters(find_family("one_shot")->default_config(sum_of(kHeld), 80));
  const DeviceIdentity without_pipelined{"sm_80", 80, kH200.name, kH200.sm_count};
  EXPECT_EQ(family_of(select_from({row}, sum_of(kHeld * 3 / 2), without_pipelined)), "one_shot");

  ScanRequest request = of_type(sum_of(kHeld), ValueType::f32);
  request.determinism = Determinism::run_to_run;
  RecordRow exact = of_type(row_of("one_shot", kHeld), "f32");
  testing::state(exact, {"determinism"}, "run_to_run");
  exact.config = canonical_parameters(find_family("one_shot")->default_config(request, 90));
  request.n = kHeld * 3 / 2;
  EXPECT_EQ(family_of(select_from({exact}, request)), "one_shot") << "three_phase reads everything twice";
}

TEST(Rule12, JudgesARecordOfAnotherOperatorByItsOwnProblem) {
  const u64 held = kBytesAllSmsHold / 2;  // packed sums of i16; exclusive maxima are held in words, half as many
  RecordRow sum = row_of("one_shot", held);
  testing::state(sum, {"input_type", "output_type"}, "i16");
  RecordRow smaller = sum;
  smaller.n /= 2;
  ScanRequest maximum = sum_of(held * 3 / 2);
  maximum.input_type = maximum.output_type = ValueType::i16;
  maximum.op = Operator::max;
  maximum.kind = Kind::exclusive;
  maximum.init = Init::value;
  EXPECT_EQ(family_of(select_from({sum}, maximum)), "pipelined");
  maximum.n = held * 3 / 4;
  EXPECT_EQ(family_of(select_from({smaller, sum}, maximum)), "pipelined") << "both sums won as the rule has it";
}

TEST(Rule12, KeepsARecordWhereAnotherFamilyIsPreferredAsMuchAsAtItsN) {
  const auto room_for_more = row_with("single_block", 2048, "block_threads", 1024);
  EXPECT_EQ(family_of(select_from({room_for_more}, sum_of(3000))), "single_block");
}

TEST(Rule15, TakesADefaultThatWonFarAwayForADefaultThatIsGood) {
  const u64 n = u64{1} << 30;
  const Config own = find_family("pipelined")->default_config(sum_of(n), 90);
  const auto won = select_from({row_of("pipelined", 1 << 22)}, sum_of(n));
  EXPECT_NE(won.config, won.record->config) << "more tiles are in flight where there is more to scan";
  EXPECT_EQ(won.config, own);
  EXPECT_EQ(won.origin, ConfigOrigin::between_n);
  EXPECT_TRUE(contains(won.reason, "the default won there")) << won.reason;

  const auto beaten = select_from({row_with("pipelined", 1 << 22, "poll_distance", 1)}, sum_of(n));
  EXPECT_EQ(value_of(beaten.config, "poll_distance"), 1);
}

TEST(Rule5, UsesTheRecordOfAnotherOperatorOfTheSameTypes) {
  ScanRequest request = sum_of(1 << 16);
  request.op = Operator::max;
  const auto selection = select_from({row_with("lookback", 1 << 16, "block_threads", 512)}, request);
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "sum of the same types")) << selection.reason;
}

TEST(Rule5, PrefersAnotherNOfTheSameOperatorToAnotherOperator) {
  ScanRequest request = sum_of(1 << 16);
  request.op = Operator::max;
  RecordRow max = row_with("lookback", 1 << 17, "block_threads", 128);
  testing::state(max, {"op"}, "max");
  const auto selection = select_from({row_with("lookback", 1 << 16, "block_threads", 512), max}, request);
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Rule8, UsesTheDeviceOfTheSameArchitectureNearestInSmCount) {
  RecordRow large = row_with("lookback", 1 << 16, "block_threads", 512);
  large.device_name = "NVIDIA H100";
  large.sm_count = 132;
  RecordRow small = row_with("lookback", 1 << 16, "block_threads", 128);
  small.device_name = "NVIDIA H100 PCIe";
  small.sm_count = 114;
  const DeviceIdentity asked{"sm_90", 90, "NVIDIA H20", 78};
  const auto selection = select_from({large, small}, sum_of(1 << 16), asked);
  EXPECT_EQ(selection.origin, ConfigOrigin::other_device);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_TRUE(contains(selection.reason, "NVIDIA H100 PCIe with 114 SMs")) << selection.reason;
}

TEST(Rule3, TellsTwoDevicesOfOneArchitectureAndSmCountApart) {
  RecordRow h100 = row_of("lookback", 1 << 16);
  h100.device_name = "NVIDIA H100";
  EXPECT_EQ(select_from({h100}, sum_of(1 << 16)).origin, ConfigOrigin::other_device);
}

TEST(Selector, UsesNothingFromAnotherArchitecture) {
  RecordRow a100 = row_with("lookback", 1 << 16, "pdl", 0);
  a100.arch = "sm_80";
  EXPECT_EQ(TuningTable(std::vector{a100}).records().size(), 1u);
  EXPECT_EQ(select_from({a100}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

TEST(Rule4, UsesTheRecordOfOtherTypesOfTheSameSizes) {
  const auto selection =
      select_from({row_with("lookback", 1 << 16, "block_threads", 512)}, of_type(sum_of(1 << 16), ValueType::f32));
  EXPECT_EQ(selection.origin, ConfigOrigin::other_types);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "tuned for i32 sum, types of the same sizes, and n = 65536 on this device"))
      << selection.reason;
}

TEST(Selector, NamesAllThreeTypesOfARecordOfOtherTypes) {
  RecordRow row = row_of("lookback", 1 << 16);
  testing::state(row, {"input_type"}, "u16");
  ScanRequest request = sum_of(1 << 16);
  request.input_type = ValueType::i16;
  const auto selection = select_from({row}, request);
  EXPECT_TRUE(contains(selection.reason, "tuned for u16 to i32 in i32 sum, types of the same sizes"))
      << selection.reason;
}

TEST(Rule4, PrefersAnotherOperatorOfTheSameTypesToOtherTypes) {
  RecordRow max = row_with("lookback", 1 << 17, "block_threads", 128);
  testing::state(max, {"op"}, "max");
  const auto selection =
      select_from({of_type(row_with("lookback", 1 << 16, "block_threads", 512), "u32"), max}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Rule4, PrefersIntegersForIntegersAmongOtherTypes) {
  const auto selection = select_from({of_type(row_with("lookback", 1 << 16, "block_threads", 512), "f32"),
                                      of_type(row_with("lookback", 1 << 17, "block_threads", 128), "u32")},
                                     sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::other_types);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Selector, UsesNothingFromTypesOfOtherSizes) {
  RecordRow wide_input = row_of("lookback", 1 << 16), narrow = wide_input;
  testing::state(wide_input, {"input_type"}, "i64");
  testing::state(narrow, {"input_type", "output_type"}, "i16");
  for (const RecordRow& row : {of_type(row_of("lookback", 1 << 16), "i64"), wide_input, narrow}) {
    ASSERT_EQ(TuningTable(std::vector{row}).records().size(), 1u);
    EXPECT_EQ(select_from({row}, sum_of(1 << 16)).origin, ConfigOrigin::untuned) << row.request;
  }
}

TEST(Selector, UsesNothingFromAStructOfTheSameSize) {
  ASSERT_EQ(select_custom({custom_row(8, "custom_moderate", 1 << 16)}, "").origin, ConfigOrigin::exact_n);
  const ScanRequest request = of_type(sum_of(1 << 16), ValueType::i64);
  EXPECT_EQ(select_from({custom_row(8, "custom_moderate", 1 << 16)}, request).origin, ConfigOrigin::untuned);
}

TEST(Selector, FallsBackToTheDefaultWithoutRecords) {
  const auto selection = select_from({}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::untuned);
  EXPECT_EQ(selection.config, default_config(sum_of(1 << 16), 90));
  EXPECT_FALSE(selection.record.has_value());
  EXPECT_TRUE(contains(selection.reason, "i32 inclusive sum of 65536 items on NVIDIA H200")) << selection.reason;
}

TEST(Selector, NamesTheOperatorThatNoRecordServes) {
  const auto selection = select_custom({}, "affine");
  EXPECT_TRUE(contains(selection.reason, "custom_moderate:affine")) << selection.reason;
}

TEST(Selector, UsesARecordOfOtherTemplatesAndSaysSo) {
  RecordRow stale = row_of("lookback", 1 << 16);
  EXPECT_FALSE(contains(select_from({stale}, sum_of(1 << 16)).reason, "other kernel templates"));
  stale.template_hash = "another";
  const auto selection = select_from({stale}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_TRUE(contains(selection.reason, "other kernel templates")) << selection.reason;
}

TEST(Selector, ServesExclusiveScansFromTheSameRecord) {
  ScanRequest request = sum_of(1 << 16);
  request.kind = Kind::exclusive;
  request.init = Init::value;
  EXPECT_EQ(select_from({row_of("lookback", 1 << 16)}, request).origin, ConfigOrigin::exact_n);
}

TEST(Rule2, GivesADeterministicRequestOnlyConfigsThatAreDeterministic) {
  ScanRequest request = sum_of(1 << 16);
  request.input_type = request.accumulator_type = request.output_type = ValueType::f32;
  request.determinism = Determinism::run_to_run;
  RecordRow fast = row_of("lookback", 1 << 16);
  // The only layout whose float sums associate alike for every alignment.
  RecordRow fixed = row_with("three_phase", 1 << 17, "layout", static_cast<int>(TileLayout::warp_transposed));
  for (RecordRow* row : {&fast, &fixed}) testing::state(*row, {"input_type", "accumulator_type", "output_type"}, "f32");
  EXPECT_EQ(select_from({fast}, request).origin, ConfigOrigin::untuned);
  const auto selection = select_from({fast, fixed}, request);
  EXPECT_STREQ(selection.config.family().name(), "three_phase");
  EXPECT_TRUE(contains(selection.reason, "guarantee")) << selection.reason;
}

TEST(Rule2, GivesADeterministicMinimumARecordOfAnyAssociation) {
  ScanRequest request = sum_of(1 << 16);
  request.input_type = request.accumulator_type = request.output_type = ValueType::f32;
  request.determinism = Determinism::run_to_run;
  RecordRow sum = row_of("lookback", 1 << 16);
  testing::state(sum, {"input_type", "accumulator_type", "output_type"}, "f32");
  for (const Operator op : {Operator::min, Operator::max}) {
    request.op = op;
    const auto selection = select_from({sum}, request);
    EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
    EXPECT_STREQ(selection.config.family().name(), "lookback");
  }
  for (const Operator op : {Operator::sum, Operator::product, Operator::custom_cheap}) {
    request.op = op;
    EXPECT_EQ(select_from({sum}, request).origin, ConfigOrigin::untuned) << token(op);
  }
}

TEST(Rule5, UsesARecordOfSumForEveryOperatorOfTheSameTypes) {
  for (const Operator op : {Operator::product, Operator::min, Operator::max, Operator::bit_and, Operator::bit_or,
                            Operator::bit_xor, Operator::custom_cheap, Operator::custom_expensive}) {
    ScanRequest request = sum_of(1 << 16);
    request.op = op;
    const auto selection = select_from({row_with("lookback", 1 << 16, "block_threads", 512)}, request);
    EXPECT_EQ(selection.origin, ConfigOrigin::other_operator) << token(op);
    EXPECT_EQ(value_of(selection.config, "block_threads"), 512) << token(op);
  }
}

TEST(Rule7, PrefersARecordTunedUnderTheGuaranteeThatIsAskedFor) {
  RecordRow under = row_with("lookback", 1 << 17, "block_threads", 128);
  testing::state(under, {"determinism"}, "run_to_run");
  ScanRequest request = sum_of(1 << 16);
  request.determinism = Determinism::run_to_run;
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512), under};
  EXPECT_EQ(value_of(select_from(rows, request).config, "block_threads"), 128);
}

TEST(Rule6, PrefersAnotherLatencyNearbyToTheOneAskedForFarAway) {
  const auto at = [](std::int64_t n) { return isolated(row_with("one_shot", n, "poll_warps", 2)); };
  const RecordRow other = row_with("one_shot", 1 << 20, "poll_warps", 1);
  EXPECT_EQ(value_of(select_from({at(1 << 19), other}, isolated_sum_of(1 << 20)).config, "poll_warps"), 2);
  EXPECT_EQ(value_of(select_from({at(1 << 18), other}, isolated_sum_of(1 << 20)).config, "poll_warps"), 1);
}

TEST(Rule1, DoesNotGiveAFreeRequestARecordTunedUnderAGuarantee) {
  RecordRow fixed = row_of("three_phase", 1 << 16);
  testing::state(fixed, {"determinism"}, "run_to_run");
  EXPECT_EQ(select_from({fixed}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

RecordRow row_of_reduction(const ReduceRequest& request, const Config& config) {
  RecordRow row = row_of("lookback", static_cast<std::int64_t>(request.n));
  row.algorithm = "reduce";
  row.request = canonical_request({request, {}});
  row.family = config.family().name();
  row.config = canonical_parameters(config);
  row.template_hash = template_hash(config.family(), false, 90);
  return row;
}

TEST(Rule1, GivesNoReductionWithAPositionARecordWithoutOneNorTheOtherWayRound) {
  const ReduceRequest minimum{.op = Operator::min, .n = 1 << 16};
  ReduceRequest position = minimum;
  position.position = Position::first;
  position.init = Init::none;
  const auto origin = [&](const ReduceRequest& recorded, const ReduceRequest& wanted) {
    const Config config = find_family("reduce_two_pass")->default_config(recorded, 90);
    return select(TuningTable(std::vector{row_of_reduction(recorded, config)}), kH200, wanted).origin;
  };
  EXPECT_EQ(origin(minimum, minimum), ConfigOrigin::exact_n);
  EXPECT_EQ(origin(position, position), ConfigOrigin::exact_n);
  EXPECT_EQ(origin(position, minimum), ConfigOrigin::untuned);
  EXPECT_EQ(origin(minimum, position), ConfigOrigin::untuned);
}

TEST(Rule13, LeavesARecordToWhatOneCtaReduces) {
  ReduceRequest request{.op = Operator::max, .n = 4096};
  const RecordRow row = row_of_reduction(request, parse_config("reduce_gather", R"({
      "block_threads": 128, "unroll": 8, "ctas_per_sm": 2, "deal": "shares", "load_hint": "normal", "pdl": 2})"));
  EXPECT_EQ(select(TuningTable(std::vector{row}), kH200, request).origin, ConfigOrigin::exact_n);
  request.n = 1 << 20;
  EXPECT_EQ(select(TuningTable(std::vector{row}), kH200, request).origin, ConfigOrigin::untuned);
}

TEST(Selector, RefusesARequestThatNoFamilySupports) {
  ScanRequest request = sum_of(1 << 16);
  request.accumulator_type = ValueType::i8;
  EXPECT_THROW(select_from({}, request), RequestError);
}

Selection next_of(std::vector<RecordRow> rows, u64 n) {
  const auto next = runner_up(TuningTable(rows), kH200, sum_of(n));
  EXPECT_TRUE(next.has_value());
  return next.value();
}

TEST(RunnerUp, IsTheConfigOfTheRecordThatComesNext) {
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512),
                         row_with("lookback", 80'000, "block_threads", 512),
                         row_with("lookback", 1 << 17, "block_threads", 128)};
  const auto next = next_of(rows, 1 << 16);
  EXPECT_EQ(value_of(next.config, "block_threads"), 128) << "the nearer record has the config that is selected";
  EXPECT_EQ(next.origin, ConfigOrigin::between_n);
  EXPECT_TRUE(contains(next.reason, "tuned for n = 131072")) << next.reason;
}

TEST(RunnerUp, IsTheDefaultWhereNoOtherRecordServes) {
  const auto next = next_of({row_with("lookback", 1 << 20, "block_threads", 512)}, 1 << 20);
  EXPECT_EQ(next.config, default_config(sum_of(1 << 20), 90));
  EXPECT_EQ(next.origin, ConfigOrigin::untuned);
  EXPECT_EQ(next.reason, "no other tuning record serves, so the default would");
}

TEST(RunnerUp, OfTheDefaultIsThatOfAnotherFamily) {
  const auto next = next_of({}, 1 << 20);
  EXPECT_NE(&next.config.family(), &default_config(sum_of(1 << 20), 90).family());
  EXPECT_EQ(reject_reason(next.config, sum_of(1 << 20), 90), nullptr);
  EXPECT_TRUE(contains(next.reason, std::string("the default of ") + next.config.family().name())) << next.reason;
  for (const FamilyModel* family : all_scan_families())
    if (family != &default_config(sum_of(1 << 20), 90).family() &&
        family->unsupported_reason(sum_of(1 << 20), 90) == nullptr) {
      EXPECT_LE(family->preference(sum_of(1 << 20), 90), next.config.family().preference(sum_of(1 << 20), 90));
    }
}

TEST(RunnerUp, IsMissingWhereOneFamilyIsAllThereIs) {
  CopyRequest copy;
  copy.n = 1 << 20;
  ASSERT_EQ(algorithm_of<CopyRequest>().families().size(), 1u);
  EXPECT_FALSE(runner_up(TuningTable(), kH200, copy).has_value());
}

}  // namespace
}  // namespace scantune
