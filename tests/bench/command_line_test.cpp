#include "command_line.h"

#include <gtest/gtest.h>

namespace scantune::bench {
namespace {

CommandLine line_of(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "a_bench");
  return {"a_bench", "usage\n", static_cast<int>(arguments.size()), const_cast<char**>(arguments.data())};
}

TEST(CommandLine, NamesTheOptionThatDoesNotGoWithTheOthersAndSaysWhy) {
  const CommandLine line = line_of({"--draws", "3", "--sizes", "20"});
  line.refuse("--conditions", "does not go with --draws");
  EXPECT_EXIT(line.refuse("--sizes", "does not go with --draws"), testing::ExitedWithCode(2),
              "a_bench: --sizes does not go with --draws\nusage");
}

TEST(CommandLine, NamesAnOptionThatNothingTakes) {
  CommandLine line = line_of({"--draws", "3", "--frobs", "20"});
  EXPECT_EQ(line.take("--draws", ""), "3");
  EXPECT_EXIT(line.finish(), testing::ExitedWithCode(2), "there is no option --frobs");
}

}  // namespace
}  // namespace scantune::bench
