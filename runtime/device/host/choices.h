// Random choices of a run, and the generators that they come from.
#pragma once

#include "device/host/random.h"
#include "device/host/schedule.h"

namespace scantune {

struct Choices {
  Schedule schedule;
  Random random{0};
};

}  // namespace scantune
