// Whose record serves: the user's, a shared one, or one that comes with the library.
#include "select_selection.h"

#include <gtest/gtest.h>

namespace scantune {
namespace {

using testing::built_in;
using testing::contains;
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
  EXPECT_EQ(selection.reason, "tuned for n = 65536: built-in record (NVIDIA H200, 132 SMs)");
}

TEST(Selector, UsesTheBuiltInRecordOfTheNearestN) {
  const auto selection = select_from({built_in(row_with("lookback", 1 << 16, "block_threads", 512)),
                                      built_in(row_with("lookback", 1 << 17, "block_threads", 128))},
                                     sum_of(120'000));
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_TRUE(contains(selection.reason, "n = 131072 (the nearest that serves n = 120000): built-in record"))
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
  EXPECT_TRUE(contains(selection.reason, "tuned for i32 sum, types of the same sizes, and n = 65536: built-in record"))
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

TEST(Rule10, PrefersTheUsersRecordToABuiltInOneOfTheSameN) {
  const auto selection = select_from({built_in(row_with("lookback", 1 << 16, "block_threads", 512)),
                                      row_with("lookback", 1 << 16, "block_threads", 128)},
                                     sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Rule10, PrefersABuiltInRecordOfThisDeviceAndNToTheUsersOfAnotherN) {
  const auto selection = select_from({built_in(row_with("lookback", 1 << 26, "block_threads", 512)),
                                      row_with("lookback", 1 << 12, "block_threads", 128)},
                                     sum_of(1 << 26));
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

TEST(Rule3, PrefersTheUsersRecordOfThisDeviceToABuiltInOneOfAnother) {
  RecordRow other = built_in(row_with("lookback", 1 << 16, "block_threads", 512));
  other.device_name = "NVIDIA H100";
  const auto selection = select_from({other, row_with("lookback", 1 << 17, "block_threads", 128)}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

TEST(Rule3, PrefersABuiltInRecordOfThisDeviceToTheUsersOfAnother) {
  RecordRow other = row_with("lookback", 1 << 16, "block_threads", 128);
  other.device_name = "NVIDIA H100";
  const auto selection =
      select_from({other, built_in(row_with("lookback", 1 << 16, "block_threads", 512))}, sum_of(1 << 16));
  EXPECT_EQ(selection.origin, ConfigOrigin::built_in);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

TEST(Rule10, LetsTheUsersDatabaseOverrideASharedOne) {
  RecordRow shared = row_with("lookback", 1 << 16, "block_threads", 512);
  shared.layer = Layer::shared;
  const RecordRow user = row_with("lookback", 1 << 16, "block_threads", 128);
  EXPECT_EQ(value_of(select_from({shared, user}, sum_of(1 << 16)).config, "block_threads"), 128);
}

TEST(Rule10, LetsTheFirstOfTwoSharedDatabasesOverrideTheSecond) {
  RecordRow first = row_with("lookback", 1 << 16, "block_threads", 512);
  RecordRow second = row_with("lookback", 1 << 16, "block_threads", 128);
  first.layer = second.layer = Layer::shared;
  second.median_us = first.median_us / 2;
  EXPECT_EQ(value_of(select_from({first, second}, sum_of(1 << 16)).config, "block_threads"), 512);
}

}  // namespace
}  // namespace scantune
