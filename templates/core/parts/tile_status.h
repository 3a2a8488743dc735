// Tile descriptors in a workspace, by which CTAs exchange aggregates and prefixes. A descriptor belongs to the running
// launch only if it carries its epoch, so nothing is cleared between launches.
#pragma once

#include "core/contract/status_layout.h"
#include "core/machine/status.h"
#include "core/machine/warp.h"

namespace scantune {

enum class TileFlag : u32 { none, aggregate, prefix };

template <class T>
struct TileDescriptor {
  TileFlag flag;
  T value;  // the aggregate or the inclusive prefix, as flag says
};

template <class T, StatusLayout kLayout>
class TileStatus {
  static constexpr bool kPacked = kLayout == StatusLayout::packed;
  static constexpr int kWordBytes = packed_word_bytes(sizeof(T));
  static constexpr int kPayloadBytes = kWordBytes - sizeof(u32);
  static constexpr int kWords = ceil_div(static_cast<int>(sizeof(T)), kPayloadBytes);
  static constexpr int kSplitAlignment = split_alignment(sizeof(T));

  // One single-copy-atomic access moves a word, so it is never seen half written.
  struct alignas(kWordBytes) PackedWord {
    u32 state;
    unsigned char payload[kPayloadBytes];
  };
  // A value in as many words as it takes, each with the state: it is whole where all of them agree.
  struct PackedRecord {
    PackedWord words[kWords];
  };
  struct alignas(kSplitAlignment) SplitRecord {
    u32 state;
    alignas(kSplitAlignment) T aggregate;
    T prefix;
  };
  static_assert((kPacked ? sizeof(PackedRecord) : sizeof(SplitRecord)) == descriptor_bytes(kLayout, sizeof(T)));

 public:
  // The epoch of the running launch. Read early, it arrives while the tile loads.
  SCANTUNE_DEVICE static u32 read_epoch(const void* workspace) {
    return load_relaxed(&static_cast<const WorkspaceHeader*>(workspace)->epoch) + 1;
  }

  SCANTUNE_DEVICE TileStatus(void* workspace, u32 epoch)
      : header_(static_cast<WorkspaceHeader*>(workspace)), epoch_(epoch) {}

  SCANTUNE_DEVICE void publish(u32 tile, TileFlag flag, T value) const {
    const u32 state = epoch_ << 2 | static_cast<u32>(flag);
    if constexpr (kPacked) {
      unsigned char bytes[kWords * kPayloadBytes] = {};
      scantune::copy_bytes(bytes, __builtin_addressof(value), sizeof(T));
#pragma unroll
      for (int index = 0; index < kWords; ++index) {
        PackedWord word;
        word.state = state;
        scantune::copy_bytes(word.payload, bytes + index * kPayloadBytes, kPayloadBytes);
        scantune::store_relaxed_wide(&records<PackedRecord>()[tile].words[index], word);
      }
    } else {
      SplitRecord* const record = records<SplitRecord>() + tile;
      scantune::store_payload(
          flag == TileFlag::prefix ? __builtin_addressof(record->prefix) : __builtin_addressof(record->aggregate),
          value);
      scantune::store_release(&record->state, state);
    }
  }

  SCANTUNE_DEVICE TileDescriptor<T> poll(u32 tile) const {
    TileDescriptor<T> descriptor;
    if constexpr (kPacked) {
      unsigned char bytes[kWords * kPayloadBytes];
      u32 state = 0;
      bool whole = true;
#pragma unroll
      for (int index = 0; index < kWords; ++index) {
        const PackedWord word = scantune::load_relaxed_wide(&records<PackedRecord>()[tile].words[index]);
        if (index == 0) state = word.state;
        whole &= word.state == state;
        scantune::copy_bytes(bytes + index * kPayloadBytes, word.payload, kPayloadBytes);
      }
      descriptor.flag = whole ? flag_of(state) : TileFlag::none;
      descriptor.value = scantune::from_bytes<T>(bytes);
    } else {
      const SplitRecord* const record = records<SplitRecord>() + tile;
      descriptor.flag = flag_of(scantune::load_acquire(&record->state));
      if (descriptor.flag != TileFlag::none)
        descriptor.value =
            scantune::load_payload(descriptor.flag == TileFlag::prefix ? __builtin_addressof(record->prefix)
                                                                       : __builtin_addressof(record->aggregate));
    }
    return descriptor;
  }

  // The first warp of every CTA calls this after the CTA's last poll; each CTA has one tile, or counts as one. The CTA
  // of the last tile has seen that all others have read epoch and ticket, since they have published: it may set both
  // for the next launch. Nothing waits for what is stored here. descriptors: how many the launch has used.
  SCANTUNE_DEVICE void finish(u32 tile, u32 tiles, u32 descriptors, u32 lane) const {
    if (epoch_ == kLastEpoch) return wrap(tiles, descriptors, lane);
    if (tile == tiles - 1 && lane == 0) next_epoch(descriptors);
  }

  // Every CTA calls this once, after its last ticket, where that of the last tile does not know of all others: in
  // persistent kernels, and those of rows. In the last epoch, which ends with wrap(), it does nothing. The CTA that
  // comes last knows that all have read epoch and tickets.
  SCANTUNE_DEVICE void leave(u32 ctas, u32 tiles) const {
    if (epoch_ == kLastEpoch || fetch_add(&header_->finished, 1) != ctas - 1) return;
    store_relaxed(&header_->finished, 0);
    next_epoch(tiles);
  }

  // The epochs are used up: the CTA that is done last zeroes every word that any launch has written. One warp of each
  // CTA calls this after the CTA's last access to any word.
  SCANTUNE_DEVICE void wrap(u32 ctas, u32 tiles, u32 lane) const {
    u32 done = 0;
    if (lane == 0) {
      fence();  // this CTA's polls come before the zeroes
      done = fetch_add(&header_->finished, 1);
      fence();
    }
    if (scantune::shuffle_index(done, 0) != ctas - 1) return;
    const u32 before = load_relaxed(&header_->high_water);
    // Orders the first lane's fenced accesses before the other lanes' zeroes, and their reads before its last stores.
    sync_warp();
    const u64 used = before < tiles ? tiles : before;
    u32* const words = reinterpret_cast<u32*>(header_ + 1);
    for (u64 word = lane; word < used * descriptor_bytes(kLayout, sizeof(T)) / sizeof(u32); word += kWarpThreads)
      store_relaxed(words + word, 0);
    if (lane != 0) return;
    store_relaxed(&header_->ticket, 0);
    store_relaxed(&header_->finished, 0);
    store_relaxed(&header_->high_water, 0);
    store_relaxed(&header_->epoch, 0);
  }

 private:
  SCANTUNE_DEVICE void next_epoch(u32 tiles) const {
    store_max(&header_->high_water, tiles);
    store_relaxed(&header_->ticket, 0);
    store_relaxed(&header_->epoch, epoch_);
  }

  template <class Record>
  SCANTUNE_DEVICE Record* records() const {
    return reinterpret_cast<Record*>(header_ + 1);
  }

  SCANTUNE_DEVICE TileFlag flag_of(u32 state) const {
    return state >> 2 == epoch_ ? static_cast<TileFlag>(state & 3) : TileFlag::none;
  }

  WorkspaceHeader* const header_;
  const u32 epoch_;
};

}  // namespace scantune
