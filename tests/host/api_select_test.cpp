// Selections by the public API against plain loops, on the host device. This file is linked with api_test.cpp, which
// sets the host device up.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "api_selected.h"
#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_select_test {
namespace {

using runtime::Parts;
using runtime::Predicate;
using runtime::Workspace;

template <class T>
void expect_selects(const std::vector<T>& values, const runtime::SelectOptions<T>& options,
                    const std::function<bool(T)>& keep) {
  expect_kept<T>(values, kept_of(values, keep), [&](const T* in, T* out, Count* count, std::uint64_t n) {
    runtime::select(in, out, count, n, options);
  });
}

TEST(ApiSelect, ComparesItemsWithAConstant) {
  const auto values = items<int>();
  expect_selects<int>(values, {}, [](int x) { return x != 0; });
  expect_selects<int>(values, {.predicate = Predicate::less(3)}, [](int x) { return x < 3; });
  expect_selects<int>(values, {.predicate = Predicate::greater_equal(3)}, [](int x) { return x >= 3; });
  expect_selects<int>(values, {.predicate = Predicate::equal(3)}, [](int x) { return x == 3; });
  expect_selects<int>(values, {.predicate = Predicate::less(-51)}, [](int) { return false; });
}

TEST(ApiSelect, WritesCountsOfFourBytes) {
  const auto values = items<int>();
  const Buffer<int> in(values);
  const Output<int> out(values.size()), second(values.size()), rest(values.size());
  const auto is_less = [](int x) { return x < 3; };
  const auto less = static_cast<std::int32_t>(std::ranges::count_if(values, is_less));
  const auto equal = static_cast<std::int32_t>(std::ranges::count(values, 3));
  const Output<std::int32_t> count(2), counts(3);
  runtime::select(in.data(), out.data(), count.data(), values.size(), {.predicate = Predicate::less(3)});
  EXPECT_EQ(count.first(1), std::vector<std::int32_t>{less});
  runtime::three_way_partition(in.data(), out.data(), second.data(), rest.data(), counts.data(), values.size(),
                               {.parts = Parts::around(3)});
  EXPECT_EQ(counts.first(2), (std::vector<std::int32_t>{less, equal}));
  // A plan is of a width, and takes counts of either sign.
  const Output<std::uint32_t> again(2);
  runtime::select_plan<int, int>(values.size(), {.predicate = Predicate::less(3)})(in.data(), out.data(), again.data());
  EXPECT_EQ(again.first(1), std::vector<std::uint32_t>{static_cast<std::uint32_t>(less)});
  expect_same(out.first(static_cast<std::size_t>(less)), kept_of(values, is_less));
}

TEST(ApiSelect, TakesConstantsOfAnyTypeThatAnItemHolds) {
  expect_selects<double>(items<double>(), {.predicate = Predicate::less(3)}, [](double x) { return x < 3; });
  expect_selects<float>(items<float>(), {.predicate = Predicate::less(2.5)}, [](float x) { return x < 2.5f; });
}

TEST(ApiSelect, KeepsANanOnlyWhereItIsNotEqual) {
  auto values = items<float>();
  for (std::size_t index = 0; index < values.size(); index += 11) values[index] = std::nanf("");
  values[5] = -0.0f;
  expect_selects<float>(values, {.predicate = Predicate::less(3.0f)}, [](float x) { return x < 3; });
  expect_selects<float>(values, {}, [](float x) { return x != 0; });
  expect_selects<float>(values, {.predicate = Predicate::equal(std::nanf(""))}, [](float) { return false; });
}

// The bits of small integers as halves.
std::uint16_t f16_bits(int value) {
  if (value == 0) return 0;
  const int magnitude = std::abs(value), exponent = std::ilogb(magnitude);
  return static_cast<std::uint16_t>((value < 0 ? 0x8000 : 0) + ((exponent + 15) << 10) +
                                    (magnitude << (10 - exponent)) - 1024);
}

TEST(ApiSelect, ComparesHalvesWithConstantsOfEveryKind) {
  std::vector<runtime::f16> values;
  std::vector<runtime::bf16> brain_values;
  for (const int value : items<int>()) {
    values.push_back({f16_bits(value)});
    brain_values.push_back({static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16)});
  }
  const auto number = [](runtime::f16 half) {
    const int magnitude = half.bits & 0x7fff;
    const float result =
        magnitude == 0 ? 0 : std::ldexp(static_cast<float>(1024 + (magnitude & 0x3ff)), (magnitude >> 10) - 25);
    return half.bits >> 15 != 0 ? -result : result;
  };
  const auto brain_number = [](runtime::bf16 half) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(half.bits) << 16);
  };
  expect_selects<runtime::f16>(values, {.predicate = Predicate::less(2.5)}, [&](auto x) { return number(x) < 2.5f; });
  expect_selects<runtime::f16>(values, {.predicate = Predicate::equal(runtime::f16{f16_bits(3)})},
                               [&](auto x) { return number(x) == 3; });
  expect_selects<runtime::bf16>(brain_values, {.predicate = Predicate::less(2.5f)},
                                [&](auto x) { return brain_number(x) < 2.5f; });
}

