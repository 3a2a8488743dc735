// Selections by the public functions, C and C++: what reaches the device of their arguments.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "api_counting_new.h"
#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

using runtime::Predicate;

constexpr u64 kSelectedItems = 1000;
constexpr u64 kSelectTiles = u64{1} << 20;

template <class T>
T* device_memory(std::uintptr_t where) {
  return static_cast<T*>(address(where));
}

const int* const kInput = device_memory<int>(0x1000000);
int* const kOutput = device_memory<int>(0x9000000);
std::uint64_t* const kCount = device_memory<std::uint64_t>(0x5000);

template <class T>
T init_of(const FakeLaunch& launch) {
  T value;
  std::memcpy(&value, launch.arguments.init, sizeof value);
  return value;
}

class SelectApi : public PublicApi {
 protected:
  std::string last_source() const { return device_->compiler().sources.back(); }
};

// All that a selection may have, in C.
struct CSelection {
  scantune_selection selection = SCANTUNE_SELECTION_INIT;
  scantune_selection_arrays arrays = SCANTUNE_SELECTION_ARRAYS_INIT;
  int constant = 3;

  CSelection() {
    selection.n = kSelectedItems;
    selection.type = SCANTUNE_I32;
    selection.constant = &constant;
    arrays.input = kInput;
    arrays.output = kOutput;
    arrays.count = kCount;
  }
};

