// The problems and configs that the NVRTC tests compile.
#pragma once

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "families_under_test.h"
#include "space/space.h"

namespace scantune {

inline constexpr u64 kTestedItems = 100000;  // within what every family supports
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

// The architectures among kSms that the family has kernels for.
inline std::vector<int> sms_of(const FamilyModel& family) {
  std::vector<int> sms;
  for (const int sm : kSms)
    if (family.unsupported_reason(taken_by(family, ScanRequest{.n = kTestedItems}), sm) == nullptr) sms.push_back(sm);
  return sms;
}

inline constexpr int kMostDraws = 100'000;

// A legal config of the family with every parameter drawn from its values. Throws if it finds none, as for problems
// that the family does not solve.
inline Config drawn_config(const FamilyModel& family, const Request& request, int sm, std::mt19937& random) {
  std::string reason;
  for (int draw = 0; draw < kMostDraws; ++draw) {
    Config config(family);
    for (std::size_t index = 0; index < family.parameters().size(); ++index) {
      const std::span<const int> values = family.parameters()[index].values;
      config[static_cast<int>(index)] = values[random() % values.size()];
    }
    const char* const rejected = reject_reason(config, request, sm);
    if (rejected == nullptr) return config;
    reason = rejected;
  }
  throw std::runtime_error("no config of " + std::string(family.name()) + " was found for " + to_string(request) +
                           " on sm_" + std::to_string(sm) + "; the last one drawn: " + reason);
}

}  // namespace scantune
