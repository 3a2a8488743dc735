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
    for (const auto& region : stream->leased) pool_->give_back(region->block);
}

// The block is acquired before the lock is taken, since a program's allocator may be called for it.
LeasedWorkspace StreamWorkspaces::lease_new(u64 stream_id, const WorkspaceNeed& need) {
  auto leased = std::make_unique<Region>();
  leased->block = pool_->acquire(need);
  try {
    const std::lock_guard lock(mutex_);
    Stream& owner = stream(stream_id);
    auto& current = owner.regions[static_cast<std::size_t>(layout_of(need))];
    Region* region = current.load(std::memory_order_relaxed);
    if (region == nullptr || region->block.bytes < need.bytes) {
      region = leased.get();
      owner.leased.push_back(std::move(leased));
      current.store(region, std::memory_order_release);
    } else {  // another thread has leased for this stream in the meantime
      pool_->give_back(leased->block);
    }
    return {region->block.memory, region->block.bytes, region->launching};
  } catch (...) {
    if (leased != nullptr) pool_->give_back(leased->block);
    throw;
  }
}

StreamWorkspaces::Stream& StreamWorkspaces::stream(u64 stream_id) {
  if (const auto known = streams_.find(stream_id); known != streams_.end()) return *known->second;
  if (2 * (streams_.size() + 1) > tables_.back()->slots.size()) grow();
  auto& owner = streams_[stream_id] = std::make_unique<Stream>();
  insert(*tables_.back(), key_of(stream_id), owner->regions);
  return *owner;
}

void StreamWorkspaces::insert(Table& table, u64 key, const Regions& regions) {
  const auto is_free = [](u64 found) { return found == kEmpty || found == kReleased; };
  std::size_t index = hash(key);
  while (!is_free(table.slots[index & table.mask].key.load(std::memory_order_relaxed))) ++index;
  Slot& slot = table.slots[index & table.mask];
  slot.regions.store(&regions, std::memory_order_relaxed);
  slot.key.store(key, std::memory_order_release);
}

void StreamWorkspaces::grow() {
  auto table = std::make_unique<Table>(2 * tables_.back()->slots.size());
  for (const auto& [id, stream] : streams_) insert(*table, key_of(id), stream->regions);
  tables_.push_back(std::move(table));
  table_.store(tables_.back().get(), std::memory_order_release);
}

std::size_t StreamWorkspaces::slots() const {
  const std::lock_guard lock(mutex_);
  std::size_t slots = 0;
  for (const auto& table : tables_) slots += table->slots.size();
  return slots;
}

void StreamWorkspaces::release(u64 stream_id) {
  const std::lock_guard lock(mutex_);
  if (const auto known = streams_.find(stream_id); known != streams_.end()) forget(known);
}

void StreamWorkspaces::release_all() {
  const std::lock_guard lock(mutex_);
  while (!streams_.empty()) forget(streams_.begin());
}

void StreamWorkspaces::forget(std::unordered_map<u64, std::unique_ptr<Stream>>::iterator known) {
  const auto& [id, stream] = *known;
  Table& table = *tables_.back();
  std::size_t index = hash(key_of(id));
  while (table.slots[index & table.mask].key.load(std::memory_order_relaxed) != key_of(id)) ++index;
  table.slots[index & table.mask].key.store(kReleased, std::memory_order_relaxed);
  for (const auto& region : stream->leased) pool_->give_back(region->block);
  streams_.erase(known);
}

}  // namespace scantune
