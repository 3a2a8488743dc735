// The public functions about memory, C and C++: whose memory runs work in, and what goes back.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "api_counting_new.h"
#include "api_current_device.h"
#include "launch/allocator.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

constexpr u64 kHeldItems = u64{1} << 20;  // whose scan needs a workspace

// A program's allocator for the time of a test.
class OwnMemory {
 public:
  OwnMemory() {
    runtime::set_allocator({[this](std::uint64_t bytes, int device) { return allocate(bytes, device); },
                            [this](void* memory, std::uint64_t bytes, int) { deallocate(memory, bytes); }});
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  ~OwnMemory() {
    runtime::reset_allocator();
    runtime::trim();
    EXPECT_TRUE(held.empty());
  }

  std::map<void*, std::uint64_t> held;
  int allocations = 0;
  bool throws = false;

 private:
  void* allocate(std::uint64_t bytes, int device) {
    EXPECT_EQ(device, -1);
    if (throws) throw std::runtime_error("no memory");
    void* const memory = std::aligned_alloc(256, round_up(bytes, 256));
    held[memory] = bytes;
    ++allocations;
    return memory;
  }
  void deallocate(void* memory, std::uint64_t bytes) {
    EXPECT_EQ(held.at(memory), bytes);
    held.erase(memory);
    std::free(memory);
    if (throws) throw std::runtime_error("dropped");
  }
};

class PublicMemory : public PublicApi {
 protected:
  PublicMemory() { runtime::trim(); }  // what other tests have left

  void scan(Stream stream = nullptr, u64 n = kHeldItems) {
    runtime::scan(static_cast<const int*>(input_), static_cast<int*>(output_), n, {.stream = stream});
  }

