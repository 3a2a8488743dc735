// Makes a buffered store visible at random times.
#pragma once

#include "device/host/choices.h"
#include "device/host/weak_memory.h"

namespace scantune {

class StoreDrain {
 public:
  StoreDrain(Choices& choices, WeakMemory& memory) : choices_(choices), memory_(memory) {}

  void reset() {
    spun_ = 0;
    steps_left_ = mean_steps() != 0 ? choices_.random.around(mean_steps()) : 0;
  }
  void step() {
    if (steps_left_ == 0 || --steps_left_ != 0) return;
    steps_left_ = choices_.random.around(mean_steps());
    if (memory_.waiting()) memory_.drain_one();
  }
  // Stores become visible some time, even while every thread spins.
  void spin(u32 accesses) {
    if ((spun_ += accesses) < kSpunAccesses) return;
    spun_ = 0;
    if (memory_.waiting()) memory_.drain_one();
  }

 private:
  static constexpr u32 kSpunAccesses = 4096;
  u32 mean_steps() const { return choices_.schedule.drain_every; }

  Choices& choices_;
  WeakMemory& memory_;
  u32 steps_left_ = 0;  // 0: none is made visible by itself
  u32 spun_ = 0;        // accesses since a store was last made visible on behalf of spinning threads
};

}  // namespace scantune
