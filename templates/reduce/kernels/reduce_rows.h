#pragma once

#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_rows.h"
#include "reduce/parts/group_reduce.h"
#include "reduce/parts/share_reduce.h"

namespace scantune {

// The items of a row, of which the last ones may be shorter, or empty.
SCANTUNE_DEVICE u64 items_of_row(const KernelArguments& arguments, u64 row) {
  const u64 row_items = arguments.extents[0], first = row * row_items;
  const u64 left = first < arguments.n ? arguments.n - first : 0;
  return left < row_items ? left : row_items;
}

// From the input's first item to that of the row.
template <class Problem>
SCANTUNE_DEVICE u64 begin_of_row(const KernelArguments& arguments, u64 row) {
  if constexpr (Problem::kStrided)
    return static_cast<u64>(arguments.layout.input.begin(row, arguments.layout.plane_sequences));
  else
    return row * arguments.extents[0];
}

constexpr ShareShape shape_of_shares(const ReduceRowsConfig& config, const ReduceRequest& request) {
  ShareShape shape = share_shape(config);
  shape.deal = deal_of_rows(config, request);
  return shape;
}

// The problem for pointers of any alignment: a row begins anywhere.
template <class Problem>
struct AnyRow : Problem {
  static constexpr Variant kVariant = Variant::any;
};
template <bool kAnywhere, class Problem>
struct SelectRow {
  using Type = AnyRow<Problem>;
};
template <class Problem>
struct SelectRow<false, Problem> {
  using Type = Problem;
};

// A row of the input, of which CTAs take a share each. Where the result depends on how items are put together, and the
// pointer must not decide it, units are counted from the start of the input: those of an aligned one are vectors. The
// first share has the items before the first unit, too.
template <class Problem, ReduceRowsConfig kConfig>
class SharedOutRow {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using InputItems = typename Problem::InputItems;
  static constexpr u32 kUnitItems = unit_items(Problem::kRequest);
  static constexpr bool kHasHead = kUnitItems > 1 && !peels_head(Problem::kRequest) && !Problem::kHasPosition;
  using Share = ShareReduce<typename SelectRow<!kHasHead, Problem>::Type, shape_of_shares(kConfig, Problem::kRequest)>;
  using Partials = scantune::Partials<Op, kConfig.block_threads>;
  static_assert(kUnitItems <= kWarpThreads);

 public:
  using Shared = typename Share::Shared;

  SCANTUNE_DEVICE static u32 shares(const KernelArguments& arguments) {
    return shares_of_row(kConfig, Problem::kRequest, arguments.extents[0]);
  }

  SCANTUNE_DEVICE SharedOutRow(const KernelArguments& arguments, u64 row)
      : arguments_(arguments), row_(row), items_(scantune::items_of_row(arguments, row)) {
    const u64 begin = scantune::begin_of_row<Problem>(arguments, row);
    from_ = Problem::input(arguments) + begin;
    if constexpr (kHasHead) {
      const u32 before = static_cast<u32>(0 - begin) % kUnitItems;
      head_ = before < items_ ? before : static_cast<u32>(items_);
    }
  }

  SCANTUNE_DEVICE bool has_items() const { return items_ > 0; }

  // Thread 0 gets the total of a share, which exists if any item does.
  SCANTUNE_DEVICE Total<T> reduce(u32 index, Shared& shared) const {
    // The items before the first unit arrive while the share does.
    const u32 head = index == 0 ? head_ : 0;
    T first;
    if (thread_rank() < head)
      first = Problem::accumulator_of(scantune::load_global<CacheHint::normal>(from_ + thread_rank()), thread_rank());
    Total<T> total = share(index).reduce(shared);
    if (head > 0 && thread_rank() < kWarpThreads) {
      first = scantune::group_reduce_ascending<Op, kWarpThreads>(first, thread_rank(), head);
      if (thread_rank() == 0) total = {total.exists ? Op::combine(first, total.value) : first, true};
    }
    return total;
  }

  // Thread 0 gets what the shares of the row have left.
  SCANTUNE_DEVICE T fold(Shared& shared) const { return partials().fold(shared, share(0).active_ctas()); }

