// The public functions, C and C++: what reaches the device of their arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "api_counting_new.h"
#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

using runtime::Op;

constexpr u64 kSomeItems = 1000;

template <class T>
T* device_memory(std::uintptr_t where) {
  return static_cast<T*>(address(where));
}

template <class T>
T init_of(const FakeLaunch& launch) {
  T value;
  std::memcpy(&value, launch.arguments.init, sizeof value);
  return value;
}

TEST_F(PublicApi, OptionsBecomeTheRequestTheySay) {
  const auto described = [](const std::string& text) { return text.substr(0, text.find(" on ")); };
  EXPECT_EQ(described(runtime::describe<float>(10)), "f32 inclusive sum of 10 items");
  EXPECT_EQ(described(runtime::describe<int>(10, {.kind = runtime::Kind::exclusive})), "i32 exclusive sum of 10 items");
  EXPECT_EQ(described(runtime::describe<int>(10, {.op = Op::max, .init = 3})),
            "i32 inclusive max with init of 10 items");
  EXPECT_EQ(described(runtime::describe<signed char, int>(10)), "i8 to i32 in i32 inclusive sum of 10 items");
  EXPECT_EQ(described((runtime::describe<int, int, long long>(10))), "i32 to i32 in i64 inclusive sum of 10 items");
  EXPECT_EQ(described(runtime::describe<double>(10, {.determinism = runtime::Determinism::run_to_run})),
            "f64 inclusive sum, run_to_run determinism of 10 items");
  EXPECT_EQ(described(runtime::describe<unsigned>(
                10, {.op = Op::bit_xor, .forward_progress = runtime::ForwardProgress::documented})),
            "u32 inclusive bit_xor, documented forward progress of 10 items");
  EXPECT_EQ(described(runtime::describe<int>(10, {.latency = runtime::Latency::isolated})),
            "i32 inclusive sum, isolated latency of 10 items");
}

TEST_F(PublicApi, EveryOperatorReachesTheKernel) {
  const std::pair<Op, const char*> kOperators[] = {
      {Op::sum, "sum"},         {Op::product, "product"}, {Op::min, "min"},        {Op::max, "max"},
      {Op::bit_and, "bit_and"}, {Op::bit_or, "bit_or"},   {Op::bit_xor, "bit_xor"}};
  for (const auto& [op, name] : kOperators) {
    runtime::describe<int>(kSomeItems, {.op = op});
    const std::string text = std::string(".op = decltype(scantune::ScanRequest::op)::") + name + ",";
    EXPECT_TRUE(contains(device_->compiler().sources.back(), text)) << device_->compiler().sources.back();
  }
}

TEST_F(PublicApi, OfNoItemsNothingIsCompiledOrLaunchedWhateverThePointers) {
  const Stream stream = device_->make_stream();
  const auto* const in = device_memory<int>(0);
  auto* const out = device_memory<int>(3);
  runtime::scan(in, out, 0, {.stream = stream});
  const auto plan = runtime::plan<int>(0);
  plan(in, out, stream);
  EXPECT_TRUE(device_->launched.empty());
  EXPECT_EQ(device_->compiler().compilations, 0);
  EXPECT_TRUE(contains(plan.describe(), "i32 inclusive sum of 0 items")) << plan.describe();
  EXPECT_TRUE(contains(plan.describe(), "nothing to launch")) << plan.describe();
}

TEST_F(PublicApi, PointersAndStreamReachTheKernel) {
  const Stream stream = device_->make_stream();
  const auto* const in = device_memory<std::int8_t>(0x1000000);
  auto* const out = device_memory<std::int32_t>(0x9000000);
  runtime::scan(in, out, kSomeItems, {.stream = stream});
  runtime::plan<std::int8_t, std::int32_t>(kSomeItems)(in, out, stream);
  ASSERT_EQ(device_->launched.size(), 2u);
  for (const FakeLaunch& launch : device_->launched) {
    EXPECT_EQ(launch.arguments.operand(OperandRole::input), in);
    EXPECT_EQ(launch.arguments.operand(OperandRole::output), out);
    EXPECT_EQ(launch.stream, stream);
  }
}

