// The public API's segments by keys that a function of the caller's compares. This file is linked with api_test.cpp,
// which sets the host device up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "downloaded.h"
#include "message_of.h"
#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_key_equality_test {
namespace {

using runtime::Buffer;
using runtime::Direction;
using runtime::Equality;
using runtime::Kind;
using runtime::UserFunction;

constexpr std::uint64_t kItems = 5'003;

int item(std::uint64_t index) { return static_cast<int>(index * 7919 % 101) - 50; }

std::vector<int> items() {
  std::vector<int> all(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index) all[index] = item(index);
  return all;
}

// What runs differ in: 0, 1 or 2 at every item, in runs of 1 item to some hundred.
int kind_at(std::uint64_t index) { return static_cast<int>(std::sqrt(static_cast<double>(index)) * 7) % 3; }

// Keys by kind and index, of which an equality sees the kind alone.
template <class Key>
struct Compared {
  std::function<Key(int kind, std::uint64_t index)> make;
  UserFunction equality;

  std::vector<Key> keys() const {
    std::vector<Key> all(kItems);
    for (std::uint64_t index = 0; index < kItems; ++index) all[index] = make(kind_at(index), index);
    return all;
  }
};

bool starts_at(std::uint64_t index) { return index == 0 || kind_at(index) != kind_at(index - 1); }

std::vector<int> sums() {
  std::vector<int> all(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index)
    all[index] = item(index) + (starts_at(index) ? 0 : all[index - 1]);
  return all;
}

// Those of an exclusive scan from the last item on.
std::vector<int> sums_after(int init) {
  std::vector<int> all(kItems);
  for (std::uint64_t index = kItems; index-- > 0;)
    all[index] = index + 1 == kItems || starts_at(index + 1) ? init : all[index + 1] + item(index + 1);
  return all;
}

template <class Key>
void expect_scans(const Compared<Key>& compared) {
  const Buffer<int> in(items()), out(kItems);
  const Buffer<Key> by(compared.keys());
  runtime::scan_by_key(in.data(), by.data(), out.data(), kItems, {.equality = compared.equality});
  EXPECT_EQ(downloaded(out), sums());
  runtime::scan_by_key_plan<int, Key>(
      kItems, {.kind = Kind::exclusive, .direction = Direction::reverse, .equality = compared.equality, .init = 7})(
      in.data(), by.data(), out.data());
  EXPECT_EQ(downloaded(out), sums_after(7));
}

// The first key of each run, what its items sum to, and how many they are.
template <class Key>
struct Runs {
  std::vector<Key> keys;
  std::vector<int> sums;
  std::vector<std::uint32_t> lengths;
};

template <class Key>
Runs<Key> runs_of(const std::vector<Key>& keys) {
  Runs<Key> runs;
  for (std::uint64_t index = 0; index < kItems; ++index) {
    if (starts_at(index)) {
      runs.keys.push_back(keys[index]);
      runs.sums.push_back(0);
      runs.lengths.push_back(0);
    }
    runs.sums.back() += item(index);
    ++runs.lengths.back();
  }
  return runs;
}

// Expects the first results, as many as there is room for, and behind them what was there before.
template <class T>
void expect_first(const Buffer<T>& found, std::vector<T> expected, std::uint64_t room, const T& before) {
  if (expected.size() > room) expected.resize(room);
  expected.resize(found.size(), before);
  EXPECT_TRUE(downloaded(found) == expected);
}

template <class Key>
void expect_totals(const Compared<Key>& compared) {
  const std::vector<Key> keys = compared.keys();
  const Runs<Key> runs = runs_of(keys);
  const Buffer<int> in(items());
  const Buffer<Key> by(keys);
  const Key before = compared.make(1, 3);
  for (const std::uint64_t room : {kItems, std::uint64_t{50}, std::uint64_t{1}, std::uint64_t{0}}) {
    const Buffer<Key> run_keys(std::vector<Key>(kItems, before));
    const Buffer<int> totals(std::vector<int>(kItems, -9));
    const Buffer<std::uint32_t> count(1);
    runtime::reduce_by_key(in.data(), by.data(), run_keys.data(), totals.data(), count.data(), kItems,
                           {.equality = compared.equality, .capacity = room});
    if (is_rehearsal()) continue;
    expect_first(run_keys, runs.keys, room, before);
    expect_first(totals, runs.sums, room, -9);
    EXPECT_EQ(downloaded(count), std::vector{static_cast<std::uint32_t>(runs.keys.size())});
  }
}

template <class Key>
void expect_lengths(const Compared<Key>& compared) {
  const std::vector<Key> keys = compared.keys();
  const Runs<Key> runs = runs_of(keys);
  const Buffer<Key> in(keys), values(keys);
  const Buffer<std::uint32_t> lengths(std::vector<std::uint32_t>(kItems, 9));
  const Buffer<std::uint64_t> count(1);
  runtime::run_length_encode_plan<Key>(kItems, {.equality = compared.equality})(in.data(), values.data(),
                                                                                lengths.data(), count.data());
  if (is_rehearsal()) return;
  std::vector<Key> found = downloaded(values);
  found.resize(runs.keys.size());
  EXPECT_EQ(std::memcmp(found.data(), runs.keys.data(), found.size() * sizeof(Key)), 0);
  expect_first(lengths, runs.lengths, kItems, 9u);
  EXPECT_EQ(downloaded(count), std::vector<std::uint64_t>{runs.keys.size()});
}

// Where a letter goes: what it is stamped with says nothing.
struct Address {
  int country;
  float stamp;
  int house;
  bool operator==(const Address&) const = default;
};

const Compared<Address>& addresses() {
  static const Compared<Address> kAddresses = {
      [](int kind, std::uint64_t index) { return Address{kind / 2, static_cast<float>(index), kind % 2}; },
      Equality::source("struct Value { int country; float stamp; int house; };\n"
                       "__device__ bool equal(Value a, Value b) {\n"
                       "  return a.country == b.country && a.house == b.house;\n}\n")};
  return kAddresses;
}

TEST(ApiKeyEquality, ScansRunsOfStructsInBothDirections) { expect_scans(addresses()); }

TEST(ApiKeyEquality, ReducesRunsOfStructsToTheirFirstKeys) { expect_totals(addresses()); }

TEST(ApiKeyEquality, CountsTheStructsOfRuns) { expect_lengths(addresses()); }

struct Letter {
  char code;
  bool operator==(const Letter&) const = default;
};

TEST(ApiKeyEquality, ReducesRunsOfStructsOfOneByte) {
  expect_totals<Letter>(
      {[](int kind, std::uint64_t index) { return Letter{static_cast<char>((index % 2 == 0 ? 'a' : 'A') + kind)}; },
       Equality::source("struct Value { char code; };\n"
                        "__device__ bool equal(const Value& a, const Value& b) {\n"
                        "  return (a.code | 0x20) == (b.code | 0x20);\n}\n")});
}

// Items that are structs too, of another size, with an operator and a map that know nothing of the keys.
TEST(ApiKeyEquality, StandsBesideSourcesThatDefineTheSameNames) {
  struct alignas(16) Wide {
    long long a, b, c, kind;
  };
  struct Range {
    int least, last;
    bool operator==(const Range&) const = default;
  };
  const auto join = runtime::Op::custom(
      "struct State { int none; };\n"
      "struct Value { int least, last; };\n"
      "__device__ Value combine(Value a, Value b, State s) {\n"
      "  return {a.least < b.least ? a.least : b.least, b.last + s.none};\n}\n",
      runtime::Op::no_identity, 0);
  const UserFunction load = runtime::Map::source(
      "struct State { int factor; };\n"
      "__device__ Result load(int x, State s) { return {s.factor * x, s.factor * x}; }\n",
      3);
  const UserFunction equality = Equality::source(
      "struct State { long long kinds[2]; };\n"
      "struct alignas(16) Value { long long a, b, c, kind; };\n"
      "__device__ bool equal(Value a, Value b, State s) { return a.kind % s.kinds[1] == b.kind % s.kinds[1]; }\n",
      std::array<long long, 2>{0, 3});
  std::vector<Wide> keys(kItems);
  std::vector<Range> expected(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index) {
    keys[index] = {0, 1, 2, kind_at(index) + 3 * static_cast<long long>(index)};
    const int its = 3 * item(index);
    expected[index] = {starts_at(index) ? its : std::min(its, expected[index - 1].least), its};
  }
  const Buffer<int> in(items());
  const Buffer<Wide> by(keys);
  const Buffer<Range> out(kItems);
  runtime::scan_by_key<int, Wide, Range, Range>(in.data(), by.data(), out.data(), kItems,
                                                {.op = join, .equality = equality, .load = load});
  EXPECT_EQ(downloaded(out), expected);
}

// A plan keeps the state that it was made with.
TEST(ApiKeyEquality, ComparesNumbersByAToleranceThatCallsPass) {
  const auto within = [](float tolerance) {
    return Equality::source(
        "struct State { float tolerance; };\n"
        "__device__ bool equal(float a, float b, State s) { return a - b <= s.tolerance && b - a <= s.tolerance; }\n",
        tolerance);
  };
  const auto make = [](int kind, std::uint64_t index) {
    return static_cast<float>(kind) + static_cast<float>(index % 16) / 64;
  };
  expect_scans<float>({make, within(0.5f)});
  const Buffer<int> in(items()), out(kItems);
  const Buffer<float> by(Compared<float>{make, {}}.keys());
  runtime::scan_by_key(in.data(), by.data(), out.data(), kItems, {.equality = within(100)});
  std::vector<int> all = items();
  for (std::uint64_t index = 1; index < kItems; ++index) all[index] += all[index - 1];
  EXPECT_EQ(downloaded(out), all);
}

TEST(ApiKeyEquality, MayTakeWhatIsNoNumberAsEqual) {
  expect_lengths<double>({[](int kind, std::uint64_t) {
                            return kind == 2 ? std::numeric_limits<double>::quiet_NaN() : kind == 0 ? 0.0 : 1.5;
                          },
                          Equality::source("__device__ bool equal(Value a, Value b) {\n"
                                           "  return a == b || (a != a && b != b);\n}\n")});
}

TEST(ApiKeyEquality, SeesHalfPrecisionKeysAsFloats) {
  constexpr std::uint16_t kOneToThree[] = {0x3c00, 0x4000, 0x4200};
  expect_scans<runtime::f16>({[&](int kind, std::uint64_t index) {
                                return runtime::f16{static_cast<std::uint16_t>(kOneToThree[kind] + index % 8)};
                              },
                              Equality::source("__device__ bool equal(float a, float b) {\n"
                                               "  return a - b < 0.5f && b - a < 0.5f;\n}\n")});
}

}  // namespace
}  // namespace scantune::api_key_equality_test
