// What NVRTC says about a caller's operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit/nvrtc_compiler.h"
#include "operator_sources.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using testing::HasSubstr;

Binary compiled(const ScanRequest& request, const CustomOperator& custom) {
  return NvrtcCompiler().compile(instantiate(request, default_config(request, 90), &custom), "sm_90");
}

class Mistake : public testing::TestWithParam<OperatorMistake> {};

TEST_P(Mistake, IsReportedAtTheCallersOwnLine) {
  const OperatorMistake& mistake = GetParam();
  try {
    compiled(mistake.request, mistake.custom);
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    const std::string report = error.what(), place = "operator.cu(" + std::to_string(mistake.line) + "): ";
    EXPECT_THAT(report, HasSubstr(place + "error:"));
    EXPECT_THAT(report, HasSubstr(mistake.word));
    EXPECT_EQ(report.find("error:"), report.find(place) + place.size()) << "another place is named first: " << report;
  }
}

INSTANTIATE_TEST_SUITE_P(OfACaller, Mistake, testing::ValuesIn(operator_mistakes()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(CustomOperator, MayCallTheMathematicsThatCudaDeclares) {
  EXPECT_NO_THROW(compiled(kScanOfFloats, kOperatorWithMathematics));
}

}  // namespace

void PrintTo(const OperatorMistake& mistake, std::ostream* out) { *out << mistake.name; }

}  // namespace scantune
