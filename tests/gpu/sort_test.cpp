// Sorts on the GPU: by every family, of every type, payload and order, rows and bits, with inputs that are consumed, in
// graphs, and on eight streams at once.
#include "scantune/sort.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "families_under_test.h"
#include "family_test.h"
#include "plain_sort.h"

namespace scantune {
namespace {

using runtime::ArgsortOptions;
using runtime::Buffer;

constexpr ValueType kTypes[] = {ValueType::i8,  ValueType::u8,  ValueType::i16, ValueType::u16,
                                ValueType::f16, ValueType::i32, ValueType::u32, ValueType::f32,
                                ValueType::i64, ValueType::u64, ValueType::f64, ValueType::bf16};
constexpr Sorted kSorted[] = {Sorted::keys, Sorted::pairs, Sorted::indices, Sorted::keys_and_indices};

// A family against the CPU's order. Verifying sorts so many keys, one fewer, and as many as lie around a tile, by
// aligned and by other pointers.
class FamilyOfSortsOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  FamilyOfSortsOnGpu() : FamiliesOnGpu(std::chrono::minutes(9)) {}  // the CPU checks what it returns

  // Whether the family sorts by a comparison alone.
  static bool is_by_less() { return taken_by(*GetParam(), SortRequest{.n = 1}).is_by_source(); }

  static SortRequest sort_of(ValueType type, Sorted sorted, unsigned turn) {
    SortRequest request{.input_type = type, .sorted = sorted};
    if (is_by_less()) request.comparison = Comparison::source;
    request.order = turn % 2 == 0 ? Order::ascending : Order::descending;
    if (request.writes_indices()) request.value_type = turn % 3 == 0 ? ValueType::i64 : ValueType::u32;
    if (request.has_values()) request.value_type = kTypes[turn % std::size(kTypes)];
    return request;
  }

  bool can(const SortRequest& request) const { return GetParam()->unsupported_reason(request, sm()) == nullptr; }

  // Gives the request the first of these sizes that the family can sort; whether there is one.
  bool take_size(SortRequest& request, std::initializer_list<u64> sizes) const {
    for (const u64 n : sizes) {
      request.n = n;
      if (can(request)) return true;
    }
    return false;
  }

  void verify_default(const SortRequest& request, bool all_kinds) {
    verify(request, GetParam()->default_config(request, sm()), all_kinds);
    ++verified_;
    ASSERT_EQ(device_->failure(), "");
  }

  void verify_drawn(const SortRequest& request, std::size_t configs, unsigned seed) {
    for (const Config& config : drawn_configs(*GetParam(), request, sm(), configs, seed)) {
      verify(request, config, false);
      ASSERT_EQ(device_->failure(), "");
    }
    ++verified_;
  }

