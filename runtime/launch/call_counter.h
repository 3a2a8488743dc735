// How often a problem is called, for SCANTUNE_RECORD.
#pragma once

#include <atomic>
#include <cstdint>

#include "launch/arguments.h"
#include "space/operands.h"

namespace scantune {

// The calls of one problem as one config serves it, by any number of plans, since they were last written. Threads may
// count while another takes.
class CallCounter {
 public:
  static constexpr unsigned kMostAlignment = 256;  // of memory that CUDA allocates

  struct Calls {
    u64 count;
    unsigned alignment;  // the least that the arrays of these calls had, in bytes
  };

  explicit CallCounter(const Request& request);

  void count(const Pointers& pointers) noexcept {
    std::uintptr_t addresses = 0;
    for (std::size_t place = 0; place < pointers.size(); ++place)
      if (is_array_[place]) addresses |= reinterpret_cast<std::uintptr_t>(pointers[place]);
    addresses_.fetch_or(static_cast<unsigned>(addresses % kMostAlignment), std::memory_order_relaxed);
    if (count_.fetch_add(1, std::memory_order_release) == 0) keep_written();
  }

  // The calls since it was last asked.
  Calls take() noexcept;
  // Calls that were taken and not written.
  void put_back(const Calls& calls) noexcept;

 private:
  static void keep_written() noexcept;  // by the recorder that all counters belong to

  std::array<bool, OperandList::kCapacity> is_array_{};
  std::atomic<u64> count_ = 0;
  std::atomic<unsigned> addresses_ = 0;  // bits that some address has
};

}  // namespace scantune
