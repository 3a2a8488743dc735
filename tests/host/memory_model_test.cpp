// The visibility of stores: when a store is seen, and by which threads.
#include <gmock/gmock.h>

#include <algorithm>

#include "kernel_fixture.h"

namespace scantune::memory_model_test {
namespace {

constexpr u64 kSeeds = 300;

class MemoryModel : public KernelFixture {};

// CTA 0 writes a message and raises a flag; CTA 1 waits for the flag and copies the message.
class MessagePassing : public KernelFixture {
 protected:
  int failures(const std::string& send, const std::string& receive) {
    const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 64, 1) {
  u32* flag = static_cast<u32*>(arguments.workspace);
  u32* message = flag + 32;
  u32* out = arguments.operand<u32>(OperandRole::output);
  if (block_rank() == 0) { )" + send +
                                R"( }
  else if (thread_rank() == 0) { )" +
                                receive + R"( }
})");
    DeviceArray<u32> workspace(device_, 96), out(device_, 64);
    int wrong = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      workspace.fill(0);
      out.fill(0);
      run(*module, {.grid_blocks = 2, .block_threads = 64, .dispatch = Dispatch::in_order},
          arguments(nullptr, out.data(), workspace.data()), seed);
      bool right = out[0] == 7;
      if (whole_cta_)
        for (u32 thread = 0; thread < 64; ++thread) right &= out[thread] == thread + 7;
      wrong += !right;
    }
    return wrong;
  }
  bool whole_cta_ = false;

  const std::string kMessage = "if (thread_rank() == 0) store_payload(message, 7u);";
  const std::string kPoll = "while (load_relaxed(flag) == 0) poll_pause<0>();";
  const std::string kPollAcquire = "while (load_acquire(flag) == 0) poll_pause<0>();";
  const std::string kCopy = "store_payload(out, load_payload(message));";
};

TEST_F(MessagePassing, WorksWithReleaseAndAcquire) {
  EXPECT_EQ(failures(kMessage + "if (thread_rank() == 0) store_release(flag, 1u);", kPollAcquire + kCopy), 0);
}

TEST_F(MessagePassing, WorksWithFences) {
  EXPECT_EQ(
      failures(kMessage + "if (thread_rank() == 0) { fence(); store_relaxed(flag, 1u); }", kPoll + "fence();" + kCopy),
      0);
}

TEST_F(MessagePassing, FailsWithoutRelease) {
  EXPECT_GT(failures(kMessage + "if (thread_rank() == 0) store_relaxed(flag, 1u);", kPollAcquire + kCopy), 10);
}

TEST_F(MessagePassing, FailsWithoutAcquire) {
  EXPECT_GT(failures("if (thread_rank() == 0) { store_payload(message, 7u); store_release(flag, 1u); }", kPoll + kCopy),
            10);
}

TEST_F(MessagePassing, FailsWhenTheFlagGoesFirst) {
  EXPECT_GT(failures("if (thread_rank() == 0) store_release(flag, 1u);" + kMessage, kPollAcquire + kCopy), 10);
}

TEST_F(MessagePassing, ReleaseCarriesWhatABarrierShowed) {
  whole_cta_ = true;
  const std::string store = "store_payload(message + thread_rank(), thread_rank() + 7);";
  const std::string publish = "if (thread_rank() == 0) store_release(flag, 1u);";
  const std::string copy = "for (u32 i = 0; i < 64; ++i) store_payload(out + i, load_payload(message + i));";
  EXPECT_EQ(failures(store + "sync_block();" + publish, kPollAcquire + copy), 0);
  EXPECT_GT(failures(store + publish, kPollAcquire + copy), 10);
  EXPECT_GT(failures(store + "sync_warp();" + publish, kPollAcquire + copy), 10);  // the other warp's half may be late
}

TEST_F(MemoryModel, ShowsAThreadItsOwnStores) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 64, 1) {
  u32* slot = arguments.operand<u32>(OperandRole::output) + block_rank() * 64 + thread_rank();
  for (u32 round = 1; round <= 10; ++round) {
    store_global<CacheHint::normal>(slot, round);
    if (load_global<CacheHint::normal>(slot) != round) { store_global<CacheHint::normal>(slot, 1000u); return; }
  }
})");
  DeviceArray<u32> out(device_, 4 * 64);
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    run(*module, {.grid_blocks = 4, .block_threads = 64}, arguments(nullptr, out.data()), seed);
    for (u32 index = 0; index < out.size(); ++index) ASSERT_EQ(out[index], 10u) << "seed " << seed;
  }
}

TEST_F(MemoryModel, KeepsRelaxedStoresToOnePlaceInOrder) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  u32* counter = static_cast<u32*>(arguments.workspace);
  if (thread_rank() != 0) return;
  if (block_rank() == 0) {
    for (u32 value = 1; value <= 20; ++value) store_relaxed(counter, value);
  } else {
    u32 last = 0;
    while (last != 20) {
      const u32 seen = load_relaxed(counter);
      if (seen < last) store_relaxed(arguments.operand<u32>(OperandRole::output), 1u);
      last = seen;
      if (seen != 20) poll_pause<0>();
    }
  }
})");
  DeviceArray<u32> counter(device_, 1), out(device_, 1);
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    counter.fill(0);
    run(*module, {.grid_blocks = 3, .block_threads = 32, .dispatch = Dispatch::in_order},
        arguments(nullptr, out.data(), counter.data()), seed);
    ASSERT_EQ(out[0], 0u) << "seed " << seed;
  }
}

// CTA 0 overwrites what CTA 1 has written: either value may stay unless the flag orders the stores.
TEST_F(MemoryModel, LetsAStoreComeBeforeAnotherThatItsThreadHasNotSeen) {
  const auto lost = [&](const std::string& wait) {
    const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  u32* flag = static_cast<u32*>(arguments.workspace);
  u32* word = flag + 32;
  if (thread_rank() != 0) return;
  if (block_rank() == 1) {
    store_relaxed(word, 1u);
    store_release(flag, 1u);
  } else {
    )" + wait + R"(
    store_relaxed(word, 2u);
  }
})");
    DeviceArray<u32> workspace(device_, 64);
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      workspace.fill(0);
      Schedule schedule = Schedule::from_seed(seed);
      schedule.resident_ctas = 2;
      const HostLaunch launch{module.get(),
                              {.grid_blocks = 2, .block_threads = 32, .dispatch = Dispatch::in_order},
                              arguments(nullptr, nullptr, workspace.data())};
      device_.run({&launch, 1}, schedule);
      count += workspace[32] != 2;
    }
    return count;
  };
  EXPECT_EQ(lost("while (load_acquire(flag) == 0) poll_pause<0>();"), 0);
  EXPECT_GT(lost("while (load_relaxed(flag) == 0) poll_pause<0>();"), 10);
  EXPECT_EQ(lost("while (load_relaxed(word) == 0) poll_pause<0>();"), 0);  // it has read the other's value
}

TEST_F(MemoryModel, AddsAtomically) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 64, 1) {
  const u32 ticket = fetch_add(static_cast<u32*>(arguments.workspace), 1);
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + ticket, 1u);
})");
  for (u64 seed = 1; seed <= 50; ++seed) {
    DeviceArray<u32> counter(device_, 1, 0), out(device_, 640, 0);
    run(*module, {.grid_blocks = 10, .block_threads = 64}, arguments(nullptr, out.data(), counter.data()), seed);
    ASSERT_EQ(counter[0], 640u);
    ASSERT_EQ(std::count(out.data(), out.data() + 640, 1u), 640) << "seed " << seed;
  }
}

}  // namespace
}  // namespace scantune::memory_model_test
