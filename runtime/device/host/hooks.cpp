// What kernels call: the functions of host_abi.h.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "device/host/machine.h"

namespace scantune {

void Machine::sync_block(host::Site site) {
  CudaThread& thread = *current_;
  Cta& cta = *thread.warp->cta;
  thread.site = site;
  thread.waiting = Waiting::sync_block;
  ++cta.at_barrier;
  if (cta.live != cta.thread_count)
    return fail(
        {.what = "waits at a barrier that exited threads of its CTA can never reach", .thread = &thread, .site = site});
  if (cta.at_barrier != cta.thread_count) return give_way();
  complete_barrier(cta);
}

// Threads that met at a barrier see each other's stores, and what any of them had seen.
void Machine::complete_barrier(Cta& cta) {
  memory_.show_to_cta(cta.slot);
  cta.at_barrier = 0;
  u32 view = 0, polled = kNoPoll;
  bool predecessor_done = false;
  for (const CudaThread& thread : cta.threads) {
    view = std::max(view, thread.viewer.view);
    predecessor_done |= thread.predecessor_done;
  }
  for (CudaThread& thread : cta.threads) {
    thread.viewer.view = view;
    thread.predecessor_done = predecessor_done;
  }
  for (const Warp& warp : cta.warps) polled = std::min(polled, *std::min_element(warp.polled, warp.polled + 32));
  for (Warp& warp : cta.warps) {
    std::fill(warp.polled, warp.polled + 32, polled);
    wake(warp, warp.existing);
  }
  warp_->runnable &= ~current_->lane_bit;
  let_others_come_first_sometimes();
}

// The current lane takes part in an operation of all lanes of mask, and returns when it is complete.
void Machine::meet(Meeting::Operation operation, Waiting waiting, u32 bytes, u32 mask, host::Site site) {
  CudaThread& thread = *current_;
  Warp& warp = *thread.warp;
  thread.site = site;
  thread.mask = mask;
  thread.waiting = waiting;
  const u32 index =
      join(warp, {.operation = operation, .bytes = bytes, .mask = mask, .arrived = thread.lane_bit}, site);
  if (warp.meetings[index].arrived != mask) return give_way();
  const Meeting meeting = warp.meetings[index];
  warp.meetings[index] = warp.meetings[--warp.meeting_count];
  complete(warp, meeting);
}

u32 Machine::join(Warp& warp, const Meeting& wanted, host::Site site) {
  const auto misuse = [&](const char* what) {
    fail({.what = what, .thread = current_, .site = site, .mask = wanted.mask, .lists_waiting = true});
  };
  if ((wanted.mask & wanted.arrived) == 0) misuse("names a mask without itself:");
  if ((wanted.mask & ~warp.existing) != 0) misuse("names lanes that its warp does not have in its mask:");
  if ((wanted.mask & warp.exited) != 0) misuse("names lanes that have exited in its mask:");
  for (u32 index = 0; index < warp.meeting_count; ++index) {
    Meeting& meeting = warp.meetings[index];
    if (meeting.mask != wanted.mask) continue;
    if (meeting.operation != wanted.operation || meeting.bytes != wanted.bytes)
      misuse("meets other lanes of its mask at a different operation:");
    meeting.arrived |= wanted.arrived;
    return index;
  }
  warp.meetings[warp.meeting_count] = wanted;
  return warp.meeting_count++;
}

void Machine::complete(Warp& warp, const Meeting& meeting) {
  // What the lanes decide from here on rests on the oldest poll of any of them.
  u32 polled = kNoPoll;
  for (u32 lane = 0; lane < 32; ++lane)
    polled = std::min(polled, (meeting.mask >> lane & 1) != 0 ? warp.polled[lane] : kNoPoll);
  if (polled != kNoPoll)
    for (u32 lane = 0; lane < 32; ++lane)
      warp.polled[lane] = (meeting.mask >> lane & 1) != 0 ? polled : warp.polled[lane];

  switch (meeting.operation) {
    case Meeting::Operation::sync_warp:
      share_view(warp, meeting.mask);
      break;
    case Meeting::Operation::ballot:
      for (u32 lanes = meeting.mask; lanes != 0; lanes &= lanes - 1)
        *static_cast<u32*>(warp.result[std::countr_zero(lanes)]) = warp.votes & meeting.mask;
      break;
    default:
      if (meeting.bytes == 4) {
        complete_shuffle<u32>(warp, meeting);
      } else if (meeting.bytes == 8) {
        complete_shuffle<u64>(warp, meeting);
      } else {
        complete_shuffle<unsigned char[Warp::kMaxShuffleBytes]>(warp, meeting);
      }
  }
  warp.runnable |= meeting.mask & ~current_->lane_bit;
}

template <class Word>
void Machine::complete_shuffle(Warp& warp, const Meeting& meeting) {
  const u32 bytes = std::is_integral_v<Word> ? sizeof(Word) : meeting.bytes;
  for (u32 lanes = meeting.mask; lanes != 0; lanes &= lanes - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(lanes));
    const u32 operand = warp.operand[lane];
    u32 source = operand % 32;  // as the instruction takes an index
    if (meeting.operation == Meeting::Operation::shuffle_up) source = operand <= lane ? lane - operand : lane;
    if (meeting.operation == Meeting::Operation::shuffle_down) source = operand < 32 - lane ? lane + operand : lane;
    if ((meeting.mask >> source & 1) == 0) {
      const CudaThread& thread = warp.threads[lane];
      return fail({.what = "shuffles from a lane outside its mask:",
                   .thread = &thread,
                   .site = thread.site,
                   .mask = meeting.mask});
    }
    std::memcpy(warp.result[lane], warp.value[source], bytes);
  }
}

