// The public API's scans and reductions of segments of any lengths. This file is linked with api_test.cpp, which sets
// the host device up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <ranges>
#include <vector>

#include "downloaded.h"
#include "message_of.h"
#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_segments_test {
namespace {

using runtime::Buffer;
using runtime::Direction;
using runtime::Kind;
using runtime::Op;

constexpr std::uint64_t kItems = 10'007;

std::vector<int> some_items() {
  std::vector<int> items(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index) items[index] = static_cast<int>(index * 7919 % 101) - 50;
  return items;
}

// Segments of 1 item, then longer ones, up to several tiles.
bool starts_at(std::uint64_t index) {
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(index)));
  return root * root == index || index % 4001 < 3;
}

std::vector<int> expected_sums(bool exclusive, bool reverse, int init) {
  const std::vector<int> items = some_items();
  std::vector<int> sums(kItems);
  int sum = init;
  for (std::uint64_t step = 0; step < kItems; ++step) {
    const std::uint64_t index = reverse ? kItems - 1 - step : step;
    if (step == 0 || starts_at(reverse ? index + 1 : index)) sum = init;
    sums[index] = exclusive ? sum : sum + items[index];
    sum += items[index];
  }
  return sums;
}

template <class Key>
std::vector<Key> keys() {
  std::vector<Key> all(kItems);
  int key = 0;
  for (std::uint64_t index = 0; index < kItems; ++index)
    all[index] = static_cast<Key>(starts_at(index) ? ++key % 3 : key % 3);
  return all;
}

template <class Key>
void expect_sums_by_key() {
  const Buffer<int> in(some_items()), out(kItems);
  const Buffer<Key> by(keys<Key>());
  runtime::scan_by_key(in.data(), by.data(), out.data(), kItems);
  EXPECT_EQ(downloaded(out), expected_sums(false, false, 0));
  runtime::scan_by_key_plan<int, Key>(kItems, {.kind = Kind::exclusive, .init = 7})(in.data(), by.data(), out.data());
  EXPECT_EQ(downloaded(out), expected_sums(true, false, 7));
}

TEST(ApiSegments, ScanRunsOfKeysOfEveryWidth) {
  expect_sums_by_key<std::int8_t>();
  expect_sums_by_key<std::uint16_t>();
  expect_sums_by_key<int>();
  expect_sums_by_key<long long>();
  expect_sums_by_key<float>();
  expect_sums_by_key<double>();
}

TEST(ApiSegments, ScanFromFlagToFlagInBothDirections) {
  std::vector<std::uint8_t> flags(kItems);
  std::vector<std::uint32_t> words(kItems / 32 + 1);
  for (std::uint64_t index = 1; index < kItems; ++index) {  // item 0 starts a segment without a flag
    flags[index] = starts_at(index) ? 0x80 : 0;
    words[index / 32] |= static_cast<std::uint32_t>(starts_at(index)) << index % 32;
  }
  const Buffer<int> in(some_items()), out(kItems);
  const Buffer<std::uint8_t> bytes(flags);
  const Buffer<std::uint32_t> bits(words);
  for (const bool reverse : {false, true})
    for (const bool exclusive : {false, true}) {
      const runtime::ScanOptions<int> options = {.kind = exclusive ? Kind::exclusive : Kind::inclusive,
                                                 .direction = reverse ? Direction::reverse : Direction::forward};
      const std::vector<int> expected = expected_sums(exclusive, reverse, 0);
      runtime::segmented_scan(in.data(), bytes.data(), out.data(), kItems, options);
      EXPECT_EQ(downloaded(out), expected);
      runtime::segmented_scan(in.data(), bits.data(), out.data(), kItems, options);
      EXPECT_EQ(downloaded(out), expected);
    }
  Buffer<int> both(some_items());
  runtime::flagged_scan_plan<int>(kItems, {.kind = Kind::exclusive})(both.data(), bytes.data(), both.data());
  EXPECT_EQ(downloaded(both), expected_sums(true, false, 0));
}

