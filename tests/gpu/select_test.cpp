// Selections on the GPU: of every type and criterion, in place, in graphs, on several streams, and past 2^32 items.
#include "scantune/select.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "family_test.h"

namespace scantune {
namespace {

using runtime::Buffer;
using runtime::Predicate;

class SelectOnGpu : public FamiliesOnGpu {
 protected:
  SelectOnGpu() : FamiliesOnGpu(std::chrono::minutes(9)) {}  // the CPU checks what it returns

  static SelectRequest selection_of(ValueType type, Criterion criterion, u64 n) {
    return {.input_type = type, .criterion = criterion, .n = n};
  }
};

// Those that are at least 0, in their order.
std::vector<std::int32_t> kept_of(const std::vector<std::int32_t>& items) {
  std::vector<std::int32_t> kept;
  std::ranges::copy_if(items, std::back_inserter(kept), [](std::int32_t item) { return item >= 0; });
  return kept;
}

std::uint64_t downloaded_count(const Buffer<std::uint64_t>& count) {
  std::uint64_t value = 0;
  count.download(&value);
  return value;
}

// Whether memory begins with these items; what follows them is not looked at.
testing::AssertionResult begins_with(const Buffer<std::int32_t>& memory, const std::vector<std::int32_t>& expected) {
  const std::vector<std::int32_t> found = downloaded(memory);
  const auto [wrong, its] = std::ranges::mismatch(expected, found);
  if (wrong == expected.end()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "item " << wrong - expected.begin() << " of " << expected.size() << " is "
                                     << *its << ", not " << *wrong;
}

TEST_F(SelectOnGpu, IsRightForEveryCriterionTypeAndConfig) {
  unsigned turn = 0;
  for (const ValueType type :
       {ValueType::i8, ValueType::u16, ValueType::f16, ValueType::i32, ValueType::f32, ValueType::u64, ValueType::f64})
    for (const Criterion criterion : {Criterion::less, Criterion::equal, Criterion::flagged, Criterion::unique,
                                      Criterion::predicate, Criterion::unique_by})
      for (const u64 n : {u64{20'001}, u64{1} << 20, (u64{1} << 24) + 5}) {
        if (++turn % 7 != 0) continue;  // every size in turn: compilers and the CPU take seconds for one
        SelectRequest request = selection_of(type, criterion, n);
        if (turn % 2 == 0) request.count_width = IntegerWidth::bits_32;
        if (turn % 5 == 0) request.rejected = Rejected::apart;
        if (turn % 5 == 1) request.selected = Selected::items_and_indices;
        if (turn % 5 == 2) request.selected = Selected::indices;
        if (turn % 5 == 3) request.values = Values::bytes_4;
        if (turn % 5 == 3 && turn % 2 == 0) {
          request.value_units = ValueUnits::several;
          request.units = 3;
        }
        if (turn % 2 == 1 && !compares_neighbours(criterion)) {
          if (criterion != Criterion::flagged) request.subject = Subject::flag;
          request.flag_type = turn % 4 == 1 ? FlagType::f64 : FlagType::i16;
        }
        for (const char* const name : {"select_lookback", "select_ring"}) {
          const FamilyModel& family = *find_family(name);
          if (family.unsupported_reason(request, sm()) != nullptr) continue;  // bulk copies need sm_90
          verify(request, family.default_config(request, sm()), true);
          for (const Config& config : drawn_configs(family, request, sm(), 2, turn)) verify(request, config, false);
          ASSERT_EQ(device_->failure(), "");
        }
      }
}

// By every family that can: into two arrays, into one, and of three parts.
TEST_F(SelectOnGpu, PartitionsByEveryFamilyAndConfig) {
  unsigned turn = 0;
  for (const ValueType type : {ValueType::u8, ValueType::i32, ValueType::f64, ValueType::custom})
    for (const Criterion criterion : {Criterion::flagged, Criterion::predicate, Criterion::parts, Criterion::around})
      for (const Rejected rejected : {Rejected::apart, Rejected::behind, Rejected::behind_reversed})
        for (const u64 n : {u64{3000}, (u64{1} << 20) + 3}) {
          SelectRequest request = selection_of(type, criterion, n);
          request.rejected = rejected;
          if (type == ValueType::custom) {
            request.custom_bytes = 12;
            request.custom_alignment = 4;
          }
          if (unsupported_reason(request) != nullptr || ++turn % 2 == 0) continue;
          for (const FamilyModel* family : algorithm_of<SelectRequest>().families()) {
            if (family->unsupported_reason(request, sm()) != nullptr) continue;
            verify(request, family->default_config(request, sm()), true);
            for (const Config& config : drawn_configs(*family, request, sm(), 2, turn)) verify(request, config, false);
            ASSERT_EQ(device_->failure(), "");
          }
        }
}

TEST_F(SelectOnGpu, MovesStructsOfEverySize) {
  const FamilyModel& family = *find_family("select_lookback");
  for (const auto& [bytes, alignment] : {std::pair(3, 1), {8, 4}, {12, 4}, {16, 16}, {24, 8}, {32, 16}}) {
    SelectRequest request = selection_of(ValueType::custom, Criterion::flagged, 300'001);
    request.custom_bytes = bytes;
    request.custom_alignment = alignment;
    verify(request, family.default_config(request, sm()), true);
    for (const Config& config : drawn_configs(family, request, sm(), 2)) verify(request, config, false);
    ASSERT_EQ(device_->failure(), "");
  }
}

// A tile's items may be written over as soon as its count is known.
TEST_F(SelectOnGpu, IsRightInPlaceAgainAndAgain) {
  const TestStream stream;
  Buffer<std::uint64_t> count(1);
  for (const std::size_t n : {std::size_t{100'003}, std::size_t{3'000'001}, std::size_t{40'000'007}}) {
    const auto plan = runtime::select_plan<std::int32_t>(n, {.predicate = Predicate::greater_equal(0)});
    for (unsigned round = 0; round < 12; ++round) {
      const auto items = random_items(n, round);
      const auto kept = kept_of(items);
      Buffer<std::int32_t> memory(items);
      plan(memory.data(), memory.data(), count.data(), stream);
      stream.synchronize();
      ASSERT_EQ(downloaded_count(count), kept.size()) << "round " << round << " of " << n;
      ASSERT_TRUE(begins_with(memory, kept)) << "round " << round << " of " << n;
    }
  }
}

TEST_F(SelectOnGpu, IsRightWheneverAGraphIsReplayed) {
  constexpr std::size_t kItems = 2'000'003;
  const TestStream stream;
  const auto plan = runtime::select_plan<std::int32_t>(kItems, {.predicate = Predicate::greater_equal(0)});
  Buffer<std::int32_t> input(kItems), output(kItems), again(kItems);
  Buffer<std::uint64_t> count(1), count_again(1);
  const TestGraph graph(stream, [&] {
    plan(input.data(), output.data(), count.data(), stream);
    plan(input.data(), again.data(), count_again.data(), stream);
  });
  for (unsigned replay = 0; replay < 40; ++replay) {
    const auto items = random_items(kItems, replay);
    const auto kept = kept_of(items);
    input.upload(items.data());
    graph.launch(stream);
    stream.synchronize();
    ASSERT_EQ(downloaded_count(count), kept.size()) << "replay " << replay;
    ASSERT_EQ(downloaded_count(count_again), kept.size()) << "replay " << replay;
    ASSERT_TRUE(begins_with(output, kept)) << "replay " << replay;
    ASSERT_TRUE(begins_with(again, kept)) << "replay " << replay;
  }
}

TEST_F(SelectOnGpu, IsRightOnStreamsThatOverlap) {
  constexpr std::size_t kItems = 5'000'011;
  constexpr std::size_t kStreams = 4, kRounds = 30;
  const auto plan = runtime::select_plan<std::int32_t>(kItems, {.predicate = Predicate::greater_equal(0)});
  const TestStream streams[kStreams];
  std::vector<std::vector<std::int32_t>> kept;
  std::vector<Buffer<std::int32_t>> inputs, outputs;
  std::vector<Buffer<std::uint64_t>> counts;  // of each round
  for (std::size_t index = 0; index < kStreams; ++index) {
    const auto items = random_items(kItems, static_cast<unsigned>(index));
    kept.push_back(kept_of(items));
    inputs.emplace_back(items);
    outputs.emplace_back(kItems);
    counts.emplace_back(kRounds);
  }
  // Each stream takes the inputs in turn, so that no round leaves what the next one must return.
  for (std::size_t round = 0; round < kRounds; ++round)
    for (std::size_t index = 0; index < kStreams; ++index)
      plan(inputs[(index + round) % kStreams].data(), outputs[index].data(), counts[index].data() + round,
           streams[index]);
  for (std::size_t index = 0; index < kStreams; ++index) {
    streams[index].synchronize();
    std::vector<std::uint64_t> found(kRounds);
    counts[index].download(found.data());
    for (std::size_t round = 0; round < kRounds; ++round)
      EXPECT_EQ(found[round], kept[(index + round) % kStreams].size()) << "stream " << index << ", round " << round;
    EXPECT_TRUE(begins_with(outputs[index], kept[(index + kRounds - 1) % kStreams])) << "stream " << index;
  }
}

// Places of items whose indices take more than 32 bits.
class SelectOfManyItemsOnGpu : public GpuTest {};

TEST_F(SelectOfManyItemsOnGpu, FindsPlacesPast32Bits) {
  constexpr std::uint64_t kItems = (std::uint64_t{1} << 32) + 12'345, kStep = 999'983, kRoom = 4'300;
  if (free_device_bytes() < kItems + (std::uint64_t{1} << 30)) GTEST_SKIP() << "needs 5 GiB of the GPU's memory";
  Buffer<std::uint8_t> input(kItems);
  {
    std::vector<std::uint8_t> items(kItems);
    for (std::uint64_t place = 7; place < kItems; place += kStep) items[place] = 1;
    input.upload(items.data());
  }
  const auto expect_places = [&](std::uint64_t places, const runtime::SelectOptions<std::uint8_t>& options) {
    const std::uint64_t room = options.capacity.value_or(kItems);
    const std::vector<std::uint64_t> untouched(2 * kRoom, ~std::uint64_t{0});
    Buffer<std::uint64_t> indices(places), count(1);
    device_->upload(indices.data(), untouched.data(), untouched.size() * sizeof(std::uint64_t));
    runtime::select_indices(input.data(), indices.data(), count.data(), kItems, options);
    const std::uint64_t kept = downloaded_count(count);
    ASSERT_EQ(kept, (kItems - 7 + kStep - 1) / kStep);
    std::vector<std::uint64_t> found(untouched.size());
    device_->download(found.data(), indices.data(), found.size() * sizeof(std::uint64_t));
    for (std::uint64_t index = 0; index < found.size(); ++index)
      ASSERT_EQ(found[index], index < std::min(kept, room) ? 7 + index * kStep : untouched[index]);
  };
  for (const std::uint64_t room : {kRoom, kRoom / 2})
    expect_places(2 * kRoom, {.predicate = Predicate::equal(1), .capacity = room});
  if (free_device_bytes() < 8 * kItems + (std::uint64_t{1} << 30))
    GTEST_SKIP() << "without a capacity it needs 38 GiB of the GPU's memory";
  expect_places(kItems, {.predicate = Predicate::equal(1)});
}

TEST_F(SelectOfManyItemsOnGpu, PartitionsPast32Bits) {
  constexpr std::uint64_t kItems = (std::uint64_t{1} << 32) + 12'345, kStep = 999'983;
  if (free_device_bytes() < 2 * kItems + (std::uint64_t{1} << 30)) GTEST_SKIP() << "needs 9 GiB of the GPU's memory";
  std::vector<std::uint8_t> items(kItems);
  for (std::uint64_t place = 7; place < kItems; place += kStep) items[place] = place / kStep % 2 == 0 ? 5 : 3;
  Buffer<std::uint8_t> input(kItems), output(kItems);
  Buffer<std::uint64_t> counts(2);
  input.upload(items.data());
  // Zeroes are kept, 3 is the pivot, and 5 comes last.
  runtime::three_way_partition_into_one(input.data(), output.data(), counts.data(), kItems,
                                        {.parts = runtime::Parts::around(3)});
  std::vector<std::uint64_t> found(2);
  counts.download(found.data());
  const std::uint64_t others = (kItems - 7 + kStep - 1) / kStep;
  ASSERT_EQ(found[0], kItems - others);
  ASSERT_EQ(found[1], others / 2);
  std::vector<std::uint8_t> results(kItems), expected(kItems, 5);
  output.download(results.data());
  std::memset(expected.data(), 0, found[0]);
  std::memset(expected.data() + found[0], 3, found[1]);
  EXPECT_EQ(std::memcmp(results.data(), expected.data(), kItems), 0);  // of so many items a loop takes minutes
}

}  // namespace
}  // namespace scantune
