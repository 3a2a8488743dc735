// What the public functions, C and C++, make of their arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "api_counting_new.h"
#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

using runtime::Op;

constexpr u64 kItems = 1000;

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
            "f64 inclusive sum, run_to_run of 10 items");
  EXPECT_EQ(described(runtime::describe<unsigned>(
                10, {.op = Op::bit_xor, .forward_progress = runtime::ForwardProgress::documented})),
            "u32 inclusive bit_xor, documented forward progress of 10 items");
  EXPECT_EQ(described(runtime::describe<int>(10, {.latency = runtime::Latency::isolated})),
            "i32 inclusive sum, isolated of 10 items");
}

TEST_F(PublicApi, EveryOperatorReachesTheKernel) {
  const std::pair<Op, const char*> kOperators[] = {
      {Op::sum, "sum"},         {Op::product, "product"}, {Op::min, "min"},        {Op::max, "max"},
      {Op::bit_and, "bit_and"}, {Op::bit_or, "bit_or"},   {Op::bit_xor, "bit_xor"}};
  for (const auto& [op, name] : kOperators) {
    runtime::describe<int>(kItems, {.op = op});
    const std::string text = std::string(".op = scantune::Operator::") + name + ",";
    EXPECT_TRUE(contains(device_->compiler().sources.back(), text)) << device_->compiler().sources.back();
  }
}

TEST_F(PublicApi, PointersAndStreamReachTheKernel) {
  const Stream stream = device_->make_stream();
  const auto* const in = device_memory<std::int8_t>(0x1000000);
  auto* const out = device_memory<std::int32_t>(0x9000000);
  runtime::scan(in, out, kItems, {.stream = stream});
  runtime::plan<std::int8_t, std::int32_t>(kItems)(in, out, stream);
  ASSERT_EQ(device_->launched.size(), 2u);
  for (const FakeLaunch& launch : device_->launched) {
    EXPECT_EQ(launch.arguments.input, in);
    EXPECT_EQ(launch.arguments.output, out);
    EXPECT_EQ(launch.stream, stream);
  }
}

TEST_F(PublicApi, InitialValuesReachTheKernelAsAccumulators) {
  const auto* const in = device_memory<std::int8_t>(0x1000000);
  auto* const out = device_memory<std::int8_t>(0x9000000);
  runtime::scan<std::int8_t, std::int8_t, std::int64_t>(in, out, kItems, {.init = std::int64_t{1} << 40});
  EXPECT_EQ(init_of<std::int64_t>(last_launch()), std::int64_t{1} << 40);
  const auto* const memory = device_memory<int>(0x5000);
  runtime::scan(in, out, kItems, {.device_init = memory});
  EXPECT_EQ(last_launch().arguments.init_memory, memory);
  runtime::plan<std::int8_t>(kItems, {.device_init = memory})(in, out);
  EXPECT_EQ(last_launch().arguments.init_memory, memory);
}

