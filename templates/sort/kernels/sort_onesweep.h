#pragma once

#include "core/parts/begin_kernel.h"
#include "sort/config/sort_onesweep.h"
#include "sort/parts/digit_counts.h"
#include "sort/parts/digit_ranks.h"
#include "sort/parts/digit_starts.h"
#include "sort/parts/digit_status.h"

namespace scantune {

template <SortOnesweepConfig kConfig>
using OnesweepStatus = DigitStatus<kConfig.digits(), kConfig.status_bits>;

template <class Problem, SortOnesweepConfig kConfig>
SCANTUNE_DEVICE OnesweepLayout layout_of(const KernelArguments& arguments, const SortLaunch& launch) {
  return onesweep_layout(kConfig, Problem::kRequest, arguments.n, arguments.extents[0],
                         launch.passes(kConfig.digit_bits), launch.count_ctas);
}

// Phase 1: how often each digit occurs in each share of a row. It also prepares the workspace.
template <class Problem, SortOnesweepConfig kConfig>
SCANTUNE_DEVICE void count_digits(const KernelArguments& arguments) {
  using Counts = DigitCounts<Problem, kConfig.digit_bits, kConfig.count_columns, kConfig.count_hint>;
  const SortLaunch launch = SortLaunch::unpacked(arguments.extents[1]);
  const OnesweepLayout layout = scantune::layout_of<Problem, kConfig>(arguments, launch);
  const Counts counts(shared_memory<typename Counts::Shared>(), launch);
  auto* const workspace = static_cast<unsigned char*>(arguments.workspace);
  counts.clear();
  sync_block();
  begin_kernel<kConfig.pdl>();

  // Give the passes all addresses, and clear the state of the last sort.
  if (block_rank() == 0 && thread_rank() == 0) {
    OnesweepHead head{layout.counts.constants, layout.counts.totals, layout.status,    layout.keys,
                      layout.other_keys,       layout.payload,       layout.row_tiles, {}};
    scantune::store_global<CacheHint::normal>(reinterpret_cast<OnesweepHead*>(workspace), head);
  }
  OnesweepStatus<kConfig>::clear(workspace + layout.status, layout.tiles);

  // Count a share of a row.
  counts.count_share(arguments);
  sync_block();
  counts.store(arguments, layout.counts);
}

// Phase 2: how often each digit occurs in a row.
template <class Problem, SortOnesweepConfig kConfig>
SCANTUNE_DEVICE void add_digit_counts(const KernelArguments& arguments) {
  const SortLaunch launch = SortLaunch::unpacked(arguments.extents[1]);
  const OnesweepLayout layout = scantune::layout_of<Problem, kConfig>(arguments, launch);
  begin_kernel<kConfig.pdl>();
  scantune::add_up_digits<kConfig.digit_bits>(arguments, layout.counts, launch.passes(kConfig.digit_bits),
                                              launch.count_ctas);
}

// A tile in one pass.
template <class Problem, SortOnesweepConfig kConfig>
class OnesweepTile {
  using Stored = typename Problem::Stored;
  using Key = typename Problem::Key;
  using Value = typename Problem::Value;
  using Ranks = DigitRanks<kConfig.block_threads, kConfig.items_per_thread, kConfig.digit_bits, kConfig.matching>;
  using Status = OnesweepStatus<kConfig>;
  using Count = typename Status::Count;
  static constexpr SortRequest kRequest = Problem::kRequest;
  static constexpr int kItems = kConfig.items_per_thread;
  static constexpr u32 kThreads = kConfig.block_threads;
  static constexpr u32 kDigits = kConfig.digits();
  static constexpr u32 kTile = kConfig.tile_items();
  static_assert(Ranks::kDigitsPerThread == 1);

 public:
  static constexpr bool kHasPayload = kRequest.has_payload();

  struct alignas(kVectorAlignmentBytes) Shared {
    alignas(kVectorAlignmentBytes) unsigned char exchange[exchange_bytes(kConfig, kRequest)];
    Count starts[kDigits];  // where in the row a digit's keys would begin if the first of them had place 0
    u64 totals[kWarpThreads];
    u32 index;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, kRequest));

