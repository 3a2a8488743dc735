// Programmatic dependent launch (PDL) by default.
#pragma once

#include "core/contract/arch.h"
#include "core/contract/combining.h"

namespace scantune {

// The default of the parameter pdl for small problems. If the previous kernel does not let the next start early,
// waiting for it takes about 0.1 us longer than an ordinary launch.
template <class Request>
constexpr int default_pdl(const Request& request, int sm) {
  return limits_of(sm).has_pdl && request.latency == Latency::back_to_back ? 2 : 0;
}

}  // namespace scantune
