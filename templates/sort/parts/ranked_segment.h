// A short segment, sorted by a group of neighbouring lanes: the place of a key is the number of those that come before
// it.
#pragma once

#include "core/machine/warp.h"
#include "core/parts/offset_segments.h"
#include "core/parts/warp_reduce.h"
#include "sort/parts/sort_problem.h"

namespace scantune {

// Of at most kItems keys for each of kThreads lanes. All lanes of a warp call, each for its group's segment.
template <class Problem, int kThreads, int kItems, CacheHint kLoadHint, CacheHint kStoreHint>
class RankedSegment {
  using Key = typename Problem::Key;
  using Value = typename Problem::Value;
  static constexpr bool kHasPayload = Problem::kRequest.has_payload();

 public:
  SCANTUNE_DEVICE void load(const KernelArguments& arguments, Segment its, u32 first_bit, u32 last_bit) {
    begin_ = its.begin;
    items_ = static_cast<u32>(its.items());
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      if (place(step) >= items_) continue;
      stored_[step] = scantune::load_global<kLoadHint>(Problem::input(arguments) + begin_ + place(step));
      if constexpr (Problem::kRequest.has_values())
        payload_[step] = scantune::load_global<kLoadHint>(Problem::values(arguments) + begin_ + place(step));
      else if constexpr (kHasPayload)
        payload_[step] = static_cast<Value>(place(step));
    }
    const u32 bits = last_bit - first_bit;
    const Key mask = bits < 8 * sizeof(Key) ? (Key{1} << bits) - 1 : ~Key{0};
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      compared_[step] = place(step) < items_ ? Problem::key_of(stored_[step]) >> first_bit & mask : 0;
  }

  SCANTUNE_DEVICE void rank() {
    const u32 longest =
        kThreads == kWarpThreads ? items_ : scantune::warp_reduce<OperatorOf<u32, Operator::max>>(items_, lane());
#pragma unroll
    for (int step = 0; step < kItems; ++step) ranks_[step] = 0;
#pragma unroll
    for (int other_step = 0; other_step < kItems; ++other_step)
#pragma unroll 4
      for (u32 other_lane = 0; other_lane < kThreads; ++other_lane) {
        const u32 other = other_step * kThreads + other_lane;
        if (other >= longest) break;
        const Key key = scantune::shuffle_index(compared_[other_step], lane() / kThreads * kThreads + other_lane);
        if (other >= items_) continue;
#pragma unroll
        for (int step = 0; step < kItems; ++step) {
          const bool is_earlier = other_step < step || (other_step == step && other_lane < lane() % kThreads);
          ranks_[step] += key < compared_[step] || (is_earlier && key == compared_[step]) ? 1 : 0;
        }
      }
  }

  SCANTUNE_DEVICE void store(const KernelArguments& arguments) const {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      if (place(step) >= items_) continue;
      const u64 to = begin_ + ranks_[step];
      if constexpr (Problem::kRequest.writes_keys())
        scantune::store_global<kStoreHint>(Problem::output(arguments) + to, stored_[step]);
      if constexpr (kHasPayload)
        scantune::store_global<kStoreHint>(Problem::payload_output(arguments) + to, payload_[step]);
    }
  }

 private:
  SCANTUNE_DEVICE static u32 lane() { return thread_rank() % kWarpThreads; }
  SCANTUNE_DEVICE static u32 place(int step) { return static_cast<u32>(step) * kThreads + lane() % kThreads; }

  u64 begin_;
  u32 items_;
  typename Problem::Stored stored_[kItems];
  Key compared_[kItems];
  Value payload_[kHasPayload ? kItems : 1];
  u32 ranks_[kItems];
};

}  // namespace scantune
