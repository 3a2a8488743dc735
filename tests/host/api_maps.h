// What tests of maps by the public API share: inputs and what is in a buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "downloaded.h"
#include "scantune/runtime.hpp"

namespace scantune::api_maps_test {

using runtime::Buffer;

inline constexpr std::uint64_t kItems = 4099;

inline std::vector<float> some_floats() {
  std::vector<float> values(kItems);
  for (std::size_t index = 0; index < values.size(); ++index) values[index] = static_cast<float>(index * 7 % 11) - 5.0f;
  return values;
}

}  // namespace scantune::api_maps_test
