// A row of a covering design as one compiled binary, of which everything is asked.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "compile_log.h"
#include "families_under_test.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "row_reader.h"

namespace scantune {

inline const std::vector<std::string> kSmNames = {"75", "80", "86", "90", "100", "120"};
// Without 86, which has the registers and the instructions of 80. Scans, which are most of the kernels, are compiled
// for it too.
inline const std::vector<std::string> kFewSmNames = {"75", "80", "90", "100", "120"};

// The names of families of an algorithm that come with the library.
template <class Typed>
std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const FamilyModel* family : families_of<Typed>(Standing::library)) names.emplace_back(family->name());
  return names;
}

inline int sm_of(const RowReader& row) { return std::stoi(row["sm"]); }

// Operators that differ in few lines share a value of their factor; these three are told apart by another.
inline const Factor kWhich = {"which", {"first", "second", "third"}, true};
inline const std::vector<std::string> kOperatorNames = {"arithmetic", "extreme", "bits", "source", "source_with_state"};

inline Operator operator_of(const RowReader& row) {
  const std::string& name = row["operator"];
  const int which = row.is("which", "first") ? 0 : row.is("which", "second") ? 1 : 2;
  if (name.starts_with("source")) return static_cast<Operator>(static_cast<int>(Operator::custom_cheap) + which);
  if (name == "bits") return static_cast<Operator>(static_cast<int>(Operator::bit_and) + which);
  if (name == "arithmetic") return which == 0 ? Operator::product : Operator::sum;
  if (name == "extreme" || name == "extreme_with_position") return which == 0 ? Operator::min : Operator::max;
  throw std::runtime_error("no operator is called " + name);
}

// Compiles for the architecture, and expects a binary and a report on the registers of every kernel.
inline Binary compiled_whole(const Instantiation& instantiation, int sm) {
  Binary binary = compile_with_nvrtc(instantiation, "sm_" + std::to_string(sm));
  EXPECT_FALSE(binary.image.empty()) << instantiation.label;
  std::size_t reports = 0;
  for (std::size_t at = 0; (at = binary.log.find("Used ", at)) != std::string::npos; ++at) ++reports;
  EXPECT_GE(reports, instantiation.kernels.size()) << instantiation.label << "\n" << binary.log;
  return binary;
}

// Expects that kernels spill at most so many bytes, and that local memory holds less than `array` bytes beside these.
inline void expect_registers_hold(const Binary& binary, int most_spilled, int array, const std::string& what) {
  const int spilled = reported_bytes(binary.log, "spill stores"), stack = reported_bytes(binary.log, "stack frame");
  EXPECT_LE(spilled, most_spilled) << "bytes spilled by " << what << "\n" << binary.log;
  EXPECT_LT(stack, (spilled + 7) / 8 * 8 + array) << "an array in local memory of " << what << "\n" << binary.log;
}

// Calls `check` for each row; what fails names the row.
template <class Check>
void for_each_row(const Design& design, const Check& check) {
  for (const DesignRow& row : design.rows()) {
    SCOPED_TRACE(design.describe(row));
    ASSERT_NO_THROW(check(RowReader(design, row)));
  }
}

}  // namespace scantune
