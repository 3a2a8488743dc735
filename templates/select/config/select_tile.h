// How a CTA processes a tile of a selection; the configs of its families share it.
#pragma once

#include "core/contract/cta.h"
#include "core/contract/family.h"
#include "select/config/select.h"

namespace scantune {

inline constexpr u64 kLeastSelectTileItems = 64;
inline constexpr int kMostHeldBytes = 256;  // of an array in the registers of a thread

// Items per load. Vectors begin on boundaries of the input; items that may cross these are loaded one by one.
constexpr int vector_items(const auto& config, const SelectRequest& request, Variant variant) {
  const int bytes = request.input_bytes();
  const bool on_boundaries = variant == Variant::aligned || request.alignment_of(request.input_type) == bytes;
  return on_boundaries && config.vector_bytes % bytes == 0 ? config.vector_bytes / bytes : 1;
}

// Items between the boundaries of the input on which tiles may begin. A config that needs other ones overloads this.
constexpr int boundary_items(const auto& config, const SelectRequest& request, Variant variant) {
  return vector_items(config, request, variant);
}

// Tiles of n items and at least one, which writes the count. Where boundaries are before the input, so is the first.
constexpr u64 tiles(const auto& config, const SelectRequest& request, Variant variant) {
  const int before = variant == Variant::aligned ? 0 : boundary_items(config, request, variant) - 1;
  const u64 count = ceil_div(request.n + static_cast<u64>(before), config.tile_items());
  return count > 0 ? count : 1;
}

// Parts whose items are counted: all but the last.
constexpr int counted_parts(const SelectRequest& request) { return request.parts() - 1; }

// Bytes of shared memory where a tile's kept items are compacted, then each other part, from a vector boundary.
constexpr u64 staged_bytes(const auto& config, const SelectRequest& request) {
  if (!request.writes_items()) return 0;
  return round_up(config.tile_items() * static_cast<u64>(request.input_bytes()), kVectorAlignmentBytes) +
         static_cast<u64>(counted_parts(request) * kVectorAlignmentBytes);
}

// Bytes of shared memory for the places in the tile that kept items come from: a u16 each.
constexpr u64 places_bytes(const auto& config, const SelectRequest& request) {
  const bool has_places = request.writes_indices() || request.has_values();
  return has_places ? config.tile_items() * sizeof(u16) : 0;
}

constexpr int tile_shared_bytes(const auto& config, const SelectRequest& request) {
  const int of_warps = counted_parts(request) * kWarpThreads * static_cast<int>(sizeof(u32));
  return of_warps + static_cast<int>(staged_bytes(config, request) + places_bytes(config, request));
}

// How many of the items that go to an index and on have room.
constexpr u32 items_with_room(u64 room, u64 index, u32 items) {
  if (index >= room) return 0;
  return room - index < items ? static_cast<u32>(room - index) : items;
}

// Tells a launch the room for the kept items, then the units of a value or, since there are no values of others, the
// room for the second part, and the room for the rest. Selections read nothing of a workspace by `scratch`, which holds
// the last two.
constexpr void tell_room(Launch& launch, const SelectRequest& request) {
  launch.extents[1] = request.capacity;
  launch.scratch[0] = request.has_values() ? request.units : request.second_capacity;
  launch.scratch[1] = request.rejected_capacity;
}

// Null if the tile is one that kernels take, else why not.
constexpr const char* invalid_select_tile_reason(const auto& config, const SelectRequest& request, int sm) {
  const int threads = config.block_threads, items = config.items_per_thread, bytes = config.vector_bytes;
  if (const char* reason = invalid_threads_reason(threads)) return reason;
  if (items < 1 || items > 64) return "items_per_thread must be between 1 and 64";
  if (items * request.input_bytes() > kMostHeldBytes)
    return "items_per_thread items would not fit the registers of a thread";
  if (items * request.flag_bytes() > kMostHeldBytes)
    return "items_per_thread flags would not fit the registers of a thread";
  if (bytes != 4 && bytes != 8 && bytes != 16) return "vector_bytes must be 4, 8 or 16";
  if (items % vector_items(config, request, Variant::aligned) != 0)
    return "items_per_thread must be a multiple of the items in a vector";
  if (config.tile_items() < kLeastSelectTileItems) return "a tile must hold at least 64 items";
  if (tiles(config, request, Variant::any) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
  if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
    return "the tile does not fit in shared memory";
  return nullptr;
}

}  // namespace scantune
