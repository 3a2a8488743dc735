// What the tests of spaces ask every algorithm for: architectures, sizes and types.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "space/space.h"

namespace scantune {

inline constexpr int kArchs[] = {kHostSm, 75, 80, 86, 90, 100, 120};

inline constexpr u64 kSizes[] = {1, u64{1} << 12, u64{1} << 16, u64{5} << 20, u64{1} << 24, u64{1} << 33};

// The name of the first parameter whose value is not among those that are searched; empty if all are.
inline std::string unlisted_parameter(const Config& config) {
  const auto parameters = config.family().parameters();
  for (std::size_t index = 0; index < parameters.size(); ++index)
    if (std::ranges::find(parameters[index].values, config[static_cast<int>(index)]) == parameters[index].values.end())
      return parameters[index].name;
  return {};
}

inline constexpr auto kTypes = [] {
  std::array<ValueType, std::size(Tokens<ValueType>::kNames)> all{};
  for (std::size_t type = 0; type < all.size(); ++type) all[type] = static_cast<ValueType>(type);
  return all;
}();

inline ScanRequest request_of(ValueType type, u64 n) {
  return {.input_type = type, .accumulator_type = type, .output_type = type, .n = n};
}

}  // namespace scantune
