#include "launch/stream_workspaces.h"

namespace scantune {
namespace {

constexpr std::size_t kFirstSlots = 64;

}  // namespace

StreamWorkspaces::StreamWorkspaces(std::shared_ptr<WorkspacePool> pool) : pool_(std::move(pool)) {
  tables_.push_back(std::make_unique<Table>(kFirstSlots));
  table_.store(tables_.back().get(), std::memory_order_release);
}

StreamWorkspaces::~StreamWorkspaces() {
  for (const auto& [id, stream] : streams_)
    for (const auto& block : stream->blocks) pool_->give_back(*block);
}

void* StreamWorkspaces::lease_new(u64 stream_id, const WorkspaceNeed& need) {
  const std::lock_guard lock(mutex_);
  Stream& owner = stream(stream_id);
  auto& region = owner.regions[static_cast<std::size_t>(layout_of(need))];
  // Another thread may have leased for this stream in the meantime.
  if (const WorkspaceBlock* block = region.load(std::memory_order_relaxed); block != nullptr && block->bytes >= need.bytes)
    return block->memory;
  owner.blocks.push_back(std::make_unique<const WorkspaceBlock>(pool_->acquire(need)));
  region.store(owner.blocks.back().get(), std::memory_order_release);
  return owner.blocks.back()->memory;
}

StreamWorkspaces::Stream& StreamWorkspaces::stream(u64 stream_id) {
  auto& owner = streams_[stream_id];
  if (owner == nullptr) {
    owner = std::make_unique<Stream>();
    if (2 * (used_slots_ + 1) > tables_.back()->slots.size()) {
      rebuild();
    } else {
      insert(*tables_.back(), key_of(stream_id), owner->regions);
    }
  }
  return *owner;
}

void StreamWorkspaces::insert(Table& table, u64 key, const Regions& regions) {
  std::size_t index = hash(key);
  while (table.slots[index & table.mask].key.load(std::memory_order_relaxed) != kEmpty) ++index;
  Slot& slot = table.slots[index & table.mask];
  slot.regions.store(&regions, std::memory_order_relaxed);
  slot.key.store(key, std::memory_order_release);
  ++used_slots_;
}

// A new table without the released slots, at most a quarter full.
void StreamWorkspaces::rebuild() {
  std::size_t slots = kFirstSlots;
  while (slots < 4 * streams_.size()) slots *= 2;
  auto table = std::make_unique<Table>(slots);
  used_slots_ = 0;
  for (const auto& [id, stream] : streams_) insert(*table, key_of(id), stream->regions);
  table_.store(table.get(), std::memory_order_release);
  tables_.push_back(std::move(table));
}

void StreamWorkspaces::release(u64 stream_id) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream_id);
  if (found == streams_.end()) return;
  Table& table = *tables_.back();
  const u64 key = key_of(stream_id);
  for (std::size_t index = hash(key);; ++index) {
    Slot& slot = table.slots[index & table.mask];
    const u64 current = slot.key.load(std::memory_order_relaxed);
    if (current == key) slot.key.store(kReleased, std::memory_order_relaxed);
    if (current == key || current == kEmpty) break;
  }
  for (const auto& block : found->second->blocks) pool_->give_back(*block);
  streams_.erase(found);
}

}  // namespace scantune