TEST_F(PublicApi, InitialValuesReachTheKernelAsAccumulators) {
  const auto* const in = device_memory<std::int8_t>(0x1000000);
  auto* const out = device_memory<std::int8_t>(0x9000000);
  runtime::scan<std::int8_t, std::int8_t, std::int64_t>(in, out, kSomeItems, {.init = std::int64_t{1} << 40});
  EXPECT_EQ(init_of<std::int64_t>(last_launch()), std::int64_t{1} << 40);
  const auto* const memory = device_memory<int>(0x5000);
  runtime::scan(in, out, kSomeItems, {.device_init = memory});
  EXPECT_EQ(last_launch().arguments.operand(OperandRole::init), memory);
  runtime::plan<std::int8_t>(kSomeItems, {.device_init = memory})(in, out);
  EXPECT_EQ(last_launch().arguments.operand(OperandRole::init), memory);
}

TEST_F(PublicApi, TheAddressOfAnNInMemoryReachesTheKernel) {
  const int* const in = device_memory<int>(0x1000000);
  int* const out = device_memory<int>(0x9000000);
  const auto* const n = device_memory<std::uint64_t>(0x5000);
  auto* const clamped = device_memory<std::uint32_t>(0x6000);
  const int* const init = device_memory<int>(0x7000);
  const auto expect = [&](const void* its_n, const void* its_clamped, const void* its_init) {
    EXPECT_EQ(last_launch().arguments.operand(OperandRole::n), its_n);
    EXPECT_EQ(last_launch().arguments.operand(OperandRole::clamped), its_clamped);
    EXPECT_EQ(last_launch().arguments.operand(OperandRole::init), its_init);
    EXPECT_EQ(last_launch().launch.n, kSomeItems);
  };
  runtime::scan(in, out, kSomeItems, {.device_n = n});
  expect(n, nullptr, nullptr);
  runtime::scan(in, out, kSomeItems, {.device_n = n, .device_clamped = clamped});
  expect(n, clamped, nullptr);
  runtime::plan<int>(kSomeItems, {.device_init = init, .device_n = n, .device_clamped = clamped})(in, out);
  expect(n, clamped, init);
  runtime::scan(in, out, kSomeItems);
  expect(nullptr, nullptr, nullptr);
}

template <class T, class Acc, class Value>
void expect_init(const FakeDevice& device, const Value& value, Acc expected) {
  runtime::scan(device_memory<T>(0x1000000), device_memory<T>(0x9000000), kSomeItems, {.init = value});
  EXPECT_EQ(init_of<Acc>(device.launched.back()), expected) << "of " << sizeof(T) << " bytes";
}

template <class T, class Acc>
void expect_zero_and_one(const FakeDevice& device) {
  expect_init<T, Acc>(device, 0, Acc{0});
  expect_init<T, Acc>(device, 1, Acc{1});
}

TEST_F(PublicApi, ZeroAndOneAreInitialValuesOfEveryType) {
  expect_zero_and_one<std::int8_t, std::int32_t>(*device_);
  expect_zero_and_one<std::int16_t, std::int32_t>(*device_);
  expect_zero_and_one<std::int32_t, std::int32_t>(*device_);
  expect_zero_and_one<std::int64_t, std::int64_t>(*device_);
  expect_zero_and_one<std::uint8_t, std::uint32_t>(*device_);
  expect_zero_and_one<std::uint16_t, std::uint32_t>(*device_);
  expect_zero_and_one<std::uint32_t, std::uint32_t>(*device_);
  expect_zero_and_one<std::uint64_t, std::uint64_t>(*device_);
  expect_zero_and_one<runtime::f16, float>(*device_);
  expect_zero_and_one<runtime::bf16, float>(*device_);
  expect_zero_and_one<float, float>(*device_);
  expect_zero_and_one<double, double>(*device_);
}

