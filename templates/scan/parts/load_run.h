// Loads consecutive items from any address in global memory into shared memory, by all threads of a CTA.
#pragma once

#include "core/parts/vector_boundary.h"
#include "scan/parts/head_scan.h"

namespace scantune {

// `space` is on a vector boundary. Items are loaded as vectors, so they are as far past a boundary there as in global
// memory. Returns the address of the first.
template <CacheHint kHint, int kThreads, u32 kMostItems, class Items>
SCANTUNE_DEVICE auto load_run_by_vectors(unsigned char* space, Items from, u32 items) {
  using Item = typename ItemOf<Items>::Type;
  struct alignas(kVectorAlignmentBytes) Vector {
    unsigned char bytes[kVectorAlignmentBytes];
  };
  constexpr u32 kVectorItems = kVectorAlignmentBytes / sizeof(Item), kMostVectors = kMostItems / kVectorItems;
  constexpr int kEach = ceil_div(kMostVectors, u32{kThreads});
  const u32 before = scantune::bytes_before_boundary(from) / sizeof(Item), head = before < items ? before : items;
  const u32 vectors = (items - head) / kVectorItems, done = head + vectors * kVectorItems;
  Item* const to = reinterpret_cast<Item*>(space) + (kVectorItems - before) % kVectorItems;

  // All vectors are on their way before any is waited for.
  Vector held[kEach];
#pragma unroll
  for (int turn = 0; turn < kEach; ++turn)
    if (const u32 vector = turn * kThreads + thread_rank(); vector < vectors)
      held[turn] = scantune::load_global<kHint>(scantune::vectors_of<const Vector>(from + head) + vector);
  if (thread_rank() < head) to[thread_rank()] = scantune::load_global<CacheHint::normal>(from + thread_rank());
  if (const u32 item = done + thread_rank(); item < items)
    to[item] = scantune::load_global<CacheHint::normal>(from + item);
#pragma unroll
  for (int turn = 0; turn < kEach; ++turn)
    if (const u32 vector = turn * kThreads + thread_rank(); vector < vectors)
      reinterpret_cast<Vector*>(to + head)[vector] = held[turn];
  return static_cast<const Item*>(to);
}

// Items that no vectors are made of come one by one.
template <CacheHint kHint, int kThreads, class Items>
SCANTUNE_DEVICE auto load_run_itemwise(unsigned char* space, Items from, u32 items) {
  using Item = typename ItemOf<Items>::Type;
  Item* const to = reinterpret_cast<Item*>(space);
  for (u32 item = thread_rank(); item < items; item += kThreads) to[item] = scantune::load_global<kHint>(from + item);
  return static_cast<const Item*>(to);
}

}  // namespace scantune
