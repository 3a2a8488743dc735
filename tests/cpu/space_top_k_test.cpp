// The spaces of top-k: defaults, what is refused, and how much one CTA puts in order.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "space_under_test.h"

namespace scantune::top_k_test {
namespace {

constexpr u64 kResults[] = {1, 50, 4096, u64{1} << 14, u64{1} << 33};

TEST(Space, EveryTopKHasALegalDefaultOfSearchedValuesOnEveryArchitecture) {
  int legal = 0;
  for (const ValueType key : kTypes)
    for (const Sorted sorted : {Sorted::keys, Sorted::pairs, Sorted::keys_and_indices})
      for (const u64 n : kSizes)
        for (const auto& [cut, count] : {std::pair{Segments::none, u64{0}},
                                         {Segments::rows, 1},
                                         {Segments::rows, n / 1000 + 1},
                                         {Segments::rows, n},
                                         {Segments::offsets, n / 1000 + 1},
                                         {Segments::offsets, 3 * n}})
          for (const u64 k : kResults) {
            TopKRequest request{.input_type = key, .sorted = sorted, .segments = cut, .n = n, .k = k};
            request.k_source = static_cast<CountSource>(k % 3);
            (cut == Segments::rows ? request.rows : request.segment_count) = count;
            if (request.has_payload()) request.value_type = ValueType::u64;
            if (unsupported_reason(request) != nullptr) continue;
            for (const int sm : kArchs)
              for (const FamilyModel* family : algorithm_of<TopKRequest>().families()) {
                if (family->unsupported_reason(request, sm) != nullptr) continue;
                const Config config = family->default_config(request, sm);
                const char* const reason = reject_reason(config, request, sm);
                ASSERT_EQ(reason, nullptr)
                    << reason << ": " << to_string(config) << " of " << to_string(Request(request)) << ", sm " << sm;
                ASSERT_EQ(unlisted_parameter(config), "") << to_string(config);
                ++legal;
              }
          }
  EXPECT_GT(legal, 1000);
}

// What docs/top-k.md says.
TEST(Space, TopKsHaveAsManyResultsAsOneCtaPutsInOrder) {
  const auto most = [](const char* family, ValueType type, int sm) {
    TopKRequest request{.input_type = type, .n = u64{1} << 28};
    for (u64 k = 1; k < request.n; k *= 2) {
      TopKRequest more = request;
      more.k = k;
      if (find_family(family)->unsupported_reason(more, sm) != nullptr) break;
      request.k = k;
    }
    return request.k;
  };
  struct Limits {
    int sm;
    u64 narrow, wide, narrow_of_rows, wide_of_rows;
  };
  for (const auto& [sm, narrow, wide, narrow_of_rows, wide_of_rows] : {Limits{75, 4096, 2048, 2048, 1024},
                                                                       {80, 8192, 8192, 4096, 2048},
                                                                       {86, 4096, 4096, 2048, 2048},
                                                                       {90, 16384, 8192, 8192, 4096},
                                                                       {100, 16384, 8192, 8192, 4096},
                                                                       {120, 4096, 4096, 2048, 2048}}) {
    EXPECT_EQ(most("top_k_tiles", ValueType::f32, sm), narrow) << sm;
    EXPECT_EQ(most("top_k_tiles", ValueType::i64, sm), wide) << sm;
    EXPECT_EQ(most("top_k_rows", ValueType::u8, sm), narrow_of_rows) << sm;
    EXPECT_EQ(most("top_k_rows", ValueType::f64, sm), wide_of_rows) << sm;
  }
}

TEST(Space, TopKsFitTheirRowsAndTypes) {
  const auto reason = [](const TopKRequest& request) { return std::string(unsupported_reason(request)); };
  EXPECT_EQ(unsupported_reason(TopKRequest{.input_type = ValueType::f64, .n = u64{1} << 40, .k = 3}), nullptr);
  EXPECT_TRUE(reason({.input_type = ValueType::custom, .custom_bytes = 4, .n = 1, .k = 1})
                  .starts_with("keys of a custom type have no order"));
  EXPECT_TRUE(
      reason({.nan_order = NanOrder::last, .n = 1, .k = 1}).starts_with("nan_order is for floating-point keys"));
  EXPECT_EQ(unsupported_reason(TopKRequest{.input_type = ValueType::bf16, .nan_order = NanOrder::last, .n = 1, .k = 1}),
            nullptr);
  EXPECT_TRUE(reason({.segments = Segments::columns, .n = 1, .k = 1}).starts_with("segments are none, rows or by"));
  EXPECT_TRUE(reason({.segments = Segments::offsets, .n = 1, .k = 1}).starts_with("there are items and no segments"));
  EXPECT_EQ(unsupported_reason(TopKRequest{.segments = Segments::offsets, .n = 1, .segment_count = 3, .k = 2}),
            nullptr);
  EXPECT_TRUE(reason({.segments = Segments::rows, .n = 1, .k = 1}).starts_with("there are items and no rows"));
  EXPECT_TRUE(reason({.value_type = ValueType::u64, .n = 1, .k = 1}).starts_with("value_type is for results with"));
  EXPECT_TRUE(reason({.n = 5}).starts_with("k is 0"));
  EXPECT_TRUE(reason({.n = 5, .k = 6}).starts_with("k is more than there are items"));
  EXPECT_TRUE(reason({.segments = Segments::rows, .n = 10, .rows = 2, .k = 6}).starts_with("k is more than a row has"));
  TopKRequest indices{.value_type = ValueType::i32, .sorted = Sorted::indices, .n = (u64{1} << 31) + 1, .k = 1};
  EXPECT_TRUE(reason(indices).starts_with("a row has more items than indices of 32 bits can number"));
  TopKRequest of_segments = indices;
  of_segments.segments = Segments::offsets;
  of_segments.segment_count = 3;
  EXPECT_TRUE(reason(of_segments).starts_with("a segment may have more items than indices of 32 bits can number"));
  indices.value_type = ValueType::u32;
  EXPECT_EQ(unsupported_reason(indices), nullptr);
}

// Its place among the kernels' arguments is that of n in memory.
TEST(Space, TopKsReadTheirKFromMemory) {
  TopKRequest request{.n = 5, .k = 3};
  const auto of_k = [&] {
    const Operands operands{Request(request)};
    const auto found = std::ranges::find(operands.list(), OperandRole::k, &RequestOperand::role);
    return found == operands.list().end() ? 0 : found->item_bytes;
  };
  EXPECT_EQ(of_k(), 0);
  request.k_source = CountSource::memory;
  EXPECT_EQ(of_k(), 8);
  request.k_source = CountSource::memory_32;
  EXPECT_EQ(of_k(), 4);
  EXPECT_EQ(unsupported_reason(request), nullptr);
  request.k = 6;  // memory cannot say that there are more
  EXPECT_TRUE(std::string_view(unsupported_reason(request)).starts_with("k is more than there are items"));
  KernelArguments arguments{};
  arguments.set_operand(place_of(OperandRole::k), &request);
  EXPECT_EQ(arguments.operand<TopKRequest>(OperandRole::n), &request);
}

// A CTA for three items would be mostly idle.
TEST(Space, TopKsOfShortSegmentsHaveSmallCtas) {
  const FamilyModel& family = *find_family("top_k_rows");
  TopKRequest request{.segments = Segments::offsets, .n = u64{1} << 26, .segment_count = u64{1} << 20, .k = 4};
  EXPECT_EQ(family.default_config(request, 90)[0], kWarpThreads);
  request.segment_count = u64{1} << 12;
  EXPECT_GT(family.default_config(request, 90)[0], kWarpThreads);
  request.segment_count = u64{1} << 31;
  EXPECT_TRUE(std::string_view(family.unsupported_reason(request, 90)).starts_with("more rows or segments than"));
}

// Each tile has a warp of its own.
TEST(Space, RefusesMoreTilesOfATopKThanAGridHasWarps) {
  const TopKRequest request{.n = u64{1} << 39, .k = 1};
  const FamilyModel& family = *find_family("top_k_tiles");
  Config config = family.default_config(request, 90);
  EXPECT_EQ(reject_reason(config, request, 90), nullptr);
  for (int index = 0; const ParameterModel& parameter : family.parameters()) {
    if (parameter.name == std::string_view("vectors_of_lane") || parameter.name == std::string_view("vectors_at_once"))
      config[index] = 1;
    if (parameter.name == std::string_view("block_threads")) config[index] = kWarpThreads;
    ++index;
  }
  const char* const reason = reject_reason(config, request, 90);
  ASSERT_NE(reason, nullptr);
  EXPECT_TRUE(std::string_view(reason).starts_with("a grid has fewer warps than there are tiles"));
}

}  // namespace
}  // namespace scantune::top_k_test
