#include "device/host/meetings.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace scantune {

void Meetings::sync_block(CudaThread& thread, host::Site site) {
  Cta& cta = *thread.warp->cta;
  thread.site = site;
  thread.waiting = Waiting::sync_block;
  ++cta.at_barrier;
  if (cta.live != cta.thread_count)
    return failures_.fail(
        {.what = "waits at a barrier that exited threads of its CTA can never reach", .thread = &thread, .site = site});
  if (cta.at_barrier != cta.thread_count) return scheduler_.give_way();
  complete_barrier(thread);
}

// Threads that met at a barrier see each other's stores, and what any of them had seen.
void Meetings::complete_barrier(const CudaThread& last) {
  Cta& cta = *last.warp->cta;
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
    scheduler_.wake(warp, warp.existing);
  }
  last.warp->runnable &= ~last.lane_bit;
  scheduler_.let_others_come_first_sometimes();
}

// The thread takes part in an operation of all lanes of mask, and returns when it is complete.
void Meetings::meet(CudaThread& thread, Meeting::Operation operation, Waiting waiting, u32 bytes, u32 mask,
                    host::Site site) {
  Warp& warp = *thread.warp;
  thread.site = site;
  thread.mask = mask;
  thread.waiting = waiting;
  const u32 index =
      join(thread, {.operation = operation, .bytes = bytes, .mask = mask, .arrived = thread.lane_bit}, site);
  if (warp.meetings[index].arrived != mask) return scheduler_.give_way();
  const Meeting meeting = warp.meetings[index];
  warp.meetings[index] = warp.meetings[--warp.meeting_count];
  complete(thread, meeting);
}

u32 Meetings::join(const CudaThread& thread, const Meeting& wanted, host::Site site) {
  Warp& warp = *thread.warp;
  const auto misuse = [&](const char* what) {
    failures_.fail({.what = what, .thread = &thread, .site = site, .mask = wanted.mask, .lists_waiting = true});
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

void Meetings::complete(const CudaThread& last, const Meeting& meeting) {
  Warp& warp = *last.warp;
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
  warp.runnable |= meeting.mask & ~last.lane_bit;
}

template <class Word>
void Meetings::complete_shuffle(Warp& warp, const Meeting& meeting) {
  const u32 bytes = std::is_integral_v<Word> ? sizeof(Word) : meeting.bytes;
  for (u32 lanes = meeting.mask; lanes != 0; lanes &= lanes - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(lanes));
    const u32 operand = warp.operand[lane];
    u32 source = operand % 32;  // as the instruction takes an index
    if (meeting.operation == Meeting::Operation::shuffle_up) source = operand <= lane ? lane - operand : lane;
    if (meeting.operation == Meeting::Operation::shuffle_down) source = operand < 32 - lane ? lane + operand : lane;
    if ((meeting.mask >> source & 1) == 0) {
      const CudaThread& thread = warp.threads[lane];
      return failures_.fail({.what = "shuffles from a lane outside its mask:",
                             .thread = &thread,
                             .site = thread.site,
                             .mask = meeting.mask});
    }
    std::memcpy(warp.result[lane], warp.value[source], bytes);
  }
}

void Meetings::share_view(Warp& warp, u32 mask) {
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

void Meetings::leave(CudaThread& thread) {
  Warp& warp = *thread.warp;
  Cta& cta = *warp.cta;
  thread.waiting = Waiting::exited;
  warp.exited |= thread.lane_bit;
  --cta.live;
  if (cta.at_barrier > 0)
    failures_.fail(
        {.what = "exited while others of its CTA wait at a barrier", .thread = &thread, .lists_waiting = true});
  for (u32 index = 0; index < warp.meeting_count; ++index)
    if ((warp.meetings[index].mask & thread.lane_bit) != 0)
      failures_.fail({.what = "exited while other lanes wait for it", .thread = &thread, .lists_waiting = true});
}

}  // namespace scantune
