// How a kernel compiled for the host device reaches the machine that runs it: one table of functions, bound once after
// the kernel's shared object is loaded. The host device implements it; only the headers of this folder call it.
#pragma once

#include "core/contract/launch.h"

namespace scantune::host {

// The place in the kernel's source that made a call, for reports.
struct Site {
  const char* file;
  int line;
};

// The CUDA thread that is running. The host device repoints Hooks::lane at every switch.
struct Lane {
  u32 thread_rank;    // threadIdx.x
  u32 block_rank;     // blockIdx.x
  u32 block_threads;  // blockDim.x
  u32 block_count;    // gridDim.x
  u32 cluster_rank;   // rank of the CTA in its cluster
  unsigned char* shared;
  u32 shared_bytes;
  const unsigned char* operator_state;  // among the arguments of its kernel, which sets this first
};

enum class Order {
  plain,    // ordinary access: a store may stay unseen by other CTAs until a fence or release
  relaxed,  // single-copy-atomic status access at gpu scope
  acquire,  // loads
  release   // stores: everything this thread has stored or seen at a barrier before becomes visible first
};

enum class Scope { cta, cluster };  // the threads whose stores to shared memory a wait makes visible

enum class Shuffle { up, down, index };

struct Hooks {
  Lane* lane;

  void (*sync_block)(Site);
  void (*sync_warp)(u32 mask, Site);
  // Every lane of mask calls with the same kind; out receives the source lane's value, or the caller's own if the
  // source is outside the warp. operand: a distance (up, down) or a lane (index).
  void (*shuffle)(void* out, const void* in, u32 bytes, Shuffle kind, u32 operand, u32 mask, Site);
  u32 (*ballot)(u32 mask, bool vote, Site);

  // Global memory. Every access of a kernel to global memory passes here.
  void (*load)(void* out, const void* address, u32 bytes, Order, Site);
  void (*store)(void* address, const void* in, u32 bytes, Order, Site);
  u32 (*fetch_add)(u32* address, u32 value, Site);  // relaxed, gpu scope; returns the old value
  // Relaxed, gpu scope; replaces the word if it is as expected, and returns what it was.
  u64 (*compare_exchange)(u64* address, u64 expected, u64 desired, Site);
  void (*fence)(Site);  // acquire-release fence at gpu scope (__threadfence)

  // Called in a spin loop after polls that did not satisfy: the thread need not run again before polled memory changes.
  void (*poll_pause)(Site);

  void (*wait_for_predecessor)(Site);  // griddepcontrol.wait
  void (*release_dependents)(Site);    // griddepcontrol.launch_dependents
  // Prefetches into a cache that all threads share; this does not count as a memory access (cp.async.bulk.prefetch.L2).
  void (*prefetch)(const void* global, u32 bytes, Site);

  // Clusters: the barrier of all their threads, and values that one CTA sends into the shared memory of another.
  void (*cluster_arrive)(Site);  // shows nothing of what came before (barrier.cluster.arrive.relaxed)
  void (*cluster_wait)(Site);
  void (*send_to_cta)(void* mine, u32 cta, const void* in, u32 bytes, u64* barrier, Site);

  // Barriers in shared memory (mbarrier).
  void (*barrier_init)(u64* barrier, u32 arrivals, Site);
  void (*fence_barrier_init)(Site);
  void (*barrier_arrive)(u64* barrier, u32 announced_bytes, Site);
  bool (*barrier_test)(u64* barrier, u32 parity, Site);
  void (*barrier_wait)(u64* barrier, u32 parity, Scope, Site);

  // Bulk asynchronous copies (cp.async.bulk) between shared and global memory.
  void (*bulk_load)(void* shared, const void* global, u32 bytes, u64* barrier, Site);
  void (*bulk_store)(void* global, const void* shared, u32 bytes, Site);
  void (*bulk_commit)(Site);
  // Waits until all but the latest unfinished_groups have read shared memory, or have written global memory too.
  void (*bulk_wait)(u32 unfinished_groups, bool written, Site);
  void (*fence_shared_for_bulk)(Site);  // fence.proxy.async
};

using BindFunction = void (*)(Hooks*);
using KernelFunction = void (*)(const KernelArguments*);
using ClusterBlocksFunction = i32 (*)();

}  // namespace scantune::host

// Each shared object exports scantune_bind and its kernels by name, and beside a kernel that is compiled for clusters
// NAME_cluster_blocks, which returns their size.
