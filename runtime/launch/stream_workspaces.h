// The workspaces of eager launches: one per stream and layout. Launches in one stream run one after another, so they
// can share; launches in two streams cannot.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "launch/workspace_pool.h"

namespace scantune {

// A workspace and the right to use it in one stream.
struct LeasedWorkspace {
  void* memory;
  u64 bytes;
  std::mutex& launching;  // held while the launches of one scan that pass data on through the memory are enqueued
};

class StreamWorkspaces {
 public:
  explicit StreamWorkspaces(std::shared_ptr<WorkspacePool> pool);
  ~StreamWorkspaces();

  // The stream's workspace for a need that is not none. The call takes no lock and allocates nothing unless the stream
  // is new or needs more than ever before; then a new block is taken, and the old one kept, since a launch may still be
  // using it.
  LeasedWorkspace lease(u64 stream_id, const WorkspaceNeed& need) {
    if (const Regions* regions = find(stream_id))
      if (Region* region = (*regions)[static_cast<std::size_t>(layout_of(need))].load(std::memory_order_acquire);
          region != nullptr && region->block.bytes >= need.bytes)
        return {region->block.memory, region->block.bytes, region->launching};
    return lease_new(stream_id, need);
  }

  // Returns the stream's blocks to the pool. No launch of the stream may run or be made at the same time.
  void release(u64 stream_id);
  // Does so for every stream.
  void release_all();

  // Slots of all tables that readers may be in: bounded by the most streams that were known at one time.
  std::size_t slots() const;

 private:
  struct Region {
    WorkspaceBlock block;
    std::mutex launching;
  };
  using Regions = std::array<std::atomic<Region*>, kWorkspaceLayouts>;

  struct Stream {
    Regions regions{};
    std::vector<std::unique_ptr<Region>> leased;  // all that the stream has ever had
  };

  // Open addressing over a power of two of slots, at most half of which belong to streams. A reader compares keys only
  // until it finds its own, and nobody releases a stream that is in use, so the pointer next to a matching key is
  // alive. A released slot serves another stream, but is never empty again: a reader stops at an empty one.
  struct Slot {
    std::atomic<u64> key{kEmpty};
    std::atomic<const Regions*> regions{nullptr};
  };
  struct Table {
    explicit Table(std::size_t slots) : mask(slots - 1), slots(slots) {}
    std::size_t mask;
    std::vector<Slot> slots;
  };

  static constexpr u64 kEmpty = 0;
  static constexpr u64 kReleased = ~u64{0};
  static constexpr u64 key_of(u64 stream_id) { return stream_id + 1; }
  static constexpr std::size_t hash(u64 key) { return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 32); }

  const Regions* find(u64 stream_id) const {
    const Table& table = *table_.load(std::memory_order_acquire);
    const u64 key = key_of(stream_id);
    for (std::size_t probe = 0; probe <= table.mask; ++probe) {  // released slots may leave none empty
      const Slot& slot = table.slots[(hash(key) + probe) & table.mask];
      const u64 found = slot.key.load(std::memory_order_acquire);
      if (found == key) return slot.regions.load(std::memory_order_relaxed);
      if (found == kEmpty) return nullptr;
    }
    return nullptr;
  }

  LeasedWorkspace lease_new(u64 stream_id, const WorkspaceNeed& need);
  Stream& stream(u64 stream_id);
  static void insert(Table& table, u64 key, const Regions& regions);
  void grow();
  void forget(std::unordered_map<u64, std::unique_ptr<Stream>>::iterator known);

  std::shared_ptr<WorkspacePool> pool_;
  std::atomic<Table*> table_;
  mutable std::mutex mutex_;  // guards everything below; only writers take it
  std::unordered_map<u64, std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Table>> tables_;  // old ones stay: a reader may be in them; each is twice the one before
};

}  // namespace scantune
