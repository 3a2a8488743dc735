#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

#include "api_fake_device.h"
#include "launch/allocator.h"
#include "launch/capture_reserve.h"
#include "launch/stream_workspaces.h"
#include "launch/workspace_pool.h"
#include "message_of.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using testing::FakeDevice;

constexpr WorkspaceNeed kPacked4{WorkspaceKind::packed_status, 4, 1000};
constexpr WorkspaceNeed kPacked8{WorkspaceKind::packed_status, 8, 1000};
constexpr WorkspaceNeed kSplit4{WorkspaceKind::split_status, 4, 1000};
constexpr WorkspaceNeed kScratch{WorkspaceKind::scratch, 0, 1000};

constexpr WorkspaceNeed with_bytes(WorkspaceNeed need, u64 bytes) {
  need.bytes = bytes;
  return need;
}

// Of what may hold anything, all words that a run may read before it has written them.
static_assert(bytes_to_zero({}) == 0 && bytes_to_zero(kScratch) == 0);
static_assert(bytes_to_zero(kPacked4) == 1000 && bytes_to_zero(kSplit4) == 1000);
static_assert(bytes_to_zero({WorkspaceKind::counted, 0, 1000}) == sizeof(WorkspaceHeader));

bool is_zero(const void* memory, u64 bytes) {
  const auto* begin = static_cast<const unsigned char*>(memory);
  return std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0; });
}

class Workspaces : public ::testing::Test {
 protected:
  void* lease(u64 stream_id, const WorkspaceNeed& need) { return streams_.lease(stream_id, need).memory; }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  std::shared_ptr<WorkspacePool> pool_ = std::make_shared<WorkspacePool>(device_);
  StreamWorkspaces streams_{pool_};
};

TEST_F(Workspaces, SizeClassesHoldTheNeedAndWasteAtMostAQuarter) {
  for (u64 bytes = 1024; bytes < (u64{1} << 40); bytes = bytes * 9 / 8 + 1) {
    EXPECT_GE(size_class(bytes), bytes);
    EXPECT_LE(size_class(bytes), bytes + bytes / 4) << bytes;
    EXPECT_EQ(size_class(size_class(bytes)), size_class(bytes)) << bytes;
  }
}

TEST_F(Workspaces, OfOneStreamAreTheSameOnEveryCallAndCostTheDriverNothing) {
  void* const first = lease(7, kPacked4);
  EXPECT_TRUE(is_zero(first, kPacked4.bytes));
  const int calls = device_->driver_calls;
  EXPECT_EQ(lease(7, kPacked4), first);
  EXPECT_EQ(lease(7, with_bytes(kPacked4, 200)), first);
  EXPECT_EQ(device_->driver_calls, calls);
}

TEST_F(Workspaces, OfTwoStreamsAreApart) { EXPECT_NE(lease(1, kPacked4), lease(2, kPacked4)); }

TEST_F(Workspaces, OfTwoLayoutsAreApart) {
  const std::set<void*> regions{lease(1, kPacked4), lease(1, kPacked8), lease(1, kSplit4), lease(1, kScratch)};
  EXPECT_EQ(regions.size(), 4u);
}

// Otherwise the payload of one size could stand where another keeps its state.
TEST_F(Workspaces, OfEveryTwoValueSizesAreApart) {
  std::set<void*> memories;
  for (const WorkspaceKind kind : {WorkspaceKind::packed_status, WorkspaceKind::split_status})
    for (int value_bytes = 1; value_bytes <= kMaxValueBytes; ++value_bytes)
      EXPECT_TRUE(memories.insert(lease(1, {kind, value_bytes, 1000})).second) << value_bytes;
}

TEST_F(Workspaces, ThatGrowAreNewAndZeroAndLeaveTheOldOneAlone) {
  auto* const old = static_cast<unsigned char*>(lease(1, kPacked4));
  old[0] = 42;
  void* const grown = lease(1, with_bytes(kPacked4, 1 << 20));
  EXPECT_NE(grown, old);
  EXPECT_TRUE(is_zero(grown, 1 << 20));
  EXPECT_TRUE(device_->allocations.contains(old)) << "a launch may still be using it";
  EXPECT_EQ(old[0], 42);
  EXPECT_NE(lease(2, kPacked4), old) << "nor may another stream";
  EXPECT_EQ(lease(1, kPacked4), grown);
}

