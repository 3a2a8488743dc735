// The public API's maps: items that functions of the caller's own make on the way in, and results that they take on the
// way out. This file is linked with api_test.cpp, which sets the host device up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "api_maps.h"
#include "message_of.h"
#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_maps_test {
namespace {

using runtime::Kind;
using runtime::Map;
using runtime::Op;
using runtime::Segments;
using testing::AllOf;
using testing::HasSubstr;

TEST(ApiMaps, LoadsCountTheFloatsAboveZero) {
  const std::vector<float> values = some_floats();
  const Buffer<float> in(values);
  const Buffer<int> out(kItems), count(1);
  const runtime::UserFunction above = Map::source("__device__ int load(float x) { return x > 0; }");
  runtime::scan<float, int, int>(in.data(), out.data(), kItems, {.load = above});
  runtime::reduce<float, int, int>(in.data(), count.data(), kItems, {.load = above});
  std::vector<int> expected(kItems);
  std::transform_inclusive_scan(values.begin(), values.end(), expected.begin(), std::plus<>(),
                                [](float x) { return x > 0 ? 1 : 0; });
  EXPECT_EQ(downloaded(out), expected);
  EXPECT_EQ(downloaded(count), std::vector{expected.back()});
}

TEST(ApiMaps, LoadsMakeOnesOfBytesThatAreNoBool) {
  std::vector<unsigned char> bytes(kItems);
  for (std::size_t index = 0; index < bytes.size(); ++index) bytes[index] = static_cast<unsigned char>(index % 256);
  const Buffer<unsigned char> in(bytes);
  const Buffer<int> out(kItems);
  runtime::scan<unsigned char, int, int>(
      in.data(), out.data(), kItems, {.load = Map::source("__device__ int load(unsigned char x) { return x != 0; }")});
  std::vector<int> expected(kItems);
  std::transform_inclusive_scan(bytes.begin(), bytes.end(), expected.begin(), std::plus<>(),
                                [](unsigned char x) { return x != 0 ? 1 : 0; });
  EXPECT_EQ(downloaded(out), expected);
}

struct Limit {
  float least;
};
const std::string kAboveLimit =
    "struct State { float least; };\n"
    "__device__ int load(float x, State state) { return x > state.least; }";

TEST(ApiMaps, AnotherStateIsServedByTheSameKernels) {
  const std::vector<float> values = some_floats();
  const Buffer<float> in(values);
  const Buffer<int> out(1);
  for (const float least : {-2.0f, 1.0f, 4.0f}) {
    runtime::reduce<float, int, int>(in.data(), out.data(), kItems, {.load = Map::source(kAboveLimit, Limit{least})});
    const auto expected = std::ranges::count_if(values, [&](float x) { return x > least; });
    EXPECT_EQ(downloaded(out), std::vector{static_cast<int>(expected)}) << least;
  }
  // The description names the kernels by their keys.
  const auto described = [](float least) {
    return runtime::describe<float, int, int>(kItems, {.load = Map::source(kAboveLimit, Limit{least})});
  };
  EXPECT_EQ(described(1), described(2));
  EXPECT_NE(described(1), (runtime::describe<float, int, int>(
                              kItems, {.load = Map::source("__device__ int load(float) { return 1; }")})));
}

TEST(ApiMaps, PlansKeepTheStateTheyWereMadeWith) {
  const std::vector<float> values = some_floats();
  const Buffer<float> in(values);
  const Buffer<int> out(kItems);
  const auto plan_of = [](float least) {
    return runtime::plan<float, int, int>(kItems, {.load = Map::source(kAboveLimit, Limit{least})});
  };
  const auto low = plan_of(-2), high = plan_of(4);
  for (const auto& [plan, least] : {std::pair(high, 4.0f), {low, -2.0f}, {high, 4.0f}}) {
    plan(in.data(), out.data());
    EXPECT_EQ(downloaded(out).back(), std::ranges::count_if(values, [&](float x) { return x > least; })) << least;
  }
}

// Remainders are combined by an operator whose modulus comes with every call, beside a map with a state or without.
TEST(ApiMaps, StandBesideAnOperatorWithAState) {
  struct Modulus {
    unsigned modulus;
  };
  std::vector<unsigned> values(kItems);
  for (std::size_t index = 0; index < values.size(); ++index) values[index] = static_cast<unsigned>(index * 37 % 90);
  const Buffer<unsigned> in(values), out(kItems);
  const std::string source =
      "struct State { unsigned modulus; };\n"
      "__device__ Value combine(Value a, Value b, State state) { return (a + b) % state.modulus; }";
  const runtime::UserFunction load = Map::source(
      "struct State { long long more; };\n"
      "__device__ unsigned load(unsigned x, State s) { return x + static_cast<unsigned>(s.more); }",
      7ll);
  for (const unsigned modulus : {97u, 101u, 103u})
    for (const bool is_mapped : {false, true}) {
      const Op op = Op::custom(source, 0u, Modulus{modulus});
      runtime::scan(in.data(), out.data(), kItems, {.op = op, .load = is_mapped ? load : runtime::UserFunction()});
      unsigned total = 0;
      std::vector<unsigned> expected;
      for (const unsigned value : values) expected.push_back(total = (total + value + (is_mapped ? 7 : 0)) % modulus);
      EXPECT_EQ(downloaded(out), expected) << modulus;
      const Buffer<unsigned> result(1);
      runtime::reduce(in.data(), result.data(), kItems, {.op = op, .load = is_mapped ? load : runtime::UserFunction()});
      EXPECT_EQ(downloaded(result), std::vector{total}) << modulus;
    }
}

TEST(ApiMaps, ItemsOfTheirIndicesNeedNoInput) {
  const Buffer<std::int64_t> out(kItems);
  runtime::scan<std::int64_t>(
      static_cast<const std::int64_t*>(nullptr), out.data(), kItems,
      {.load =
           Map::generated("__device__ long long load(unsigned long long i) { return static_cast<long long>(i); }")});
  std::vector<std::int64_t> expected(kItems);
  for (std::size_t index = 0; index < kItems; ++index)
    expected[index] = static_cast<std::int64_t>(index * (index + 1) / 2);
  EXPECT_EQ(downloaded(out), expected);
}

TEST(ApiMaps, GathersReadWhatTheStatePointsTo) {
  std::vector<std::uint32_t> places(kItems);
  for (std::size_t index = 0; index < kItems; ++index) places[index] = static_cast<std::uint32_t>(index * 17 % kItems);
  std::vector<int> table(kItems);
  std::iota(table.begin(), table.end(), -50);
  const Buffer<std::uint32_t> in(places);
  const Buffer<int> d_table(table), out(kItems);
  struct Table {
    const int* items;
  };
  runtime::scan<std::uint32_t, int, int>(
      in.data(), out.data(), kItems,
      {.load = Map::source("struct State { const int* items; };\n"
                           "__device__ int load(unsigned place, State state) { return state.items[place]; }",
                           Table{d_table.data()})});
  std::vector<int> expected(kItems);
  std::transform_inclusive_scan(places.begin(), places.end(), expected.begin(), std::plus<>(),
                                [&](std::uint32_t place) { return table[place]; });
  EXPECT_EQ(downloaded(out), expected);
}

TEST(ApiMaps, StoresThatWriteLeaveOutWhatTheyLike) {
  const std::vector<int> values(kItems, 1);
  const Buffer<int> in(values), every_tenth(kItems / 10);
  struct To {
    int* sums;
  };
  runtime::scan<int, int>(in.data(), static_cast<int*>(nullptr), kItems,
                          {.store = Map::writing("struct State { int* sums; };\n"
                                                 "__device__ void store(int sum, unsigned long long i, State state) {\n"
                                                 "  if (i % 10 == 9) state.sums[i / 10] = sum;\n"
                                                 "}",
                                                 To{every_tenth.data()})});
  std::vector<int> expected(kItems / 10);
  for (std::size_t index = 0; index < expected.size(); ++index) expected[index] = 10 * static_cast<int>(index) + 10;
  EXPECT_EQ(downloaded(every_tenth), expected);
}

TEST(ApiMaps, BothWaysMakeANorm) {
  const std::vector<float> values{3, 4, 12};
  const Buffer<float> in(values), out(1);
  runtime::reduce(in.data(), out.data(), values.size(),
                  {.load = Map::source("__device__ float load(float x) { return x * x; }"),
                   .store = Map::source("struct State { float scale; };\n"
                                        "__device__ float store(float sum, State state) { return sum * state.scale; }",
                                        Limit{0.5f})});
  EXPECT_EQ(downloaded(out), std::vector{84.5f});
}

TEST(ApiMaps, IndicesAreThoseOfTheArray) {
  constexpr std::uint64_t kRows = 7, kLength = 13;
  const std::vector<int> values(kRows * kLength, 1);
  const Buffer<int> in(values), out(values.size()), sums(kRows);
  const runtime::UserFunction load =
      Map::indexed("__device__ int load(int x, unsigned long long i) { return x + static_cast<int>(i); }");
  const runtime::UserFunction store =
      Map::indexed("__device__ int store(int x, unsigned long long i) { return 2 * x - static_cast<int>(i); }");
  const auto segments = Segments::rows(kRows, kLength);
  runtime::scan<int, int>(
      in.data(), out.data(), values.size(),
      {.direction = runtime::Direction::reverse, .segments = segments, .load = load, .store = store});
  runtime::reduce<int, int>(in.data(), sums.data(), values.size(),
                            {.segments = segments, .load = load, .store = store});
  std::vector<int> expected(values.size()), expected_sums(kRows);
  for (std::uint64_t row = 0; row < kRows; ++row) {
    int sum = 0;
    for (std::uint64_t item = kLength; item-- > 0;) {
      const std::uint64_t index = row * kLength + item;
      sum += 1 + static_cast<int>(index);
      expected[index] = 2 * sum - static_cast<int>(index);
    }
    expected_sums[row] = 2 * sum - static_cast<int>(row);
  }
  EXPECT_EQ(downloaded(out), expected);
  EXPECT_EQ(downloaded(sums), expected_sums);
}

TEST(ApiMaps, TakeRowsWithStrides) {
  const std::vector<int> values(4 * 50, 3);
  const Buffer<int> in(values), out(values.size());
  runtime::scan<int, int>(in.data(), out.data(), 4 * 20,
                          {.segments = Segments::rows({.count = 4, .length = 20, .row_stride = 50, .item_stride = 2}),
                           .load = Map::source("__device__ int load(int x) { return x + 1; }")});
  const std::vector<int> found = downloaded(out);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t item = 0; item < 20; ++item)
      ASSERT_EQ(found[row * 50 + item * 2], 4 * static_cast<int>(item + 1)) << row << ", " << item;
  EXPECT_THAT(message_of<RequestError>([&] {
                runtime::scan<int, int>(
                    in.data(), out.data(), 4 * 20,
                    {.segments = Segments::rows({.count = 4, .length = 20, .row_stride = 50, .item_stride = 2}),
                     .load = Map::indexed("__device__ int load(int x, unsigned long long) { return x; }")});
              }),
              HasSubstr("load takes the index of an item, and items of rows with strides have none"));
}

