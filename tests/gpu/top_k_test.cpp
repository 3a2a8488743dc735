// Top-k on the GPU: by every family, of every type, of few and of many results, of keys of which many are equal, and
// repeated on one workspace.
#include "scantune/top_k.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

constexpr ValueType kTypes[] = {ValueType::i8,  ValueType::u8,  ValueType::i16, ValueType::u16,
                                ValueType::f16, ValueType::i32, ValueType::u32, ValueType::f32,
                                ValueType::i64, ValueType::u64, ValueType::f64, ValueType::bf16};
constexpr Sorted kSorted[] = {Sorted::keys, Sorted::pairs, Sorted::indices, Sorted::keys_and_indices};

// A family against the CPU. Verifying takes so many keys, one fewer, and as many as lie around a tile, by aligned and
// by other pointers; keys are random, many equal, alike, and in order.
class FamilyOfTopKsOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  FamilyOfTopKsOnGpu() : FamiliesOnGpu(std::chrono::minutes(9)) {}  // the CPU checks what it returns

  static TopKRequest top_k_of(ValueType type, unsigned turn) {
    TopKRequest request{.input_type = type, .sorted = kSorted[turn % std::size(kSorted)]};
    request.order = turn % 3 == 0 ? Order::ascending : Order::descending;
    request.result_order = turn % 5 == 0 ? ResultOrder::by_index : ResultOrder::by_key;
    if (request.writes_indices()) request.value_type = turn % 3 == 0 ? ValueType::i64 : ValueType::u32;
    if (request.has_values()) request.value_type = kTypes[turn % std::size(kTypes)];
    request.k_source = static_cast<CountSource>(turn / 2 % 3);
    return request;
  }

  void verify_default(TopKRequest request, u64 n, u64 k, bool all_kinds) {
    request.n = n;
    request.k = k;
    if (GetParam()->unsupported_reason(request, sm()) != nullptr) return;
    verify(request, GetParam()->default_config(request, sm()), all_kinds);
    ASSERT_EQ(device_->failure(), "");
    ++verified_;
  }

  int verified_ = 0;
};