// An operator that does not commute, maps, and a number of items in memory.
TEST(ApiSegments, ScanWithEverythingThatScansHave) {
  struct Map {
    unsigned factor, offset;
    bool operator==(const Map&) const = default;
  };
  const auto make = [](int item) { return Map{static_cast<unsigned>(item) | 1u, static_cast<unsigned>(item) * 3u}; };
  const Op compose = Op::custom(
      "struct Value { unsigned factor, offset; };\n"
      "__device__ Value combine(Value a, Value b) { return {a.factor * b.factor, a.offset * b.factor + b.offset}; }",
      Map{1, 0});
  const runtime::UserFunction load =
      runtime::Map::source("__device__ Result load(int x) { return {(unsigned)x | 1u, (unsigned)x * 3u}; }");
  const std::vector<int> items = some_items();
  std::vector<Map> expected(kItems, Map{0, 0});
  constexpr std::uint32_t kScanned = 9'001;
  for (std::uint64_t index = 0; index < kScanned; ++index) {
    const Map its = make(items[index]);
    const Map before = index > 0 && !starts_at(index) ? expected[index - 1] : Map{1, 0};
    expected[index] = {before.factor * its.factor, before.offset * its.factor + its.offset};
  }
  const Buffer<int> in(items), by(keys<int>());
  const Buffer<Map> out(std::vector<Map>(kItems, Map{0, 0}));
  const Buffer<std::uint32_t> n(std::vector<std::uint32_t>{kScanned});
  runtime::scan_by_key<int, int, Map, Map>(in.data(), by.data(), out.data(), kItems,
                                           {.op = compose, .load = load, .device_n = n.data()});
  EXPECT_EQ(downloaded(out), expected);
}

template <class T>
struct Runs {
  std::vector<T> keys;
  std::vector<int> sums;
  std::vector<std::uint32_t> lengths;
};

template <class T>
Runs<T> expected_runs(const std::vector<T>& keys) {
  const std::vector<int> items = some_items();
  Runs<T> runs;
  for (std::uint64_t index = 0; index < keys.size(); ++index) {
    if (index == 0 || starts_at(index)) {
      runs.keys.push_back(keys[index]);
      runs.sums.push_back(0);
      runs.lengths.push_back(0);
    }
    runs.sums.back() += items[index];
    ++runs.lengths.back();
  }
  return runs;
}

// The results that are expected, and what was in the memory behind them.
template <class T>
void expect_first(const Buffer<T>& found, const std::vector<T>& expected, T before) {
  std::vector<T> all(expected);
  all.resize(found.size(), before);
  EXPECT_EQ(downloaded(found), all);
}

template <class Key, class CountType>
void expect_totals_by_key() {
  const std::vector<Key> all = keys<Key>();
  const Runs<Key> runs = expected_runs(all);
  const Buffer<int> in(some_items());
  const Buffer<Key> by(all);
  for (const bool by_plan : {false, true})
    for (const std::uint64_t room : {kItems, std::uint64_t{55}, std::uint64_t{0}}) {
      const Buffer<Key> run_keys(std::vector<Key>(kItems, Key{9}));
      const Buffer<int> sums(std::vector<int>(kItems, -9));
      const Buffer<CountType> count(1);
      const runtime::SegmentTotalOptions<int> options = {.capacity = room};
      if (by_plan)
        runtime::reduce_by_key_plan<int, Key, int, CountType>(kItems, options)(in.data(), by.data(), run_keys.data(),
                                                                               sums.data(), count.data());
      else
        runtime::reduce_by_key(in.data(), by.data(), run_keys.data(), sums.data(), count.data(), kItems, options);
      Runs<Key> fitting = runs;
      fitting.keys.resize(std::min<std::size_t>(room, runs.keys.size()));
      fitting.sums.resize(fitting.keys.size());
      expect_first(run_keys, fitting.keys, Key{9});
      expect_first(sums, fitting.sums, -9);
      EXPECT_EQ(downloaded(count), std::vector{static_cast<CountType>(runs.keys.size())});
    }
}

