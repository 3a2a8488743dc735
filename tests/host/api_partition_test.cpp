// Partitions by the public API, into two parts and into three. This file is linked with api_test.cpp, which sets the
// host device up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "api_selected.h"
#include "message_of.h"
#include "scantune/runtime.hpp"

namespace scantune::api_select_test {
namespace {

using runtime::Parts;
using runtime::Predicate;
using runtime::Workspace;

TEST(ApiPartition, PartitionsItemsStably) {
  const auto values = pairs();
  const auto is_odd = [](Pair x) { return x.key % 2 != 0; };
  const auto kept = kept_of(values, is_odd), others = kept_of(values, [&](Pair x) { return !is_odd(x); });
  const runtime::SelectOptions<Pair> options{.predicate = Predicate::source(kOddPairs)};
  for (const bool by_plan : {false, true}) {
    const Buffer<Pair> in(values);
    const Output<Pair> kept_out(kItems), rejected(kItems);
    const Buffer<Count> count(1);
    if (by_plan)
      runtime::partition_plan<Pair>(kItems, options)(in.data(), kept_out.data(), rejected.data(), count.data());
    else
      runtime::partition(in.data(), kept_out.data(), rejected.data(), count.data(), kItems, options);
    EXPECT_EQ(value_of(count), kept.size());
    expect_same(kept_out.first(kept.size()), kept);
    expect_same(rejected.first(others.size()), others);
  }
}

TEST(ApiPartition, PartitionsInPlace) {
  const auto values = items<int>();
  const auto kept = kept_of(values, [](int x) { return x > 0; }),
             others = kept_of(values, [](int x) { return x <= 0; });
  const Buffer<int> both(values);
  const Output<int> rejected(kItems);
  const Buffer<Count> count(1);
  runtime::partition(both.data(), both.data(), rejected.data(), count.data(), kItems,
                     {.predicate = Predicate::greater(0)});
  ASSERT_EQ(value_of(count), kept.size());
  std::vector<int> found(kItems);
  both.download(found.data());
  found.resize(kept.size());
  expect_same(found, kept);
  expect_same(rejected.first(others.size()), others);
}

TEST(ApiPartition, PartitionsIntoOneArray) {
  const auto values = pairs();
  const auto is_odd = [](Pair x) { return x.key % 2 != 0; };
  auto expected = values;
  const auto behind = std::ranges::stable_partition(expected, is_odd);
  runtime::SelectOptions<Pair> options{.predicate = Predicate::source(kOddPairs)};
  const auto plan = runtime::partition_into_one_plan<Pair>(kItems, options);
  const Buffer<unsigned char> memory(std::vector<unsigned char>(plan.workspace_bytes(), 0xa5));
  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE(way);
    const Buffer<Pair> in(values);
    const Output<Pair> out(kItems);
    const Buffer<Count> count(1);
    if (way == 0) runtime::partition_into_one(in.data(), out.data(), count.data(), kItems, options);
    if (way == 1) plan(in.data(), out.data(), count.data());
    if (way == 2) plan(in.data(), out.data(), count.data(), Workspace{memory.data(), memory.size()});
    EXPECT_EQ(value_of(count), kItems - behind.size());
    expect_same(out.first(kItems), expected);
  }