TEST_F(PublicApi, InitialValuesOfAnotherTypeKeepTheirMeaning) {
  expect_init<std::uint8_t, std::uint32_t>(*device_, ~0u, ~0u);
  expect_init<int>(*device_, std::numeric_limits<std::int64_t>::min() >> 32, std::numeric_limits<int>::min());
  expect_init<int>(*device_, true, 1);
  expect_init<std::int64_t>(*device_, 'a', std::int64_t{'a'});
  expect_init<float>(*device_, std::uint64_t{1} << 63, 0x1p63f);
  expect_init<float>(*device_, -(1 << 24), -0x1p24f);
  expect_init<float>(*device_, 0.1, 0.1f);
  expect_init<float>(*device_, -std::numeric_limits<double>::infinity(), -std::numeric_limits<float>::infinity());
  expect_init<double>(*device_, 0.1f, double{0.1f});
  expect_init<int>(*device_, std::optional<int>(5), 5);
}

TEST_F(PublicApi, NoInitialValueIsNone) {
  for (const runtime::ScanOptions<int>& options :
       {runtime::ScanOptions<int>{.init = {}}, runtime::ScanOptions<int>{.init = std::nullopt}})
    EXPECT_EQ(runtime::describe<int>(10, options), runtime::describe<int>(10));
}

TEST_F(PublicApi, AnOperatorAloneIsAllTheOptionsThatAScanNeeds) {
  const runtime::ScanOptions<float> options = {.op = Op::max};
  EXPECT_EQ(runtime::describe<float>(kSomeItems, Op::max), runtime::describe<float>(kSomeItems, options));
  EXPECT_EQ(runtime::plan<float>(kSomeItems, Op::max).describe(), runtime::describe<float>(kSomeItems, options));
  runtime::scan(device_memory<float>(0x1000000), device_memory<float>(0x9000000), kSomeItems, Op::max);
  EXPECT_EQ(device_->launched.size(), 1u);
  EXPECT_TRUE(contains(device_->compiler().sources.back(), "ScanRequest::op)::max"))
      << device_->compiler().sources.back();
}

TEST_F(PublicApi, StructsStartFromStructsAndFromWhatTheyAreMadeOf) {
  const runtime::InitialValue<std::complex<float>> one = 1;
  EXPECT_EQ(*one.get(), std::complex<float>(1, 0));
  const runtime::InitialValue<std::array<int, 2>> pair = {{1, 2}};
  EXPECT_EQ(*pair.get(), (std::array{1, 2}));
}

template <class In, class Acc>
Acc identity(const FakeDevice& device, const Op& op) {
  runtime::scan<In, Acc, Acc>(device_memory<In>(0x1000000), device_memory<Acc>(0x9000000), kSomeItems,
                              {.op = op, .kind = runtime::Kind::exclusive});
  return init_of<Acc>(device.launched.back());
}

TEST_F(PublicApi, ExclusiveScansStartFromTheIdentityOverTheItemsWhereTheAccumulatorHoldsThem) {
  using Wide = std::int64_t;
  EXPECT_EQ((identity<std::int8_t, int>(*device_, Op::sum)), 0);
  EXPECT_EQ((identity<std::int8_t, int>(*device_, Op::product)), 1);
  EXPECT_EQ((identity<std::int8_t, int>(*device_, Op::min)), 127);
  EXPECT_EQ((identity<std::int8_t, int>(*device_, Op::max)), -128);
  EXPECT_EQ((identity<std::int16_t, Wide>(*device_, Op::max)), -32768);
  EXPECT_EQ((identity<std::int8_t, Wide>(*device_, Op::bit_and)), -1);
  EXPECT_EQ((identity<std::uint8_t, Wide>(*device_, Op::bit_and)), 0xff);
  EXPECT_EQ((identity<std::uint16_t, unsigned>(*device_, Op::min)), 0xffffu);
  EXPECT_EQ((identity<std::uint16_t, unsigned>(*device_, Op::max)), 0u);
  EXPECT_EQ((identity<std::uint64_t, std::uint64_t>(*device_, Op::min)), ~std::uint64_t{0});
  EXPECT_EQ((identity<unsigned, unsigned>(*device_, Op::bit_or)), 0u);
  EXPECT_EQ((identity<unsigned, unsigned>(*device_, Op::bit_xor)), 0u);
  EXPECT_EQ((identity<int, float>(*device_, Op::product)), 1.0f);
  EXPECT_EQ((identity<std::int8_t, double>(*device_, Op::max)), -128.0);
  EXPECT_EQ((identity<float, double>(*device_, Op::min)), std::numeric_limits<double>::infinity());
  EXPECT_EQ((identity<runtime::f16, float>(*device_, Op::max)), -std::numeric_limits<float>::infinity());
  EXPECT_EQ((identity<runtime::bf16, float>(*device_, Op::sum)), 0.0f);
}

