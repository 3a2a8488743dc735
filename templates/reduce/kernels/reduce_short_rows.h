#pragma once

#include "core/machine/shared.h"
#include "core/parts/begin_kernel.h"
#include "core/parts/vector_boundary.h"
#include "core/parts/warp_reduce.h"
#include "reduce/config/reduce_short_rows.h"
#include "reduce/parts/group_reduce.h"
#include "reduce/parts/reduce_problem.h"
#include "reduce/parts/shifted_vector.h"
#include "reduce/parts/thread_total.h"

namespace scantune {

// The contiguous rows of one CTA.
template <class Problem, ReduceShortRowsConfig kConfig>
class ReducedTile {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using InputItems = typename Problem::InputItems;
  static constexpr u32 kThreads = kConfig.block_threads;
  static constexpr u32 kRowThreads = kConfig.threads_per_row, kGroups = kThreads / kRowThreads;
  static constexpr int kVectors = kConfig.vectors_per_thread;
  static constexpr bool kByVectors = fills_vectors(Problem::kRequest);
  static constexpr u32 kVectorItems = kByVectors ? kVectorAlignmentBytes / sizeof(Input) : 1;

  // What a thread reads at once is aligned in shared memory. In global memory it need not be, if the pointer is not.
  static constexpr u32 kReadItems = kConfig.items_per_read;
  static constexpr u64 kReadBytes = kReadItems * sizeof(Input);
  static constexpr bool kMayShift = kByVectors && kReadItems > 1 && Problem::kVariant == Variant::any;
  using Read = Words<Input, kReadItems>;
  struct alignas(kReadItems > 1 ? kReadBytes : alignof(u32)) AlignedRead : Read {};

 public:
  struct alignas(kVectorAlignmentBytes) Shared {
    unsigned char items[shared_bytes(kConfig, Problem::kRequest)];
  };

  SCANTUNE_DEVICE ReducedTile(Shared& shared, const KernelArguments& arguments)
      : shared_(shared), arguments_(arguments), row_items_(static_cast<u32>(arguments.extents[0])) {
    const u32 most = rows_of_tile(kConfig, Problem::kRequest, row_items_);
    first_row_ = u64{block_rank()} * most;
    const u64 rows_left = arguments.extents[1] - first_row_;
    rows_ = rows_left < most ? static_cast<u32>(rows_left) : most;
    first_ = first_row_ * row_items_;
    const u64 left = first_ < arguments.n ? arguments.n - first_ : 0, full = u64{rows_} * row_items_;
    items_ = static_cast<u32>(left < full ? left : full);
  }

  // Returns the address of the tile in shared memory, where it is after the next barrier.
  SCANTUNE_DEVICE const Input* load() const {
    const InputItems from = Problem::input(arguments_) + first_;
    if constexpr (!kByVectors)
      return load_itemwise(from);
    else if (kMayShift && reinterpret_cast<u64>(from) % kReadBytes != 0)
      return load_shifted(from);
    else
      return load_vectors(from);
  }

  // Reduces the rows of the tile, one after another with each group.
  SCANTUNE_DEVICE void reduce(const Input* tile) const {
    if (items_ == rows_ * row_items_)
      reduce_rows<true>(tile);
    else
      reduce_rows<false>(tile);
  }

 private:
  SCANTUNE_DEVICE Input* space() const { return reinterpret_cast<Input*>(shared_.items); }

  // Calls visit(turn, vector) for each of the thread's vectors of so many.
  SCANTUNE_DEVICE static void for_each_vector(u32 vectors, const auto& visit) {
#pragma unroll
    for (int turn = 0; turn < kVectors; ++turn)
      if (const u32 vector = turn * kThreads + thread_rank(); vector < vectors) visit(turn, vector);
  }

  // Loads the items before the first vector boundary and after the last one by themselves. All vectors are on their way
  // before any is waited for.
  SCANTUNE_DEVICE const Input* load_vectors(InputItems from) const {
    const u32 before = scantune::bytes_before_boundary(from) / sizeof(Input), head = before < items_ ? before : items_;
    const u32 vectors = (items_ - head) / kVectorItems, done = head + vectors * kVectorItems;
    Input* const to = space() + (kVectorItems - before) % kVectorItems;
    const auto* const source = scantune::vectors_of<const VectorWords>(from + head);
    VectorWords held[kVectors];
    for_each_vector(
        vectors, [&](int turn, u32 vector) { held[turn] = scantune::load_global<kConfig.load_hint>(source + vector); });
    if (vectors * kVectorItems != items_) {
      if (thread_rank() < head) to[thread_rank()] = scantune::load_global<CacheHint::normal>(from + thread_rank());
      if (const u32 item = done + thread_rank(); item < items_)
        to[item] = scantune::load_global<CacheHint::normal>(from + item);
    }
    for_each_vector(vectors,
                    [&](int turn, u32 vector) { scantune::vectors_of<VectorWords>(to + head)[vector] = held[turn]; });
    return to;
  }

