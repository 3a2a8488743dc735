// The skeleton of the ladder of sums (after Harris, "Optimizing Parallel Reduction in CUDA", 2007). Each CTA adds up a
// tile, and the CTAs' sums are added up in a second launch, or by atomic operations in the same one. Items are not
// added in their order, so results must not depend on the order.
//
// Families that differ by a word still have their own files: each is a lesson.
#pragma once

#include "core/contract/cta.h"
#include "core/contract/family.h"
#include "core/contract/work.h"
#include "reduce/config/reduce.h"

namespace scantune {

// How the CTAs' sums are put together.
enum class Finish { second_launch, atomic };

// How the threads of a CTA add up theirs.
enum class Tree { shared, warp };

// How the items of a tile are spread over its T threads. neighbours: each thread takes contiguous items. interleaved:
// thread t takes items t, t + T, t + 2T, and so on.
enum class Spread { neighbours, interleaved };

template <class Config, Finish kFinish, Spread kSpread = Spread::neighbours>
struct SummedFamily {
  static constexpr Standing kStanding = Standing::gallery;

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (const char* reason = segmented_reason(request)) return reason;
    if (needs_fixed_association(request))
      return "the ladder of sums adds in other orders than the items stand in, on which such a result depends";
    if (request.has_position()) return "the ladder of sums finds no positions";
    if (const char* reason = mapped_reason(request)) return reason;
    if (kFinish == Finish::atomic && request.accumulator_bytes() > 4)
      return "the word in which CTAs add up has room for values of 4 bytes, beside their count";
    if (request.n > kMaxGridBlocks * kFewestThreads) return "more tiles than a grid has CTAs";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 0; }

  static constexpr Config default_config(const ReduceRequest&, int) { return {}; }

  static constexpr const char* invalid_reason(const Config& config, const ReduceRequest&, int) {
    if (const char* reason = invalid_threads_reason(config.block_threads, kFewestThreads)) return reason;
    const int items = config.items_per_thread;
    if (items < 1 || items > 64) return "items_per_thread must be between 1 and 64";
    return nullptr;
  }

  static constexpr int tile_items(const Config& config, const ReduceRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // CTAs of the grid; without items one, which stores the initial value.
  static constexpr u64 blocks(const Config& config, const ReduceRequest& request) {
    return request.n == 0 ? 1 : ceil_div(request.n, static_cast<u64>(tile_items(config, request)));
  }

  static constexpr WorkspaceNeed workspace(const Config& config, const ReduceRequest& request) {
    if (kFinish == Finish::atomic) return {WorkspaceKind::counted, 0, sizeof(WorkspaceHeader)};
    return {WorkspaceKind::scratch, 0, blocks(config, request) * static_cast<u64>(request.accumulator_bytes())};
  }

  // The offset of the second launch is how many sums there are.
  static constexpr LaunchList launches(const Config& config, const ReduceRequest& request, Variant) {
    const int values = config.block_threads * request.accumulator_bytes();
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(blocks(config, request)),
              .block_threads = config.block_threads,
              .shared_bytes = values,
              .n = request.n});
    if (kFinish == Finish::second_launch)
      list.add({.kernel = 1,
                .block_threads = config.block_threads,
                .shared_bytes = values,
                .n = request.n,
                .extents = {blocks(config, request)}});
    return list;
  }

  static constexpr Work work(const Config& config, const ReduceRequest& request) {
    if (request.n == 0) return {};
    const u64 tile = static_cast<u64>(tile_items(config, request)), all = blocks(config, request);
    const u64 bytes = static_cast<u64>(request.accumulator_bytes());
    Work work{request.n - 1, steps_of(config, request.n < tile ? request.n : tile),
              request.n * static_cast<u64>(request.input_bytes()) + static_cast<u64>(request.output_bytes())};
    if (kFinish == Finish::atomic) {
      // The atomic additions to the word are serial, in any order.
      work.steps += all - 1;
    } else {
      const u64 threads = static_cast<u64>(config.block_threads);
      work.steps += ceil_div(all, threads) - 1 + ceil_log2(all < threads ? all : threads);
      work.bytes += 2 * all * bytes;
    }
    return work;
  }

 protected:
  static constexpr int kFewestThreads = 64;

 private:
  // The steps of a tile: items are added one after the other in a thread, then by a tree.
  static constexpr u64 steps_of(const Config& config, u64 items) {
    const u64 batch = static_cast<u64>(config.items_per_thread), most = static_cast<u64>(config.block_threads);
    if (kSpread == Spread::interleaved) return ceil_div(items, most) - 1 + ceil_log2(items < most ? items : most);
    return (items < batch ? items : batch) - 1 + ceil_log2(ceil_div(items, batch));
  }
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

#include "core/machine/warp.h"
#include "reduce/parts/gathered_word.h"
#include "reduce/parts/reduce_problem.h"

namespace scantune {

// Adds up the values of the CTA's first `count` threads, a power of two of which it has. Returns the first thread the
// sum. shared: a value for each thread.
template <class Op, int kThreads, Tree kTree, class T>
SCANTUNE_DEVICE T sum_of_block(T value, u32 count, T* shared) {
  // Halve what is left, until one value is, or as many as a warp has lanes.
  constexpr u32 kStop = kTree == Tree::warp ? kWarpThreads : 1;
  shared[thread_rank()] = value;
  sync_block();
  for (u32 distance = kThreads / 2; distance >= kStop; distance /= 2) {
    if (thread_rank() < distance && thread_rank() + distance < count)
      shared[thread_rank()] = Op::combine(shared[thread_rank()], shared[thread_rank() + distance]);
    sync_block();
  }
  T sum = shared[thread_rank()];

  // The last five steps need no barrier: they stay within a warp.
  if constexpr (kTree == Tree::warp) {
    if (thread_rank() < kWarpThreads)
      for (u32 distance = kWarpThreads / 2; distance > 0; distance /= 2) {
        const T later = scantune::shuffle_down(sum, distance);
        if (thread_rank() < distance && thread_rank() + distance < count) sum = Op::combine(sum, later);
      }
  }
  return sum;
}

// The tile of this CTA.
template <class Problem, auto kConfig>
struct SummedTile {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  static constexpr u32 kItems = kConfig.items_per_thread;
  struct alignas(16) Shared {
    T values[kConfig.block_threads];
  };

