// The space of load balances: their defaults, and which requests fit their types.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "space_under_test.h"

namespace scantune {
namespace {

TEST(Space, EveryLoadBalanceHasALegalDefaultOfSearchedValuesOnEveryArchitecture) {
  std::vector<LoadBalanceRequest> types;
  for (const ValueType offset : {ValueType::u32, ValueType::i32, ValueType::u64, ValueType::i64})
    for (const Assigned assigned :
         {Assigned::segments, Assigned::ranks, Assigned::segments_and_ranks, Assigned::values})
      for (const ValueType output : kTypes)
        if (output != ValueType::custom)
          types.push_back({.input_type = offset, .output_type = output, .assigned = assigned});
  LoadBalanceRequest custom{.output_type = ValueType::custom, .assigned = Assigned::values};
  for (custom.custom_bytes = 1; custom.custom_bytes <= kMaxValueBytes; ++custom.custom_bytes)
    for (custom.custom_alignment = 1; custom.custom_alignment <= kVectorAlignmentBytes; custom.custom_alignment *= 2)
      types.push_back(custom);
  int legal = 0;
  for (LoadBalanceRequest request : types)
    for (const u64 n : kSizes)
      for (const u64 segments : {u64{1}, n / 4 + 1, 3 * n, u64{1} << 33}) {
        request.n = n;
        request.segments = segments;
        if (unsupported_reason(request) != nullptr) continue;
        for (const int sm : kArchs)
          for (const FamilyModel* family : algorithm_of<LoadBalanceRequest>().families()) {
            const Config config = family->default_config(request, sm);
            ASSERT_EQ(reject_reason(config, request, sm), nullptr)
                << to_string(config) << " of " << to_string(Request(request)) << ", sm " << sm;
            ASSERT_EQ(unlisted_parameter(config), "") << to_string(config);
            ++legal;
          }
      }
  EXPECT_GT(legal, 1000);
}

// Numbers that do not fit their type, and types that are none of what they are to hold.
TEST(Space, LoadBalancesFitTheirTypes) {
  const auto reason = [](LoadBalanceRequest request) { return std::string(unsupported_reason(request)); };
  const LoadBalanceRequest fits{.n = 0xffffffff, .segments = u64{1} << 32};
  EXPECT_EQ(unsupported_reason(fits), nullptr);
  EXPECT_EQ(
      unsupported_reason(
          {.input_type = ValueType::i32, .output_type = ValueType::i32, .n = 0x7fffffff, .segments = u64{1} << 31}),
      nullptr);
  EXPECT_TRUE(reason({.n = u64{1} << 32, .segments = 1}).starts_with("there are more items than the offsets"));
  EXPECT_TRUE(
      reason({.input_type = ValueType::i32, .n = u64{1} << 31, .segments = 1}).starts_with("there are more it"));
  EXPECT_TRUE(reason({.n = 1, .segments = (u64{1} << 32) + 1}).starts_with("there are more segments than output_type"));
  EXPECT_TRUE(reason({.output_type = ValueType::i32, .n = 1, .segments = (u64{1} << 31) + 1}).starts_with("there are"));
  EXPECT_TRUE(
      reason({.input_type = ValueType::u64, .assigned = Assigned::ranks, .n = (u64{1} << 32) + 1, .segments = 1})
          .starts_with("a segment may hold more items"));
  EXPECT_TRUE(reason({.n = 1}).starts_with("there are items and no segments"));
  EXPECT_TRUE(reason({.input_type = ValueType::f32, .n = 1, .segments = 1}).starts_with("offsets are integers"));
  EXPECT_TRUE(reason({.output_type = ValueType::f32, .n = 1, .segments = 1}).starts_with("segments and ranks are"));
  EXPECT_EQ(unsupported_reason({.n = 0, .segments = 0}), nullptr);
}

}  // namespace
}  // namespace scantune
