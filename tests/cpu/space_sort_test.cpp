// The space of sorts: their defaults, and which requests fit their types.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "space_under_test.h"

namespace scantune {
namespace {

TEST(Space, NoSortCountsMoreRowsThanAGridAddsUp) {
  for (const char* const name : {"sort_fill", "sort_onesweep"}) {
    const FamilyModel& family = *find_family(name);
    for (const u64 rows : {u64{1} << 20, u64{1} << 24, (u64{1} << 24) + 1, u64{1} << 29, u64{1} << 30}) {
      const SortRequest request{.input_type = ValueType::u8, .segments = Segments::rows, .n = rows, .rows = rows};
      if (family.unsupported_reason(request, 90) != nullptr) {
        EXPECT_GT(rows, u64{1} << 24) << name;
        continue;
      }
      const Launch adds = family.launches(family.default_config(request, 90), request, Variant::any).launches[1];
      EXPECT_EQ(adds.grid_blocks, 8 * rows) << name << " of " << rows << " rows";
    }
  }
}

TEST(Space, EverySortHasALegalDefaultOfSearchedValuesOnEveryArchitecture) {
  std::vector<SortRequest> types;
  for (const ValueType key : kTypes) {
    if (key == ValueType::custom) continue;
    types.push_back({.input_type = key});
    for (const ValueType value : kTypes)
      for (const Sorted sorted : {Sorted::pairs, Sorted::indices, Sorted::keys_and_indices})
        if (value != ValueType::custom) types.push_back({.input_type = key, .value_type = value, .sorted = sorted});
    if (key != ValueType::u8 && key != ValueType::f64) continue;
    SortRequest custom{.input_type = key, .value_type = ValueType::custom, .sorted = Sorted::pairs};
    for (custom.custom_bytes = 1; custom.custom_bytes <= kMaxValueBytes; ++custom.custom_bytes)
      for (custom.custom_alignment = 1; custom.custom_alignment <= kVectorAlignmentBytes; custom.custom_alignment *= 2)
        types.push_back(custom);
  }
  std::vector<SortRequest> by_less;
  for (SortRequest request : types) {
    request.comparison = Comparison::source;
    by_less.push_back(request);
  }
  for (const Sorted sorted : {Sorted::keys, Sorted::pairs, Sorted::keys_and_indices})
    for (int bytes = 1; bytes <= kMaxValueBytes; ++bytes)
      for (int alignment = 1; alignment <= kVectorAlignmentBytes; alignment *= 2)
        by_less.push_back({.input_type = ValueType::custom,
                           .value_type = sorted == Sorted::pairs ? ValueType::custom : ValueType::u32,
                           .sorted = sorted,
                           .comparison = Comparison::source,
                           .custom_bytes = bytes,
                           .custom_alignment = alignment});
  types.insert(types.end(), by_less.begin(), by_less.end());
  int legal = 0;
  for (SortRequest request : types)
    for (const u64 n : kSizes)
      for (const auto& [segments, count] : {std::pair(Segments::none, u64{0}),
                                            {Segments::rows, 1},
                                            {Segments::rows, n / 1000 + 1},
                                            {Segments::rows, n},
                                            {Segments::offsets, 1},
                                            {Segments::offsets, n / 300 + 1},
                                            {Segments::offsets, n / 10 + 1},
                                            {Segments::offsets, 2 * n + 1}}) {
        request.n = n;
        request.segments = segments;
        request.rows = segments == Segments::rows ? count : 0;
        request.segment_count = segments == Segments::offsets ? count : 0;
        for (const auto& [key_bits, input_use] : {std::pair(KeyBits::all, InputUse::kept),
                                                  {KeyBits::all, InputUse::consumed},
                                                  {KeyBits::some, InputUse::consumed},
                                                  {KeyBits::none, InputUse::kept}}) {
          request.key_bits = key_bits;
          request.input_use = input_use;
          request.end_bit = request.bits = key_bits == KeyBits::some ? 7 : 0;
          if (unsupported_reason(request) != nullptr) continue;
          for (const int sm : kArchs)
            for (const FamilyModel* family : algorithm_of<SortRequest>().families()) {
              if (family->unsupported_reason(request, sm) != nullptr) continue;
              const Config config = family->default_config(request, sm);
              const char* const reason = reject_reason(config, request, sm);
              ASSERT_EQ(reason, nullptr) << reason << ": " << to_string(config) << " of " << to_string(Request(request))
                                         << ", sm " << sm;
              ASSERT_EQ(unlisted_parameter(config), "") << to_string(config);
              ++legal;
            }
        }
      }
  EXPECT_GT(legal, 1000);
}

TEST(Space, SortsByNoBitsAreCopiesAtEverySize) {
  for (const u64 n : kSizes) {
    const SortRequest request{.key_bits = KeyBits::none, .n = n};
    const Config config = default_config(Request(request), 90);
    EXPECT_EQ(config.family().name(), std::string_view("sort_onesweep")) << n;
    EXPECT_EQ(config.family().launches(config, request, Variant::any).count, 1) << n;
    EXPECT_EQ(config.family().workspace(config, request).bytes, 0u) << n;
  }
}

// Bits that no key has, and indices that do not fit.
TEST(Space, SortsFitTheirTypes) {
  const auto reason = [](SortRequest request) { return std::string(unsupported_reason(request)); };
  EXPECT_EQ(unsupported_reason(SortRequest{.input_type = ValueType::f64, .n = u64{1} << 40}), nullptr);
  EXPECT_TRUE(
      reason({.input_type = ValueType::custom, .custom_bytes = 4, .n = 1}).starts_with("keys of a custom type"));
  const SortRequest structs{.input_type = ValueType::custom, .comparison = Comparison::source, .n = 1};
  EXPECT_TRUE(reason(structs).starts_with("a custom type has 1 to 32 bytes"));
  SortRequest by_less{.comparison = Comparison::source, .n = 1};
  EXPECT_EQ(unsupported_reason(by_less), nullptr);
  by_less.key_bits = KeyBits::none;
  EXPECT_TRUE(reason(by_less).starts_with("less compares whole keys"));
  by_less = {.segments = Segments::rows, .comparison = Comparison::source, .n = 1, .rows = 1};
  EXPECT_TRUE(reason(by_less).starts_with("less puts all keys in one order"));
  by_less = {.sorted = Sorted::pairs, .load = Load::generated, .comparison = Comparison::source, .n = 1};
  EXPECT_TRUE(reason(by_less).starts_with("values are moved as they are where less compares keys"));
  EXPECT_TRUE(reason({.segments = Segments::columns, .n = 1}).starts_with("rows are sorted, and columns are not"));
  EXPECT_TRUE(reason({.segments = Segments::rows, .n = 1}).starts_with("there are items and no rows"));
  EXPECT_TRUE(reason({.value_type = ValueType::u64, .n = 1}).starts_with("value_type is for sorts with values"));
  const SortRequest indices{.sorted = Sorted::indices, .n = u64{1} << 32};
  EXPECT_EQ(unsupported_reason(indices), nullptr);
  for (const ValueType type : {ValueType::u16, ValueType::f32}) {
    SortRequest of_no_index = indices;
    of_no_index.value_type = type;
    EXPECT_TRUE(reason(of_no_index).starts_with("indices are integers of 4 or 8 bytes"));
  }
  SortRequest in_rows = indices;
  in_rows.n += 2;
  EXPECT_TRUE(reason(in_rows).starts_with("a row has more keys than indices of 32 bits can number"));
  in_rows.segments = Segments::rows;
  in_rows.rows = 2;
  EXPECT_EQ(unsupported_reason(in_rows), nullptr);
  in_rows.value_type = ValueType::i32;
  EXPECT_TRUE(reason(in_rows).starts_with("a row has more keys than indices of 32 bits can number"));
  EXPECT_TRUE(reason({.key_bits = KeyBits::some, .n = 1, .end_bit = 33, .bits = 1}).starts_with("bits end behind"));
  EXPECT_TRUE(reason({.key_bits = KeyBits::some, .n = 1, .end_bit = 3, .bits = 4}).starts_with("bits begin before"));
  EXPECT_TRUE(
      reason({.key_bits = KeyBits::some, .n = 1, .end_bit = 32, .bits = 0}).starts_with("no bits are compared"));
}

// A list of launches is short, and CTAs of the first merge make the doublings that it has no room for.
TEST(Space, MergesAnyNumberOfRunsInTheLaunchesThatThereAre) {
  const FamilyModel& family = *find_family("sort_merge");
  for (const u64 n :
       {u64{1}, u64{8704}, u64{8705}, u64{1} << 20, u64{1} << 28, (u64{1} << 28) + 1, u64{1} << 33, u64{1} << 36}) {
    const SortRequest request{.sorted = Sorted::pairs, .comparison = Comparison::source, .n = n};
    SortRequest typical = request;
    typical.n = u64{1} << 24;
    const Config config = family.default_config(typical, 90);
    const LaunchList list = family.launches(config, request, Variant::any);
    ASSERT_LE(list.count, LaunchList::kCapacity);
    EXPECT_EQ(list.launches[0].grid_blocks, ceil_div(n, u64{8704})) << n;
    u64 run = 8704;
    for (int place = 1; place < list.count; ++place) {
      const auto told = MergeLaunch::unpacked(list.launches[place].extents[1]);
      EXPECT_EQ(list.launches[place].extents[0], run) << n;
      EXPECT_TRUE(told.doublings == 1 || place == 1) << n;
      // A CTA has a tile of 2176 keys, or a group of runs.
      EXPECT_EQ(list.launches[place].grid_blocks, ceil_div(n, told.doublings == 1 ? 2176 : run << told.doublings)) << n;
      run <<= told.doublings;
      EXPECT_EQ(told.left == 0, place == list.count - 1) << n;
    }
    EXPECT_GE(run, n);
  }
}

// The product with the threads of a warp is 0 in 32 bits.
TEST(Space, RefusesMoreRowsThanACtaOfASortHasWarps) {
  const SortRequest request{.n = 100};
  const FamilyModel& family = *find_family("sort_block");
  Config config = family.default_config(request, 90);
  const auto parameters = family.parameters();
  const auto rows = std::ranges::find(parameters, std::string_view("rows_per_block"), &ParameterModel::name);
  config[static_cast<int>(rows - parameters.begin())] = 1 << 27;
  const char* const reason = reject_reason(config, request, 90);
  ASSERT_NE(reason, nullptr);
  EXPECT_TRUE(std::string_view(reason).starts_with("rows_per_block must be so few"));
}

}  // namespace
}  // namespace scantune
