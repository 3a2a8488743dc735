// Sorts by the public API against the standard library's, on the host device. This file is linked with api_test.cpp,
// which sets the host device up.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "scantune/runtime.hpp"

namespace scantune::api_sort_test {
namespace {

using runtime::bf16;
using runtime::Buffer;
using runtime::Consumed;
using runtime::f16;
using runtime::KeyBits;
using runtime::Order;
using runtime::Segments;
using runtime::Workspace;

template <class Key>
using BitsOf =
    std::conditional_t<sizeof(Key) == 1, std::uint8_t,
                       std::conditional_t<sizeof(Key) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>>>;

// The number that stands for a key in ascending order.
template <class Key>
std::uint64_t number_of(const Key& key) {
  using Bits = BitsOf<Key>;
  const auto bits = std::bit_cast<Bits>(key);
  if constexpr (std::is_unsigned_v<Key>) return bits;
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Key) - 1));
  if constexpr (std::is_signed_v<Key> && std::is_integral_v<Key>) return static_cast<Bits>(bits ^ kSign);
  return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
}

// Keys of which many are equal, and of floating-point ones those that compare by their bits alone.
template <class Key>
std::vector<Key> keys(std::uint64_t n) {
  using Bits = BitsOf<Key>;
  std::mt19937_64 draw(n * 64 + sizeof(Key));
  std::vector<Bits> special{0, static_cast<Bits>(Bits{1} << (8 * sizeof(Key) - 1)), static_cast<Bits>(~Bits{0})};
  if constexpr (std::is_floating_point_v<Key>)
    for (const Key value : {std::numeric_limits<Key>::infinity(), -std::numeric_limits<Key>::infinity(),
                            std::numeric_limits<Key>::quiet_NaN(), -std::numeric_limits<Key>::quiet_NaN(),
                            std::numeric_limits<Key>::denorm_min(), Key{1}, Key{-1}})
      special.push_back(std::bit_cast<Bits>(value));
  std::vector<Key> all;
  for (std::uint64_t index = 0; index < n; ++index) {
    const auto drawn = static_cast<Bits>(draw());
    const bool is_repeated = index > 0 && draw() % 4 == 0;
    all.push_back(draw() % 8 == 0 ? std::bit_cast<Key>(special[draw() % special.size()])
                  : is_repeated   ? all[draw() % index]
                                  : std::bit_cast<Key>(drawn));
  }
  return all;
}

struct Asked {
  Order order = Order::ascending;
  KeyBits bits = {};
  std::uint64_t rows = 1;
};

// Where the keys of each row stand, in their order: from its start on.
template <class Key>
std::vector<std::uint64_t> places(const std::vector<Key>& all, const Asked& asked) {
  const std::uint64_t length = all.size() / asked.rows;
  const int end = asked.bits.end_bit == KeyBits::all ? static_cast<int>(8 * sizeof(Key)) : asked.bits.end_bit;
  const auto compared = [&](const Key& key) {
    if (end == asked.bits.begin_bit) return std::uint64_t{0};
    const std::uint64_t number = number_of(key) << (64 - end) >> (64 - end) >> asked.bits.begin_bit;
    return asked.order == Order::ascending ? number : ~number;
  };
  std::vector<std::uint64_t> order(all.size());
  for (std::uint64_t row = 0; row < asked.rows; ++row) {
    const std::span indices(order.data() + row * length, length);
    std::iota(indices.begin(), indices.end(), std::uint64_t{0});
    std::ranges::stable_sort(indices, {}, [&](std::uint64_t place) { return compared(all[row * length + place]); });
  }
  return order;
}

template <class T>
std::vector<T> moved(const std::vector<T>& items, const std::vector<std::uint64_t>& order, std::uint64_t rows) {
  const std::uint64_t length = items.size() / rows;
  std::vector<T> all(items.size());
  for (std::uint64_t index = 0; index < all.size(); ++index) all[index] = items[index / length * length + order[index]];
  return all;
}

template <class T>
std::vector<T> read(const Buffer<T>& buffer) {
  std::vector<T> all(buffer.size());
  buffer.download(all.data());
  return all;
}

