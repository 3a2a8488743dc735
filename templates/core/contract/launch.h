// What a family needs of the runtime: workspace, and a list of kernel launches.
#pragma once

#include "core/contract/strides.h"
#include "core/contract/value.h"

namespace scantune {

// What maps and operators of the caller's own take by value with every call.
struct CallStates {
  alignas(16) unsigned char load[kMaxValueBytes];
  alignas(16) unsigned char store[kMaxValueBytes];
#if !defined(__CUDACC_RTC__) || defined(SCANTUNE_OPERATOR_STATE)
  alignas(16) unsigned char combine[kMaxValueBytes];
#endif
};

// The one parameter of every kernel. The runtime fills in pointers and init; the rest comes from the Launch.
struct KernelArguments {
  const void* input;
  void* output;
  void* workspace;
  u64 n;                                           // items this launch works on
  u64 source_offset;                               // mostly bytes into the workspace: the family's business
  u64 destination_offset;                          // the same for the results
  const void* init_memory;                         // where initial values lie that are not below, accumulators
  void* position;                                  // where the places of results go
  alignas(16) unsigned char init[kMaxValueBytes];  // the initial value; or what items are compared with, or a state
// Kernels that do not read n have no such arguments, so that their machine code is what it was before there were any.
// The same goes for those of dense items, for those that select none, and for those without states.
#if !defined(__CUDACC_RTC__) || defined(SCANTUNE_READS_N) || defined(SCANTUNE_STRIDED) || defined(SCANTUNE_SELECTS) || \
    defined(SCANTUNE_HAS_STATES)
  const void* n_memory;  // NSource::memory: where the number of items lies, a u64
  void* clamped;         // where a u32 goes that says whether that number is more than n; null: nowhere
#endif
#if !defined(__CUDACC_RTC__) || defined(SCANTUNE_STRIDED) || defined(SCANTUNE_SELECTS) || defined(SCANTUNE_HAS_STATES)
  Layout layout;
#endif
#if !defined(__CUDACC_RTC__) || defined(SCANTUNE_SELECTS) || defined(SCANTUNE_HAS_STATES)
  const void* flags;    // of the items, a u8 each
  const void* values;   // beside the items
  void* values_output;  // where those of kept items go
  void* rejected;       // where the other items go
  void* count;          // where the number of kept items goes, a u64, and that of a second part
  void* second;         // where the second of three parts goes
#endif
#if !defined(__CUDACC_RTC__) || defined(SCANTUNE_HAS_STATES)
  CallStates states;
#endif
};

// Which bytes a workspace may hold between launches. Status words survive from launch to launch and are told apart by
// their epoch, so a region is never shared by two layouts: an old payload must not be read as another layout's flag.
enum class WorkspaceKind {
  none,
  scratch,        // written before it is read in every launch; needs no zeroing
  packed_status,  // WorkspaceHeader, then words with flag, epoch and value for each tile
  split_status,   // WorkspaceHeader, then one record per tile: flag and epoch, aggregate, prefix
  counted,        // WorkspaceHeader, all zero between launches, then memory that is written before it is read
};

struct WorkspaceNeed {
  WorkspaceKind kind = WorkspaceKind::none;
  int value_bytes = 0;  // accumulator size, for status kinds; each size has its region
  u64 bytes = 0;        // header included

  constexpr bool operator==(const WorkspaceNeed&) const = default;
};

// First bytes of a workspace with status words, and of a counted one; all zero before its first use. No launch clears
// anything. With status words the CTA of the last tile moves the epoch on; among persistent CTAs it is the last one to
// draw its last ticket, and where one CTA gathers what all have published, that one. In a counted workspace the last
// CTA to arrive puts back 0.
struct alignas(128) WorkspaceHeader {
  u32 epoch;       // epoch of the last finished launch; the running one uses epoch + 1
  u32 ticket;      // next tile to hand out, or CTAs that have started; 0 between launches
  u32 finished;    // CTAs done, counted by persistent kernels, in counted workspaces and where the epoch wraps
  u32 high_water;  // most tiles any launch has used since the last wrap
  u64 gathered;    // of a counted workspace: how many CTAs have combined their values, and what came of it
};

// A status word keeps its flag in the low two bits and the epoch above.
inline constexpr u32 kLastEpoch = (1u << 30) - 1;

enum class Dispatch {
  any_order,  // CTAs may start in any order
  in_order,   // a CTA waits for CTAs of lower index, so these must start first
};

struct Launch {
  int kernel = 0;  // index into the family's kernel names
  u32 grid_blocks = 1;
  int block_threads = 1;
  int shared_bytes = 0;
  u64 n = 0;
  u64 source_offset = 0;
  u64 destination_offset = 0;
  bool pdl = false;  // launched with programmatic stream serialization; the kernel waits before its first global access
  Dispatch dispatch = Dispatch::any_order;
  int cluster_blocks = 1;          // CTAs of consecutive index that run at the same time; the grid is a multiple of it
  int persistent_ctas_per_sm = 0;  // if not 0: no more CTAs than this for each SM, which share the work
};

// CTAs of the launch on a device with this many SMs.
constexpr u32 grid_blocks(const Launch& launch, int sm_count) {
  if (launch.persistent_ctas_per_sm == 0) return launch.grid_blocks;
  const u32 cluster = static_cast<u32>(launch.cluster_blocks);
  const u32 clusters = static_cast<u32>(launch.persistent_ctas_per_sm * sm_count) / cluster;
  const u32 resident = clusters > 0 ? clusters * cluster : cluster;
  return launch.grid_blocks < resident ? launch.grid_blocks : resident;
}

struct LaunchList {
  static constexpr int kCapacity = 16;
  Launch launches[kCapacity] = {};
  int count = 0;

  constexpr void add(const Launch& launch) { launches[count++] = launch; }
};

inline constexpr u64 kMaxGridBlocks = 0x7fffffff;

}  // namespace scantune
