// The host device's global memory: ordinary memory, with poison inside and guard zones around every allocation, and
// memory of the program's that it wraps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contract/types.h"

namespace scantune {

class Allocations {
 public:
  struct Range {
    unsigned char* begin;
    u64 bytes;

    const unsigned char* end() const { return begin + bytes; }
    // Whether [address, address + count) is inside; the subtraction wraps for addresses before it.
    bool contains(const void* address, u64 count) const {
      const u64 offset = reinterpret_cast<u64>(address) - reinterpret_cast<u64>(begin);
      return offset < bytes && count <= bytes - offset;
    }
  };

  Allocations() = default;
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  ~Allocations();

  void* allocate(u64 bytes);         // aligned to 256 bytes like the driver's; throws DeviceError when memory is short
  void free(void* memory) noexcept;  // ends the process if a guard zone was written to
  void wrap(void* memory, u64 bytes);               // the program's: no poison, no guard zones
  void unwrap(void* memory, u64 bytes) noexcept;    // once for each wrap()
  const Range* find(const void* address) const;     // the allocation that holds the address, or null
  std::string damaged_guard() const;                // empty if every guard zone is intact, else what was written to
  std::string describe(const void* address) const;  // the allocation of an address, for reports

 private:
  std::vector<Range> ranges_;   // sorted by address
  std::vector<Range> wrapped_;  // the same memory may be there more than once
};

}  // namespace scantune