  SCANTUNE_DEVICE OnesweepTile(Shared& shared, const KernelArguments& arguments)
      : shared_(shared),
        ranks_(reinterpret_cast<typename Ranks::Shared&>(shared.exchange)),
        arguments_(arguments),
        launch_(SortLaunch::unpacked(arguments.extents[1])),
        digit_(launch_.first_bit + launch_.pass * kConfig.digit_bits, launch_.last_bit, kConfig.digit_bits),
        head_(static_cast<const OnesweepHead*>(arguments.workspace)) {}

  // Takes a tile of a row, and finds out what the passes before have done with the row.
  SCANTUNE_DEVICE void take() {
    u32 index = block_rank();
    if constexpr (kRequest.compares_keys() && kConfig.tile_order == TileOrder::ticket) {
      if (thread_rank() == 0)
        shared_.index = fetch_add(&static_cast<OnesweepHead*>(arguments_.workspace)->tickets[launch_.pass], 1);
      sync_block();
      index = shared_.index;
    }
    index_ = index;
    u64 row = 0;
    row_tile_ = index;
    if constexpr (kRequest.segments == Segments::rows) {
      const u64 row_tiles = kRequest.compares_keys() ? scantune::load_global<CacheHint::normal>(&head_->row_tiles)
                                                     : ceil_div(arguments_.extents[0], u64{kTile});
      row = index / row_tiles;
      row_tile_ = static_cast<u32>(index % row_tiles);
    }
    const u64 row_items = arguments_.extents[0], left = arguments_.n - row * row_items;
    row_first_ = row * row_items;
    first_ = row_first_ + static_cast<u64>(row_tile_) * kTile;
    const u64 row_end = row_first_ + (left < row_items ? left : row_items);
    count_ = static_cast<u32>(row_end - first_ < kTile ? row_end - first_ : kTile);
    if constexpr (!kRequest.compares_keys()) return;

    const u32 passes = launch_.passes(kConfig.digit_bits);
    totals_ = at<u64>(&head_->totals) + (row * passes + launch_.pass) * kDigits;
    const u32* const constants = at<u32>(&head_->constants) + row * passes;
    for (u32 pass = 0; pass < passes; ++pass) {
      const bool moves = scantune::load_global<CacheHint::normal>(constants + pass) == 0;
      moves_ += moves ? 1 : 0;
      if (pass < launch_.pass) moves_before_ += moves ? 1 : 0;
      if (pass == launch_.pass) moves_now_ = moves;
    }
    is_last_launch_ = launch_.pass == passes - (scantune::copies_back(kRequest) ? 0 : 1);
  }

  // Where all keys of the row have the same digit there is nothing to do; where no digit differs, or keys were moved
  // back to the input, the last launch copies.
  SCANTUNE_DEVICE bool moves() const { return moves_now_; }
  SCANTUNE_DEVICE bool copies() const {
    if constexpr (!kRequest.compares_keys()) return true;
    return (scantune::copies_back(kRequest) ? moves_ % 2 == 0 : moves_ == 0) && is_last_launch_;
  }

  SCANTUNE_DEVICE void copy() const {
    constexpr u32 kAtOnce = 4;
    // Indices go where they belong with the last move, whatever the number of moves.
    const bool has_payload = kHasPayload && (kRequest.has_values() || !scantune::copies_back(kRequest) || moves_ == 0);
#pragma unroll 1
    for (u32 place = thread_rank(); place < count_; place += kAtOnce * kThreads) {
      Stored keys[kAtOnce];
      Value payload[kHasPayload ? kAtOnce : 1];
#pragma unroll
      for (u32 step = 0; step < kAtOnce; ++step)
        if (const u32 own = place + step * kThreads; own < count_) {
          if constexpr (kRequest.writes_keys())
            keys[step] = scantune::load_global<kConfig.load_hint>(Problem::input(arguments_) + first_ + own);
          if constexpr (kHasPayload)
            if (has_payload) payload[step] = first_payload(own);
        }
#pragma unroll
      for (u32 step = 0; step < kAtOnce; ++step)
        if (const u32 own = place + step * kThreads; own < count_) {
          if constexpr (kRequest.writes_keys())
            scantune::store_global<kConfig.store_hint>(Problem::output(arguments_) + first_ + own, keys[step]);
          if constexpr (kHasPayload)
            if (has_payload)
              scantune::store_global<kConfig.store_hint>(Problem::payload_output(arguments_) + first_ + own,
                                                         payload[step]);
        }
    }
  }

