// Where segments by offsets begin, if these ascend: for every run of kItems items, in the order of the scan, the number
// of the first segment that begins there or later. Segments are numbered in that order.
#pragma once

#include "core/machine/bits.h"
#include "core/machine/status.h"
#include "core/machine/warp.h"
#include "core/parts/offset_segments.h"
#include "scan/config/lookback_segments.h"

namespace scantune {

template <class Problem, u32 kItems>
class SegmentIndex {
  static constexpr bool kBackwards = Problem::kRequest.direction == Direction::reverse;
  struct alignas(kVectorAlignmentBytes) Vector {
    u32 words[4];
  };

 public:
  // Neighbouring segments.
  struct Numbers {
    u32 first, end;
  };

  SCANTUNE_DEVICE explicit SegmentIndex(const KernelArguments& arguments)
      : arguments_(arguments),
        header_(static_cast<WorkspaceHeader*>(arguments.workspace)),
        range_(
            reinterpret_cast<SegmentRange*>(static_cast<unsigned char*>(arguments.workspace) + arguments.scratch[0])),
        numbers_(reinterpret_cast<u32*>(range_ + 1)) {}

  SCANTUNE_DEVICE u64 count() const { return SegmentsOf<Problem>::count(arguments_, arguments_.extents[0]); }

  // The place of a segment's first item, given how many segments there are. Forward that number is not read.
  SCANTUNE_DEVICE u64 place_of(u64 number, u64 count) const {
    const Segment its = SegmentsOf<Problem>::at(arguments_, kBackwards ? count - 1 - number : number);
    return kBackwards ? arguments_.n - its.end : its.begin;
  }

  // ---- while it is made ----

  // All threads of a grid whose CTAs have so many call this. Each reads some neighbouring bounds.
  SCANTUNE_DEVICE void make(u32 block_threads) const {
    const u64 thread = u64{block_rank()} * block_threads + thread_rank(), threads = u64{block_count()} * block_threads;
    clear_status(thread, threads);
    const u64 count = this->count();
    if (thread == 0)
      scantune::store_global<CacheHint::normal>(
          range_, count == 0 ? SegmentRange{0, 0} : SegmentRange{bound(0, count), bound(count, count)});
    if (count == 0) return;
    const u32 lane = thread_rank() % kWarpThreads;
    bool ascend = true;
    for (u64 of_warp = (thread - lane) * kIndexedBounds; of_warp <= count; of_warp += threads * kIndexedBounds) {
      const u64 first = of_warp + lane * kIndexedBounds;
      u64 before = first > 0 && first <= count ? bound(first - 1, count) : 0;
      u64 places[kIndexedBounds];
#pragma unroll
      for (u32 next = 0; next < kIndexedBounds; ++next)
        places[next] = first + next <= count ? bound(first + next, count) : 0;
      u64 run = first > 0 ? before / kItems : ~u64{0};
#pragma unroll
      for (u32 next = 0; next < kIndexedBounds; ++next) {
        const u64 number = first + next, its_run = places[next] / kItems;
        Runs runs{1, 0};
        if (number <= count) {
          ascend = ascend && before <= places[next];
          // Readers look at the run after theirs, too.
          runs = {run + 1, number == count ? its_run + 1 : its_run};
          before = places[next];
          run = its_run;
        }
        note(runs, static_cast<u32>(number), lane);
      }
    }
    if (!ascend) scantune::store_relaxed_wide(&header_->gathered, u64{1});
  }

  // ---- once it is made ----

  // Whether the bounds ascend.
  SCANTUNE_DEVICE bool exists() const { return scantune::load_relaxed_wide(&header_->gathered) == 0; }

  SCANTUNE_DEVICE SegmentRange range() const { return scantune::load_relaxed_wide(range_); }

  // The segments that begin in a run. Of one after the last segment they may be any.
  SCANTUNE_DEVICE Numbers beginning_in(u64 run) const {
    return {load_relaxed(numbers_ + run), load_relaxed(numbers_ + run + 1)};
  }

  // ---- when it is used no more ----

  // Each of so many warps calls this once, of a launch in which all have asked whether it exists. The header is left as
  // the next scan must find it.
  SCANTUNE_DEVICE void leave(bool existed, u32 warps) const {
    if (existed) {
      if (block_rank() != 0 || thread_rank() != 0) return;
    } else {
      if (fetch_add(&header_->finished, 1) != warps - 1) return;
      scantune::store_relaxed_wide(&header_->gathered, u64{0});
      store_relaxed(&header_->finished, 0);
    }
    store_relaxed(&header_->ticket, 0);
  }

 private:
  // Those from the one after a bound's to the next bound's, if there are any.
  struct Runs {
    u64 first, last;
  };

  // No word of an earlier scan may count in this one.
  SCANTUNE_DEVICE void clear_status(u64 thread, u64 threads) const {
    u64* const words = reinterpret_cast<u64*>(header_ + 1);
    for (u64* word = words + thread; word < reinterpret_cast<u64*>(range_); word += threads)
      scantune::store_relaxed_wide(word, u64{0});
  }

  // The place where a segment begins or, of one after the last, where that ends. As the offsets are, it need not be
  // where the segment before ends.
  SCANTUNE_DEVICE u64 bound(u64 number, u64 count) const {
    const u64 offset = kBackwards ? count - number : number;
    const u64 item = offset < count ? SegmentsOf<Problem>::at(arguments_, offset).begin
                                    : SegmentsOf<Problem>::at(arguments_, count - 1).end;
    return kBackwards ? arguments_.n - item : item;
  }

  // Lanes write few runs by themselves, and many, where a segment is long, together.
  SCANTUNE_DEVICE void note(const Runs& runs, u32 number, u32 lane) const {
    constexpr u64 kFew = 16, kTogether = 4;
    const bool are_few = runs.last < runs.first + kFew;  // or none
    if (are_few)
#pragma unroll 1
      for (u64 run = runs.first; run <= runs.last; ++run)
        scantune::store_global<CacheHint::normal>(numbers_ + run, number);
    for (u32 left = ballot(~0u, !are_few); left != 0; left &= left - 1) {
      const u32 source = count_trailing_zeros(left);
      const u64 first = scantune::shuffle_index(runs.first, source), last = scantune::shuffle_index(runs.last, source);
      const u32 its = scantune::shuffle_index(number, source);
      for (u64 run = first / kTogether * kTogether + lane * kTogether; run <= last; run += kWarpThreads * kTogether) {
        if (run >= first && run + kTogether - 1 <= last) {
          scantune::store_global<CacheHint::normal>(reinterpret_cast<Vector*>(numbers_ + run),
                                                    Vector{{its, its, its, its}});
        } else {
          for (u64 one = run < first ? first : run; one <= last && one < run + kTogether; ++one)
            scantune::store_global<CacheHint::normal>(numbers_ + one, its);
        }
      }
    }
  }

  const KernelArguments& arguments_;
  WorkspaceHeader* const header_;
  SegmentRange* const range_;
  u32* const numbers_;
};

}  // namespace scantune
