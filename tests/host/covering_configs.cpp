#include "covering_configs.h"

#include <algorithm>
#include <optional>

#include "device/host/random.h"
#include "families_under_test.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

constexpr int kCandidates = 12;
constexpr int kTriesOfAValue = 200;

int count_of_parameters(const FamilyModel& family) { return static_cast<int>(family.parameters().size()); }

const ParameterModel& parameter_of(const FamilyModel& family, int index) {
  return family.parameters()[static_cast<std::size_t>(index)];
}

// The values of a parameter's table, those too to which only the default departs.
std::vector<int> values_of(const ParameterModel& parameter) {
  std::vector<int> values(parameter.values.begin(), parameter.values.end());
  values.insert(values.end(), parameter.from_default.begin(), parameter.from_default.end());
  return values;
}

}  // namespace

Config CoveringConfigs::next(const FamilyModel& family, const Request& request) {
  return next(
      family, [&](Random& random) { return random_config(family, request, max_tile_items_, random); },
      [&](Random& random, int attempt) {
        return attempt == kTriesOfAValue - 1 ? family.default_config(request, kHostSm)
                                             : random_config(family, request, 1 << 20, random);
      },
      [&](const Config& config) { return family.invalid_reason(config, request, kHostSm) == nullptr; });
}

Config CoveringConfigs::next(const FamilyModel& family, const Draws& draws) {
  return next(family, draws.draw, [&](Random& random, int) { return draws.draw(random); }, draws.is_legal);
}

Config CoveringConfigs::next(const FamilyModel& family, const std::function<Config(Random&)>& small,
                             const std::function<Config(Random&, int attempt)>& any,
                             const std::function<bool(const Config&)>& is_legal) {
  std::set<Pair>& seen = seen_[&family];
  Random random(1 + seen.size());
  const auto gain_of = [&](const Config& config) {
    int gain = 0;
    for (int one = 0; one < count_of_parameters(family); ++one)
      for (int other = one; other < count_of_parameters(family); ++other) {
        const bool is_new = !seen.contains({one, config[one], other, config[other]});
        // A value alone counts for more than all its pairs.
        gain += is_new ? (one == other ? 100 : 1) : 0;
      }
    return gain;
  };
  std::optional<Config> best;
  int most = -1;
  const auto consider = [&](const Config& config) {
    if (const int gain = gain_of(config); gain > most) {
      most = gain;
      best = config;
    }
  };
  for (int draw = 0; draw < kCandidates; ++draw) consider(small(random));
  // Values that are hardly ever drawn, beside others that are.
  for (int index = 0; index < count_of_parameters(family); ++index)
    for (const int value : values_of(parameter_of(family, index))) {
      if (seen.contains({index, value, index, value})) continue;
      for (int attempt = 0; attempt < kTriesOfAValue; ++attempt) {
        Config config = attempt % 2 == 0 ? *best : any(random, attempt);
        config[index] = value;
        if (!is_legal(config)) continue;
        consider(config);
        break;
      }
    }
  for (int one = 0; one < count_of_parameters(family); ++one)
    for (int other = one; other < count_of_parameters(family); ++other)
      seen.insert({one, (*best)[one], other, (*best)[other]});
  return *best;
}

std::vector<std::string> values_that_none_has(const FamilyModel& family, const std::vector<Config>& configs) {
  std::vector<std::string> missing;
  for (int index = 0; index < count_of_parameters(family); ++index)
    for (const int value : values_of(parameter_of(family, index)))
      if (std::ranges::none_of(configs, [&](const Config& config) { return config[index] == value; }))
        missing.push_back(std::string(parameter_of(family, index).name) + " " +
                          spell(parameter_of(family, index), value));
  return missing;
}

}  // namespace scantune
