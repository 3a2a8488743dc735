#include <gtest/gtest.h>

#include "api_counting_new.h"
#include "api_plans.h"

namespace scantune::testing {
namespace {

TEST_F(Plans, LaunchWhatTheFamilyAsksForWithPointersAndWorkspaceFilledIn) {
  constexpr int kMany = 1 << 26;  // so many need sums of sums, which lie at offsets of their own
  rows_ = {row_of("three_phase", kMany)};
  const auto plan = this->plan(sum_of(kMany));
  run(*plan, input_, output_, device_->make_stream());
  const auto expected = find_family("three_phase")->launches(plan->selection().config, sum_of(kMany), Variant::aligned);
  ASSERT_EQ(expected.count, 5);
  ASSERT_EQ(device_->launched.size(), static_cast<std::size_t>(expected.count));
  for (int index = 0; index < expected.count; ++index) {
    const auto& made = device_->launched[static_cast<std::size_t>(index)];
    const Launch& asked = expected.launches[index];
    EXPECT_EQ(made.launch.kernel, asked.kernel);
    EXPECT_EQ(made.launch.grid_blocks, asked.grid_blocks);
    EXPECT_EQ(made.arguments.n, asked.n);
    EXPECT_EQ(made.arguments.extents[0], asked.extents[0]);
    EXPECT_EQ(made.arguments.extents[1], asked.extents[1]);
    EXPECT_EQ(made.arguments.operand(OperandRole::input), input_);
    EXPECT_EQ(made.arguments.operand(OperandRole::output), output_);
    EXPECT_TRUE(device_->allocations.contains(made.arguments.workspace));
  }
}

TEST_F(Plans, LoadEveryKernelWithTheSharedMemoryThatAnyNNeeds) {
  rows_ = {row_of("three_phase", 1024)};
  run(*plan(sum_of(1024)), input_, output_);
  for (const int bytes : device_->launched.at(0).module->max_shared_bytes) EXPECT_GT(bytes, 0);
}

TEST_F(Plans, PickTheKernelForTheAlignmentOfBothPointers) {
  const auto plan = this->plan(sum_of(1 << 20));
  const auto module_for = [&](std::uintptr_t input, std::uintptr_t output) {
    run(*plan, address(input), address(output));
    return device_->launched.back().module;
  };
  const auto* const aligned = module_for(0x1000000, 0x9000000);
  const auto* const any = module_for(0x1000004, 0x9000000);
  EXPECT_NE(aligned, any);
  EXPECT_EQ(module_for(0x1000010, 0x9000020), aligned);
  EXPECT_EQ(module_for(0x1000000, 0x9000008), any);
  EXPECT_EQ(module_for(0x1000004, 0x9000004), any);
}

// The kernel is the one for the alignment of where these items begin, or in reverse of where they end.
TEST_F(Plans, LeadKernelsToDenseItemsThatBeginBeforeThePointers) {
  for (const Direction direction : {Direction::forward, Direction::reverse}) {
    ScanRequest request = sum_of((1 << 20) + 1);
    request.direction = direction;
    request.layout.input.first = request.layout.output.first = -1;
    const auto plan = this->plan(request);
    const auto module_for = [&](std::uintptr_t input, std::uintptr_t output) {
      run(*plan, address(input), address(output));
      const KernelArguments& arguments = device_->launched.back().arguments;
      EXPECT_EQ(arguments.operand(OperandRole::input), address(input - 4));
      EXPECT_EQ(arguments.operand(OperandRole::output), address(output - 4));
      return device_->launched.back().module;
    };
    const std::uintptr_t aligned = direction == Direction::forward ? 4 : 0;
    const auto* const module = module_for(0x1000000 + aligned, 0x9000000 + aligned);
    EXPECT_EQ(module_for(0x1000010 + aligned, 0x9000020 + aligned), module);
    EXPECT_NE(module_for(0x1000004 - aligned, 0x9000004 - aligned), module);
    EXPECT_THROW(run(*plan, address(0x1000000), address(0x1000000 + 4 * request.n - 4)), RequestError);
    EXPECT_NO_THROW(run(*plan, address(0x1000000), address(0x1000000 + 4 * request.n)));
    EXPECT_THROW(plan->arguments().check_workspace({address(0x1000000 - 256), 256}, 256, {input_, output_}),
                 RequestError);
  }
}

TEST_F(Plans, OfDifferentTypesCompileForPointersOfTheSmallerAlignment) {
  plan(flags_to_offsets(1 << 20));
  ASSERT_EQ(device_->compiler().sources.size(), 2u);
  EXPECT_TRUE(contains(device_->compiler().sources[0], "scantune::Variant::any"));
  EXPECT_TRUE(contains(device_->compiler().sources[1], "scantune::Variant::aligned"));
}

TEST_F(Plans, OfStructsTakeAnyAddressThatTheirAlignmentAllows) {
  const CustomOperator custom{"Value combine", ""};
  const auto plan = this->plan(custom12(1000), 4, &custom);
  run(*plan, address(0x1000004), address(0x9000008));
  EXPECT_THROW(run(*plan, address(0x1000002), address(0x9000000)), RequestError);
  EXPECT_EQ(device_->launched.size(), 1u);
}

TEST_F(Plans, CompileBothKernelsWhenTheyAreMadeAndNoneWhenTheyRun) {
  const auto plan = this->plan(sum_of(1 << 20));
  EXPECT_EQ(device_->compiler().compilations, 2);
  run(*plan, address(0x1000000), address(0x9000000));
  run(*plan, address(0x1000004), address(0x9000004));
  EXPECT_EQ(device_->compiler().compilations, 2);
}

TEST_F(Plans, OfAnotherNShareTheLoadedKernels) {
  rows_ = {row_of("three_phase", 1 << 20)};
  plan(sum_of(1 << 20));
  plan(sum_of((1 << 19) + 1));
  EXPECT_EQ(device_->compiler().compilations, 2);
}

TEST_F(Plans, AllocateNothingAndAskTheDriverOnceForTheStreamAndForTheLaunchWhenWarm) {
  rows_ = {row_of("lookback", 1 << 20)};
  const auto plan = this->plan(sum_of(1 << 20));
  const Stream stream = device_->make_stream();
  device_->launched.reserve(100);
  run(*plan, input_, output_, stream);
  const int calls = device_->driver_calls, queries = device_->stream_queries;
  const long before = allocation_count;
  for (int call = 0; call < 10; ++call) run(*plan, input_, output_, stream);
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(device_->driver_calls, calls);
  EXPECT_EQ(device_->stream_queries, queries + 10);
  EXPECT_EQ(device_->launched.size(), 11u);
}

TEST_F(Plans, GiveTheKernelsTheInitialValueOfThisCall) {
  const auto plan = this->plan(request_for(Operator::max, Kind::exclusive, 100));
  for (const i32 init : {-7, 12}) {
    plan->run({input_, output_}, InitialValue(plan->request(), &init), nullptr);
    i32 passed = 0;
    std::memcpy(&passed, device_->launched.back().arguments.init, sizeof passed);
    EXPECT_EQ(passed, init);
  }
}

TEST_F(Plans, GiveTheKernelsTheAddressOfAnInitialValueInMemory) {
  ScanRequest request = request_for(Operator::max, Kind::inclusive, 100);
  request.init = Init::memory;
  const auto plan = this->plan(request);
  for (const std::uintptr_t memory : {0x5000u, 0x6000u}) {
    plan->run({input_, output_, address(memory)}, InitialValue(), nullptr);
    EXPECT_EQ(device_->launched.back().arguments.operand(OperandRole::init), address(memory));
  }
}

TEST_F(Plans, AcceptRangesThatTouchAndScansInPlace) {
  constexpr u64 kItems = 1000;
  const auto plan = this->plan(sum_of(kItems));
  const std::uintptr_t first = 0x1000000, second = first + 4 * kItems;
  run(*plan, address(first), address(second));
  run(*plan, address(second), address(first));
  run(*plan, address(first), address(first));
  EXPECT_EQ(device_->launched.size(), 3u);
}

TEST_F(Plans, AcceptAnInitialValueInMemoryBesideTheOutput) {
  ScanRequest request = request_for(Operator::sum, Kind::inclusive, 1000);
  request.init = Init::memory;
  const auto plan = this->plan(request);
  for (const std::uintptr_t memory : {0x9000000u - 4, 0x9000000u + 4000, 0x1000000u})
    plan->run({address(0x1000000), address(0x9000000), address(memory)}, InitialValue(), nullptr);
  EXPECT_EQ(device_->launched.size(), 3u);
}

}  // namespace
}  // namespace scantune::testing