template <class T>
void expect_same(const Buffer<T>& buffer, const std::vector<T>& expected) {
  const std::vector<T> found = read(buffer);
  for (std::size_t index = 0; index < expected.size(); ++index)
    ASSERT_EQ(std::memcmp(&found[index], &expected[index], sizeof(T)), 0) << "at " << index;
}

template <class Index>
std::vector<Index> as(const std::vector<std::uint64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// A sort and what is expected of it.
template <class Key>
struct Case {
  Asked asked;
  std::vector<Key> all;
  std::vector<std::uint64_t> order = places(all, asked);
  std::vector<Key> expected = moved(all, order, asked.rows);
  Buffer<Key> in{all};

  Case(std::uint64_t n, const Asked& as_asked) : asked(as_asked), all(keys<Key>(n)) {}
  ~Case() { expect_same(in, all); }

  std::uint64_t n() const { return all.size(); }
  template <class Options>
  Options options() const {
    Options options;
    options.order = asked.order;
    options.bits = asked.bits;
    if (asked.rows != 1) options.segments = Segments::rows(asked.rows, n() / asked.rows);
    return options;
  }
};

// Calls and plans are the same kernels.
template <class Key>
void expect_keys(std::uint64_t n, const Asked& asked = {}) {
  SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes");
  const Case<Key> one(n, asked);
  const Buffer<Key> out(n), by_plan(n);
  runtime::sort(one.in.data(), out.data(), n, one.template options<runtime::SortOptions>());
  expect_same(out, one.expected);
  const auto plan = runtime::sort_plan<Key>(n, one.template options<runtime::ArgsortOptions>());
  const Buffer<char> workspace(plan.workspace_bytes() + 1);
  plan(one.in.data(), by_plan.data(), Workspace{workspace.data(), plan.workspace_bytes()});
  expect_same(by_plan, one.expected);
}

template <class Key, class Value>
void expect_pairs(std::uint64_t n, const Asked& asked = {}) {
  SCOPED_TRACE(std::to_string(n) + " values of " + std::to_string(sizeof(Value)) + " bytes");
  const Case<Key> one(n, asked);
  std::vector<Value> values(n);
  for (std::uint64_t index = 0; index < n; ++index)
    std::memcpy(&values[index], &index, std::min(sizeof(Value), sizeof index));
  const std::vector<Value> expected = moved(values, one.order, asked.rows);
  const Buffer<Value> beside(values), values_out(n), values_by_plan(n);
  const Buffer<Key> out(n), by_plan(n);
  auto options = one.template options<runtime::SortOptions>();
  options.values = {beside.data(), values_out.data()};
  runtime::sort(one.in.data(), out.data(), n, options);
  expect_same(out, one.expected);
  expect_same(values_out, expected);
  runtime::sort_pairs_plan<Key, Value>(n, one.template options<runtime::ArgsortOptions>())(
      one.in.data(), beside.data(), by_plan.data(), values_by_plan.data());
  expect_same(by_plan, one.expected);
  expect_same(values_by_plan, expected);
}

template <class Key, class Index>
void expect_keys_and_indices(std::uint64_t n, const Asked& asked = {}) {
  SCOPED_TRACE(std::to_string(n) + " keys and indices of " + std::to_string(sizeof(Index)) + " bytes");
  const Case<Key> one(n, asked);
  const Buffer<Key> out(n), by_plan(n);
  const Buffer<Index> indices(n), indices_by_plan(n);
  auto options = one.template options<runtime::SortOptions>();
  options.indices = indices.data();
  runtime::sort(one.in.data(), out.data(), n, options);
  expect_same(out, one.expected);
  expect_same(indices, as<Index>(one.order));
  runtime::sort_indices_plan<Key, Index>(n, one.template options<runtime::ArgsortOptions>())(
      one.in.data(), by_plan.data(), indices_by_plan.data());
  expect_same(by_plan, one.expected);
  expect_same(indices_by_plan, as<Index>(one.order));
}

template <class Key, class Index = std::uint32_t>
void expect_indices(std::uint64_t n, const Asked& asked = {}) {
  SCOPED_TRACE(std::to_string(n) + " indices of " + std::to_string(sizeof(Index)) + " bytes");
  const Case<Key> one(n, asked);
  const Buffer<Index> indices(n), by_plan(n);
  runtime::argsort(one.in.data(), indices.data(), n, one.template options<runtime::ArgsortOptions>());
  expect_same(indices, as<Index>(one.order));
  runtime::argsort_plan<Key, Index>(n, one.template options<runtime::ArgsortOptions>())(one.in.data(), by_plan.data());
  expect_same(by_plan, as<Index>(one.order));
}

constexpr Asked kDescending{.order = Order::descending};

// Each type in one direction: tests of the families have both of all.
TEST(Sort, PutsKeysOfEveryTypeInTheirOrder) {
  expect_keys<std::int8_t>(1000);
  expect_keys<std::int16_t>(1000, kDescending);
  expect_keys<std::int32_t>(1000);
  expect_keys<std::int64_t>(1000, kDescending);
  expect_keys<std::uint8_t>(1000, kDescending);
  expect_keys<std::uint16_t>(1000);
  expect_keys<std::uint32_t>(1000, kDescending);
  expect_keys<std::uint64_t>(1000);
  expect_keys<f16>(1000);
  expect_keys<bf16>(1000, kDescending);
  expect_keys<float>(1000);
  expect_keys<double>(1000);
}

TEST(Sort, OfAnyNumberOfKeysDoesSo) {
  for (const std::uint64_t n : {1, 2, 33, 4097, 33'007}) expect_keys<float>(n);
  expect_indices<float>(33'007);
  expect_keys<std::uint8_t>(50'021);
}

struct Odd {
  unsigned char bytes[3];
};
struct Wide {
  std::uint64_t numbers[4];
};

TEST(Sort, MovesValuesOfEverySizeWithTheirKeys) {
  for (const std::uint64_t n : {100, 33'007}) {
    expect_pairs<float, Odd>(n);
    expect_pairs<std::uint16_t, Wide>(n);
  }
  expect_pairs<float, char>(100);
  expect_pairs<float, double>(100);
}

TEST(Sort, NumbersWhereKeysStood) {
  expect_indices<float, std::int32_t>(100);
  expect_indices<float, std::uint64_t>(100);
  expect_keys_and_indices<float, std::int64_t>(100);
  expect_keys_and_indices<float, std::uint32_t>(33'007);
}

TEST(Sort, ComparesOnlyTheBitsThatAreAskedFor) {
  for (const std::uint64_t n : {777, 33'007})
    for (const KeyBits bits : {KeyBits{0, 1}, KeyBits{8, 24}, KeyBits{.begin_bit = 27}, KeyBits{.end_bit = 5}})
      expect_indices<float>(n, {.bits = bits});
  expect_keys<std::int64_t>(777, {.order = Order::descending, .bits = {31, 33}});
}

// What calls and plans return when they may overwrite their input: keys, pairs, keys and indices, and indices.
template <class Key, class Value>
void expect_consuming(std::uint64_t n, const Asked& asked = {}) {
  SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes");
  const Case<Key> one(n, asked);
  std::vector<Value> values(n);
  for (std::uint64_t index = 0; index < n; ++index)
    std::memcpy(&values[index], &index, std::min(sizeof(Value), sizeof index));
  const std::vector<Value> expected = moved(values, one.order, asked.rows);
  const auto indices = as<std::uint32_t>(one.order);
  for (const bool by_plan : {false, true}) {
    auto options = one.template options<runtime::SortOptions>();
    const auto of_plan = one.template options<runtime::ArgsortOptions>();
    Buffer<Key> in(one.all), out(n);
    if (by_plan)
      runtime::sort_plan<Consumed<Key>>(n, of_plan)(in.data(), out.data());
    else
      runtime::sort(Consumed(in.data()), out.data(), n, options);
    expect_same(out, one.expected);

    in.upload(one.all.data());
    const Buffer<std::uint32_t> places(n), alone(n);
    if (by_plan) {
      runtime::sort_indices_plan<Consumed<Key>, std::uint32_t>(n, of_plan)(in.data(), out.data(), places.data());
    } else {
      options.indices = places.data();
      runtime::sort(Consumed(in.data()), out.data(), n, options);
      options.indices = {};
    }
    expect_same(out, one.expected);
    expect_same(places, indices);

    in.upload(one.all.data());
    if (by_plan)
      runtime::argsort_plan<Consumed<Key>, std::uint32_t>(n, of_plan)(in.data(), alone.data());
    else
      runtime::argsort(Consumed(in.data()), alone.data(), n, of_plan);
    expect_same(alone, indices);

    in.upload(one.all.data());
    const Buffer<Value> values_in(values), values_out(n);
    if (by_plan) {
      runtime::sort_pairs_plan<Consumed<Key>, Value>(n, of_plan)(in.data(), values_in.data(), out.data(),
                                                                 values_out.data());
    } else {
      options.values = {Consumed(values_in.data()), values_out.data()};
      runtime::sort(Consumed(in.data()), out.data(), n, options);
    }
    expect_same(out, one.expected);
    expect_same(values_out, expected);
  }
}

// An even number of passes and an odd one, and few keys, which take no workspace.
TEST(Sort, MayOverwriteItsInput) {
  expect_consuming<float, double>(33'007);
  expect_consuming<std::int16_t, std::uint8_t>(33'007, {.order = Order::descending});
  expect_consuming<std::uint32_t, std::uint32_t>(33'007, {.bits = {3, 21}});
  expect_consuming<std::uint64_t, std::uint16_t>(3 * 33'007, {.rows = 3});
  expect_consuming<std::uint8_t, float>(33'007);
  expect_consuming<float, float>(777);
}

TEST(Sort, CopiesWhereNoBitsAreCompared) {
  for (const std::uint64_t n : {777, 33'007})
    for (const KeyBits bits : {KeyBits{0, 0}, KeyBits{8, 8}, KeyBits{.begin_bit = 32}}) {
      expect_pairs<float, double>(n, {.order = Order::descending, .bits = bits});
      expect_indices<float>(n, {.bits = bits});
    }
  expect_keys<std::int64_t>(3 * 33'007, {.bits = {64, 64}, .rows = 3});
}

TEST(Sort, SortsEachRowByItself) {
  expect_keys<float>(64 * 50, {.rows = 64});
  expect_keys_and_indices<float, std::uint32_t>(64 * 50, {.rows = 64});
  expect_indices<float>(3 * 33'007, {.rows = 3});
  expect_keys<std::uint8_t>(5 * 9000, {.rows = 5});
  expect_keys<float>(2000, {.bits = {4, 12}, .rows = 2000});
}

// --- Comparisons.

struct Ranked {
  std::int32_t id;
  float score;
  std::uint8_t grade;
};
constexpr char kByGrade[] =
    "struct Value { int id; float score; unsigned char grade; };\n"
    "__device__ bool less(Value a, Value b) {\n"
    "  return a.grade < b.grade || (a.grade == b.grade && a.score > b.score);\n"
    "}\n";

std::vector<Ranked> ranked(std::uint64_t n) {
  std::mt19937 draw(static_cast<unsigned>(n));
  std::vector<Ranked> all(n);  // with zeroes between the members
  for (std::uint64_t index = 0; index < n; ++index) {
    all[index].id = static_cast<std::int32_t>(index);
    all[index].score = static_cast<float>(draw() % 8);
    all[index].grade = static_cast<std::uint8_t>(draw() % 5);
  }
  return all;
}
bool by_grade(const Ranked& a, const Ranked& b) {
  return a.grade < b.grade || (a.grade == b.grade && a.score > b.score);
}

template <class Key, class Less>
std::vector<std::uint64_t> places_by(const std::vector<Key>& all, const Less& less) {
  std::vector<std::uint64_t> order(all.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::stable_sort(order, [&](std::uint64_t one, std::uint64_t other) { return less(all[one], all[other]); });
  return order;
}

TEST(SortByAComparison, PutsStructsInItsOrder) {
  const runtime::UserFunction less = runtime::Less::source(kByGrade);
  for (const std::uint64_t n : {1, 40, 20'000}) {
    const std::vector<Ranked> all = ranked(n);
    const std::vector<std::uint64_t> order = places_by(all, by_grade);
    const Buffer<Ranked> in(all), out(n), values_out(n), consumed(all);
    const Buffer<std::uint64_t> indices(n);
    const Buffer<std::uint32_t> down(n);
    runtime::sort(in.data(), out.data(), n, {.less = less, .values = {in.data(), values_out.data()}});
    expect_same(out, moved(all, order, 1));
    expect_same(values_out, moved(all, order, 1));
    runtime::sort(Consumed(consumed.data()), out.data(), n, {.less = less, .indices = indices.data()});
    expect_same(out, moved(all, order, 1));
    expect_same(indices, order);
    runtime::argsort_plan<Ranked, std::uint32_t>(n, {.less = less, .order = Order::descending})(in.data(), down.data());
    expect_same(down, as<std::uint32_t>(places_by(all, [](auto a, auto b) { return by_grade(b, a); })));
    expect_same(in, all);
  }
}

TEST(SortByAComparison, PutsNumbersInItsOrder) {
  constexpr std::uint64_t kItems = 30'000;
  struct State {
    int modulus;
  };
  const auto by_rest = [](const std::string& type) {
    return "struct State { int modulus; };\n__device__ bool less(" + type + " a, " + type +
           " b, State state) { return a % state.modulus < b % state.modulus; }\n";
  };
  std::vector<std::int64_t> all(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index) all[index] = static_cast<std::int64_t>(index * 7919 % 10'007);
  const Buffer<std::int64_t> in(all), out(kItems);
  const Buffer<std::uint32_t> beside(as<std::uint32_t>(places_by(all, [](auto, auto) { return false; }))),
      moved_out(kItems);
  for (const int modulus : {10, 1000}) {
    const std::vector<std::uint64_t> order =
        places_by(all, [=](std::int64_t a, std::int64_t b) { return a % modulus < b % modulus; });
    runtime::sort(in.data(), out.data(), kItems,
                  {.less = runtime::Less::source(by_rest("long long"), State{modulus}),
                   .values = {beside.data(), moved_out.data()}});
    expect_same(out, moved(all, order, 1));
    expect_same(moved_out, as<std::uint32_t>(order));
  }
}

TEST(SortByAComparison, OfHalvesSeesFloats) {
  constexpr std::uint64_t kItems = 5000;
  std::vector<f16> all(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index)
    all[index] = std::bit_cast<f16>(static_cast<std::uint16_t>(index * 7919 % 0x7c00 | (index & 1) << 15));
  const auto magnitude = [](f16 key) { return std::bit_cast<std::uint16_t>(key) & 0x7fff; };
  const Buffer<f16> in(all), out(kItems);
  runtime::sort(
      in.data(), out.data(), kItems,
      {.less = runtime::Less::source("__device__ bool less(float a, float b) { return (a < 0 ? -a : a) < (b < "
                                     "0 ? -b : b); }")});
  expect_same(out, moved(all, places_by(all, [&](f16 a, f16 b) { return magnitude(a) < magnitude(b); }), 1));
}

// Each thread and each tile takes as many keys as belong to it, whatever less() says, and the host device would report
// an access out of bounds.
TEST(SortByAComparison, ThatIsNotAnOrderEnds) {
  constexpr std::uint64_t kItems = 40'000;
  const std::vector<float> all = keys<float>(kItems);
  const Buffer<float> in(all), out(kItems);
  const Buffer<std::uint32_t> beside(std::vector<std::uint32_t>(kItems, 1)), moved_out(kItems);
  for (const char* const result : {"true", "false", "a < b", "a > b || a != a", "((int)(a * 7) ^ (int)(b * 3)) & 1"}) {
    const std::string less = std::string("__device__ bool less(float a, float b) { return ") + result + "; }";
    runtime::sort(in.data(), out.data(), kItems,
                  {.less = runtime::Less::source(less), .values = {beside.data(), moved_out.data()}});
    EXPECT_EQ(read(moved_out), std::vector<std::uint32_t>(kItems, 1)) << less;
  }
}

TEST(Sort, KeepsTheOrderOfEqualKeys) {
  constexpr std::uint32_t kItems = 30'000;
  const Buffer<std::uint8_t> in(std::vector<std::uint8_t>(kItems, 7));
  const Buffer<std::uint32_t> indices(kItems);
  for (const Order order : {Order::ascending, Order::descending}) {
    runtime::argsort(in.data(), indices.data(), kItems, {.order = order});
    std::vector<std::uint32_t> expected(kItems);
    std::iota(expected.begin(), expected.end(), 0u);
    EXPECT_EQ(read(indices), expected);
  }
}

}  // namespace
}  // namespace scantune::api_sort_test