TEST(ApiSegments, ReduceRunsOfKeys) {
  expect_totals_by_key<std::int8_t, int>();
  expect_totals_by_key<std::int16_t, std::uint64_t>();
  expect_totals_by_key<float, std::uint32_t>();
  expect_totals_by_key<long long, long long>();
}

TEST(ApiSegments, ReduceFromFlagToFlag) {
  std::vector<std::uint8_t> flags(kItems);
  for (std::uint64_t index = 1; index < kItems; ++index) flags[index] = starts_at(index);
  const std::vector<int> expected = expected_runs(flags).sums;
  const Buffer<int> in(some_items()), sums(std::vector<int>(kItems, -9));
  const Buffer<std::uint8_t> by(flags);
  const Buffer<std::uint32_t> count(1);
  runtime::segmented_reduce(in.data(), by.data(), sums.data(), count.data(), kItems);
  expect_first(sums, expected, -9);
  EXPECT_EQ(downloaded(count), std::vector{static_cast<std::uint32_t>(expected.size())});
}

TEST(ApiSegments, CountTheItemsOfRuns) {
  const std::vector<std::int16_t> all = keys<std::int16_t>();
  const Runs<std::int16_t> runs = expected_runs(all);
  const Buffer<std::int16_t> in(all), values(std::vector<std::int16_t>(kItems, 9));
  const Buffer<std::uint32_t> lengths(std::vector<std::uint32_t>(kItems, 9));
  const Buffer<std::uint64_t> count(1);
  runtime::run_length_encode(in.data(), values.data(), lengths.data(), count.data(), kItems);
  expect_first(values, runs.keys, std::int16_t{9});
  expect_first(lengths, runs.lengths, 9u);
  EXPECT_EQ(downloaded(count), std::vector<std::uint64_t>{runs.keys.size()});
  runtime::run_length_encode_plan<std::int16_t>(kItems)(in.data(), values.data(), lengths.data(), count.data());
  EXPECT_EQ(downloaded(count), std::vector<std::uint64_t>{runs.keys.size()});
  const Buffer<std::uint32_t> n(std::vector<std::uint32_t>{100});
  runtime::run_length_encode(in.data(), values.data(), lengths.data(), count.data(), kItems, {.device_n = n.data()});
  EXPECT_EQ(downloaded(count),
            std::vector<std::uint64_t>{expected_runs(std::vector(all.begin(), all.begin() + 100)).keys.size()});
}

TEST(ApiSegments, CountNoTotalsOfNoItems) {
  const Buffer<int> memory(std::vector<int>(8, 5));
  Buffer<std::uint32_t> count(std::vector<std::uint32_t>{77});
  const Buffer<std::uint32_t> n(std::vector<std::uint32_t>{0});
  int* const none = nullptr;
  runtime::reduce_by_key(none, none, none, none, count.data(), 0);
  EXPECT_EQ(downloaded(count), std::vector{0u});
  const std::uint32_t before = 77;
  count.upload(&before);
  const Buffer<int> out(8), keys_out(8);
  runtime::reduce_by_key(memory.data(), memory.data(), keys_out.data(), out.data(), count.data(), 8,
                         {.device_n = n.data()});
  EXPECT_EQ(downloaded(count), std::vector{0u});
}

TEST(ApiSegments, AreThoseOfTheFunction) {
  const Buffer<int> memory(std::vector<int>(10, 1));
  EXPECT_THAT(message_of<RequestError>([&] {
                runtime::scan_by_key(memory.data(), memory.data(), memory.data() + 5, 5,
                                     {.segments = runtime::Segments::rows(1, 5)});
              }),
              testing::HasSubstr("segments is given"));
}

