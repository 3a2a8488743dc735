// Memory of the device that the library works in, where the program provides it.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <forward_list>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "scantune/error.hpp"
#include "scantune/scantune.h"
#include "scantune/status.hpp"

namespace scantune::runtime {

// Memory of the device for a run of a plan to work in, apart from all that the run reads or writes. The address is a
// multiple of 256 bytes, as that of all memory that CUDA allocates. It may hold anything.
struct Workspace {
  void* memory = nullptr;
  std::uint64_t bytes = 0;  // at least the plan's workspace_bytes()

  static constexpr std::uint64_t kAlignmentBytes = SCANTUNE_WORKSPACE_ALIGNMENT;
};

// Functions of the program that provide the memory of workspaces, such as those of a framework's caching allocator.
// The rules for them are those of scantune_allocator (scantune.h).
struct Allocator {
  // Returns null if there is no memory. What the function throws counts as null.
  using Allocate = std::function<void*(std::uint64_t bytes, int device)>;
  // Takes back memory that no work uses any more. What it throws is dropped.
  using Deallocate = std::function<void(void* memory, std::uint64_t bytes, int device)>;

  Allocate allocate;
  Deallocate deallocate;
};

namespace detail {

inline void* allocate_by(void* allocator, std::uint64_t bytes, std::int32_t device) noexcept {
  try {
    return static_cast<const Allocator*>(allocator)->allocate(bytes, device);
  } catch (...) {
    return nullptr;
  }
}

inline void deallocate_by(void* allocator, void* memory, std::uint64_t bytes, std::int32_t device) noexcept {
  try {
    static_cast<const Allocator*>(allocator)->deallocate(memory, bytes, device);
  } catch (...) {
  }
}

// Memory may go back to an allocator for as long as the process lives.
inline Allocator& kept(Allocator allocator) {
  static std::mutex mutex;
  static auto& all = *new std::forward_list<Allocator>;
  const std::lock_guard lock(mutex);
  return all.emplace_front(std::move(allocator));
}

}  // namespace detail

// Takes the memory of new workspaces, in the whole process, from the allocator, which is kept for as long as the
// process lives: memory goes back to what it came from. A call that runs meanwhile may use what was set before. Buffers
// are the driver's memory. Throws RequestError if a function is empty.
inline void set_allocator(Allocator allocator) {
  const bool is_whole = allocator.allocate && allocator.deallocate;
  if (!is_whole)
    throw RequestError(std::string("allocator.") + (allocator.allocate ? "deallocate" : "allocate") +
                       " is empty: an allocator has both functions; reset_allocator() brings back the driver");
  scantune_allocator passed = SCANTUNE_ALLOCATOR_INIT;
  passed.allocate = &detail::allocate_by;
  passed.deallocate = &detail::deallocate_by;
  passed.user = &detail::kept(std::move(allocator));
  detail::check(scantune_set_allocator(&passed));
}

// Takes the memory of new workspaces from the driver again.
inline void reset_allocator() { detail::check(scantune_set_allocator(nullptr)); }

// Gives kept memory back to the driver, or to the allocator that it came from, by the rules of scantune_trim(). Returns
// how many bytes that were.
inline std::uint64_t trim() {
  std::uint64_t freed_bytes = 0;
  detail::check(scantune_trim(&freed_bytes));
  return freed_bytes;
}

}  // namespace scantune::runtime

#endif
