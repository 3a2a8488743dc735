// The public API's top-k of segments by offsets. This file is linked with api_test.cpp, which sets the host device up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "downloaded.h"
#include "message_of.h"
#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_segmented_top_k_test {
namespace {

using runtime::Buffer;

constexpr std::uint64_t kItems = 3'001, kResults = 7;
constexpr float kLeft = -77;  // what is in the output where nothing is written
constexpr std::uint32_t kNoIndex = ~0u;

std::vector<float> some_keys() {
  std::vector<float> keys(kItems);
  for (std::uint64_t index = 0; index < kItems; ++index) keys[index] = static_cast<float>(index * 7919 % 101) - 50;
  return keys;
}

struct Expected {
  std::vector<float> keys;
  std::vector<std::uint32_t> indices;
};

// The least keys of each segment and their indices within it.
Expected expected(const std::vector<std::int64_t>& begins, const std::vector<std::int64_t>& ends) {
  const std::vector<float> keys = some_keys();
  Expected all{std::vector<float>(begins.size() * kResults, kLeft),
               std::vector<std::uint32_t>(begins.size() * kResults, kNoIndex)};
  for (std::size_t segment = 0; segment < begins.size(); ++segment) {
    const auto place = [](std::int64_t offset) {
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>(offset, 0, kItems));
    };
    const std::uint32_t begin = place(begins[segment]), end = std::max(begin, place(ends[segment]));
    std::vector<std::uint32_t> order(end - begin);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t index) { return keys[begin + index]; });
    for (std::uint64_t result = 0; result < std::min<std::uint64_t>(kResults, order.size()); ++result) {
      all.keys[segment * kResults + result] = keys[begin + order[result]];
      all.indices[segment * kResults + result] = order[result];
    }
  }
  return all;
}

// Empty ones, one of few keys, one of most, ones that share keys, and ones that reach beyond the keys.
const std::vector<std::int64_t> kBegins = {0, 40, 40, 3, 3'001, -5, 2'500, 900};
const std::vector<std::int64_t> kEnds = {40, 44, 40, 2'900, 3'001, 9, 3'100, 800};

TEST(ApiSegmentedTopK, TakesTheFirstKeysOfEachSegment) {
  const Expected results = expected(kBegins, kEnds);
  const std::uint64_t count = kBegins.size();
  const Buffer<float> in(some_keys()), out(std::vector<float>(count * kResults, kLeft));
  const Buffer<std::int64_t> begins(kBegins), ends(kEnds);
  const Buffer<std::uint32_t> beside(std::vector<std::uint32_t>(count * kResults, kNoIndex)),
      alone(std::vector<std::uint32_t>(count * kResults, kNoIndex));
  runtime::segmented_top_k(in.data(), begins.data(), ends.data(), out.data(), kItems, count, kResults,
                           {.order = runtime::Order::ascending, .indices = beside.data()});
  EXPECT_EQ(downloaded(out), results.keys);
  EXPECT_EQ(downloaded(beside), results.indices);
  runtime::segmented_argtop_k_ranges_plan<float, std::uint32_t, std::int64_t>(
      kItems, count, kResults, {.order = runtime::Order::ascending})(in.data(), begins.data(), ends.data(),
                                                                     alone.data());
  EXPECT_EQ(downloaded(alone), results.indices);
}

TEST(ApiSegmentedTopK, TakesAsManySegmentsAsMemorySays) {
  const std::vector<int> bounds = {0, 10, 12, 1'000, 3'001};
  const Expected results = expected({0, 10, 12}, {10, 12, 1'000});
  std::vector<float> keys = results.keys;
  keys.resize(4 * kResults, kLeft);
  const Buffer<float> in(some_keys()), out(std::vector<float>(4 * kResults, kLeft));
  const Buffer<int> offsets(bounds), number(std::vector<int>{3});
  runtime::segmented_top_k(in.data(), offsets.data(), out.data(), kItems, 4, kResults,
                           {.order = runtime::Order::ascending, .device_segment_count = number.data()});
  EXPECT_EQ(downloaded(out), keys);
}

// The results of each begin where those of kResults would, however many there are. Plans find in their workspaces what
// runs of another number left there.
TEST(ApiSegmentedTopK, HasAsManyResultsAsMemorySaysWhenItRuns) {
  const std::vector<int> bounds = {0, 10, 12, 1'000, 3'001};
  const Expected all = expected({0, 10, 12, 1'000}, {10, 12, 1'000, 3'001}), of_row = expected({0}, {3'001});
  const Buffer<float> in(some_keys());
  const Buffer<int> offsets(bounds);
  Buffer<float> out(4 * kResults), of_all(kResults);
  Buffer<std::uint32_t> beside(4 * kResults);
  Buffer<int> number(1);
  const auto plan = runtime::segmented_top_k_indices_plan<float, std::uint32_t, int>(
      kItems, 4, kResults, {.order = runtime::Order::ascending, .device_k = number.data()});
  const auto plan_of_all = runtime::top_k_plan<float>(
      kItems, kResults,
      {.order = runtime::Order::ascending, .device_k = number.data(), .config = R"({"family":"top_k_tiles"})"});
  for (const int said : {3, 0, 7, 8, 1, -1}) {
    const std::uint64_t k = said < 0 ? kResults : std::min<std::uint64_t>(static_cast<std::uint64_t>(said), kResults);
    std::vector<float> keys(4 * kResults, kLeft), row_keys(kResults, kLeft);
    std::vector<std::uint32_t> indices(4 * kResults, kNoIndex);
    out.upload(keys.data());
    of_all.upload(row_keys.data());
    beside.upload(indices.data());
    number.upload(&said);
    plan(in.data(), offsets.data(), out.data(), beside.data());
    plan_of_all(in.data(), of_all.data());
    for (std::uint64_t place = 0; place < 4 * kResults; ++place)
      if (place % kResults < k) {
        keys[place] = all.keys[place];
        indices[place] = all.indices[place];
      }
    std::copy_n(of_row.keys.begin(), k, row_keys.begin());
    EXPECT_EQ(downloaded(out), keys) << said;
    EXPECT_EQ(downloaded(beside), indices) << said;
    EXPECT_EQ(downloaded(of_all), row_keys) << said;
  }
}

TEST(ApiSegmentedTopK, NamesTheFirstWrongOffset) {
  const Buffer<float> in(some_keys()), out(std::vector<float>(2 * kResults, kLeft));
  const Buffer<int> descending(std::vector<int>{5, 4, 9}), begins(std::vector<int>{0, 3}), ends(std::vector<int>{6, 8});
  const std::string refused = message_of<RequestError>([&] {
    runtime::segmented_top_k(in.data(), descending.data(), out.data(), kItems, 2, kResults, {.check = true});
  });
  EXPECT_TRUE(is_rehearsal() || refused.ends_with("offsets[1] is 4, and offsets[0] is 5: offsets must not descend"))
      << refused;
  EXPECT_EQ(downloaded(out), std::vector<float>(2 * kResults, kLeft));
  // Segments may have keys in common.
  runtime::segmented_top_k(in.data(), begins.data(), ends.data(), out.data(), kItems, 2, kResults,
                           {.order = runtime::Order::ascending, .check = true});
  EXPECT_EQ(downloaded(out), expected({0, 3}, {6, 8}).keys);
}

}  // namespace
}  // namespace scantune::api_segmented_top_k_test
