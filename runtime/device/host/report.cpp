#include "device/host/report.h"

#include <cstdio>

namespace scantune {
namespace {

std::string hex(u32 value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

std::string at(host::Site site) {
  return site.file == nullptr ? "" : std::string(" at ") + site.file + ":" + std::to_string(site.line);
}

std::string describe(const BarrierState& barrier) {
  return "phase " + std::to_string(barrier.phase) + " of the barrier at byte " + std::to_string(barrier.shared_offset) +
         " of shared memory, where " + std::to_string(barrier.missing) + " of " + std::to_string(barrier.arrivals) +
         " arrivals and " + std::to_string(barrier.missing_bytes) + " bytes are missing";
}

std::string describe(const Cluster& cluster) {
  return "the cluster's barrier, where " + std::to_string(cluster.missing) + " of " + std::to_string(cluster.threads) +
         " threads are missing";
}

bool waits_for_barrier(const CudaThread& thread) {
  return thread.waiting == Waiting::barrier || thread.waiting == Waiting::tested_barrier;
}

bool waits_alike(const CudaThread& a, const CudaThread& b) {
  return a.waiting == b.waiting && a.mask == b.mask && a.site.line == b.site.line && a.site.file == b.site.file &&
         (!waits_for_barrier(a) || (a.barrier == b.barrier && a.parity == b.parity));
}

std::string what_for(const CudaThread& thread, const Barriers& barriers) {
  switch (thread.waiting) {
    case Waiting::sync_warp:
      return "sync_warp, mask " + hex(thread.mask);
    case Waiting::ballot:
      return "ballot, mask " + hex(thread.mask);
    case Waiting::shuffle:
      return "shuffle, mask " + hex(thread.mask);
    case Waiting::sync_block:
      return "sync_block";
    case Waiting::cluster:
      return describe(*thread.warp->cta->cluster);
    case Waiting::memory:
      return "polled memory to change";
    case Waiting::predecessor:
      return "the grid before to finish";
    case Waiting::barrier:
    case Waiting::tested_barrier:
      return describe(barriers.awaited_by(thread));
    case Waiting::copies_read:
      return "its bulk stores to read shared memory";
    case Waiting::copies_written:
      return "its bulk stores to be done";
    case Waiting::nothing:
    case Waiting::exited:
      break;
  }
  return {};
}

constexpr int kMaxLines = 40;

std::string place_of(const CudaThread& thread, const Grids& grids) {
  return std::string(grids.of(thread).name) + ": CTA " + std::to_string(thread.block_rank) + ", warp " +
         std::to_string(thread.thread_rank / 32) + ", lane " + std::to_string(thread.thread_rank % 32);
}

// One line for the lanes of a warp that wait for the same thing. failed: a thread that is named already.
std::string waiting_lanes(const Grids& grids, const Barriers& barriers, const CudaThread* failed) {
  std::string text;
  int lines = 0;
  for (const auto& cta : grids.ctas()) {
    if (cta->live == 0) continue;
    for (const Warp& warp : cta->warps) {
      u32 left = warp.existing & ~warp.runnable & ~warp.exited;
      for (u32 lane = 0; lane < 32; ++lane) {
        if ((left >> lane & 1) == 0 || &warp.threads[lane] == failed) continue;
        const CudaThread& first = warp.threads[lane];
        u32 alike = 0;
        for (u32 other = lane; other < 32; ++other)
          if ((left >> other & 1) != 0 && waits_alike(first, warp.threads[other])) alike |= 1u << other;
        left &= ~alike;
        if (++lines > kMaxLines) return text + "\n  ...";
        text += std::string("\n  ") + grids.of(*cta).name + ": CTA " + std::to_string(cta->rank) + ", warp " +
                std::to_string(warp.index) + ", lanes " + hex(alike) + " wait for " + what_for(first, barriers) +
                at(first.site);
      }
    }
  }
  return text;
}

}  // namespace

std::string report(const Failure& failure, const Grids& grids, const Barriers& barriers, const Allocations& allocations,
                   const Schedule& schedule) {
  std::string text = "host device: ";
  if (failure.thread != nullptr) text.append(place_of(*failure.thread, grids)).append(1, ' ');
  text += failure.what;
  if (failure.address != nullptr) text.append(1, ' ').append(allocations.describe(failure.address));
  if (failure.mask != 0) text.append(1, ' ').append(hex(failure.mask));
  if (failure.barrier != nullptr) text.append(1, ' ').append(describe(*failure.barrier));
  if (failure.cta != nullptr) text.append(" CTA ").append(std::to_string(failure.cta->rank));
  text += at(failure.site);
  if (failure.lists_waiting) text += waiting_lanes(grids, barriers, failure.thread);
  return text + "\nschedule: " + to_string(schedule);
}

}  // namespace scantune
