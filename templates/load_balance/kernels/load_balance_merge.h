#pragma once

#include "core/machine/bits.h"
#include "core/machine/memory.h"
#include "core/parts/begin_kernel.h"
#include "core/parts/warp_reduce.h"
#include "core/parts/warp_scan.h"
#include "load_balance/config/load_balance_merge.h"
#include "load_balance/parts/load_balance_problem.h"

namespace scantune {

template <class Problem, LoadBalanceMergeConfig kConfig>
class LoadBalanceTile {
  using Offset = typename Problem::Offset;
  using Output = typename Problem::Output;
  static constexpr LoadBalanceRequest kRequest = Problem::kRequest;
  static constexpr u32 kThreads = kConfig.block_threads;
  static constexpr u32 kWarps = kThreads / kWarpThreads;
  static constexpr u32 kTilePlaces = kConfig.tile_places();
  static constexpr u32 kWords = kConfig.places_per_thread;  // of a warp, each with the marks of as many places as lanes
  static constexpr u32 kWarpPlaces = kWords * kWarpThreads;
  static constexpr u32 kBatch = kWords % 4 == 0 ? 4 : kWords % 2 == 0 ? 2 : 1;  // words whose values are read together
  static constexpr u64 kSamples = kConfig.search_threads * kConfig.search_samples;
  using Sum = OperatorOf<u32, Operator::sum>;
  using Max = OperatorOf<u32, Operator::max>;

 public:
  struct alignas(16) Shared {
    alignas(16) unsigned char marks[round_up(marks_bytes(kConfig, kRequest), kVectorAlignmentBytes)];
    u32 found[2][kWarpThreads];  // by each warp
    u64 segments_before;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, kRequest));

  SCANTUNE_DEVICE LoadBalanceTile(Shared& shared, const KernelArguments& arguments)
      : shared_(shared),
        arguments_(arguments),
        lane_(thread_rank() % kWarpThreads),
        warp_(thread_rank() / kWarpThreads),
        first_(static_cast<u64>(block_rank()) * kTilePlaces) {
    places_ = at_most_a_tile(Problem::segments(arguments) + arguments.n - first_);
  }

  SCANTUNE_DEVICE void clear_marks() const {
    auto* const words = reinterpret_cast<u32*>(shared_.marks);
    for (u32 word = thread_rank(); word < kTilePlaces / sizeof(u32); word += kThreads) words[word] = 0;
  }

  // Finds how many segments are before the tile. Every thread calls.
  SCANTUNE_DEVICE void search() {
    // The places before the tile are n items at most, and segments.
    const u64 n = arguments_.n, segments = Problem::segments(arguments_);
    u64 low = first_ > n ? first_ - n : 0, high = first_ < segments ? first_ : segments;
    if constexpr (kConfig.search_threads == kWarpThreads) {
      if (warp_ == 0) {
        while (low < high) narrow(low, high, count_of_warp(low, high));
        if (lane_ == 0) shared_.segments_before = low;
      }
      sync_block();
      before_ = shared_.segments_before;
    } else {
      u32 buffer = 0;
      while (low < high) {
        if (warp_ < kSearchWarps) {
          const u32 count = count_of_warp(low, high);
          if (lane_ == 0) shared_.found[buffer][warp_] = count;
        }
        sync_block();
        const u32 count = lane_ < kSearchWarps ? shared_.found[buffer][lane_] : 0;
        narrow(low, high, scantune::warp_reduce<Sum>(count, lane_));
        buffer = 1 - buffer;  // a warp may still read this one
      }
      sync_block();
      before_ = low;
    }
  }

  // Marks the places of segments.
  SCANTUNE_DEVICE void mark() const {
    constexpr u32 kInFlight = kConfig.offsets_in_flight;
    const Offset* const offsets = Problem::offsets(arguments_) + before_;
    const u64 left = Problem::segments(arguments_) - before_, shift = first_ - before_;
    const u32 most = at_most_a_tile(left);
    for (u32 first = thread_rank(); first < most; first += kThreads * kInFlight) {
      u64 places[kInFlight];
#pragma unroll
      for (u32 step = 0; step < kInFlight; ++step) {
        const u32 segment = first + step * kThreads;
        places[step] = kTilePlaces;
        if (segment < most)
          places[step] =
              static_cast<u64>(scantune::load_global<kConfig.load_hint>(offsets + segment)) - shift + segment;
      }
#pragma unroll
      for (u32 step = 0; step < kInFlight; ++step)
        if (places[step] < places_) shared_.marks[places[step]] = 1;
      // Places ascend: all later segments are past the tile.
      if (places[kInFlight - 1] >= places_) break;
    }
  }

