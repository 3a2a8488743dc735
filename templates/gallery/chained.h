// chained: one pass over the data, with the carry handed from each CTA to the next ("StreamScan", Yan et al., 2013). It
// reads and writes each item once, as the fastest scans do, but each CTA waits for the one before it, hop by hop.
// Look-back avoids this serial chain of hops.
//
// The tutorial's CTAs take tiles in the order of their indices, although they need not start in that order. Here they
// draw tickets.
#pragma once

#include "core/contract/status_layout.h"
#include "gallery/batch.h"

namespace scantune {

struct ChainedConfig {
  int block_threads = 256;   // threads per CTA
  int items_per_thread = 8;  // neighbouring items each thread scans in registers (batchSize)

  constexpr bool operator==(const ChainedConfig&) const = default;
};

template <>
struct Family<ChainedConfig> {
  static constexpr const char* kName = "chained";
  static constexpr const char* kConfigName = "ChainedConfig";
  static constexpr const char* kHeader = "gallery/chained.h";
  static constexpr const char* const kKernels[] = {"chained"};
  static constexpr Standing kStanding = Standing::gallery;
  static constexpr int kMinTileItems = 512;

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = gallery_reason(request)) return reason;
    if (const char* reason = segmented_reason(request)) return reason;
    if (request.n > kMaxGridBlocks * kMinTileItems) return "more tiles than a grid has CTAs";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 0; }

  static constexpr ChainedConfig default_config(const ScanRequest& request, int) {
    return {.items_per_thread = most_items_per_thread(8, request)};
  }

  static constexpr const char* invalid_reason(const ChainedConfig& config, const ScanRequest& request, int) {
    if (const char* reason = invalid_threads_reason(config.block_threads, kWarpThreads)) return reason;
    const int threads = config.block_threads, items = config.items_per_thread;
    if (items < 1 || items > most_items_per_thread(16, request))
      return "items_per_thread would not fit the registers of a thread";
    if (threads * items < kMinTileItems) return "a tile must hold at least 512 items";
    if (!keeps_workspace_small(threads * items, descriptor_bytes(StatusLayout::packed, request.accumulator_bytes()),
                               request))
      return "a tile must hold 100 times the bytes of its status descriptor";
    return nullptr;
  }

  static constexpr int tile_items(const ChainedConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  static constexpr WorkspaceNeed workspace(const ChainedConfig& config, const ScanRequest& request) {
    const int value_bytes = request.accumulator_bytes();
    return {WorkspaceKind::packed_status, value_bytes,
            sizeof(WorkspaceHeader) + tiles(config, request) * descriptor_bytes(StatusLayout::packed, value_bytes)};
  }

  // The extent is the items of a tile.
  static constexpr LaunchList launches(const ChainedConfig& config, const ScanRequest& request, Variant) {
    const u64 values = kWarpThreads + 1;  // the totals of warps, and the carry
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(tiles(config, request)),
              .block_threads = config.block_threads,
              .shared_bytes =
                  static_cast<int>(16 + round_up(values * static_cast<u64>(request.accumulator_bytes()), u64{16})),
              .n = request.n,
              .extents = {static_cast<u64>(tile_items(config, request))}});
    return list;
  }

  // Each tile as a row of batch. Then one operation a tile for the chain, and one a thread for its carry.
  static constexpr Work work(const ChainedConfig& config, const ScanRequest& request) {
    const u64 tile = static_cast<u64>(tile_items(config, request)), all = tiles(config, request);
    if (all == 0) return {};
    const u64 last = request.n - (all - 1) * tile, batch = static_cast<u64>(config.items_per_thread);
    const auto of_tile = [&](u64 items, bool is_first) {
      // The first thread has nothing before it in the tile and takes the carry; the others combine it with their
      // values.
      const u64 threads = ceil_div(items, batch), first = items < batch ? items : batch;
      return BatchScan::operations(items, config.items_per_thread) + (is_first ? 0 : threads - 1 + first + 1);
    };
    Work work;
    work.operations = of_tile(all > 1 ? tile : last, true);
    if (all > 1) work.operations += (all - 2) * of_tile(tile, false) + of_tile(last, false);
    work.steps = steps(tile, last, all, config.items_per_thread);
    work.bytes = request.n * (static_cast<u64>(request.input_bytes()) + static_cast<u64>(request.output_bytes()));
    return work;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ChainedConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ChainedConfig, block_threads, primary, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ChainedConfig, items_per_thread, primary, 1, 2, 4, 8, 16),
  };
#endif

 private:
  static constexpr u64 tiles(const ChainedConfig& config, const ScanRequest& request) {
    return ceil_div(request.n, static_cast<u64>(tile_items(config, request)));
  }

  // The chain: the total of the first tile, an operation for each tile after it, and two more for an item: its thread's
  // carry, and itself.
  static constexpr u64 steps(u64 tile, u64 last, u64 tiles, int items_per_thread) {
    if (tiles == 1) return BatchScan::steps(last, items_per_thread);
    const u64 batch = static_cast<u64>(items_per_thread);
    const u64 total = batch - 1 + WarpShuffle::steps_of_total(tile / batch);
    const auto with_carry = [&](u64 items, u64 carry) {
      const u64 threads = ceil_div(items, batch);
      return threads > 1 ? larger(carry, batch - 1 + WarpShuffle::steps(threads - 1, 1)) + 2 : carry + 1;
    };
    const u64 before_last = tiles > 2 ? with_carry(tile, total + tiles - 3) : BatchScan::steps(tile, items_per_thread);
    return larger(before_last, with_carry(last, total + tiles - 2));
  }
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

#include "core/parts/tile_status.h"

namespace scantune {

template <class Problem, ChainedConfig kConfig>
SCANTUNE_DEVICE void chained(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Status = TileStatus<T, StatusLayout::packed>;
  struct alignas(16) Shared {
    u32 tile;
    alignas(16) T totals[kWarpThreads];
    T carry;
  };
  Shared& shared = shared_memory<Shared>();

  // Draw a tile.
  u32 epoch = 0;
  if (thread_rank() == 0) {
    epoch = Status::read_epoch(arguments.workspace);
    shared.tile = fetch_add(&static_cast<WorkspaceHeader*>(arguments.workspace)->ticket, 1);
  }
  sync_block();
  const u32 tile = shared.tile;

  // Scan it.
  const Row<Problem> row(arguments, tile);
  BatchedRow<Problem, kConfig.items_per_thread, OneByOne> batches(row, shared.totals);
  batches.scan();

  // Wait for the carry from the tile before, and hand on what the next one waits for.
  const bool has_carry = Problem::kHasInit || tile > 0;
  if (thread_rank() < kWarpThreads) {
    const Status status(arguments.workspace, scantune::shuffle_index(epoch, 0));
    if (thread_rank() == 0) {
      T carry = Problem::init(arguments);
      if (tile > 0) {
        TileDescriptor<T> before = status.poll(tile - 1);
        while (before.flag != TileFlag::prefix) {
          poll_pause<0>();
          before = status.poll(tile - 1);
        }
        carry = before.value;
      }
      status.publish(tile, TileFlag::prefix, has_carry ? Op::combine(carry, batches.total()) : batches.total());
      shared.carry = carry;
    }
    status.finish(tile, block_count(), block_count(), thread_rank());
  }
  sync_block();

  // Combine with the carry and store.
  batches.store(has_carry, shared.carry);
}

}  // namespace scantune

#endif
