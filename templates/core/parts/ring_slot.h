#pragma once

#include "core/machine/kernel.h"

namespace scantune {

// A place in a ring of stages in shared memory. A CTA's i-th tile is in stage i % kStages; the phases of the stages'
// barriers flip from one round of the ring to the next.
template <int kStages>
class RingSlot {
 public:
  SCANTUNE_DEVICE void next() {
    if (++stage_ == kStages) {
      stage_ = 0;
      phase_ ^= 1;
    }
  }
  SCANTUNE_DEVICE u32 stage() const { return stage_; }
  SCANTUNE_DEVICE u32 phase() const { return phase_; }

 private:
  u32 stage_ = 0;
  u32 phase_ = 0;
};

}  // namespace scantune