  int verified_ = 0;
};

// What is sorted takes turns, so that each type and each kind of result meets each order and size. NaNs and zeros of
// both signs are among the keys that are verified.
TEST_P(FamilyOfSortsOnGpu, IsRightForEveryTypeAndOrder) {
  unsigned turn = 0;
  for (const ValueType type : kTypes) {
    for (const Sorted sorted : {kSorted[turn % std::size(kSorted)], Sorted::keys}) {
      SortRequest request = sort_of(type, sorted, turn);
      const bool is_large = turn % 4 == 1;
      if (is_large ? !take_size(request, {(u64{1} << 24) + 5, u64{1} << 16, 20'001, 5000})
                   : !take_size(request, {(u64{1} << 18) + 77, 20'001, 5000}))
        continue;
      verify_default(request, turn % 3 == 0);
      break;  // keys alone are for families that sort nothing else
    }
    ++turn;
  }
  EXPECT_GT(verified_, 0);
}

TEST_P(FamilyOfSortsOnGpu, IsRightForFewKeys) {
  for (const ValueType type : {ValueType::u8, ValueType::f32, ValueType::i64})
    for (const u64 n : {1, 31, 33, 1000}) {
      SortRequest request = sort_of(type, Sorted::keys, static_cast<unsigned>(n));
      request.n = n;
      if (can(request)) verify_default(request, false);
    }
  EXPECT_GT(verified_, 0);
}

TEST_P(FamilyOfSortsOnGpu, IsRightForDrawnConfigs) {
  unsigned turn = 0;
  for (const auto& [type, sorted] : {std::pair(ValueType::u8, Sorted::keys),
                                     {ValueType::u32, Sorted::keys_and_indices},
                                     {ValueType::u64, Sorted::pairs}}) {
    SortRequest request = sort_of(type, sorted, ++turn);
    if (take_size(request, {3'000'001, 30'001, 9001})) verify_drawn(request, 5, turn);
    if (take_size(request, {9001, 4001})) verify_drawn(request, 2, turn);
  }
  EXPECT_GT(verified_, 0);
}

TEST_P(FamilyOfSortsOnGpu, NeedsNoOrderOfCtasThatIsNotDocumented) {
  SortRequest request = sort_of(ValueType::u8, Sorted::keys, 0);
  request.forward_progress = ForwardProgress::documented;
  if (take_size(request, {3'000'001, 30'001, 9001})) verify_default(request, false);
  request.input_type = ValueType::f32;
  if (take_size(request, {3'000'001, 30'001, 9001})) verify_default(request, false);
  EXPECT_GT(verified_, 0);
}

TEST_P(FamilyOfSortsOnGpu, MovesValuesOfEverySize) {
  unsigned turn = 0;
  for (const auto& [bytes, alignment] : {std::pair(3, 1), {6, 2}, {12, 4}, {16, 16}, {20, 4}, {24, 8}, {32, 16}}) {
    SortRequest request = sort_of(++turn % 2 == 0 ? ValueType::u64 : ValueType::u16, Sorted::pairs, 0);
    if (is_by_less() && turn % 3 != 0) request.input_type = ValueType::custom;
    request.value_type = ValueType::custom;
    request.custom_bytes = bytes;
    request.custom_alignment = alignment;
    if (take_size(request, {300'001, 20'001, 3000})) verify_default(request, false);
  }
  if (verified_ == 0) GTEST_SKIP() << "the family moves no values";
}

TEST_P(FamilyOfSortsOnGpu, SortsRowsByThemselves) {
  if (is_by_less()) GTEST_SKIP() << "the family sorts no rows";
  unsigned turn = 0;
  for (const auto& [rows, length] :
       {std::pair<u64, u64>{33, 100}, {1000, 1000}, {5, 200'001}, {70'000, 3}, {1, 5000}, {300, 9001}})
    for (const Sorted sorted : {Sorted::keys, Sorted::indices}) {
      ++turn;
      SortRequest request = sort_of(turn % 3 == 0 ? ValueType::u8 : ValueType::f32, sorted, turn);
      if (GetParam()->name() == std::string_view("sort_fill")) request.input_type = ValueType::i8;
      request.segments = Segments::rows;
      request.rows = rows;
      request.n = rows * length;
      if (can(request)) verify_default(request, false);
    }
  EXPECT_GT(verified_, 0);
}

TEST_P(FamilyOfSortsOnGpu, ComparesSomeBits) {
  unsigned turn = 0;
  for (const auto& [type, begin, end] : {std::tuple<ValueType, u64, u64>{ValueType::u32, 0, 1},
                                         {ValueType::u32, 3, 10},
                                         {ValueType::u32, 31, 32},
                                         {ValueType::f32, 8, 24},
                                         {ValueType::i16, 1, 16},
                                         {ValueType::u64, 17, 61},
                                         {ValueType::u8, 2, 5}}) {
    ++turn;
    SortRequest request = sort_of(type, turn % 2 == 0 ? Sorted::keys : Sorted::keys_and_indices, turn);
    request.key_bits = KeyBits::some;
    request.end_bit = end;
    request.bits = end - begin;
    if (take_size(request, {200'003, 20'001, 5000})) verify_default(request, false);
    request.key_bits = KeyBits::none;
    request.end_bit = request.bits = 0;
    if (turn < 3 && take_size(request, {200'003, 20'001, 5000})) verify_default(request, false);
  }
  if (verified_ == 0) GTEST_SKIP() << "the family compares all bits";
}

// An odd number of moves and an even one, of keys, of some of their bits, and of rows.
TEST_P(FamilyOfSortsOnGpu, ConsumesItsInput) {
  unsigned turn = 0;
  for (const ValueType type : {ValueType::u8, ValueType::f32, ValueType::u64})
    for (const Sorted sorted : kSorted)
      for (const u64 bits : {u64{0}, u64{7}}) {
        SortRequest request = sort_of(type, sorted, ++turn);
        request.input_use = InputUse::consumed;
        if (bits > 0) {
          request.key_bits = KeyBits::some;
          request.end_bit = request.bits = bits;
        }
        if (turn % 3 == 0) {
          request.segments = Segments::rows;
          request.rows = 7;
        }
        if (take_size(request, {700'007, 70'007, 7007})) verify_default(request, false);
      }
  EXPECT_GT(verified_, 0);
}

// Those of segments by offsets have tests of their own.
std::vector<const FamilyModel*> families_of_rows() {
  const auto all = algorithm_of<SortRequest>().families();
  std::vector<const FamilyModel*> families(all.begin(), all.end());
  std::erase_if(families,
                [](const FamilyModel* family) { return taken_by(*family, SortRequest{.n = 1}).has_offsets(); });
  return families;
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, FamilyOfSortsOnGpu, testing::ValuesIn(families_of_rows()), name_of_family);

template <class T>
std::vector<T> read(const Buffer<T>& buffer) {
  std::vector<T> items(buffer.size());
  buffer.download(items.data());
  return items;
}

// One key of three is drawn from few numbers, so that many are equal.
std::vector<std::uint32_t> drawn_keys(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> keys(n);
  for (std::uint32_t& key : keys) {
    key = static_cast<std::uint32_t>(random());
    if (key % 3 == 0) key &= 0xf000000f;
  }
  return keys;
}

// Whether these are the keys in ascending order, and where each stood. Key and index together rise strictly, so that no
// index comes twice.
testing::AssertionResult are_sorted(const std::vector<std::uint32_t>& keys, const std::vector<std::uint32_t>& found,
                                    const std::vector<std::uint32_t>& indices) {
  const std::size_t n = keys.size();
  for (std::size_t place = 0; place < n; ++place) {
    const std::uint32_t index = indices[place];
    if (index >= n || keys[index] != found[place])
      return testing::AssertionFailure() << "key " << found[place] << " at place " << place << " of " << n
                                         << " did not stand at " << index;
    if (place == 0) continue;
    const std::uint32_t before = found[place - 1];
    if (before > found[place] || (before == found[place] && indices[place - 1] >= index))
      return testing::AssertionFailure() << "key " << before << " from " << indices[place - 1] << " stands before "
                                         << found[place] << " from " << index << ", at place " << place << " of " << n;
  }
  return testing::AssertionSuccess();
}

std::string config_of(const FamilyModel& family) { return R"({"family": ")" + std::string(family.name()) + R"("})"; }

// The families that can sort so many keys with indices.
std::vector<const FamilyModel*> families_for(std::size_t n, int sm) {
  std::vector<const FamilyModel*> found;
  const SortRequest request{.sorted = Sorted::keys_and_indices, .n = n};
  for (const FamilyModel* family : algorithm_of<SortRequest>().families())
    if (family->unsupported_reason(request, sm) == nullptr) found.push_back(family);
  return found;
}

// What programs call.
class SortOnGpu : public FamiliesOnGpu {
 protected:
  template <class Key>
  void expect_order(ValueType type, const std::vector<Key>& keys, runtime::Order order) {
    SCOPED_TRACE(token(type));
    SortRequest request{.input_type = type, .value_type = ValueType::u64, .n = keys.size()};
    if (order == runtime::Order::descending) request.order = Order::descending;
    const std::vector<u64> expected = plain_order(request, keys.data());
    const Buffer<Key> input(keys);
    const Buffer<Key> output(keys.size());
    const Buffer<std::uint64_t> indices(keys.size());
    runtime::sort(input.data(), output.data(), keys.size(), {.order = order, .indices = indices.data()});
    const std::vector<std::uint64_t> found = read(indices);
    for (std::size_t place = 0; place < keys.size(); ++place)
      ASSERT_EQ(found[place], expected[place]) << "place " << place;
    const std::vector<Key> sorted = read(output);
    for (std::size_t place = 0; place < keys.size(); ++place)
      ASSERT_EQ(std::memcmp(&sorted[place], &keys[expected[place]], sizeof(Key)), 0) << "place " << place;
  }
};

template <class Key, class Bits>
std::vector<Key> special_keys(std::size_t n) {
  using Limits = std::numeric_limits<Key>;
  const Key few[] = {Key{0},
                     -Key{0},
                     Limits::infinity(),
                     -Limits::infinity(),
                     Limits::quiet_NaN(),
                     -Limits::quiet_NaN(),
                     Limits::denorm_min(),
                     -Limits::denorm_min(),
                     Limits::max(),
                     Limits::lowest(),
                     std::bit_cast<Key>(static_cast<Bits>(std::bit_cast<Bits>(Limits::quiet_NaN()) + 1)),
                     Key{1}};
  std::mt19937_64 random(5);
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    const std::uint64_t drawn = random();
    key = drawn % 2 == 0 ? few[drawn / 2 % std::size(few)] : std::bit_cast<Key>(static_cast<Bits>(drawn >> 1));
  }
  return keys;
}

TEST_F(SortOnGpu, OrdersNansInfinitiesAndZerosOfBothSigns) {
  for (const runtime::Order order : {runtime::Order::ascending, runtime::Order::descending})
    for (const std::size_t n : {1000, 30'001, 400'003}) {
      expect_order(ValueType::f32, special_keys<float, std::uint32_t>(n), order);
      expect_order(ValueType::f64, special_keys<double, std::uint64_t>(n), order);
    }
}

TEST_F(SortOnGpu, TakesPointersOfAnyAlignment) {
  for (const std::size_t n : {3000, 50'001, 2'000'003}) {
    const std::vector<std::uint32_t> keys = drawn_keys(n, 3);
    for (const FamilyModel* family : families_for(n, sm())) {
      const auto plan = runtime::sort_indices_plan<std::uint32_t, std::uint32_t>(n, {.config = config_of(*family)});
      for (const std::size_t off : {1, 2, 3}) {
        Buffer<std::uint32_t> input(n + off), output(n + 2 * off), indices(n + 3 * off);
        device_->upload(input.data() + off, keys.data(), n * sizeof(std::uint32_t));
        plan(input.data() + off, output.data() + 2 * off, indices.data() + 3 * off);
        std::vector<std::uint32_t> found = read(output), places = read(indices);
        found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(2 * off));
        places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(3 * off));
        ASSERT_TRUE(are_sorted(keys, found, places)) << plan.describe() << off << " keys behind a boundary";
      }
    }
  }
}

TEST_F(SortOnGpu, IsRightWheneverAGraphIsReplayed) {
  for (const std::size_t n : {5000, 40'001, 1'500'007}) {
    for (const FamilyModel* family : families_for(n, sm())) {
      const TestStream stream;
      const auto plan = runtime::sort_indices_plan<std::uint32_t, std::uint32_t>(
          n, {.captured_launches = 2, .config = config_of(*family)});
      const auto last = runtime::sort_plan<runtime::Consumed<std::uint32_t>>(n, {.config = config_of(*family)});
      Buffer<std::uint32_t> input(n), output(n), indices(n), again(n), indices_again(n), sorted(n);
      // The second sort takes what the first one has written, as soon as it is there, and the third consumes it.
      const TestGraph graph(stream, [&] {
        plan(input.data(), output.data(), indices.data(), stream);
        plan(output.data(), again.data(), indices_again.data(), stream);
        last(output.data(), sorted.data(), stream);
      });
      for (unsigned replay = 0; replay < 10; ++replay) {
        const std::vector<std::uint32_t> keys = drawn_keys(n, replay);
        input.upload(keys.data());
        graph.launch(stream);
        stream.synchronize();
        const std::vector<std::uint32_t> found = read(sorted);
        ASSERT_TRUE(are_sorted(keys, found, read(indices))) << plan.describe() << "replay " << replay;
        ASSERT_TRUE(are_sorted(found, read(again), read(indices_again))) << plan.describe() << "replay " << replay;
      }
    }
  }
}

// Sorts of each family run at once, by plans that the streams share.
TEST_F(SortOnGpu, IsRightOnEightStreamsAtOnce) {
  constexpr std::size_t kStreams = 8, kRounds = 12;
  using Plan = runtime::SortIndicesPlan<std::uint32_t, std::uint32_t>;
  struct Sort {
    std::size_t n;
    Plan plan;
  };
  std::vector<Sort> sorts;
  for (const std::size_t n : {6000, 50'003, 1'000'003})
    for (const FamilyModel* family : families_for(n, sm()))
      sorts.push_back({n, runtime::sort_indices_plan<std::uint32_t, std::uint32_t>(n, {.config = config_of(*family)})});
  ASSERT_GE(sorts.size(), 3u);
  const std::size_t most = sorts.back().n;
  std::vector<std::vector<std::uint32_t>> keys;
  std::vector<Buffer<std::uint32_t>> inputs, outputs, indices;  // the latter of each stream and round
  for (unsigned stream = 0; stream < kStreams; ++stream) {
    keys.push_back(drawn_keys(most, stream));
    inputs.emplace_back(keys.back());
  }
  for (std::size_t index = 0; index < kStreams * kRounds; ++index) {
    outputs.emplace_back(most);
    indices.emplace_back(most);
  }
  const auto sort_of = [&](std::size_t stream, std::size_t round) -> const Sort& {
    return sorts[(3 * stream + round) % sorts.size()];
  };
  const TestStream streams[kStreams];
  std::vector<std::thread> threads;
  for (std::size_t stream = 0; stream < kStreams; ++stream)
    threads.emplace_back([&, stream] {
      cuda_device();  // makes a context current on this thread
      for (std::size_t round = 0; round < kRounds; ++round) {
        const std::size_t result = stream * kRounds + round;
        sort_of(stream, round)
            .plan(inputs[(stream + round) % kStreams].data(), outputs[result].data(), indices[result].data(),
                  streams[stream]);
      }
      streams[stream].synchronize();
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t stream = 0; stream < kStreams; ++stream)
    for (std::size_t round = 0; round < kRounds; ++round) {
      const Sort& sort = sort_of(stream, round);
      std::vector<std::uint32_t> its_keys = keys[(stream + round) % kStreams];
      std::vector<std::uint32_t> found = read(outputs[stream * kRounds + round]);
      its_keys.resize(sort.n);
      found.resize(sort.n);
      ASSERT_TRUE(are_sorted(its_keys, found, read(indices[stream * kRounds + round])))
          << sort.plan.describe() << "stream " << stream << ", round " << round;
    }
}

// Each stream brings keys into an input of its own, which the sort after that consumes, as long as the streams last.
TEST_F(SortOnGpu, ConsumesInputsOnEightStreamsAtOnce) {
  constexpr std::size_t kStreams = 8, kRounds = 12, kKeys = 1'000'003;
  using Key = std::uint32_t;
  const auto plan = runtime::sort_indices_plan<runtime::Consumed<Key>, Key>(kKeys);
  const auto device_address = [](const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); };
  std::vector<std::vector<Key>> keys;
  std::vector<Buffer<Key>> given, inputs, outputs, indices;
  for (unsigned stream = 0; stream < kStreams; ++stream) {
    keys.push_back(drawn_keys(kKeys, stream));
    given.emplace_back(keys.back());
    for (auto* const room : {&inputs, &outputs, &indices}) room->emplace_back(kKeys);
  }
  const TestStream streams[kStreams];
  std::vector<std::thread> threads;
  for (std::size_t stream = 0; stream < kStreams; ++stream)
    threads.emplace_back([&, stream] {
      cuda_device();  // makes a context current on this thread
      for (std::size_t round = 0; round < kRounds; ++round) {
        SCANTUNE_CHECK(cuMemcpyDtoDAsync(device_address(inputs[stream].data()), device_address(given[stream].data()),
                                         kKeys * sizeof(Key), streams[stream]));
        plan(inputs[stream].data(), outputs[stream].data(), indices[stream].data(), streams[stream]);
      }
      streams[stream].synchronize();
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t stream = 0; stream < kStreams; ++stream)
    ASSERT_TRUE(are_sorted(keys[stream], read(outputs[stream]), read(indices[stream]))) << plan.describe() << stream;
}

// Few keys, so that the sanitizers take seconds.
TEST_F(SortOnGpu, StaysWithinItsArraysForSanitizers) {
  for (const std::size_t n : {1, 33, 3001}) {
    const std::vector<std::uint32_t> keys = drawn_keys(n, 9);
    for (const FamilyModel* family : families_for(n, sm())) {
      const auto plan = runtime::sort_indices_plan<std::uint32_t, std::uint32_t>(n, {.config = config_of(*family)});
      const Buffer<std::uint32_t> input(keys), output(n), indices(n);
      for (int round = 0; round < 2; ++round) plan(input.data(), output.data(), indices.data());
      ASSERT_TRUE(are_sorted(keys, read(output), read(indices))) << plan.describe();
      Buffer<std::uint32_t> consumed(keys);
      runtime::sort_indices_plan<runtime::Consumed<std::uint32_t>, std::uint32_t>(n, {.config = config_of(*family)})(
          consumed.data(), output.data(), indices.data());
      ASSERT_TRUE(are_sorted(keys, read(output), read(indices))) << plan.describe();
      ASSERT_EQ(device_->failure(), "");
    }
    const std::vector<std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(keys.data()),
                                          reinterpret_cast<const std::uint8_t*>(keys.data() + n));
    const Buffer<std::uint8_t> input(bytes), output(bytes.size());
    runtime::sort_plan<std::uint8_t>(bytes.size(), {.config = R"({"family": "sort_fill"})"})(input.data(),
                                                                                             output.data());
    std::vector<std::uint8_t> expected = bytes;
    std::ranges::sort(expected);
    ASSERT_EQ(read(output), expected);
  }
}

}  // namespace
}  // namespace scantune
