// Allocates workspaces: from the driver, or by functions of the program, such as a framework's caching allocator.
#pragma once

#include <cstdint>

#include "device/device.h"

namespace scantune {

// The program's functions, used instead of the driver's. They are called without a lock of the library, and do not
// throw.
struct Allocator {
  void* (*allocate)(void* user, std::uint64_t bytes, std::int32_t device) = nullptr;  // null: the driver allocates
  void (*deallocate)(void* user, void* memory, std::uint64_t bytes, std::int32_t device) = nullptr;
  void* user = nullptr;
};

// Sets the allocator for the whole process. Memory returns to the allocator that it came from.
void set_allocator(const Allocator& allocator);
Allocator current_allocator();

// Allocates bytes that every stream of the device may use at once. Throws OutOfMemoryError if memory is short,
// RequestError if a program's memory is misaligned.
void* allocate_from(const Allocator& allocator, Device& device, std::uint64_t bytes);
void free_to(const Allocator& allocator, Device& device, void* memory, std::uint64_t bytes) noexcept;

}  // namespace scantune
