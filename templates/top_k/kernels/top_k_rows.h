// The first keys of a row or segment, by one CTA.
#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/offset_segments.h"
#include "top_k/config/top_k_rows.h"
#include "top_k/parts/entry_network.h"
#include "top_k/parts/item_span.h"
#include "top_k/parts/rank_select.h"
#include "top_k/parts/top_k_problem.h"

namespace scantune {

template <class Problem, TopKRowsConfig kConfig>
class TopKRow {
  using Stored = typename Problem::Stored;
  using Key = typename Problem::Key;
  static constexpr u32 kThreads = kConfig.block_threads;
  using Select = EntrySelect<Key, u32, kConfig.block_threads>;
  using Walk = SpanWalk<Stored, kConfig.block_threads, kConfig.vectors_at_once, kConfig.load_hint>;

 public:
  struct alignas(kVectorAlignmentBytes) Shared {
    typename Select::Shared select;
    u32 listed;  // entries, also those that there is no room for
  };
  static_assert(sizeof(Shared) <= rank_shared_bytes(kConfig.block_threads) + kVectorAlignmentBytes);

  // Then come the first key of each group, and the entries. k: the most that are taken.
  SCANTUNE_DEVICE TopKRow(Shared& shared, const ItemSpan<Stored>& span, u32 k)
      : shared_(shared),
        walk_(span, thread_rank()),
        groups_(static_cast<u32>(groups_per_thread(kConfig.block_threads, k))),
        room_(static_cast<u32>(listed_entries(k))),
        firsts_(reinterpret_cast<Key*>(&shared + 1)),
        entries_{firsts_ + groups_ * kThreads, reinterpret_cast<u32*>(firsts_ + groups_ * kThreads + room_)} {
    const u32 steps = ceil_div(walk_.steps(), groups_);
    group_steps_ = steps > 0 ? steps : 1;
  }

  // Puts the first `taken` items in order, from 1 up to k, where a row has so many items.
  SCANTUNE_DEVICE void take(u32 taken, u32 items) {
    if (items <= room_) {
      walk_.template one_by_one<kItemsAtOnce>([&](bool has, u32 index, Stored stored) {
        if (has) entries_.put(index, Problem::key_of(stored), index);
      });
      return put_in_order(taken, items);
    }
    if (thread_rank() == 0) shared_.listed = 0;
    find_firsts();
    list_up_to(bound(taken));
    sync_block();
    u32 listed = shared_.listed;
    if (listed > room_) {
      list_by_digits(taken);
      listed = taken;
    }
    put_in_order(taken, listed);
  }

  SCANTUNE_DEVICE Key key(u32 place) const { return entries_.keys[place]; }
  SCANTUNE_DEVICE u32 index(u32 place) const { return entries_.indices[place]; }

 private:
  static constexpr Key kLast = static_cast<Key>(~Key{0});
  static constexpr u32 kItemsAtOnce = 4;  // few, as it is rarely done

  // A group is several consecutive steps of a thread, and the first one the items beside the vectors, too.
  SCANTUNE_DEVICE void find_firsts() {
    Key first = kLast;
    u32 group = thread_rank(), left = group_steps_;
    const auto see = [&](bool has, u32, Stored stored) {
      const Key key = has ? Problem::key_of(stored) : kLast;
      first = key < first ? key : first;
    };
    const auto end_group = [&] {
      firsts_[group] = first;
      first = kLast;
      group += kThreads;
      left = group_steps_;
    };
    walk_.beside(see);
    walk_.steps(0, walk_.steps(), see, [&] {
      if (--left == 0) end_group();
    });
    while (group < groups_ * kThreads) end_group();
  }

  // Returns a key up to which there are at least so many.
  SCANTUNE_DEVICE Key bound(u32 taken) const {
    const auto visit = [&](const auto& use) {
      for (u32 group = thread_rank(); group < groups_ * kThreads; group += kThreads) use(true, firsts_[group]);
    };
    return RankSelect<Key, kConfig.block_threads>(shared_.select.keys).select(taken, taken + taken / 4, visit).number;
  }