// Checks combine(identity, x) == x for every item x at an end of its own range or of the accumulator's.
template <class In, class Acc>
void expect_identities_to_keep_every_item(const FakeDevice& device) {
  const Acc of_min = identity<In, Acc>(device, Op::min), of_max = identity<In, Acc>(device, Op::max);
  const Acc of_and = identity<In, Acc>(device, Op::bit_and);
  using Items = std::numeric_limits<In>;
  using Values = std::numeric_limits<Acc>;
  for (const In item : {Items::min(), Items::max(), In{0}, In{1}, static_cast<In>(-1), static_cast<In>(Values::min()),
                        static_cast<In>(Values::max()), static_cast<In>(Items::max() / 2 + 1)}) {
    const auto value = static_cast<Acc>(item);
    const std::string types = runtime::describe<In, Acc, Acc>(1) + "item " + std::to_string(item);
    EXPECT_EQ(std::min(of_min, value), value) << types;
    EXPECT_EQ(std::max(of_max, value), value) << types;
    EXPECT_EQ(static_cast<Acc>(of_and & value), value) << types;
  }
}

template <class In>
void expect_identities_to_keep_every_item_in_any_accumulator(const FakeDevice& device) {
  expect_identities_to_keep_every_item<In, std::int32_t>(device);
  expect_identities_to_keep_every_item<In, std::int64_t>(device);
  expect_identities_to_keep_every_item<In, std::uint32_t>(device);
  expect_identities_to_keep_every_item<In, std::uint64_t>(device);
}

TEST_F(PublicApi, IdentitiesKeepEveryItemWhateverWidthAndSignOfTheAccumulator) {
  expect_identities_to_keep_every_item_in_any_accumulator<std::int8_t>(*device_);
  expect_identities_to_keep_every_item_in_any_accumulator<std::int16_t>(*device_);
  expect_identities_to_keep_every_item_in_any_accumulator<std::int32_t>(*device_);
  expect_identities_to_keep_every_item_in_any_accumulator<std::int64_t>(*device_);
  expect_identities_to_keep_every_item_in_any_accumulator<std::uint8_t>(*device_);
  expect_identities_to_keep_every_item_in_any_accumulator<std::uint16_t>(*device_);
  expect_identities_to_keep_every_item_in_any_accumulator<std::uint32_t>(*device_);
  expect_identities_to_keep_every_item_in_any_accumulator<std::uint64_t>(*device_);
}

struct Affine {
  float a, b, c;

  bool operator==(const Affine&) const = default;
};

TEST_F(PublicApi, ACustomOperatorReachesTheKernelWithSourceCostNameAndIdentity) {
  const Op op = Op::custom("Value combine", Affine{1, 2, 3}, {.name = "affine", .cost = runtime::Cost::expensive});
  ::testing::internal::CaptureStderr();
  runtime::scan(device_memory<Affine>(0x1000004), device_memory<Affine>(0x9000000), kSomeItems,
                {.op = op, .kind = runtime::Kind::exclusive});
  EXPECT_TRUE(contains(::testing::internal::GetCapturedStderr(), "--name affine"));
  for (const char* part : {"Value combine", ".op = decltype(scantune::ScanRequest::op)::custom_expensive",
                           ".custom_bytes = 12", ".custom_alignment = 4"})
    EXPECT_TRUE(contains(device_->compiler().sources.back(), part)) << device_->compiler().sources.back();
  EXPECT_EQ(init_of<Affine>(last_launch()), (Affine{1, 2, 3}));
}