  // Adds up the tile by Load, which returns each thread the sum of its items. Returns the first thread the sum of all.
  template <Tree kTree, class Load>
  SCANTUNE_DEVICE static T sum(const KernelArguments& arguments, const Load& load) {
    const u64 first = static_cast<u64>(block_rank()) * kConfig.block_threads * kItems, left = arguments.n - first;
    const u32 count = left < kConfig.block_threads * kItems ? static_cast<u32>(left) : kConfig.block_threads * kItems;
    const u32 mine_from = thread_rank() * kItems;
    const u32 mine = mine_from >= count ? 0 : count - mine_from < kItems ? count - mine_from : kItems;
    T value;
    if (mine > 0) value = load(Problem::input(arguments) + first + mine_from, mine);
    return scantune::sum_of_block<Op, kConfig.block_threads, kTree>(value, (count + kItems - 1) / kItems,
                                                                    shared_memory<Shared>().values);
  }

  // The same where thread t of T takes items t, t + T, t + 2T, and so on, so that neighbouring threads load
  // neighbouring items.
  template <Tree kTree>
  SCANTUNE_DEVICE static T sum_interleaved(const KernelArguments& arguments) {
    constexpr u32 kThreads = kConfig.block_threads, kTile = kThreads * kItems;
    const u64 first = static_cast<u64>(block_rank()) * kTile, left = arguments.n - first;
    const typename Problem::Input* const items = Problem::input(arguments) + first + thread_rank();
    const auto item = [&](u32 index) {
      return Problem::accumulator_of(scantune::load_global<CacheHint::normal>(items + index * kThreads), 0);
    };
    T value;
    if (left >= kTile) {
      value = item(0);
#pragma unroll
      for (u32 index = 1; index < kItems; ++index) value = Op::combine(value, item(index));
    } else {
      if (thread_rank() < left) value = item(0);
      for (u32 index = 1; index * kThreads + thread_rank() < left; ++index) value = Op::combine(value, item(index));
    }
    return scantune::sum_of_block<Op, kThreads, kTree>(value, left < kThreads ? static_cast<u32>(left) : kThreads,
                                                       shared_memory<Shared>().values);
  }

  // A thread's items, one after the other.
  SCANTUNE_DEVICE static T one_by_one(const typename Problem::Input* items, u32 mine) {
    T sum = Problem::accumulator_of(scantune::load_global<CacheHint::normal>(items), 0);
#pragma unroll
    for (u32 item = 1; item < kItems; ++item)
      if (item < mine)
        sum = Op::combine(sum, Problem::accumulator_of(scantune::load_global<CacheHint::normal>(items + item), 0));
    return sum;
  }
};

// The first launch of two: leaves the sum of each tile.
template <class Problem, auto kConfig, Tree kTree>
SCANTUNE_DEVICE void leave_sum(const KernelArguments& arguments) {
  using Tile = SummedTile<Problem, kConfig>;
  const auto sum = Tile::template sum<kTree>(arguments, Tile::one_by_one);
  if (thread_rank() == 0)
    scantune::store_global<CacheHint::normal>(static_cast<typename Tile::T*>(arguments.workspace) + block_rank(), sum);
}

// The second one: a CTA adds up all that were left.
template <class Problem, auto kConfig, Tree kTree>
SCANTUNE_DEVICE void add_sums(const KernelArguments& arguments) {
  using Tile = SummedTile<Problem, kConfig>;
  using T = typename Tile::T;
  const T* const sums = static_cast<const T*>(arguments.workspace);
  const u64 count = arguments.extents[0];
  T sum;
  if (thread_rank() < count) sum = scantune::load_global<CacheHint::normal>(sums + thread_rank());
  for (u64 index = thread_rank() + kConfig.block_threads; index < count; index += kConfig.block_threads)
    sum = Tile::Op::combine(sum, scantune::load_global<CacheHint::normal>(sums + index));
  const u32 threads = count < kConfig.block_threads ? static_cast<u32>(count) : kConfig.block_threads;
  sum = scantune::sum_of_block<typename Tile::Op, kConfig.block_threads, kTree>(
      sum, threads, shared_memory<typename Tile::Shared>().values);
  if (thread_rank() == 0) Problem::store(arguments, sum, arguments.n > 0);
}

// In one launch: the CTA that comes last finds the sum of all in the word, and leaves 0 there for the next launch.
template <class Problem>
SCANTUNE_DEVICE void add_to_word(const KernelArguments& arguments, typename Problem::Accumulator sum) {
  using Word = GatheredWord<typename Problem::Op>;
  if (thread_rank() != 0) return;
  if (block_count() == 1) return Problem::store(arguments, sum, arguments.n > 0);
  u64* const word = &static_cast<WorkspaceHeader*>(arguments.workspace)->gathered;
  const u64 gathered = Word::add(word, sum);
  if (Word::count(gathered) != block_count()) return;
  scantune::store_relaxed_wide(word, u64{0});
  Problem::store(arguments, Word::value(gathered));
}

}  // namespace scantune

#endif
