// Checks the output of a large scan against its input, in plain loops that share only the operator and the conversions
// with the scan's kernels. A check, not a family.
#pragma once

#include "core/parts/checked_chunk.h"
#include "scan/parts/problem.h"

namespace scantune {

template <class T>
SCANTUNE_DEVICE auto number_of(T value) {
  if constexpr (kIsHalf<T>)
    return scantune::value_of(value);
  else
    return value;
}

// Written items as something to read.
template <class Item>
SCANTUNE_DEVICE const Item* readable(Item* items) {
  return items;
}
template <class Item>
SCANTUNE_DEVICE Backwards<const Item> readable(Backwards<Item> items) {
  return {items.item};
}

// The input is what the scan read, the output what it wrote. Where results depend on the order of
// combining, the order here is one of many.
template <class Problem>
struct ScanCheck {
  using Op = typename Problem::Op;
  using Accumulator = typename Problem::Accumulator;
  using Output = typename Problem::Output;

  SCANTUNE_DEVICE static Accumulator item(const KernelArguments& arguments, u64 index) {
    return scantune::convert<Accumulator>(scantune::load_global<CacheHint::normal>(Problem::input(arguments) + index));
  }
  SCANTUNE_DEVICE static Accumulator* totals(const KernelArguments& arguments) {
    return place(arguments, CheckWorkspace::of(arguments.n).totals());
  }
  SCANTUNE_DEVICE static Accumulator* carries(const KernelArguments& arguments) {
    return place(arguments, CheckWorkspace::of(arguments.n).carries());
  }
  SCANTUNE_DEVICE static Accumulator* place(const KernelArguments& arguments, u64 offset) {
    return reinterpret_cast<Accumulator*>(static_cast<unsigned char*>(arguments.workspace) + offset);
  }

  // Each thread folds a chunk.
  SCANTUNE_DEVICE static void fold_chunks(const KernelArguments& arguments) {
    const CheckedChunk chunk = CheckedChunk::of_thread(arguments);
    if (!chunk.exists()) return;
    Accumulator total = item(arguments, chunk.first);
    for (u64 index = chunk.first + 1; index < chunk.end; ++index) total = Op::combine(total, item(arguments, index));
    scantune::store_global<CacheHint::normal>(totals(arguments) + chunk.index, total);
  }

  // One thread folds the chunks' totals. Without an initial value nothing comes before the first chunk.
  SCANTUNE_DEVICE static void fold_totals(const KernelArguments& arguments) {
    if (block_rank() != 0 || thread_rank() != 0) return;
    const auto total = [&](u64 chunk) { return scantune::load_global<CacheHint::normal>(totals(arguments) + chunk); };
    Accumulator carry = total(0);
    if constexpr (Problem::kHasInit) {
      scantune::store_global<CacheHint::normal>(carries(arguments), Problem::init(arguments));
      carry = Op::combine(Problem::init(arguments), carry);
    }
    for (u64 chunk = 1; chunk < CheckWorkspace::of(arguments.n).chunks; ++chunk) {
      scantune::store_global<CacheHint::normal>(carries(arguments) + chunk, carry);
      carry = Op::combine(carry, total(chunk));
    }
  }

  // Each thread walks its chunk again as far as the outputs are right.
  SCANTUNE_DEVICE static void check_chunks(const KernelArguments& arguments) {
    const CheckedChunk chunk = CheckedChunk::of_thread(arguments);
    if (!chunk.exists()) return;
    const bool starts = !Problem::kHasInit && chunk.index == 0;
    Accumulator before =
        starts ? item(arguments, 0) : scantune::load_global<CacheHint::normal>(carries(arguments) + chunk.index);
    u64 index = chunk.first;
    for (; index < chunk.end; ++index) {
      Accumulator with = item(arguments, index);
      if (!starts || index != 0) with = Op::combine(before, with);
      const Output expected = scantune::convert<Output>(Problem::kExclusive ? before : with);
      const auto output = scantune::readable(Problem::output(arguments));
      if (!is_right(scantune::load_global<CacheHint::normal>(output + index), expected)) break;
      before = with;
    }
    chunk.report(arguments, index);
  }

  // The CPU's check accepts the same: a sum may be 0 of either sign, and nothing says which NaN an operator or a
  // conversion makes.
  SCANTUNE_DEVICE static bool is_right(const Output& found, const Output& expected) {
    if (scantune::have_equal_bits(found, expected)) return true;
    if constexpr (is_floating(Problem::kRequest.output_type)) {
      const auto one = scantune::number_of(found), other = scantune::number_of(expected);
      constexpr Operator kOperator = Problem::kRequest.op;
      if constexpr (kOperator == Operator::sum || kOperator == Operator::product) return one == other;
      if constexpr (kOperator == Operator::min || kOperator == Operator::max ||
                    Problem::kRequest.accumulator_type != Problem::kRequest.output_type)
        return one != one && other != other;
    }
    return false;
  }
};

}  // namespace scantune

#define SCANTUNE_INSTANTIATE_CHECK(Problem)                     \
  SCANTUNE_KERNEL(fold_chunks, ::scantune::kCheckThreads, 1) {  \
    ::scantune::ScanCheck<Problem>::fold_chunks(arguments);     \
  }                                                             \
  SCANTUNE_KERNEL(fold_totals, ::scantune::kCheckThreads, 1) {  \
    ::scantune::ScanCheck<Problem>::fold_totals(arguments);     \
  }                                                             \
  SCANTUNE_KERNEL(check_chunks, ::scantune::kCheckThreads, 1) { \
    ::scantune::ScanCheck<Problem>::check_chunks(arguments);    \
  }