  // Puts the tile on a vector boundary: each vector is cut from the two around it. The rest of those around
  // the first and the last of the input may not be accessible.
  SCANTUNE_DEVICE const Input* load_shifted(InputItems from) const {
    const u32 vectors = items_ / kVectorItems, done = vectors * kVectorItems;
    const u32 shift = static_cast<u32>(reinterpret_cast<u64>(from) % kVectorAlignmentBytes);
    const u32 begin = first_ == 0 ? 1 : 0, end = vectors - (arguments_.n - first_ < items_ + kVectorItems ? 1 : 0);
    const auto is_between = [=](u32 vector) { return vector >= begin && vector < end; };
    VectorHalves held[kVectors];
    for_each_vector(vectors, [&](int turn, u32 vector) {
      const InputItems items = from + vector * kVectorItems;
      held[turn] = is_between(vector) ? scantune::load_halves(items) : VectorHalves{put_together(items), {}};
    });
    if (const u32 item = done + thread_rank(); item < items_)
      space()[item] = scantune::load_global<CacheHint::normal>(from + item);
    for_each_vector(vectors, [&](int turn, u32 vector) {
      scantune::vectors_of<VectorWords>(space())[vector] =
          scantune::shifted(held[turn], is_between(vector) ? shift : 0);
    });
    return space();
  }

  SCANTUNE_DEVICE static VectorWords put_together(InputItems from) {
    Input items[kVectorItems];
#pragma unroll
    for (u32 item = 0; item < kVectorItems; ++item) items[item] = scantune::load_global<CacheHint::normal>(from + item);
    VectorWords vector;
    scantune::copy_bytes(__builtin_addressof(vector), items, sizeof vector);
    return vector;
  }

  // Some items are on their way before any is waited for.
  SCANTUNE_DEVICE const Input* load_itemwise(InputItems from) const {
    constexpr u32 kAtOnce = 4;
#pragma unroll 1
    for (u32 first = thread_rank(); first < items_; first += kAtOnce * kThreads) {
      Input held[kAtOnce];
#pragma unroll
      for (u32 turn = 0; turn < kAtOnce; ++turn)
        if (const u32 item = first + turn * kThreads; item < items_)
          held[turn] = scantune::load_global<kConfig.load_hint>(from + item);
#pragma unroll
      for (u32 turn = 0; turn < kAtOnce; ++turn)
        if (const u32 item = first + turn * kThreads; item < items_) space()[item] = held[turn];
    }
    return space();
  }

  // kFull: all rows of the tile are as long as a row can be; else the last ones are shorter, or empty. Groups without a
  // row reduce the last one, so that all lanes meet in shuffles, and do not store it.
  template <bool kFull>
  SCANTUNE_DEVICE void reduce_rows(const Input* tile) const {
    const u32 group = thread_rank() / kRowThreads, rank = thread_rank() % kRowThreads;
    for (u32 first = 0; first < rows_; first += kGroups) {
      const u32 row = first + group < rows_ ? first + group : rows_ - 1, begin = row * row_items_;
      u32 items = row_items_;
      if (!kFull && begin + items > items_) items = begin < items_ ? items_ - begin : 0;
      T total;
      if constexpr (Problem::kInOrder)
        total = reduce_in_order(tile + begin, items, rank);
      else
        total = reduce_in_turn<kFull>(tile + begin, items, rank);
      if (rank == 0 && first + group < rows_) Problem::store(arguments_, total, items > 0, first_row_ + row);
    }
  }

  // Thread 0 of the group gets the total of a row. All lanes of the warp call this, each for its group's row.
  template <bool kWholeReads>
  SCANTUNE_DEVICE static T reduce_in_turn(const Input* row, u32 items, u32 rank) {
    const u32 reads = items / kReadItems;
    ThreadTotal<Problem, RunsOf<Problem>, kReadItems> of_reads;
#pragma unroll 4
    for (u32 read = rank; read < reads; read += kRowThreads) of_reads.take(read_at(row + read * kReadItems), read);
    T total = of_reads.total(0);
    if constexpr (!kWholeReads && kReadItems > 1)
#pragma unroll 1
      for (u32 item = reads * kReadItems + rank; item < items; item += kRowThreads)
        total = Op::combine(total, Problem::accumulator_of(row[item], item));
    return scantune::warp_reduce<Op, kRowThreads>(total, thread_rank() % kWarpThreads);
  }

  SCANTUNE_DEVICE static Read read_at(const Input* from) {
    if constexpr (kReadItems > 1) {
      return scantune::load_shared(reinterpret_cast<const AlignedRead*>(from));
    } else {
      const Input item[1] = {*from};
      return scantune::words_of(item);
    }
  }

  SCANTUNE_DEVICE static T reduce_in_order(const Input* row, u32 items, u32 rank) {
    const u32 each = ceil_div(items, kRowThreads), begin = rank * each;
    const u32 end = begin + each < items ? begin + each : items;
    T total;
    if (begin < end) {
      total = Problem::accumulator_of(row[begin], begin);
      for (u32 item = begin + 1; item < end; ++item)
        total = Op::combine(total, Problem::accumulator_of(row[item], item));
    }
    return scantune::group_reduce_ascending<Op, kRowThreads>(total, rank, items == 0 ? 0 : ceil_div(items, each));
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const u32 row_items_;
  u64 first_row_;
  u32 rows_;   // of the tile
  u64 first_;  // item of the tile
  u32 items_;  // of the tile
};

template <class Problem, ReduceShortRowsConfig kConfig>
SCANTUNE_DEVICE void reduce_short_rows(const KernelArguments& arguments) {
  using Tile = ReducedTile<Problem, kConfig>;
  const Tile tile(shared_memory<typename Tile::Shared>(), arguments);
  begin_kernel<kConfig.pdl>();
  const auto* const items = tile.load();
  sync_block();
  tile.reduce(items);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                   \
  SCANTUNE_KERNEL(reduce_short_rows, kConfig.block_threads, 1) { \
    ::scantune::reduce_short_rows<Problem, kConfig>(arguments);  \
  }