// ---- reductions by offsets ----

struct Ranges {
  std::vector<long long> begins, ends;
};

// Out of order, with gaps and overlaps, empty ones, and long ones that several warps share. With `wrong`, some begin
// below 0, end beyond the items or before they begin.
Ranges ranges(std::uint64_t count, bool wrong) {
  Ranges all;
  for (std::uint64_t segment = 0; segment < count; ++segment) {
    const auto begin = static_cast<long long>(segment * 7919 % kItems);
    const long long length = segment % 50 == 9 ? 9'000 : static_cast<long long>(segment * 31 % 40);
    all.begins.push_back(begin);
    all.ends.push_back(std::min<long long>(begin + length, kItems));
    if (wrong && segment % 10 == 3) all.begins.back() = -5;
    if (wrong && segment % 10 == 4) all.ends.back() = kItems + 9;
    if (wrong && segment % 10 == 5) all.ends.back() = begin - 1;
  }
  return all;
}

std::vector<int> sums_of(const Ranges& ranges, const std::vector<int>& inits) {
  const std::vector<int> items = some_items();
  std::vector<int> sums(inits);
  for (std::size_t segment = 0; segment < sums.size(); ++segment)
    for (long long item = std::max(ranges.begins[segment], 0LL);
         item < std::min<long long>(ranges.ends[segment], kItems); ++item)
      sums[segment] += items[static_cast<std::size_t>(item)];
  return sums;
}

template <class Offset>
std::vector<Offset> as(const std::vector<long long>& numbers) {
  return {numbers.begin(), numbers.end()};
}

template <class Offset>
void expect_sums_of_ranges(bool wrong) {
  constexpr std::uint64_t kCount = 203;
  const Ranges all = ranges(kCount, wrong);
  const Buffer<int> in(some_items()), out(kCount);
  const Buffer<Offset> begins(as<Offset>(all.begins)), ends(as<Offset>(all.ends));
  runtime::segmented_reduce(in.data(), begins.data(), ends.data(), out.data(), kItems, kCount, {.check = !wrong});
  EXPECT_EQ(downloaded(out), sums_of(all, std::vector<int>(kCount)));
  runtime::segmented_reduce_ranges_plan<int, Offset>(kItems, kCount, {.init = 3})(in.data(), begins.data(), ends.data(),
                                                                                  out.data());
  EXPECT_EQ(downloaded(out), sums_of(all, std::vector<int>(kCount, 3)));
}

TEST(ApiSegments, ReduceRangesOfEveryWidthInAnyOrder) {
  expect_sums_of_ranges<std::int32_t>(true);
  expect_sums_of_ranges<std::int64_t>(true);
  expect_sums_of_ranges<std::uint32_t>(false);
  expect_sums_of_ranges<std::uint64_t>(false);
}

// Whether a segment finds room on the list of long ones is by chance, and must not show: these have all items in
// common.
TEST(ApiSegments, ThatAreAlikeHaveTheSameBits) {
  constexpr std::uint64_t kCount = 30;
  std::vector<float> items(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index)
    items[index] = std::ldexp(1.0f + static_cast<float>(index * 7919 % 1013), static_cast<int>(index % 21));
  const Buffer<float> in(items), out(kCount);
  const Buffer<int> begins(std::vector<int>(kCount, 3)), ends(std::vector<int>(kCount, kItems - 2));
  const std::string of_group = R"("block_threads": 64, "long_tiles": 4)";
  for (const std::string threads : {"2", "32", "1024"}) {
    runtime::segmented_reduce(in.data(), begins.data(), ends.data(), out.data(), kItems, kCount,
                              {.config = R"({"family": "reduce_segments", "parameters": {"segment_threads": )" +
                                         threads + ", " + of_group + "}}"});
    const std::vector<float> sums = downloaded(out);
    if (is_rehearsal()) continue;
    EXPECT_EQ(std::count(sums.begin(), sums.end(), sums.front()), static_cast<long>(kCount)) << threads;
  }
}

