// Workspaces and allocators that the program provides.
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

// Device memory for a run of a plan to work in. It overlaps nothing else the run reads or writes, is at a multiple of
// 16 bytes, and may hold anything.
struct Workspace {
  void* memory = nullptr;
  std::uint64_t bytes = 0;  // at least the plan's workspace_bytes()

  static constexpr std::uint64_t kAlignmentBytes = SCANTUNE_WORKSPACE_ALIGNMENT;  // the best
};

// Functions of the program that allocate workspaces, such as a framework's caching allocator. scantune_allocator
// (scantune.h) has the rules for them.
struct Allocator {
  // Returns null if memory is short. An exception counts as null.
  using Allocate = std::function<void*(std::uint64_t bytes, int device)>;
  // Frees memory that no work uses any more. Exceptions are dropped.
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

// Allocators are kept until the process ends: memory may return to any of them.
inline Allocator& kept(Allocator allocator) {
  static std::mutex mutex;
  static auto& all = *new std::forward_list<Allocator>;
  const std::lock_guard lock(mutex);
  return all.emplace_front(std::move(allocator));
}

}  // namespace detail

// Makes the whole process allocate new workspaces from the allocator. It is kept until the process ends, because memory
// returns to the allocator that it came from. A concurrent call may still use the previous allocator. Buffers always
// come from the driver. Throws RequestError if a function is empty.
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

// Allocates new workspaces from the driver again.
inline void reset_allocator() { detail::check(scantune_set_allocator(nullptr)); }

// Frees cached memory, to the driver or to the allocator that it came from, and returns the number of bytes.
// scantune_trim() has the rules.
inline std::uint64_t trim() {
  std::uint64_t freed_bytes = 0;
  detail::check(scantune_trim(&freed_bytes));
  return freed_bytes;
}

}  // namespace scantune::runtime

#endif