TEST_P(FamilyOfTopKsOnGpu, IsRightForEveryType) {
  unsigned turn = 0;
  for (const ValueType type : kTypes) {
    verify_default(top_k_of(type, turn), 100'003, 50, true);
    verify_default(top_k_of(type, ++turn), 200'003, 1000, false);
  }
  EXPECT_GT(verified_, 12);
}

TEST_P(FamilyOfTopKsOnGpu, IsRightForMillions) {
  constexpr u64 kMillions = (u64{1} << 24) + 5;
  unsigned turn = 0;
  for (const ValueType type : {ValueType::f32, ValueType::u8, ValueType::i64})
    for (const u64 k : {u64{1}, u64{32}, u64{4096}}) verify_default(top_k_of(type, turn++), kMillions, k, false);
  EXPECT_GT(verified_, 0);
}

TEST_P(FamilyOfTopKsOnGpu, IsRightForDrawnConfigs) {
  TopKRequest request = top_k_of(ValueType::f32, 3);
  request.n = 300'007;
  request.k = 100;
  for (const Config& config : drawn_configs(*GetParam(), request, sm(), 6, 5)) {
    verify(request, config, false);
    ASSERT_EQ(device_->failure(), "");
  }
}

TEST_P(FamilyOfTopKsOnGpu, TakesRowsByThemselves) {
  TopKRequest request = top_k_of(ValueType::f32, 3);
  request.segments = Segments::rows;
  for (const u64 rows : {u64{3}, u64{40}, u64{1000}}) {
    request.rows = rows;
    verify_default(request, 200'000, 50, rows == 40);
  }
  EXPECT_EQ(verified_, takes_rows<TopKRequest>(*GetParam()) ? 3 : 0);
}

TEST_P(FamilyOfTopKsOnGpu, TakesSegmentsByThemselves) {
  unsigned turn = 0;
  for (const u64 segments : {u64{3}, u64{1000}, u64{50'000}}) {
    TopKRequest request = top_k_of(kTypes[3 * turn + 4], turn + 1);
    request.segments = Segments::offsets;
    request.segment_count = segments;
    request.offset_form = turn % 2 == 0 ? OffsetForm::begins_and_ends : OffsetForm::bounds;
    request.offset_type = static_cast<OffsetType>(turn++);
    verify_default(request, 200'003, 50, segments == 1000);
  }
  EXPECT_EQ(verified_, takes_rows<TopKRequest>(*GetParam()) ? 3 : 0);
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, FamilyOfTopKsOnGpu, testing::ValuesIn(algorithm_of<TopKRequest>().families()),
                         name_of_family);

class TopKOnGpu : public FamiliesOnGpu {};

// What a launch leaves in the workspace must not be taken for what the next one finds.
TEST_F(TopKOnGpu, IsRightWheneverItIsRepeatedOnOtherKeys) {
  constexpr std::uint64_t kMany = (1u << 20) + 3, kResults = 100;
  const runtime::Buffer<float> keys(kMany), output(kResults);
  const auto plan = runtime::top_k_plan<float>(kMany, kResults);
  for (int time = 0; time < 6; ++time) {
    std::vector<float> drawn(kMany);
    // Every second time so many keys are equal that digits are counted.
    for (std::uint64_t item = 0; item < kMany; ++item)
      drawn[item] =
          static_cast<float>((item * 2654435761u + static_cast<unsigned>(time)) % (time % 2 == 0 ? 1u << 22 : 3));
    device_->upload(keys.data(), drawn.data(), sizeof(float) * kMany);
    plan(keys.data(), output.data());
    std::vector<float> found(kResults);
    output.download(found.data());
    std::ranges::partial_sort(drawn, drawn.begin() + kResults, std::ranges::greater());
    drawn.resize(kResults);
    ASSERT_EQ(found, drawn) << "time " << time;
  }
}

// The number of results is read when the kernels run, so that a call need not wait for what computes it.
TEST_F(TopKOnGpu, HasAsManyResultsAsMemorySays) {
  constexpr std::uint64_t kRows = 64, kLength = 4001, kMost = 70;
  const runtime::Buffer<int> keys(kRows * kLength), output(kRows * kMost);
  const runtime::Buffer<std::uint32_t> number(1);
  std::vector<int> drawn(kRows * kLength);
  for (std::uint64_t item = 0; item < drawn.size(); ++item) drawn[item] = static_cast<int>(item * 2654435761u >> 12);
  device_->upload(keys.data(), drawn.data(), sizeof(int) * drawn.size());
  for (const runtime::Segments& segments : {runtime::Segments{}, runtime::Segments::rows(kRows, kLength)}) {
    const bool has_rows = segments.count() > 1;
    const std::uint64_t rows = has_rows ? kRows : 1, length = drawn.size() / rows;
    const auto plan = runtime::top_k_plan<int>(drawn.size(), kMost, {.segments = segments, .device_k = number.data()});
    for (const std::uint32_t said : {70u, 3u, 0u, 71u, 1u}) {
      std::vector<int> expected(rows * kMost, -1), found(kRows * kMost, -1);
      device_->upload(output.data(), found.data(), sizeof(int) * found.size());
      device_->upload(number.data(), &said, sizeof said);
      plan(keys.data(), output.data());
      output.download(found.data());
      found.resize(expected.size());
      for (std::uint64_t row = 0; row < rows; ++row) {
        std::vector<int> own(drawn.begin() + row * length, drawn.begin() + (row + 1) * length);
        const auto taken = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(said, kMost));
        std::ranges::partial_sort(own, own.begin() + taken, std::ranges::greater());
        std::copy_n(own.begin(), taken, expected.begin() + static_cast<std::ptrdiff_t>(row * kMost));
      }
      ASSERT_EQ(found, expected) << said << " of " << rows << " rows";
    }
  }
}

TEST_F(TopKOnGpu, StaysWithinItsArraysForSanitizers) {
  for (const FamilyModel* family : algorithm_of<TopKRequest>().families()) {
    const TopKRequest request{.input_type = ValueType::u16, .sorted = Sorted::pairs, .n = 5003, .k = 77};
    verify(request, family->default_config(request, sm()), false);
  }
}

}  // namespace
}  // namespace scantune
