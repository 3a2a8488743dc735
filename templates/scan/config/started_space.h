// How the shared memory of a warp is divided where segments start at any item. Config and kernel read it here.
#pragma once

#include "core/contract/cta.h"
#include "scan/config/scan.h"

namespace scantune {

struct StartedSpace {
  int starts_at;  // after the accumulators: bytes with a bit for each item, later places of totals, of two bytes each
  int keys_at;    // the warp's keys and the one before them, where totals take theirs from here
  int bytes;
};

// The most bytes of an accumulator, as the request of pairs tells (behind_starts()).
constexpr int most_started_value_bytes(const ScanRequest& request) {
  return request.custom_bytes - request.custom_alignment;
}

// The bytes of a key, 0 without keys.
constexpr int key_bytes(const ScanRequest& request) {
  if (request.segments != Segments::keys) return 0;
  return request.equality == Equality::source ? request.key_type.bytes() : size_of(type_of(request.keys));
}

// Whether the keys of a tile stay in shared memory until its totals are known. Those that a source compares are of any
// size, and are read again.
constexpr bool keeps_keys(const ScanRequest& request) {
  return request.writes_totals() && request.segments == Segments::keys && request.equality == Equality::built_in;
}

// exchange_bytes: what the warp scan of pairs takes in the place of the accumulators.
constexpr StartedSpace started_space(int items_per_thread, int exchange_bytes, const ScanRequest& request) {
  const auto aligned = [](int bytes) {
    return static_cast<int>(round_up(static_cast<u64>(bytes), u64{kVectorAlignmentBytes}));
  };
  const int items = kWarpThreads * items_per_thread;
  const int turned = (items + kWarpThreads) * most_started_value_bytes(request);  // a gap for each lane
  StartedSpace space{};
  space.starts_at = aligned(turned < exchange_bytes ? exchange_bytes : turned);
  space.keys_at = space.starts_at + aligned(request.writes_totals() ? 2 * items : items);
  space.bytes = space.keys_at;
  if (keeps_keys(request)) space.bytes += aligned((items + 1) * key_bytes(request));
  return space;
}

}  // namespace scantune