TEST(ApiSelect, KeepsStructsByASource) {
  expect_selects<Pair>(pairs(), {.predicate = Predicate::source(kOddPairs)}, [](Pair x) { return x.key % 2 != 0; });
}

struct Range {
  int least, greatest;
};

constexpr const char* kInRange =
    "struct State { int least, greatest; };\n"
    "__device__ bool keep(int x, State s) { return x >= s.least && x <= s.greatest; }";

TEST(ApiSelect, TakesTheStateOfEachCall) {
  for (const Range range : {Range{-3, 9}, Range{20, 30}, Range{5, 4}})
    expect_selects<int>(items<int>(), {.predicate = Predicate::source(kInRange, range)},
                        [=](int x) { return x >= range.least && x <= range.greatest; });
}

TEST(ApiSelect, TellsTheLinesOfASourceThatDoesNotCompile) {
  if (is_rehearsal()) return;  // such kernels do not belong into a unit
  const auto values = items<int>(10);
  const Buffer<int> in(values), out(10);
  const Buffer<Count> count(1);
  const auto text_of = [&](const std::string& source) -> std::string {
    try {
      runtime::select(in.data(), out.data(), count.data(), 10, {.predicate = Predicate::source(source)});
    } catch (const CompileError& error) {
      return error.what();
    }
    return "no CompileError";
  };
  const auto expect = [&](const std::string& source, const std::string& part) {
    const std::string text = text_of(source);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect("__device__ bool keep(int x) {\n  return y; }", "keep.cu:2");
  expect("#include <cmath>\n__device__ bool keep(int x) { return x; }", "keep.cu:1");
  expect("__device__ bool kept(int x) { return x; }", "define __device__ bool keep(Value item)");
}

TEST(ApiSelect, SelectsInPlace) {
  const auto values = items<int>();
  const auto expected = kept_of(values, [](int x) { return x > 0; });
  const Buffer<int> both(values);
  const Buffer<Count> count(1);
  runtime::select(both.data(), both.data(), count.data(), kItems, {.predicate = Predicate::greater(0)});
  ASSERT_EQ(value_of(count), expected.size());
  std::vector<int> found(kItems);
  both.download(found.data());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin()));
}

TEST(ApiSelect, SelectsFromAnyMultipleOfTheType) {
  const auto values = items<std::int16_t>();
  const Buffer<std::int16_t> in(values);
  for (const std::uint64_t offset : {1u, 3u, 7u}) {
    const std::vector<std::int16_t> tail(values.begin() + static_cast<std::ptrdiff_t>(offset), values.end());
    const auto expected = kept_of(tail, [](auto x) { return x < 9; });
    const Output<std::int16_t> out(tail.size());
    const Buffer<Count> count(1);
    runtime::select(in.data() + offset, out.data(), count.data(), tail.size(), {.predicate = Predicate::less(9)});
    EXPECT_EQ(value_of(count), expected.size());
    expect_same(out.first(expected.size()), expected);
  }
}