TEST(ApiMaps, WorkInPlaceAndOnStructs) {
  struct Point {
    float x;
    int id;
    float y;
  };
  std::vector<Point> points(kItems);
  for (std::size_t index = 0; index < kItems; ++index) points[index].id = static_cast<int>(index % 9);
  const Buffer<Point> in(points);
  const Buffer<int> out(kItems);
  runtime::scan<Point, int, int>(in.data(), out.data(), kItems,
                                 {.load = Map::source("struct Value { float x; int id; float y; };\n"
                                                      "__device__ int load(Value point) { return point.id; }")});
  const runtime::UserFunction twice = Map::source("__device__ int load(int x) { return 2 * x; }");
  runtime::scan<int, int>(out.data(), out.data(), kItems, {.load = twice});
  std::vector<int> expected(kItems);
  std::transform_inclusive_scan(points.begin(), points.end(), expected.begin(), std::plus<>(),
                                [](const Point& point) { return point.id; });
  std::transform_inclusive_scan(expected.begin(), expected.end(), expected.begin(), std::plus<>(),
                                [](int x) { return 2 * x; });
  EXPECT_EQ(downloaded(out), expected);
}

TEST(ApiMaps, ExclusiveScansStartFromTheIdentityOverTheAccumulator) {
  const Buffer<std::int8_t> in(std::vector<std::int8_t>{5, -3, 7});
  const Buffer<int> out(3);
  runtime::scan<std::int8_t, int, int>(
      in.data(), out.data(), 3,
      {.op = Op::min,
       .kind = Kind::exclusive,
       .load = Map::source("__device__ int load(signed char x) { return 1000 * x; }")});
  EXPECT_EQ(downloaded(out), (std::vector{std::numeric_limits<int>::max(), 5000, -3000}));
}

