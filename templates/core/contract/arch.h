// The limits of an architecture on which a config's validity depends.
#pragma once

#include "core/contract/types.h"

namespace scantune {

inline constexpr int kMaxBlockThreads = 1024;  // on every architecture

// CTAs of a cluster on every architecture that has clusters. Larger ones need an opt-in.
inline constexpr int kMaxPortableClusterBlocks = 8;

inline constexpr int kHostSm = 0;  // the host device: runs every kernel, so it has the limits of the newest GPU

struct ArchLimits {
  int shared_bytes_per_block;  // the most with the opt-in attribute
  int threads_per_sm;
  bool has_pdl;        // programmatic dependent launch (griddepcontrol)
  bool has_bulk_copy;  // asynchronous bulk copies that complete on an mbarrier
  int cluster_blocks;  // most CTAs of a cluster; 1: no clusters. A part of a GPU may offer fewer
};

// sm is 10 * major + minor of the compute capability, or kHostSm.
constexpr ArchLimits limits_of(int sm) {
  if (sm == kHostSm) return {227 * 1024, 2048, true, true, 16};
  if (sm < 80) return {64 * 1024, 1024, false, false, 1};
  if (sm == 80) return {163 * 1024, 2048, false, false, 1};
  if (sm == 87) return {163 * 1024, 1536, false, false, 1};
  if (sm < 90) return {99 * 1024, 1536, false, false, 1};
  if (sm < 120) return {227 * 1024, 2048, true, true, 16};
  return {99 * 1024, 1536, true, true, kMaxPortableClusterBlocks};
}

}  // namespace scantune