TEST(ApiSelect, WritesACountOfNoItems) {
  const Buffer<int> one(std::vector{7});
  Buffer<Count> count(1);
  const auto expect_none = [&](const std::function<void()>& call) {
    const Count before = 99;
    count.upload(&before);
    call();
    EXPECT_EQ(value_of(count), 0u);
  };
  int* const none = nullptr;
  expect_none([&] { runtime::select(none, none, count.data(), 0); });
  expect_none([&] { runtime::select(one.data(), one.data(), count.data(), 0); });
  expect_none([&] { runtime::partition(none, none, none, count.data(), 0); });
  expect_none([&] { runtime::partition_into_one(none, none, count.data(), 0); });
  expect_none([&] { runtime::select_plan<int>(0)(none, none, count.data()); });
}

// Flags of a type, selected and partitioned by. is_kept: what the options' predicate says, by default what is not 0.
template <class Flag>
void expect_flagged(
    const runtime::FlaggedOptions<Flag>& options = {},
    const std::function<bool(Flag)>& is_kept = [](Flag flag) { return flag != Flag{}; }) {
  const auto values = items<int>();
  std::vector<unsigned char> memory(kItems * sizeof(Flag));  // a vector of bool has no array
  auto* const flags = reinterpret_cast<Flag*>(memory.data());
  std::vector<int> kept, others;
  for (std::size_t index = 0; index < kItems; ++index) {
    // The bytes of an integer are 0 but one, and that is each of them in turn: no part of a flag tells enough.
    if (index % 5 >= 2) {
      if constexpr (std::is_integral_v<Flag>)
        memory[index * sizeof(Flag) + index % sizeof(Flag)] =
            sizeof(Flag) == 1 ? 1 : static_cast<unsigned char>(16 * (index % 5));
      else
        flags[index] = static_cast<Flag>(index % 5) - 3;
    }
    (is_kept(flags[index]) ? kept : others).push_back(values[index]);
  }
  ASSERT_TRUE(!kept.empty() && !others.empty());
  const Buffer<unsigned char> buffer(memory);
  const auto* const device_flags = reinterpret_cast<const Flag*>(buffer.data());
  std::vector<int> both = kept;
  both.insert(both.end(), others.begin(), others.end());
  expect_kept<int>(values, kept, [&](const int* in, int* out, Count* count, std::uint64_t n) {
    runtime::select_flagged(in, device_flags, out, count, n, options);
  });
  expect_kept<int>(values, kept, [&](const int* in, int* out, Count* count, std::uint64_t n) {
    runtime::select_flagged_plan<int, Count, Flag>(n, options)(in, device_flags, out, count);
  });
  for (const bool by_plan : {false, true}) {
    const Buffer<int> in(values);
    const Output<int> kept_out(kItems), rejected(kItems), one(kItems);
    const Buffer<Count> count(1);
    if (by_plan)
      runtime::partition_flagged_plan<int, Count, Flag>(kItems, options)(in.data(), device_flags, kept_out.data(),
                                                                         rejected.data(), count.data());
    else
      runtime::partition_flagged(in.data(), device_flags, kept_out.data(), rejected.data(), count.data(), kItems,
                                 options);
    EXPECT_EQ(value_of(count), kept.size());
    expect_same(kept_out.first(kept.size()), kept);
    expect_same(rejected.first(others.size()), others);
    if (by_plan)
      runtime::partition_flagged_into_one_plan<int, Count, Flag>(kItems, options)(in.data(), device_flags, one.data(),
                                                                                  count.data());
    else
      runtime::partition_flagged_into_one(in.data(), device_flags, one.data(), count.data(), kItems, options);
    EXPECT_EQ(value_of(count), kept.size());
    expect_same(one.first(kItems), both);
  }
}

TEST(ApiSelect, TakesFlagsOfEveryWidth) {
  expect_flagged<unsigned char>();
  expect_flagged<bool>();
  expect_flagged<char>();
  expect_flagged<std::int16_t>();
  expect_flagged<int>();
  expect_flagged<long long>();
  expect_flagged<float>();
}

