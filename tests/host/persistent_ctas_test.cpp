// Persistent launches have as many CTAs as the SMs hold, which start in an order that tiles cannot rely on.
#include <gmock/gmock.h>

#include "kernel_fixture.h"

namespace scantune::persistent_ctas_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr u64 kSeeds = 300;

// A kernel with fewer persistent CTAs than tiles, in which each tile waits for the one before it.
class PersistentCtas : public KernelFixture {
 protected:
  static std::string chain(const std::string& first, const std::string& next) {
    return R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  u32* flags = static_cast<u32*>(arguments.workspace) + 32;
  const auto draw = [&] {
    return shuffle_index(thread_rank() == 0 ? fetch_add(static_cast<u32*>(arguments.workspace), 1) : 0, 0);
  };
  for (u32 tile = )" +
           first + "; tile < arguments.n; tile = " + next + R"() {
    if (thread_rank() == 0) {
      while (tile > 0 && load_acquire(flags + tile - 1) == 0) poll_pause<0>();
      store_release(flags + tile, block_count());
    }
    sync_warp();
  }
})";
  }
  std::string report_chain(const Module& module, u64 seed) {
    DeviceArray<u32> workspace(device_, 128, 0);
    const std::string text =
        report(module, {.grid_blocks = kTiles, .block_threads = 32, .n = kTiles, .persistent_ctas_per_sm = 1},
               arguments(nullptr, nullptr, workspace.data()), seed);
    ctas_ = workspace[32];
    return text;
  }

  static constexpr u32 kTiles = 40;
  u32 ctas_ = 0;
};

TEST_F(PersistentCtas, AreAsManyAsTheSmsHold) {
  const auto module = compile(chain("draw()", "draw()"));
  EXPECT_EQ(report_chain(*module, 0), "");
  EXPECT_EQ(ctas_, static_cast<u32>(device_.identity().sm_count));
}

TEST_F(PersistentCtas, MayStartLateSoThatOnlyTicketsAreSafe) {
  const auto tickets = compile(chain("draw()", "draw()"));
  const auto dealt_out = compile(chain("block_rank()", "tile + block_count()"));
  int deadlocks = 0;
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    ASSERT_EQ(report_chain(*tickets, seed), "");
    const std::string text = report_chain(*dealt_out, seed);
    if (text.empty()) continue;
    ASSERT_THAT(text, AllOf(HasSubstr("deadlock"), HasSubstr("lanes 0x00000001 wait for polled memory to change")));
    ++deadlocks;
  }
  EXPECT_GT(deadlocks, 150);  // schedules under which fewer CTAs run at a time than there are
}

}  // namespace
}  // namespace scantune::persistent_ctas_test
