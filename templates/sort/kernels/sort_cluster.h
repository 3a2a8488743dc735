#pragma once

#include "core/machine/clusters.h"
#include "core/parts/begin_kernel.h"
#include "sort/config/sort_cluster.h"
#include "sort/parts/digit_ranks.h"
#include "sort/parts/digit_starts.h"
#include "sort/parts/sort_payload.h"

namespace scantune {

// A CTA's part of a row that a cluster sorts.
//
// In every pass a CTA waits for the counts of all CTAs, and in all passes except the last for all keys that come to it.
// So no CTA is more than a pass ahead of another: one that sends counts of a pass has read the keys that came in the
// pass before, and the counts of two passes before. Nothing is sent to a CTA that has seen all counts of the last pass.
template <class Problem, SortClusterConfig kConfig>
class ClusterPart {
  using Key = typename Problem::Key;
  using Payload = SortPayload<Problem>;
  using Ranks = DigitRanks<kConfig.block_threads, kConfig.items_per_thread, kConfig.digit_bits, kConfig.matching>;
  static constexpr SortRequest kRequest = Problem::kRequest;
  static constexpr int kItems = kConfig.items_per_thread;
  static constexpr u32 kThreads = kConfig.block_threads;
  static constexpr u32 kDigits = kConfig.digits();
  static constexpr u32 kTile = kConfig.tile_items();
  static constexpr u32 kCtas = kConfig.cluster_blocks;
  static constexpr bool kHasPayload = Payload::kExists;
  static constexpr u32 kSentBytes = sizeof(Key) + (kHasPayload ? sizeof(u32) : 0);
  static_assert(Ranks::kDigitsPerThread == 1);

  // Keys, then their payload.
  struct alignas(kVectorAlignmentBytes) Keys {
    alignas(kVectorAlignmentBytes) unsigned char bytes[sort_tile_bytes(kConfig, kRequest)];

    SCANTUNE_DEVICE Key* keys() { return reinterpret_cast<Key*>(bytes); }
    SCANTUNE_DEVICE u32* payload() { return reinterpret_cast<u32*>(keys() + kTile); }
  };

 public:
  struct alignas(kVectorAlignmentBytes) Shared {
    Keys own;      // in the order of their digits
    Keys arrived;  // of the whole row, in that order
    typename Ranks::Shared ranks;
    u32 counts[2][kCtas][kDigits];  // of this pass and the one before: items of each CTA that have a digit
    u32 starts[kDigits];            // where in the row a digit's items go, less their places among the CTA's own
    u32 totals[kWarpThreads];
    alignas(kVectorAlignmentBytes) Barrier counts_arrived[2];
    Barrier keys_arrived;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, kRequest));

  SCANTUNE_DEVICE ClusterPart(Shared& shared, const KernelArguments& arguments, u64 row, u64 row_items)
      : shared_(shared),
        ranks_(shared.ranks),
        arguments_(arguments),
        row_(row),
        before_(static_cast<u64>(cluster_rank()) * kTile < row_items ? cluster_rank() * kTile
                                                                     : static_cast<u32>(row_items)),
        count_(static_cast<u32>(row_items) - before_ < kTile ? static_cast<u32>(row_items) - before_ : kTile) {}

  // Comes first in the kernel, and waits for nothing.
  SCANTUNE_DEVICE void start() const {
    if (thread_rank() == 0) {
      for (Barrier& arrived : shared_.counts_arrived) barrier_init(&arrived, 1);
      barrier_init(&shared_.keys_arrived, 1);
      fence_barrier_init();
      for (Barrier& arrived : shared_.counts_arrived) barrier_arrive_expecting(&arrived, kCountBytes);
      barrier_arrive_expecting(&shared_.keys_arrived, count_ * kSentBytes);
    }
    cluster_arrive_relaxed();
  }

