// The public API's scans of segments that start at any item. This file is linked with api_test.cpp, which sets the host
// device up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

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

template <class T>
std::vector<T> downloaded(const Buffer<T>& buffer) {
  std::vector<T> values(buffer.size());
  buffer.download(values.data());
  return values;
}

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
  runtime::segmented_scan_plan<int>(kItems, {.kind = Kind::exclusive})(both.data(), bytes.data(), both.data());
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

}  // namespace
}  // namespace scantune::api_segments_test