TEST(ApiSelect, AsksAPredicateAboutTheFlag) {
  expect_flagged<int>({.predicate = Predicate::greater(900'000'000)}, [](int flag) { return flag > 900'000'000; });
  expect_flagged<double>({.predicate = Predicate::equal(1)}, [](double flag) { return flag == 1; });
  struct Level {
    int least;
  };
  for (const int least : {1, 600'000'000})
    expect_flagged<int>({.predicate = Predicate::source("struct State { int least; };\n"
                                                        "__device__ bool keep(int flag, State level) {\n"
                                                        "  return flag >= level.least; }",
                                                        Level{least})},
                        [=](int flag) { return flag >= least; });
}

template <class Index>
void expect_indices(bool by_plan) {
  const auto values = items<std::int8_t>();
  std::vector<Index> expected;
  for (std::size_t index = 0; index < values.size(); ++index)
    if (values[index] != 0) expected.push_back(static_cast<Index>(index));
  const Buffer<std::int8_t> in(values);
  const Output<Index> indices(kItems);
  const Buffer<Count> count(1);
  if (by_plan)
    runtime::select_indices_plan<std::int8_t, Index>(kItems)(in.data(), indices.data(), count.data());
  else
    runtime::select_indices(in.data(), indices.data(), count.data(), kItems);
  EXPECT_EQ(value_of(count), expected.size());
  expect_same(indices.first(expected.size()), expected);
}

TEST(ApiSelect, WritesIndicesOfTheTypeThatIsAskedFor) {
  expect_indices<std::int32_t>(false);
  expect_indices<std::int64_t>(true);
}

TEST(ApiSelect, WritesWhatThereIsRoomForAndCountsAll) {
  const auto values = items<int>();
  const auto is_kept = [](int x) { return x > 3; };
  const auto kept = kept_of(values, is_kept), others = kept_of(values, [&](int x) { return !is_kept(x); });
  const Buffer<int> in(values);
  const Buffer<Count> count(2);
  for (const std::uint64_t room : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, kept.size(), 2 * kItems}) {
    SCOPED_TRACE(room);
    const runtime::SelectOptions<int> options{.predicate = Predicate::greater(3), .capacity = room};
    for (const bool by_plan : {false, true}) {
      const Output<int> out(room);
      if (by_plan)
        runtime::select_plan<int>(kItems, options)(in.data(), out.data(), count.data());
      else
        runtime::select(in.data(), out.data(), count.data(), kItems, options);
      std::vector<Count> counts(2);
      count.download(counts.data());
      EXPECT_EQ(counts[0], kept.size());
      const auto expected = with_room(kept, room);
      expect_same(out.first(expected.size()), expected);
    }
    const Output<int> kept_out(room), rejected(room / 2);
    runtime::partition(in.data(), kept_out.data(), rejected.data(), count.data(), kItems,
                       {.predicate = Predicate::greater(3), .capacity = room, .rejected_capacity = room / 2});
    std::vector<Count> counts(2);
    count.download(counts.data());
    EXPECT_EQ(counts[0], kept.size());
    const auto first = with_room(kept, room), rest = with_room(others, room / 2);
    expect_same(kept_out.first(first.size()), first);
    expect_same(rejected.first(rest.size()), rest);
  }
}

TEST(ApiSelect, CountsAloneWhereThereIsNoRoom) {
  const auto values = items<int>();
  const Buffer<int> in(values);
  const Buffer<Count> count(1);
  runtime::select(in.data(), static_cast<int*>(nullptr), count.data(), kItems,
                  {.predicate = Predicate::greater(3), .capacity = 0});
  EXPECT_EQ(value_of(count), kept_of(values, [](int x) { return x > 3; }).size());
  runtime::unique_by_key(in.data(), in.data(), static_cast<int*>(nullptr), static_cast<int*>(nullptr), count.data(),
                         kItems, {.capacity = 0});
  EXPECT_EQ(value_of(count), unique_of(values, std::equal_to<>()).size());
}

TEST(ApiSelect, SelectsInPlaceWithRoomForSome) {
  const auto values = items<int>();
  auto expected = values;
  std::ranges::copy(with_room(kept_of(values, [](int x) { return x > 0; }), 100), expected.begin());
  const Buffer<int> both(values);
  const Buffer<Count> count(1);
  runtime::select(both.data(), both.data(), count.data(), kItems,
                  {.predicate = Predicate::greater(0), .capacity = 100});
  std::vector<int> found(kItems);
  both.download(found.data());
  expect_same(found, expected);
}

