#include "select/selector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "scantune/error.hpp"
#include "select_rows.h"

namespace scantune {
namespace {

using testing::custom_of;
using testing::custom_row;
using testing::kH200;
using testing::row_of;
using testing::row_with;
using testing::sum_of;
using ::testing::Test;
using testing::value_of;

Selection select_from(std::vector<RecordRow> rows, const ScanRequest& request, const DeviceIdentity& device = kH200) {
  return select(TuningTable(rows), device, request);
}

// For a custom operator of 8 bytes and moderate cost.
Selection select_custom(std::vector<RecordRow> rows, std::string_view name, u64 n = 1 << 16) {
  return select(TuningTable(rows), kH200, custom_of(8, Operator::custom_moderate, n), name);
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Selector, TakesTheRecordOfExactlyThisN) {
  const auto selection = select_from(
      {row_with("lookback", 65536, "block_threads", 512), row_with("lookback", 131072, "block_threads", 128)},
      sum_of(131072));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_EQ(selection.record->request.n, 131072u);
}

TEST(Selector, FallsBackToNearestNWhenNIsUnknown) {
  const std::vector rows{row_with("lookback", 1 << 16, "block_threads", 512),
                         row_with("lookback", 1 << 20, "block_threads", 128)};
  const auto low = select_from(rows, sum_of(200'000));
  EXPECT_EQ(low.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(low.config, "block_threads"), 512) << "nearer in log2, although not in n";
  const auto high = select_from(rows, sum_of(300'000));
  EXPECT_EQ(value_of(high.config, "block_threads"), 128);
  EXPECT_TRUE(contains(high.reason, "n = 1048576")) << high.reason;
}

TEST(Selector, PassesOverANearerRecordWhoseFamilyCannotScanThisN) {
  const auto selection = select_from({row_of("single_block", 1 << 17), row_of("lookback", 1 << 22)}, sum_of(200'000));
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_STREQ(selection.config.family().name(), "lookback");
}

TEST(Selector, DoesNotStretchALastResortFarBeyondWhereItWon) {
  const auto near = select_from({row_of("single_block", 1 << 15)}, sum_of(1 << 16));
  EXPECT_EQ(near.origin, ConfigOrigin::between_n);
  const auto far = select_from({row_of("single_block", 1 << 10)}, sum_of(1 << 16));
  EXPECT_EQ(far.origin, ConfigOrigin::untuned);
}

TEST(Selector, UsesTheRecordOfAnotherOperatorOfTheSameTypes) {
  ScanRequest request = sum_of(1 << 16);
  request.op = Operator::max;
  const auto selection = select_from({row_with("lookback", 1 << 16, "block_threads", 512)}, request);
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "sum of the same types")) << selection.reason;
}

TEST(Selector, PrefersAnotherNOfTheSameOperatorToAnotherOperator) {
  ScanRequest request = sum_of(1 << 16);
  request.op = Operator::max;
  RecordRow max = row_with("lookback", 1 << 18, "block_threads", 128);
  max.op = "max";
  const auto selection = select_from({row_with("lookback", 1 << 16, "block_threads", 512), max}, request);
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Selector, UsesTheDeviceOfTheSameArchitectureNearestInSmCount) {
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

TEST(Selector, TellsTwoDevicesOfOneArchitectureAndSmCountApart) {
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

TEST(Selector, UsesNothingFromOtherTypes) {
  RecordRow f32 = row_of("lookback", 1 << 16);
  f32.input_type = f32.accumulator_type = f32.output_type = "f32";
  EXPECT_EQ(select_from({f32}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

TEST(Selector, UsesABuiltInRecordBehindEveryOther) {
  RecordRow built_in = row_with("lookback", 1 << 16, "block_threads", 512);
  built_in.layer = Layer::built_in;
  EXPECT_EQ(select_from({built_in}, sum_of(1 << 16)).origin, ConfigOrigin::built_in);
  RecordRow other = row_with("lookback", 1 << 20, "block_threads", 128);
  other.device_name = "NVIDIA H100";
  const auto selection = select_from({built_in, other}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::other_device);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Selector, FallsBackToTheDefaultWithoutRecords) {
  const auto selection = select_from({}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::untuned);
  EXPECT_EQ(selection.config, default_config(sum_of(1 << 16), 90));
  EXPECT_FALSE(selection.record.has_value());
  EXPECT_TRUE(contains(selection.reason, "i32 inclusive sum of 65536 items on NVIDIA H200")) << selection.reason;
}

TEST(Selector, LetsTheUsersDatabaseOverrideASharedOne) {
  RecordRow shared = row_with("lookback", 1 << 16, "block_threads", 512);
  shared.layer = Layer::shared;
  const RecordRow user = row_with("lookback", 1 << 16, "block_threads", 128);
  EXPECT_EQ(value_of(select_from({shared, user}, sum_of(1 << 16)).config, "block_threads"), 128);
}

TEST(Selector, LetsTheFirstOfTwoSharedDatabasesOverrideTheSecond) {
  RecordRow first = row_with("lookback", 1 << 16, "block_threads", 512);
  RecordRow second = row_with("lookback", 1 << 16, "block_threads", 128);
  first.layer = second.layer = Layer::shared;
  second.median_us = first.median_us / 2;
  EXPECT_EQ(value_of(select_from({first, second}, sum_of(1 << 16)).config, "block_threads"), 512);
}

TEST(Selector, PrefersARecordOfTheseTemplatesAndUsesAStaleOneWithAWarning) {
  RecordRow stale = row_with("lookback", 1 << 16, "block_threads", 512);
  stale.template_hash = "another";
  const auto alone = select_from({stale}, sum_of(1 << 16));
  EXPECT_EQ(alone.origin, ConfigOrigin::exact_n);
  EXPECT_TRUE(contains(alone.reason, "other kernel templates")) << alone.reason;
  RecordRow fresh = row_with("lookback", 1 << 16, "block_threads", 128);
  fresh.layer = Layer::shared;
  const auto both = select_from({stale, fresh}, sum_of(1 << 16));
  EXPECT_EQ(value_of(both.config, "block_threads"), 128);
  EXPECT_FALSE(contains(both.reason, "other kernel templates")) << both.reason;
}

TEST(Selector, ServesExclusiveScansAndUnalignedPointersFromTheSameRecord) {
  ScanRequest request = sum_of(1 << 16);
  request.kind = Kind::exclusive;
  request.init = Init::value;
  request.alignment_bytes = 4;
  EXPECT_EQ(select_from({row_of("lookback", 1 << 16)}, request).origin, ConfigOrigin::exact_n);
}

TEST(Selector, GivesADeterministicRequestOnlyConfigsThatAreDeterministic) {
  ScanRequest request = sum_of(1 << 16);
  request.input_type = request.accumulator_type = request.output_type = ValueType::f32;
  request.determinism = Determinism::run_to_run;
  RecordRow fast = row_of("lookback", 1 << 16);
  // The only layout whose float sums associate alike for every alignment.
  RecordRow fixed = row_with("three_phase", 1 << 18, "layout", static_cast<int>(TileLayout::warp_transposed));
  for (RecordRow* row : {&fast, &fixed}) row->input_type = row->accumulator_type = row->output_type = "f32";
  EXPECT_EQ(select_from({fast}, request).origin, ConfigOrigin::untuned);
  const auto selection = select_from({fast, fixed}, request);
  EXPECT_STREQ(selection.config.family().name(), "three_phase");
  EXPECT_TRUE(contains(selection.reason, "guarantee")) << selection.reason;
}

TEST(Selector, GivesADeterministicMinimumARecordOfAnyAssociation) {
  ScanRequest request = sum_of(1 << 16);
  request.input_type = request.accumulator_type = request.output_type = ValueType::f32;
  request.determinism = Determinism::run_to_run;
  RecordRow sum = row_of("lookback", 1 << 16);
  sum.input_type = sum.accumulator_type = sum.output_type = "f32";
  for (const Operator op : {Operator::min, Operator::max}) {
    request.op = op;
    const auto selection = select_from({sum}, request);
    EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
    EXPECT_STREQ(selection.config.family().name(), "lookback");
  }
  for (const Operator op : {Operator::sum, Operator::product, Operator::custom_cheap}) {
    request.op = op;
    EXPECT_STREQ(select_from({sum}, request).config.family().name(), "three_phase") << token(op);
  }
}

TEST(Selector, UsesARecordOfSumForEveryOperatorOfTheSameTypes) {
  for (const Operator op : {Operator::product, Operator::min, Operator::max, Operator::bit_and, Operator::bit_or,
                            Operator::bit_xor, Operator::custom_cheap, Operator::custom_expensive}) {
    ScanRequest request = sum_of(1 << 16);
    request.op = op;
    const auto selection = select_from({row_with("lookback", 1 << 16, "block_threads", 512)}, request);
    EXPECT_EQ(selection.origin, ConfigOrigin::other_operator) << token(op);
    EXPECT_EQ(value_of(selection.config, "block_threads"), 512) << token(op);
  }
}

TEST(Selector, TakesTheRecordOfANamedOperatorByItsName) {
  const auto selection = select_custom(
      {custom_row(8, "custom_moderate", 1 << 16, 128), custom_row(8, "custom_moderate:affine", 1 << 16, 512),
       custom_row(8, "custom_moderate:filter", 1 << 16, 384)},
      "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "custom_moderate:affine and n = 65536")) << selection.reason;
}

TEST(Selector, PrefersAnotherNOfTheSameNameToItsCostClass) {
  const auto selection = select_custom(
      {custom_row(8, "custom_moderate", 1 << 16, 128), custom_row(8, "custom_moderate:affine", 1 << 20, 512)},
      "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

TEST(Selector, KnowsANamedOperatorAlsoUnderAnotherCostClass) {
  const auto selection = select_custom(
      {custom_row(8, "custom_moderate", 1 << 16, 128), custom_row(8, "custom_cheap:affine", 1 << 16, 512)}, "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

TEST(Selector, FallsBackToTheCostClassOfANamedOperator) {
  const auto selection =
      select_custom({custom_row(8, "custom_cheap", 1 << 16, 384), custom_row(8, "custom_moderate:filter", 1 << 16, 512),
                     custom_row(8, "custom_moderate", 1 << 18, 128)},
                    "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_TRUE(contains(selection.reason, "custom_moderate operators of this size and n = 262144")) << selection.reason;
}

TEST(Selector, TakesTheRecordOfItsCostClassForAnOperatorWithoutAName) {
  const auto selection = select_custom(
      {custom_row(8, "custom_moderate:affine", 1 << 16, 512), custom_row(8, "custom_moderate", 1 << 18, 128)}, "");
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_FALSE(contains(selection.reason, "custom")) << selection.reason;
}

TEST(Selector, LetsANamedRecordServeOthersOfItsClassBeforeAnotherClass) {
  for (const char* asked : {"", "filter"}) {
    const auto selection = select_custom(
        {custom_row(8, "custom_cheap", 1 << 16, 384), custom_row(8, "custom_moderate:affine", 1 << 18, 512)}, asked);
    EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
    EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
    EXPECT_TRUE(contains(selection.reason, "custom_moderate:affine of the same types")) << selection.reason;
  }
}

TEST(Selector, LetsAnotherCostClassServeAsAnotherOperator) {
  const auto selection = select_custom({custom_row(8, "custom_expensive", 1 << 16, 512)}, "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_TRUE(contains(selection.reason, "custom_expensive of the same types")) << selection.reason;
}

TEST(Selector, UsesNothingFromAnotherValueSize) {
  EXPECT_EQ(select_custom({custom_row(12, "custom_moderate", 1 << 16)}, "").origin, ConfigOrigin::untuned);
  EXPECT_EQ(select_custom({custom_row(4, "custom_moderate:affine", 1 << 16)}, "affine").origin, ConfigOrigin::untuned);
}

TEST(Selector, ServesAStructOfThatSizeWhateverItIsAlignedTo) {
  ScanRequest request = custom_of(8, Operator::custom_moderate, 1 << 16);
  request.custom_alignment = 1;
  EXPECT_EQ(select_from({custom_row(8, "custom_moderate", 1 << 16)}, request).origin, ConfigOrigin::exact_n);
}

TEST(Selector, PrefersANamedRecordOfThisDeviceToOneOfAnother) {
  RecordRow named = custom_row(8, "custom_moderate:affine", 1 << 16, 512);
  named.device_name = "NVIDIA H100";
  const auto selection = select_custom({named, custom_row(8, "custom_cheap", 1 << 16, 128)}, "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Selector, DoesNotGiveAFreeRequestARecordTunedUnderAGuarantee) {
  RecordRow fixed = row_of("three_phase", 1 << 16);
  fixed.determinism = "run_to_run";
  EXPECT_EQ(select_from({fixed}, sum_of(1 << 16)).origin, ConfigOrigin::untuned);
}

TEST(Selector, RefusesARequestThatNoFamilySupports) {
  ScanRequest request = sum_of(1 << 16);
  request.accumulator_type = ValueType::i8;
  EXPECT_THROW(select_from({}, request), RequestError);
}

struct BadRow {
  const char* what;
  void (*spoil)(RecordRow&);
  const char* reason;
};

void PrintTo(const BadRow& row, std::ostream* out) { *out << row.what; }

class TuningTableRefuses : public ::testing::TestWithParam<BadRow> {};

TEST_P(TuningTableRefuses, TheRowAndSaysWhy) {
  RecordRow row = row_of("lookback", 1 << 16);
  GetParam().spoil(row);
  const TuningTable table(std::vector{row});
  EXPECT_TRUE(table.records().empty());
  ASSERT_EQ(table.rejected().size(), 1u);
  EXPECT_TRUE(contains(table.rejected()[0].reason, GetParam().reason)) << table.rejected()[0].reason;
}

// The config with one member set to a piece of JSON.
std::string with_member(const std::string& config, const char* name, const char* value) {
  Json json = Json::parse(config);
  json[name] = Json::parse(value);
  return json.dump();
}

INSTANTIATE_TEST_SUITE_P(
    Rows, TuningTableRefuses,
    ::testing::Values(
        BadRow{"unknown family", [](RecordRow& row) { row.family = "teleport"; }, "teleport"},
        BadRow{"config that is no JSON", [](RecordRow& row) { row.config = "{block_threads"; }, "not JSON"},
        BadRow{"config that is no object", [](RecordRow& row) { row.config = "[1, 2]"; }, "object"},
        BadRow{"missing parameter", [](RecordRow& row) { row.config = "{}"; }, "missing"},
        BadRow{"unknown parameter", [](RecordRow& row) { row.config = with_member(row.config, "spin", "1"); },
               "no parameter"},
        BadRow{"unknown token", [](RecordRow& row) { row.config = with_member(row.config, "layout", "\"zigzag\""); },
               "zigzag"},
        BadRow{"text for a number", [](RecordRow& row) { row.config = with_member(row.config, "window", "\"32\""); },
               "window"},
        BadRow{"fraction", [](RecordRow& row) { row.config = with_member(row.config, "window", "32.5"); }, "window"},
        BadRow{"number past an int",
               [](RecordRow& row) { row.config = with_member(row.config, "window", "4294967328"); }, "window"},
        BadRow{"number that would overflow",
               [](RecordRow& row) { row.config = with_member(row.config, "items_per_thread", "1073741828"); },
               "items_per_thread is out of range"},
        BadRow{"illegal config", [](RecordRow& row) { row.config = with_member(row.config, "vector_bytes", "3"); },
               "vector_bytes must be"},
        BadRow{"config for another architecture", [](RecordRow& row) { row.arch = "sm_80"; }, "pdl needs sm_90"},
        BadRow{"unknown architecture", [](RecordRow& row) { row.arch = "gfx942"; }, "gfx942"},
        BadRow{"unknown type", [](RecordRow& row) { row.input_type = "i128"; }, "input_type is 'i128'"},
        BadRow{"types without a kernel", [](RecordRow& row) { row.output_type = "f32"; }, "the output type must be"},
        BadRow{"unknown operator", [](RecordRow& row) { row.op = "median"; }, "op is 'median'"},
        BadRow{"name of a built-in operator", [](RecordRow& row) { row.op = "sum:affine"; }, "op is 'sum:affine'"},
        BadRow{"operator without its name", [](RecordRow& row) { row = custom_row(8, "custom_moderate:", 1024); },
               "op is 'custom_moderate:'"},
        BadRow{"name that is code", [](RecordRow& row) { row = custom_row(8, "custom_cheap:a;b\n#", 1024); },
               "op is 'custom_cheap:a;b?#'"},
        BadRow{"endless operator",
               [](RecordRow& row) {
                 row = custom_row(8, "custom_cheap:", 1024);
                 row.op.append(100'000, 'x');
               },
               "op is 'custom_cheap:xxx"},
        BadRow{"custom type too large", [](RecordRow& row) { row = custom_row(33, "custom_cheap", 1024); },
               "input_type is 'custom33'"},
        BadRow{"custom type of no size", [](RecordRow& row) { row = custom_row(0, "custom_cheap", 1024); },
               "input_type is 'custom0'"},
        BadRow{"custom type that says no size", [](RecordRow& row) { row.output_type = "custom"; },
               "output_type is 'custom'"},
        BadRow{"two custom sizes",
               [](RecordRow& row) {
                 row = custom_row(8, "custom_cheap", 1024);
                 row.output_type = "custom12";
               },
               "output_type is custom12 beside a custom type of another size"},
        BadRow{"custom beside a built-in type",
               [](RecordRow& row) {
                 row = custom_row(8, "custom_cheap", 1024);
                 row.output_type = "i64";
               },
               "at once"},
        BadRow{"built-in operator for a struct", [](RecordRow& row) { row = custom_row(8, "sum", 1024); },
               "needs a custom operator"},
        BadRow{"float to integer", [](RecordRow& row) { row.input_type = "f32"; }, "floating-point accumulator"},
        BadRow{"bits of a float",
               [](RecordRow& row) {
                 row.input_type = row.accumulator_type = row.output_type = "f32";
                 row.op = "bit_xor";
               },
               "for integers"},
        BadRow{"unknown kind", [](RecordRow& row) { row.kind = "both"; }, "kind"},
        BadRow{"negative n", [](RecordRow& row) { row.n = -5; }, "n is out of range"},
        BadRow{"n too large", [](RecordRow& row) { row.n = std::int64_t{1} << 60; }, "n is out of range"},
        BadRow{"n beyond the family",
               [](RecordRow& row) {
                 row = row_of("single_block", 1024);
                 row.n = 1 << 20;
               },
               "at most 131072"},
        BadRow{"time that is no number", [](RecordRow& row) { row.median_us = std::nan(""); }, "median_us"},
        BadRow{"negative time", [](RecordRow& row) { row.default_us = -1; }, "default_us"},
        BadRow{"no SMs", [](RecordRow& row) { row.sm_count = 0; }, "sm_count"},
        BadRow{"endless name", [](RecordRow& row) { row.device_name.assign(100'000, 'x'); }, "longer than"},
        BadRow{"endless config", [](RecordRow& row) { row.config.assign(100'000, '['); }, "longer than"}));

TEST(TuningTable, KeepsControlCharactersOfADatabaseOutOfMessages) {
  RecordRow row = row_of("lookback", 1 << 16);
  row.device_name = "GPU\x1b[2J";
  row.op = "\x1b[31msum";
  const TuningTable table(std::vector{row});
  ASSERT_EQ(table.rejected().size(), 1u);
  for (const std::string& text : {table.rejected()[0].row, table.rejected()[0].reason})
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

TEST(TuningTable, KeepsTheGoodRowsBesideABadOne) {
  RecordRow bad = row_of("lookback", 1 << 16);
  bad.op = "median";
  const TuningTable table(std::vector{row_of("lookback", 1 << 14), bad, row_of("lookback", 1 << 18)});
  EXPECT_EQ(table.records().size(), 2u);
  EXPECT_EQ(table.rejected().size(), 1u);
}

}  // namespace
}  // namespace scantune