// The offsets that CUB takes: those of the ends are the others, one further on.
TEST(ApiSegments, ReduceBetweenBounds) {
  const std::vector<int> bounds = {4, 4, 5, 40, 40, 9'000, 9'003, 10'007};
  const std::size_t count = bounds.size() - 1;
  Ranges all;
  for (std::size_t segment = 0; segment < count; ++segment) {
    all.begins.push_back(bounds[segment]);
    all.ends.push_back(bounds[segment + 1]);
  }
  const std::vector<int> expected = sums_of(all, std::vector<int>(count));
  const Buffer<int> in(some_items()), offsets(bounds), out(count), by_ends(count), by_plan(count);
  runtime::segmented_reduce(in.data(), offsets.data(), out.data(), kItems, count, {.check = true});
  EXPECT_EQ(downloaded(out), expected);
  runtime::segmented_reduce(in.data(), offsets.data(), offsets.data() + 1, by_ends.data(), kItems, count);
  EXPECT_EQ(downloaded(by_ends), expected);
  runtime::segmented_reduce_plan<int, int>(kItems, count)(in.data(), offsets.data(), by_plan.data());
  EXPECT_EQ(downloaded(by_plan), expected);
}

TEST(ApiSegments, ReduceFromAnInitForEachAndANumberOfThemInMemory) {
  constexpr std::uint64_t kCount = 100;
  constexpr int kReduced = 77;
  const Ranges all = ranges(kCount, false);
  std::vector<int> inits(kCount);
  for (std::size_t segment = 0; segment < kCount; ++segment) inits[segment] = static_cast<int>(segment * segment);
  std::vector<int> expected = sums_of(all, inits);
  std::fill(expected.begin() + kReduced, expected.end(), 41);
  const Buffer<int> in(some_items()), of_each(inits), out(std::vector<int>(kCount, 41)),
      number(std::vector<int>{kReduced});
  const Buffer<int> begins(as<int>(all.begins)), ends(as<int>(all.ends));
  runtime::segmented_reduce(in.data(), begins.data(), ends.data(), out.data(), kItems, kCount,
                            {.device_inits = of_each.data(), .device_segment_count = number.data()});
  EXPECT_EQ(downloaded(out), expected);
}

// Items that are made of those in memory, by an operator that does not commute and has no identity.
TEST(ApiSegments, ReduceWithEverythingThatReductionsHave) {
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
  const Buffer<int> in(items), offsets(std::vector<int>{0, 7, 7, 9'999});
  const Buffer<Ends> out(3);
  runtime::segmented_reduce<int, int, Ends, Ends>(in.data(), offsets.data(), out.data(), kItems, 3,
                                                  {.op = join, .load = load, .init = Ends{-1, -2}, .check = true});
  EXPECT_EQ(downloaded(out), (std::vector<Ends>{{-1, items[6]}, {-1, -2}, {-1, items[9'998]}}));
  EXPECT_THAT(message_of<RequestError>([&] {
                runtime::segmented_reduce<int, int, Ends, Ends>(in.data(), offsets.data(), out.data(), kItems, 3,
                                                                {.op = join, .load = load});
              }),
              testing::HasSubstr("a segment may be empty"));
}

TEST(ApiSegments, OfNoItemsYieldTheInitialValue) {
  const Buffer<int> offsets(std::vector<int>(4, 0)), out(std::vector<int>(3, 9));
  runtime::segmented_reduce(static_cast<const int*>(nullptr), offsets.data(), out.data(), 0, 3, {.init = 5});
  EXPECT_EQ(downloaded(out), std::vector<int>(3, 5));
  runtime::segmented_reduce(static_cast<const int*>(nullptr), offsets.data(), static_cast<int*>(nullptr), 0, 0);
}

template <class Offset>
std::string refusal(const std::vector<Offset>& begins, const std::vector<Offset>& ends = {}) {
  const std::uint64_t count = ends.empty() ? begins.size() - 1 : ends.size();
  const Buffer<int> in(some_items()), out(std::vector<int>(count, 41));
  const Buffer<Offset> first(begins), last(ends);
  const std::string text = message_of<RequestError>([&] {
    if (ends.empty())
      runtime::segmented_reduce(in.data(), first.data(), out.data(), 9, count, {.check = true});
    else
      runtime::segmented_reduce(in.data(), first.data(), last.data(), out.data(), 9, count, {.check = true});
  });
  EXPECT_EQ(downloaded(out), std::vector<int>(count, 41)) << "something was written";
  return is_rehearsal() ? text : text.substr(text.find(": ") + 2);
}

TEST(ApiSegments, NameTheFirstWrongOffset) {
  EXPECT_EQ(refusal<int>({3, -7, 9}), "offsets[1] is -7, and n is 9: no segment begins or ends outside the items");
  EXPECT_EQ(refusal<std::uint64_t>({3, 5, 10}),
            "offsets[2] is 10, and n is 9: no segment begins or ends outside the items");
  EXPECT_EQ(refusal<std::uint32_t>({0, 5, 4, 3}), "offsets[2] is 4, and offsets[1] is 5: offsets must not descend");
  EXPECT_EQ(refusal<std::int64_t>({5, 7, 2}, {6, 6, 1}),
            "ends[1] is 6, and begins[1] is 7: no segment ends before it begins");
  EXPECT_EQ(refusal<int>({5, 7}, {6, 10}), "ends[1] is 10, and n is 9: no segment begins or ends outside the items");
}

// Positions count from the first item of their segment.
TEST(ApiSegments, HaveTheirLeastItemsAndPositions) {
  const std::vector<int> bounds = {9, 3'000, 3'000, 3'004}, items = some_items();
  const Buffer<int> in(items), offsets(bounds), least(3);
  const Buffer<std::uint64_t> places(3);
  scantune_reduce_request request = SCANTUNE_REDUCE_REQUEST_INIT;
  request.head.n = kItems;
  request.input_type = request.output_type = SCANTUNE_I32;
  request.op = SCANTUNE_MIN;
  request.position = SCANTUNE_FIRST_POSITION;
  request.segments = SCANTUNE_BY_OFFSETS;
  request.segment_count = 3;
  scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
  arrays.of[SCANTUNE_INPUT] = in.data();
  arrays.of[SCANTUNE_OUTPUT] = least.data();
  arrays.of[SCANTUNE_INDICES] = places.data();
  arrays.of[SCANTUNE_BEGINS] = offsets.data();
  ASSERT_EQ(scantune_run(&request.head, &arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
  const auto at = [&](int first, int end) { return std::min_element(items.begin() + first, items.begin() + end); };
  const auto place = [&](int first, int end) {
    return static_cast<std::uint64_t>(at(first, end) - items.begin() - first);
  };
  EXPECT_EQ(downloaded(least), (std::vector<int>{*at(9, 3'000), INT32_MAX, *at(3'000, 3'004)}));
  EXPECT_EQ(downloaded(places), (std::vector<std::uint64_t>{place(9, 3'000), ~std::uint64_t{0}, place(3'000, 3'004)}));
}

// Each segment begins from a value of its own, of an operator that does not commute.
TEST(ApiSegments, BeginFromAValueOfEach) {
  std::vector<std::uint8_t> flags(kItems);
  std::vector<unsigned> items(kItems), inits;
  for (std::uint64_t index = 0; index < kItems; ++index) {
    flags[index] = starts_at(index) ? 1 : 0;
    items[index] = static_cast<unsigned>(index * 7919 % 101);
    if (index == 0 || flags[index] != 0) inits.push_back(static_cast<unsigned>(inits.size() * 13 + 5));
  }
  // The last one that 7 does not divide, or else the first: associative, and the order shows.
  const Op last_of =
      Op::custom("__device__ unsigned combine(unsigned a, unsigned b) { return b % 7 != 0 ? b : a; }", Op::no_identity);
  const auto last = [](unsigned a, unsigned b) { return b % 7 != 0 ? b : a; };
  std::vector<unsigned> inclusive(kItems), exclusive(kItems), totals;
  unsigned running = 0;
  std::size_t segment = 0;
  for (std::uint64_t index = 0; index < kItems; ++index) {
    if (index == 0 || flags[index] != 0) {
      if (index > 0) totals.push_back(running);
      running = inits[segment++];
    }
    exclusive[index] = running;
    inclusive[index] = running = last(running, items[index]);
  }
  totals.push_back(running);
  const Buffer<unsigned> in(items), out(kItems), sums(kItems), its_inits(inits);
  const Buffer<std::uint8_t> by(flags);
  const Buffer<std::uint64_t> count(1);
  runtime::segmented_scan(in.data(), by.data(), out.data(), kItems, {.op = last_of, .device_inits = its_inits.data()});
  EXPECT_EQ(downloaded(out), inclusive);
  runtime::segmented_scan(in.data(), by.data(), out.data(), kItems,
                          {.op = last_of, .kind = Kind::exclusive, .device_inits = its_inits.data()});
  EXPECT_EQ(downloaded(out), exclusive);
  runtime::segmented_reduce(in.data(), by.data(), sums.data(), count.data(), kItems,
                            {.op = last_of, .device_inits = its_inits.data()});
  ASSERT_EQ(downloaded(count).front(), totals.size());
  EXPECT_TRUE(std::ranges::equal(totals, downloaded(sums) | std::views::take(totals.size())));
}

// Encoded and decoded, with the number of runs on the host and in memory.
TEST(ApiSegments, DecodeRunsOfAnyLengths) {
  std::vector<short> items;
  for (int run = 0; run < 300; ++run)
    items.insert(items.end(), static_cast<std::size_t>(run % 17 == 0 ? 900 : run % 5 + 1), static_cast<short>(run));
  const std::uint64_t n = items.size(), room = 400;
  const Buffer<short> in(items), values(n), out(n), others(n);
  const Buffer<std::uint32_t> lengths(n);
  const Buffer<std::uint64_t> runs(1), offsets(room + 1);
  runtime::run_length_encode(in.data(), values.data(), lengths.data(), runs.data(), n);
  runtime::run_length_decode(values.data(), lengths.data(), 300, offsets.data(), out.data(), n);
  EXPECT_EQ(downloaded(out), items);
  runtime::run_length_decode(values.data(), lengths.data(), room, offsets.data(), others.data(), n,
                             {.device_runs = runs.data()});
  EXPECT_EQ(downloaded(others), items);
  EXPECT_EQ(downloaded(offsets).back(), n);
  runtime::run_length_decode<short>(nullptr, lengths.data(), 0, offsets.data(), out.data(), 0);  // nothing to do
}

TEST(ApiSegments, CountEachValue) {
  const std::vector<int> items = some_items();
  std::map<int, unsigned> expected;
  for (const int item : items) ++expected[item];
  const Buffer<int> in(items), sorted(kItems), values(kItems);
  const Buffer<unsigned> lengths(kItems), count(1);
  runtime::unique_counts(in.data(), sorted.data(), values.data(), lengths.data(), count.data(), kItems);
  ASSERT_EQ(downloaded(count).front(), expected.size());
  const std::vector<int> found = downloaded(values);
  const std::vector<unsigned> counts = downloaded(lengths);
  std::size_t place = 0;
  for (const auto& [value, times] : expected) {
    EXPECT_EQ(found[place], value);
    EXPECT_EQ(counts[place++], times);
  }
}

}  // namespace
}  // namespace scantune::api_segments_test