void Machine::share_view(Warp& warp, u32 mask) {
  memory_.show_to_warp(warp.cta->slot, warp.index * 32, mask);
  u32 view = 0;
  bool predecessor_done = false;
  for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const CudaThread& thread = warp.threads[std::countr_zero(lanes)];
    view = std::max(view, thread.viewer.view);
    predecessor_done |= thread.predecessor_done;
  }
  for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
    CudaThread& thread = warp.threads[std::countr_zero(lanes)];
    thread.viewer.view = view;
    thread.predecessor_done = predecessor_done;
  }
}

void Machine::check_access(const void* address, u32 bytes, host::Site site) {
  CudaThread& thread = *current_;
  thread.site = site;
  access_point();
  const auto misuse = [&](const char* what) {
    fail({.what = what, .thread = &thread, .site = site, .address = address});
  };
  if (!std::has_single_bit(bytes) || bytes > 16) misuse("accesses a number of bytes that no instruction moves:");
  if ((reinterpret_cast<u64>(address) & (bytes - 1)) != 0) misuse("accesses a misaligned address:");
  check_global(address, bytes, site);
}

void Machine::check_global(const void* address, u32 bytes, host::Site site) {
  const auto misuse = [&](const char* what) {
    fail({.what = what, .thread = current_, .site = site, .address = address});
  };
  if (!current_->predecessor_done)
    misuse("accesses global memory before wait_for_predecessor, in a launch that may overlap the one before it:");
  if (recent_[0].contains(address, bytes) || recent_[1].contains(address, bytes)) return;
  if (!find_allocation(address, bytes)) misuse("accesses global memory out of bounds:");
}

bool Machine::find_allocation(const void* address, u32 bytes) {
  if (recent_[2].contains(address, bytes) || recent_[3].contains(address, bytes)) return true;
  const Allocations::Range* const range = allocations_.find(address);
  if (range == nullptr || !range->contains(address, bytes)) return false;
  recent_[recent_next_++ % std::size(recent_)] = *range;
  return true;
}

// Goes on once memory may have changed since the oldest poll that the thread's decision to pause rests on.
void Machine::poll_pause(host::Site site) {
  CudaThread& thread = *current_;
  thread.site = site;
  access_point();
  Warp& warp = *thread.warp;
  if (warp.polled[thread.lane] == memory_.polled_changes()) {
    thread.waiting = Waiting::memory;
    warp.polling |= thread.lane_bit;
    if (!std::exchange(warp.listed_as_poller, true)) pollers_.push_back(&warp);
    give_way();
  }
  warp.polled[thread.lane] = kNoPoll;
}

void Machine::wait_for_predecessor(host::Site site) {
  CudaThread& thread = *current_;
  if (thread.viewer.grid > 0 && !finished(thread.viewer.grid - 1)) {
    thread.site = site;
    thread.waiting = Waiting::predecessor;
    give_way();
    thread.waiting = Waiting::nothing;
  }
  thread.predecessor_done = thread.warp->cta->predecessor_done = true;
  thread.viewer.view = memory_.now();
}

// The hooks proper run in the fibre of the thread that calls them.
struct MachineHooks {
  static Machine& machine() { return *static_cast<CudaThread*>(Machine::hooks_.lane)->machine; }

  static void sync_block(host::Site site) { machine().sync_block(site); }

  static void sync_warp(u32 mask, host::Site site) {
    machine().meet(Meeting::Operation::sync_warp, Waiting::sync_warp, 0, mask, site);
  }

  static void shuffle(void* out, const void* in, u32 bytes, host::Shuffle kind, u32 operand, u32 mask,
                      host::Site site) {
    constexpr Meeting::Operation kOperations[] = {Meeting::Operation::shuffle_up, Meeting::Operation::shuffle_down,
                                                  Meeting::Operation::shuffle_index};
    Machine& the = machine();
    const u32 lane = the.current_->lane;
    Warp& warp = *the.current_->warp;
    if (bytes == 4) {
      std::memcpy(warp.value[lane], in, 4);
    } else if (bytes == 8) {
      std::memcpy(warp.value[lane], in, 8);
    } else if (bytes <= Warp::kMaxShuffleBytes) {
      std::memcpy(warp.value[lane], in, bytes);
    } else {
      the.fail_here("shuffles a value of more than 32 bytes", site);
    }
    warp.result[lane] = out;
    warp.operand[lane] = operand;
    the.meet(kOperations[static_cast<int>(kind)], Waiting::shuffle, bytes, mask, site);
  }

