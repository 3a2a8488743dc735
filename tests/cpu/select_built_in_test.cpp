// The records that come with the library: how their lines are read, and what they serve.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "message_of.h"
#include "scantune/error.hpp"
#include "select/layers.h"
#include "select_selection.h"

namespace scantune {
namespace {

using testing::kH200;
using testing::row_of;
using testing::sum_of;

TEST(BuiltInRecords, AreThereAndValid) {
  const TuningTable table(built_in_records());
  EXPECT_FALSE(table.records().empty());
  for (const auto& rejected : table.rejected()) ADD_FAILURE() << rejected.row << ": " << rejected.reason;
}

TEST(BuiltInRecords, WereMeasuredWithTheTemplatesThatTheyComeWith) {
  for (const RecordRow& row : built_in_records()) {
    const FamilyModel& family = *find_family(row.family);
    EXPECT_EQ(row.template_hash, template_hash(family, false, kH200.sm)) << row.request << ", n = " << row.n;
  }
}

TEST(BuiltInRecords, ServeTheirRangesAndNothingElse) {
  const TuningTable table(built_in_records());
  for (const TuningRecord& record : table.records()) {
    for (int log2_n = 4; log2_n <= 32; ++log2_n) {
      Request request = record.request;
      resize(request, u64{1} << log2_n);
      if (request.algorithm().unsupported_reason(request) != nullptr) continue;
      const Selection selection = select(table, record.device, request);
      if (!selection.record.has_value()) continue;
      EXPECT_GT(request.n, selection.record->served_above) << to_string(request) << ": " << selection.reason;
      EXPECT_LE(request.n, selection.record->served_up_to) << to_string(request) << ": " << selection.reason;
    }
    EXPECT_EQ(select(table, record.device, record.request).origin, ConfigOrigin::built_in) << to_string(record.request);
  }
}

TEST(BuiltInRecords, AreReadFromLinesOfJson) {
  const std::string config = row_of("lookback", 65536).config;
  const std::string line =
      R"({"arch":"sm_90","device_name":"NVIDIA H200","sm_count":132,"algorithm":"scan",)"
      R"("request":{"input_type":"i32","accumulator_type":"i32","output_type":"i32"},)"
      R"("n":65536,"family":"lookback","config":)" +
      config + R"(,"template_hash":"x","median_us":3.5,"default_us":4.5,"finished_at":"2025","seed":1,"breakpoint":)" +
      R"({"n_high":131072,"n_switch":80000,"regret":0.01,"template_hash":"y"},"serves":[32000,70000]})";
  const auto rows = parse_built_in(line + "\n\n" + line + "\n");
  ASSERT_EQ(rows.size(), 2u);
  const auto selection = select(TuningTable(rows), kH200, sum_of(65536));
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_DOUBLE_EQ(selection.record->median_us, 3.5);
  ASSERT_TRUE(rows[0].breakpoint.has_value());
  EXPECT_EQ(rows[0].breakpoint->n_high, 131072);
  EXPECT_EQ(rows[0].breakpoint->n_switch, 80000);
  EXPECT_EQ(rows[0].served_above, 32000);
  EXPECT_EQ(rows[0].served_up_to, 70000);
}

// The range of a line is its octave unless it says another.
TEST(BuiltInRecords, ServeTheirOctaveOrTheRangeThatTheySay) {
  const auto with = [](std::int64_t n, const std::string& serves) {
    Json line = Json::parse(std::string_view(built_in_databases().front().text)
                                .substr(0, std::string_view(built_in_databases().front().text).find('\n')));
    line["n"] = n;
    line.erase("breakpoint");
    line.erase("serves");
    if (!serves.empty()) line["serves"] = Json::parse(serves);
    return line.dump();
  };
  const std::pair<std::int64_t, std::int64_t> kOctaves[] = {{1, 0}, {2, 1}, {3, 2}, {256, 128}, {257, 256}};
  for (const auto& [n, above] : kOctaves) {
    const RecordRow row = parse_built_in(with(n, "")).at(0);
    EXPECT_EQ(row.served_above, above) << n;
    EXPECT_EQ(row.served_up_to, n);
  }
  EXPECT_EQ(parse_built_in(with(256, "[0,4096]")).at(0).served_up_to, 4096);
  for (const char* serves : {"null", "[]", "[1]", "256", "\"128\"", "{}", "[128,\"256\"]", "[0.5,256]", "[128,1e300]"})
    EXPECT_THROW(parse_built_in(with(256, serves)), DatabaseError) << serves;
  for (const char* serves : {"[256,512]", "[-1,256]", "[0,255]", "[0,18446744073709551615]", "[9223372036854775807,1]"})
    EXPECT_TRUE(TuningTable(parse_built_in(with(256, serves))).records().empty()) << serves;
}

TEST(BuiltInRecords, NameTheLineThatIsWrong) {
  const std::string message = message_of<DatabaseError>([] { parse_built_in("\n{\"arch\":"); });
  EXPECT_TRUE(contains(message, "line 2")) << message;
}

TEST(BuiltInRecords, AreRefusedWhereANumberWithAFractionStandsForAnInteger) {
  std::string line = built_in_databases().front().text;
  line.resize(line.find('\n'));
  ASSERT_EQ(parse_built_in(line).size(), 1u);
  const std::size_t n = line.find("\"n\":") + 4;
  for (const char* number : {"1e308", "1.5", "-1e19"}) {
    const std::string other = line.substr(0, n) + number + line.substr(line.find(',', n));
    EXPECT_THROW(parse_built_in(other), DatabaseError) << number;
  }
}

// What is wrong with a row that came with the library, if anything.
std::string problem_of(const RecordRow& row) {
  if (row.arch == "host") return "it is of a host, which is another everywhere";
  if (row.template_hash.size() != 64) return "template_hash is no SHA-256";
  if (row.finished_at.size() != std::string_view("2026-01-31T12:00:00Z").size()) return "finished_at is no time";
  const AlgorithmModel* algorithm = find_algorithm(row.algorithm);
  if (algorithm == nullptr) return "there is no such algorithm";
  if (row.request != canonical_request(parse_request(*algorithm, row.request)))
    return "its request has another spelling";
  const auto result = check(row);
  const auto* rejected = std::get_if<RejectedRow>(&result);
  return rejected != nullptr ? rejected->reason : "";
}

TEST(BuiltInRecords, ThatCameWithTheLibraryAreLegalAndSayWhereTheyComeFrom) {
  for (const RecordRow& row : built_in_records()) EXPECT_EQ(problem_of(row), "") << row.request << " of " << row.n;
}

TEST(BuiltInRecords, AreRefusedWithoutProvenanceOrWithAnIllegalConfig) {
  RecordRow good = row_of("lookback", 65536);
  EXPECT_EQ(problem_of(good), "");
  RecordRow host = good, unknown = good, timeless = good, illegal = good;
  host.arch = "host";
  unknown.template_hash = "";
  timeless.finished_at = "2025";
  illegal.config = "{}";
  for (const RecordRow& row : {host, unknown, timeless, illegal}) EXPECT_NE(problem_of(row), "");
}

TEST(BuiltInRecords, ThatCameWithTheLibraryAreOnePerDeviceProblemAndN) {
  std::set<std::string> keys;
  for (const RecordRow& row : built_in_records()) {
    const std::string key = row.arch + ' ' + row.device_name + ' ' + std::to_string(row.sm_count) + ' ' +
                            std::to_string(row.n) + ' ' + row.algorithm + ' ' + row.request + ' ' + row.shape;
    EXPECT_TRUE(keys.insert(key).second) << "twice: " << key;
  }
}

}  // namespace
}  // namespace scantune
