// Where segments by offsets begin, if each begins where the one before it ends: for every run of kItems items, in the
// order of the scan, the number of the first segment that begins there or later. Segments are numbered in that order.
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

  // All threads of a grid whose CTAs have so many call this.
  SCANTUNE_DEVICE void make(u32 block_threads) const {
    const u64 thread = u64{block_rank()} * block_threads + thread_rank(), threads = u64{block_count()} * block_threads;
    clear_status(thread, threads);
    const u64 count = this->count();
    if (thread == 0) scantune::store_global<CacheHint::normal>(range_, range(count));
    if (count == 0) return;
    const u32 lane = thread_rank() % kWarpThreads;
    bool follow = true;
    for (u64 first = thread - lane; first <= count; first += threads) {
      const bool exists = first + lane <= count;
      const Runs runs = exists ? runs_of(first + lane, count, follow) : Runs{1, 0};
      note(runs, static_cast<u32>(first) + lane, lane);
    }
    if (!follow) scantune::store_relaxed_wide(&header_->gathered, u64{1});
  }

  // ---- once it is made ----

  // Whether each segment begins where the one before it ends.
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
  // The runs whose first segment is the same one.
  struct Runs {
    u64 first, last;
  };

  // No word of an earlier scan may count in this one.
  SCANTUNE_DEVICE void clear_status(u64 thread, u64 threads) const {
    u64* const words = reinterpret_cast<u64*>(header_ + 1);
    for (u64* word = words + thread; word < reinterpret_cast<u64*>(range_); word += threads)
      scantune::store_relaxed_wide(word, u64{0});
  }

  SCANTUNE_DEVICE SegmentRange range(u64 count) const {
    if (count == 0) return {0, 0};
    return {place_of(0, count), end_of(count - 1, count)};
  }

  SCANTUNE_DEVICE u64 end_of(u64 number, u64 count) const {
    const Segment its = SegmentsOf<Problem>::at(arguments_, kBackwards ? count - 1 - number : number);
    return kBackwards ? arguments_.n - its.begin : its.end;
  }

  // Those from the one after the segment before begins to the one where a segment begins; after the last segment one
  // more, since readers look at the next one too. follow: becomes false if the segment does not follow the one before.
  SCANTUNE_DEVICE Runs runs_of(u64 number, u64 count, bool& follow) const {
    const u64 first = number == 0 ? 0 : place_of(number - 1, count) / kItems + 1;
    const u64 end = number == 0 ? 0 : end_of(number - 1, count);
    if (number == count) return {first, end / kItems + 1};
    const u64 place = place_of(number, count);
    if (number > 0 && place != end) follow = false;
    return {first, place / kItems};
  }

  // Lanes write few runs by themselves, and many, where a segment is long, together.
  SCANTUNE_DEVICE void note(const Runs& runs, u32 number, u32 lane) const {
    constexpr u64 kFew = 16, kTogether = 4;
    const bool are_few = runs.last < runs.first + kFew;  // or none
    if (are_few)
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