  static u32 ballot(u32 mask, bool vote, host::Site site) {
    Machine& the = machine();
    const CudaThread& thread = *the.current_;
    Warp& warp = *thread.warp;
    u32 votes = 0;
    warp.votes = vote ? warp.votes | thread.lane_bit : warp.votes & ~thread.lane_bit;
    warp.result[thread.lane] = &votes;
    the.meet(Meeting::Operation::ballot, Waiting::ballot, 0, mask, site);
    return votes;
  }

  static void load(void* out, const void* address, u32 bytes, host::Order order, host::Site site) {
    Machine& the = machine();
    the.check_access(address, bytes, site);
    CudaThread& thread = *the.current_;
    if (order != host::Order::plain) {
      the.memory_.watch(address);
      u32& polled = thread.warp->polled[thread.lane];
      polled = std::min(polled, the.memory_.polled_changes());
    }
    the.memory_.load(thread.viewer, out, static_cast<const unsigned char*>(address), bytes,
                     order == host::Order::plain);
    if (order == host::Order::acquire) thread.viewer.view = the.memory_.now();
  }

  static void store(void* address, const void* in, u32 bytes, host::Order order, host::Site site) {
    Machine& the = machine();
    the.check_access(address, bytes, site);
    const Viewer& viewer = the.current_->viewer;
    if (order == host::Order::release) the.memory_.drain_visible(viewer);
    the.memory_.store(viewer, static_cast<unsigned char*>(address), in, bytes);
  }

  static u32 fetch_add(u32* address, u32 value, host::Site site) {
    Machine& the = machine();
    the.check_access(address, sizeof *address, site);
    const u32 old = the.memory_.fetch_add(the.current_->viewer, reinterpret_cast<unsigned char*>(address), value);
    the.take_long_sometimes();
    return old;
  }

  static void fence(host::Site) {
    Machine& the = machine();
    the.access_point();
    Viewer& viewer = the.current_->viewer;
    the.memory_.drain_visible(viewer);
    viewer.view = the.memory_.now();
    the.take_long_sometimes();
  }

  static void poll_pause(host::Site site) { machine().poll_pause(site); }
  static void wait_for_predecessor(host::Site site) { machine().wait_for_predecessor(site); }

  static void cluster_arrive(host::Site site) { machine().arrive_at_cluster(site); }
  static void cluster_wait(host::Site site) { machine().wait_for_cluster(site); }
  static void send_to_cta(void* mine, u32 cta, const void* in, u32 bytes, u64* barrier, host::Site site) {
    machine().send_to_peer(mine, cta, in, bytes, barrier, site);
  }

  static void barrier_init(u64* barrier, u32 arrivals, host::Site site) {
    machine().init_barrier(barrier, arrivals, site);
  }
  static void fence_barrier_init(host::Site site) { machine().fence_barrier_init(site); }
  static void barrier_arrive(u64* barrier, u32 announced_bytes, host::Site site) {
    machine().arrive(barrier, announced_bytes, site);
  }
  static bool barrier_test(u64* barrier, u32 parity, host::Site site) {
    return machine().test_barrier(barrier, parity, site);
  }
  static void barrier_wait(u64* barrier, u32 parity, host::Scope scope, host::Site site) {
    machine().wait_for_barrier(barrier, parity, scope, site);
  }

  static void bulk_load(void* shared, const void* global, u32 bytes, u64* barrier, host::Site site) {
    machine().load_in_bulk(shared, global, bytes, barrier, site);
  }
  static void bulk_store(void* global, const void* shared, u32 bytes, host::Site site) {
    machine().store_in_bulk(global, shared, bytes, site);
  }
  static void bulk_commit(host::Site site) { machine().commit_copies(site); }
  static void bulk_wait(u32 unfinished_groups, bool written, host::Site site) {
    machine().wait_for_copies(unfinished_groups, written, site);
  }
  static void fence_shared_for_bulk(host::Site site) { machine().fence_for_copies(site); }

  static void prefetch(const void* global, u32 bytes, host::Site site) {
    machine().check_prefetch(global, bytes, site);
  }

  static void release_dependents(host::Site) {
    Machine& the = machine();
    the.release(*the.current_->warp->cta);
  }
};

constinit host::Hooks Machine::hooks_ = {.lane = nullptr,
                                         .sync_block = MachineHooks::sync_block,
                                         .sync_warp = MachineHooks::sync_warp,
                                         .shuffle = MachineHooks::shuffle,
                                         .ballot = MachineHooks::ballot,
                                         .load = MachineHooks::load,
                                         .store = MachineHooks::store,
                                         .fetch_add = MachineHooks::fetch_add,
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