  std::ranges::reverse(behind);
  options.rest = runtime::Rest::reversed;
  const Buffer<Pair> in(values);
  const Output<Pair> out(kItems);
  const Buffer<Count> count(1);
  runtime::partition_into_one(in.data(), out.data(), count.data(), kItems, options);
  EXPECT_EQ(value_of(count), kItems - behind.size());
  expect_same(out.first(kItems), expected);
  const Output<Pair> others(kItems);
  EXPECT_THAT(message_of<RequestError>(
                  [&] { runtime::partition(in.data(), out.data(), others.data(), count.data(), kItems, options); }),
              testing::HasSubstr("rest is reversed"));
  EXPECT_THAT(message_of<RequestError>([&] { runtime::select(in.data(), out.data(), count.data(), kItems, options); }),
              testing::HasSubstr("rest is reversed"));
}

template <class T>
void expect_three_parts(const std::vector<T>& values, const runtime::ThreeWayOptions<T>& options,
                        const std::function<int(T)>& part_of) {
  std::vector<T> expected[3], all;
  for (const T& value : values) expected[part_of(value)].push_back(value);
  for (const auto& part : expected) all.insert(all.end(), part.begin(), part.end());
  const std::vector<Count> right{expected[0].size(), expected[1].size()};
  const Buffer<T> in(values);
  for (int way = 0; way < 4; ++way) {
    SCOPED_TRACE(way);
    const Output<T> first(kItems), second(kItems), rest(kItems);
    const Buffer<Count> counts(std::vector<Count>{99, 99});
    if (way == 0)
      runtime::three_way_partition(in.data(), first.data(), second.data(), rest.data(), counts.data(), kItems, options);
    if (way == 1)
      runtime::three_way_partition_plan<T>(kItems, options)(in.data(), first.data(), second.data(), rest.data(),
                                                            counts.data());
    if (way == 2) runtime::three_way_partition_into_one(in.data(), first.data(), counts.data(), kItems, options);
    if (way == 3)
      runtime::three_way_partition_into_one_plan<T>(kItems, options)(in.data(), first.data(), counts.data());
    std::vector<Count> found(2);
    counts.download(found.data());
    EXPECT_EQ(found, right);
    if (way >= 2) {
      expect_same(first.first(kItems), all);
      continue;
    }
    expect_same(first.first(right[0]), expected[0]);
    expect_same(second.first(right[1]), expected[1]);
    expect_same(rest.first(expected[2].size()), expected[2]);
  }
}

TEST(ApiPartition, TellsThreePartsApartAroundAPivot) {
  expect_three_parts<int>(items<int>(), {.parts = Parts::around(7L)}, [](int x) { return x < 7 ? 0 : x == 7 ? 1 : 2; });
  auto values = items<float>();
  for (std::size_t index = 0; index < kItems; index += 5) values[index] = std::nanf("");
  expect_three_parts<float>(values, {.parts = Parts::around(-3)}, [](float x) { return x < -3 ? 0 : x == -3 ? 1 : 2; });
}

TEST(ApiPartition, TellsThreePartsApartByASource) {
  expect_three_parts<Pair>(pairs(),
                           {.parts = Parts::source("struct Value { int key; float value; };\n"
                                                   "__device__ int part(Value item) { return item.key & 3; }\n")},
                           [](Pair x) { return std::min(x.key & 3, 2); });
  struct Limits {
    int low, high;
  };
  const char* const source =
      "struct State { int low, high; };\n"
      "__device__ int part(int item, State limits) { return item < limits.low ? 0 : item < limits.high ? 1 : -1; }\n";
  for (const Limits limits : {Limits{-20, 20}, Limits{0, 0}, Limits{1000, 1001}})
    expect_three_parts<int>(items<int>(), {.parts = Parts::source(source, limits)}, [&](int x) {
      return x < limits.low ? 0 : x < limits.high ? 1 : 2;
    });
}

TEST(ApiPartition, GivesEachOfThreePartsARoomOfItsOwn) {
  const auto values = items<int>();
  std::vector<int> parts[3];
  for (const int value : values) parts[value < 7 ? 0 : value == 7 ? 1 : 2].push_back(value);
  const Buffer<int> in(values);
  const Output<int> first(11), second(12), rest(kItems);
  const Buffer<Count> counts(2);
  runtime::three_way_partition(in.data(), first.data(), second.data(), rest.data(), counts.data(), kItems,
                               {.parts = Parts::around(7), .capacity = 11, .second_capacity = 12});
  std::vector<Count> found(2);
  counts.download(found.data());
  EXPECT_EQ(found, (std::vector<Count>{parts[0].size(), parts[1].size()}));
  expect_same(first.first(11), with_room(parts[0], 11));
  expect_same(second.first(12), with_room(parts[1], 12));
  expect_same(rest.first(parts[2].size()), parts[2]);
}

}  // namespace
}  // namespace scantune::api_select_test
