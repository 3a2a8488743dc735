// What kernels call: the functions of host_abi.h, in the fibre of the thread that calls them.
#include "device/host/machine.h"

namespace scantune {

struct MachineHooks {
  static CudaThread& thread() { return *static_cast<CudaThread*>(Machine::hooks_.lane); }
  static Machine& machine() { return *thread().machine; }

  static void sync_block(host::Site site) { machine().meetings_.sync_block(thread(), site); }
  static void sync_warp(u32 mask, host::Site site) { machine().meetings_.sync_warp(thread(), mask, site); }
  static void shuffle(void* out, const void* in, u32 bytes, host::Shuffle kind, u32 operand, u32 mask,
                      host::Site site) {
    machine().meetings_.shuffle(thread(), out, in, bytes, kind, operand, mask, site);
  }
  static u32 ballot(u32 mask, bool vote, host::Site site) {
    return machine().meetings_.ballot(thread(), mask, vote, site);
  }

  static void load(void* out, const void* address, u32 bytes, host::Order order, host::Site site) {
    machine().global_.load(out, address, bytes, order, site);
  }
  static void store(void* address, const void* in, u32 bytes, host::Order order, host::Site site) {
    machine().global_.store(address, in, bytes, order, site);
  }
  static u32 fetch_add(u32* address, u32 value, host::Site site) {
    return machine().global_.fetch_add(address, value, site);
  }
  static u64 compare_exchange(u64* address, u64 expected, u64 desired, host::Site site) {
    return machine().global_.compare_exchange(address, expected, desired, site);
  }
  static void fence(host::Site) { machine().global_.fence(); }
  static void poll_pause(host::Site site) { machine().pollers_.pause(site); }

  static void wait_for_predecessor(host::Site site) { machine().grids_.wait_for_predecessor(site); }
  static void release_dependents(host::Site) { machine().grids_.release(*thread().warp->cta); }
  static void prefetch(const void* global, u32 bytes, host::Site site) {
    machine().copies_.prefetch(global, bytes, site);
  }

  static void cluster_arrive(host::Site site) { machine().clusters_.arrive(site); }
  static void cluster_wait(host::Site site) { machine().clusters_.wait(site); }
  static void send_to_cta(void* mine, u32 cta, const void* in, u32 bytes, u64* barrier, host::Site site) {
    machine().clusters_.send(mine, cta, in, bytes, barrier, site);
  }

  static void barrier_init(u64* barrier, u32 arrivals, host::Site site) {
    machine().barriers_.init(barrier, arrivals, site);
  }
  static void fence_barrier_init(host::Site site) { machine().barriers_.fence_init(site); }
  static void barrier_arrive(u64* barrier, u32 announced_bytes, host::Site site) {
    machine().barriers_.arrive(barrier, announced_bytes, site);
  }
  static bool barrier_test(u64* barrier, u32 parity, host::Site site) {
    return machine().barriers_.test(barrier, parity, site);
  }
  static void barrier_wait(u64* barrier, u32 parity, host::Scope scope, host::Site site) {
    machine().barriers_.wait(barrier, parity, scope, site);
  }

  static void bulk_load(void* shared, const void* global, u32 bytes, u64* barrier, host::Site site) {
    machine().copies_.load(shared, global, bytes, barrier, site);
  }
  static void bulk_store(void* global, const void* shared, u32 bytes, host::Site site) {
    machine().copies_.store(global, shared, bytes, site);
  }
  static void bulk_commit(host::Site site) { machine().copies_.commit(site); }
  static void bulk_wait(u32 unfinished_groups, bool written, host::Site site) {
    machine().copies_.wait(unfinished_groups, written, site);
  }
  static void fence_shared_for_bulk(host::Site site) { machine().copies_.fence(site); }
};

constinit host::Hooks Machine::hooks_ = {.lane = nullptr,
                                         .sync_block = MachineHooks::sync_block,
                                         .sync_warp = MachineHooks::sync_warp,
                                         .shuffle = MachineHooks::shuffle,
                                         .ballot = MachineHooks::ballot,
                                         .load = MachineHooks::load,
                                         .store = MachineHooks::store,
                                         .fetch_add = MachineHooks::fetch_add,
                                         .compare_exchange = MachineHooks::compare_exchange,
                                         .fence = MachineHooks::fence,
                                         .poll_pause = MachineHooks::poll_pause,
                                         .wait_for_predecessor = MachineHooks::wait_for_predecessor,
                                         .release_dependents = MachineHooks::release_dependents,
                                         .prefetch = MachineHooks::prefetch,
                                         .cluster_arrive = MachineHooks::cluster_arrive,
                                         .cluster_wait = MachineHooks::cluster_wait,
                                         .send_to_cta = MachineHooks::send_to_cta,
                                         .barrier_init = MachineHooks::barrier_init,
                                         .fence_barrier_init = MachineHooks::fence_barrier_init,
                                         .barrier_arrive = MachineHooks::barrier_arrive,
                                         .barrier_test = MachineHooks::barrier_test,
                                         .barrier_wait = MachineHooks::barrier_wait,
                                         .bulk_load = MachineHooks::bulk_load,
                                         .bulk_store = MachineHooks::bulk_store,
                                         .bulk_commit = MachineHooks::bulk_commit,
                                         .bulk_wait = MachineHooks::bulk_wait,
                                         .fence_shared_for_bulk = MachineHooks::fence_shared_for_bulk};

}  // namespace scantune
