#include "launch/allocator.h"

#include <functional>
#include <mutex>
#include <string>

#include "launch/workspace_layout.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

std::mutex allocator_mutex;
Allocator chosen;  // guarded by the mutex

}  // namespace

void set_allocator(const Allocator& allocator) {
  const std::lock_guard lock(allocator_mutex);
  chosen = allocator;
}

Allocator current_allocator() {
  const std::lock_guard lock(allocator_mutex);
  return chosen;
}

void* allocate_from(const Allocator& allocator, Device& device, std::uint64_t bytes) {
  if (allocator.allocate == nullptr) return device.allocate(bytes);
  void* memory = nullptr;
  const auto allocate = [&] { memory = allocator.allocate(allocator.user, bytes, device.ordinal()); };
  device.in_context(std::ref(allocate));
  if (memory == nullptr)
    throw OutOfMemoryError("the program's allocator returned null for a workspace of " + std::to_string(bytes) +
                           " bytes on device " + std::to_string(device.ordinal()));
  const auto misaligned = reinterpret_cast<std::uintptr_t>(memory) % kWorkspaceAlignmentBytes;
  if (misaligned == 0) return memory;
  free_to(allocator, device, memory, bytes);
  throw RequestError("the program's allocator returned memory for a workspace that is " + std::to_string(misaligned) +
                     " bytes past a multiple of " + std::to_string(kWorkspaceAlignmentBytes) +
                     ": it must return multiples");
}

void free_to(const Allocator& allocator, Device& device, void* memory, std::uint64_t bytes) noexcept try {
  if (allocator.deallocate == nullptr) return device.free(memory);
  const auto deallocate = [&] { allocator.deallocate(allocator.user, memory, bytes, device.ordinal()); };
  device.in_context(std::ref(deallocate));  // a function made of a reference allocates nothing, which might throw
} catch (const DeviceError&) {              // the context is gone, and its memory with it
}

}  // namespace scantune
