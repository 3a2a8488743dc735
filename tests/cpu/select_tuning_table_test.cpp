#include "message_of.h"
#include "select/tuning_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "select/carried_hashes.h"
#include "select_rows.h"

namespace scantune {
namespace {

using testing::custom_row;
using testing::row_of;

struct BadRow {
  const char* what;
  void (*spoil)(RecordRow&);
  const char* reason;
};

void PrintTo(const BadRow& row, std::ostream* out) { *out << row.what; }

// Kernels that are the same have another hash since their templates stand elsewhere.
TEST(CarriedHashes, TellWhatHashesOfBeforeAreCalledNow) {
  const CarriedHashes hashes(R"({"old low": "low", "older low": "low", "old high": "high"})");
  EXPECT_EQ(hashes.now("older low"), "low");
  EXPECT_EQ(hashes.now("low"), "low");
  EXPECT_EQ(hashes.now("of nobody"), "of nobody");
}

TEST(CarriedHashes, NameRecordsOfBefore) {
  RecordRow row = row_of("one_shot", 1 << 16);
  row.template_hash = "85a415a8d44634bf9bb0a50190ad34441ec339f9237676c8b3bdf054eaa188f2";  // before there were rooms
  const TuningTable table(std::vector{row});
  ASSERT_EQ(table.records().size(), 1u);
  EXPECT_NE(table.records()[0].template_hash, row.template_hash);
  EXPECT_EQ(table.records()[0].template_hash, CarriedHashes::known().now(row.template_hash));
}

class TuningTableDropsABreakpoint : public ::testing::TestWithParam<BadRow> {};

TEST_P(TuningTableDropsABreakpoint, AndKeepsTheRecordAndSaysWhy) {
  RecordRow low = row_of("lookback", 1 << 16);
  low.breakpoint = BreakpointRow{1 << 17, 100'000};
  const RecordRow high = row_of("lookback", 1 << 17);
  const auto expect_switch = [](const TuningTable& table, u64 served_up_to, u64 served_above) {
    ASSERT_EQ(table.records().size(), 2u);
    EXPECT_EQ(table.records()[0].served_up_to, served_up_to);
    EXPECT_EQ(table.records()[1].served_above, served_above);
  };
  expect_switch(TuningTable(std::vector{low, high}), 99'999, 99'999);
  GetParam().spoil(low);
  const TuningTable table(std::vector{low, high});
  expect_switch(table, 1 << 16, 1 << 16);
  ASSERT_EQ(table.rejected().size(), 1u);
  EXPECT_TRUE(contains(table.rejected()[0].row, "the breakpoint above")) << table.rejected()[0].row;
  EXPECT_TRUE(contains(table.rejected()[0].reason, GetParam().reason)) << table.rejected()[0].reason;
}

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

INSTANTIATE_TEST_SUITE_P(
    Rows, TuningTableDropsABreakpoint,
    ::testing::Values(
        BadRow{"no record above", [](RecordRow& row) { row.breakpoint->n_high = 1 << 19; }, "no usable record"},
        BadRow{"a record of another type above",
               [](RecordRow& row) { testing::state(row, {"input_type", "accumulator_type", "output_type"}, "u32"); },
               "no usable record"},
        BadRow{"a record of another latency above",
               [](RecordRow& row) { testing::state(row, {"latency"}, "isolated"); }, "no usable record"},
        BadRow{"a record of another database above", [](RecordRow& row) { row.database = "another.db"; },
               "no usable record"},
        BadRow{"upper end below", [](RecordRow& row) { row.breakpoint->n_high = 1 << 15; }, "out of range"},
        BadRow{"upper end past all N", [](RecordRow& row) { row.breakpoint->n_high = kLargest; }, "out of range"},
        BadRow{"negative upper end", [](RecordRow& row) { row.breakpoint->n_high = -kLargest; }, "out of range"},
        BadRow{"at the lower end", [](RecordRow& row) { row.breakpoint->n_switch = 1 << 16; }, "between its ends"},
        BadRow{"above the upper end", [](RecordRow& row) { row.breakpoint->n_switch = kLargest; }, "between its ends"},
        BadRow{"negative", [](RecordRow& row) { row.breakpoint->n_switch = -1; }, "between its ends"}),
    [](const auto& test) {
      std::string name = test.param.what;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

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
        BadRow{"unknown latency", [](RecordRow& row) { testing::state(row, {"latency"}, "instant"); }, "instant"},
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
        BadRow{"unknown type", [](RecordRow& row) { testing::state(row, {"input_type"}, "i128"); },
               "request.input_type must be one of"},
        BadRow{"types without a kernel", [](RecordRow& row) { testing::state(row, {"output_type"}, "f32"); },
               "the output type must be"},
        BadRow{"unknown operator", [](RecordRow& row) { testing::state(row, {"op"}, "median"); },
               "request.op must be one of"},
        BadRow{"name of a built-in operator", [](RecordRow& row) { testing::state(row, {"op"}, "sum:affine"); },
               R"(found "sum:affine")"},
        BadRow{"operator without its name", [](RecordRow& row) { row = custom_row(8, "custom_moderate:", 1024); },
               R"(found "custom_moderate:")"},
        BadRow{"name that is code", [](RecordRow& row) { row = custom_row(8, "custom_cheap:a;b\n#", 1024); },
               R"(found "custom_cheap:a;b\n#")"},
        BadRow{"endless operator",
               [](RecordRow& row) { row = custom_row(8, ("custom_cheap:" + std::string(100'000, 'x')).c_str(), 1024); },
               "the request is longer than"},
        BadRow{"custom type too large", [](RecordRow& row) { row = custom_row(33, "custom_cheap", 1024); },
               R"(found "custom33")"},
        BadRow{"custom type of no size", [](RecordRow& row) { row = custom_row(0, "custom_cheap", 1024); },
               R"(found "custom0")"},
        BadRow{"custom type that says no size", [](RecordRow& row) { testing::state(row, {"output_type"}, "custom"); },
               R"(found "custom")"},
        BadRow{"two custom sizes",
               [](RecordRow& row) {
                 row = custom_row(8, "custom_cheap", 1024);
                 testing::state(row, {"output_type"}, "custom12");
               },
               "output_type is custom12 beside custom8"},
        BadRow{"custom beside a built-in type",
               [](RecordRow& row) {
                 row = custom_row(8, "custom_cheap", 1024);
                 testing::state(row, {"output_type"}, "i64");
               },
               "at once"},
        BadRow{"built-in operator for a struct", [](RecordRow& row) { row = custom_row(8, "sum", 1024); },
               "needs a custom operator"},
        BadRow{"float to integer", [](RecordRow& row) { testing::state(row, {"input_type"}, "f32"); },
               "floating-point accumulator"},
        BadRow{"bits of a float",
               [](RecordRow& row) {
                 testing::state(row, {"input_type", "accumulator_type", "output_type"}, "f32");
                 testing::state(row, {"op"}, "bit_xor");
               },
               "for integers"},
        BadRow{"unknown algorithm", [](RecordRow& row) { row.algorithm = "median"; }, "the algorithm is 'median'"},
        BadRow{"a shape", [](RecordRow& row) { row.shape = "segments=10"; },
               "the shape is \"segments=10\", which is not that of a scan"},
        BadRow{"request that is no JSON", [](RecordRow& row) { row.request = "i32 sum"; }, "not JSON"},
        BadRow{"request that is a list", [](RecordRow& row) { row.request = "[]"; }, "must be a JSON object"},
        BadRow{"request without types", [](RecordRow& row) { row.request = "{}"; }, "input_type is missing"},
        BadRow{"unknown member", [](RecordRow& row) { testing::state(row, {"weather"}, "rain"); }, "unknown member"},
        BadRow{"member of a call", [](RecordRow& row) { testing::state(row, {"init"}, "value"); }, "unknown member"},
        BadRow{"unknown kind", [](RecordRow& row) { testing::state(row, {"kind"}, "both"); }, "kind"},
        BadRow{"negative n", [](RecordRow& row) { row.n = -5; }, "n is out of range"},
        BadRow{"n too large", [](RecordRow& row) { row.n = std::int64_t{1} << 60; }, "n is out of range"},
        BadRow{"n beyond the family",
               [](RecordRow& row) {
                 row = row_of("single_block", 1024);
                 row.n = row.served_up_to = 1 << 20;
               },
               "at most 131072"},
        BadRow{"range above n", [](RecordRow& row) { row.served_above = row.n; }, "does not hold n"},
        BadRow{"range below n", [](RecordRow& row) { row.served_up_to = row.n - 1; }, "does not hold n"},
        BadRow{"range from less than nothing", [](RecordRow& row) { row.served_above = -1; }, "is out of range"},
        BadRow{"range from the least number", [](RecordRow& row) { row.served_above = -kLargest - 1; },
               "is out of range"},
        BadRow{"range past all N", [](RecordRow& row) { row.served_up_to = (std::int64_t{1} << 48) + 1; },
               "is out of range"},
        BadRow{"range past all numbers", [](RecordRow& row) { row.served_up_to = kLargest; }, "is out of range"},
        BadRow{"range without an end", [](RecordRow& row) { row.served_up_to = -1; }, "does not hold n"},
        BadRow{"time that is no number", [](RecordRow& row) { row.median_us = std::nan(""); }, "median_us"},
        BadRow{"negative time", [](RecordRow& row) { row.default_us = -1; }, "default_us"},
        BadRow{"no SMs", [](RecordRow& row) { row.sm_count = 0; }, "sm_count"},
        BadRow{"endless name", [](RecordRow& row) { row.device_name.assign(100'000, 'x'); }, "longer than"},
        BadRow{"endless config", [](RecordRow& row) { row.config.assign(100'000, '['); }, "longer than"}));

RecordRow row_of_arch(const std::string& arch, const std::string& type, std::int64_t n) {
  RecordRow row = row_of("lookback", n);
  testing::state(row, {"input_type", "accumulator_type", "output_type"}, type);
  Request request = parse_request(algorithm_of<ScanRequest>(), row.request).request;
  request.n = static_cast<u64>(n);
  row.arch = arch;
  row.config = canonical_parameters(find_family("lookback")->default_config(request, sm_of(arch)));
  return row;
}

// tests/python/test_record.py reads the same table.
TEST(TuningTable, AgreesWithTheTunerOnImpossibleTimes) {
  std::ifstream file(SCANTUNE_IMPOSSIBLE_TIMES);
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  ASSERT_EQ(line, "arch\ttype\tn\ttime_us\treason");
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    SCOPED_TRACE(line);
    std::istringstream values(line);
    std::string arch, type, n, time_us, reason;
    for (std::string* value : {&arch, &type, &n, &time_us, &reason}) std::getline(values, *value, '\t');
    for (const bool is_default : {false, true}) {
      RecordRow row = row_of_arch(arch, type, std::stoll(n));
      row.median_us = row.default_us.emplace(1e9);
      (is_default ? *row.default_us : row.median_us) = std::stod(time_us);
      const TuningTable table(std::vector{row});
      EXPECT_EQ(table.records().size(), reason.empty() ? 1 : 0);
      ASSERT_EQ(table.rejected().size(), reason.empty() ? 0 : 1);
      if (reason.empty()) continue;
      const std::string expected =
          std::string(is_default ? "default_us: " : "median_us: ") + time_us + " µs are impossible: " + reason;
      EXPECT_TRUE(table.rejected()[0].reason.starts_with(expected)) << table.rejected()[0].reason;
    }
  }
  EXPECT_GE(rows, 15);
}

TEST(TuningTable, KeepsControlCharactersOfADatabaseOutOfMessages) {
  RecordRow row = row_of("lookback", 1 << 16);
  row.device_name = "GPU\x1b[2J";
  testing::state(row, {"op"}, "\x1b[31msum");
  const TuningTable table(std::vector{row});
  ASSERT_EQ(table.rejected().size(), 1u);
  for (const std::string& text : {table.rejected()[0].row, table.rejected()[0].reason})
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

TEST(TuningTable, KeepsTheGoodRowsBesideABadOne) {
  RecordRow bad = row_of("lookback", 1 << 16);
  testing::state(bad, {"op"}, "median");
  const TuningTable table(std::vector{row_of("lookback", 1 << 14), bad, row_of("lookback", 1 << 18)});
  EXPECT_EQ(table.records().size(), 2u);
  EXPECT_EQ(table.rejected().size(), 1u);
}

}  // namespace
}  // namespace scantune
