// The formula and the kernels by which the GPU checks its scans, tested on the host device.
#include "known_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "device/host/host_device.h"
#include "space/space.h"

namespace scantune {
namespace {

constexpr u64 kItems = 3001, kSeed = 7;

ScanRequest sum_of(ValueType item, ValueType result) {
  return {.input_type = item, .accumulator_type = default_accumulator(item, result), .output_type = result};
}

// Items of a seed and their sums, and the device's check of them.
template <class Item, class Result>
class Sums {
 public:
  Sums(ValueType item, ValueType result) : sums_(device_, sum_of(item, result)) {}

  std::vector<Item> items(u64 seed) const {
    const DeviceBuffer memory(device_, kItems * sizeof(Item));
    sums_.fill(memory.data(), kItems, seed, nullptr);
    const auto* const first = reinterpret_cast<const Item*>(memory.data());
    return {first, first + kItems};
  }

  std::vector<Result> results() const {
    std::vector<Result> sums;
    Result sum{};
    for (const Item item : items(kSeed)) sums.push_back(sum = static_cast<Result>(sum + static_cast<Result>(item)));
    return sums;
  }

  std::string problem(const std::vector<Result>& results) const {
    const DeviceBuffer memory(device_, kItems * sizeof(Result));
    std::ranges::copy(results, reinterpret_cast<Result*>(memory.data()));
    const Verdict verdict(device_);
    sums_.check(memory.data(), kItems, kSeed, verdict, nullptr);
    return verdict.problem();
  }

 private:
  mutable HostDevice device_;
  KnownSums sums_;
};

template <class Item, class Result>
void expect_to_be_judged(ValueType item, ValueType result) {
  const Sums<Item, Result> sums(item, result);
  std::vector<Result> results = sums.results();
  EXPECT_EQ(sums.problem(results), "");
  EXPECT_GT(std::set<Result>(results.begin(), results.end()).size(), 200u) << "too few results to tell apart";
  EXPECT_NE(sums.items(kSeed), sums.items(kSeed + 1));

  for (const std::size_t index : {std::size_t{0}, std::size_t{1234}, results.size() - 1}) {
    std::vector<Result> wrong = results;
    wrong[index] = static_cast<Result>(wrong[index] + 1);
    EXPECT_EQ(sums.problem(wrong).substr(0, sums.problem(wrong).find(" should")),
              "item " + std::to_string(index) + " of seed 7");
  }
}

TEST(KnownSums, OfIntegersAreTheSumsOfTheirItems) {
  expect_to_be_judged<i8, i8>(ValueType::i8, ValueType::i8);
  expect_to_be_judged<u16, u16>(ValueType::u16, ValueType::u16);
  expect_to_be_judged<i64, i64>(ValueType::i64, ValueType::i64);
}

TEST(KnownSums, OfNarrowItemsAreTheSumsOfTheirItems) {
  expect_to_be_judged<u8, u32>(ValueType::u8, ValueType::u32);
  expect_to_be_judged<i8, i64>(ValueType::i8, ValueType::i64);
  expect_to_be_judged<i32, i64>(ValueType::i32, ValueType::i64);
}

TEST(KnownSums, OfFloatingPointNumbersAreTheSumsOfTheirItems) {
  expect_to_be_judged<f32, f32>(ValueType::f32, ValueType::f32);
  expect_to_be_judged<f64, f64>(ValueType::f64, ValueType::f64);
}

}  // namespace
}  // namespace scantune
