// Selection for operators of the caller's own.
#include "select_selection.h"

#include <gtest/gtest.h>

namespace scantune {
namespace {

using testing::custom_of;
using testing::custom_row;
using testing::everywhere;
using testing::select_custom;
using testing::select_from;
using testing::value_of;

TEST(Rule6, TakesTheRecordOfANamedOperatorByItsName) {
  const auto selection = select_custom(
      {custom_row(8, "custom_moderate", 1 << 16, 128), custom_row(8, "custom_moderate:affine", 1 << 16, 512),
       custom_row(8, "custom_moderate:filter", 1 << 16, 384)},
      "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
  EXPECT_TRUE(contains(selection.reason, "custom_moderate:affine and n = 65536")) << selection.reason;
}

TEST(Rule6, PrefersAnotherNOfTheSameNameToItsCostClass) {
  const auto selection = select_custom({custom_row(8, "custom_moderate", 1 << 16, 128),
                                        everywhere(custom_row(8, "custom_moderate:affine", 1 << 17, 512))},
                                       "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

TEST(Rule6, KnowsANamedOperatorAlsoUnderAnotherCostClass) {
  const auto selection = select_custom(
      {custom_row(8, "custom_moderate", 1 << 16, 128), custom_row(8, "custom_cheap:affine", 1 << 16, 512)}, "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
}

TEST(Rule6, FallsBackToTheCostClassOfANamedOperator) {
  const auto selection =
      select_custom({custom_row(8, "custom_cheap", 1 << 16, 384), custom_row(8, "custom_moderate:filter", 1 << 16, 512),
                     everywhere(custom_row(8, "custom_moderate", 1 << 17, 128))},
                    "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_TRUE(contains(selection.reason, "custom_moderate operators of this size and n = 131072")) << selection.reason;
}

TEST(Rule6, TakesTheRecordOfItsCostClassForAnOperatorWithoutAName) {
  const auto selection = select_custom({custom_row(8, "custom_moderate:affine", 1 << 16, 512),
                                        everywhere(custom_row(8, "custom_moderate", 1 << 17, 128))},
                                       "");
  EXPECT_EQ(selection.origin, ConfigOrigin::between_n);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
  EXPECT_FALSE(contains(selection.reason, "custom")) << selection.reason;
}

TEST(Rule6, LetsANamedRecordServeOthersOfItsClassBeforeAnotherClass) {
  for (const char* asked : {"", "filter"}) {
    const auto selection = select_custom({custom_row(8, "custom_cheap", 1 << 16, 384),
                                          everywhere(custom_row(8, "custom_moderate:affine", 1 << 17, 512))},
                                         asked);
    EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
    EXPECT_EQ(value_of(selection.config, "block_threads"), 512);
    EXPECT_TRUE(contains(selection.reason, "custom_moderate:affine of the same types")) << selection.reason;
  }
}

TEST(Rule6, LetsAnotherCostClassServeAsAnotherOperator) {
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

TEST(Rule4, PrefersANamedRecordOfThisDeviceToOneOfAnother) {
  RecordRow named = custom_row(8, "custom_moderate:affine", 1 << 16, 512);
  named.device_name = "NVIDIA H100";
  const auto selection = select_custom({named, custom_row(8, "custom_cheap", 1 << 16, 128)}, "affine");
  EXPECT_EQ(selection.origin, ConfigOrigin::other_operator);
  EXPECT_EQ(value_of(selection.config, "block_threads"), 128);
}

}  // namespace
}  // namespace scantune