  // In full tiles there is no place without a key to ask for. Between the first move and the last one keys are stored
  // as the numbers that are compared.
  template <bool kFull>
  SCANTUNE_DEVICE void load() {
    const Stored* const source = keys_source() + first_ + ranks_.place(0);
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      if (kFull || ranks_.place(step) < count_)
        keys_[step] = scantune::load_global<kConfig.load_hint>(source + step * kWarpThreads);
    if (moves_before_ > 0) return;
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      if (kFull || ranks_.place(step) < count_) keys_[step] = Problem::key_of(static_cast<Stored>(keys_[step]));
  }

  // Ranks the keys, and publishes the counts of each digit for later tiles. Places without a key count as the last
  // digit, after all keys: there are no later tiles.
  template <bool kFull>
  SCANTUNE_DEVICE void rank() {
    u32 digits[kItems];
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      digits[step] = kFull || ranks_.place(step) < count_ ? digit_.of(keys_[step]) : kDigits - 1;
    ranks_.count(digits, places_);
    if constexpr (kHasPayload && kConfig.early_payload != 0) load_payload<kFull>();
    ranks_.add_up(mine_);
    if (row_tile_ > 0 && looks_back())
      status().publish_count(index_, thread_rank(), moves_before_, static_cast<Count>(mine_[0].count));
    ranks_.place_in_tile(mine_, digits, places_);
  }

  // Puts the keys and their payload in order in shared memory. At the same time finds the places of their digits in the
  // row.
  template <bool kFull>
  SCANTUNE_DEVICE void exchange() {
    sync_block();  // all have read their ranks
#pragma unroll
    for (int step = 0; step < kItems; ++step) exchanged_keys()[places_[step]] = keys_[step];
    if constexpr (kHasPayload) {
      if constexpr (kConfig.early_payload == 0) load_payload<kFull>();
#pragma unroll
      for (int step = 0; step < kItems; ++step)
        if (kFull || ranks_.place(step) < count_) exchanged_payload()[places_[step]] = payload_[step];
    }
    if (row_tile_ == 0)
      start_row();
    else if (looks_back())
      look_back();
    sync_block();
  }

  template <bool kFull>
  SCANTUNE_DEVICE void store() {
    const bool is_last = moves_before_ + 1 == moves_, stores_keys = kRequest.writes_keys() || !is_last;
    Stored* const keys_output = keys_destination() + row_first_;
    Value* const payload_output = kHasPayload ? payload_at(moves_before_) + row_first_ : nullptr;
    in_batches([&](int first) {
      Key keys[kBatch];
      Count places[kBatch];
      Value payload[kHasPayload ? kBatch : 1];
#pragma unroll
      for (int step = 0; step < kBatch; ++step)
        if (const u32 place = place_in_order(first + step); kFull || place < count_) {
          keys[step] = exchanged_keys()[place];
          places[step] = shared_.starts[digit_.of(keys[step])] + place;
          if constexpr (kHasPayload) payload[step] = exchanged_payload()[place];
        }
#pragma unroll
      for (int step = 0; step < kBatch; ++step) {
        if (!kFull && place_in_order(first + step) >= count_) continue;
        if (stores_keys)
          scantune::store_global<kConfig.store_hint>(
              keys_output + places[step], is_last ? Problem::stored_of(keys[step]) : static_cast<Stored>(keys[step]));
        if constexpr (kHasPayload)
          scantune::store_global<kConfig.store_hint>(payload_output + places[step], payload[step]);
      }
    });
  }

  SCANTUNE_DEVICE bool is_full() const { return count_ == kTile; }