  void* const input_ = address(std::uintptr_t{1} << 40);
  void* const output_ = address(std::uintptr_t{1} << 41);
};

TEST_F(PublicMemory, OfAPlanIsAsMuchAsItsRunIsGiven) {
  const auto plan = runtime::plan<int>(kHeldItems, {.captured_launches = 0});
  const runtime::Workspace workspace{address(std::uintptr_t{1} << 42), plan.workspace_bytes()};
  ASSERT_GT(workspace.bytes, 0u);
  plan(static_cast<const int*>(input_), static_cast<int*>(output_), workspace);
  EXPECT_EQ(last_launch().arguments.workspace, workspace.memory);
  const runtime::Workspace short_of_one{workspace.memory, workspace.bytes - 1};
  EXPECT_THROW(plan(static_cast<const int*>(input_), static_cast<int*>(output_), short_of_one), RequestError);
  EXPECT_TRUE(device_->allocations.empty());
}

TEST_F(PublicMemory, OfAPlanOfNothingIsNone) {
  EXPECT_EQ(scantune_plan_workspace_bytes(nullptr), 0u);
  const auto plan = runtime::plan<int>(0);
  EXPECT_EQ(plan.workspace_bytes(), 0u);
  plan(nullptr, nullptr, runtime::Workspace{});
  EXPECT_TRUE(device_->launched.empty());
}

TEST_F(PublicMemory, OfEveryWorkspaceIsTheAllocators) {
  OwnMemory memory;
  scan();
  scan(device_->make_stream());
  const auto plan = runtime::plan<int>(kHeldItems, {.captured_launches = 3});
  EXPECT_EQ(memory.allocations, 5);
  EXPECT_TRUE(device_->allocations.empty());
  EXPECT_TRUE(memory.held.contains(last_launch().arguments.workspace));
}

TEST_F(PublicMemory, IsShortWhereTheAllocatorThrows) {
  OwnMemory memory;
  memory.throws = true;
  EXPECT_THROW(scan(), OutOfMemoryError);
  EXPECT_TRUE(device_->launched.empty());
  memory.throws = false;
  scan();
  EXPECT_EQ(memory.allocations, 1);
  memory.throws = true;
  EXPECT_GT(runtime::trim(), 0u) << "what deallocate throws is dropped";
}

// Memory is given back where an exception would end the process, as one for want of memory would.
TEST_F(PublicMemory, GoesBackToTheAllocatorWithoutAllocating) {
  const Allocator allocator{.deallocate = [](void*, void*, std::uint64_t, int) {}};
  const long before = allocation_count;
  free_to(allocator, *device_, input_, 256);
  EXPECT_EQ(allocation_count, before);
}

TEST_F(PublicMemory, OfStreamsIsGivenBackAndAllocatedAnew) {
  scan();
  scan(device_->make_stream());
  EXPECT_EQ(device_->allocations.size(), 2u);
  device_->synchronizations = 0;
  std::uint64_t freed_bytes = 0;
  ASSERT_EQ(scantune_trim(&freed_bytes), SCANTUNE_OK);
  EXPECT_EQ(freed_bytes % 2, 0u);
  EXPECT_GT(freed_bytes, 0u);
  EXPECT_EQ(device_->synchronizations, 1);
  EXPECT_TRUE(device_->allocations.empty());
  EXPECT_EQ(runtime::trim(), 0u);
  EXPECT_EQ(scantune_trim(nullptr), SCANTUNE_OK);
  scan();
  EXPECT_EQ(device_->allocations, std::set<void*>{last_launch().arguments.workspace});
}

TEST_F(PublicMemory, OfCapturedLaunchesStaysUntilPlanAndGraphAreGone) {
  const Stream stream = device_->make_stream();
  {
    const auto plan = runtime::plan<int>(kHeldItems, {.captured_launches = 2});
    device_->begin_capture(stream, 1);
    plan(static_cast<const int*>(input_), static_cast<int*>(output_), stream);
    device_->end_capture(stream);
    EXPECT_EQ(runtime::trim(), 0u);
    EXPECT_EQ(device_->allocations.size(), 2u);
  }
  EXPECT_EQ(runtime::trim(), 0u) << "a graph lives";
  device_->destroy_graph(1);
  EXPECT_GT(runtime::trim(), 0u);
  EXPECT_TRUE(device_->allocations.empty());
}

TEST_F(PublicMemory, StaysWhereItIsIfADeviceCannotBeWaitedFor) {
  scan();
  void* const workspace = last_launch().arguments.workspace;
  device_->cannot_synchronize = true;
  EXPECT_THROW(runtime::trim(), DeviceError);
  device_->cannot_synchronize = false;
  EXPECT_EQ(device_->allocations, std::set<void*>{workspace});
  scan();
  EXPECT_EQ(last_launch().arguments.workspace, workspace);
}

// Calls of one thread remember their plans together. Plans run where they were made, whatever is current.
TEST_F(PublicMemory, OfTwoDevicesInTurnsIsEachOnesOwn) {
  const std::shared_ptr<FakeDevice> devices[] = {device_, std::make_shared<FakeDevice>()};
  std::vector<runtime::ScanPlan<int>> plans;
  for (const auto& device : devices) {
    set_current_device(device);
    plans.push_back(runtime::plan<int>(kHeldItems, {.captured_launches = 0}));
  }
  for (const int turn : {0, 1, 0, 1}) {
    set_current_device(devices[turn]);
    const int compiled = devices[turn]->compiler().compilations;
    scan();
    EXPECT_EQ(devices[turn]->compiler().compilations, compiled) << "its plan has the kernel";
    EXPECT_TRUE(devices[turn]->allocations.contains(devices[turn]->launched.back().arguments.workspace));
    const FakeDevice& other = *devices[1 - turn];
    plans[static_cast<std::size_t>(1 - turn)](static_cast<const int*>(input_), static_cast<int*>(output_));
    EXPECT_TRUE(other.allocations.contains(other.launched.back().arguments.workspace));
  }
  for (const auto& device : devices) {
    EXPECT_EQ(device->launched.size(), 4u);
    for (const FakeLaunch& launch : device->launched) EXPECT_EQ(launch.module, device->launched[0].module);
    EXPECT_EQ(device->allocations.size(), 1u) << "one workspace of the default stream";
  }
  EXPECT_NE(devices[0]->launched[0].module, devices[1]->launched[0].module);
  EXPECT_GT(runtime::trim(), 0u);
  for (const auto& device : devices) EXPECT_TRUE(device->allocations.empty());
}

TEST_F(PublicMemory, OfADestroyedContextIsLeftAlone) {
  scan();
  device_->gone = true;
  device_->synchronizations = 0;
  EXPECT_EQ(runtime::trim(), 0u);
  EXPECT_EQ(device_->synchronizations, 0);
  EXPECT_EQ(device_->allocations.size(), 1u);
  device_->gone = false;
}

}  // namespace
}  // namespace scantune::testing
