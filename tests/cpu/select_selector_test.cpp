// Selection by N, latency, device, operator, types and guarantees.
#include "families_under_test.h"
#include "select_selection.h"

#include <gtest/gtest.h>

#include <utility>

#include "scan/config/tile.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using testing::custom_row;
using testing::everywhere;
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

TEST(Rule3, TakesTheRecordWhoseRangeHoldsN) {
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512),
                         row_with("lookback", 1 << 17, "block_threads", 128)};
  const struct {
    u64 n;
    ConfigOrigin origin;
    u64 of;  // n of the record that serves
  } kCases[] = {{(1 << 15) - 1, ConfigOrigin::untuned, 0},         {1 << 15, ConfigOrigin::untuned, 0},
                {(1 << 15) + 1, ConfigOrigin::between_n, 1 << 16}, {1 << 16, ConfigOrigin::exact_n, 1 << 16},
                {(1 << 16) + 1, ConfigOrigin::between_n, 1 << 17}, {100'000, ConfigOrigin::between_n, 1 << 17},
                {1 << 17, ConfigOrigin::exact_n, 1 << 17},         {(1 << 17) + 1, ConfigOrigin::untuned, 0}};
  for (const auto& [n, origin, of] : kCases) {
    const auto selection = select_from(rows, sum_of(n));
    EXPECT_EQ(selection.origin, origin) << n << ": " << selection.reason;
    EXPECT_EQ(selection.record ? selection.record->request.n : 0, of) << n << ": " << selection.reason;
  }
}

