// Selections by the public functions, C and C++: what reaches the device of their arguments.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

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

const int* const kItemsIn = device_memory<int>(0x1000000);
int* const kItemsOut = device_memory<int>(0x9000000);
std::uint64_t* const kCountOut = device_memory<std::uint64_t>(0x5000);

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
  scantune_select_request request = SCANTUNE_SELECT_REQUEST_INIT;
  scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
  int constant = 3;

  CSelection() {
    request.head.n = kSelectedItems;
    request.input_type = SCANTUNE_I32;
    request.constant = &constant;
    arrays.of[SCANTUNE_INPUT] = kItemsIn;
    arrays.of[SCANTUNE_OUTPUT] = kItemsOut;
    arrays.of[SCANTUNE_COUNT] = kCountOut;
  }

  scantune_status run() const { return scantune_run(&request.head, &arrays, nullptr); }
};

TEST_F(SelectApi, ConstantsReachTheKernelAsItems) {
  const auto* const in = device_memory<std::int8_t>(0x1000000);
  auto* const out = device_memory<std::int8_t>(0x9000000);
  runtime::select(in, out, kCountOut, kSelectedItems, {.predicate = Predicate::less(-7LL)});
  EXPECT_EQ(init_of<std::int8_t>(last_launch()), -7);
  EXPECT_TRUE(contains(last_source(), "::less,")) << last_source();
  runtime::select(device_memory<runtime::bf16>(0x1000000), device_memory<runtime::bf16>(0x9000000), kCountOut,
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
    runtime::select(device_memory<runtime::f16>(0x1000000), device_memory<runtime::f16>(0x9000000), kCountOut,
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
    runtime::select(device_memory<runtime::bf16>(0x1000000), device_memory<runtime::bf16>(0x9000000), kCountOut,
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
    runtime::select(kItemsIn, kItemsOut, kCountOut, kSelectedItems, {.predicate = Predicate::source(source, state)});
    EXPECT_EQ(init_of<State>(last_launch()).high, state.high);
  };
  call({1, 2});
  const int compiled = device_->compiler().compilations;
  call({3, 4});
  call({5, 6});
  runtime::select_plan<int>(kSelectedItems, {.predicate = Predicate::source(source, State{7, 8})})(kItemsIn, kItemsOut,
                                                                                                   kCountOut);
  EXPECT_EQ(init_of<State>(last_launch()).high, 8);
  EXPECT_EQ(device_->compiler().compilations, compiled);
  EXPECT_TRUE(contains(last_source(), source)) << last_source();
  EXPECT_TRUE(contains(last_source(), "SCANTUNE_CUSTOM_PREDICATE_WITH_STATE")) << last_source();
}

TEST_F(SelectApi, PredicatesAreToldApartBySourceAndSizeOfTheState) {
  const std::string source = "bool keep(Value)", with_state = "struct State {}; bool keep(Value, State)";
  const auto call = [&](const runtime::UserFunction& predicate) {
    runtime::select(kItemsIn, kItemsOut, kCountOut, kSelectedItems, {.predicate = predicate});
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

TEST_F(SelectApi, OfNoItemsTheCountIsWritten) {
  CSelection one;
  one.request.head.n = 0;
  EXPECT_EQ(one.run(), SCANTUNE_OK) << scantune_error_message();
  runtime::select(static_cast<int*>(nullptr), static_cast<int*>(nullptr), kCountOut, 0);
  runtime::partition_plan<int>(0)(nullptr, nullptr, nullptr, kCountOut);
  runtime::select_indices(kItemsIn, reinterpret_cast<std::uint32_t*>(const_cast<int*>(kItemsIn)), kCountOut, 0);
  ASSERT_EQ(device_->launched.size(), 4u);
  for (const FakeLaunch& launch : device_->launched) {
    EXPECT_EQ(launch.arguments.operand(OperandRole::count), kCountOut);
    EXPECT_EQ(launch.arguments.n, 0u);
  }
}

TEST_F(SelectApi, OptionsReachTheKernelAndTheStream) {
  const Stream stream = device_->make_stream();
  runtime::select(kItemsIn, device_memory<int>(std::uintptr_t{1} << 40), kCountOut, kSelectTiles,
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

TEST_F(SelectApi, NoArrayIsReadThatTheCallersHeaderDoesNotHave) {
  CSelection caller;
  caller.arrays.count = SCANTUNE_COUNT;
  caller.arrays.of[SCANTUNE_COUNT] = address(1);  // after the roles that the caller's arrays have
  EXPECT_EQ(caller.run(), SCANTUNE_REQUEST_ERROR);
  EXPECT_TRUE(contains(scantune_error_message(), "count is null")) << scantune_error_message();
}

}  // namespace
}  // namespace scantune::testing
