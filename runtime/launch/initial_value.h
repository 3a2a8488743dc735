// The initial value of a call whose kernels take it as an argument.
#pragma once

#include <cstring>

#include "core/contract/launch.h"
#include "space/request.h"

namespace scantune {

struct InitialValue {
  alignas(16) unsigned char bytes[kMaxValueBytes] = {};

  InitialValue() = default;
  // accumulator is as wide as the request's.
  InitialValue(const Request& request, const void* accumulator) {
    std::memcpy(bytes, accumulator, static_cast<std::size_t>(request.accumulator_bytes()));
  }
};

}  // namespace scantune
