// Impossibly short times, by the bounds in db/least_times.json, which the tuner reads, too.
#pragma once

#include <string>

#include "space/request.h"

namespace scantune {

// Why a run of the request cannot be that fast; empty if it can.
std::string impossibility(const std::string& arch, const Request& request, double time_us);

}  // namespace scantune
