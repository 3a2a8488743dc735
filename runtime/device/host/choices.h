// What a run leaves open: how it is drawn, and from what.
#pragma once

#include "device/host/random.h"
#include "device/host/schedule.h"

namespace scantune {

struct Choices {
  Schedule schedule;
  Random random{0};
};

}  // namespace scantune
