#include "device/host/barriers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace scantune {
namespace {

constexpr u64 kMark = 0xba221e20ba221e20;
constexpr u32 kTestsBeforeRest = 4;

// What an initialised barrier's word holds: neither the poison of shared memory nor another CTA's barrier.
u64 word_of(const Cta& cta, u32 index) { return kMark ^ (static_cast<u64>(cta.serial) << 32 | index); }

}  // namespace

void Barriers::open(u32 slot) {
  ctas_[slot].barriers.clear();
  ctas_[slot].phases_ended = 0;
}

void Barriers::init(u64* word, u32 arrivals, host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  Cta& cta = *thread.warp->cta;
  watched_.watch(cta);
  if (!thread.has_in_shared(word, sizeof *word, alignof(u64)))
    failures_.fail_here("initialises a barrier outside its shared memory", site);
  if (arrivals == 0 || arrivals > BarrierState::kMaxArrivals)
    failures_.fail_here("initialises a barrier for a number of arrivals that it cannot count", site);
  std::vector<BarrierState>& barriers = ctas_[cta.slot].barriers;
  const u32 index = static_cast<u32>(barriers.size());
  const u32 offset = static_cast<u32>(reinterpret_cast<unsigned char*>(word) - thread.shared);
  for (u32 other = 0; other < index; ++other)
    if (barriers[other].shared_offset == offset && *word == word_of(cta, other))
      failures_.fail_here("initialises a barrier for the second time", site);
  barriers.push_back(
      {.shared_offset = offset, .initialiser = thread.thread_rank, .arrivals = arrivals, .missing = arrivals});
  *word = word_of(cta, index);
}

void Barriers::fence_init(host::Site site) {
  const CudaThread& thread = scheduler_.begin_operation(site);
  for (BarrierState& barrier : of(*thread.warp->cta).barriers)
    barrier.serves_copies |= barrier.initialiser == thread.thread_rank;
}

u32 Barriers::find(const Cta& cta, const u64* mine, host::Site site) {
  const CudaThread& thread = scheduler_.current();
  if (!thread.has_in_shared(mine, sizeof *mine, alignof(u64)))
    failures_.fail_here("uses a barrier outside its shared memory", site);
  const u32 offset = static_cast<u32>(reinterpret_cast<const unsigned char*>(mine) - thread.shared);
  u64 word;
  std::memcpy(&word, cta.threads.front().shared + offset, sizeof word);
  const u32 index = static_cast<u32>(word ^ word_of(cta, 0));
  const std::vector<BarrierState>& barriers = of(cta).barriers;
  if (index >= barriers.size() || word != word_of(cta, index) || barriers[index].shared_offset != offset)
    failures_.fail_here("uses a barrier that was never initialised, or that was overwritten,", site);
  return index;
}

u32 Barriers::find_for_copies(const Cta& cta, const u64* mine, const char* unfenced, host::Site site) {
  const u32 index = find(cta, mine, site);
  const BarrierState& barrier = of(cta).barriers[index];
  if (!barrier.serves_copies)
    failures_.fail({.what = unfenced, .thread = &scheduler_.current(), .site = site, .barrier = &barrier});
  return index;
}

// A thread that sees the phase end sees what the arriving thread has done and seen before.
void Barriers::arrive(u64* word, u32 announced_bytes, host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  Cta& cta = *thread.warp->cta;
  const u32 index = find(cta, word, site);
  BarrierState& barrier = of(cta).barriers[index];
  memory_.show_to_cta(thread.viewer);
  barrier.arrived.add({thread.viewer.view, thread.predecessor_done});
  if (const char* const fault = barrier.arrive(announced_bytes))
    failures_.fail({.what = fault, .thread = &thread, .site = site, .barrier = &barrier});
  scheduler_.note_progress();
  if (end_phase_if_complete(cta, index)) scheduler_.let_others_come_first_sometimes();
}

void Barriers::take(Cta& cta, u32 index, u32 bytes, const CudaThread& sender, host::Site site) {
  BarrierState& barrier = of(cta).barriers[index];
  if (const char* const fault = barrier.take(bytes))
    return failures_.fail({.what = fault, .thread = &sender, .site = site, .barrier = &barrier});
  end_phase_if_complete(cta, index);
}

bool Barriers::end_phase_if_complete(Cta& cta, u32 index) {
  OfCta& own = of(cta);
  if (!own.barriers[index].try_end_phase()) return false;
  ++own.phases_ended;
  for (Warp& warp : cta.warps) {
    u32 lanes = std::exchange(warp.testing, 0);
    for (u32 left = warp.awaiting; left != 0; left &= left - 1)
      if (warp.threads[std::countr_zero(left)].barrier == index) lanes |= left & -left;
    warp.awaiting &= ~lanes;
    if (lanes != 0) scheduler_.wake(warp, lanes);
  }
  return true;
}

void Barriers::see_phase_end(CudaThread& thread, const BarrierState& barrier, host::Scope scope) {
  if (barrier.takes_sends && scope == host::Scope::cta)
    failures_.fail(
        {.what = "sees only what its own CTA has done, without barrier_wait_for_sends, at a barrier that takes sends:",
         .thread = &thread,
         .site = thread.site,
         .barrier = &barrier});
  thread.viewer.view = std::max(thread.viewer.view, barrier.ended.view);
  thread.predecessor_done |= barrier.ended.predecessor_done;
}

// A thread that keeps testing rests until some phase of its CTA has ended, or nothing else can run.
bool Barriers::test(u64* word, u32 parity, host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  const Cta& cta = *thread.warp->cta;
  const u32 index = find(cta, word, site);
  const OfCta& own = of(cta);
  if (own.barriers[index].has_ended(parity)) {
    see_phase_end(thread, own.barriers[index], host::Scope::cta);
    return true;
  }
  if (std::exchange(thread.tested_at, own.phases_ended) != own.phases_ended) thread.failed_tests = 0;
  if (++thread.failed_tests < kTestsBeforeRest) return false;
  thread.failed_tests = 0;
  thread.barrier = index;
  thread.parity = parity;
  thread.waiting = Waiting::tested_barrier;
  thread.warp->testing |= thread.lane_bit;
  scheduler_.give_way();
  return false;
}

void Barriers::wait(u64* word, u32 parity, host::Scope scope, host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  const Cta& cta = *thread.warp->cta;
  const u32 index = find(cta, word, site);
  const OfCta& own = of(cta);
  // A phase may have ended and the next but one begun before the thread looks again.
  while (!own.barriers[index].has_ended(parity)) {
    thread.barrier = index;
    thread.parity = parity;
    thread.waiting = Waiting::barrier;
    thread.warp->awaiting |= thread.lane_bit;
    scheduler_.give_way();
  }
  see_phase_end(thread, own.barriers[index], scope);
}

bool Barriers::wake_testing(std::span<const std::unique_ptr<Cta>> ctas) {
  bool any = false;
  for (const auto& cta : ctas) {
    if (cta->live == 0 || of(*cta).barriers.empty()) continue;
    any = true;
    for (Warp& warp : cta->warps)
      if (warp.testing != 0) scheduler_.wake(warp, std::exchange(warp.testing, 0));
  }
  return any;
}

}  // namespace scantune
