// The parts of a running grid: CTAs, their warps and their threads.
#pragma once

#include <algorithm>
#include <vector>

#include "core/contract/arch.h"
#include "core/machine/host_abi.h"
#include "device/host/cluster.h"
#include "device/host/fibre.h"
#include "device/host/shared_memory.h"
#include "device/host/stacks.h"
#include "device/host/weak_memory.h"

namespace scantune {

class Machine;
struct Cta;
struct Warp;

enum class Waiting : u8 {
  nothing,
  sync_warp,
  ballot,
  shuffle,
  sync_block,
  cluster,  // the cluster's barrier
  memory,
  predecessor,
  barrier,         // a phase to end
  tested_barrier,  // a phase to end, and it may do something else before
  copies_read,     // its bulk stores to read their source
  copies_written,  // its bulk stores to write their destination
  exited
};

inline constexpr u32 kNoPoll = ~0u;

inline constexpr u32 kMaxResidentCtas = 8;  // except that one cluster always fits
inline constexpr u32 kSlots = std::max(kMaxResidentCtas, static_cast<u32>(limits_of(kHostSm).cluster_blocks));
inline constexpr u32 kMaxResidentThreads = 2048;  // more would not fit the caches

struct CudaThread : host::Lane, Fibre {
  Machine* machine = nullptr;
  Warp* warp = nullptr;
  u32 lane = 0;
  u32 lane_bit = 0;
  Viewer viewer{};
  bool predecessor_done = false;

  u32 cluster_arrivals = 0;  // arrivals at its cluster's barrier
  u32 cluster_waits = 0;     // waits at its cluster's barrier

  // Tests of barriers that saw no phase end, one after another.
  u32 failed_tests = 0;
  u32 tested_at = 0;  // phases that had ended in its CTA

  // Groups of bulk stores, numbered in order.
  u32 open_group = 0;     // takes its next store
  u32 stored_groups = 0;  // groups up to its last store
  u32 read_groups = 0;    // groups that it has waited for

  // What it waits for, unless it is runnable.
  Waiting waiting = Waiting::nothing;
  u32 mask = 0;
  u32 barrier = 0;  // index in its CTA
  u32 parity = 0;
  u32 waited_groups = 0;
  host::Site site{};

  // Whether [address, address + bytes) is aligned and in the shared memory of its CTA.
  bool has_in_shared(const void* address, u32 bytes, u32 alignment) const {
    const u64 offset = reinterpret_cast<u64>(address) - reinterpret_cast<u64>(shared);
    return offset % alignment == 0 && offset < shared_bytes && bytes <= shared_bytes - offset;
  }
};

// Lanes of one warp that have arrived at the same operation.
struct Meeting {
  enum class Operation : u8 { sync_warp, ballot, shuffle_up, shuffle_down, shuffle_index };
  Operation operation{};
  u32 bytes = 0;
  u32 mask = 0;
  u32 arrived = 0;
};

// The lanes' operands of a meeting are arrays, since completing one looks at all lanes.
struct Warp {
  static constexpr u32 kMaxShuffleBytes = 32;

  Cta* cta = nullptr;
  CudaThread* threads = nullptr;
  u32 index = 0;
  u32 existing = 0;  // lanes
  u32 exited = 0;
  u32 runnable = 0;
  u32 polling = 0;
  u32 testing = 0;   // lanes that rest until a phase ends
  u32 awaiting = 0;  // lanes that wait for the end of a phase
  u32 at_cluster = 0;
  u32 votes = 0;
  u32 rotation = 0;     // where the order of its lanes starts
  bool queued = false;  // or it is parked
  bool listed_as_poller = false;
  u32 meeting_count = 0;
  void* result[32];  // where the lane's result goes
  u32 operand[32];
  u32 polled[32];  // count of polled changes at the oldest poll that the lane's next decision rests on
  alignas(16) unsigned char value[32][kMaxShuffleBytes];
  Meeting meetings[32];  // their masks are disjoint
};

struct Cta {
  u32 slot = 0;  // the index by which the machine's parts keep what they know of it
  u32 serial = 0;
  u32 grid = 0;
  u32 rank = 0;
  Cluster* cluster = nullptr;
  u32 cluster_rank = 0;
  u32 thread_count = 0;
  u32 live = 0;
  u32 at_barrier = 0;
  bool released = false;
  bool predecessor_done = false;  // some thread has waited
  u64 stalled_until = 0;          // step
  std::vector<CudaThread> threads;
  std::vector<Warp> warps;
  FibreStacks stacks;
  SharedMemory shared;
};

}  // namespace scantune
