// Load balances by the public functions, C and C++: what reaches the device of their arguments.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "api_counting_new.h"
#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

constexpr u64 kBalancedItems = 1000, kSegments = 10;

template <class T>
T* balance_memory(std::uintptr_t where) {
  return static_cast<T*>(address(where));
}

const std::uint32_t* const kOffsets = balance_memory<std::uint32_t>(0x1000000);
std::uint32_t* const kSegmentOf = balance_memory<std::uint32_t>(0x2000000);
std::uint32_t* const kRankOf = balance_memory<std::uint32_t>(0x3000000);

class LoadBalanceApi : public PublicApi {
 protected:
  std::string last_source() const { return device_->compiler().sources.back(); }
};

// tests/cpu/api_arrays_test.cpp has what plans do, and calls for segments alone.
TEST_F(LoadBalanceApi, WritesRanksBesideSegmentsAndAlone) {
  runtime::load_balance(kOffsets, kSegments, kSegmentOf, kBalancedItems, {.rank_of = kRankOf});
  EXPECT_EQ(last_launch().arguments.operand(OperandRole::output), kSegmentOf);
  EXPECT_EQ(last_launch().arguments.operand(OperandRole::indices), kRankOf);
  EXPECT_EQ(last_launch().arguments.extents[0], kSegments);
  runtime::load_balance(kOffsets, kSegments, static_cast<std::uint32_t*>(nullptr), kBalancedItems,
                        {.rank_of = kRankOf});
  EXPECT_EQ(last_launch().arguments.operand(OperandRole::output), kRankOf);
  EXPECT_TRUE(contains(last_source(), "::ranks")) << last_source();
  const auto both = runtime::segments_and_ranks_plan<std::uint32_t, std::uint32_t>(kSegments, kBalancedItems);
  EXPECT_TRUE(contains(both.describe(), "u32 load_balance, segments_and_ranks assigned of 1000 items, 10 segments"))
      << both.describe();
}

struct alignas(4) Wide {
  unsigned char bytes[12];
};
struct Unaligned {
  unsigned char bytes[4];
};

// Values of one size and alignment share their kernels, whatever they are.
TEST_F(LoadBalanceApi, ValuesAreMovedAsBytes) {
  const auto source_of = [&]<class T>() {
    runtime::expand_plan<std::int64_t, T>(kSegments, kBalancedItems);
    return last_source();
  };
  const std::string of_floats = source_of.operator()<float>();
  EXPECT_TRUE(contains(of_floats, "::u32")) << of_floats;
  EXPECT_TRUE(contains(of_floats, "input_type)::u64") || contains(of_floats, "::u64")) << of_floats;
  EXPECT_EQ(source_of.operator()<std::int32_t>(), of_floats);
  EXPECT_TRUE(contains(source_of.operator()<Wide>(), ".custom_bytes = 12, .custom_alignment = 4"));
  EXPECT_TRUE(contains(source_of.operator()<Unaligned>(), ".custom_bytes = 4, .custom_alignment = 1"));
}

TEST_F(LoadBalanceApi, OfNoItemsLaunchesNothing) {
  runtime::load_balance(kOffsets, kSegments, kSegmentOf, 0);
  runtime::load_balance(kOffsets, 0, kSegmentOf, 0);
  runtime::load_balance_plan<std::uint32_t, std::uint32_t>(0, 0)(kOffsets, kSegmentOf);
  runtime::expand<std::uint32_t, int>(nullptr, 0, nullptr, nullptr, 0);
  EXPECT_TRUE(device_->launched.empty());
}

TEST_F(LoadBalanceApi, ChecksOffsetsInTheStreamBeforeItLaunches) {
  const Stream stream = device_->make_stream();
  runtime::load_balance(kOffsets, kSegments, kSegmentOf, kBalancedItems, {.check = true, .stream = stream});
  ASSERT_EQ(device_->launched.size(), 2u);
  EXPECT_EQ(device_->launched[0].module->kernels, std::vector<std::string>{"check_offsets"});
  EXPECT_EQ(device_->launched[0].stream, stream);
  EXPECT_EQ(device_->launched[0].arguments.extents[0], kSegments);
  EXPECT_EQ(device_->waited_for, std::vector<Stream>{stream});
  ASSERT_EQ(device_->zeroed.size(), 1u);
  EXPECT_EQ(device_->zeroed[0].launches_before, 0u);
  const auto plan =
      runtime::load_balance_plan<std::uint32_t, std::uint32_t>(kSegments, kBalancedItems, {.check = true});
  plan(kOffsets, kSegmentOf, stream);
  EXPECT_EQ(device_->launched.size(), 4u);
  EXPECT_EQ(device_->waited_for.size(), 2u);
}

TEST_F(LoadBalanceApi, ChecksOffsetsOfNoItemsToo) {
  runtime::load_balance(kOffsets, kSegments, kSegmentOf, 0, {.check = true});
  ASSERT_EQ(device_->launched.size(), 1u);
  EXPECT_EQ(device_->launched[0].module->kernels, std::vector<std::string>{"check_offsets"});
}

// Nothing is allocated, and nothing is waited for.
TEST_F(LoadBalanceApi, PlansMayBeCaptured) {
  const auto plan = runtime::load_balance_plan<std::uint32_t, std::uint32_t>(kSegments, kBalancedItems);
  const Stream stream = device_->make_stream();
  device_->begin_capture(stream, 1);
  device_->launched.reserve(100);
  const long before = allocation_count;
  for (int time = 0; time < 100; ++time) plan(kOffsets, kSegmentOf, stream);
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(device_->launched.size(), 100u);
  EXPECT_TRUE(device_->allocations.empty());
  EXPECT_TRUE(device_->waited_for.empty());
}

}  // namespace
}  // namespace scantune::testing
