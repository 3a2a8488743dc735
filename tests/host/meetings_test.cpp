// Where threads meet: barriers, shuffles and votes.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>

#include "device/host/random.h"
#include "kernel_fixture.h"

namespace scantune::meetings_test {
namespace {

using testing::HasSubstr;

constexpr u64 kSeeds = 300;

class Meetings : public KernelFixture {};

TEST_F(Meetings, TurnsAMissingBarrierIntoWrongResults) {
  const auto kernel = [](const char* barrier) {
    return std::string(R"(
struct Shared { u32 slots[128]; };
SCANTUNE_KERNEL(kernel, 128, 1) {
  Shared& shared = shared_memory<Shared>();
  shared.slots[thread_rank()] = thread_rank();
  )") + barrier +
           R"(
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + thread_rank(), shared.slots[(thread_rank() + 32) % 128]);
})";
  };
  const auto failures = [&](const Module& module) {
    int wrong = 0;
    DeviceArray<u32> out(device_, 128);
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      run(module, {.block_threads = 128, .shared_bytes = 512}, arguments(nullptr, out.data()), seed);
      for (u32 thread = 0; thread < 128; ++thread)
        if (out[thread] != (thread + 32) % 128) {
          ++wrong;
          break;
        }
    }
    return wrong;
  };
  EXPECT_EQ(failures(*compile(kernel("sync_block();"))), 0);
  EXPECT_EQ(failures(*compile(kernel(""))), kSeeds);  // the first warp to run reads what no other has written
}

TEST_F(Meetings, TurnsAMissingWarpBarrierIntoWrongResults) {
  const auto kernel = [](const char* barrier) {
    return std::string(R"(
struct Shared { u32 slots[32]; };
SCANTUNE_KERNEL(kernel, 32, 1) {
  Shared& shared = shared_memory<Shared>();
  shared.slots[thread_rank()] = thread_rank();
  )") + barrier +
           R"(
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + thread_rank(), shared.slots[(thread_rank() + 1) % 32]);
})";
  };
  const auto failures = [&](const Module& module) {
    int wrong = 0;
    DeviceArray<u32> out(device_, 32);
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      run(module, {.block_threads = 32, .shared_bytes = 128}, arguments(nullptr, out.data()), seed);
      bool right = true;
      for (u32 thread = 0; thread < 32; ++thread) right &= out[thread] == (thread + 1) % 32;
      wrong += !right;
    }
    return wrong;
  };
  EXPECT_EQ(failures(*compile(kernel("sync_warp();"))), 0);
  EXPECT_EQ(failures(*compile(kernel(""))), kSeeds);
}

TEST_F(Meetings, ShufflesAndVotesLikeAWarp) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  const u32 lane = thread_rank();
  u64* out = arguments.operand<u64>(OperandRole::output) + lane * 4;
  store_global<CacheHint::normal>(out, static_cast<u64>(shuffle_up(lane + 100, 3)));
  store_global<CacheHint::normal>(out + 1, static_cast<u64>(shuffle_down(lane + 100, 3)));
  store_global<CacheHint::normal>(out + 2, shuffle_index(static_cast<u64>(lane) << 40, 31 - lane));
  store_global<CacheHint::normal>(out + 3, static_cast<u64>(ballot(~0u, lane % 3 == 0)));
})");
  DeviceArray<u64> out(device_, 128);
  for (u64 seed = 0; seed < 50; ++seed) {
    run(*module, {.block_threads = 32}, arguments(nullptr, out.data()), seed);
    for (u32 lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(out[lane * 4], 100 + (lane < 3 ? lane : lane - 3));
      ASSERT_EQ(out[lane * 4 + 1], 100 + (lane > 28 ? lane : lane + 3));
      ASSERT_EQ(out[lane * 4 + 2], static_cast<u64>(31 - lane) << 40);
      ASSERT_EQ(out[lane * 4 + 3], 0x49249249u);
    }
  }
}