TEST(ApiSelect, PlansRunInTheCallersWorkspace) {
  const auto values = items<int>();
  const auto expected = kept_of(values, [](int x) { return x > 3; });
  const auto plan = runtime::select_plan<int>(kItems, {.predicate = Predicate::greater(3), .captured_launches = 0});
  ASSERT_GT(plan.workspace_bytes(), 0u);
  EXPECT_NE(plan.describe().find("select"), std::string::npos) << plan.describe();
  const Buffer<unsigned char> memory(std::vector<unsigned char>(plan.workspace_bytes(), 0xa5));
  const Workspace workspace{memory.data(), memory.size()};
  for (int run = 0; run < 2; ++run)
    expect_kept<int>(values, expected,
                     [&](const int* in, int* out, Count* count, std::uint64_t) { plan(in, out, count, workspace); });
}

// --- What only C has: any mixture of criterion, values, indices and items.

std::uint16_t value_at(std::size_t index) { return static_cast<std::uint16_t>(index * 31); }

TEST(ApiSelect, SelectsItemsIndicesAndValuesAtOnceInC) {
  const auto keys = items<int>();
  std::vector<std::uint16_t> values(kItems);
  std::vector<unsigned char> flags(kItems);
  std::vector<int> expected_keys;
  std::vector<std::uint16_t> expected_values;
  std::vector<std::int32_t> expected_indices;
  for (std::size_t index = 0; index < kItems; ++index) {
    values[index] = value_at(index);
    flags[index] = static_cast<unsigned char>(index % 3 == 0 ? index % 256 : 0);
    if (flags[index] == 0) continue;
    expected_keys.push_back(keys[index]);
    expected_values.push_back(values[index]);
    expected_indices.push_back(static_cast<std::int32_t>(index));
  }
  const Buffer<int> in(keys);
  const Buffer<std::uint16_t> device_values(values);
  const Buffer<unsigned char> device_flags(flags);
  const Buffer<Count> count(1);

  scantune_select_request request = SCANTUNE_SELECT_REQUEST_INIT;
  request.head.n = kItems;
  request.input_type = SCANTUNE_I32;
  request.index_type = SCANTUNE_I32;
  request.criterion = SCANTUNE_FLAGGED;
  request.selected = SCANTUNE_SELECTED_ITEMS_AND_INDICES;
  request.value_type = SCANTUNE_U16;
  scantune_plan* plan = nullptr;
  ASSERT_EQ(scantune_plan_create(&request.head, &plan), SCANTUNE_OK) << scantune_error_message();
  const Buffer<unsigned char> memory(scantune_plan_workspace_bytes(plan));

  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE(way);
    const Output<int> out(kItems);
    const Output<std::uint16_t> values_out(kItems);
    const Output<std::int32_t> indices(kItems);
    scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
    arrays.of[SCANTUNE_INPUT] = in.data();
    arrays.of[SCANTUNE_OUTPUT] = out.data();
    arrays.of[SCANTUNE_COUNT] = count.data();
    arrays.of[SCANTUNE_FLAGS] = device_flags.data();
    arrays.of[SCANTUNE_VALUES] = device_values.data();
    arrays.of[SCANTUNE_VALUES_OUTPUT] = values_out.data();
    arrays.of[SCANTUNE_INDICES] = indices.data();
    const scantune_workspace workspace = {memory.data(), memory.size()};
    const scantune_status status = way == 0
                                       ? scantune_run(&request.head, &arrays, nullptr)
                                       : scantune_plan_run(plan, &arrays, way == 1 ? nullptr : &workspace, nullptr);
    ASSERT_EQ(status, SCANTUNE_OK) << scantune_error_message();
    EXPECT_EQ(value_of(count), expected_keys.size());
    expect_same(out.first(expected_keys.size()), expected_keys);
    expect_same(values_out.first(expected_values.size()), expected_values);
    expect_same(indices.first(expected_indices.size()), expected_indices);
  }
  scantune_plan_destroy(plan);
}

}  // namespace
}  // namespace scantune::api_select_test
