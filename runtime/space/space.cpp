#include "space/space.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "scantune/error.hpp"
#include "space/request_members.h"
#include "space/spelling.h"

namespace scantune {
namespace {

template <class C>
class FamilyOf final : public FamilyModel {
  using Declared = Family<C>;
  static constexpr int kParameterCount = static_cast<int>(std::size(Declared::kParameters));
  static_assert(kParameterCount <= Config::kMaxParameters);

 public:
  FamilyOf() {
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
      const auto& row = Declared::kParameters[index];
      parameters_[index] = {row.name,
                            row.role,
                            {row.values, static_cast<std::size_t>(row.value_count)},
                            row.tokens,
                            row.may_be_absent ? std::optional(row.absent) : std::nullopt};
    }
  }

  const char* name() const override { return Declared::kName; }
  const char* config_name() const override { return Declared::kConfigName; }
  const char* header() const override { return Declared::kHeader; }
  std::span<const char* const> kernels() const override { return Declared::kKernels; }
  std::span<const ParameterModel> parameters() const override { return parameters_; }
  std::span<const FormerValue> former_values() const override {
    if constexpr (requires { Declared::kFormerValues; }) return Declared::kFormerValues;
    return {};
  }
  const char* unsupported_reason(const ScanRequest& request, int sm) const override {
    return Declared::unsupported_reason(request, sm);
  }
  int preference(const ScanRequest& request, int sm) const override { return Declared::preference(request, sm); }
  Config default_config(const ScanRequest& request, int sm) const override {
    return erase(Declared::default_config(request, sm));
  }
  const char* invalid_reason(const Config& config, const ScanRequest& request, int sm) const override {
    // An enumerator out of its range would be undefined from here on.
    for (int index = 0; index < kParameterCount; ++index)
      if (const ParameterModel& parameter = parameters_[static_cast<std::size_t>(index)];
          parameter.tokens != nullptr && std::ranges::find(parameter.values, config[index]) == parameter.values.end())
        return "an enumerator is out of range";
    return Declared::invalid_reason(restore(config), request, sm);
  }
  int tile_items(const Config& config, const ScanRequest& request) const override {
    return Declared::tile_items(restore(config), request);
  }
  WorkspaceNeed workspace(const Config& config, const ScanRequest& request) const override {
    return Declared::workspace(restore(config), request);
  }
  LaunchList launches(const Config& config, const ScanRequest& request) const override {
    return Declared::launches(restore(config), request);
  }

 private:
  Config erase(const C& typed) const {
    Config config(*this);
    for (int index = 0; index < kParameterCount; ++index) config[index] = Declared::kParameters[index].get(typed);
    return config;
  }
  C restore(const Config& config) const {
    C typed;
    for (int index = 0; index < kParameterCount; ++index) Declared::kParameters[index].set(typed, config[index]);
    return typed;
  }

  std::array<ParameterModel, kParameterCount> parameters_;
};

template <class... Configs>
std::span<const FamilyModel* const> models(FamilyList<Configs...>) {
  static const std::tuple<FamilyOf<Configs>...> kModels;
  static const std::array<const FamilyModel*, sizeof...(Configs)> kPointers{&std::get<FamilyOf<Configs>>(kModels)...};
  return kPointers;
}

// Every combination of the values of the parameters from `index` on.
void add_combinations(const FamilyModel& family, Config& config, int index, std::vector<Config>& all) {
  const auto parameters = family.parameters();
  if (index == static_cast<int>(parameters.size())) {
    all.push_back(config);
    return;
  }
  const ParameterModel& parameter = parameters[static_cast<std::size_t>(index)];
  if (parameter.role == Role::secondary) return add_combinations(family, config, index + 1, all);
  for (const int value : parameter.values) {
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
        if (departed[index] == value) continue;
        departed[index] = value;
        configs.push_back(departed);
      }
    }
  }
}

}  // namespace

std::span<const FamilyModel* const> families() { return models(AllFamilies{}); }

const FamilyModel* find_family(std::string_view name) {
  const auto all = families();
  const auto found = std::ranges::find_if(all, [&](const FamilyModel* family) { return name == family->name(); });
  return found == all.end() ? nullptr : *found;
}

const char* reject_reason(const Config& config, const ScanRequest& request, int sm) {
  if (const char* reason = config.family().unsupported_reason(request, sm)) return reason;
  return config.family().invalid_reason(config, request, sm);
}

namespace {

template <class MayServe>
Config best_default_config(const ScanRequest& request, int sm, const MayServe& may_serve) {
  const FamilyModel* best = nullptr;
  std::string reasons;
  for (const FamilyModel* family : families()) {
    if (const char* reason = family->unsupported_reason(request, sm)) {
      reasons += std::string("\n  ") + family->name() + ": " + reason;
    } else if (!may_serve(*family)) {
      reasons += std::string("\n  ") + family->name() + ": its default config needs thread-block clusters";
    } else if (best == nullptr || family->preference(request, sm) > best->preference(request, sm)) {
      best = family;
    }
  }
  if (best == nullptr) throw RequestError("no kernel scans " + to_string(request) + ":" + reasons);
  return best->default_config(request, sm);
}

bool uses_clusters(const Config& config, const ScanRequest& request) {
  const LaunchList list = config.family().launches(config, request);
  return std::any_of(list.launches, list.launches + list.count,
                     [](const Launch& launch) { return launch.cluster_blocks > 1; });
}

}  // namespace

Config default_config(const ScanRequest& request, int sm) {
  return best_default_config(request, sm, [](const FamilyModel&) { return true; });
}

Config default_config_without_clusters(const ScanRequest& request, int sm) {
  return best_default_config(request, sm, [&](const FamilyModel& family) {
    return !uses_clusters(family.default_config(request, sm), request);
  });
}

std::vector<Config> searched_configs(const FamilyModel& family, const ScanRequest& request, int sm) {
  if (family.unsupported_reason(request, sm) != nullptr) return {};
  std::vector<Config> configs;
  Config config = family.default_config(request, sm);
  add_combinations(family, config, 0, configs);
  add_departures(family, configs);
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

std::string to_string(const ScanRequest& request, std::string_view operator_name) {
  std::string text = spell_types(request);
  text += std::string(" ") + token(request.kind) + " " + spell(SpelledOperator{request.op, std::string(operator_name)});
  if (request.init == Init::memory)
    text += " with init from memory";
  else if (request.has_init() && request.kind == Kind::inclusive)
    text += " with init";
  for (const RequestMember& member : kRequestMembers)
    if (is_option(member) && !is_default(member, request)) text += ", " + phrase(member, request);
  return text + " of " + std::to_string(request.n) + " items";
}

}  // namespace scantune
