// Load balances on the GPU: of every type and config, in graphs, on several streams, by wrong offsets, and of more
// items and segments than 32 bits count.
#include "scantune/load_balance.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "family_test.h"

namespace scantune {
namespace {

using runtime::Buffer;

class LoadBalanceOnGpu : public FamiliesOnGpu {
 protected:
  LoadBalanceOnGpu() : FamiliesOnGpu(std::chrono::minutes(9)) {}  // the CPU checks what it returns
};

// Offsets of segments whose lengths are drawn from 0 to 2 * mean.
std::vector<std::uint32_t> drawn_offsets(std::size_t segments, unsigned mean, unsigned seed) {
  std::vector<std::uint32_t> offsets(segments + 1);
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::size_t segment = 0; segment < segments; ++segment) {
    state = state * 1664525u + 1013904223u;
    offsets[segment + 1] = offsets[segment] + (state >> 8) % (2 * mean + 1);
  }
  return offsets;
}

std::vector<std::uint32_t> segment_of_each(const std::vector<std::uint32_t>& offsets) {
  std::vector<std::uint32_t> result(offsets.back());
  for (std::uint32_t segment = 0; segment + 1 < offsets.size(); ++segment)
    std::fill(result.begin() + offsets[segment], result.begin() + offsets[segment + 1], segment);
  return result;
}

template <class T>
std::vector<T> read(const Buffer<T>& buffer) {
  std::vector<T> items(buffer.size());
  buffer.download(items.data());
  return items;
}

TEST_F(LoadBalanceOnGpu, IsRightForEveryTypeAndConfig) {
  const FamilyModel& family = *find_family("load_balance_merge");
  unsigned turn = 0;
  for (const ValueType offset : {ValueType::u32, ValueType::i64})
    for (const ValueType output : {ValueType::u32, ValueType::i64})
      for (const Assigned assigned :
           {Assigned::segments, Assigned::ranks, Assigned::segments_and_ranks, Assigned::values})
        for (const auto& [n, segments] : {std::pair<u64, u64>{20'001, 5000},
                                          {u64{1} << 20, u64{1} << 18},
                                          {100, u64{1} << 20},
                                          {(u64{1} << 24) + 5, 70'000},
                                          {5'000'000, 5'000'001},
                                          {3'000'001, 1}}) {
          if (++turn % 2 != 0) continue;  // compilers and the CPU take seconds for one
          const LoadBalanceRequest request{
              .input_type = offset, .output_type = output, .assigned = assigned, .n = n, .segments = segments};
          verify(request, family.default_config(request, sm()), true);
          for (const Config& config : drawn_configs(family, request, sm(), 3, turn)) verify(request, config, false);
          ASSERT_EQ(device_->failure(), "");
        }
}

TEST_F(LoadBalanceOnGpu, MovesValuesOfEverySize) {
  const FamilyModel& family = *find_family("load_balance_merge");
  for (const auto& [bytes, alignment] :
       {std::pair(1, 1), {2, 2}, {3, 1}, {6, 2}, {8, 4}, {12, 4}, {16, 16}, {20, 4}, {24, 8}, {32, 16}}) {
    LoadBalanceRequest request{.output_type = ValueType::custom, .assigned = Assigned::values, .n = 300'001};
    request.segments = 90'000;
    request.custom_bytes = bytes;
    request.custom_alignment = alignment;
    verify(request, family.default_config(request, sm()), true);
    for (const Config& config : drawn_configs(family, request, sm(), 2)) verify(request, config, false);
    ASSERT_EQ(device_->failure(), "");
  }
}

TEST_F(LoadBalanceOnGpu, IsRightWheneverAGraphIsReplayed) {
  constexpr std::size_t kSegments = 300'000;
  const TestStream stream;
  std::vector<std::uint32_t> offsets = drawn_offsets(kSegments, 4, 1);
  const std::size_t n = offsets.back();
  const auto plan = runtime::load_balance_plan<std::uint32_t, std::uint32_t>(kSegments, n);
  Buffer<std::uint32_t> input(offsets), output(n);
  const TestGraph graph(stream, [&] { plan(input.data(), output.data(), stream); });
  for (unsigned replay = 0; replay < 20; ++replay) {
    // Other segments of as many items.
    std::vector<std::uint32_t> others = drawn_offsets(kSegments, 3, replay + 7);
    for (std::uint32_t& offset : others) offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(n));
    others.back() = static_cast<std::uint32_t>(n);
    input.upload(others.data());
    graph.launch(stream);
    stream.synchronize();
    ASSERT_EQ(read(output), segment_of_each(others)) << "replay " << replay;
  }
}

// Kernels that start early wait for what the kernel before them writes: the offsets.
TEST_F(LoadBalanceOnGpu, TakesOffsetsThatAScanBeforeItWrites) {
  constexpr std::size_t kSegments = 200'000;
  const TestStream stream;
  std::vector<std::uint32_t> lengths(kSegments);
  for (unsigned round = 0; round < 20; ++round) {
    const std::vector<std::uint32_t> offsets = drawn_offsets(kSegments, 4, round);
    std::adjacent_difference(offsets.begin() + 1, offsets.end(), lengths.begin());
    Buffer<std::uint32_t> from(lengths), to(std::vector<std::uint32_t>(kSegments + 1, 0)), output(offsets.back());
    runtime::scan(from.data(), to.data() + 1, kSegments, {.stream = stream});
    runtime::load_balance(to.data(), kSegments, output.data(), offsets.back(), {.stream = stream});
    stream.synchronize();
    ASSERT_EQ(read(output), segment_of_each(offsets)) << "round " << round;
  }
}

TEST_F(LoadBalanceOnGpu, ChecksOffsets) {
  const TestStream stream;
  std::vector<std::uint32_t> offsets = drawn_offsets(100'000, 4, 3);
  const std::uint32_t n = offsets.back();
  Buffer<std::uint32_t> output(n);
  const Buffer<std::uint32_t> right(offsets);
  runtime::load_balance(right.data(), 100'000, output.data(), n, {.check = true, .stream = stream});
  stream.synchronize();
  EXPECT_EQ(read(output), segment_of_each(offsets));
  offsets[77'777] = n + 1;
  const Buffer<std::uint32_t> wrong(offsets);
  try {
    runtime::load_balance(wrong.data(), 100'000, output.data(), n, {.check = true, .stream = stream});
    ADD_FAILURE() << "nothing was refused";
  } catch (const RequestError& error) {
    EXPECT_NE(std::string(error.what()).find("offsets[77777] is "), std::string::npos) << error.what();
  }
}

// Nothing but the operands is touched; the sanitizers' memcheck looks at this test, too.
TEST_F(LoadBalanceOnGpu, EndsWhateverTheOffsetsAreForSanitizers) {
  constexpr std::size_t kSegments = 20'000, kItems = 30'000;
  std::vector<std::uint32_t> offsets(kSegments + 1);
  for (unsigned round = 0; round < 6; ++round) {
    for (std::size_t index = 0; index < offsets.size(); ++index)
      offsets[index] = static_cast<std::uint32_t>(index * 2654435761u + round) >> 5 * round;
    const Buffer<std::uint32_t> input(offsets);
    const Buffer<std::uint32_t> output(kItems), ranks(kItems);
    const Buffer<double> values(std::vector<double>(kSegments, 1.0)), expanded(kItems);
    runtime::load_balance(input.data(), kSegments, output.data(), kItems, {.rank_of = ranks.data()});
    runtime::expand(input.data(), kSegments, values.data(), expanded.data(), kItems);
    (void)read(output);
    ASSERT_EQ(device_->failure(), "");
  }
}

// More items than 32 bits count, and more segments, most of them empty.
class LoadBalanceOfManyItemsOnGpu : public GpuTest {};

TEST_F(LoadBalanceOfManyItemsOnGpu, CountsItemsPast32Bits) {
  constexpr std::uint64_t kItems = (std::uint64_t{1} << 32) + 12'345, kSegments = 3;
  if (free_device_bytes() < 4 * kItems + (std::uint64_t{1} << 30)) GTEST_SKIP() << "needs 17 GiB of the GPU's memory";
  const Buffer<std::uint64_t> offsets(std::vector<std::uint64_t>{0, 5, kItems - 7, kItems});
  Buffer<std::uint32_t> output(kItems);
  runtime::load_balance(offsets.data(), kSegments, output.data(), kItems);
  const auto expect = [&](std::uint64_t first, std::size_t count) {
    std::vector<std::uint32_t> found(count);
    device_->download(found.data(), output.data() + first, 4 * count);
    for (std::size_t index = 0; index < count; ++index) {
      const std::uint64_t item = first + index;
      ASSERT_EQ(found[index], item < 5 ? 0u : item < kItems - 7 ? 1u : 2u) << "item " << item;
    }
  };
  expect(0, 100'000);
  expect(std::uint64_t{1} << 31, 100'000);
  expect((std::uint64_t{1} << 32) - 50'000, 62'345);
}

TEST_F(LoadBalanceOfManyItemsOnGpu, NumbersSegmentsPast32Bits) {
  constexpr std::uint64_t kSegments = (std::uint64_t{1} << 32) + 1000, kItems = 4000;
  if (free_device_bytes() < 8 * kSegments + (std::uint64_t{1} << 30))
    GTEST_SKIP() << "needs 33 GiB of the GPU's memory";
  // The first segment has half of the items, and the last one the others; those between are empty.
  Buffer<std::uint64_t> offsets(kSegments + 1);
  device_->fill(offsets.data(), std::byte{0}, 8 * (kSegments + 1));
  constexpr std::uint64_t kPart = std::uint64_t{1} << 24;
  const std::vector<std::uint64_t> half(kPart, kItems / 2);
  for (std::uint64_t first = 1; first < kSegments; first += kPart)
    device_->upload(offsets.data() + first, half.data(), 8 * std::min(kPart, kSegments - first));
  device_->upload(offsets.data() + kSegments, &kItems, 8);
  Buffer<std::uint64_t> output(kItems);
  runtime::load_balance(offsets.data(), kSegments, output.data(), kItems);
  const std::vector<std::uint64_t> found = read(output);
  for (std::uint64_t item = 0; item < kItems; ++item)
    ASSERT_EQ(found[item], item < kItems / 2 ? 0 : kSegments - 1) << "item " << item;
}

}  // namespace
}  // namespace scantune
