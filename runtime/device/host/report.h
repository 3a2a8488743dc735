// The report of a failed run.
#pragma once

#include <string>

#include "device/host/grids.h"

namespace scantune {

// Names CTA, warp, lanes and the line of the kernel, and the schedule.
std::string report(const Failure& failure, const Grids& grids, const Barriers& barriers, const Allocations& allocations,
                   const Schedule& schedule);

}  // namespace scantune
