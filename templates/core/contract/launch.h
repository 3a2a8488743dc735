// What a family requests from the runtime: a workspace, and a list of kernel launches.
#pragma once

#include "core/contract/operand_role.h"
#include "core/contract/strides.h"
#include "core/contract/value.h"

namespace scantune {

// States of the caller's maps, operators and equalities, passed by value with every call.
struct CallStates {
  alignas(16) unsigned char load[kMaxValueBytes];
  alignas(16) unsigned char store[kMaxValueBytes];
  alignas(16) unsigned char combine[kMaxValueBytes];
  alignas(16) unsigned char equal[kMaxValueBytes];
};

// The only parameter of every kernel. The runtime fills in pointers and values; the rest comes from the Launch. Members
// that the request does not use hold anything, except pointers, which are null.
//
// A kernel waits for each line of the constant cache that it reads of this, 64 bytes long. Where they begin depends on
// the architecture: on sm_90 the first one ends after 48 bytes, so these hold what every kernel reads.
struct KernelArguments {
  static constexpr int kMostRoles = 18;

  void* ends[2];  // input and output; kernels write outputs alone
  void* workspace;
  u64 n;
  u64 extents[2];
  u64 scratch[2];
  alignas(16) unsigned char init[kMaxValueBytes];  // the initial value; or what items are compared with, or a state
  void* others[kMostRoles - 2];                    // by OperandRole
  Layout layout;                                   // of strided items
  CallStates states;

  template <class T = void>
  constexpr T* operand(OperandRole role) const {
    const int place = static_cast<int>(role);
    return static_cast<T*>(place < 2 ? ends[place] : others[place - 2]);
  }
  constexpr void set_operand(OperandRole role, const void* pointer) {
    const int place = static_cast<int>(role);
    (place < 2 ? ends[place] : others[place - 2]) = const_cast<void*>(pointer);
  }
};

// What a workspace may hold between launches. Status words survive from launch to launch, and their epoch distinguishes
// them, so two layouts never share a region: an old payload must not be read as another layout's flag.
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
// anything. With status words, the CTA of the last tile advances the epoch; with persistent CTAs, the last one to draw
// its last ticket; and if one CTA gathers all published values, that one. In a counted workspace the last CTA to arrive
// resets the count to 0.
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
  u64 n = 0;            // items this launch works on
  u64 extents[2] = {};  // of the problem, as the family counts: items of a row, rows, columns, segments, tiles, digits
  u64 scratch[2] = {};  // bytes into the workspace, of what the launch reads there and of what it writes
  bool pdl = false;  // launched with programmatic stream serialization; the kernel waits before its first global access
  Dispatch dispatch = Dispatch::any_order;
  int cluster_blocks = 1;          // CTAs of consecutive index that run at the same time; the grid is a multiple of it
  int persistent_ctas_per_sm = 0;  // if not 0: no more CTAs than this for each SM, which share the work
};

// Passes the numbers of a launch to its kernels.
constexpr void set_launch(KernelArguments& arguments, const Launch& launch) {
  arguments.n = launch.n;
  for (int place = 0; place < 2; ++place) {
    arguments.extents[place] = launch.extents[place];
    arguments.scratch[place] = launch.scratch[place];
  }
}

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

// The grid of CTAs that take turns, where there is work for so many: at least one.
constexpr u32 grid_for(u64 blocks) {
  return static_cast<u32>(blocks < 1 ? 1 : blocks < kMaxGridBlocks ? blocks : kMaxGridBlocks);
}

}  // namespace scantune
