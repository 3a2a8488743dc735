// Barriers in shared memory: where threads arrive, test and wait.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "device/host/machine.h"

namespace scantune {
namespace {

constexpr u64 kMark = 0xba221e20ba221e20;
constexpr u32 kTestsBeforeRest = 4;

// What an initialised barrier's word holds: neither the poison of shared memory nor another CTA's barrier.
u64 word_of(const Cta& cta, u32 index) { return kMark ^ (static_cast<u64>(cta.serial) << 32 | index); }

}  // namespace

bool Machine::in_shared(const void* address, u32 bytes, u32 alignment) const {
  const u64 offset = reinterpret_cast<u64>(address) - reinterpret_cast<u64>(current_->shared);
  return offset % alignment == 0 && offset < current_->shared_bytes && bytes <= current_->shared_bytes - offset;
}

void Machine::init_barrier(u64* word, u32 arrivals, host::Site site) {
  CudaThread& thread = *current_;
  Cta& cta = *thread.warp->cta;
  thread.site = site;
  access_point();
  watch_writes(cta);
  if (!in_shared(word, sizeof *word, alignof(u64))) fail_here("initialises a barrier outside its shared memory", site);
  if (arrivals == 0 || arrivals > BarrierState::kMaxArrivals)
    fail_here("initialises a barrier for a number of arrivals that it cannot count", site);
  const u32 index = static_cast<u32>(cta.barriers.size());
  const u32 offset = static_cast<u32>(reinterpret_cast<unsigned char*>(word) - thread.shared);
  for (u32 other = 0; other < index; ++other)
    if (cta.barriers[other].shared_offset == offset && *word == word_of(cta, other))
      fail_here("initialises a barrier for the second time", site);
  cta.barriers.push_back(
      {.shared_offset = offset, .initialiser = thread.thread_rank, .arrivals = arrivals, .missing = arrivals});
  *word = word_of(cta, index);
}

void Machine::fence_barrier_init(host::Site site) {
  current_->site = site;
  access_point();
  for (BarrierState& barrier : current_->warp->cta->barriers)
    barrier.serves_copies |= barrier.initialiser == current_->thread_rank;
}

// The one of that CTA which is where mine is in the current thread's.
u32 Machine::find_barrier(const Cta& cta, const u64* mine, host::Site site) {
  if (!in_shared(mine, sizeof *mine, alignof(u64))) fail_here("uses a barrier outside its shared memory", site);
  const u32 offset = static_cast<u32>(reinterpret_cast<const unsigned char*>(mine) - current_->shared);
  u64 word;
  std::memcpy(&word, cta.threads.front().shared + offset, sizeof word);
  const u32 index = static_cast<u32>(word ^ word_of(cta, 0));
  if (index >= cta.barriers.size() || word != word_of(cta, index) || cta.barriers[index].shared_offset != offset)
    fail_here("uses a barrier that was never initialised, or that was overwritten,", site);
  return index;
}

// What a thread has done and seen before it arrives, those see who see the phase end.
void Machine::arrive(u64* word, u32 announced_bytes, host::Site site) {
  CudaThread& thread = *current_;
  Cta& cta = *thread.warp->cta;
  thread.site = site;
  access_point();
  BarrierState& barrier = cta.barriers[find_barrier(word, site)];
  memory_.show_to_cta(thread.viewer);
  barrier.arrived.add({thread.viewer.view, thread.predecessor_done});
  if (const char* const problem = barrier.arrive(announced_bytes))
    fail({.what = problem, .thread = &thread, .site = site, .barrier = &barrier});
  ++progress_;
  if (end_phase_if_complete(cta, barrier)) let_others_come_first_sometimes();
}

bool Machine::end_phase_if_complete(Cta& cta, BarrierState& barrier) {
  if (!barrier.try_end_phase()) return false;
  ++cta.phases_ended;
  const u32 index = static_cast<u32>(&barrier - cta.barriers.data());
  for (Warp& warp : cta.warps) {
    u32 lanes = std::exchange(warp.testing, 0);
    for (u32 left = warp.awaiting; left != 0; left &= left - 1)
      if (warp.threads[std::countr_zero(left)].barrier == index) lanes |= left & -left;
    warp.awaiting &= ~lanes;
    if (lanes != 0) wake(warp, lanes);
  }
  return true;
}

void Machine::see_phase_end(CudaThread& thread, const BarrierState& barrier, host::Scope scope) {
  if (barrier.takes_sends && scope == host::Scope::cta)
    fail({.what = "sees only what its own CTA has done, without barrier_wait_for_sends, at a barrier that takes sends:",
          .thread = &thread,
          .site = thread.site,
          .barrier = &barrier});
  thread.viewer.view = std::max(thread.viewer.view, barrier.ended.view);
  thread.predecessor_done |= barrier.ended.predecessor_done;
}

// A thread that keeps testing rests until some phase of its CTA has ended, or nothing else can run.
bool Machine::test_barrier(u64* word, u32 parity, host::Site site) {
  CudaThread& thread = *current_;
  Cta& cta = *thread.warp->cta;
  thread.site = site;
  access_point();
  const u32 index = find_barrier(word, site);
  if (cta.barriers[index].has_ended(parity)) {
    see_phase_end(thread, cta.barriers[index], host::Scope::cta);
    return true;
  }
  if (std::exchange(thread.tested_at, cta.phases_ended) != cta.phases_ended) thread.failed_tests = 0;
  if (++thread.failed_tests < kTestsBeforeRest) return false;
  thread.failed_tests = 0;
  thread.barrier = index;
  thread.parity = parity;
  thread.waiting = Waiting::tested_barrier;
  thread.warp->testing |= thread.lane_bit;
  give_way();
  return false;
}

void Machine::wait_for_barrier(u64* word, u32 parity, host::Scope scope, host::Site site) {
  CudaThread& thread = *current_;
  Cta& cta = *thread.warp->cta;
  thread.site = site;
  access_point();
  const u32 index = find_barrier(word, site);
  // A phase may have ended and the next but one begun before the thread looks again.
  while (!cta.barriers[index].has_ended(parity)) {
    thread.barrier = index;
    thread.parity = parity;
    thread.waiting = Waiting::barrier;
    thread.warp->awaiting |= thread.lane_bit;
    give_way();
  }
  see_phase_end(thread, cta.barriers[index], scope);
}

}  // namespace scantune
