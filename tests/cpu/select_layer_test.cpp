// Layers of records: the user's, shared ones, and those that come with the library.
#include "select_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "select/printable.h"

namespace scantune {
namespace {

using testing::built_in;
using testing::everywhere;
using testing::of_type;
using testing::row_of;
using testing::row_with;
using testing::select_from;
using testing::sum_of;
using testing::value_of;

TEST(Selector, UsesABuiltInRecordWhereNothingWasTuned) {
  const auto selection = select_from({built_in(row_with("lookback", 1 << 16, "block_threads", 512))}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_EQ(selection.reason,
            "tuned for n = 65536, which serves 32769 to 65536 items: built-in record (NVIDIA H200, 132 SMs)");
}

TEST(Selector, UsesTheBuiltInRecordWhoseRangeHoldsN) {
  const auto selection = select_from({built_in(row_with("lookback", 1 << 16, "block_threads", 512)),
                                      built_in(row_with("lookback", 1 << 17, "block_threads", 128))},
                                     sum_of(120'000));
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_TRUE(contains(selection.reason, "n = 131072, which serves 65537 to 131072 items: built-in record"))
      << selection.reason;
}

TEST(Selector, UsesABuiltInRecordForExclusiveScans) {
  ScanRequest request = sum_of(1 << 16);
  request.kind = Kind::exclusive;
  request.init = Init::value;
  EXPECT_EQ(select_from({built_in(row_of("lookback", 1 << 16))}, request).origin, ConfigOrigin::built_in);
}

TEST(Selector, UsesABuiltInRecordOfAnotherOperatorAndOtherTypesAndSaysSo) {
  ScanRequest request = of_type(sum_of(1 << 16), ValueType::f32);
  request.op = Operator::max;
  const auto selection = select_from({built_in(row_of("lookback", 1 << 16))}, request);
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_TRUE(contains(selection.reason,
                       "tuned for i32 sum, types of the same sizes, and n = 65536, which serves 32769 to 65536 "
                       "items: built-in record"))
      << selection.reason;
}

TEST(Selector, UsesABuiltInRecordOfAnotherDeviceOfTheArchitecture) {
  const DeviceIdentity h100{"sm_90", 90, "NVIDIA H100 PCIe", 114};
  const auto selection =
      select_from({built_in(row_with("lookback", 1 << 16, "block_threads", 512))}, sum_of(1 << 16), h100);
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "built-in record (NVIDIA H200, 132 SMs)")) << selection.reason;
}

TEST(Selector, UsesABuiltInRecordOfOtherTemplatesAndSaysSo) {
  RecordRow stale = built_in(row_of("lookback", 1 << 16));
  stale.template_hash = "another";
  const auto selection = select_from({stale}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_TRUE(contains(selection.reason, "measured with other kernel templates")) << selection.reason;
}

TEST(Rule9, PrefersTheUsersRecordToABuiltInOneOfTheSameN) {
  const auto selection = select_from({built_in(row_with("lookback", 1 << 16, "block_threads", 512)),
                                      row_with("lookback", 1 << 16, "block_threads", 128)},
                                     sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Rule9, TrustsTheUsersRecordInItsRangeMoreThanANearerN) {
  const std::vector rows{built_in(everywhere(row_with("lookback", 70'000, "block_threads", 512))),
                         row_with("lookback", 1 << 17, "block_threads", 128)};
  for (const auto& [n, origin] : {std::pair(1 << 16, ConfigOrigin::built_in),
                                  {70'000, ConfigOrigin::between_n},
                                  {1 << 17, ConfigOrigin::exact_n},
                                  {1 << 26, ConfigOrigin::built_in}})
    EXPECT_EQ(select_from(rows, sum_of(static_cast<u64>(n))).origin, origin) << n;
}

TEST(Rule4, PrefersTheUsersRecordOfThisDeviceToABuiltInOneOfAnother) {
  RecordRow other = built_in(row_with("lookback", 1 << 16, "block_threads", 512));
  other.device_name = "NVIDIA H100";
  const auto selection =
      select_from({other, everywhere(row_with("lookback", 1 << 17, "block_threads", 128))}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Rule4, PrefersABuiltInRecordOfThisDeviceToTheUsersOfAnother) {
  RecordRow other = row_with("lookback", 1 << 16, "block_threads", 128);
  other.device_name = "NVIDIA H100";
  const auto selection =
      select_from({other, built_in(row_with("lookback", 1 << 16, "block_threads", 512))}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

TEST(Rule9, LetsTheUsersDatabaseOverrideAProjectsOne) {
  RecordRow shared = row_with("lookback", 1 << 16, "block_threads", 512);
  shared.layer = Layer::project;
  const RecordRow user = row_with("lookback", 1 << 16, "block_threads", 128);
  EXPECT_EQ(value_of(select_from({shared, user}, sum_of(1 << 16)).config, "block_threads"), 128);
}

TEST(Rule9, PutsTheLayersInTheirOrder) {
  std::vector<RecordRow> rows;
  int threads = 32;
  for (const Layer layer : {Layer::built_in, Layer::system, Layer::synced, Layer::project, Layer::user}) {
    rows.insert(rows.begin(), row_with("lookback", 1 << 16, "block_threads", threads *= 2));
    rows.front().layer = layer;
    EXPECT_EQ(value_of(select_from(rows, sum_of(1 << 16)).config, "block_threads"), threads) << token(layer);
    std::ranges::rotate(rows, rows.begin() + 1);  // the order of rows must not decide
  }
}

TEST(Selector, NamesTheDatabaseOfALayerThatIsNotTheUsersOwn) {
  RecordRow row = row_of("lookback", 1 << 16);
  row.layer = Layer::synced;
  row.database = "/data/layers/team.db";
  EXPECT_EQ(
      select_from({row}, sum_of(1 << 16)).reason,
      "tuned for n = 65536, which serves 32769 to 65536 items, on this device (synced database /data/layers/team.db)");
  row.layer = Layer::user;
  EXPECT_EQ(select_from({row}, sum_of(1 << 16)).reason,
            "tuned for n = 65536, which serves 32769 to 65536 items, on this device");
}

TEST(Selector, NamesWhoExportedARecordAndWhoseSignatureItBore) {
  RecordRow row = row_of("lookback", 1 << 16);
  row.origin = origin_of_policy(
      R"({"trials":96,"origin":{"by":"alice","file":"tuning.db","run":"0123456789ab","signer":"alice@example.com"}})");
  EXPECT_EQ(select_from({row}, sum_of(1 << 16)).reason,
            "tuned for n = 65536, which serves 32769 to 65536 items, on this device; exported by alice from tuning.db "
            "(run 0123456789ab), signed by alice@example.com");
}

std::string policy_by(const std::string& by) { return R"({"origin":{"by":")" + by + R"(","file":"a.db","run":"1"}})"; }

// tests/python/test_origin.py has the same cases.
TEST(RecordOrigin, OfAStrangersPolicyIsPrintableOrNone) {
  const auto origin = origin_of_policy(policy_by("\u00fc"));
  ASSERT_NE(origin, nullptr);
  EXPECT_EQ(phrase(*origin), "exported by ?? from a.db (run 1)");
  EXPECT_EQ(phrase(*origin_of_policy(policy_by(""))), "exported from a.db (run 1)");
  std::string wide;
  for (int count = 0; count < 64; ++count) wide += "\u00fc";
  EXPECT_NE(origin_of_policy(policy_by(wide)), nullptr);
  for (const std::string& policy :
       {policy_by(wide + 'a'), policy_by("\\u001b[31mred"), policy_by("a\\nb"),
        std::string(R"({"origin":{"by":"ada","file":"a.db"}})"),
        std::string(R"({"origin":{"by":1,"file":"a","run":"1"}})"),
        std::string(R"({"origin":{"by":"ada","file":"","run":"1"}})"),
        std::string(R"({"origin":{"by":"ada","file":"a","run":"1","signer":7}})"),
        R"({"origin":{"by":"","file":"a.db","run":"1","signer":")" + std::string(129, 's') + R"("}})"})
    EXPECT_EQ(origin_of_policy(policy), nullptr) << policy;
  for (const std::string& policy :
       {std::string(R"({"trials":96})"), std::string(R"({"origin":)"), std::string(R"({"origin":[]})"),
        std::string(R"(["origin"])"), std::string(R"({"origins":{"by":"a"},"x":"\"origin\""})"),
        R"({"origin":)" + std::string(4000, '[') + "}", R"({"origin":{"by":")" + std::string(5000, 'a') + R"("}})"})
    EXPECT_EQ(origin_of_policy(policy), nullptr) << policy;
}

TEST(Rule9, LetsTheFirstOfTwoProjectDatabasesOverrideTheSecond) {
  RecordRow first = row_with("lookback", 1 << 16, "block_threads", 512);
  RecordRow second = row_with("lookback", 1 << 16, "block_threads", 128);
  first.layer = second.layer = Layer::project;
  second.median_us = first.median_us / 2;
  EXPECT_EQ(value_of(select_from({first, second}, sum_of(1 << 16)).config, "block_threads"), 512);
}

}  // namespace
}  // namespace scantune
