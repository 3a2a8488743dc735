// The rows of covering designs as tests of kernels read and run them.
#pragma once

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "covering.h"
#include "covering_configs.h"
#include "families_under_test.h"

namespace scantune {

// A row's values by the factors' names.
class RowReader {
 public:
  RowReader(const Design& design, const DesignRow& row) : design_(design), row_(row) {}

  const std::string& operator[](const char* factor) const { return design_.value(row_, factor); }
  bool is(const char* factor, std::string_view value) const { return (*this)[factor] == value; }
  template <class Enum>
  Enum token_of(const char* factor) const {
    const auto value = parse_token<Enum>((*this)[factor]);
    if (!value) throw std::runtime_error((*this)[factor] + " is no token of " + factor);
    return *value;
  }
  const FamilyModel& family() const { return *find_family((*this)["family"]); }

  // What numbers the random draws of a row: the same for equal rows, whatever else is in the table.
  u64 seed() const {
    u64 seed = 17;
    for (const int value : row_) seed = 31 * seed + static_cast<u64>(value);
    return seed;
  }

 private:
  const Design& design_;
  const DesignRow& row_;
};

// The names of the tokens, which are the values of a factor.
template <class Enum>
std::vector<std::string> all_tokens() {
  return {std::begin(Tokens<Enum>::kNames), std::end(Tokens<Enum>::kNames)};
}

// The names of families, in an order that does not hang on that of their headers.
template <class Families>
std::vector<std::string> names_of(const Families& families) {
  std::vector<std::string> names;
  for (const FamilyModel* family : families) names.emplace_back(family->name());
  std::ranges::sort(names);
  return names;
}

// The committed rows. None where the table is to be written anew, which the test of its gaps says.
inline std::vector<DesignRow> rows_to_run(const Design& design) {
  try {
    return design.rows();
  } catch (const std::runtime_error&) {
    return {};
  }
}

// A row, and the config that its kernels are made with.
struct DesignedCase {
  const Design* design;
  DesignRow row;
  Config config;

  RowReader read() const { return {*design, row}; }
};

inline void PrintTo(const DesignedCase& tested, std::ostream* out) {
  *out << tested.design->describe(tested.row) << ", " << to_string(tested.config);
}

// Names the test of a row by its values.
inline constexpr auto kNameOfRow = [](const auto& tested) { return tested.param.design->name_of(tested.param.row); };

// The rows, each with the config that config_of(row reader) returns, in the order of the table.
template <class ConfigOf>
std::vector<DesignedCase> designed_cases(const Design& design, const std::vector<DesignRow>& rows,
                                         const ConfigOf& config_of) {
  std::vector<DesignedCase> all;
  for (const DesignRow& row : rows) all.push_back({&design, row, config_of(RowReader(design, row))});
  return all;
}

// The values of a family's parameters, in words, that the configs of none of the cases have.
inline std::vector<std::string> values_that_none_has(const FamilyModel& family,
                                                     const std::vector<DesignedCase>& cases) {
  std::vector<Config> configs;
  for (const DesignedCase& tested : cases)
    if (&tested.config.family() == &family) configs.push_back(tested.config);
  return values_that_none_has(family, configs);
}

}  // namespace scantune
