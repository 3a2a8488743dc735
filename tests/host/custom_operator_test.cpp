// What the host's compiler says about a caller's operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit/host_compiler.h"
#include "operator_sources.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using testing::HasSubstr;

Binary compiled(const ScanRequest& request, const CustomOperator& custom) {
  return HostCompiler().compile(instantiate(request, default_config(request, 90), &custom), "host");
}

class Mistake : public testing::TestWithParam<OperatorMistake> {};

TEST_P(Mistake, IsReportedAtTheCallersOwnLine) {
  const OperatorMistake& mistake = GetParam();
  try {
    compiled(mistake.request, mistake.custom);
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("operator.cu:" + std::to_string(mistake.line) + ":"));
    EXPECT_THAT(error.what(), HasSubstr(mistake.word));
  }
}

INSTANTIATE_TEST_SUITE_P(OfACaller, Mistake, testing::ValuesIn(operator_mistakes()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(CustomOperator, MayUseTheNamesOfTheLibraryForItsOwn) {
  EXPECT_NO_THROW(compiled(kScanOfPairs, kOperatorWithCommonNames));
}

}  // namespace

void PrintTo(const OperatorMistake& mistake, std::ostream* out) { *out << mistake.name; }

}  // namespace scantune
