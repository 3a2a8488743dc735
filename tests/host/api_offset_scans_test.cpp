// The public API's scans of segments by offsets. This file is linked with api_test.cpp, which sets the host device up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "downloaded.h"
#include "message_of.h"
#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_offset_scans_test {
namespace {

using runtime::Buffer;
using runtime::Direction;
using runtime::Kind;
using runtime::Op;

constexpr std::uint64_t kItems = 20'011, kCount = 203;
constexpr int kLeft = -77;  // what is in the output where no segment is

std::vector<int> some_items() {
  std::vector<int> items(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index) items[index] = static_cast<int>(index * 7919 % 101) - 50;
  return items;
}

struct Ranges {
  std::vector<long long> begins, ends;
};

// Out of order, with gaps, empty ones, and long ones that several warps share. With `wrong`, one begins below 0, one
// ends beyond the items and some before they begin.
Ranges ranges(bool wrong = false) {
  Ranges all{std::vector<long long>(kCount), std::vector<long long>(kCount)};
  long long place = 0;
  for (std::uint64_t number = 0; number < kCount; ++number) {
    const std::uint64_t segment = number * 37 % kCount;
    const long long length = number % 50 == 9 ? 3'900 : static_cast<long long>(number * 31 % 40);
    all.begins[segment] = place;
    all.ends[segment] = place + length;
    if (wrong && length == 0) all.ends[segment] = place - 1;
    place += length + static_cast<long long>(number % 3);
  }
  if (wrong) *std::ranges::max_element(all.ends) = kItems + 9;
  if (wrong) all.begins[37] = -5;  // the first that has items
  return all;
}

struct Asked {
  bool exclusive = false, reverse = false;
  std::vector<int> inits = std::vector<int>(kCount);
  std::uint64_t count = kCount;
};

// The sums of segments, and elsewhere what was there.
std::vector<int> sums_of(const Ranges& ranges, std::vector<int> results, const Asked& asked = {}) {
  const std::vector<int> items = some_items();
  for (std::size_t segment = 0; segment < asked.count; ++segment) {
    const auto begin = std::max(ranges.begins[segment], 0LL);
    const auto end = std::min<long long>(ranges.ends[segment], kItems);
    int sum = asked.inits[segment];
    for (long long step = 0; step < end - begin; ++step) {
      const auto item = static_cast<std::size_t>(asked.reverse ? end - 1 - step : begin + step);
      results[item] = asked.exclusive ? sum : sum + items[item];
      sum += items[item];
    }
  }
  return results;
}

template <class Offset>
std::vector<Offset> as(const std::vector<long long>& numbers) {
  return {numbers.begin(), numbers.end()};
}

template <class Offset>
void expect_sums_of_ranges(bool wrong) {
  const Ranges all = ranges(wrong);
  const Buffer<int> in(some_items()), out(std::vector<int>(kItems, kLeft)), in_place(some_items());
  const Buffer<Offset> begins(as<Offset>(all.begins)), ends(as<Offset>(all.ends));
  runtime::segmented_scan(in.data(), begins.data(), ends.data(), out.data(), kItems, kCount, {.check = !wrong});
  EXPECT_EQ(downloaded(out), sums_of(all, std::vector<int>(kItems, kLeft)));
  runtime::segmented_scan_ranges_plan<int, Offset>(kItems, kCount, {.kind = Kind::exclusive, .init = 3})(
      in_place.data(), begins.data(), ends.data(), in_place.data());
  EXPECT_EQ(downloaded(in_place),
            sums_of(all, some_items(), {.exclusive = true, .inits = std::vector<int>(kCount, 3)}));
}

TEST(ApiOffsetScans, ScanRangesOfEveryWidthInAnyOrder) {
  expect_sums_of_ranges<std::int32_t>(true);
  expect_sums_of_ranges<std::int64_t>(true);
  expect_sums_of_ranges<std::uint32_t>(false);
  expect_sums_of_ranges<std::uint64_t>(false);
}

// The offsets that CUB takes: those of the ends are the others, one further on.
TEST(ApiOffsetScans, ScanBetweenBounds) {
  const std::vector<int> bounds = {4, 4, 5, 40, 40, 9'000, 9'003, 20'007};
  const std::size_t count = bounds.size() - 1;
  const Ranges all{{bounds.begin(), bounds.end() - 1}, {bounds.begin() + 1, bounds.end()}};
  const Buffer<int> in(some_items()), offsets(bounds), out(std::vector<int>(kItems, kLeft)),
      by_ends(std::vector<int>(kItems, kLeft)), by_plan(std::vector<int>(kItems, kLeft));
  const int* const begins = offsets.data();
  const std::vector<int> sums = sums_of(all, std::vector<int>(kItems, kLeft), {.count = count});
  runtime::segmented_scan(in.data(), begins, out.data(), kItems, count, {.check = true});
  EXPECT_EQ(downloaded(out), sums);
  runtime::segmented_scan(in.data(), begins, begins + 1, by_ends.data(), kItems, count);
  EXPECT_EQ(downloaded(by_ends), sums);
  const auto plan = runtime::segmented_scan_plan<int, int>(kItems, count, {.direction = Direction::reverse});
  plan(in.data(), begins, by_plan.data());
  EXPECT_EQ(downloaded(by_plan), sums_of(all, std::vector<int>(kItems, kLeft), {.reverse = true, .count = count}));
  EXPECT_THAT(plan.describe(), testing::HasSubstr("scan_segments"));
}

TEST(ApiOffsetScans, ScanFromAnInitForEachAndANumberOfThemInMemory) {
  constexpr int kScanned = 177;
  const Ranges all = ranges();
  Asked asked{.exclusive = true, .count = kScanned};
  std::iota(asked.inits.begin(), asked.inits.end(), 1'000);
  const Buffer<int> in(some_items()), of_each(asked.inits), out(std::vector<int>(kItems, kLeft)),
      number(std::vector<int>{kScanned});
  const Buffer<int> begins(as<int>(all.begins)), ends(as<int>(all.ends));
  runtime::segmented_scan(
      in.data(), begins.data(), ends.data(), out.data(), kItems, kCount,
      {.kind = Kind::exclusive, .device_inits = of_each.data(), .device_segment_count = number.data()});
  EXPECT_EQ(downloaded(out), sums_of(all, std::vector<int>(kItems, kLeft), asked));
}

// Items that are made of those in memory, by an operator that does not commute and has no identity.
TEST(ApiOffsetScans, ScanWithEverythingThatScansHave) {
  struct Ends {
    int first, last;
    bool operator==(const Ends&) const = default;
  };
  const Op join = Op::custom(
      "struct Value { int first, last; };\n"
      "__device__ Value combine(Value a, Value b) { return {a.first, b.last}; }",
      Op::no_identity);
  const runtime::UserFunction load = runtime::Map::source("__device__ Result load(int x) { return {x, x}; }");
  const std::vector<int> items = some_items();
  const Buffer<int> in(items), offsets(std::vector<int>{0, 7, 7, 19'999});
  const Buffer<Ends> out(kItems);
  runtime::segmented_scan<int, int, Ends, Ends>(in.data(), offsets.data(), out.data(), kItems, 3,
                                                {.op = join, .load = load, .check = true});
  const std::vector<Ends> found = downloaded(out);
  if (is_rehearsal()) return;
  for (std::size_t item = 0; item < 19'999; ++item)
    ASSERT_EQ(found[item], (Ends{items[item < 7 ? 0 : 7], items[item]})) << item;
}

TEST(ApiOffsetScans, OfNoItemsDoNothing) {
  const Buffer<int> offsets(std::vector<int>(4, 0));
  runtime::segmented_scan(static_cast<const int*>(nullptr), offsets.data(), static_cast<int*>(nullptr), 0, 3);
}

template <class Offset>
std::string refusal(const std::vector<Offset>& begins, const std::vector<Offset>& ends = {}) {
  const std::uint64_t count = ends.empty() ? begins.size() - 1 : ends.size();
  const Buffer<int> in(some_items()), out(std::vector<int>(kItems, kLeft));
  const Buffer<Offset> first(begins), last(ends);
  const std::string text = message_of<RequestError>([&] {
    if (ends.empty())
      runtime::segmented_scan(in.data(), first.data(), out.data(), 9, count, {.check = true});
    else
      runtime::segmented_scan(in.data(), first.data(), last.data(), out.data(), kItems, count, {.check = true});
  });
  EXPECT_EQ(downloaded(out), std::vector<int>(kItems, kLeft)) << "something was written";
  return is_rehearsal() || text.empty() ? text : text.substr(text.find(": ") + 2);
}

TEST(ApiOffsetScans, NameTheFirstWrongOffset) {
  EXPECT_EQ(refusal<int>({3, -7, 9}), "offsets[1] is -7, and n is 9: no segment begins or ends outside the items");
  EXPECT_EQ(refusal<std::uint32_t>({0, 5, 4, 3}), "offsets[2] is 4, and offsets[1] is 5: offsets must not descend");
  // This comes before segments that have items in common.
  EXPECT_EQ(refusal<std::int64_t>({5, 5, 7}, {9, 9, 2}),
            "ends[2] is 2, and begins[2] is 7: no segment ends before it begins");
}

TEST(ApiOffsetScans, NameTheFirstSegmentThatHasItemsOfAnother) {
  const std::string other = ": another segment has some of these items";
  EXPECT_EQ(refusal<int>({5, 100, 40, 7}, {6, 140, 101, 8}), "begins[1] is 100, and ends[1] is 140" + other);
  EXPECT_EQ(refusal<std::uint64_t>({0, 30, 31, 0, 31}, {0, 31, 9'000, 20'011, 31}),
            "begins[1] is 30, and ends[1] is 31" + other);
  EXPECT_EQ(refusal<int>({9, 9'000, 3}, {9, 15'000, 10'000}), "begins[1] is 9000, and ends[1] is 15000" + other);
}

// An exclusive result begins from its initial value, though no item has it, wherever the segment begins.
TEST(ApiOffsetScans, BeginFromValuesThatTheInputCannotHold) {
  std::vector<std::uint8_t> items(kItems);
  std::vector<std::uint32_t> offsets{0};
  for (std::uint64_t index = 0; index < kItems; ++index) items[index] = static_cast<std::uint8_t>(index * 37 % 251 + 1);
  while (offsets.back() < kItems)
    offsets.push_back(
        std::min<std::uint32_t>(kItems, offsets.back() + static_cast<std::uint32_t>(offsets.size() % 45)));
  const Buffer<std::uint8_t> in(items);
  const Buffer<std::uint32_t> by(offsets), out(kItems);
  const auto expected = [&](std::uint32_t init, const auto& combine) {
    std::vector<std::uint32_t> results(kItems);
    for (std::size_t segment = 0; segment + 1 < offsets.size(); ++segment)
      for (std::uint32_t index = offsets[segment], running = init; index < offsets[segment + 1]; ++index) {
        results[index] = running;
        running = combine(running, items[index]);
      }
    return results;
  };
  runtime::segmented_scan(in.data(), by.data(), out.data(), kItems, offsets.size() - 1,
                          {.op = Op::min, .kind = Kind::exclusive, .init = 1'000u});
  EXPECT_EQ(downloaded(out), expected(1'000, [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); }));
  runtime::segmented_scan(in.data(), by.data(), out.data(), kItems, offsets.size() - 1,
                          {.op = Op::bit_and, .kind = Kind::exclusive, .init = ~0u});
  EXPECT_EQ(downloaded(out), expected(~0u, [](std::uint32_t a, std::uint32_t b) { return a & b; }));
}

}  // namespace
}  // namespace scantune::api_offset_scans_test