 private:
  template <class T>
  SCANTUNE_DEVICE T* at(const u64* offset) const {
    return reinterpret_cast<T*>(static_cast<unsigned char*>(arguments_.workspace) +
                                scantune::load_global<CacheHint::normal>(offset));
  }
  SCANTUNE_DEVICE bool looks_back() const { return thread_rank() < kDigits; }
  SCANTUNE_DEVICE Key* exchanged_keys() const { return reinterpret_cast<Key*>(shared_.exchange); }
  SCANTUNE_DEVICE Value* exchanged_payload() const {
    return reinterpret_cast<Value*>(shared_.exchange + payload_offset(kConfig, kRequest));
  }
  SCANTUNE_DEVICE Status status() const { return Status(at<Count>(&head_->status)); }

  // Before the first move, the payload of a key is its place or a value of the input.
  template <bool kFull>
  SCANTUNE_DEVICE void load_payload() {
    if constexpr (!kRequest.has_values() || kIsMapped<typename Problem::Values>)
      if (moves_before_ == 0) {
#pragma unroll
        for (int step = 0; step < kItems; ++step)
          if (!kRequest.has_values() || kFull || ranks_.place(step) < count_)
            payload_[step] = first_payload(ranks_.place(step));
        return;
      }
    const Value* const source = payload_source() + first_ + ranks_.place(0);
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      if (kFull || ranks_.place(step) < count_)
        payload_[step] = scantune::load_global<kConfig.load_hint>(source + step * kWarpThreads);
  }

  SCANTUNE_DEVICE Value first_payload(u32 place) const {
    if constexpr (kRequest.has_values())
      return scantune::load_global<kConfig.load_hint>(Problem::values(arguments_) + first_ + place);
    else
      return static_cast<Value>(first_ - row_first_ + place);
  }
  SCANTUNE_DEVICE const Value* payload_source() const {
    if constexpr (kRequest.has_values() && !kIsMapped<typename Problem::Values>)
      if (moves_before_ == 0) return Problem::values(arguments_);
    return payload_at(moves_before_ - 1);
  }

  // Move number `move` goes to the output if an even number of moves come after it. Keys and values of an input that is
  // consumed go there if an even number come before it.
  SCANTUNE_DEVICE bool goes_to_output(u32 move) const { return (moves_ - move) % 2 == 1; }
  SCANTUNE_DEVICE Stored* keys_at(u32 move) const {
    if constexpr (kRequest.consumes_input()) {
      if (move % 2 == 1) return Problem::consumed_input(arguments_);
      return kRequest.writes_keys() ? Problem::output(arguments_) : at<Stored>(&head_->keys);
    }
    if (!goes_to_output(move)) return at<Stored>(&head_->keys);
    return kRequest.writes_keys() ? Problem::output(arguments_) : at<Stored>(&head_->other_keys);
  }
  SCANTUNE_DEVICE const Stored* keys_source() const {
    return moves_before_ == 0 ? Problem::input(arguments_) : keys_at(moves_before_ - 1);
  }
  SCANTUNE_DEVICE Stored* keys_destination() const { return keys_at(moves_before_); }
  SCANTUNE_DEVICE Value* payload_at(u32 move) const {
    if constexpr (kRequest.consumes_input() && kRequest.has_values())
      return move % 2 == 1 ? Problem::consumed_values(arguments_) : Problem::payload_output(arguments_);
    return goes_to_output(move) ? Problem::payload_output(arguments_) : at<Value>(&head_->payload);
  }

  // In a row's first tile a digit's items are placed after all lower digits of the row. Every thread calls.
  SCANTUNE_DEVICE void start_row() {
    const u64 total = looks_back() ? scantune::load_global<CacheHint::normal>(totals_ + thread_rank()) : 0;
    const u64 before = scantune::items_of_lower_digits<kDigits>(shared_.totals, total);
    if (looks_back()) set_start(before);
  }

