// The rows of covering designs as tests of kernels read and run them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "covering_configs.h"
#include "row_reader.h"

namespace scantune {

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

// The same where the rows of a design are the parameters themselves.
template <const Design& (&kDesign)()>
inline constexpr auto kNameOf =
    [](const testing::TestParamInfo<DesignRow>& row) { return kDesign().name_of(row.param); };

// The rows, each with the config that config_of(row, its reader) returns, in the order of the table.
template <class ConfigOf>
std::vector<DesignedCase> designed_cases(const Design& design, const std::vector<DesignRow>& rows,
                                         const ConfigOf& config_of) {
  std::vector<DesignedCase> all;
  for (const DesignRow& row : rows) all.push_back({&design, row, config_of(row, RowReader(design, row))});
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
