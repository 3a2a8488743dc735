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
    if (add(kOneCall, static_cast<unsigned>(addresses % kMostAlignment)) < kOneCall) keep_written();
  }

  bool has_calls() const noexcept { return state_.load(std::memory_order_relaxed) >= kOneCall; }
  // The calls since it was last asked.
  Calls take() noexcept;
  // Calls that were taken and not written.
  void put_back(const Calls& calls) noexcept;

 private:
  static constexpr u64 kOneCall = kMostAlignment;

  static void keep_written() noexcept;  // by the recorder that all counters belong to

  // Adds calls to the state, which it returns as it was.
  u64 add(u64 calls, u64 address_bits) noexcept {
    u64 before = state_.load(std::memory_order_relaxed);
    while (!state_.compare_exchange_weak(before, (before | address_bits) + calls, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
    return before;
  }

  std::array<bool, OperandList::kCapacity> is_array_{};
  // One word, so that who takes the calls takes their alignment: the bits that some address has, and above them how
  // many calls there were.
  std::atomic<u64> state_ = 0;
};

}  // namespace scantune