  SCANTUNE_DEVICE void list_up_to(Key bound) {
    const auto see = [&](bool has, u32 index, Stored stored) {
      const Key key = Problem::key_of(stored);
      if (has && key <= bound) list(key, index);
    };
    for (u32 group = 0; group < groups_; ++group) {
      if (firsts_[group * kThreads + thread_rank()] > bound) continue;
      if (group == 0) walk_.beside(see);
      const u32 begin = group * group_steps_, end = begin + group_steps_, steps = walk_.steps();
      walk_.steps(begin, end < steps ? end : steps, see, [] {});
    }
  }

  SCANTUNE_DEVICE void list(Key key, u32 index) {
    const u32 place = scantune::fetch_add_shared(&shared_.listed, 1);
    if (place < room_) entries_.put(place, key, index);
  }

  // Lists as many items as are taken, whatever they are.
  SCANTUNE_DEVICE void list_by_digits(u32 taken) {
    const auto first = Select::select(shared_.select, taken, [&](const auto& use) {
      walk_.template one_by_one<kItemsAtOnce>(
          [&](bool has, u32 index, Stored stored) { use(has, Problem::key_of(stored), index); });
    });
    if (thread_rank() == 0) shared_.listed = 0;
    sync_block();
    walk_.template one_by_one<kItemsAtOnce>([&](bool has, u32 index, Stored stored) {
      const Key key = Problem::key_of(stored);
      if (has && first.has(key, index)) list(key, index);
    });
  }

  SCANTUNE_DEVICE void put_in_order(u32 taken, u32 listed) const {
    scantune::take_first<Problem::kRequest.result_order, kConfig.block_threads>(entries_, taken, listed);
  }

  Shared& shared_;
  const Walk walk_;
  const u32 groups_, room_;
  Key* const firsts_;
  const Entries<Key, u32> entries_;
  u32 group_steps_;
};

// The items of the CTA.
template <class Problem>
SCANTUNE_DEVICE Segment own_items(const KernelArguments& arguments) {
  const u64 rank = block_rank();
  if constexpr (Problem::kRequest.has_offsets()) {
    using Segments = SegmentsOf<Problem>;
    return rank < Segments::count(arguments, arguments.extents[0]) ? Segments::at(arguments, rank) : Segment{};
  } else {
    const u64 row_items = arguments.extents[0], begin = rank * row_items, left = arguments.n - begin;
    return {begin, begin + (left < row_items ? left : row_items)};
  }
}

template <class Problem, TopKRowsConfig kConfig>
SCANTUNE_DEVICE void top_k_rows(const KernelArguments& arguments) {
  using Row = TopKRow<Problem, kConfig>;
  constexpr bool kReadsOffsets = Problem::kRequest.has_offsets(), kReadsK = Problem::kRequest.reads_k();
  if constexpr (kReadsOffsets || kReadsK) begin_kernel<kConfig.pdl>();
  const Segment own = scantune::own_items<Problem>(arguments);
  const u32 items = static_cast<u32>(own.items()), most = static_cast<u32>(arguments.extents[1]);
  const u32 k = Problem::results(arguments, most), taken = items < k ? items : k;
  if (kReadsOffsets && items == 0) return;
  if (kReadsK && taken == 0) return;
  const ItemSpan span(Problem::input(arguments) + own.begin, items);
  Row row(shared_memory<typename Row::Shared>(), span, most);
  if constexpr (!kReadsOffsets && !kReadsK) begin_kernel<kConfig.pdl>();
  row.take(taken, items);
  for (u32 place = thread_rank(); place < taken; place += kConfig.block_threads)
    Problem::store(arguments, static_cast<u64>(block_rank()) * most + place, row.key(place), row.index(place),
                   own.begin);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                  \
  SCANTUNE_KERNEL(top_k_rows, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::top_k_rows<Problem, kConfig>(arguments);                        \
  }
