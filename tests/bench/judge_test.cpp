#include "judge.h"

#include <gmock/gmock.h>

namespace scantune::bench {
namespace {

using testing::ElementsAre;

// Scans that return one number each; 7 is right. The CPU sees at once what is far off, the rest only where it is asked.
std::vector<std::string> judged(const std::vector<int>& outputs) {
  int expected = 0;
  const auto expect = [&](int scan) {
    expected = outputs[static_cast<std::size_t>(scan)];
    return expected < 100 ? std::nullopt : std::optional<std::string>("far off");
  };
  const auto compare = [&](int scan) -> std::optional<Difference> {
    if (outputs[static_cast<std::size_t>(scan)] == expected) return std::nullopt;
    return Difference{expected != 7, expected != 7 ? "the judge is wrong" : "the scan is wrong"};
  };
  return wrong_scans({static_cast<int>(outputs.size()), expect, compare});
}

TEST(WrongScans, AreNoneWhereAllAgree) { EXPECT_THAT(judged({7, 7, 7}), ElementsAre("", "", "")); }

TEST(WrongScans, LeaveTheOthersInTheContest) {
  EXPECT_THAT(judged({7, 7, 8, 7}), ElementsAre("", "", "the scan is wrong", ""));
}

TEST(WrongScans, IncludeTheFirstOne) { EXPECT_THAT(judged({8, 7, 7}), ElementsAre("the scan is wrong", "", "")); }

TEST(WrongScans, IncludeAJudgeThatTheCpuFindsWrongAtOnce) {
  EXPECT_THAT(judged({7, 100, 7}), ElementsAre("", "far off", ""));
}

TEST(WrongScans, IncludeAJudgeThatIsFoundWrongOnlyByADifference) {
  EXPECT_THAT(judged({7, 8, 9, 7}), ElementsAre("", "the judge is wrong", "the judge is wrong", ""));
}

TEST(WrongScans, AreFoundByTheFirstScanWhereAllOthersAreWrong) {
  EXPECT_THAT(judged({7, 100, 100}), ElementsAre("", "far off", "far off"));
  EXPECT_THAT(judged({100, 100}), ElementsAre("far off", "far off"));
}

}  // namespace
}  // namespace scantune::bench
