// Sorts on the GPU of more keys than 31, 32 or 33 bits count.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "family_test.h"
#include "scantune/sort.hpp"

namespace scantune {
namespace {

using runtime::Buffer;

// Keys repeat a drawn block, from which their order follows.
class SortOfManyItemsOnGpu : public FamiliesOnGpu {
 protected:
  static constexpr std::uint64_t kBlock = (std::uint64_t{1} << 20) - 3;
  static constexpr std::uint64_t kPart = std::uint64_t{1} << 24;  // keys that are checked at once

  template <class Key>
  static std::vector<Key> drawn_block() {
    std::mt19937 random(11);
    std::vector<Key> block(kBlock);
    for (Key& key : block) key = static_cast<Key>((random() & random() & 0xffff) * kTimes<Key>);
    return block;
  }

  template <class Key>
  void fill(const Buffer<Key>& keys, const std::vector<Key>& block) const {
    for (std::uint64_t first = 0; first < keys.size(); first += kBlock)
      device_->upload(keys.data() + first, block.data(), sizeof(Key) * std::min(kBlock, keys.size() - first));
  }

  // Keys of 16 bits twice in each, so that every digit of theirs moves.
  template <class Key>
  static constexpr std::uint32_t kTimes = sizeof(Key) == 4 ? 0x10001 : 1;

  // How many of each key there are among the first n of the repeated block.
  template <class Key>
  static std::vector<std::uint64_t> counts_of(const std::vector<Key>& block, std::uint64_t n) {
    std::vector<std::uint64_t> counts(std::size_t{1} << std::min<std::size_t>(8 * sizeof(Key), 16));
    for (const Key key : block) counts[key / kTimes<Key>] += n / kBlock;
    for (std::uint64_t place = 0; place < n % kBlock; ++place) ++counts[block[place] / kTimes<Key>];
    return counts;
  }

  template <class Key>
  void expect_runs(const Buffer<Key>& output, const std::vector<std::uint64_t>& counts) const {
    std::vector<Key> expected(kPart), found(kPart);
    std::uint64_t key = 0, left = counts[0];
    for (std::uint64_t first = 0; first < output.size(); first += kPart) {
      const std::uint64_t count = std::min(kPart, output.size() - first);
      for (std::uint64_t made = 0; made < count;) {
        while (left == 0) left = counts[++key];
        const std::uint64_t run = std::min(left, count - made);
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(made), run, static_cast<Key>(key * kTimes<Key>));
        made += run;
        left -= run;
      }
      device_->download(found.data(), output.data() + first, count * sizeof(Key));
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), count * sizeof(Key)), 0) << "from key " << first << " on";
    }
  }

  // As: the key, or a consumed one.
  template <class Key, class As = Key>
  void expect_sorted(std::uint64_t n, const std::string& config) const {
    const std::vector<Key> block = drawn_block<Key>();
    Buffer<Key> input(n), output(n);
    fill(input, block);
    const auto plan = runtime::sort_plan<As>(n, {.captured_launches = 0, .config = config});
    plan(input.data(), output.data());
    ASSERT_NO_FATAL_FAILURE(expect_runs(output, counts_of(block, n))) << plan.describe();
    runtime::trim();
  }

  static bool memory_is_short(std::uint64_t bytes) { return free_device_bytes() < bytes + (std::uint64_t{1} << 30); }
};

constexpr std::uint64_t kPast31Bits = (std::uint64_t{1} << 31) + 12'345,
                        kPast32Bits = (std::uint64_t{1} << 32) + 12'345,
                        kPast33Bits = (std::uint64_t{1} << 33) + 12'345;

TEST_F(SortOfManyItemsOnGpu, CountsBytesPast31And32Bits) {
  if (memory_is_short(2 * kPast32Bits)) GTEST_SKIP() << "needs 9 GiB of the GPU's memory";
  expect_sorted<std::uint8_t>(kPast31Bits, R"({"family": "sort_fill"})");
  expect_sorted<std::uint8_t>(kPast32Bits, "");
}

TEST_F(SortOfManyItemsOnGpu, MovesBytesPast31And32Bits) {
  if (memory_is_short(3 * kPast32Bits)) GTEST_SKIP() << "needs 14 GiB of the GPU's memory";
  expect_sorted<std::uint8_t>(kPast31Bits, R"({"family": "sort_onesweep"})");
  expect_sorted<std::uint8_t>(kPast32Bits, R"({"family": "sort_onesweep"})");
}

TEST_F(SortOfManyItemsOnGpu, MovesKeysOfTwoBytesPast31Bits) {
  if (memory_is_short(8 * kPast31Bits)) GTEST_SKIP() << "needs 17 GiB of the GPU's memory";
  expect_sorted<std::uint16_t>(kPast31Bits, "");
}

TEST_F(SortOfManyItemsOnGpu, ConsumesKeysPast32And33Bits) {
  if (memory_is_short(5 * kPast32Bits)) GTEST_SKIP() << "needs 21 GiB of the GPU's memory";
  expect_sorted<std::uint16_t, runtime::Consumed<std::uint16_t>>(kPast32Bits, "");
  if (memory_is_short(8 * kPast33Bits + kPast33Bits / 2)) GTEST_SKIP() << "keys of 4 bytes need 69 GiB";
  expect_sorted<std::uint32_t, runtime::Consumed<std::uint32_t>>(kPast33Bits, "");
}

// In a run of equal keys, one block's places come after the other's.
TEST_F(SortOfManyItemsOnGpu, FindsPlacesPast31Bits) {
  if (memory_is_short(15 * kPast31Bits)) GTEST_SKIP() << "needs 31 GiB of the GPU's memory";
  const std::vector<std::uint8_t> block = drawn_block<std::uint8_t>();
  const Buffer<std::uint8_t> input(kPast31Bits);
  const Buffer<std::uint32_t> indices(kPast31Bits);
  fill(input, block);
  const auto plan = runtime::argsort_plan<std::uint8_t, std::uint32_t>(kPast31Bits, {.captured_launches = 0});
  plan(input.data(), indices.data());
  std::vector<std::vector<std::uint32_t>> places(256);
  for (std::uint64_t place = 0; place < kBlock; ++place)
    places[block[place]].push_back(static_cast<std::uint32_t>(place));
  const std::vector<std::uint64_t> counts = counts_of(block, kPast31Bits);
  std::vector<std::uint32_t> found;
  std::uint64_t before = 0;
  for (std::size_t key = 0; key < places.size(); before += counts[key++]) {
    const std::uint64_t run = places[key].size();
    // The last whole block, the first, and some between: all of them take minutes.
    for (std::uint64_t repeat = 0; repeat < kPast31Bits / kBlock && run > 0; repeat += repeat < 2046 ? 93 : 1) {
      found.resize(run);
      device_->download(found.data(), indices.data() + before + repeat * run, run * sizeof(std::uint32_t));
      for (std::uint64_t place = 0; place < run; ++place)
        ASSERT_EQ(found[place], places[key][place] + repeat * kBlock) << "key " << key << ", " << plan.describe();
    }
  }
}

}  // namespace
}  // namespace scantune
