#pragma once

#include "core/parts/begin_kernel.h"
#include "sort/config/sort_block.h"
#include "sort/parts/digit_ranks.h"
#include "sort/parts/sort_payload.h"

namespace scantune {

// The keys of a row and their payload, in the registers of the threads that sort it.
template <class Problem, SortBlockConfig kConfig>
class SortedRow {
  using Key = typename Problem::Key;
  using Ranks = DigitRanks<kConfig.row_threads(), kConfig.items_per_thread, kConfig.digit_bits, kConfig.matching>;
  static constexpr SortRequest kRequest = Problem::kRequest;
  static constexpr int kItems = kConfig.items_per_thread;
  static constexpr u32 kTile = kConfig.row_tile();
  using Payload = SortPayload<Problem>;
  static constexpr bool kHasPayload = Payload::kExists;

 public:
  struct alignas(kVectorAlignmentBytes) Shared {
    Key keys[kTile];
    u32 payload[kHasPayload ? kTile : 1];
    typename Ranks::Shared ranks;
  };
  static constexpr u64 kSharedBytes = sort_row_bytes(kConfig, kRequest);
  static_assert(sizeof(Shared) == kSharedBytes);

  SCANTUNE_DEVICE SortedRow(Shared& shared, const KernelArguments& arguments, u64 first, u32 count)
      : shared_(shared), ranks_(shared.ranks), arguments_(arguments), first_(first), count_(count) {}

  SCANTUNE_DEVICE void load() {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      const u32 place = ranks_.place(step);
      if (place >= count_) continue;
      keys_[step] =
          Problem::key_of(scantune::load_global<kConfig.load_hint>(Problem::input(arguments_) + first_ + place));
      if constexpr (kHasPayload) payload_[step] = Payload::template load<kConfig.load_hint>(arguments_, first_, place);
    }
  }

  // Sorts by the digit, and leaves the result in shared memory. Missing keys of the tile are after all keys and stay
  // there.
  SCANTUNE_DEVICE void sort_by_digit(DigitPlace digit) {
    u32 digits[kItems], places[kItems];
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      digits[step] = ranks_.place(step) < count_ ? digit.of(keys_[step]) : Ranks::kDigits - 1;
    typename Ranks::Digit mine[Ranks::kDigitsPerThread];
    ranks_.count(digits, places);
    ranks_.add_up(mine);
    ranks_.place_in_tile(mine, digits, places);
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      shared_.keys[places[step]] = keys_[step];
      if constexpr (kHasPayload) shared_.payload[places[step]] = payload_[step];
    }
    Ranks::sync();
  }

  // Takes the keys out of shared memory for the next digit. The barriers before they are put there again come later.
  SCANTUNE_DEVICE void take() {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      keys_[step] = shared_.keys[ranks_.place(step)];
      if constexpr (kHasPayload) payload_[step] = shared_.payload[ranks_.place(step)];
    }
  }

  SCANTUNE_DEVICE void store() const {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      const u32 place = ranks_.place(step);
      if (place >= count_) continue;
      if constexpr (kRequest.writes_keys())
        scantune::store_global<kConfig.store_hint>(Problem::output(arguments_) + first_ + place,
                                                   Problem::stored_of(shared_.keys[place]));
      if constexpr (kHasPayload)
        Payload::template store<kConfig.store_hint>(arguments_, first_, place, shared_.payload[place]);
    }
  }

 private:
  Shared& shared_;
  const Ranks ranks_;
  const KernelArguments& arguments_;
  const u64 first_;  // of the row, in the input
  const u32 count_;  // keys of the row
  Key keys_[kItems];
  u32 payload_[kHasPayload ? kItems : 1];  // a value, or the key's place in the row
};

template <class Problem, SortBlockConfig kConfig>
SCANTUNE_DEVICE void sort_block(const KernelArguments& arguments) {
  using Row = SortedRow<Problem, kConfig>;
  struct Shared {
    unsigned char rows[kConfig.rows_per_block][Row::kSharedBytes];
  };
  const u32 part = thread_rank() / kConfig.row_threads();
  const u64 row_items = arguments.extents[0], row = static_cast<u64>(block_rank()) * kConfig.rows_per_block + part;
  const u64 first = row * row_items < arguments.n ? row * row_items : arguments.n, left = arguments.n - first;
  const u32 begin = arguments.extents[1] & 0xff, end = arguments.extents[1] >> 8;
  auto& shared = reinterpret_cast<typename Row::Shared&>(shared_memory<Shared>().rows[part]);
  Row keys(shared, arguments, first, static_cast<u32>(left < row_items ? left : row_items));
  begin_kernel<kConfig.pdl>();

  // Load the row.
  keys.load();

  // Sort it by each digit, the lowest first.
#pragma unroll 1
  for (u32 bit = begin;;) {
    keys.sort_by_digit(DigitPlace(bit, end, kConfig.digit_bits));
    bit += kConfig.digit_bits;
    if (bit >= end) break;
    keys.take();
  }

  // Store it.
  keys.store();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                  \
  SCANTUNE_KERNEL(sort_block, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::sort_block<Problem, kConfig>(arguments);                        \
  }