TEST(ApiMaps, OfNoItemsNothingIsCalled) {
  EXPECT_NO_THROW((runtime::scan<float, int, int>(nullptr, nullptr, 0,
                                                  {.load = Map::source("__device__ int load(float) { return 1; }")})));
}

TEST(ApiMaps, MistakesCountTheCallersLines) {
  if (is_rehearsal()) return;  // such kernels do not belong into a unit
  const Buffer<float> in(8), out(8);
  const auto scan = [&](const runtime::UserFunction& load, const runtime::UserFunction& store) {
    return message_of<CompileError>([&] { runtime::scan(in.data(), out.data(), 8, {.load = load, .store = store}); });
  };
  EXPECT_THAT(scan(Map::source("__device__ float load(float x) {\n  return x * missing;\n}"), {}),
              AllOf(HasSubstr("load.cu:2"), HasSubstr("missing")));
  EXPECT_THAT(scan({}, Map::source("\n\n__device__ float store(float x) { return x +; }")), HasSubstr("store.cu:3"));
  EXPECT_THAT(scan(Map::source("__device__ float load(float x, int) { return x; }"), {}),
              AllOf(HasSubstr("load.cu:2"), HasSubstr("define __device__ Result load(Value item)")));
  EXPECT_THAT(scan({}, Map::source("__device__ double store(float x) { return x; }")),
              AllOf(HasSubstr("store.cu:2"), HasSubstr("store must return its result")));
  EXPECT_THAT(scan(Map::source("__device__ float lode(float x) { return x; }"), {}),
              HasSubstr("load.cu:2: error: no load: define __device__ Result load(Value item)"));
  EXPECT_THAT(scan({}, Map::source("#include <cmath>\n__device__ float store(float x) { return x; }")),
              HasSubstr("store.cu:1: error: #include: sources cannot include files"));
  EXPECT_THAT(scan(Map::source("__device__ float load(float x) { return x; "), {}), HasSubstr("load.cu:2"));
  EXPECT_THAT(scan(Map::source("__device__ float load(float x) { return x; }", Limit{1}), {}),
              HasSubstr("load.cu:2: error: no State: define a struct State like the one that is passed"));
  EXPECT_THAT(scan(Map::source("struct State { double least; };\n"
                               "__device__ float load(float x, State) { return x; }",
                               Limit{1}),
                   {}),
              AllOf(HasSubstr("load.cu:3"), HasSubstr("State must have the size of the state that is passed: 4")));
}

