// The problems and configs that the NVRTC tests compile.
#pragma once

#include <random>
#include <vector>

#include "space/space.h"

namespace scantune {

inline constexpr int kSms[] = {75, 80, 86, 90, 100, 120};

inline ScanRequest request_of(ValueType type, Operator op, Kind kind, u64 n) {
  return {.input_type = type,
          .accumulator_type = type,
          .output_type = type,
          .op = op,
          .kind = kind,
          .init = kind == Kind::exclusive ? Init::value : Init::none,
          .n = n};
}

// A config of the family with every parameter drawn from its values; only legal ones are returned.
inline Config drawn_config(const FamilyModel& family, const ScanRequest& request, int sm, std::mt19937& random) {
  for (;;) {
    Config config(family);
    for (std::size_t index = 0; index < family.parameters().size(); ++index) {
      const std::span<const int> values = family.parameters()[index].values;
      config[static_cast<int>(index)] = values[random() % values.size()];
    }
    if (!reject_reason(config, request, sm)) return config;
  }
}

inline constexpr u64 kTestedItems = 100000;  // within what every family supports

}  // namespace scantune