  // Counts the marks before each word of this warp. Every thread calls.
  SCANTUNE_DEVICE void count() {
#pragma unroll
    for (u32 word = 0; word < kWords; ++word) {
      const u32 marks = ballot(~0u, shared_.marks[warp_ * kWarpPlaces + word * kWarpThreads + lane_] != 0);
      if (lane_ == word) marks_ = marks;
    }
    const u32 own = count_ones(marks_);
    const u32 through = scantune::scan_by_kogge_stone<Sum, kWarpThreads, 2>(own, static_cast<i32>(lane_));
    u32 last = 0;
    if constexpr (kRequest.writes_ranks()) {
      if (marks_ != 0) last = warp_ * kWarpPlaces + lane_ * kWarpThreads + highest_bit(marks_) + 1;
      last = scantune::scan_by_kogge_stone<Max, kWarpThreads, 2>(last, static_cast<i32>(lane_));
    }
    if (lane_ == kWarpThreads - 1) {
      shared_.found[0][warp_] = through;
      if constexpr (kRequest.writes_ranks()) shared_.found[1][warp_] = last;
    }
    sync_block();
    const u32 others = lane_ < warp_ ? shared_.found[0][lane_] : 0;
    marks_before_ = scantune::warp_reduce<Sum>(others, lane_) + through - own;
    if constexpr (kRequest.writes_ranks()) {
      const u32 last_of_others = lane_ < warp_ ? shared_.found[1][lane_] : 0;
      const u32 before_warp = scantune::warp_reduce<Max>(last_of_others, lane_);
      u32 before_word = scantune::shuffle_up(last, 1);
      if (lane_ == 0) before_word = 0;
      last_before_ = before_word > before_warp ? before_word : before_warp;
    }
    // Where offsets do not ascend, there may be places left for items that there are not.
    items_ = at_most_a_tile(arguments_.n - (first_ - before_));
    if constexpr (kConfig.staged != 0) {
      const u32 marks = scantune::warp_reduce<Sum>(lane_ < kWarps ? shared_.found[0][lane_] : 0, lane_);
      if (items_ > places_ - marks) items_ = places_ - marks;
    }
  }

  // Writes what is asked for of the tile's items. Every thread calls.
  SCANTUNE_DEVICE void write() const {
    Output* const output = Problem::output(arguments_) + (first_ - before_);
    if constexpr (kRequest.writes_values()) {
      const Output* const values = Problem::values(arguments_);
      put(output, [&](u32 before, u32, u32) {
        return scantune::load_global<CacheHint::normal>(values + (before_ + before - 1));
      });
    }
    if constexpr (kRequest.writes_segments())
      put(output, [&](u32 before, u32, u32) { return static_cast<Output>(before_ + before - 1); });
    if constexpr (kRequest.writes_ranks()) {
      if constexpr (kRequest.writes_segments() && kConfig.staged != 0) sync_block();
      // How far the tile's first item is from the start of its segment, if that is before the tile.
      u64 rank = 0;
      if (before_ > 0)
        rank = first_ - before_ -
               static_cast<u64>(scantune::load_global<CacheHint::normal>(Problem::offsets(arguments_) + before_ - 1));
      put(kRequest.writes_segments() ? Problem::ranks(arguments_) + (first_ - before_) : output,
          [&](u32 before, u32 place, u32 behind_last) {
            return static_cast<Output>(before == 0 ? rank + place : place - behind_last);
          });
    }
  }

 private:
  static constexpr u32 kSearchWarps = kConfig.search_threads / kWarpThreads;

  static constexpr u64 step_of(u64 low, u64 high) { return (high - low + kSamples - 1) / kSamples; }

  // Counts those of this warp's samples (a step apart, from `low` up) whose segments are before the tile.
  SCANTUNE_DEVICE u32 count_of_warp(u64 low, u64 high) const {
    const u64 step = step_of(low, high);
    const Offset* const offsets = Problem::offsets(arguments_);
    bool is_before[kConfig.search_samples];
#pragma unroll
    for (int sample = 0; sample < kConfig.search_samples; ++sample) {
      const u64 segment = low + (sample * kConfig.search_threads + thread_rank() + 1) * step - 1;
      is_before[sample] =
          segment < high &&
          static_cast<u64>(scantune::load_global<CacheHint::normal>(offsets + segment)) + segment < first_;
    }
    u32 count = 0;
#pragma unroll
    for (int sample = 0; sample < kConfig.search_samples; ++sample) count += count_ones(ballot(~0u, is_before[sample]));
    return count;
  }

  // Between the last sample before the tile and the next one.
  SCANTUNE_DEVICE static void narrow(u64& low, u64& high, u32 count) {
    const u64 step = step_of(low, high);
    low += count * step;
    if (low + step - 1 < high) high = low + step - 1;
  }