TEST_F(SelectApi, PutsEveryArrayWhereKernelsFindIt) {
  std::vector<CSelection> all(9);
  all[1].selection.criterion = SCANTUNE_FLAGGED;
  all[2].selection.value_bytes = 4;
  all[3].selection.selected = SCANTUNE_INDICES;
  all[4].selection.selected = SCANTUNE_ITEMS_AND_INDICES;
  all[5].selection.rejected = SCANTUNE_APART;
  all[6].selection.criterion = SCANTUNE_FLAGGED;
  all[6].selection.value_bytes = 8;
  all[6].selection.selected = SCANTUNE_ITEMS_AND_INDICES;
  for (CSelection* const three : {&all[7], &all[8]}) {
    three->selection.criterion = SCANTUNE_AROUND;
    three->selection.rejected = three == &all[7] ? SCANTUNE_APART : SCANTUNE_BEHIND;
  }
  for (CSelection& one : all) {
    scantune_selection& selection = one.selection;
    scantune_selection_arrays& arrays = one.arrays;
    if (selection.criterion == SCANTUNE_FLAGGED) {
      selection.constant = nullptr;
      arrays.flags = device_memory<std::uint8_t>(0xa000001);
    }
    if (selection.value_bytes != 0) {
      arrays.values = address(0xb000000);
      arrays.values_output = address(0xc000000);
    }
    if (selection.selected != SCANTUNE_ITEMS) arrays.indices = address(0xd000000);
    if (selection.selected == SCANTUNE_INDICES) arrays.output = nullptr;
    if (selection.rejected == SCANTUNE_APART) arrays.rejected = address(0xe000000);
    if (selection.criterion == SCANTUNE_AROUND && selection.rejected == SCANTUNE_APART)
      arrays.second = address(0xf000000);
    ASSERT_EQ(scantune_select(&selection, &arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
    scantune_plan* plan = nullptr;
    ASSERT_EQ(scantune_select_plan_create(&selection, &plan), SCANTUNE_OK) << scantune_error_message();
    ASSERT_EQ(scantune_plan_run_select(plan, &arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
    ASSERT_EQ(scantune_plan_run_select_in(plan, &arrays, nullptr, 0, nullptr), SCANTUNE_OK) << scantune_error_message();
    scantune_plan_destroy(plan);
    ASSERT_EQ(device_->launched.size(), 3u);
    for (const FakeLaunch& launch : device_->launched) {
      const bool only_indices = selection.selected == SCANTUNE_INDICES;
      EXPECT_EQ(launch.arguments.operand(OperandRole::input), arrays.input);
      EXPECT_EQ(launch.arguments.operand(OperandRole::output), only_indices ? arrays.indices : arrays.output);
      EXPECT_EQ(launch.arguments.operand(OperandRole::count), arrays.count);
      EXPECT_EQ(launch.arguments.operand(OperandRole::flags), arrays.flags);
      EXPECT_EQ(launch.arguments.operand(OperandRole::values), arrays.values);
      EXPECT_EQ(launch.arguments.operand(OperandRole::values_output), arrays.values_output);
      EXPECT_EQ(launch.arguments.operand(OperandRole::position), only_indices ? nullptr : arrays.indices);
      EXPECT_EQ(launch.arguments.operand(OperandRole::rejected), arrays.rejected);
      EXPECT_EQ(launch.arguments.operand(OperandRole::second), arrays.second);
    }
    device_->launched.clear();
  }
}

TEST_F(SelectApi, ConstantsReachTheKernelAsItems) {
  const auto* const in = device_memory<std::int8_t>(0x1000000);
  auto* const out = device_memory<std::int8_t>(0x9000000);
  runtime::select(in, out, kCount, kSelectedItems, {.predicate = Predicate::less(-7LL)});
  EXPECT_EQ(init_of<std::int8_t>(last_launch()), -7);
  EXPECT_TRUE(contains(last_source(), "::less,")) << last_source();
  runtime::select(device_memory<runtime::bf16>(0x1000000), device_memory<runtime::bf16>(0x9000000), kCount,
                  kSelectedItems, {.predicate = Predicate::greater(1)});
  EXPECT_EQ(init_of<std::uint16_t>(last_launch()), 0x3f80);
}

TEST_F(SelectApi, EveryComparisonReachesTheKernel) {
  const auto expect = [&](const auto& predicate, const char* criterion) {
    runtime::select_plan<int>(kSelectedItems, {.predicate = predicate});
    const std::string text =
        std::string(".criterion = decltype(scantune::SelectRequest::criterion)::") + criterion + ",";
    EXPECT_TRUE(contains(last_source(), text)) << last_source();
  };
  expect(Predicate::less(3), "less");
  expect(Predicate::less_equal(3), "less_equal");
  expect(Predicate::greater(3), "greater");
  expect(Predicate::greater_equal(3), "greater_equal");
  expect(Predicate::equal(3), "equal");
  expect(Predicate::not_equal(3), "not_equal");
  expect(Predicate::source("bool keep(Value)"), "predicate");
}

TEST_F(SelectApi, ConstantsAreRoundedToTheNearestHalf) {
  const auto bits = [&](double constant) {
    runtime::select(device_memory<runtime::f16>(0x1000000), device_memory<runtime::f16>(0x9000000), kCount,
                    kSelectedItems, {.predicate = Predicate::equal(constant)});
    return init_of<std::uint16_t>(last_launch());
  };
  EXPECT_EQ(bits(0), 0);
  EXPECT_EQ(bits(-0.0), 0x8000);
  EXPECT_EQ(bits(1), 0x3c00);
  EXPECT_EQ(bits(-2.5), 0xc100);
  EXPECT_EQ(bits(65504), 0x7bff);
  EXPECT_EQ(bits(65519), 0x7bff);
  EXPECT_EQ(bits(0.1), 0x2e66);
  EXPECT_EQ(bits(1 + 1.0 / 2048), 0x3c00) << "a tie goes to the even one";
  EXPECT_EQ(bits(1 + 3.0 / 2048), 0x3c02);
  EXPECT_EQ(bits(0x1p-24), 1) << "the least one";
  EXPECT_EQ(bits(0x1p-26), 0);
  EXPECT_EQ(bits(0x1.ffcp-15), 0x03ff + 1) << "the greatest subnormal rounds up to the least normal one";
  EXPECT_EQ(bits(1 / 0.0), 0x7c00);
  EXPECT_GT(bits(0 / 0.0), 0x7c00);
}

TEST_F(SelectApi, LongConstantsBecomeHalvesInOneStep) {
  const auto bits = [&](auto constant) {
    runtime::select(device_memory<runtime::bf16>(0x1000000), device_memory<runtime::bf16>(0x9000000), kCount,
                    kSelectedItems, {.predicate = Predicate::equal(constant)});
    return init_of<std::uint16_t>(last_launch());
  };
  EXPECT_EQ(bits(1 + 0x1p-8L), 0x3f80) << "a tie goes to the even one";
  EXPECT_EQ(bits(1 + 0x1p-8L + std::numeric_limits<long double>::epsilon()), 0x3f81) << "as a double it were a tie";
  EXPECT_EQ(bits(-0x1p-133L), 0x8001) << "the least one";
  EXPECT_EQ(bits(std::numeric_limits<long double>::infinity()), 0x7f80);
  EXPECT_EQ(bits(std::uint64_t{255} << 56), 0x5f7f);
  EXPECT_EQ(bits(std::numeric_limits<std::int64_t>::min()), 0xdf00);
  EXPECT_EQ(bits(0u), 0);
}

struct State {
  double low, high;
};

TEST_F(SelectApi, AnotherStateCompilesNothingAndReachesTheKernel) {
  const std::string source = "struct State { double low, high; }; bool keep(Value, State)";
  const auto call = [&](const State& state) {
    runtime::select(kInput, kOutput, kCount, kSelectedItems, {.predicate = Predicate::source(source, state)});
    EXPECT_EQ(init_of<State>(last_launch()).high, state.high);
  };
  call({1, 2});
  const int compiled = device_->compiler().compilations;
  call({3, 4});
  call({5, 6});
  runtime::select_plan<int>(kSelectedItems, {.predicate = Predicate::source(source, State{7, 8})})(kInput, kOutput,
                                                                                                   kCount);
  EXPECT_EQ(init_of<State>(last_launch()).high, 8);
  EXPECT_EQ(device_->compiler().compilations, compiled);
  EXPECT_TRUE(contains(last_source(), source)) << last_source();
  EXPECT_TRUE(contains(last_source(), "SCANTUNE_CUSTOM_PREDICATE_WITH_STATE")) << last_source();
}

TEST_F(SelectApi, PredicatesAreToldApartBySourceAndSizeOfTheState) {
  const std::string source = "bool keep(Value)", with_state = "struct State {}; bool keep(Value, State)";
  const auto call = [&](const Predicate& predicate) {
    runtime::select(kInput, kOutput, kCount, kSelectedItems, {.predicate = predicate});
    return last_launch().module;
  };
  const FakeModule* const plain = call(Predicate::source(source));
  EXPECT_EQ(call(Predicate::source(source)), plain);
  EXPECT_NE(call(Predicate::source(source + ";")), plain);
  const FakeModule* const stated = call(Predicate::source(with_state, 1));
  EXPECT_NE(call(Predicate::source(with_state)), stated);
  EXPECT_NE(call(Predicate::source(with_state, 1.0)), stated);
  EXPECT_EQ(call(Predicate::source(with_state, 2)), stated);
  EXPECT_EQ(call(Predicate::source(with_state, 1.0f)), stated);
}

TEST_F(SelectApi, WarmCallsAllocateNothing) {
  CSelection one;
  one.selection.n = kSelectTiles;
  one.arrays.output = address(std::uintptr_t{1} << 40);
  scantune_selection by_source = one.selection;
  by_source.criterion = SCANTUNE_PREDICATE;
  by_source.constant = nullptr;
  by_source.source = "a source that is longer than what a string holds in itself: bool keep(Value)";
  scantune_plan* plan = nullptr;
  ASSERT_EQ(scantune_select_plan_create(&one.selection, &plan), SCANTUNE_OK) << scantune_error_message();
  device_->launched.reserve(20);
  const std::function<scantune_status()> calls[] = {
      [&] { return scantune_select(&one.selection, &one.arrays, nullptr); },
      [&] { return scantune_select(&by_source, &one.arrays, nullptr); },
      [&] { return scantune_plan_run_select(plan, &one.arrays, nullptr); }};
  for (const auto& call : calls) {
    ASSERT_EQ(call(), SCANTUNE_OK) << scantune_error_message();
    const long before = allocation_count;
    EXPECT_EQ(call(), SCANTUNE_OK) << scantune_error_message();
    EXPECT_EQ(allocation_count, before);
  }
  scantune_plan_destroy(plan);
}

TEST_F(SelectApi, OfNoItemsTheCountIsWritten) {
  CSelection one;
  one.selection.n = 0;
  EXPECT_EQ(scantune_select(&one.selection, &one.arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
  runtime::select(static_cast<int*>(nullptr), static_cast<int*>(nullptr), kCount, 0);
  runtime::partition_plan<int>(0)(nullptr, nullptr, nullptr, kCount);
  runtime::select_indices(kInput, reinterpret_cast<std::uint32_t*>(const_cast<int*>(kInput)), kCount, 0);
  ASSERT_EQ(device_->launched.size(), 4u);
  for (const FakeLaunch& launch : device_->launched) {
    EXPECT_EQ(launch.arguments.operand(OperandRole::count), kCount);
    EXPECT_EQ(launch.arguments.n, 0u);
  }
}

TEST_F(SelectApi, OptionsReachTheKernelAndTheStream) {
  const Stream stream = device_->make_stream();
  runtime::select(kInput, device_memory<int>(std::uintptr_t{1} << 40), kCount, kSelectTiles,
                  {.stream = stream,
                   .latency = runtime::Latency::isolated,
                   .config = R"({"family":"select_lookback","block_threads":128})"});
  EXPECT_EQ(last_launch().stream, stream);
  EXPECT_EQ(last_launch().launch.block_threads, 128);
  const auto text = [](runtime::ForwardProgress progress) {
    return runtime::select_plan<int>(kSelectTiles, {.forward_progress = progress, .captured_launches = 0}).describe();
  };
  EXPECT_TRUE(contains(text(runtime::ForwardProgress::documented), "tile_order=ticket"));
  EXPECT_TRUE(contains(text(runtime::ForwardProgress::in_order), "tile_order=block_index"));
}

TEST_F(SelectApi, PlansOfSelectionsMayBeCaptured) {
  const auto plan = runtime::select_plan<int>(kSelectTiles, {.captured_launches = 1});
  const Stream stream = device_->make_stream();
  int* const far = device_memory<int>(std::uintptr_t{1} << 40);
  plan(kInput, far, kCount, stream);
  device_->begin_capture(stream, 1);
  const int calls = device_->driver_calls;
  plan(kInput, far, kCount, stream);
  EXPECT_EQ(device_->driver_calls, calls);
  EXPECT_THROW(plan(kInput, far, kCount, stream), RequestError);
  device_->destroy_graph(1);
}

TEST_F(SelectApi, AProgramOfALaterHeaderIsServedUnlessItSetsWhatIsUnknown) {
  CSelection caller;
  struct Later {
    scantune_selection known = SCANTUNE_SELECTION_INIT;
    std::uint64_t unknown = 0;
  } later;
  later.known = caller.selection;
  later.known.struct_bytes = sizeof later;
  EXPECT_EQ(scantune_select(&later.known, &caller.arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
  later.unknown = 1;
  EXPECT_EQ(scantune_select(&later.known, &caller.arrays, nullptr), SCANTUNE_REQUEST_ERROR);
  EXPECT_TRUE(contains(scantune_error_message(), "newer header")) << scantune_error_message();
}

// Its arrays had no second part.
TEST_F(SelectApi, AProgramOfTheFirstHeaderIsServed) {
  CSelection caller;
  caller.arrays.struct_bytes = offsetof(scantune_selection_arrays, second);
  caller.arrays.second = address(1);  // behind what that program has
  EXPECT_EQ(scantune_select(&caller.selection, &caller.arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
}

TEST_F(SelectApi, ASelectionInPlaceIsNoOverlap) {
  int* const both = kOutput;
  runtime::select(both, both, kCount, kSelectedItems);
  runtime::unique_consecutive(both, both, kCount, kSelectedItems);
  EXPECT_EQ(device_->launched.size(), 2u);
}

}  // namespace
}  // namespace scantune::testing
