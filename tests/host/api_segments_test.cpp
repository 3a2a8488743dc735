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