  // Adds up how many items of this thread's digit earlier tiles of the row have.
  SCANTUNE_DEVICE void look_back() {
    const Status all = status();
    pause<kConfig.first_delay_ns>();
    Count before = 0;
    for (u32 tile = index_;; tile -= kConfig.window) {
      const u32 left = tile - (index_ - row_tile_);
      typename Status::Word words[kConfig.window];
#pragma unroll
      for (u32 step = 0; step < kConfig.window; ++step)
        if (left > step) words[step] = all.poll(tile - 1 - step, thread_rank());
#pragma unroll
      for (u32 step = 0; step < kConfig.window; ++step) {
        while (!words[step].is_known(moves_before_)) {
          poll_pause<kConfig.poll_delay_ns>();
          words[step] = all.poll(tile - 1 - step, thread_rank());
        }
        before += words[step].count();
        if (words[step].is_prefix()) return set_start(before);
      }
    }
  }

  // Lets later tiles look no further back than here, and tells all threads where this thread's digit goes.
  SCANTUNE_DEVICE void set_start(u64 before) {
    if (u64{row_tile_} * kTile + count_ < arguments_.extents[0])
      status().publish_prefix(index_, thread_rank(), moves_before_, static_cast<Count>(before + mine_[0].count));
    shared_.starts[thread_rank()] = static_cast<Count>(before - mine_[0].before);  // may wrap
  }

  // Items in order are dealt to threads one by one. What is loaded of several of them comes before any is stored.
  SCANTUNE_DEVICE static u32 place_in_order(int step) { return static_cast<u32>(step) * kThreads + thread_rank(); }
  static constexpr int kMostInBatch = kHasPayload ? 4 : 8;
  static constexpr int kBatch = kItems % kMostInBatch == 0 ? kMostInBatch
                                : kItems % 4 == 0          ? 4
                                : kItems % 2 == 0          ? 2
                                                           : 1;
  SCANTUNE_DEVICE static void in_batches(const auto& move) {
#pragma unroll
    for (int first = 0; first < kItems; first += kBatch) move(first);
  }

  Shared& shared_;
  const Ranks ranks_;
  const KernelArguments& arguments_;
  const SortLaunch launch_;
  const DigitPlace digit_;
  const OnesweepHead* head_;
  u32 index_, row_tile_;              // of the tile, in all and in its row
  u64 row_first_, first_;             // of the row and of the tile, in the input
  u32 count_;                         // keys of the tile
  const u64* totals_;                 // of this pass
  u32 moves_ = 0, moves_before_ = 0;  // passes that move keys of the row, and those of them before this one
  bool moves_now_ = false, is_last_launch_;
  Key keys_[kItems];
  TilePlaces<kItems> places_;  // in the tile, where the keys go
  Value payload_[kHasPayload ? kItems : 1];
  typename Ranks::Digit mine_[1];
};

template <bool kFull, class Tile>
SCANTUNE_DEVICE void move_tile(Tile& tile) {
  // Rank its keys by the digit.
  tile.template load<kFull>();
  tile.template rank<kFull>();

  // Put them in order, and look back for where they go.
  tile.template exchange<kFull>();

  // Store them and their payload.
  tile.template store<kFull>();
}

// Phase 3, once a digit: every key where its digit belongs.
template <class Problem, SortOnesweepConfig kConfig>
SCANTUNE_DEVICE void move_by_digit(const KernelArguments& arguments) {
  using Tile = OnesweepTile<Problem, kConfig>;
  Tile tile(shared_memory<typename Tile::Shared>(), arguments);
  begin_kernel<kConfig.pdl>();

  // Take a tile, if its row has anything to move.
  tile.take();
  if (tile.copies()) return tile.copy();
  if (!tile.moves()) return;
  if (tile.is_full())
    scantune::move_tile<true>(tile);
  else
    scantune::move_tile<false>(tile);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                     \
  SCANTUNE_KERNEL(count_digits, ::scantune::kCountThreads, 1) {                    \
    ::scantune::count_digits<Problem, kConfig>(arguments);                         \
  }                                                                                \
  SCANTUNE_KERNEL(add_digit_counts, ::scantune::kAddThreads, 1) {                  \
    ::scantune::add_digit_counts<Problem, kConfig>(arguments);                     \
  }                                                                                \
  SCANTUNE_KERNEL(move_by_digit, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::move_by_digit<Problem, kConfig>(arguments);                        \
  }
