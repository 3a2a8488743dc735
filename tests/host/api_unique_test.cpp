// Runs of equal neighbours by the public API: their first items, with values or indices. This file is linked with
// api_test.cpp, which sets the host device up.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "api_selected.h"
#include "scantune/runtime.hpp"

namespace scantune::api_select_test {
namespace {

using runtime::Equality;

TEST(ApiUnique, KeepsTheFirstOfEachRunOfEqualNeighbours) {
  auto values = items<float>();
  values[9] = values[10] = std::nanf("");
  const auto expected = unique_of(values, std::equal_to<>());
  const auto call = [](const float* in, float* out, Count* count, std::uint64_t n) {
    runtime::unique_consecutive(in, out, count, n);
  };
  expect_kept<float>(values, expected, call);
  expect_kept<float>(std::vector<float>(kItems, 3), {3}, call);
  const Buffer<float> both(values);
  const Buffer<Count> count(1);
  call(both.data(), both.data(), count.data(), kItems);
  ASSERT_EQ(value_of(count), expected.size());
  std::vector<float> found(kItems);
  both.download(found.data());
  found.resize(expected.size());
  expect_same(found, expected);
}

TEST(ApiUnique, TellsNeighboursApartByASource) {
  const runtime::UserFunction same_key = Equality::source(
      "struct Value { int key; float weight; };\n"
      "__device__ bool equal(Value before, Value item) { return before.key == item.key; }");
  const auto values = pairs();
  const auto expected = unique_of(values, [](Pair before, Pair item) { return before.key == item.key; });
  expect_kept<Pair>(values, expected, [&](const Pair* in, Pair* out, Count* count, std::uint64_t n) {
    runtime::unique_consecutive(in, out, count, n, {.equality = same_key});
  });
  expect_kept<Pair>(values, expected, [&](const Pair* in, Pair* out, Count* count, std::uint64_t n) {
    runtime::unique_consecutive_plan<Pair>(n, {.equality = same_key})(in, out, count);
  });
  const int tolerance = 40;
  const runtime::UserFunction close = Equality::source(
      "struct State { int tolerance; };\n"
      "__device__ bool equal(int a, int b, State s) { int d = a < b ? b - a : a - b; return d <= s.tolerance; }",
      tolerance);
  const auto numbers = items<int>();
  expect_kept<int>(numbers, unique_of(numbers, [](int a, int b) { return std::abs(a - b) <= 40; }),
                   [&](const int* in, int* out, Count* count, std::uint64_t n) {
                     runtime::unique_consecutive(in, out, count, n, {.equality = close});
                   });
}

template <class Value>
void expect_unique_keys(bool by_plan) {
  const auto keys = items<int>();
  std::vector<Value> values(kItems);
  for (std::size_t index = 0; index < values.size(); ++index) values[index] = static_cast<Value>(index % 127);
  std::vector<int> expected_keys;
  std::vector<Value> expected_values;
  for (std::size_t index = 0; index < keys.size(); ++index)
    if (index == 0 || keys[index] != keys[index - 1]) {
      expected_keys.push_back(keys[index]);
      expected_values.push_back(values[index]);
    }
  const Buffer<int> device_keys(keys);
  const Buffer<Value> device_values(values);
  const Output<int> keys_out(kItems);
  const Output<Value> values_out(kItems);
  const Buffer<Count> count(1);
  if (by_plan)
    runtime::unique_by_key_plan<int, Value>(kItems)(device_keys.data(), device_values.data(), keys_out.data(),
                                                    values_out.data(), count.data());
  else
    runtime::unique_by_key(device_keys.data(), device_values.data(), keys_out.data(), values_out.data(), count.data(),
                           kItems);
  EXPECT_EQ(value_of(count), expected_keys.size());
  expect_same(keys_out.first(expected_keys.size()), expected_keys);
  expect_same(values_out.first(expected_values.size()), expected_values);
}

// A struct of so many bytes, of which each call for another number is another one.
template <int kBytes, int kAlignment>
struct alignas(kAlignment) Record {
  unsigned char bytes[kBytes];

  Record() = default;
  explicit Record(std::size_t number) {
    for (int byte = 0; byte < kBytes; ++byte) bytes[byte] = static_cast<unsigned char>(number * 7 + 31 * byte);
  }
};

TEST(ApiUnique, TakesValuesAlongWithTheirKeys) {
  expect_unique_keys<char>(false);
  expect_unique_keys<float>(true);
  expect_unique_keys<Record<8, 8>>(false);
  expect_unique_keys<Record<8, 4>>(true);
  expect_unique_keys<Record<3, 1>>(false);
  expect_unique_keys<Record<12, 4>>(true);
  expect_unique_keys<Record<16, 16>>(false);
  expect_unique_keys<Record<32, 8>>(true);
}

TEST(ApiUnique, TakesStructsAlongWithStructs) {
  const auto keys = pairs();
  const runtime::UniqueOptions options{
      .equality =
          Equality::source("struct Value { int key; float weight; };\n"
                           "__device__ bool equal(Value before, Value item) { return before.key == item.key; }")};
  const auto expected = unique_of(keys, [](Pair before, Pair item) { return before.key == item.key; });
  std::vector<Record<24, 8>> values, expected_values;
  for (std::size_t index = 0; index < kItems; ++index) {
    values.emplace_back(index);
    if (index == 0 || keys[index].key != keys[index - 1].key) expected_values.emplace_back(index);
  }
  const Buffer<Pair> in(keys);
  const Buffer<Record<24, 8>> values_in(values);
  const Output<Pair> out(kItems);
  const Output<Record<24, 8>> values_out(kItems);
  const Buffer<Count> count(1);
  runtime::unique_by_key(in.data(), values_in.data(), out.data(), values_out.data(), count.data(), kItems, options);
  EXPECT_EQ(value_of(count), expected.size());
  expect_same(out.first(expected.size()), expected);
  expect_same(values_out.first(expected.size()), expected_values);
}

TEST(ApiUnique, WritesTheIndicesOfTheFirstOfEachRun) {
  const auto values = items<int>();
  std::vector<std::uint32_t> expected;
  for (std::uint32_t index = 0; index < kItems; ++index)
    if (index == 0 || values[index] != values[index - 1]) expected.push_back(index);
  const Buffer<int> in(values);
  const Buffer<Count> count(1);
  for (const bool by_plan : {false, true}) {
    const Output<std::uint32_t> indices(kItems);
    if (by_plan)
      runtime::unique_indices_plan<int, std::uint32_t>(kItems)(in.data(), indices.data(), count.data());
    else
      runtime::unique_indices(in.data(), indices.data(), count.data(), kItems);
    EXPECT_EQ(value_of(count), expected.size());
    expect_same(indices.first(expected.size()), expected);
  }
}

}  // namespace
}  // namespace scantune::api_select_test
