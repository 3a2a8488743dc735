// What every compiler refuses in a caller's operator, and what every one accepts.
#include "own_operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "file_reading_sources.h"
#include "operator_sources.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class WrongDefinition : public testing::TestWithParam<OperatorMistake> {};

TEST_P(WrongDefinition, IsTheFirstThingSaid) {
  const OperatorMistake& mistake = GetParam();
  try {
    compiled(mistake.request, mistake.custom);
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), StartsWith("operator.cu:" + std::to_string(mistake.line) + ": error: " + mistake.word));
  }
}

INSTANTIATE_TEST_SUITE_P(OfACaller, WrongDefinition, testing::ValuesIn(mistakes_of_definitions()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(CustomOperator, ThatReadsAFileIsRefusedInEverySpellingAndTheFileIsNotQuoted) {
  const SecretFile file;
  auto sources = file_reading_sources(file.path());
  for (const FileReadingSource& one : unclear_sources(file.path())) sources.push_back(one);
  for (const FileReadingSource& one : sources) {
    try {
      compiled(kScanOfFloats, {.source = one.source, .name = ""});
      ADD_FAILURE() << one.name << " compiled";
    } catch (const CompileError& error) {
      EXPECT_THAT(error.what(), StartsWith("operator.cu:" + std::to_string(one.line) + ": error: ")) << one.name;
      EXPECT_THAT(error.what(), Not(HasSubstr(SecretFile::kText))) << one.name;
    }
  }
}

TEST(CustomOperator, MayNameDirectivesInItsStringsAndComments) {
  const std::string combine = "\n__device__ Value combine(Value earlier, Value later) { return later; }\n";
  for (const FileReadingSource& one : sources_that_read_nothing())
    EXPECT_NO_THROW(compiled(kScanOfFloats, {.source = one.source + combine, .name = ""})) << one.name;
}

}  // namespace
}  // namespace scantune
