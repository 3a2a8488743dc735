// The regions of a stream's workspaces. Old status words of one layout must never be read as words of another, so each
// kind and value size has a region of its own.
#pragma once

#include <bit>

#include "core/contract/launch.h"

namespace scantune {

inline constexpr int kWorkspaceLayouts = 2 + 2 * kMaxValueBytes;

// need.kind must not be `none`.
constexpr int layout_of(const WorkspaceNeed& need) {
  if (need.kind == WorkspaceKind::scratch) return 0;
  if (need.kind == WorkspaceKind::counted) return kWorkspaceLayouts - 1;
  return (need.kind == WorkspaceKind::split_status ? kMaxValueBytes : 0) + need.value_bytes;
}

constexpr bool needs_zeroing(const WorkspaceNeed& need) { return need.kind != WorkspaceKind::scratch; }

// How many bytes at its start must be zero before one run in a workspace that may hold anything: all status words,
// since no epoch distinguishes them from old contents, and the header of a counted one.
constexpr u64 bytes_to_zero(const WorkspaceNeed& need) {
  if (need.kind == WorkspaceKind::none || need.kind == WorkspaceKind::scratch) return 0;
  return need.kind == WorkspaceKind::counted ? sizeof(WorkspaceHeader) : need.bytes;
}

// The alignment of the library's own workspaces, which all memory of the driver has.
inline constexpr u64 kWorkspaceAlignmentBytes = 256;
static_assert(kWorkspaceAlignmentBytes % alignof(WorkspaceHeader) == 0 &&
              kWorkspaceAlignmentBytes % kVectorAlignmentBytes == 0);

// The caller's workspaces are at multiples of what the widest access of kernels needs. Where a header comes first,
// which compilers take to be aligned as its type says, it is at the first such place in the workspace.
inline constexpr u64 kLeastWorkspaceAlignmentBytes = kVectorAlignmentBytes;
constexpr u64 workspace_alignment(const WorkspaceNeed& need) {
  const bool has_header = need.kind != WorkspaceKind::none && need.kind != WorkspaceKind::scratch;
  return has_header ? alignof(WorkspaceHeader) : kLeastWorkspaceAlignmentBytes;
}
// Bytes of a workspace of the caller's for one run.
constexpr u64 given_bytes(const WorkspaceNeed& need) {
  return need.bytes + workspace_alignment(need) - kLeastWorkspaceAlignmentBytes;
}

// Bytes to allocate for a need: the next of 1, 1.25, 1.5 and 1.75 times a power of two, so that growing is geometric
// and wastes at most a quarter.
constexpr u64 size_class(u64 bytes) {
  constexpr u64 kSmallest = 1024;
  if (bytes <= kSmallest) return kSmallest;
  return round_up(bytes, std::bit_floor(bytes - 1) / 4);
}

}  // namespace scantune