TEST_F(PublicApi, ACustomOperatorMayWorkOnABuiltInAccumulator) {
  const Op op = Op::custom("Value combine", 7LL, {.cost = runtime::Cost::cheap});
  runtime::scan(device_memory<int>(0x1000000), device_memory<long long>(0x9000000), kSomeItems,
                {.op = op, .kind = runtime::Kind::exclusive});
  EXPECT_TRUE(contains(device_->compiler().sources.back(), "custom_cheap"));
  EXPECT_EQ(init_of<long long>(last_launch()), 7);
}

struct Modulus {
  std::uint64_t modulus, more;
};
const std::string kWithState = "struct State { unsigned long long modulus, more; }; Value combine(Value, Value, State)";

TEST_F(PublicApi, AnotherStateOfAnOperatorCompilesNothingAndReachesTheKernel) {
  const int* const in = device_memory<int>(0x1000000);
  int* const out = device_memory<int>(0x9000000);
  const auto passed = [&] {
    Modulus state;
    std::memcpy(&state, last_launch().arguments.states.combine, sizeof state);
    return state.more;
  };
  const auto op = [](std::uint64_t more) { return Op::custom(kWithState, 0, Modulus{7, more}); };
  runtime::scan(in, out, kSomeItems, {.op = op(1)});
  EXPECT_EQ(passed(), 1u);
  const int compiled = device_->compiler().compilations;
  EXPECT_TRUE(contains(device_->compiler().sources.back(), "SCANTUNE_CUSTOM_OPERATOR_WITH_STATE"));
  EXPECT_TRUE(contains(device_->compiler().sources.back(), "#define SCANTUNE_OPERATOR_STATE 16\n"));
  for (const std::uint64_t more : {2, 3, 1}) {
    runtime::scan(in, out, kSomeItems, {.op = op(more)});
    EXPECT_EQ(passed(), more);
  }
  const auto fourth = runtime::plan<int>(kSomeItems, {.op = op(4)}),
             fifth = runtime::plan<int>(kSomeItems, {.op = op(5)});
  for (const auto& [plan, more] : {std::pair(fourth, 4u), {fifth, 5u}, {fourth, 4u}}) {
    plan(in, out);
    EXPECT_EQ(passed(), more);
  }
  EXPECT_EQ(device_->compiler().compilations, compiled);
}

// Requests that differ in nothing but their map's source do not crowd each other out of what a thread remembers: plans
// of more than one set of four are found again, which a capture shows.
TEST_F(PublicApi, CallsThatDifferInAMapAloneAreToldApart) {
  constexpr int kMaps = 16, kOfOneSet = 4;
  const int* const in = device_memory<int>(0x1000000);
  int* const out = device_memory<int>(0x9000000);
  const Stream stream = device_->make_stream();
  const auto scan = [&](int which) {
    const std::string source = "__device__ int load(int x) { return x + " + std::to_string(which) + "; }";
    runtime::scan(in, out, kSomeItems, {.load = runtime::Map::source(source), .stream = stream});
  };
  for (int which = 0; which < kMaps; ++which) scan(which);
  device_->begin_capture(stream, 1);
  int remembered = 0;
  for (int which = 0; which < kMaps; ++which) {
    try {
      scan(which);
      ++remembered;
    } catch (const RequestError& error) {
      EXPECT_TRUE(contains(error.what(), "make a plan before")) << error.what();
    }
  }
  EXPECT_GT(remembered, kOfOneSet);
  device_->destroy_graph(1);
}

