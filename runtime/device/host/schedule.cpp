#include "device/host/schedule.h"

#include <array>

#include "device/host/random.h"

namespace scantune {
namespace {

template <std::size_t kCount>
u32 pick(Random& random, const std::array<u32, kCount>& values) {
  return values[random.below(kCount)];
}

}  // namespace

Schedule Schedule::from_seed(u64 seed) {
  Schedule schedule;
  if (seed == 0) return schedule;
  Random random(seed);
  schedule.seed = seed;
  schedule.resident_ctas = pick(random, std::array<u32, 6>{1, 2, 3, 4, 8, 8});
  schedule.preempt_every = pick(random, std::array<u32, 6>{0, 0, 7, 40, 200, 1000});
  schedule.buffered_stores = pick(random, std::array<u32, 5>{0, 4, 64, 1024, 65536});
  schedule.drain_every = pick(random, std::array<u32, 5>{0, 0, 2, 20, 200});
  schedule.stale_percent = pick(random, std::array<u32, 4>{0, 10, 50, 90});
  schedule.late_start_percent = pick(random, std::array<u32, 4>{0, 0, 20, 60});
  schedule.stall_percent = pick(random, std::array<u32, 4>{0, 0, 5, 30});
  schedule.warp_order = static_cast<WarpOrder>(pick(random, std::array<u32, 4>{0, 1, 2, 2}));
  schedule.lane_order = static_cast<LaneOrder>(random.below(3));
  schedule.shuffle_ctas = random.chance(50);
  schedule.slow_sync_percent = pick(random, std::array<u32, 4>{0, 0, 20, 80});
  schedule.copy_delay = pick(random, std::array<u32, 5>{0, 2, 20, 200, 2000});
  return schedule;
}

std::string to_string(const Schedule& schedule) {
  constexpr const char* kWarpOrders[] = {"round_robin", "newest_first", "shuffled"};
  constexpr const char* kLaneOrders[] = {"ascending", "descending", "rotated"};
  return "seed " + std::to_string(schedule.seed) + " (" + std::to_string(schedule.resident_ctas) +
         " resident CTAs, preempt_every " + std::to_string(schedule.preempt_every) + ", buffered_stores " +
         std::to_string(schedule.buffered_stores) + ", drain_every " + std::to_string(schedule.drain_every) +
         ", stale_percent " + std::to_string(schedule.stale_percent) + ", late_start_percent " +
         std::to_string(schedule.late_start_percent) + ", slow_sync_percent " +
         std::to_string(schedule.slow_sync_percent) + ", stall_percent " + std::to_string(schedule.stall_percent) +
         ", copy_delay " + std::to_string(schedule.copy_delay) + ", warps " +
         kWarpOrders[static_cast<int>(schedule.warp_order)] + ", lanes " +
         kLaneOrders[static_cast<int>(schedule.lane_order)] + (schedule.shuffle_ctas ? ", CTAs shuffled)" : ")");
}

}  // namespace scantune
