// The public API's maps of selections, extremes and sorts. This file is linked with api_test.cpp, which sets the host
// device up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "api_maps.h"
#include "scantune/runtime.hpp"

namespace scantune::api_maps_test {
namespace {

using runtime::Map;
using runtime::Op;
using runtime::Segments;

struct Scale {
  float scale;
};

TEST(ApiMapsOfProducts, SelectionsLookAtWhatLoadMakesAndWriteWhatStoreMakes) {
  const std::vector<float> values = some_floats();
  const Buffer<float> in(values);
  const Buffer<std::int16_t> out(kItems), others(kItems);
  const Buffer<std::uint64_t> count(1);
  const runtime::SelectOptions<int> options{
      .predicate = runtime::Predicate::greater(4),
      .load = Map::source("__device__ int load(float x) { return static_cast<int>(x * x); }"),
      .store = Map::indexed("__device__ short store(int x, unsigned long long place) {\n"
                            "  return static_cast<short>(x * 100 + place % 100);\n}")};
  const auto expect = [&](const Buffer<std::int16_t>& found, bool kept) {
    std::vector<std::int16_t> expected;
    for (const float value : values)
      if ((value * value > 4) == kept)
        expected.push_back(static_cast<std::int16_t>(value * value * 100 + static_cast<float>(expected.size() % 100)));
    std::vector<std::int16_t> all = downloaded(found);
    all.resize(expected.size());
    EXPECT_EQ(all, expected);
    return expected.size();
  };
  runtime::select(in.data(), out.data(), count.data(), kItems, options);
  EXPECT_EQ(downloaded(count).front(), expect(out, true));
  runtime::partition(in.data(), out.data(), others.data(), count.data(), kItems, options);
  EXPECT_EQ(downloaded(count).front(), expect(out, true));
  expect(others, false);
  runtime::partition_plan<float, std::uint64_t, std::int16_t>(kItems, options)(in.data(), others.data(), out.data(),
                                                                               count.data());
  expect(others, true);
}

// What counting and discard iterators are for: neither input nor output.
TEST(ApiMapsOfProducts, SelectionsNeedNoArrayOfItems) {
  std::vector<std::uint8_t> marks(kItems);
  for (std::size_t index = 0; index < kItems; ++index) marks[index] = index % 3 == 0;
  const Buffer<std::uint8_t> flags(marks);
  const Buffer<int> out(kItems), written(std::vector<int>(kItems, -1));
  const Buffer<std::uint64_t> count(1);
  const runtime::UserFunction squares =
      Map::generated("__device__ int load(unsigned long long i) { return static_cast<int>(i * i); }");
  struct State {
    int* to;
  };
  const runtime::UserFunction scatter = Map::writing(
      "struct State { int* to; };\n"
      "__device__ void store(int item, unsigned long long place, State state) { state.to[2 * place] = item; }",
      State{written.data()});
  const int* const no_input = nullptr;
  int* const no_output = nullptr;
  runtime::select_flagged(no_input, flags.data(), out.data(), count.data(), kItems, {.load = squares});
  runtime::select_flagged(no_input, flags.data(), no_output, count.data(), kItems,
                          {.load = squares, .store = scatter, .capacity = 1000});
  EXPECT_EQ(downloaded(count).front(), (kItems + 2) / 3);
  std::vector<int> squared((kItems + 2) / 3), scattered(kItems, -1);
  for (std::size_t place = 0; place < squared.size(); ++place) {
    squared[place] = static_cast<int>(9 * place * place);
    if (place < 1000) scattered[2 * place] = squared[place];
  }
  std::vector<int> found = downloaded(out);
  found.resize(squared.size());
  EXPECT_EQ(found, squared);
  EXPECT_EQ(downloaded(written), scattered);
  const Buffer<std::uint32_t> indices(kItems);
  runtime::unique_indices(
      no_input, indices.data(), count.data(), kItems,
      {.load = Map::generated("__device__ int load(unsigned long long i) { return static_cast<int>(i / 7); }")});
  EXPECT_EQ(downloaded(count).front(), (kItems + 6) / 7);
  EXPECT_EQ(downloaded(indices)[3], 21U);
  runtime::partition_into_one(no_input, no_output, count.data(), 100, {.load = squares, .store = scatter});
  EXPECT_EQ(downloaded(count).front(), 99U);
  EXPECT_EQ(downloaded(written)[198], 0) << "the only one that is not kept comes last";
}

TEST(ApiMapsOfProducts, SelectionsConvertStructs) {
  struct Point {
    float x;
    int id;
  };
  std::vector<Point> points(kItems);
  std::vector<int> expected;
  for (std::size_t index = 0; index < kItems; ++index) {
    points[index] = {static_cast<float>(index), static_cast<int>(index / 5)};
    if (index % 5 == 0) expected.push_back(points[index].id);
  }
  const Buffer<Point> in(points);
  const Buffer<int> out(kItems);
  const Buffer<std::uint64_t> count(1);
  const auto expect = [&] {
    std::vector<int> found = downloaded(out);
    found.resize(expected.size());
    EXPECT_EQ(found, expected);
  };
  const std::string point = "struct Value { float x; int id; };\n";
  runtime::unique_consecutive(in.data(), out.data(), count.data(), kItems,
                              {.load = Map::source(point + "__device__ int load(Value point) { return point.id; }")});
  expect();
  // The criterion's source declares the struct for the store.
  const Buffer<int> again(kItems);
  runtime::unique_consecutive<Point, int, std::uint64_t, Point>(
      in.data(), again.data(), count.data(), kItems,
      {.equality =
           runtime::Equality::source(point + "__device__ bool equal(Value a, Value b) { return a.id == b.id; }"),
       .store = Map::source("__device__ int store(Value point) { return point.id; }")});
  EXPECT_EQ(downloaded(again).front(), 0);
  EXPECT_EQ(downloaded(again)[expected.size() - 1], expected.back());
}

struct Extreme {
  float value;
  int position;
};

TEST(ApiMapsOfProducts, StoresTakeExtremesWithTheirPositions) {
  const std::vector<float> values = some_floats();
  const Buffer<float> in(values);
  const Buffer<Extreme> least(1), greatest(1);
  const runtime::UserFunction pair = Map::source(
      "struct Result { float value; int position; };\n"
      "__device__ Result store(float value, unsigned long long position) {\n"
      "  return {value, static_cast<int>(position)};\n}");
  runtime::arg_minmax(in.data(), least.data(), greatest.data(), kItems, {.store = pair});
  const auto place = [&](auto found) { return static_cast<int>(found - values.begin()); };
  EXPECT_EQ(downloaded(least)[0].position, place(std::ranges::min_element(values)));
  EXPECT_EQ(downloaded(greatest)[0].position, place(std::ranges::max_element(values)));
  EXPECT_EQ(downloaded(greatest)[0].value, 5.0f);
  // Of the last item that is nearest to 2, in each of 3 rows, the place alone.
  struct State {
    std::uint64_t* to;
  };
  const Buffer<std::uint64_t> places(3);
  const runtime::ArgOptions nearest{
      .position = runtime::Position::last,
      .segments = Segments::rows(3, 1000),
      .load = Map::source("__device__ float load(float x) { return x < 2 ? 2 - x : x - 2; }"),
      .store = Map::writing("struct State { unsigned long long* to; };\n"
                            "__device__ void store(float, unsigned long long position, unsigned long long row, State "
                            "state) { state.to[row] = position; }",
                            State{places.data()})};
  runtime::argmin(in.data(), static_cast<float*>(nullptr), 3000, nearest);
  std::vector<std::uint64_t> expected(3);
  for (std::size_t index = 0; index < 3000; ++index)
    if (values[index] == 2) expected[index / 1000] = index % 1000;
  EXPECT_EQ(downloaded(places), expected);
  runtime::stored_arg_plan<float, Extreme>(kItems, Op::max, {.store = pair})(in.data(), least.data());
  EXPECT_EQ(downloaded(least)[0].value, 5.0f);
  runtime::argmax(in.data(), least.data(), 0, {.store = pair});
  EXPECT_EQ(downloaded(least)[0].position, -1);
  const Buffer<double> value(1);
  const Buffer<int> index(1);
  runtime::argmax(in.data(), value.data(), index.data(), kItems,
                  {.load = Map::source("__device__ double load(float x) { return -1.0 * x; }")});
  EXPECT_EQ(downloaded(value)[0], 5.0);
  EXPECT_EQ(downloaded(index)[0], place(std::ranges::min_element(values)));
}

TEST(ApiMapsOfProducts, SortsMoveValuesThatALoadMakes) {
  std::vector<int> keys(kItems);
  std::vector<float> weights(kItems);
  for (std::size_t index = 0; index < kItems; ++index) {
    keys[index] = static_cast<int>(index * 7919 % kItems);
    weights[index] = static_cast<float>(index % 100);
  }
  const Buffer<int> in(keys), out(kItems);
  const Buffer<float> d_weights(weights);
  const Buffer<double> halves(kItems);
  const Buffer<Extreme> pairs(kItems);
  runtime::sort(
      in.data(), out.data(), kItems,
      {.values = {d_weights.data(), Map::source("__device__ double load(float x) { return x / 2; }"), halves.data()}});
  runtime::sort(in.data(), out.data(), kItems,
                {.values = {Map::generated("struct Result { float value; int position; };\n"
                                           "struct State { float scale; };\n"
                                           "__device__ Result load(unsigned long long i, State state) {\n"
                                           "  return {i * state.scale, static_cast<int>(i)};\n}",
                                           Scale{0.5f}),
                            pairs.data()}});
  const std::vector<double> found = downloaded(halves);
  const std::vector<Extreme> made = downloaded(pairs);
  for (std::size_t index = 0; index < kItems; ++index) {  // the keys are their own places
    const auto place = static_cast<std::size_t>(keys[index]);
    ASSERT_EQ(found[place], weights[index] / 2.0) << index;
    ASSERT_EQ(made[place].position, static_cast<int>(index));
    ASSERT_EQ(made[place].value, static_cast<float>(index) * 0.5f);
  }
}

}  // namespace
}  // namespace scantune::api_maps_test
