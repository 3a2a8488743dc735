// What tests of selections by the public API share: inputs, outputs that tell what was written, and plain loops.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <vector>

#include "scantune/runtime.hpp"

namespace scantune::api_select_test {

using runtime::Buffer;
using Count = std::uint64_t;

inline constexpr std::uint64_t kItems = 10'007;  // several tiles, the last of them ragged

// Items in runs of one to three equal neighbours, around 0.
template <class T>
std::vector<T> items(std::uint64_t n = kItems) {
  std::vector<T> values(n);
  for (std::uint64_t index = 0; index < n; ++index)
    values[index] = static_cast<T>(static_cast<int>(index * 7 / 12 * 7919 % 101) - 50);
  return values;
}

// Memory of the device whose items tell whether they were written.
template <class T>
class Output {
 public:
  explicit Output(std::uint64_t n) : buffer_(std::vector<T>(n, untouched())) {}

  T* data() const { return buffer_.data(); }

  // The first items. Those behind them must be as they were.
  std::vector<T> first(std::uint64_t count) const {
    std::vector<T> all(buffer_.size());
    buffer_.download(all.data());
    const T before = untouched();
    for (std::uint64_t index = count; index < all.size(); ++index)
      EXPECT_EQ(std::memcmp(&all[index], &before, sizeof before), 0) << "written behind the results, at " << index;
    all.resize(std::min<std::uint64_t>(count, all.size()));
    return all;
  }

 private:
  static T untouched() {
    T value;
    std::memset(static_cast<void*>(&value), 0x5a, sizeof value);
    return value;
  }

  Buffer<T> buffer_;
};

inline Count value_of(const Buffer<Count>& count) {
  Count value = 0;
  count.download(&value);
  return value;
}

// Equal bits, so that NaN is equal to itself.
template <class T>
void expect_same(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_TRUE(found.empty() || std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)) == 0);
}

template <class T, class Keep>
std::vector<T> kept_of(const std::vector<T>& values, const Keep& keep) {
  std::vector<T> kept;
  std::ranges::copy_if(values, std::back_inserter(kept), keep);
  return kept;
}

template <class T>
using Call = std::function<void(const T* in, T* out, Count* count, std::uint64_t n)>;

template <class T>
void expect_kept(const std::vector<T>& values, const std::vector<T>& expected, const Call<T>& call) {
  const Buffer<T> in(values);
  const Output<T> out(values.size());
  const Buffer<Count> count(1);
  call(in.data(), out.data(), count.data(), values.size());
  EXPECT_EQ(value_of(count), expected.size());
  expect_same(out.first(expected.size()), expected);
}

template <class T, class Equal>
std::vector<T> unique_of(const std::vector<T>& values, const Equal& equal) {
  std::vector<T> kept;
  for (std::size_t index = 0; index < values.size(); ++index)
    if (index == 0 || !equal(values[index - 1], values[index])) kept.push_back(values[index]);
  return kept;
}

// The first items, as many as there is room for.
template <class T>
std::vector<T> with_room(std::vector<T> all, std::uint64_t room) {
  all.resize(std::min<std::uint64_t>(room, all.size()));
  return all;
}

struct Pair {
  int key;
  float weight;
};

inline std::vector<Pair> pairs() {
  std::vector<Pair> values;
  for (const int value : items<int>()) values.push_back({value, static_cast<float>(values.size())});
  return values;
}

inline constexpr const char* kOddPairs =
    "struct Value { int key; float weight; };\n"
    "__device__ bool keep(Value x) { return x.key % 2 != 0; }";

}  // namespace scantune::api_select_test
