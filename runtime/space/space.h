// The parameter space with the families' types erased, for the database, the worker and the selector.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/work.h"
#include "space/request.h"

namespace scantune {

class FamilyModel;

// The choice: a family and a value for each of its parameters, in the order of its table.
class Config {
 public:
  static constexpr int kMaxParameters = 24;

  explicit Config(const FamilyModel& family) : family_(&family) {}

  const FamilyModel& family() const { return *family_; }
  int operator[](int parameter) const { return values_[static_cast<std::size_t>(parameter)]; }
  int& operator[](int parameter) { return values_[static_cast<std::size_t>(parameter)]; }
  bool operator==(const Config&) const = default;

 private:
  const FamilyModel* family_;
  std::array<int, kMaxParameters> values_{};
};

struct ParameterModel {
  const char* name;
  Role role;
  std::span<const int> values;
  const char* const* tokens;          // null for plain integers
  std::optional<int> absent;          // the value in rows that are older than the parameter
  std::span<const int> from_default;  // the values that search tries as departures from the default config alone
};

// One family as virtual calls; core/contract/family.h documents the contract.
class FamilyModel {
 public:
  virtual ~FamilyModel() = default;
  virtual const AlgorithmModel& algorithm() const = 0;
  virtual const char* name() const = 0;
  virtual const char* config_name() const = 0;
  virtual const char* header() const = 0;
  virtual std::span<const char* const> kernels() const = 0;
  // The extents that kernels are compiled for: usually none.
  virtual std::span<const char* const> compiled_extents() const { return {}; }
  virtual std::span<const ParameterModel> parameters() const = 0;
  virtual std::span<const FormerValue> former_values() const { return {}; }
  virtual const char* unsupported_reason(const Request& request, int sm) const = 0;
  virtual int preference(const Request& request, int sm) const = 0;
  virtual Config default_config(const Request& request, int sm) const = 0;
  virtual const char* invalid_reason(const Config& config, const Request& request, int sm) const = 0;
  virtual int tile_items(const Config& config, const Request& request) const = 0;
  virtual WorkspaceNeed workspace(const Config& config, const Request& request) const = 0;
  virtual LaunchList launches(const Config& config, const Request& request, Variant variant) const = 0;
  virtual Standing standing() const { return Standing::library; }
  // What a run costs as an inclusive scan or a reduction, without applying an initial value; nullopt where the family
  // does not declare it.
  virtual std::optional<Work> work(const Config&, const Request&) const { return std::nullopt; }
};

std::span<const FamilyModel* const> families();         // those of all algorithms
const FamilyModel* find_family(std::string_view name);  // null if it is unknown

// Null if the config's family solves the problem and the config is legal on the architecture, else why not.
const char* reject_reason(const Config& config, const Request& request, int sm);

// The untuned choice for a problem. Throws RequestError, with every family's reason, when none supports it.
Config default_config(const Request& request, int sm);
// The same among the families whose choice uses no thread-block clusters, for which a part of a GPU may have no room.
Config default_config_without_clusters(const Request& request, int sm);

// The legal configs of one family that a search explores: all combinations of primary parameters, from each of these
// one change of a secondary parameter, and from the default config one change to each value that is listed for the
// default only. The list is empty if the family does not support the request.
std::vector<Config> searched_configs(const FamilyModel& family, const Request& request, int sm);

// How a value is spelled in JSON, SQL and text: the token of an enumerator or the digits of an integer.
std::string spell(const ParameterModel& parameter, int value);
// The value of a spelling that the table knows as an enumerator, or any integer in digits; nullopt otherwise.
std::optional<int> parse(const ParameterModel& parameter, std::string_view spelling);

std::string to_string(const Config& config);  // lookback{block_threads=256, ...}

template <class Enum>
const char* token(Enum value) {
  return Tokens<Enum>::kNames[static_cast<std::size_t>(value)];
}

template <class Enum>
constexpr std::optional<Enum> parse_token(std::string_view text) {
  for (std::size_t index = 0; index < std::size(Tokens<Enum>::kNames); ++index)
    if (text == Tokens<Enum>::kNames[index]) return static_cast<Enum>(index);
  return std::nullopt;
}

}  // namespace scantune