  SCANTUNE_DEVICE void load() {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      const u32 place = ranks_.place(step);
      if (place >= count_) continue;
      keys_[step] = Problem::key_of(
          scantune::load_global<kConfig.load_hint>(Problem::input(arguments_) + row_ + before_ + place));
      if constexpr (kHasPayload)
        payload_[step] = Payload::template load<kConfig.load_hint>(arguments_, row_, before_ + place);
    }
  }

  // Puts the CTA's keys in the order of their digits, and tells the others how many there are of each. Places without a
  // key count as the last digit, after all keys.
  SCANTUNE_DEVICE void rank(u32 pass, DigitPlace digit) {
    u32 digits[kItems];
    TilePlaces<kItems> places;
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      digits[step] = ranks_.place(step) < count_ ? digit.of(keys_[step]) : kDigits - 1;
    ranks_.count(digits, places);
    ranks_.add_up(mine_);
    if (thread_rank() == kDigits - 1) mine_[0].count -= kTile - count_;
    if (pass == 0) cluster_wait();
    if (thread_rank() < kDigits) send_count(pass);
    ranks_.place_in_tile(mine_, digits, places);
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      shared_.own.keys()[places[step]] = keys_[step];
      if constexpr (kHasPayload) shared_.own.payload()[places[step]] = payload_[step];
    }
  }

  // Finds where the digits of the CTA's keys go, of the counts of all.
  SCANTUNE_DEVICE void find_starts(u32 pass) const {
    Barrier* const arrived = &shared_.counts_arrived[pass % 2];
    barrier_wait_for_sends(arrived, pass / 2 % 2);
    u32 total = 0, of_earlier = 0;
    if (thread_rank() < kDigits) {
#pragma unroll
      for (u32 cta = 0; cta < kCtas; ++cta) {
        const u32 count = cta == cluster_rank() ? mine_[0].count : shared_.counts[pass % 2][cta][thread_rank()];
        if (cta < cluster_rank()) of_earlier += count;
        total += count;
      }
    }
    const u32 of_lower = scantune::items_of_lower_digits<kDigits>(shared_.totals, total);
    if (thread_rank() < kDigits) shared_.starts[thread_rank()] = of_lower + of_earlier - mine_[0].before;
    sync_block();
    // The pass after the next one sends its counts only when this CTA has sent those of the next.
    if (thread_rank() == 0) barrier_arrive_expecting(arrived, kCountBytes);
  }

  // Sends every key to the CTA where it goes, and takes those that come here.
  SCANTUNE_DEVICE void exchange(u32 pass, DigitPlace digit) {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      const u32 place = static_cast<u32>(step) * kThreads + thread_rank();
      if (place >= count_) continue;
      const Key key = shared_.own.keys()[place];
      const u32 to = shared_.starts[digit.of(key)] + place;
      scantune::send_to_cta(shared_.arrived.keys() + to % kTile, to / kTile, key, &shared_.keys_arrived);
      if constexpr (kHasPayload)
        scantune::send_to_cta(shared_.arrived.payload() + to % kTile, to / kTile, shared_.own.payload()[place],
                              &shared_.keys_arrived);
    }
    barrier_wait_for_sends(&shared_.keys_arrived, pass % 2);
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      keys_[step] = shared_.arrived.keys()[ranks_.place(step)];
      if constexpr (kHasPayload) payload_[step] = shared_.arrived.payload()[ranks_.place(step)];
    }
    sync_block();  // no thread has keys left to read, or still waits in the old phase
    if (thread_rank() == 0) barrier_arrive_expecting(&shared_.keys_arrived, count_ * kSentBytes);
  }

  // Stores every key where it goes.
  SCANTUNE_DEVICE void store(DigitPlace digit) const {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      const u32 place = static_cast<u32>(step) * kThreads + thread_rank();
      if (place >= count_) continue;
      const Key key = shared_.own.keys()[place];
      const u32 to = shared_.starts[digit.of(key)] + place;
      if constexpr (kRequest.writes_keys())
        scantune::store_global<kConfig.store_hint>(Problem::output(arguments_) + row_ + to, Problem::stored_of(key));
      if constexpr (kHasPayload)
        Payload::template store<kConfig.store_hint>(arguments_, row_, to, shared_.own.payload()[place]);
    }
  }

 private:
  static constexpr u32 kCountBytes = (kCtas - 1) * kDigits * sizeof(u32);

  // Tells all other CTAs how many keys have this thread's digit.
  SCANTUNE_DEVICE void send_count(u32 pass) const {
    const u32 rank = cluster_rank();
    u32* const count = &shared_.counts[pass % 2][rank][thread_rank()];
#pragma unroll
    for (u32 step = 1; step < kCtas; ++step)
      scantune::send_to_cta(count, (rank + step) % kCtas, mine_[0].count, &shared_.counts_arrived[pass % 2]);
  }

  Shared& shared_;
  const Ranks ranks_;
  const KernelArguments& arguments_;
  const u64 row_;     // its first key, in the input
  const u32 before_;  // keys of the row that lower CTAs have
  const u32 count_;   // keys of this CTA
  Key keys_[kItems];
  u32 payload_[kHasPayload ? kItems : 1];
  typename Ranks::Digit mine_[1];
};

template <class Problem, SortClusterConfig kConfig>
SCANTUNE_DEVICE void sort_cluster(const KernelArguments& arguments) {
  using Part = ClusterPart<Problem, kConfig>;
  const u64 row_items = arguments.extents[0], row = block_rank() / static_cast<u32>(kConfig.cluster_blocks) * row_items;
  const u64 left = arguments.n - row;
  const u32 begin = arguments.extents[1] & 0xff, end = arguments.extents[1] >> 8;
  Part part(shared_memory<typename Part::Shared>(), arguments, row, left < row_items ? left : row_items);
  part.start();
  begin_kernel<kConfig.pdl>();

  // Load a part of the row.
  part.load();

  // Sort the row by each digit, the lowest first, and store it by the last.
#pragma unroll 1
  for (u32 pass = 0, bit = begin;; ++pass, bit += kConfig.digit_bits) {
    const DigitPlace digit(bit, end, kConfig.digit_bits);
    part.rank(pass, digit);
    part.find_starts(pass);
    if (bit + kConfig.digit_bits >= end) return part.store(digit);
    part.exchange(pass, digit);
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                              \
  SCANTUNE_CLUSTER_KERNEL(sort_cluster, kConfig.block_threads, 1, kConfig.cluster_blocks) { \
    ::scantune::sort_cluster<Problem, kConfig>(arguments);                                  \
  }
