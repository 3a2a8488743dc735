#include "device/host/pollers.h"

#include <utility>

namespace scantune {

void Pollers::reset() {
  resting_.clear();
  changes_seen_ = 0;
}

void Pollers::pause(host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  Warp& warp = *thread.warp;
  if (warp.polled[thread.lane] == memory_.polled_changes()) {
    thread.waiting = Waiting::memory;
    warp.polling |= thread.lane_bit;
    if (!std::exchange(warp.listed_as_poller, true)) resting_.push_back(&warp);
    scheduler_.give_way();
  }
  warp.polled[thread.lane] = kNoPoll;
}

void Pollers::wake_all() {
  for (Warp* warp : resting_) {
    warp->listed_as_poller = false;
    scheduler_.wake(*warp, std::exchange(warp->polling, 0));
  }
  resting_.clear();
}

}  // namespace scantune
