#include "device/host/watched_writes.h"

#include <algorithm>

namespace scantune {
namespace {

constexpr u32 kAlignment = 16;
constexpr u32 kWatchedBytes = 4096;  // more would take too long to look through at every switch

}  // namespace

void WatchedWrites::choose(Cta& cta) {
  OfCta& watch = ctas_[cta.slot];
  watching_ = true;
  watch.thread = &cta.threads[random_.below(cta.thread_count)];
  const u32 bytes = watch.thread->shared_bytes, watched = std::min(bytes, kWatchedBytes);
  const u32 first = random_.below((bytes - watched) / kAlignment + 1) * kAlignment;
  watch.writes.watch(watch.thread->shared + first, watched);
}

}  // namespace scantune
