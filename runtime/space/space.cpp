#include "space/space.h"

#include <algorithm>
#include <charconv>

#include "scantune/error.hpp"

namespace scantune {
namespace {

bool is_from_default_only(const ParameterModel& parameter, int value) {
  return std::ranges::find(parameter.from_default, value) != parameter.from_default.end();
}

// Appends every combination of the values of the primary parameters from `index` on.
void add_combinations(const FamilyModel& family, Config& config, int index, std::vector<Config>& all) {
  const auto parameters = family.parameters();
  if (index == static_cast<int>(parameters.size())) {
    all.push_back(config);
    return;
  }
  const ParameterModel& parameter = parameters[static_cast<std::size_t>(index)];
  if (parameter.role == Role::secondary) return add_combinations(family, config, index + 1, all);
  for (const int value : parameter.values) {
    if (is_from_default_only(parameter, value)) continue;
    config[index] = value;
    add_combinations(family, config, index + 1, all);
  }
}

// Appends, for every config, its copies with one secondary parameter changed.
void add_departures(const FamilyModel& family, std::vector<Config>& configs) {
  const std::size_t combinations = configs.size();
  for (std::size_t position = 0; position < combinations; ++position) {
    for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index) {
      const ParameterModel& parameter = family.parameters()[static_cast<std::size_t>(index)];
      if (parameter.role != Role::secondary) continue;
      for (const int value : parameter.values) {
        Config departed = configs[position];
        if (departed[index] == value || is_from_default_only(parameter, value)) continue;
        departed[index] = value;
        configs.push_back(departed);
      }
    }
  }
}

// Appends the default with one parameter changed to a value that is not combined with others.
void add_departures_of_default(const Config& by_default, std::vector<Config>& configs) {
  int index = 0;
  for (const ParameterModel& parameter : by_default.family().parameters()) {
    for (const int value : parameter.from_default) {
      Config departed = by_default;
      if (departed[index] == value) continue;
      departed[index] = value;
      configs.push_back(departed);
    }
    ++index;
  }
}

}  // namespace

std::span<const FamilyModel* const> families() {
  static const std::vector<const FamilyModel*> kAll = [] {
    std::vector<const FamilyModel*> all;
    for (const AlgorithmModel* algorithm : algorithms())
      all.insert(all.end(), algorithm->families().begin(), algorithm->families().end());
    return all;
  }();
  return kAll;
}

const FamilyModel* find_family(std::string_view name) {
  const auto all = families();
  const auto found = std::ranges::find_if(all, [&](const FamilyModel* family) { return name == family->name(); });
  return found == all.end() ? nullptr : *found;
}

const char* reject_reason(const Config& config, const Request& request, int sm) {
  if (const char* reason = config.family().unsupported_reason(request, sm)) return reason;
  return config.family().invalid_reason(config, request, sm);
}

namespace {

template <class MayServe>
Config best_default_config(const Request& request, int sm, const MayServe& may_serve) {
  const FamilyModel* best = nullptr;
  std::string reasons;
  for (const FamilyModel* family : request.algorithm().families()) {
    if (family->standing() == Standing::gallery) continue;
    if (const char* reason = family->unsupported_reason(request, sm)) {
      reasons += std::string("\n  ") + family->name() + ": " + reason;
    } else if (!may_serve(*family)) {
      reasons += std::string("\n  ") + family->name() + ": its default config needs thread-block clusters";
    } else if (best == nullptr || family->preference(request, sm) > best->preference(request, sm)) {
      best = family;
    }
  }
  if (best == nullptr) throw RequestError("no kernel does " + to_string(request) + ":" + reasons);
  return best->default_config(request, sm);
}

bool uses_clusters(const Config& config, const Request& request) {
  const LaunchList list = config.family().launches(config, request, Variant::aligned);
  return std::any_of(list.launches, list.launches + list.count,
                     [](const Launch& launch) { return launch.cluster_blocks > 1; });
}

}  // namespace

Config default_config(const Request& request, int sm) {
  return best_default_config(request, sm, [](const FamilyModel&) { return true; });
}

Config default_config_without_clusters(const Request& request, int sm) {
  return best_default_config(request, sm, [&](const FamilyModel& family) {
    return !uses_clusters(family.default_config(request, sm), request);
  });
}

std::vector<Config> searched_configs(const FamilyModel& family, const Request& request, int sm) {
  if (family.unsupported_reason(request, sm) != nullptr) return {};
  std::vector<Config> configs;
  const Config by_default = family.default_config(request, sm);
  Config config = by_default;
  add_combinations(family, config, 0, configs);
  add_departures(family, configs);
  add_departures_of_default(by_default, configs);
  std::erase_if(configs,
                [&](const Config& candidate) { return family.invalid_reason(candidate, request, sm) != nullptr; });
  return configs;
}

std::string spell(const ParameterModel& parameter, int value) {
  return parameter.tokens == nullptr ? std::to_string(value) : parameter.tokens[value];
}

std::optional<int> parse(const ParameterModel& parameter, std::string_view spelling) {
  if (parameter.tokens != nullptr) {
    for (const int value : parameter.values)
      if (spelling == parameter.tokens[value]) return value;
    return std::nullopt;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
  if (error != std::errc{} || end != spelling.data() + spelling.size()) return std::nullopt;
  return value;
}

std::string to_string(const Config& config) {
  std::string text = config.family().name();
  const char* separator = "{";
  for (int index = 0; index < static_cast<int>(config.family().parameters().size()); ++index) {
    const ParameterModel& parameter = config.family().parameters()[static_cast<std::size_t>(index)];
    text += std::string(separator) + parameter.name + "=" + spell(parameter, config[index]);
    separator = ", ";
  }
  return text + "}";
}

}  // namespace scantune