  // Writes result(marks before an item, its place, the place after the last mark).
  template <class Result>
  SCANTUNE_DEVICE void put(Output* to, const Result& result) const {
    const u32 least = before_ > 0 ? 0 : 1;  // marks before an item: it is in some segment
    const u32 shift = kConfig.staged != 0 ? reinterpret_cast<u64>(to) % kVectorAlignmentBytes : 0;
    auto* const staged = reinterpret_cast<Output*>(shared_.marks + shift);
#pragma unroll 1
    for (u32 first = 0; first < kWords; first += kBatch) {
      Output results[kBatch];
      u32 items[kBatch];
#pragma unroll
      for (u32 step = 0; step < kBatch; ++step) {
        const u32 word = first + step, place = warp_ * kWarpPlaces + word * kWarpThreads + lane_;
        const u32 marks = scantune::shuffle_index(marks_, word), before_lane = marks & ((1u << lane_) - 1);
        const u32 before = scantune::shuffle_index(marks_before_, word) + count_ones(before_lane);
        u32 behind_last = 0;
        if constexpr (kRequest.writes_ranks()) {
          behind_last = scantune::shuffle_index(last_before_, word);
          if (before_lane != 0) behind_last = place - lane_ + highest_bit(before_lane) + 1;
        }
        const bool is_item = (marks >> lane_ & 1) == 0 && place < places_ && before >= least;
        items[step] = is_item ? place - before : kTilePlaces;
        if (items[step] < items_) results[step] = result(before, place, behind_last);
      }
#pragma unroll
      for (u32 step = 0; step < kBatch; ++step)
        if (items[step] < items_) {
          if constexpr (kConfig.staged != 0)
            staged[items[step]] = results[step];
          else
            scantune::store_global<kConfig.store_hint>(to + items[step], results[step]);
        }
    }
    if constexpr (kConfig.staged != 0) {
      sync_block();
      store_staged(reinterpret_cast<unsigned char*>(to) - shift, shift);
    }
  }

  // Stores the staged results as vectors, except items of other tiles in the first and last one. In shared memory, they
  // are as far past a vector boundary as in the output.
  SCANTUNE_DEVICE void store_staged(unsigned char* boundary, u32 begin) const {
    using Unit = typename OpaqueUnit<alignof(Output)>::Type;
    struct alignas(kVectorAlignmentBytes) Vector {
      Unit units[kVectorAlignmentBytes / sizeof(Unit)];
    };
    const u32 end = begin + items_ * sizeof(Output);
    for (u32 at = thread_rank() * sizeof(Vector); at < end; at += kThreads * sizeof(Vector)) {
      const auto& vector = *reinterpret_cast<const Vector*>(shared_.marks + at);
      if (at >= begin && at + sizeof(Vector) <= end) {
        scantune::store_global<kConfig.store_hint>(reinterpret_cast<Vector*>(boundary + at), vector);
      } else {
#pragma unroll
        for (u32 unit = 0; unit < kVectorAlignmentBytes / sizeof(Unit); ++unit)
          if (const u32 place = at + unit * sizeof(Unit); place >= begin && place < end)
            scantune::store_global<kConfig.store_hint>(reinterpret_cast<Unit*>(boundary + place), vector.units[unit]);
      }
    }
  }

  SCANTUNE_DEVICE static u32 at_most_a_tile(u64 count) {
    return count < kTilePlaces ? static_cast<u32>(count) : kTilePlaces;
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const u32 lane_, warp_;
  const u64 first_;      // place of the merged sequence that the tile begins with
  u32 places_;           // of the tile
  u32 items_;            // most of these that are items
  u64 before_;           // segments before the tile
  u32 marks_ = 0;        // of word `lane`
  u32 marks_before_;     // in the tile, before that word
  u32 last_before_ = 0;  // the place after the last of them
};

template <class Problem, LoadBalanceMergeConfig kConfig>
SCANTUNE_DEVICE void load_balance_merge(const KernelArguments& arguments) {
  using Tile = LoadBalanceTile<Problem, kConfig>;
  Tile tile(shared_memory<typename Tile::Shared>(), arguments);
  tile.clear_marks();
  begin_kernel<kConfig.pdl>();

  // Find the tile's first segment.
  tile.search();

  // Mark the places of its segments.
  tile.mark();
  sync_block();

  // Count the marks before every word of places.
  tile.count();

  // Tell every item its segment.
  tile.write();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                          \
  SCANTUNE_KERNEL(load_balance_merge, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::load_balance_merge<Problem, kConfig>(arguments);                        \
  }
