#include "wrong_scans.h"

#include <gmock/gmock.h>

namespace scantune::bench {
namespace {

using testing::ElementsAre;

// Scans that return one number each, where 7 is right. The CPU notices at once what is far off, and the rest only where
// a difference is checked.
std::vector<std::string> found_wrong(const std::vector<int>& outputs) {
  int expected = 0;
  const auto expect = [&](int scan) {
    expected = outputs[static_cast<std::size_t>(scan)];
    return expected < 100 ? std::nullopt : std::optional<std::string>("far off");
  };
  const auto compare = [&](int scan) -> std::optional<Difference> {
    if (outputs[static_cast<std::size_t>(scan)] == expected) return std::nullopt;
    return Difference{expected != 7, expected != 7 ? "the reference is wrong" : "the scan is wrong"};
  };
  return wrong_scans({static_cast<int>(outputs.size()), expect, compare});
}

TEST(WrongScans, AreNoneWhereAllAgree) { EXPECT_THAT(found_wrong({7, 7, 7}), ElementsAre("", "", "")); }

TEST(WrongScans, LeaveTheOthersToBeTimed) {
  EXPECT_THAT(found_wrong({7, 7, 8, 7}), ElementsAre("", "", "the scan is wrong", ""));
}

TEST(WrongScans, IncludeTheFirstOne) { EXPECT_THAT(found_wrong({8, 7, 7}), ElementsAre("the scan is wrong", "", "")); }

TEST(WrongScans, IncludeAReferenceThatTheCpuFindsWrongAtOnce) {
  EXPECT_THAT(found_wrong({7, 100, 7}), ElementsAre("", "far off", ""));
}

TEST(WrongScans, IncludeAReferenceThatIsFoundWrongOnlyByADifference) {
  EXPECT_THAT(found_wrong({7, 8, 9, 7}), ElementsAre("", "the reference is wrong", "the reference is wrong", ""));
}

TEST(WrongScans, AreFoundByTheFirstScanWhereAllOthersAreWrong) {
  EXPECT_THAT(found_wrong({7, 100, 100}), ElementsAre("", "far off", "far off"));
  EXPECT_THAT(found_wrong({100, 100}), ElementsAre("far off", "far off"));
}

}  // namespace
}  // namespace scantune::bench
