// Finds the first segment that has items of another, of segments whose offsets are right. Each item has a bit in two
// maps in the workspace: at scratch[0] whether it is in a segment, at scratch[1] whether in several.
#pragma once

#include "core/parts/first_wrong.h"
#include "core/parts/offset_segments.h"

namespace scantune {

template <class Problem>
class OverlapCheck {
  static constexpr u32 kWarps = kOffsetCheckThreads / kWarpThreads;
  static constexpr u64 kBits = 64;  // of a word

 public:
  SCANTUNE_DEVICE static void mark_items(const KernelArguments& arguments) {
    visit_segments(arguments, [&](u64, const Segment& its) {
      visit_words(its, [&](u64 word, u64 bits) {
        const u64 again = set(map(arguments, 0) + word, bits) & bits;
        if (again != 0) set(map(arguments, 1) + word, again);
      });
      return true;
    });
  }

  // Raises the workspace's word, which was 0, to how many segments there are from the first of these on.
  SCANTUNE_DEVICE static void find_overlap(const KernelArguments& arguments) {
    visit_segments(arguments, [&](u64 number, const Segment& its) {
      bool overlaps = false;
      visit_words(its, [&](u64 word, u64 bits) {
        overlaps |= (scantune::load_relaxed_wide(map(arguments, 1) + word) & bits) != 0;
      });
      if (ballot(~0u, overlaps) == 0) return true;
      if (lane() == 0) raise_word(static_cast<u64*>(arguments.workspace), arguments.extents[0] - number);
      return false;  // the warp's others come after it
    });
  }

 private:
  SCANTUNE_DEVICE static u32 lane() { return thread_rank() % kWarpThreads; }

  SCANTUNE_DEVICE static u64* map(const KernelArguments& arguments, int which) {
    return reinterpret_cast<u64*>(static_cast<unsigned char*>(arguments.workspace) + arguments.scratch[which]);
  }

  // Calls visit(number, segment) for those of the warp, in order, until it returns false.
  SCANTUNE_DEVICE static void visit_segments(const KernelArguments& arguments, const auto& visit) {
    const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);
    u64 number = u64{block_rank()} * kWarps + thread_rank() / kWarpThreads;
    while (number < count && visit(number, SegmentsOf<Problem>::at(arguments, number)))
      number += u64{block_count()} * kWarps;
  }

  // Calls visit(word, its bits) for this lane's words of a map.
  SCANTUNE_DEVICE static void visit_words(const Segment& its, const auto& visit) {
    if (its.items() == 0) return;
    const u64 last = (its.end - 1) / kBits;
    for (u64 word = its.begin / kBits + lane(); word <= last; word += kWarpThreads) {
      u64 bits = ~u64{0};
      if (word == its.begin / kBits) bits &= ~u64{0} << its.begin % kBits;
      if (word == last) bits &= ~u64{0} >> (kBits - 1 - (its.end - 1) % kBits);
      visit(word, bits);
    }
  }

  // Returns what the word was before.
  SCANTUNE_DEVICE static u64 set(u64* word, u64 bits) {
    for (u64 found = scantune::load_relaxed_wide(word);;) {
      const u64 before = compare_exchange(word, found, found | bits);
      if (before == found) return before;
      found = before;
    }
  }
};

}  // namespace scantune
