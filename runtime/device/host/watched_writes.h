// What the threads' unfenced writes hide from bulk copies, for one thread of each CTA.
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
  void open(u32 slot) { ctas_[slot].thread = nullptr; }  // for a new CTA

  // From now on, for some thread of the CTA. Writes before its first barrier or bulk operation are not told apart.
  void watch(Cta& cta) {
    if (ctas_[cta.slot].thread == nullptr) choose(cta);
  }
  bool watches(const CudaThread& thread) const { return of(thread).thread == &thread; }

  // Another thread runs. from: null if none did.
  void switch_threads(const CudaThread* from, const CudaThread& to) {
    if (!watching_) return;
    if (from != nullptr && watches(*from)) of(*from).writes.catch_up(true);
    if (watches(to)) of(to).writes.catch_up(false);
  }
  // Takes note of writes since the CTA's watched thread last began or ceased to run. To be called before what follows.
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
  void choose(Cta& cta);  // the thread
  OfCta& of(const CudaThread& thread) { return ctas_[thread.warp->cta->slot]; }
  const OfCta& of(const CudaThread& thread) const { return ctas_[thread.warp->cta->slot]; }

  Random& random_;
  std::array<OfCta, kSlots> ctas_;
  bool watching_ = false;  // in some CTA
};

}  // namespace scantune