TEST(Rule3, SaysWhichRangeItIs) {
  const std::vector rows{row_of("lookback", 1 << 20)};
  for (const u64 n : {u64{600'000}, u64{1} << 20})
    EXPECT_EQ(select_from(rows, sum_of(n)).reason,
              "tuned for n = 1048576, which serves 524289 to 1048576 items, on this device");
  EXPECT_TRUE(select_from(rows, sum_of(1 << 19)).reason.starts_with("no tuning record serves"));
}

TEST(Rule10, TakesTheNearestNInLogNOfTwoThatServe) {
  const std::vector rows{everywhere(row_with("lookback", 1 << 16, "block_threads", 512)),
                         everywhere(row_with("lookback", 1 << 18, "block_threads", 128))};
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
  const std::vector rows{row_of_rows(1 << 16, R"({"row_items":10})", 128), row_of("lookback", 1 << 16)};
  EXPECT_STREQ(select_from(rows, sum_of(1 << 16)).config.family().name(), "lookback");
  EXPECT_STREQ(select_from(rows, rows_of(1 << 16, 64)).config.family().name(), "scan_rows");
  EXPECT_EQ(select_from({rows[1]}, rows_of(1 << 16, 64)).origin, ConfigOrigin::untuned);
  EXPECT_EQ(select_from({rows[0]}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

TEST(Rule3, ServesRowsAboutAsLongAsThoseThatWereMeasured) {
  const std::vector rows{row_of_rows(1 << 16, R"({"row_items":8})", 64),
                         row_of_rows(3 << 14, R"({"row_items":7.5})", 512)};
  for (const auto& [items, block_threads] : {std::pair(256, 64), {240, 64}, {287, 64}, {192, 512}, {188, 512}}) {
    const u64 length = static_cast<u64>(items);
    const auto selection = select_from(rows, rows_of(40'000 / length * length, 40'000 / length));
    EXPECT_EQ(selection.origin, ConfigOrigin::between_n) << items;
    EXPECT_EQ(value_of(selection.config, "block_threads"), block_threads) << items;
  }
  for (const u64 length : {128, 160, 320, 512})
    EXPECT_EQ(select_from(rows, rows_of(40'000 / length * length, 40'000 / length)).origin, ConfigOrigin::untuned)
        << length;
}

RecordRow row_of_short_rows(std::int64_t n, const char* shape, const char* config) {
  RecordRow row = row_of_rows(n, shape, 64);
  row.family = "scan_short_rows";
  row.config = canonical_parameters(parse_config("scan_short_rows", config));
  row.template_hash = template_hash(*find_family("scan_short_rows"), false, 90);
  return row;
}

// A config that is for the rows at hand may be for none as long as their class says: 200 items are whole runs of 8, and
// 180 are not; nor do rows of 1279 items fit a tile if they have 1280.
TEST(Rule2, KeepsARecordWhoseConfigIsForTheRowsThatWereTuned) {
  const RecordRow runs = row_of_short_rows(6000, R"({"row_items":7.5})", R"({"block_threads": 64, "items_per_thread": 8,
      "whole_runs": 1, "load_hint": "normal", "store_hint": "normal", "pdl": 1})");
  EXPECT_EQ(select_from({runs}, rows_of(6000, 30)).origin, ConfigOrigin::exact_n);
  EXPECT_EQ(select_from({runs}, rows_of(5940, 33)).origin, ConfigOrigin::untuned) << "180 items are no whole runs";
  const RecordRow full =
      row_of_short_rows(57'600, R"({"row_items":10.25})", R"({"block_threads": 256, "items_per_thread": 5,
      "whole_runs": 0, "load_hint": "normal", "store_hint": "normal", "pdl": 1})");
  EXPECT_EQ(select_from({full}, rows_of(57'600, 45)).origin, ConfigOrigin::exact_n);
}

// Rows are kept by their class: n need be no multiple of that, nor as much.
TEST(Rule3, ServesRowsWhoseClassDoesNotDivideN) {
  const auto selection = select_from({row_of_rows(1000, R"({"row_items":10})", 64)}, rows_of(1000, 1));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 64);
}

TEST(Rule1, TakesTheRecordOfTheLatencyThatWasAskedFor) {
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512),
                         isolated(row_with("lookback", 1 << 16, "block_threads", 128))};
  EXPECT_EQ(value_of(select_from(rows, sum_of(1 << 16)).config, "block_threads"), 512);
  EXPECT_EQ(value_of(select_from(rows, isolated_sum_of(1 << 16)).config, "block_threads"), 128);
}

// A launch that starts early costs time between ordinary kernels.
TEST(Rule1, KeepsOutARecordOfTheOtherLatency) {
  const auto row = row_with("lookback", 1 << 16, "block_threads", 512);
  EXPECT_EQ(select_from({row}, isolated_sum_of(1 << 16)).origin, ConfigOrigin::untuned);
  EXPECT_EQ(select_from({isolated(row)}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

TEST(Rule2, PassesOverANearerRecordWhoseFamilyCannotScanThisN) {
  const auto selection =
      select_from({everywhere(row_of("single_block", 1 << 17)), row_of("lookback", 1 << 18)}, sum_of(150'000));
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_STREQ(selection.config.family().name(), "lookback");
}

// A row of the default config of its own request.
RecordRow row_of_default(std::int64_t n) {
  return row_of(default_config(sum_of(static_cast<u64>(n)), 90).family().name(), n);
}

TEST(Rule11, TakesADefaultThatWonForADefaultThatIsGood) {
  const std::int64_t n = std::int64_t{1} << 22;
  const RecordRow won = row_of_default(n);
  ASSERT_EQ(select_from({won}, sum_of(u64{1} << 22)).config, default_config(sum_of(u64{1} << 22), 90));
  for (const u64 other : {u64{1000}, u64{1} << 16, (u64{1} << 22) - 1, u64{1} << 30}) {
    const auto selection = select_from({everywhere(won)}, sum_of(other));
    EXPECT_EQ(selection.config, default_config(sum_of(other), 90)) << other;
    EXPECT_EQ(selection.origin, ConfigOrigin::between_n) << other;
    EXPECT_EQ(contains(selection.reason, "; the default won there, so this n has its own default"),
              selection.config != selection.record->config)
        << selection.reason;
  }
  EXPECT_NE(default_config(sum_of(1000), 90), select_from({won}, sum_of(u64{1} << 22)).config) << "nothing was shown";
}

TEST(Rule11, KeepsAConfigThatBeatTheDefault) {
  const std::string preferred = default_config(sum_of(u64{1} << 22), 90).family().name();
  const RecordRow other_family = row_of(preferred == "lookback" ? "three_phase" : "lookback", 1 << 22);
  for (const RecordRow& beat : {row_with("pipelined", 1 << 22, "poll_distance", 1), other_family}) {
    const auto selection = select_from({everywhere(beat)}, sum_of(u64{1} << 30));
    EXPECT_EQ(selection.config, parse_config(beat.family, beat.config)) << selection.reason;
    EXPECT_FALSE(contains(selection.reason, "the default won there")) << selection.reason;
  }
}

TEST(Rule11, GivesAnotherOperatorItsOwnDefault) {
  const u64 held = kBytesAllSmsHold / 2;  // packed sums of i16; exclusive maxima are held in words, half as many
  ScanRequest request = sum_of(held);
  request.input_type = request.output_type = ValueType::i16;
  const Config of_sum = default_config(request, 90);
  RecordRow sum = row_of(of_sum.family().name(), static_cast<std::int64_t>(held));
  testing::state(sum, {"input_type", "output_type"}, "i16");
  sum.config = canonical_parameters(of_sum);
  EXPECT_EQ(select_from({sum}, request).config, of_sum);
  request.op = Operator::max;
  request.kind = Kind::exclusive;
  request.init = Init::value;
  ASSERT_NE(default_config(request, 90), of_sum);
  const auto selection = select_from({sum}, request);
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(selection.config, default_config(request, 90));
}

// A row of any algorithm.
RecordRow row_of_request(const Request& request, const Config& config) {
  RecordRow row = row_of("lookback", static_cast<std::int64_t>(request.n));
  row.algorithm = request.algorithm().name();
  row.request = canonical_request({request, {}});
  row.shape = canonical_shape(request);
  row.family = config.family().name();
  row.config = canonical_parameters(config);
  row.template_hash = template_hash(config.family(), false, 90);
  return row;
}

// 1000 columns are kept as 1024, which a record of 600 items cannot have.
TEST(Rule11, KnowsNoDefaultWhereTheShapeOfARecordIsOneThatNobodySupports) {
  const ScanRequest request{.segments = Segments::columns, .n = 1500, .columns = 1000};
  ASSERT_THROW(default_config(ScanRequest{.segments = Segments::columns, .n = 600, .columns = 1024}, 90), RequestError);
  const Config config = default_config(request, 90);
  RecordRow row = row_of_request(request, config);
  row.n = 600;
  row.served_above = 599;
  row.served_up_to = 2000;
  const Selection selection = select(TuningTable(std::vector{row}), kH200, request);
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(selection.config, config);
}

TEST(Rule6, UsesTheRecordOfAnotherOperatorOfTheSameTypes) {
  ScanRequest request = sum_of(1 << 16);
  request.op = Operator::max;
  const auto selection = select_from({row_with("lookback", 1 << 16, "block_threads", 512)}, request);
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "sum of the same types")) << selection.reason;
}

TEST(Rule6, PrefersAnotherNOfTheSameOperatorToAnotherOperator) {
  ScanRequest request = sum_of(1 << 16);
  request.op = Operator::max;
  RecordRow max = everywhere(row_with("lookback", 1 << 17, "block_threads", 128));
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

TEST(Rule4, TellsTwoDevicesOfOneArchitectureAndSmCountApart) {
  RecordRow h100 = row_of("lookback", 1 << 16);
  h100.device_name = "NVIDIA H100";
  EXPECT_EQ(select_from({h100}, sum_of(1 << 16)).origin, ConfigOrigin::other_device);
}

TEST(Rule4, HidesASisterDevicesRecordWhereOnesOwnServesAndNowhereElse) {
  RecordRow sister = row_with("lookback", 1 << 18, "block_threads", 128);
  sister.device_name = "NVIDIA H100";
  const std::vector rows{everywhere(sister), row_with("lookback", 1 << 16, "block_threads", 512)};
  for (const auto& [n, origin] : {std::pair(1 << 15, ConfigOrigin::other_device),
                                  {(1 << 15) + 1, ConfigOrigin::between_n},
                                  {1 << 16, ConfigOrigin::exact_n},
                                  {(1 << 16) + 1, ConfigOrigin::other_device},
                                  {1 << 18, ConfigOrigin::other_device}})
    EXPECT_EQ(select_from(rows, sum_of(static_cast<u64>(n))).origin, origin) << n;
}

TEST(Selector, UsesNothingFromAnotherArchitecture) {
  RecordRow a100 = row_with("lookback", 1 << 16, "pdl", 0);
  a100.arch = "sm_80";
  EXPECT_EQ(TuningTable(std::vector{a100}).records().size(), 1u);
  EXPECT_EQ(select_from({a100}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

TEST(Rule5, UsesTheRecordOfOtherTypesOfTheSameSizes) {
  const auto selection =
      select_from({row_with("lookback", 1 << 16, "block_threads", 512)}, of_type(sum_of(1 << 16), ValueType::f32));
  EXPECT_EQ(selection.origin, ConfigOrigin::other_types);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason,
                       "tuned for i32 sum, types of the same sizes, and n = 65536, which serves 32769 to "
                       "65536 items, on this device"))
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

TEST(Rule5, PrefersAnotherOperatorOfTheSameTypesToOtherTypes) {
  RecordRow max = everywhere(row_with("lookback", 1 << 17, "block_threads", 128));
  testing::state(max, {"op"}, "max");
  const auto selection =
      select_from({of_type(row_with("lookback", 1 << 16, "block_threads", 512), "u32"), max}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Rule5, LetsOtherTypesServeWhereThoseOfTheRequestDoNotReach) {
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512),
                         of_type(everywhere(row_with("lookback", 1 << 16, "block_threads", 128)), "u32")};
  for (const auto& [n, origin] : {std::pair(1 << 15, ConfigOrigin::other_types),
                                  {(1 << 15) + 1, ConfigOrigin::between_n},
                                  {1 << 16, ConfigOrigin::exact_n},
                                  {(1 << 16) + 1, ConfigOrigin::other_types}})
    EXPECT_EQ(select_from(rows, sum_of(static_cast<u64>(n))).origin, origin) << n;
}

TEST(Rule5, PrefersIntegersForIntegersAmongOtherTypes) {
  const auto selection = select_from({of_type(row_with("lookback", 1 << 16, "block_threads", 512), "f32"),
                                      everywhere(of_type(row_with("lookback", 1 << 17, "block_threads", 128), "u32"))},
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
  RecordRow fixed =
      everywhere(row_with("three_phase", 1 << 17, "layout", static_cast<int>(TileLayout::warp_transposed)));
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

TEST(Rule6, UsesARecordOfSumForEveryOperatorOfTheSameTypes) {
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
  RecordRow under = everywhere(row_with("lookback", 1 << 17, "block_threads", 128));
  testing::state(under, {"determinism"}, "run_to_run");
  ScanRequest request = sum_of(1 << 16);
  request.determinism = Determinism::run_to_run;
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512), under};
  EXPECT_EQ(value_of(select_from(rows, request).config, "block_threads"), 128);
}

TEST(Rule1, DoesNotGiveAFreeRequestARecordTunedUnderAGuarantee) {
  RecordRow fixed = row_of("three_phase", 1 << 16);
  testing::state(fixed, {"determinism"}, "run_to_run");
  EXPECT_EQ(select_from({fixed}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

// How a request is served by one record, which was tuned for another in the same family.
ConfigOrigin origin_by_record_of(const Request& recorded, const Request& wanted, const char* family) {
  const Config config = find_family(family)->default_config(recorded, 90);
  return select(TuningTable(std::vector{row_of_request(recorded, config)}), kH200, wanted).origin;
}

TEST(Rule1, GivesNoReductionWithAPositionARecordWithoutOneNorTheOtherWayRound) {
  const ReduceRequest minimum{.op = Operator::min, .n = 1 << 16};
  ReduceRequest position = minimum;
  position.position = Position::first;
  position.init = Init::none;
  const auto origin = [](const ReduceRequest& recorded, const ReduceRequest& wanted) {
    return origin_by_record_of(recorded, wanted, "reduce_two_pass");
  };
  EXPECT_EQ(origin(minimum, minimum), ConfigOrigin::exact_n);
  EXPECT_EQ(origin(position, position), ConfigOrigin::exact_n);
  EXPECT_EQ(origin(position, minimum), ConfigOrigin::untuned);
  EXPECT_EQ(origin(minimum, position), ConfigOrigin::untuned);
}

TEST(Rule1, KeepsSelectionsByFlagsFromOthers) {
  const auto origin = [](Criterion recorded, Criterion wanted) {
    return origin_by_record_of(SelectRequest{.criterion = recorded, .n = 1 << 16},
                               SelectRequest{.criterion = wanted, .n = 1 << 16}, "select_lookback");
  };
  EXPECT_EQ(origin(Criterion::flagged, Criterion::flagged), ConfigOrigin::exact_n);
  EXPECT_EQ(origin(Criterion::not_equal, Criterion::unique), ConfigOrigin::exact_n);
  EXPECT_EQ(origin(Criterion::not_equal, Criterion::flagged), ConfigOrigin::untuned);
  EXPECT_EQ(origin(Criterion::flagged, Criterion::unique), ConfigOrigin::untuned);
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
                         everywhere(row_with("lookback", 80'000, "block_threads", 512)),
                         everywhere(row_with("lookback", 1 << 17, "block_threads", 128))};
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
  int takers = 0;
  for (const FamilyModel* family : algorithm_of<CopyRequest>().families())
    takers += family->unsupported_reason(copy, 90) == nullptr ? 1 : 0;
  ASSERT_EQ(takers, 1);
  EXPECT_FALSE(runner_up(TuningTable(), kH200, copy).has_value());
}

}  // namespace
}  // namespace scantune