TEST_F(Workspaces, OfAReleasedStreamServeTheNextOneWithoutBeingCleared) {
  auto* const memory = static_cast<unsigned char*>(lease(1, kPacked4));
  memory[0] = 42;  // an epoch
  streams_.release(1);
  const int calls = device_->driver_calls;
  EXPECT_EQ(lease(2, kPacked4), memory);
  EXPECT_EQ(memory[0], 42);
  EXPECT_EQ(device_->driver_calls, calls);
  EXPECT_NE(lease(1, kPacked4), memory) << "the first stream has to lease anew";
}

TEST_F(Workspaces, OfAReleasedStreamNeverServeAnotherLayout) {
  void* const memory = lease(1, kPacked4);
  streams_.release(1);
  EXPECT_NE(lease(2, kPacked8), memory);
  EXPECT_NE(lease(2, kSplit4), memory);
}

TEST_F(Workspaces, SurviveThousandsOfStreamsThatComeAndGo) {
  std::map<u64, void*> kept;
  for (u64 id = 1; id <= 5000; ++id) {
    void* const memory = lease(id, kPacked4);
    if (id % 50 == 0) {
      kept[id] = memory;
    } else {
      streams_.release(id);
    }
  }
  for (const auto& [id, memory] : kept) EXPECT_EQ(lease(id, kPacked4), memory);
  EXPECT_LE(device_->allocations.size(), kept.size() + 1);
}

TEST_F(Workspaces, OfStreamsThatComeAndGoKeepTheTableOfStreamsSmall) {
  for (u64 id = 1; id <= 40; ++id) lease(id, kPacked4);
  const std::size_t slots = streams_.slots();
  for (u64 id = 41; id <= 20'000; ++id) {
    lease(id, kPacked4);
    streams_.release(id - 1);
  }
  EXPECT_EQ(streams_.slots(), slots);
  EXPECT_LE(slots, 40u * 8);
}

TEST_F(Workspaces, OfKnownStreamsAreFoundAlthoughEverySlotHasBeenReleasedOnce) {
  void* const kept = lease(1, kPacked4);
  for (u64 id = 2; id <= 2000; ++id) {
    lease(id, kPacked4);
    streams_.release(id);
    ASSERT_EQ(lease(1, kPacked4), kept);
  }
  const int calls = device_->driver_calls;
  EXPECT_NE(lease(5000, kPacked4), kept);
  EXPECT_EQ(device_->driver_calls, calls) << "a released block serves the new stream";
}

TEST_F(Workspaces, ReleasingAnUnknownStreamDoesNothing) { streams_.release(99); }

TEST_F(Workspaces, AreLeasedByManyThreadsAtOnceWithoutMixingStreams) {
  constexpr u64 kThreads = 8, kStreams = 300;
  std::vector<std::vector<void*>> seen(kThreads, std::vector<void*>(kStreams));
  std::vector<std::thread> threads;
  for (u64 thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (u64 round = 0; round < 20; ++round)
        for (u64 id = 0; id < kStreams; ++id) seen[thread][id] = lease((id * 7 + thread) % kStreams, kPacked4);
    });
  for (auto& thread : threads) thread.join();
  std::set<void*> regions;
  for (u64 id = 0; id < kStreams; ++id) regions.insert(lease(id, kPacked4));
  EXPECT_EQ(regions.size(), kStreams);
  for (u64 thread = 0; thread < kThreads; ++thread)
    for (u64 id = 0; id < kStreams; ++id) ASSERT_EQ(seen[thread][id], lease((id * 7 + thread) % kStreams, kPacked4));
}

