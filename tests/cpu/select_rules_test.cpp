// The list of rules, which is the same in code, docs and tests.
#include "select/rules.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace scantune {
namespace {

std::string tuning_page() {
  std::ostringstream text;
  text << std::ifstream(SCANTUNE_TUNING_PAGE).rdbuf();
  return text.str();
}

TEST(Rules, AreNumberedInTheOrderInWhichTheyApply) {
  int number = 0;
  for (const Rule& rule : rules()) EXPECT_EQ(rule.number, ++number) << rule.name;
}

TEST(Rules, StandInTheDocsWordForWord) {
  const std::string page = tuning_page();
  std::string table = "| rule | | what it does |\n|---|---|---|\n";
  for (const Rule& rule : rules())
    table += "| " + std::to_string(rule.number) + " | " + rule.name + " | " + rule.says + " |\n";
  EXPECT_NE(page.find(table + '\n'), std::string::npos) << SCANTUNE_TUNING_PAGE << " lacks\n" << table;
}

TEST(Rules, HaveATestEach) {
  const auto& tests = *::testing::UnitTest::GetInstance();
  for (const Rule& rule : rules()) {
    bool is_tested = false;
    for (int suite = 0; suite < tests.total_test_suite_count(); ++suite)
      is_tested |= tests.GetTestSuite(suite)->name() == "Rule" + std::to_string(rule.number);
    EXPECT_TRUE(is_tested) << "rule " << rule.number << ", " << rule.name;
  }
}

}  // namespace
}  // namespace scantune