template <class In, class Acc>
Acc identity(const FakeDevice& device, const Op& op) {
  runtime::scan<In, Acc, Acc>(device_memory<In>(0x1000000), device_memory<Acc>(0x9000000), kItems,
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

// combine(identity, x) == x for every item x at an end of its own range or of the accumulator's.
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
  const Op op = Op::custom("its source", Affine{1, 2, 3}, {.name = "affine", .cost = runtime::Cost::expensive});
  ::testing::internal::CaptureStderr();
  runtime::scan(device_memory<Affine>(0x1000004), device_memory<Affine>(0x9000000), kItems,
                {.op = op, .kind = runtime::Kind::exclusive});
  EXPECT_TRUE(contains(::testing::internal::GetCapturedStderr(), "--name affine"));
  for (const char* part :
       {"its source", ".op = scantune::Operator::custom_expensive", ".custom_bytes = 12", ".custom_alignment = 4"})
    EXPECT_TRUE(contains(device_->compiler().sources.back(), part)) << device_->compiler().sources.back();
  EXPECT_EQ(init_of<Affine>(last_launch()), (Affine{1, 2, 3}));
}

TEST_F(PublicApi, ACustomOperatorMayWorkOnABuiltInAccumulator) {
  const Op op = Op::custom("its source", 7LL, {.cost = runtime::Cost::cheap});
  runtime::scan(device_memory<int>(0x1000000), device_memory<long long>(0x9000000), kItems,
                {.op = op, .kind = runtime::Kind::exclusive});
  EXPECT_TRUE(contains(device_->compiler().sources.back(), "custom_cheap"));
  EXPECT_EQ(init_of<long long>(last_launch()), 7);
}

TEST_F(PublicApi, APlanKeepsNothingOfTheCallersProblem) {
  std::string source = "its source";
  int identity = 5;
  scantune_custom_operator custom = SCANTUNE_CUSTOM_OPERATOR_INIT;
  custom.source = source.c_str();
  custom.identity = &identity;
  custom.value_type = SCANTUNE_I32;
  scantune_problem problem = SCANTUNE_PROBLEM_INIT;
  problem.n = kItems;
  problem.input_type = problem.output_type = SCANTUNE_I32;
  problem.op = SCANTUNE_CUSTOM;
  problem.kind = SCANTUNE_EXCLUSIVE;
  problem.custom = &custom;
  scantune_plan* plan = nullptr;
  ASSERT_EQ(scantune_plan_create(&problem, &plan), SCANTUNE_OK) << scantune_error_message();
  source.assign(source.size(), '?');
  identity = 6;
  std::memset(&problem, 0xff, sizeof problem);
  ASSERT_EQ(scantune_plan_run(plan, address(0x1000000), address(0x9000000), nullptr), SCANTUNE_OK);
  EXPECT_EQ(init_of<int>(last_launch()), 5);
  scantune_plan_destroy(plan);
}

TEST_F(PublicApi, NoItemsAreScannedWhateverThePointers) {
  runtime::scan<int>(nullptr, static_cast<int*>(nullptr), 0);
  runtime::plan<int>(0)(nullptr, nullptr);
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
  const scantune_problem expected = SCANTUNE_PROBLEM_INIT;
  scantune_problem problem;
  std::memset(&problem, 0xff, sizeof problem);
  ASSERT_EQ(scantune_problem_init(&problem, sizeof problem), SCANTUNE_OK);
  EXPECT_EQ(problem.struct_bytes, expected.struct_bytes);
  EXPECT_EQ(problem.n, expected.n);
  EXPECT_EQ(problem.accumulator_type, expected.accumulator_type);
  EXPECT_EQ(problem.op, expected.op);
  EXPECT_EQ(problem.kind, expected.kind);
  EXPECT_EQ(problem.init, expected.init);
  EXPECT_EQ(problem.device_init, expected.device_init);
  EXPECT_EQ(problem.custom, expected.custom);
  EXPECT_EQ(problem.captured_launches, expected.captured_launches);
}

TEST_F(PublicApi, HeaderAndLibraryAreOfOneVersion) {
  const auto version = std::to_string(SCANTUNE_VERSION_MAJOR) + '.' + std::to_string(SCANTUNE_VERSION_MINOR) + '.' +
                       std::to_string(SCANTUNE_VERSION_PATCH);
  EXPECT_EQ(scantune_version(), version);
}

TEST_F(PublicApi, FunctionsThatCannotFailTakeNull) {
  scantune_plan_destroy(nullptr);
  scantune_buffer_destroy(nullptr);
  EXPECT_STREQ(scantune_plan_description(nullptr), "");
  EXPECT_EQ(scantune_buffer_data(nullptr), nullptr);
}

TEST_F(PublicApi, BuffersCopyThereAndBackAndMove) {
  const std::vector<int> values{1, 2, 3};
  runtime::Buffer<int> buffer(values);
  const runtime::Buffer<int> taken = std::move(buffer);
  std::vector<int> copy(taken.size());
  taken.download(copy.data());
  EXPECT_EQ(copy, values);
  EXPECT_EQ(runtime::Buffer<int>(0).data(), nullptr);
}

TEST_F(PublicApi, BuffersCopyWhateverHoldsTheirItemsInARow) {
  std::array<int, 3> values{1, 2, 3};
  const auto copied = [](const runtime::Buffer<int>& buffer) {
    std::array<int, 3> copy{};
    buffer.download(copy.data());
    return copy;
  };
  EXPECT_EQ(copied(runtime::Buffer<int>(values)), values);
  EXPECT_EQ(copied(runtime::Buffer<int>(std::span(values))), values);
  EXPECT_EQ(copied(runtime::Buffer<int>(std::span<const int>(values))), values);
  static_assert(!std::is_constructible_v<runtime::Buffer<int>, std::vector<unsigned>>);
}

TEST_F(PublicApi, BuffersFreeTheirMemory) {
  { const runtime::Buffer<int> buffer(100); }
  EXPECT_TRUE(device_->allocations.empty());
}

// What goes wrong inside, the status it becomes, and the exception that C++ makes of that.
template <class Thrown, class Caught = Thrown>
void expect_status(FakeDevice& device, scantune_status status, const Thrown& thrown, const char* text) {
  device.before_load = [&] { throw thrown; };
  scantune_problem problem = SCANTUNE_PROBLEM_INIT;
  problem.n = kItems;
  problem.input_type = problem.output_type = SCANTUNE_I32;
  scantune_plan* plan = nullptr;
  EXPECT_EQ(scantune_plan_create(&problem, &plan), status);
  EXPECT_EQ(plan, nullptr);
  EXPECT_TRUE(contains(scantune_error_message(), text)) << scantune_error_message();
  try {
    runtime::plan<int>(kItems);
    ADD_FAILURE() << "no exception of status " << status;
  } catch (const Error& error) {
    EXPECT_EQ(typeid(error), typeid(Caught)) << "status " << status;
    EXPECT_TRUE(contains(error.what(), text)) << error.what();
  }
}

TEST_F(PublicApi, ErrorsAreTheSameOnBothSidesOfTheCInterface) {
  FakeDevice& device = *device_;
  device.lost = "it has failed";  // so that no other config is tried
  expect_status(device, SCANTUNE_REQUEST_ERROR, RequestError("refused"), "refused");
  expect_status(device, SCANTUNE_COMPILE_ERROR, CompileError("a whole log"), "a whole log");
  expect_status(device, SCANTUNE_DEVICE_ERROR, DeviceError("no driver"), "no driver");
  expect_status(device, SCANTUNE_OUT_OF_MEMORY, OutOfMemoryError("80 GiB"), "80 GiB");
  expect_status(device, SCANTUNE_DATABASE_ERROR, DatabaseError("no table"), "no table");
  expect_status<std::bad_alloc, Error>(device, SCANTUNE_INTERNAL_ERROR, {}, "the host is out of memory");
  expect_status<std::logic_error, Error>(device, SCANTUNE_INTERNAL_ERROR, std::logic_error("odd"), "odd");
  expect_status<int, Error>(device, SCANTUNE_INTERNAL_ERROR, 7, "unknown type");
}

TEST_F(PublicApi, MessagesBelongToTheirThreadAndOutliveSuccess) {
  std::thread([] { EXPECT_STREQ(scantune_error_message(), ""); }).join();
  ASSERT_EQ(scantune_buffer_create(1, nullptr), SCANTUNE_REQUEST_ERROR);
  const std::string message = scantune_error_message();
  std::thread([] { scantune_plan_run(nullptr, nullptr, nullptr, nullptr); }).join();
  EXPECT_EQ(scantune_release(nullptr), SCANTUNE_OK);
  EXPECT_EQ(scantune_error_message(), message);
}

}  // namespace
}  // namespace scantune::testing
