// The public API's sorts of segments by offsets. This file is linked with api_test.cpp, which sets the host device up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "downloaded.h"
#include "message_of.h"
#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_segmented_sort_test {
namespace {

using runtime::Buffer;
using runtime::Consumed;
using runtime::Order;

constexpr std::uint64_t kItems = 20'011, kCount = 203;
constexpr float kLeft = -77;  // what is in the output where no segment is
// Lanes of a warp sort the shortest ones, and of the others few fit a CTA.
const std::string kConfig =
    R"({"family": "sort_segments", "parameters": {"block_threads": 64, "items_per_thread": 4, "segments_per_warp": 8, )"
    R"("long_threads": 64, "long_items": 4, "radix_items": 2}})";

std::vector<float> some_keys() {
  std::vector<float> keys(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index) keys[index] = static_cast<float>(index * 7919 % 101) - 50;
  return keys;
}

struct Ranges {
  std::vector<long long> begins, ends;
};

// From the last items to the first, with gaps and empty ones: most have fewer than 60 keys, and some thousands. With
// `wrong`, the outermost reach beyond the items, and empty ones end before they begin.
Ranges ranges(bool wrong) {
  std::vector<long long> starts(kCount);
  for (std::uint64_t segment = 0; segment < kCount; ++segment)
    starts[segment] = static_cast<long long>(segment * segment * kItems / (kCount * kCount));
  Ranges all;
  for (std::uint64_t segment = kCount; segment-- > 0;) {
    const long long begin = starts[segment];
    const long long end = segment + 1 < kCount ? starts[segment + 1] : static_cast<long long>(kItems);
    const bool is_empty = segment % 10 == 4;
    all.begins.push_back(begin);
    all.ends.push_back(is_empty ? (wrong ? begin - 1 : begin) : end - (end - begin) / 8);
  }
  // One of a fourth of all keys.
  const auto fourth = static_cast<long long>(kItems / 4);
  for (std::uint64_t segment = 0; segment < kCount; ++segment)
    if (all.begins[segment] < fourth) all.begins[segment] = all.ends[segment] = 9;
  all.begins.back() = wrong ? -5 : 0;
  all.ends.back() = fourth - 3;
  if (wrong) all.ends.front() = kItems + 9;
  return all;
}

template <class Visit>
void for_each(const Ranges& ranges, const Visit& visit) {
  for (std::uint64_t segment = 0; segment < ranges.begins.size(); ++segment) {
    const long long begin = std::max(ranges.begins[segment], 0LL);
    visit(begin, std::max(begin, std::min<long long>(ranges.ends[segment], kItems)));
  }
}

// The input index of the key in each place; that of no key where there is none.
std::vector<std::uint32_t> order_of(const Ranges& ranges, bool descending = false) {
  const std::vector<float> keys = some_keys();
  std::vector<std::uint32_t> order(kItems);
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::uint32_t> result(kItems, ~0u);
  for_each(ranges, [&](long long begin, long long end) {
    std::stable_sort(order.begin() + begin, order.begin() + end, [&](std::uint32_t one, std::uint32_t other) {
      return descending ? keys[one] > keys[other] : keys[one] < keys[other];
    });
    std::copy(order.begin() + begin, order.begin() + end, result.begin() + begin);
  });
  return result;
}

std::vector<float> sorted_keys(const std::vector<std::uint32_t>& order) {
  const std::vector<float> keys = some_keys();
  std::vector<float> result(kItems, kLeft);
  for (std::uint64_t place = 0; place < kItems; ++place)
    if (order[place] != ~0u) result[place] = keys[order[place]];
  return result;
}

template <class Offset>
std::vector<Offset> as(const std::vector<long long>& numbers) {
  return {numbers.begin(), numbers.end()};
}
Buffer<float> unwritten() { return Buffer<float>(std::vector<float>(kItems, kLeft)); }

template <class Offset>
void expect_sorted_ranges(bool wrong) {
  const Ranges all = ranges(wrong);
  const std::vector<float> expected = sorted_keys(order_of(all, true));
  const Buffer<float> in(some_keys()), out = unwritten(), by_plan = unwritten();
  const Buffer<Offset> begins(as<Offset>(all.begins)), ends(as<Offset>(all.ends));
  runtime::segmented_sort(in.data(), begins.data(), ends.data(), out.data(), kItems, kCount,
                          {.order = Order::descending, .check = !wrong, .config = kConfig});
  EXPECT_EQ(downloaded(out), expected);
  runtime::segmented_sort_ranges_plan<float, Offset>(kItems, kCount, {.order = Order::descending})(
      in.data(), begins.data(), ends.data(), by_plan.data());
  EXPECT_EQ(downloaded(by_plan), expected);
  EXPECT_EQ(downloaded(in), some_keys());
}

TEST(ApiSegmentedSort, SortsRangesOfEveryWidthWhereTheyLie) {
  expect_sorted_ranges<std::int32_t>(true);
  expect_sorted_ranges<std::int64_t>(true);
  expect_sorted_ranges<std::uint32_t>(false);
  expect_sorted_ranges<std::uint64_t>(false);
}

// The offsets that CUB takes: those of the ends are the others, one further on.
TEST(ApiSegmentedSort, SortsBetweenBounds) {
  const std::vector<int> bounds = {4, 4, 5, 40, 40, 9'000, 9'003, 20'007};
  const std::size_t count = bounds.size() - 1;
  Ranges all;
  for (std::size_t segment = 0; segment < count; ++segment) {
    all.begins.push_back(bounds[segment]);
    all.ends.push_back(bounds[segment + 1]);
  }
  const std::vector<float> expected = sorted_keys(order_of(all));
  const Buffer<float> in(some_keys()), out = unwritten(), by_ends = unwritten(), by_plan = unwritten();
  const Buffer<int> offsets(bounds);
  runtime::segmented_sort(in.data(), offsets.data(), out.data(), kItems, count, {.check = true, .config = kConfig});
  EXPECT_EQ(downloaded(out), expected);
  runtime::segmented_sort(in.data(), offsets.data(), offsets.data() + 1, by_ends.data(), kItems, count);
  EXPECT_EQ(downloaded(by_ends), expected);
  runtime::segmented_sort_plan<float, int>(kItems, count, {.config = kConfig})(in.data(), offsets.data(),
                                                                               by_plan.data());
  EXPECT_EQ(downloaded(by_plan), expected);
}

struct Point {
  float x;
  std::uint32_t id;
  float y;
  bool operator==(const Point&) const = default;
};

// Values and indices by functions and by plans, of inputs that are kept and of those that are consumed.
TEST(ApiSegmentedSort, MovesValuesAndTellsPlaces) {
  const Ranges all = ranges(false);
  const std::vector<std::uint32_t> order = order_of(all);
  const std::vector<float> keys = sorted_keys(order);
  constexpr Point kNoPoint{1, 2, 3};
  std::vector<Point> points(kItems), moved(kItems, kNoPoint);
  for (std::uint32_t index = 0; index < kItems; ++index) points[index] = {1.5f, index, static_cast<float>(index)};
  std::vector<std::uint32_t> places(kItems, ~0u);
  for_each(all, [&](long long begin, long long end) {
    for (long long place = begin; place < end; ++place) {
      const auto at = static_cast<std::size_t>(place);
      moved[at] = points[order[at]];
      places[at] = order[at] - static_cast<std::uint32_t>(begin);
    }
  });
  const Buffer<float> in(some_keys());
  const Buffer<Point> values(points);
  const Buffer<int> begins(as<int>(all.begins)), ends(as<int>(all.ends));
  const auto expect_pairs = [&](const char* what, const auto& sort) {
    const Buffer<float> out = unwritten();
    const Buffer<Point> out_values(std::vector<Point>(kItems, kNoPoint));
    sort(out.data(), out_values.data());
    EXPECT_EQ(downloaded(out), keys) << what;
    EXPECT_TRUE(is_rehearsal() || downloaded(out_values) == moved) << what;
  };
  const Buffer<float> given(some_keys());
  const Buffer<Point> given_values(points);
  expect_pairs("by a function", [&](float* out, Point* out_values) {
    runtime::segmented_sort(in.data(), begins.data(), ends.data(), out, kItems, kCount,
                            {.values = {values.data(), out_values}, .config = kConfig});
  });
  expect_pairs("by a plan", [&](float* out, Point* out_values) {
    runtime::segmented_sort_pairs_ranges_plan<float, Point, int>(kItems, kCount)(
        in.data(), values.data(), begins.data(), ends.data(), out, out_values);
  });
  expect_pairs("consumed", [&](float* out, Point* out_values) {
    runtime::segmented_sort(
        Consumed(given.data()), begins.data(), ends.data(), out, kItems, kCount,
        {.bits = {0, 32}, .values = {Consumed(given_values.data()), out_values}, .config = kConfig});
  });
  const auto expect_places = [&](const char* what, bool has_keys, const auto& sort) {
    const Buffer<float> out = unwritten();
    const Buffer<std::uint32_t> indices(std::vector<std::uint32_t>(kItems, ~0u));
    sort(out.data(), indices.data());
    EXPECT_TRUE(!has_keys || downloaded(out) == keys || is_rehearsal()) << what;
    EXPECT_EQ(downloaded(indices), places) << what;
  };
  expect_places("beside keys", true, [&](float* out, std::uint32_t* indices) {
    runtime::segmented_sort(in.data(), begins.data(), ends.data(), out, kItems, kCount,
                            {.indices = indices, .config = kConfig});
  });
  expect_places("beside keys, by a plan", true, [&](float* out, std::uint32_t* indices) {
    runtime::segmented_sort_indices_ranges_plan<float, std::uint32_t, int>(kItems, kCount)(in.data(), begins.data(),
                                                                                           ends.data(), out, indices);
  });
  expect_places("alone", false, [&](float*, std::uint32_t* indices) {
    runtime::segmented_argsort(in.data(), begins.data(), ends.data(), indices, kItems, kCount, {.config = kConfig});
  });
  expect_places("alone, by a plan", false, [&](float*, std::uint32_t* indices) {
    runtime::segmented_argsort_ranges_plan<float, std::uint32_t, int>(kItems, kCount)(in.data(), begins.data(),
                                                                                      ends.data(), indices);
  });
}

TEST(ApiSegmentedSort, SortsAsManyAsMemorySays) {
  constexpr int kSorted = 77;
  Ranges all = ranges(false);
  const Buffer<int> begins(as<int>(all.begins)), ends(as<int>(all.ends)), number(std::vector<int>{kSorted});
  all.begins.resize(kSorted);
  all.ends.resize(kSorted);
  const Buffer<float> in(some_keys()), out = unwritten();
  runtime::segmented_sort(in.data(), begins.data(), ends.data(), out.data(), kItems, kCount,
                          {.device_segment_count = number.data(), .config = kConfig});
  EXPECT_EQ(downloaded(out), sorted_keys(order_of(all)));
}

// Of segments that have items in common nothing else is written, though they change what the others read.
TEST(ApiSegmentedSort, WritesNoOtherItemsWhereSegmentsOverlap) {
  constexpr int kBegin = 1'000, kEnd = 2'500;
  Ranges all;
  for (int segment = 0; segment < 9; ++segment) {
    all.begins.push_back(kBegin + segment * 37 % 300);
    all.ends.push_back(kEnd - segment * 41 % 300);
  }
  all.begins.push_back(kBegin);
  all.ends.push_back(kEnd);
  const Buffer<int> begins(as<int>(all.begins)), ends(as<int>(all.ends));
  const Buffer<float> in(some_keys()), out = unwritten();
  const Buffer<std::uint32_t> indices(std::vector<std::uint32_t>(kItems, ~0u));
  for (int time = 0; time < 3; ++time)
    runtime::segmented_sort(in.data(), begins.data(), ends.data(), out.data(), kItems, all.begins.size(),
                            {.indices = indices.data(), .config = kConfig});
  const std::vector<float> found = downloaded(out);
  const std::vector<std::uint32_t> places = downloaded(indices);
  for (std::uint64_t item = 0; item < kItems; ++item)
    if (item < kBegin || item >= kEnd) {
      ASSERT_EQ(found[item], kLeft) << item;
      ASSERT_EQ(places[item], ~0u) << item;
    }
}

TEST(ApiSegmentedSort, OfNoKeysWritesNothing) {
  const Buffer<int> offsets(std::vector<int>(4, 0));
  runtime::segmented_sort<float>(nullptr, offsets.data(), nullptr, 0, 3);
  runtime::segmented_sort<float, int>(nullptr, nullptr, nullptr, 0, 0);
}

template <class Offset>
std::string refusal(const std::vector<Offset>& begins, const std::vector<Offset>& ends = {}) {
  const std::uint64_t count = ends.empty() ? begins.size() - 1 : ends.size();
  const Buffer<float> in(some_keys()), out = unwritten();
  const Buffer<Offset> first(begins), last(ends);
  const std::string text = message_of<RequestError>([&] {
    if (ends.empty())
      runtime::segmented_sort(in.data(), first.data(), out.data(), 9, count, {.check = true});
    else
      runtime::segmented_sort(in.data(), first.data(), last.data(), out.data(), 9, count, {.check = true});
  });
  EXPECT_EQ(downloaded(out), std::vector<float>(kItems, kLeft)) << "something was written";
  return is_rehearsal() ? text : text.substr(text.find(": ") + 2);
}

TEST(ApiSegmentedSort, NamesTheFirstWrongOffset) {
  EXPECT_EQ(refusal<int>({3, -7, 9}), "offsets[1] is -7, and n is 9: no segment begins or ends outside the items");
  EXPECT_EQ(refusal<std::uint32_t>({0, 5, 4, 3}), "offsets[2] is 4, and offsets[1] is 5: offsets must not descend");
  EXPECT_EQ(refusal<std::int64_t>({5, 7, 2}, {6, 6, 1}),
            "ends[1] is 6, and begins[1] is 7: no segment ends before it begins");
  EXPECT_EQ(refusal<int>({5, 0, 3}, {8, 2, 6}),
            "begins[0] is 5, and ends[0] is 8: another segment has some of these items");
}

}  // namespace
}  // namespace scantune::api_segmented_sort_test