TEST_F(PublicApi, AStateOfAnOperatorStandsBesideThoseOfMaps) {
  using runtime::Map;
  runtime::reduce(device_memory<int>(0x1000000), device_memory<int>(0x9000000), kSomeItems,
                  {.op = Op::custom(kWithState, 0, Modulus{7, 8}, {.name = "sum_of_remainders"}),
                   .load = Map::source("struct State { int a; }; int load(int, State)", 77)});
  const CallStates& states = last_launch().arguments.states;
  int loaded;
  Modulus combined;
  std::memcpy(&loaded, states.load, sizeof loaded);
  std::memcpy(&combined, states.combine, sizeof combined);
  EXPECT_EQ(loaded, 77);
  EXPECT_EQ(combined.more, 8u);
  EXPECT_EQ(states.store[0], 0);
  EXPECT_EQ(states.combine[sizeof combined], 0);
}

TEST_F(PublicApi, OperatorsAreToldApartBySourceAndSizeOfTheState) {
  const auto module_of = [&](const Op& op) {
    runtime::scan(device_memory<int>(0x1000000), device_memory<int>(0x9000000), kSomeItems, {.op = op});
    return last_launch().module;
  };
  const std::string source = "struct State {}; Value combine(Value, Value, State)";
  const FakeModule* const stated = module_of(Op::custom(source, 0, 1));
  EXPECT_EQ(module_of(Op::custom(source, 0, 2)), stated);
  EXPECT_EQ(module_of(Op::custom(source, 0, 1.0f)), stated);
  EXPECT_NE(module_of(Op::custom(source, 0, 1.0)), stated);
  EXPECT_NE(module_of(Op::custom(source, 0)), stated);
  EXPECT_NE(module_of(Op::custom(source + ";", 0, 1)), stated);
}

TEST_F(PublicApi, EqualitiesOfKeysAreToldApartBySourceSizeOfTheStateAndTypeOfTheKeys) {
  using runtime::Equality;
  const auto module_of = [&]<class Key>(const runtime::UserFunction& equality, const Key* keys) {
    runtime::scan_by_key(device_memory<int>(0x1000000), keys, device_memory<int>(0x9000000), kSomeItems,
                         {.equality = equality});
    return last_launch().module;
  };
  const int* const keys = device_memory<int>(0x2000000);
  const std::string source = "struct State {}; bool equal(Value, Value, State)";
  const FakeModule* const stated = module_of(Equality::source(source, 1), keys);
  EXPECT_EQ(module_of(Equality::source(source, 2), keys), stated);
  int passed;
  std::memcpy(&passed, last_launch().arguments.states.equal, sizeof passed);
  EXPECT_EQ(passed, 2);
  EXPECT_NE(module_of(Equality::source(source, 1.0), keys), stated);
  EXPECT_NE(module_of(Equality::source(source), keys), stated);
  EXPECT_NE(module_of(Equality::source(source + ";", 1), keys), stated);
  EXPECT_NE(module_of(Equality::source(source, 1), device_memory<unsigned>(0x2000000)), stated);
  EXPECT_NE(module_of({}, keys), stated);
}

// A sum of i32 items.
scantune_scan_request sum_of_ints(u64 n = kSomeItems) {
  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.n = n;
  request.input_type = request.output_type = SCANTUNE_I32;
  return request;
}
const scantune_arrays kInAndOut = {2, {address(0x1000000), address(0x9000000)}};

// An operator on i32, which keeps a pointer to its identity.
scantune_function operator_from(const int* identity, const char* source = "Value combine") {
  scantune_function combine = SCANTUNE_FUNCTION_INIT;
  combine.source = source;
  combine.identity = identity;
  combine.identity_type = SCANTUNE_I32;
  return combine;
}

TEST_F(PublicApi, APlanKeepsNothingOfTheCallersProblem) {
  std::string source = "Value combine";
  int identity = 5;
  scantune_function combine = operator_from(&identity, source.c_str());
  scantune_scan_request request = sum_of_ints();
  request.op = SCANTUNE_CUSTOM;
  request.kind = SCANTUNE_EXCLUSIVE;
  request.combine = &combine;
  scantune_plan* plan = nullptr;
  ASSERT_EQ(scantune_plan_create(&request.head, &plan), SCANTUNE_OK) << scantune_error_message();
  source.assign(source.size(), '?');
  identity = 6;
  std::memset(&request, 0xff, sizeof request);
  std::memset(&combine, 0xff, sizeof combine);
  ASSERT_EQ(scantune_plan_run(plan, &kInAndOut, nullptr, nullptr), SCANTUNE_OK);
  EXPECT_EQ(init_of<int>(last_launch()), 5);
  scantune_plan_destroy(plan);
}

