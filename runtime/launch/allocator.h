// Where the memory of workspaces comes from: the driver, or functions of the program, such as those of a framework's
// caching allocator.
#pragma once

#include <cstdint>

#include "device/device.h"

namespace scantune {

// The functions of a program in place of the driver's. They are called while the library holds no lock, and do not
// throw.
struct Allocator {
  void* (*allocate)(void* user, std::uint64_t bytes, std::int32_t device) = nullptr;  // null: the driver allocates
  void (*deallocate)(void* user, void* memory, std::uint64_t bytes, std::int32_t device) = nullptr;
  void* user = nullptr;
};

// What allocates from now on, in the whole process. Memory goes back to what it came from.
void set_allocator(const Allocator& allocator);
Allocator current_allocator();

// Bytes that are usable on every stream of the device at once. Throws OutOfMemoryError when there are none,
// RequestError when a program's memory is misaligned.
void* allocate_from(const Allocator& allocator, Device& device, std::uint64_t bytes);
void free_to(const Allocator& allocator, Device& device, void* memory, std::uint64_t bytes) noexcept;

}  // namespace scantune