// Reductions by sum, min, max, bit_and, bit_or and bit_xor.
template <class T>
std::array<T, 6> combinations(std::span<const T, 32> values) {
  const auto by = [&](const auto& combine, u32 identity) {
    return static_cast<T>(std::accumulate(values.begin(), values.end(), identity, combine));
  };
  return {by(std::plus<u32>(), 0),      *std::ranges::min_element(values), *std::ranges::max_element(values),
          by(std::bit_and<u32>(), ~0u), by(std::bit_or<u32>(), 0),         by(std::bit_xor<u32>(), 0)};
}

TEST_F(Meetings, ReductionsGiveEveryLaneTheCombinationOfAll) {
  const auto module = compile(R"(
template <class T>
void reduce(const T* in, T* out) {
  const u32 lane = thread_rank();
  const T value = load_global<CacheHint::normal>(in + lane);
  store_global<CacheHint::normal>(out + lane, reduce_lanes<Operator::sum>(value));
  store_global<CacheHint::normal>(out + 32 + lane, reduce_lanes<Operator::min>(value));
  store_global<CacheHint::normal>(out + 64 + lane, reduce_lanes<Operator::max>(value));
  store_global<CacheHint::normal>(out + 96 + lane, reduce_lanes<Operator::bit_and>(value));
  store_global<CacheHint::normal>(out + 128 + lane, reduce_lanes<Operator::bit_or>(value));
  store_global<CacheHint::normal>(out + 160 + lane, reduce_lanes<Operator::bit_xor>(value));
}
SCANTUNE_KERNEL(of_i32, 32, 1) { reduce(arguments.operand<const i32>(OperandRole::input), arguments.operand<i32>(OperandRole::output)); }
SCANTUNE_KERNEL(of_u32, 32, 1) { reduce(arguments.operand<const u32>(OperandRole::input), arguments.operand<u32>(OperandRole::output)); }
)",
                              {"of_i32", "of_u32"});
  const auto expect_combinations = [&]<class T>(int kernel, T) {
    DeviceArray<T> in(device_, 32), out(device_, 6 * 32);
    for (u64 seed = 0; seed < 50; ++seed) {
      Random random(seed);
      for (u32 lane = 0; lane < 32; ++lane) {
        const u32 bit = 1u << lane;  // this lane alone has the bit, or lacks it, so a lane that is missing shows
        in[lane] = static_cast<T>(seed % 3 == 0 ? bit : seed % 3 == 1 ? ~bit : static_cast<u32>(random.next()));
      }
      run(*module, {.kernel = kernel, .block_threads = 32}, arguments(in.data(), out.data()), seed);
      const std::array<T, 6> expected = combinations(std::span<const T, 32>(in.data(), 32));
      for (u32 place = 0; place < out.size(); ++place)
        ASSERT_EQ(out[place], expected[place / 32])
            << "operator " << place / 32 << ", lane " << place % 32 << ", kernel " << kernel << ", seed " << seed;
    }
  };
  expect_combinations(0, i32{});
  expect_combinations(1, u32{});
}