  // The partial results of the row's shares.
  SCANTUNE_DEVICE Partials partials() const {
    return Partials(static_cast<T*>(arguments_.workspace) + row_ * shares(arguments_));
  }

 private:
  SCANTUNE_DEVICE Share share(u32 index) const {
    return Share(from_ + head_, items_ - head_, index, shares(arguments_));
  }

  const KernelArguments& arguments_;
  const u64 row_, items_;
  InputItems from_;
  u32 head_ = 0;  // items before the first unit
};

// Each group of lanes reduces one row after another.
template <class Problem, ReduceRowsConfig kConfig>
SCANTUNE_DEVICE void reduce_rows_by_groups(const KernelArguments& arguments) {
  using Group = GroupReduce<Problem, kConfig.threads_per_row, kConfig.unroll, kConfig.load_hint>;
  constexpr u32 kGroups = kConfig.rows_at_once();
  const u32 group = thread_rank() / kConfig.threads_per_row, rank = thread_rank() % kConfig.threads_per_row;
  const u64 rows = arguments.extents[1];
  begin_kernel<kConfig.pdl>();
  const auto input = Problem::input(arguments);
  for (u64 first = u64{block_rank()} * kGroups; first < rows; first += u64{block_count()} * kGroups) {
    // Groups past the last row reduce no items, so that all lanes meet in shuffles.
    const u64 row = first + group;
    const u64 begin = row < rows ? scantune::begin_of_row<Problem>(arguments, row) : 0;
    const u32 items = row < rows ? static_cast<u32>(scantune::items_of_row(arguments, row)) : 0;
    const auto total = Group::reduce(Group::run_of(input, begin, items), rank);
    if (rank == 0 && row < rows) Problem::store(arguments, total, items > 0, row);
  }
}

template <class Problem, ReduceRowsConfig kConfig>
SCANTUNE_DEVICE void reduce_rows_by_blocks(const KernelArguments& arguments) {
  using Row = SharedOutRow<Problem, kConfig>;
  auto& shared = shared_memory<typename Row::Shared>();
  begin_kernel<kConfig.pdl>();
  const u32 shares = Row::shares(arguments);
  const u64 all = arguments.extents[1] * shares;
  for (u64 turn = block_rank(); turn < all; turn += block_count()) {
    const Row row(arguments, turn / shares);
    const u32 index = static_cast<u32>(turn % shares);
    const auto total = row.reduce(index, shared);
    if (thread_rank() == 0) {
      if (shares == 1)
        Problem::store(arguments, total.value, total.exists, turn);
      else
        row.partials().leave(index, total.value);
    }
    if (all - turn > block_count()) sync_block();  // no warp reads what the next row writes
  }
}

template <class Problem, ReduceRowsConfig kConfig>
SCANTUNE_DEVICE void reduce_rows(const KernelArguments& arguments) {
  if constexpr (kConfig.has_groups())
    scantune::reduce_rows_by_groups<Problem, kConfig>(arguments);
  else
    scantune::reduce_rows_by_blocks<Problem, kConfig>(arguments);
}

template <class Problem, ReduceRowsConfig kConfig>
SCANTUNE_DEVICE void fold_rows(const KernelArguments& arguments) {
  using Row = SharedOutRow<Problem, kConfig>;
  begin_kernel<kConfig.pdl>();
  const Row row(arguments, block_rank());
  const auto total = row.fold(shared_memory<typename Row::Shared>());
  if (thread_rank() == 0) Problem::store(arguments, total, row.has_items(), block_rank());
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                     \
  SCANTUNE_KERNEL(reduce_rows, kConfig.block_threads, ::scantune::least_ctas_per_sm(kConfig, Problem::kRequest)) { \
    ::scantune::reduce_rows<Problem, kConfig>(arguments);                                                          \
  }                                                                                                                \
  SCANTUNE_KERNEL(fold_rows, kConfig.block_threads, 1) {                                                           \
    if constexpr (kConfig.blocks_per_row > 1) ::scantune::fold_rows<Problem, kConfig>(arguments);                  \
  }
