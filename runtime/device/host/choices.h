// How a run draws what it leaves open, and from which numbers.
#pragma once

#include "device/host/random.h"
#include "device/host/schedule.h"

namespace scantune {

struct Choices {
  Schedule schedule;
  Random random{0};
};

}  // namespace scantune
