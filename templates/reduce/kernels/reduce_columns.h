#pragma once

#include "core/machine/status.h"
#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_columns.h"
#include "reduce/parts/reduce_problem.h"

namespace scantune {

// The part of some columns that one CTA reduces. Each of its threads takes lines that follow each other, so operators
// of the caller's own see items in order.
template <class Op, ReduceColumnsConfig kConfig>
class ColumnBand {
  using T = typename Op::Value;
  static constexpr u32 kLanes = kConfig.columns_per_block, kSegments = kConfig.block_threads / kLanes;

 public:
  struct alignas(16) Shared {
    T totals[kConfig.block_threads];
  };

  SCANTUNE_DEVICE ColumnBand(u32 group, u64 columns)
      : columns_(columns),
        column_(static_cast<u64>(group) * kLanes + thread_rank() % kLanes),
        segment_(thread_rank() / kLanes) {}

  SCANTUNE_DEVICE u64 column() const { return column_; }
  // Whether the thread has the column's total in the end.
  SCANTUNE_DEVICE bool tells() const { return segment_ == 0 && column_ < columns_; }

  // Reduces the lines [first, end) of the column, of which load(line) and take(line, loaded) give each. Threads that
  // tell get the total, which is undefined where there are no lines.
  template <class Loaded>
  SCANTUNE_DEVICE T reduce(Shared& shared, u64 first, u64 end, const auto& load, const auto& take) const {
    const u64 lines = column_ < columns_ && first < end ? end - first : 0;
    const u64 each = ceil_div(lines, u64{kSegments});
    const u64 begin = segment_ * each < lines ? first + segment_ * each : end;
    const u64 stop = end - begin < each ? end : begin + each;
    T total;
    for (u64 line = begin; lines > 0 && line < stop; line += kConfig.unroll) {
      Loaded held[kConfig.unroll];
#pragma unroll
      for (int step = 0; step < kConfig.unroll; ++step)
        if (line + step < stop) held[step] = load(line + step);
#pragma unroll
      for (int step = 0; step < kConfig.unroll; ++step) {
        if (line + step >= stop) break;
        const T next = take(line + step, held[step]);
        total = line + step == begin ? next : Op::combine(total, next);
      }
    }
    shared.totals[thread_rank()] = total;
    sync_block();
    if (tells())
      for (u32 segment = 1; segment < kSegments && segment * each < lines; ++segment)
        total = Op::combine(total, shared.totals[segment * kLanes + thread_rank()]);
    return total;
  }

 private:
  const u64 columns_, column_;
  const u32 segment_;
};

// The items of a column: the last line may lack those of the last columns.
SCANTUNE_DEVICE u64 lines_of(const KernelArguments& arguments, u64 column) {
  const u64 columns = arguments.extents[0], full = arguments.n / columns;
  return full + (column < arguments.n - full * columns ? 1 : 0);
}

template <class Problem>
SCANTUNE_DEVICE auto* partials_of(const KernelArguments& arguments) {
  return static_cast<typename Problem::Accumulator*>(arguments.workspace);
}

template <class Problem, ReduceColumnsConfig kConfig>
SCANTUNE_DEVICE void reduce_bands(const KernelArguments& arguments) {
  using Input = typename Problem::Input;
  using Band = ColumnBand<typename Problem::Op, kConfig>;
  static_assert(sizeof(typename Band::Shared) <= shared_bytes(kConfig, Problem::kRequest));
  const u64 columns = arguments.extents[0], band_lines = arguments.extents[1];
  const u32 groups = static_cast<u32>(ceil_div(columns, u64{kConfig.columns_per_block}));
  const u32 index = block_rank() / groups, bands = block_count() / groups;
  const Band band(block_rank() % groups, columns);
  begin_kernel<kConfig.pdl>();

  auto from = Problem::input(arguments) + band.column();
  i64 apart = static_cast<i64>(columns);
  if constexpr (Problem::kStrided) {
    const Layout& layout = arguments.layout;
    from = Problem::input(arguments) + layout.input.begin(band.column(), layout.plane_sequences);
    apart = layout.input.item;
  }
  const u64 lines = scantune::lines_of(arguments, band.column()), first = index * band_lines;
  const u64 end = lines - first < band_lines || lines < first ? lines : first + band_lines;
  const auto total = band.template reduce<Input>(
      shared_memory<typename Band::Shared>(), first, end,
      [&](u64 line) { return scantune::load_global<kConfig.load_hint>(from + static_cast<i64>(line) * apart); },
      [](u64 line, const Input& item) { return Problem::accumulator_of(item, line); });
  if (!band.tells()) return;
  if (bands == 1)
    Problem::store(arguments, total, lines > 0, band.column());
  else if (first < lines)
    scantune::store_payload(scantune::partials_of<Problem>(arguments) + (index * columns + band.column()), total);
}

template <class Problem, ReduceColumnsConfig kConfig>
SCANTUNE_DEVICE void fold_bands(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Band = ColumnBand<typename Problem::Op, kConfig>;
  const u64 columns = arguments.extents[0];
  const Band band(block_rank(), columns);
  begin_kernel<kConfig.pdl>();
  const u64 lines = scantune::lines_of(arguments, band.column());
  const T* const from = scantune::partials_of<Problem>(arguments) + band.column();
  const T total = band.template reduce<T>(
      shared_memory<typename Band::Shared>(), 0, ceil_div(lines, arguments.extents[1]),
      [&](u64 index) { return scantune::load_payload(from + index * columns); },
      [](u64, const T& partial) { return partial; });
  if (band.tells()) Problem::store(arguments, total, lines > 0, band.column());
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                       \
  SCANTUNE_KERNEL(reduce_bands, kConfig.block_threads, 1) { ::scantune::reduce_bands<Problem, kConfig>(arguments); } \
  SCANTUNE_KERNEL(fold_bands, kConfig.block_threads, 1) { ::scantune::fold_bands<Problem, kConfig>(arguments); }
