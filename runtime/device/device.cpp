#include "device/device.h"

#include <new>

#include "scantune/error.hpp"

namespace scantune {

void Device::wrap(void*, u64) {
  throw RequestError(
      "memory of the host is wrapped for the host device alone: create a buffer of a GPU by scantune_buffer_create(), "
      "and copy to it");
}

void* Device::allocate_staging(u64 bytes) {
  void* const memory = ::operator new(bytes, std::nothrow);
  if (memory == nullptr)
    throw OutOfMemoryError("the CPU has no " + std::to_string(bytes) + " bytes to stage copies in");
  return memory;
}

void Device::free_staging(void* memory) noexcept { ::operator delete(memory); }

std::string shortage(u64 held_bytes, u64 needed_bytes, unsigned item_bytes) {
  return "the allocation holds " + std::to_string(held_bytes) + " bytes from there on, room for " +
         std::to_string(held_bytes / item_bytes) + " items of " + std::to_string(item_bytes) +
         " bytes, and the scan needs " + std::to_string(needed_bytes / item_bytes);
}

std::optional<double> peak_gigabytes_per_second(int memory_clock_khz, int bus_width_bits) {
  if (memory_clock_khz <= 0 || bus_width_bits <= 0) return std::nullopt;
  return 2e-6 * memory_clock_khz * bus_width_bits / 8;
}

std::string Device::argument_fault(std::span<const NamedMemory> arguments, Stream stream) {
  return first_fault(
      arguments,
      [&](const void* memory, u64 bytes, unsigned item_bytes) { return pointer_fault(memory, bytes, item_bytes); },
      [&] { return stream_fault(stream); });
}

}  // namespace scantune