TEST(ApiMaps, TypesThatDoNotConvertNeedAMap) {
  const Buffer<float> in(8), out(8);
  const Buffer<int> ints(8);
  EXPECT_THAT(message_of<RequestError>([&] { runtime::scan<float, int, int>(in.data(), ints.data(), 8); }),
              AllOf(HasSubstr("floating-point items need a floating-point accumulator"), HasSubstr("a map as load")));
  EXPECT_THAT(message_of<RequestError>([&] { runtime::scan<float, int, float>(in.data(), ints.data(), 8); }),
              AllOf(HasSubstr("the output must be of a floating-point type"), HasSubstr("a map as store")));
  EXPECT_THAT(message_of<RequestError>([] { Map::source(std::string("a\0b", 3)); }),
              HasSubstr("the source of a function holds a null character at position 1"));
  EXPECT_THAT(message_of<RequestError>([&] {
                runtime::scan<int, int>(
                    ints.data(), ints.data(), 8,
                    {.load = Map::generated("__device__ int load(unsigned long long) { return 1; }")});
              }),
              HasSubstr("input is given, and the request has output alone: leave SCANTUNE_INPUT NULL"));
  EXPECT_THAT(message_of<RequestError>([&] {
                runtime::scan<int, int>(ints.data(), ints.data(), 8,
                                        {.load = Map::writing("__device__ void store(int, unsigned long long) {}")});
              }),
              HasSubstr("load is a function by Map::writing(): pass one by Map::source()"));
}

}  // namespace
}  // namespace scantune::api_maps_test
