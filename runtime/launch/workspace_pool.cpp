#include "launch/workspace_pool.h"

namespace scantune {

WorkspaceBlock WorkspacePool::acquire(const WorkspaceNeed& need) {
  if (const WorkspaceBlock block = take_free(need); block.memory != nullptr) return block;
  WorkspaceBlock block{nullptr, size_class(need.bytes), layout_of(need), current_allocator()};
  block.memory = allocate_from(block.origin, *device_, block.bytes);
  try {
    if (needs_zeroing(need)) device_->zero(block.memory, block.bytes);
  } catch (...) {
    free_to(block.origin, *device_, block.memory, block.bytes);
    throw;
  }
  return block;
}

WorkspaceBlock WorkspacePool::take_free(const WorkspaceNeed& need) {
  const std::lock_guard lock(mutex_);
  auto& blocks = free_[static_cast<std::size_t>(layout_of(need))];
  const auto found = blocks.lower_bound(need.bytes);
  // A block far too large is left for a problem that needs it.
  if (found == blocks.end() || found->first > 4 * size_class(need.bytes)) return {};
  const WorkspaceBlock block = found->second;
  blocks.erase(found);
  return block;
}

void WorkspacePool::give_back(const WorkspaceBlock& block) noexcept try {
  const std::lock_guard lock(mutex_);
  free_[static_cast<std::size_t>(block.layout)].emplace(block.bytes, block);
} catch (...) {  // the host is out of memory, and the block is lost
}

u64 WorkspacePool::trim() {
  Blocks unowned;
  {
    const std::lock_guard lock(mutex_);
    unowned.swap(free_);
  }
  u64 bytes = 0;
  for (const auto& blocks : unowned)
    for (const auto& [held, block] : blocks) {
      free_to(block.origin, *device_, block.memory, held);
      bytes += held;
    }
  return bytes;
}

}  // namespace scantune
