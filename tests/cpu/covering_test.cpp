// Covering designs hold every legal combination, and notice what is missing.
#include "covering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace scantune {
namespace {

// The table of this name is in tests/designs, so that it can be written and read like any other.
Design example(int strength = 2) {
  return Design("example", strength, 1,
                {{"type", {"i8", "i32", "f32", "f64"}},
                 {"operator", {"sum", "max", "bit_and"}},
                 {"kind", {"inclusive", "exclusive"}},
                 {"size", {"1", "33", "1000"}, true}},
                [](const DesignRow& row) { return row[0] < 2 || row[1] < 2; });  // no bits of floating-point numbers
}

TEST(ExampleDesign, CoversEveryPair) {
  if (example().write_if_asked()) return;
  EXPECT_EQ(example().gaps(), std::vector<std::string>{});
}

TEST(Design, NeedsFarFewerRowsThanItsProduct) {
  const std::size_t rows = example().rows().size();
  EXPECT_GE(rows, 12u);  // the types with the sizes or the operators
  EXPECT_LE(rows, 16u);  // of 60
}

TEST(Design, NamesTheCombinationsThatNoRowHas) {
  // What covers all pairs of four factors in so few rows cannot cover all triples.
  const std::vector<std::string> gaps = example(3).gaps();
  ASSERT_GT(gaps.size(), 20u);
  EXPECT_EQ(
      std::ranges::count_if(
          gaps, [](const std::string& gap) { return gap.find("f32") != gap.npos && gap.find("bit_and") != gap.npos; }),
      0)
      << "an illegal combination is missed";
  EXPECT_NE(gaps.front().find("type "), std::string::npos) << gaps.front();
}

TEST(Design, RefusesATableWhoseValuesOrRulesHaveChanged) {
  const auto rows_with = [](std::vector<Factor> factors, auto is_legal) {
    return Design("example", 2, 1, std::move(factors), is_legal).rows();
  };
  std::vector<Factor> factors = example().factors();
  EXPECT_THROW(rows_with(factors, [](const DesignRow& row) { return row[0] < 3; }), std::runtime_error);
  EXPECT_THROW(rows_with({factors.begin(), factors.end() - 1}, [](const DesignRow&) { return true; }),
               std::runtime_error)
      << "a factor that is no more";
  factors[0].values.pop_back();
  EXPECT_THROW(rows_with(factors, [](const DesignRow&) { return true; }), std::runtime_error);
  factors[0].name = "value";
  EXPECT_THROW(rows_with(factors, [](const DesignRow&) { return true; }), std::runtime_error);
}

TEST(Design, IsNotWrittenWhereItsRuleReadsAFreeFactor) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "designs_not_written";
  std::filesystem::create_directories(folder);
  const Design design("unwritable", 2, 1, {{"type", {"i8", "f32"}}, {"size", {"1", "33"}, true}},
                      [](const DesignRow& row) { return row[0] == 0 || row[1] == 0; });
  ::setenv("SCANTUNE_WRITE_DESIGNS", folder.c_str(), 1);
  EXPECT_THROW(design.write_if_asked(), std::runtime_error);
  ::unsetenv("SCANTUNE_WRITE_DESIGNS");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace scantune
