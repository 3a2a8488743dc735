// Sorts of segments by offsets on the GPU: of every type and payload, of lengths from one key to millions, in graphs on
// eight streams at once, and of more keys than 32 bits count.
#include "scantune/segmented_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "family_test.h"
#include "plain_sort.h"

namespace scantune::segmented_sort_test {
namespace {

using runtime::Buffer;
using runtime::Consumed;

constexpr ValueType kTypes[] = {ValueType::i8,  ValueType::u16, ValueType::f16, ValueType::i32,
                                ValueType::f32, ValueType::i64, ValueType::f64, ValueType::bf16};
constexpr Sorted kSorted[] = {Sorted::keys, Sorted::pairs, Sorted::indices, Sorted::keys_and_indices};

class SegmentedSortsOnGpu : public FamiliesOnGpu {
 protected:
  SegmentedSortsOnGpu() : FamiliesOnGpu(std::chrono::minutes(9)) {}  // the CPU checks what they return

  static SortRequest request_of(ValueType type, unsigned turn, u64 n, u64 segments) {
    SortRequest request{.input_type = type, .sorted = kSorted[turn % 4], .segments = Segments::offsets};
    request.order = turn % 3 == 0 ? Order::descending : Order::ascending;
    if (request.writes_indices()) request.value_type = turn % 8 < 4 ? ValueType::u32 : ValueType::i64;
    if (request.has_values()) request.value_type = kTypes[turn % std::size(kTypes)];
    request.offset_form = turn % 2 == 0 ? OffsetForm::begins_and_ends : OffsetForm::bounds;
    request.input_use = turn % 5 == 2 ? InputUse::consumed : InputUse::kept;
    request.n = n;
    request.segment_count = segments;
    return request;
  }
};

TEST_F(SegmentedSortsOnGpu, AreRightForEveryTypeAndLength) {
  const FamilyModel& family = *find_family("sort_segments");
  unsigned turn = 0;
  for (const ValueType type : kTypes)
    for (const u64 average : {2, 20, 60, 700, 20'000}) {
      const SortRequest request = request_of(type, ++turn, 1'000'003, 1'000'003 / average);
      verify(request, family.default_config(request, sm()), turn % 7 == 0);
      ASSERT_EQ(device_->failure(), "");
    }
}

TEST_F(SegmentedSortsOnGpu, AreRightForDrawnConfigs) {
  const FamilyModel& family = *find_family("sort_segments");
  unsigned turn = 0;
  for (const ValueType type : {ValueType::u16, ValueType::f32, ValueType::i64})
    for (const u64 segments : {9, 3'000, 40'000}) {
      const SortRequest request = request_of(type, ++turn, 300'007, segments);
      for (const Config& config : drawn_configs(family, request, sm(), 4, turn)) verify(request, config, false);
      ASSERT_EQ(device_->failure(), "");
    }
}

TEST_F(SegmentedSortsOnGpu, MoveValuesOfEverySize) {
  unsigned turn = 0;
  for (const auto& [bytes, alignment] : {std::pair(3, 1), {6, 2}, {12, 4}, {16, 16}, {24, 8}, {32, 16}})
    for (const u64 segments : {7, 20'000}) {
      SortRequest request = request_of(++turn % 2 == 0 ? ValueType::u64 : ValueType::u16, 1, 200'003, segments);
      request.value_type = ValueType::custom;
      request.custom_bytes = bytes;
      request.custom_alignment = alignment;
      verify(request, find_family("sort_segments")->default_config(request, sm()), false);
      ASSERT_EQ(device_->failure(), "");
    }
}

// Segments of keys of which many are equal, and where each key has to be.
struct Drawn {
  std::vector<std::uint32_t> keys, order;
  std::vector<std::int64_t> begins, ends;

  Drawn(u64 n, u64 segments) : keys(n) {
    for (u64 item = 0; item < n; ++item) keys[item] = static_cast<std::uint32_t>(item * 2654435761u) >> item % 20;
    Sequences all;
    for (u64 segment = 0; segment < segments; ++segment) {
      const u64 begin = segment * segment * n / (segments * segments);
      const u64 next = (segment + 1) * (segment + 1) * n / (segments * segments);
      all.emplace_back(begin, next - (next - begin) / 9);
    }
    std::ranges::reverse(all);
    for (const auto& [begin, end] : all) {
      begins.push_back(static_cast<std::int64_t>(begin));
      ends.push_back(static_cast<std::int64_t>(end));
    }
    order.assign(n, ~0u);
    const std::vector<u64> sorted = plain_order({.n = n}, keys.data(), all);
    for (const auto& [begin, end] : all)
      for (u64 place = begin; place < end; ++place) order[place] = static_cast<std::uint32_t>(sorted[place] - begin);
  }
};

std::vector<std::uint32_t> read(const Buffer<std::uint32_t>& buffer) {
  std::vector<std::uint32_t> items(buffer.size());
  buffer.download(items.data());
  return items;
}

// The list of one launch is not that of another.
TEST_F(SegmentedSortsOnGpu, AreRightInGraphsOnEightStreamsAtOnce) {
  constexpr u64 kKeys = 400'003, kSegments = 300;
  const Drawn drawn(kKeys, kSegments);
  const Buffer<std::uint32_t> keys(drawn.keys);
  const Buffer<std::int64_t> begins(drawn.begins), ends(drawn.ends);
  const auto plan = runtime::segmented_argsort_ranges_plan<std::uint32_t, std::uint32_t, std::int64_t>(
      kKeys, kSegments, {.captured_launches = 16});
  const std::vector<TestStream> streams(8);
  std::vector<Buffer<std::uint32_t>> outputs;
  std::vector<std::unique_ptr<TestGraph>> graphs;
  for (const TestStream& stream : streams) {
    const Buffer<std::uint32_t>& output = outputs.emplace_back(std::vector<std::uint32_t>(2 * kKeys, ~0u));
    graphs.push_back(std::make_unique<TestGraph>(stream, [&] {
      for (u64 half = 0; half < 2; ++half)
        plan(keys.data(), begins.data(), ends.data(), output.data() + half * kKeys, stream);
    }));
  }
  for (int round = 0; round < 20; ++round)
    for (std::size_t index = 0; index < streams.size(); ++index) {
      graphs[index]->launch(streams[index]);
      plan(keys.data(), begins.data(), ends.data(), outputs[index].data(), streams[index]);
    }
  for (std::size_t index = 0; index < streams.size(); ++index) {
    streams[index].synchronize();
    const std::vector<std::uint32_t> found = read(outputs[index]);
    EXPECT_TRUE(std::ranges::equal(drawn.order, std::span(found).first(kKeys))) << "stream " << index;
    EXPECT_TRUE(std::ranges::equal(drawn.order, std::span(found).last(kKeys))) << "stream " << index;
  }
}

// Few keys, so that the sanitizers take seconds: for lanes of a warp, for warps, from the queues, and in a consumed
// input.
TEST_F(SegmentedSortsOnGpu, StayWithinTheirArraysForSanitizers) {
  constexpr u64 kKeys = 5'003, kSegments = 40;
  const Drawn drawn(kKeys, kSegments);
  const Buffer<std::int64_t> begins(drawn.begins), ends(drawn.ends);
  for (const char* const items : {"4", "16"}) {
    const std::string config =
        R"({"family": "sort_segments", "parameters": {"block_threads": 64, "segments_per_warp": 4, )"
        R"("long_threads": 128, "long_items": 8, "radix_items": 2, "items_per_thread": )" +
        std::string(items) + "}}";
    const Buffer<std::uint32_t> keys(drawn.keys), out(kKeys), places(std::vector<std::uint32_t>(kKeys, ~0u));
    for (int round = 0; round < 2; ++round)
      runtime::segmented_sort(keys.data(), begins.data(), ends.data(), out.data(), kKeys, kSegments,
                              {.indices = places.data(), .config = config});
    ASSERT_EQ(read(places), drawn.order) << items;
    const Buffer<std::uint32_t> again(std::vector<std::uint32_t>(kKeys, ~0u));
    runtime::segmented_argsort_ranges_plan<Consumed<std::uint32_t>, std::uint32_t, std::int64_t>(
        kKeys, kSegments, {.config = config})(keys.data(), begins.data(), ends.data(), again.data());
    ASSERT_EQ(read(again), drawn.order) << items;
    ASSERT_EQ(device_->failure(), "");
  }
}

class SegmentedSortLargeOnGpu : public SegmentedSortsOnGpu {};

// One segment has more keys than 32 bits count, all but few of them the same.
TEST_F(SegmentedSortLargeOnGpu, IsRightPast2To32Keys) {
  constexpr u64 kKeys = (u64{1} << 32) + 77, kBegin = 7, kEnd = kKeys - 9;
  if (3 * kKeys > free_device_bytes()) GTEST_SKIP() << "needs more memory than the GPU has free";
  const Buffer<std::uint8_t> input(kKeys), output(kKeys);
  device_->fill(input.data(), std::byte{1}, kKeys);
  device_->fill(output.data(), std::byte{5}, kKeys);
  const std::uint8_t least = 0, greatest = 9;
  device_->upload(input.data() + kEnd - 1, &least, 1);
  device_->upload(input.data() + kBegin, &greatest, 1);
  const Buffer<std::uint64_t> bounds(std::vector<std::uint64_t>{kBegin, kEnd, kEnd});
  runtime::segmented_sort(input.data(), bounds.data(), output.data(), kKeys, 2);
  std::vector<std::uint8_t> found(kKeys);
  output.download(found.data());
  std::vector<std::uint8_t> ends(found.begin(), found.begin() + kBegin + 2);
  ends.insert(ends.end(), found.begin() + kEnd - 2, found.end());
  std::vector<std::uint8_t> expected(kBegin, 5);
  expected.insert(expected.end(), {0, 1, 1, 9});
  expected.insert(expected.end(), kKeys - kEnd, 5);
  EXPECT_EQ(ends, expected);
  EXPECT_EQ(std::count(found.begin(), found.end(), 1), static_cast<std::ptrdiff_t>(kEnd - kBegin - 2));
}

}  // namespace
}  // namespace scantune::segmented_sort_test