TEST_F(Meetings, ShuffleValuesOfAnySize) {
  const auto module = compile(R"(
template <int kBytes>
struct Value {
  unsigned char bytes[kBytes];
};
template <int kBytes>
u32 sum_of_shuffled(u32 lane) {
  Value<kBytes> value;
  for (int byte = 0; byte < kBytes; ++byte) value.bytes[byte] = lane + byte;
  value = shuffle_up(value, 1);
  u32 sum = 0;
  for (int byte = 0; byte < kBytes; ++byte) sum += value.bytes[byte] - byte;
  return sum;
}
SCANTUNE_KERNEL(kernel, 32, 1) {
  const u32 lane = thread_rank();
  u32* out = arguments.operand<u32>(OperandRole::output) + lane * 5;
  store_global<CacheHint::normal>(out, sum_of_shuffled<1>(lane));
  store_global<CacheHint::normal>(out + 1, sum_of_shuffled<3>(lane));
  store_global<CacheHint::normal>(out + 2, sum_of_shuffled<12>(lane));
  store_global<CacheHint::normal>(out + 3, sum_of_shuffled<20>(lane));
  store_global<CacheHint::normal>(out + 4, sum_of_shuffled<32>(lane));
})");
  constexpr u32 kBytes[] = {1, 3, 12, 20, 32};
  DeviceArray<u32> out(device_, 32 * std::size(kBytes));
  for (u64 seed = 0; seed < 20; ++seed) {
    run(*module, {.block_threads = 32}, arguments(nullptr, out.data()), seed);
    for (u32 lane = 0; lane < 32; ++lane)
      for (u32 size = 0; size < std::size(kBytes); ++size)
        ASSERT_EQ(out[lane * std::size(kBytes) + size], kBytes[size] * (lane == 0 ? 0 : lane - 1))
            << "lane " << lane << ", " << kBytes[size] << " bytes";
  }
}

TEST_F(Meetings, AllowsDivergentMeetingsOfDisjointMasks) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  const u32 lane = thread_rank();
  u32 votes;
  if (lane < 10) {
    sync_warp(0x3ff);
    votes = ballot(0x3ff, lane % 2 == 0);
  } else {
    votes = ballot(~0x3ffu, lane % 2 == 1);
    sync_warp(~0x3ffu);
  }
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + lane, votes);
})");
  DeviceArray<u32> out(device_, 32);
  for (u64 seed = 0; seed < 100; ++seed) {
    run(*module, {.block_threads = 32}, arguments(nullptr, out.data()), seed);
    for (u32 lane = 0; lane < 32; ++lane) ASSERT_EQ(out[lane], lane < 10 ? 0x155u : 0xaaaaa800u);
  }
}

TEST_F(Meetings, ReportsOneMaskWithTwoOperations) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  if (thread_rank() < 16) {
    sync_warp();
  } else {
    ballot(~0u, true);
  }
})");
  const std::string text = report(*module, {.block_threads = 32}, {});
  EXPECT_THAT(text, HasSubstr("meets other lanes of its mask at a different operation: 0xffffffff at kernel.cpp:5"));
  EXPECT_THAT(text, HasSubstr("CTA 0, warp 0, lanes 0x0000ffff wait for sync_warp, mask 0xffffffff at kernel.cpp:3"));
}

TEST_F(Meetings, ReportsMisusedMasks) {
  const auto problem = [&](const std::string& body, int block_threads = 32) {
    return report(*compile("SCANTUNE_KERNEL(kernel, 32, 1) { u32 lane = thread_rank(); " + body + " }"),
                  {.block_threads = block_threads}, {});
  };
  EXPECT_THAT(problem("sync_warp(1u << (lane + 1) % 32);"), HasSubstr("names a mask without itself"));
  EXPECT_THAT(problem("if (lane == 0) return; ballot(~0u, true);"), HasSubstr("lanes that have exited"));
  EXPECT_THAT(problem("if (lane == 31) return; ballot(~0u, true);"), HasSubstr("exited while other lanes wait for it"));
  EXPECT_THAT(problem("sync_warp();", 24), HasSubstr("lanes that its warp does not have"));
  EXPECT_EQ(problem("sync_warp();"), "");
}

TEST_F(Meetings, ReportsABarrierThatExitedThreadsCannotReach) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 64, 1) {
  if (thread_rank() == 40) return;
  sync_block();
})");
  for (u64 seed = 0; seed < 20; ++seed) {
    const std::string text = report(*module, {.block_threads = 64}, {}, seed);
    EXPECT_TRUE(text.find("exited while others of its CTA wait at a barrier") != std::string::npos ||
                text.find("waits at a barrier that exited threads of its CTA can never reach") != std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace scantune::meetings_test