TEST_F(Workspaces, OfKnownStreamsWaitForNobodyWhoIsAllocating) {
  struct SlowToAllocate : FakeDevice {
    void* allocate(u64 bytes) override {
      allocating.release();
      proceed.acquire();
      return FakeDevice::allocate(bytes);
    }
    std::counting_semaphore<> allocating{0}, proceed{0};
  };
  constexpr u64 kStreams = 200;  // the table of streams has grown on the way
  const auto slow = std::make_shared<SlowToAllocate>();
  StreamWorkspaces streams(std::make_shared<WorkspacePool>(slow));
  slow->proceed.release(kStreams);
  for (u64 id = 0; id < kStreams; ++id) streams.lease(id, kPacked4);
  for (u64 id = 0; id < kStreams; ++id) slow->allocating.acquire();
  std::thread newcomer([&] { streams.lease(kStreams, kPacked4); });
  slow->allocating.acquire();
  auto warm = std::async(std::launch::async, [&] {
    for (u64 id = 0; id < kStreams; ++id) streams.lease(id, kPacked4);
  });
  EXPECT_EQ(warm.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  slow->proceed.release();
  newcomer.join();
}

TEST_F(Workspaces, AreFreedAgainIfTheyCannotBeZeroed) {
  struct CannotZero : FakeDevice {
    void fill(void*, std::byte, u64) override { throw DeviceError("no"); }
  };
  const auto broken = std::make_shared<CannotZero>();
  WorkspacePool pool(broken);
  EXPECT_THROW(pool.acquire(kPacked4), DeviceError);
  EXPECT_TRUE(broken->allocations.empty());
}

// An allocator of a program's, which keeps count. Its memory is the process's.
struct CountedMemory {
  std::map<void*, u64> held;  // bytes by memory
  int allocated = 0, deallocated = 0;
  u64 offset = 0;
  bool is_exhausted = false;

  Allocator allocator() {
    return {[](void* self, std::uint64_t bytes, std::int32_t device) {
              EXPECT_EQ(device, -1);
              return static_cast<CountedMemory*>(self)->allocate(bytes);
            },
            [](void* self, void* memory, std::uint64_t bytes, std::int32_t) {
              static_cast<CountedMemory*>(self)->deallocate(memory, bytes);
            },
            this};
  }

  void* allocate(u64 bytes) {
    if (is_exhausted) return nullptr;
    ++allocated;
    auto* const memory = static_cast<unsigned char*>(std::aligned_alloc(256, round_up(bytes + offset, 256)));
    std::fill_n(memory, bytes + offset, static_cast<unsigned char>(0xff));
    held[memory + offset] = bytes;
    return memory + offset;
  }
  void deallocate(void* memory, u64 bytes) {
    ++deallocated;
    EXPECT_EQ(held.at(memory), bytes);
    held.erase(memory);
    std::free(static_cast<unsigned char*>(memory) - offset);
  }
};

// One allocator for the time of a test.
class AllocatorInPlace {
 public:
  explicit AllocatorInPlace(const Allocator& allocator) { set_allocator(allocator); }
  AllocatorInPlace(const AllocatorInPlace&) = delete;
  AllocatorInPlace& operator=(const AllocatorInPlace&) = delete;
  ~AllocatorInPlace() { set_allocator({}); }
};

TEST_F(Workspaces, ComeFromTheProgramsAllocatorWhereOneIsSet) {
  CountedMemory memory;
  const AllocatorInPlace allocator(memory.allocator());
  void* const leased = lease(1, kPacked4);
  EXPECT_TRUE(memory.held.contains(leased));
  EXPECT_TRUE(is_zero(leased, kPacked4.bytes)) << "an allocator's memory holds anything";
  EXPECT_EQ(lease(1, kPacked4), leased);
  const auto reserve = CaptureReserve::make(pool_, kPacked4, 2, 2);
  EXPECT_EQ(memory.allocated, 3);
  EXPECT_TRUE(device_->allocations.empty());
}

TEST_F(Workspaces, AreLeasedWithoutALockWhileAnAllocatorIsCalled) {
  struct Leasing {
    StreamWorkspaces& streams;
    CountedMemory memory;
  } leasing{streams_, {}};
  lease(1, kPacked4);
  const AllocatorInPlace allocator({[](void* self, std::uint64_t bytes, std::int32_t) {
                                      auto& user = *static_cast<Leasing*>(self);
                                      user.streams.release(1);  // would wait for the lock of whoever allocates
                                      set_allocator({});
                                      return user.memory.allocate(bytes);
                                    },
                                    [](void*, void*, std::uint64_t, std::int32_t) {}, &leasing});
  EXPECT_TRUE(leasing.memory.held.contains(lease(2, kScratch)));
}

TEST_F(Workspaces, AreRefusedByTheNameOfAnAllocatorThatHasNoMemory) {
  CountedMemory memory;
  memory.is_exhausted = true;
  const AllocatorInPlace allocator(memory.allocator());
  EXPECT_EQ(message_of<OutOfMemoryError>([&] { lease(1, kPacked4); }),
            "the program's allocator returned null for a workspace of 1024 bytes on device -1");
  memory.is_exhausted = false;
  EXPECT_NE(lease(1, kPacked4), nullptr);
}

TEST_F(Workspaces, AreTrimmedOnceNobodyOwnsThem) {
  void* const kept = lease(1, kPacked4);
  lease(2, kPacked4);
  lease(3, kScratch);
  EXPECT_EQ(pool_->trim(), 0u) << "streams own all of them";
  streams_.release(2);
  streams_.release(3);
  EXPECT_EQ(pool_->trim(), 2 * size_class(kPacked4.bytes));
  EXPECT_EQ(device_->allocations, std::set<void*>{kept});
  EXPECT_EQ(pool_->trim(), 0u);
}

TEST_F(Workspaces, OfAllStreamsAreReleasedAtOnce) {
  constexpr u64 kStreams = 200;  // more than the first table holds
  for (u64 id = 0; id < kStreams; ++id) lease(id, kPacked4);
  lease(7, with_bytes(kPacked4, 1 << 20));
  streams_.release_all();
  EXPECT_EQ(pool_->trim(), kStreams * size_class(kPacked4.bytes) + size_class(1 << 20));
  EXPECT_TRUE(device_->allocations.empty());
  for (u64 id = 0; id < kStreams; ++id) EXPECT_TRUE(is_zero(lease(id, kPacked4), kPacked4.bytes));
  EXPECT_EQ(device_->allocations.size(), kStreams);
}

TEST_F(Workspaces, GoBackToWhatTheyCameFrom) {
  CountedMemory first, second;
  {
    const AllocatorInPlace allocator(first.allocator());
    lease(1, kPacked4);
  }
  lease(1, with_bytes(kPacked4, 1 << 16));
  {
    const AllocatorInPlace allocator(second.allocator());
    lease(2, kScratch);
  }
  EXPECT_EQ(device_->allocations.size(), 1u);
  streams_.release_all();
  pool_->trim();
  EXPECT_EQ(first.allocated, 1);
  EXPECT_EQ(first.deallocated, 1);
  EXPECT_EQ(second.allocated, 1);
  EXPECT_EQ(second.deallocated, 1);
  EXPECT_TRUE(device_->allocations.empty());
}

TEST_F(Workspaces, OfAnAllocatorGoBackToItWhenMisaligned) {
  CountedMemory memory;
  memory.offset = 128;
  const AllocatorInPlace allocator(memory.allocator());
  EXPECT_THROW(lease(1, kPacked4), RequestError);
  EXPECT_EQ(memory.allocated, 1);
  EXPECT_TRUE(memory.held.empty());
}

TEST_F(Workspaces, OfAnAllocatorGoBackToItIfTheyCannotBeZeroed) {
  struct CannotZero : FakeDevice {
    void fill(void*, std::byte, u64) override { throw DeviceError("no"); }
  };
  CountedMemory memory;
  const AllocatorInPlace allocator(memory.allocator());
  WorkspacePool pool(std::make_shared<CannotZero>());
  EXPECT_THROW(pool.acquire(kPacked4), DeviceError);
  EXPECT_EQ(memory.allocated, 1);
  EXPECT_TRUE(memory.held.empty());
}

class Reserve : public Workspaces {
 protected:
  void* take(const std::shared_ptr<CaptureReserve>& reserve, int graph) {
    const Stream stream = device_->make_stream();
    device_->begin_capture(stream, graph);
    return reserve->take(*device_, device_->stream_state(stream).capturing_graph).memory;
  }
};

TEST_F(Reserve, GivesEachCapturedLaunchAZeroedWorkspaceOfItsOwn) {
  const auto reserve = CaptureReserve::make(pool_, kPacked4, 2, 2);
  const int calls = device_->driver_calls;
  void* const first = take(reserve, 1);
  void* const second = take(reserve, 1);
  EXPECT_NE(first, second);
  EXPECT_TRUE(is_zero(first, kPacked4.bytes));
  EXPECT_TRUE(is_zero(second, kPacked4.bytes));
  EXPECT_EQ(device_->driver_calls, calls) << "a capture must not allocate";
}

TEST_F(Reserve, AllocatesOnDemandNoMoreThanItMay) {
  const auto reserve = CaptureReserve::make(pool_, kPacked4, 2, 0);
  EXPECT_TRUE(device_->allocations.empty());
  void* const first = take(reserve, 1);
  EXPECT_TRUE(is_zero(first, kPacked4.bytes));
  EXPECT_EQ(device_->allocations.size(), 1u);
  device_->destroy_graph(1);
  EXPECT_EQ(take(reserve, 2), first) << "what was given back serves before anything new";
  EXPECT_NE(take(reserve, 2), first);
  EXPECT_THROW(take(reserve, 2), RequestError);
}

TEST_F(Reserve, KeepsItsPlaceWhenMemoryIsShort) {
  const auto reserve = CaptureReserve::make(pool_, kPacked4, 1, 0);
  device_->out_of_memory = true;
  EXPECT_THROW(take(reserve, 1), OutOfMemoryError);
  device_->out_of_memory = false;
  EXPECT_NE(take(reserve, 1), nullptr);
}

TEST_F(Reserve, SaysWhatToDoWhenAllAreTaken) {
  const auto reserve = CaptureReserve::make(pool_, kPacked4, 1, 1);
  take(reserve, 1);
  const std::string message = message_of<RequestError>([&] { take(reserve, 2); });
  EXPECT_NE(message.find("reserved only 1 workspaces"), std::string::npos) << message;
  EXPECT_NE(message.find("raise captured_launches of its options"), std::string::npos) << message;
}

TEST_F(Reserve, ReusesAWorkspaceOnceItsGraphIsDead) {
  const auto reserve = CaptureReserve::make(pool_, kPacked4, 1, 1);
  void* const first = take(reserve, 1);
  device_->destroy_graph(1);
  EXPECT_EQ(take(reserve, 2), first);
  EXPECT_FALSE(device_->driver_called_in_callback) << "a driver's callback must not call the driver";
}

TEST_F(Reserve, OutlivesItsPlanAsLongAsAGraphDoes) {
  auto reserve = CaptureReserve::make(pool_, kPacked4, 1, 1);
  void* const held = take(reserve, 1);
  reserve.reset();
  EXPECT_NE(pool_->acquire(kPacked4).memory, held) << "the graph may still be replayed";
  device_->destroy_graph(1);
  EXPECT_EQ(pool_->acquire(kPacked4).memory, held);
  EXPECT_FALSE(device_->driver_called_in_callback);
}

TEST_F(Reserve, KeepsAWorkspaceThatAGraphRefusedToHold) {
  const auto reserve = CaptureReserve::make(pool_, kPacked4, 1, 1);
  device_->fail_to_retain = true;
  EXPECT_THROW(take(reserve, 1), DeviceError);
  device_->fail_to_retain = false;
  EXPECT_NE(take(reserve, 1), nullptr);
  EXPECT_THROW(take(reserve, 2), RequestError) << "it was given back twice";
}

TEST_F(Reserve, KeepsItsWorkspacesWhenThePoolIsTrimmed) {
  CountedMemory memory;
  const AllocatorInPlace allocator(memory.allocator());
  auto reserve = CaptureReserve::make(pool_, kPacked4, 2, 2);
  void* const held = take(reserve, 1);
  EXPECT_EQ(pool_->trim(), 0u);
  reserve.reset();
  EXPECT_EQ(pool_->trim(), 0u) << "the graph may still be replayed";
  EXPECT_TRUE(memory.held.contains(held));
  device_->destroy_graph(1);
  EXPECT_EQ(memory.held.size(), 2u) << "a driver's callback must not call the program";
  EXPECT_EQ(pool_->trim(), 2 * size_class(kPacked4.bytes));
  EXPECT_TRUE(memory.held.empty());
}

TEST_F(Reserve, OfADeadPlanServesTheNextPlan) {
  CaptureReserve::make(pool_, kPacked4, 3, 3).reset();
  const int calls = device_->driver_calls;
  CaptureReserve::make(pool_, kPacked4, 3, 3);
  EXPECT_EQ(device_->driver_calls, calls);
}

}  // namespace
}  // namespace scantune
