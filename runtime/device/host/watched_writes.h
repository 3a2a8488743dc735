// The unfenced writes that bulk copies do not see yet, for one thread of each CTA.
#pragma once

#include <array>
#include <vector>

#include "device/host/cta.h"
#include "device/host/unfenced_writes.h"

namespace scantune {

class WatchedWrites {
 public:
  explicit WatchedWrites(Random& random) : random_(random) {}

  void reset() { watching_ = false; }
  void open(u32 slot) { ctas_[slot].thread = nullptr; }  // begins a new CTA

  // Watches one thread of the CTA from now on. Writes before its first barrier or bulk operation are not distinguished.
  void watch(Cta& cta) {
    if (ctas_[cta.slot].thread == nullptr) choose(cta);
  }
  bool watches(const CudaThread& thread) const { return of(thread).thread == &thread; }

  // Takes note that another thread runs. from is null if none ran before.
  void switch_threads(const CudaThread* from, const CudaThread& to) {
    if (!watching_) return;
    if (from != nullptr && watches(*from)) of(*from).writes.catch_up(true);
    if (watches(to)) of(to).writes.catch_up(false);
  }
  // Takes note of writes since the CTA's watched thread last began or ceased to run. It is called before the functions
  // below.
  void catch_up(const Cta& cta, const CudaThread* running) {
    ctas_[cta.slot].writes.catch_up(ctas_[cta.slot].thread == running);
  }

  void fence(const Cta& cta) { ctas_[cta.slot].writes.fence(); }
  void replaced(const Cta& cta, const unsigned char* begin, u32 bytes) {
    ctas_[cta.slot].writes.replaced(begin, bytes);
  }
  std::vector<UnfencedWrites::HiddenByte> hidden(const Cta& cta, const unsigned char* begin, u32 bytes) const {
    return ctas_[cta.slot].writes.hidden(begin, bytes);
  }

 private:
  struct OfCta {
    CudaThread* thread = nullptr;
    UnfencedWrites writes;
  };
  void choose(Cta& cta);  // chooses the thread to watch
  OfCta& of(const CudaThread& thread) { return ctas_[thread.warp->cta->slot]; }
  const OfCta& of(const CudaThread& thread) const { return ctas_[thread.warp->cta->slot]; }

  Random& random_;
  std::array<OfCta, kSlots> ctas_;
  bool watching_ = false;  // some CTA has a watched thread
};

}  // namespace scantune