TEST_F(PublicApi, NoItemsAreScannedWhateverThePointers) {
  runtime::scan<int>(nullptr, static_cast<int*>(nullptr), 0);
  runtime::plan<int>(0)(nullptr, nullptr);
  EXPECT_TRUE(device_->launched.empty());
}

// Neither are there items without rows or columns, nor where these have none.
TEST_F(PublicApi, RowsAndColumnsOfNoItemsAreScannedByLaunchingNothing) {
  using runtime::Segments;
  for (const Segments& segments : {Segments::rows(0, 0), Segments::rows(0, 100), Segments::rows(7, 0),
                                   Segments::columns(0, 0), Segments::columns(0, 100), Segments::columns(7, 0)}) {
    runtime::scan<int>(nullptr, static_cast<int*>(nullptr), 0, {.segments = segments});
    runtime::plan<int>(0, {.segments = segments})(nullptr, nullptr);
    EXPECT_TRUE(contains(runtime::describe<int>(0, {.segments = segments}), "nothing to launch"));
  }
  runtime::reduce<int>(nullptr, static_cast<int*>(nullptr), 0, {.segments = Segments::rows(0, 100)});
  runtime::reduce_plan<int>(0, {.segments = Segments::rows(0, 100)})(nullptr, nullptr);
  runtime::scan<int>(nullptr, static_cast<int*>(nullptr), 0,
                     {.segments = Segments::rows(7, 0), .config = R"({"family": "scan_rows"})"});
  EXPECT_EQ(device_->compiler().compilations, 0);
  EXPECT_TRUE(device_->launched.empty());
}

TEST_F(PublicApi, WarmCallsOfBuiltInOperatorsAllocateNothing) {
  const int* const in = device_memory<int>(0x1000000);
  int* const out = device_memory<int>(0x9000000);
  const auto plan = runtime::plan<int>(1 << 20);
  const auto call = [&] {
    plan(in, out);
    runtime::scan(in, out, 1 << 20, {.op = Op::max, .kind = runtime::Kind::exclusive});
  };
  device_->launched.reserve(10);
  call();
  const long before = allocation_count;
  call();
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(device_->launched.size(), 4u);
}

TEST_F(PublicApi, TheDefaultProblemIsTheSameInCAndWithoutAPreprocessor) {
  const auto expect_same = [](scantune_algorithm algorithm, auto expected) {
    auto request = expected;
    std::memset(&request, 0xff, sizeof request);
    ASSERT_EQ(scantune_request_init(&request.head, algorithm, sizeof request), SCANTUNE_OK);
    EXPECT_EQ(std::memcmp(&request, &expected, sizeof request), 0) << "algorithm " << algorithm;
    EXPECT_EQ(request.head.algorithm, algorithm);
  };
  expect_same(SCANTUNE_SCAN, scantune_scan_request(SCANTUNE_SCAN_REQUEST_INIT));
  expect_same(SCANTUNE_REDUCE, scantune_reduce_request(SCANTUNE_REDUCE_REQUEST_INIT));
  expect_same(SCANTUNE_SELECT, scantune_select_request(SCANTUNE_SELECT_REQUEST_INIT));
  expect_same(SCANTUNE_LOAD_BALANCE, scantune_load_balance_request(SCANTUNE_LOAD_BALANCE_REQUEST_INIT));
  expect_same(SCANTUNE_SORT, scantune_sort_request(SCANTUNE_SORT_REQUEST_INIT));
  expect_same(SCANTUNE_TOP_K, scantune_top_k_request(SCANTUNE_TOP_K_REQUEST_INIT));
}

// A process may use its GPU and the host device; the device of these tests is in the GPU's place.
TEST_F(PublicApi, TheHostDeviceIsAskedForByTheRequest) {
  scantune_scan_request request = sum_of_ints(0);
  request.head.device = SCANTUNE_HOST_DEVICE;
  scantune_plan* plan = nullptr;
  ASSERT_EQ(scantune_plan_create(&request.head, &plan), SCANTUNE_OK) << scantune_error_message();
  EXPECT_TRUE(contains(scantune_plan_description(plan), "(host, ")) << scantune_plan_description(plan);
  scantune_plan_destroy(plan);
  scantune_buffer* buffer = nullptr;
  ASSERT_EQ(scantune_buffer_create(16, SCANTUNE_HOST_DEVICE, &buffer), SCANTUNE_OK) << scantune_error_message();
  EXPECT_TRUE(device_->allocations.empty());
  scantune_buffer_destroy(buffer);
  request.head.n = kSomeItems;
  EXPECT_EQ(scantune_run(&request.head, &kInAndOut, nullptr), SCANTUNE_REQUEST_ERROR);
  EXPECT_TRUE(contains(scantune_error_message(), "is not memory of the host device")) << scantune_error_message();
  request.head.device = SCANTUNE_CURRENT_GPU;
  EXPECT_EQ(scantune_run(&request.head, &kInAndOut, nullptr), SCANTUNE_OK) << scantune_error_message();
  EXPECT_EQ(device_->launched.size(), 1u);
  EXPECT_EQ(scantune_release(nullptr, SCANTUNE_HOST_DEVICE), SCANTUNE_OK) << scantune_error_message();
  // The same in C++.
  const runtime::Buffer<int> of_host(4, runtime::Device::host);
  EXPECT_TRUE(device_->allocations.empty());
  EXPECT_TRUE(contains(runtime::sort_plan<int>(0, {.device = runtime::Device::host}).describe(), "(host, "));
  runtime::release(nullptr, runtime::Device::host);
}

TEST_F(PublicApi, TakesAConfigFromTheCallerAndKeepsNoPointerToIt) {
  std::string config = R"({"family": "three_phase", "parameters": {"block_threads": 128}})";
  scantune_scan_request request = sum_of_ints(1 << 20);
  request.head.config = config.c_str();
  ASSERT_EQ(scantune_scan(&request, address(0x1000000), address(0x9000000), nullptr), SCANTUNE_OK);
  EXPECT_EQ(last_launch().launch.block_threads, 128);
  scantune_plan* plan = nullptr;
  ASSERT_EQ(scantune_plan_create(&request.head, &plan), SCANTUNE_OK) << scantune_error_message();
  config.replace(config.find("128"), 3, "256");
  ASSERT_EQ(scantune_plan_run(plan, &kInAndOut, nullptr, nullptr), SCANTUNE_OK);
  EXPECT_EQ(last_launch().launch.block_threads, 128);
  const std::string description = scantune_plan_description(plan);
  scantune_plan_destroy(plan);
  EXPECT_TRUE(contains(description, "three_phase{block_threads=128")) << description;
  EXPECT_TRUE(contains(description, "origin: given, by the caller")) << description;
  ASSERT_EQ(scantune_scan(&request, address(0x1000000), address(0x9000000), nullptr), SCANTUNE_OK);
  EXPECT_EQ(last_launch().launch.block_threads, 256) << "the plan of the text that stood there before";
  EXPECT_EQ(runtime::describe<int>(1 << 20, {.config = R"({"family":"three_phase","block_threads":128})"}),
            description);
}

TEST_F(PublicApi, FunctionsThatCannotFailTakeNull) {
  scantune_plan_destroy(nullptr);
  scantune_buffer_destroy(nullptr);
  EXPECT_STREQ(scantune_plan_description(nullptr), "");
  EXPECT_EQ(scantune_buffer_data(nullptr), nullptr);
}

}  // namespace
}  // namespace scantune::testing
