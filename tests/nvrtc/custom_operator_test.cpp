// NVRTC's messages about a caller's operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device_functions.h"
#include "file_reading_sources.h"
#include "kept_compiler.h"
#include "operator_sources.h"
#include "own_operator.h"
#include "scantune/error.hpp"

namespace scantune {

Binary compiled(const ScanRequest& request, const CustomOperator& custom) {
  return compile_with_nvrtc(instantiate(request, default_config(request, 90), Variant::aligned, &custom), "sm_90");
}

namespace {

using testing::HasSubstr;
using testing::Not;

class Mistake : public testing::TestWithParam<OperatorMistake> {};

TEST_P(Mistake, IsReportedAtTheCallersOwnLine) {
  const OperatorMistake& mistake = GetParam();
  const std::string report = log_of(mistake.request, mistake.custom);
  const std::string place = "operator.cu(" + std::to_string(mistake.line) + "): ";
  EXPECT_THAT(report, HasSubstr(place + "error:"));
  EXPECT_THAT(report, HasSubstr(mistake.word));
  EXPECT_EQ(report.find("error:"), report.find(place) + place.size()) << "another place is named first: " << report;
}

INSTANTIATE_TEST_SUITE_P(OfACaller, Mistake, testing::ValuesIn(operator_mistakes()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(CustomOperator, MayCallTheMathematicsThatCudaDeclares) {
  EXPECT_NO_THROW(compiled(kScanOfFloats, kOperatorWithMathematics));
}

TEST(CustomOperator, MayCallTheDeviceFunctionsThatTheHostDeviceHas) {
  EXPECT_NO_THROW(compile_with_nvrtc(device_functions_kernel(), "sm_90"));
}

// The scanner of sources is the first guard, and this is the second: the key of a binary covers all that is read.
TEST(NvrtcCompiler, LooksForNoHeaderInTheCurrentDirectory) {
  const SecretFile file;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(file.path()).parent_path());
  const std::string name = std::filesystem::path(file.path()).filename();
  const std::string log = message_of<CompileError>([&] {
    compile_with_nvrtc({.source = "#include \"" + name + "\"\n", .headers = {}, .kernels = {}, .label = "a test"},
                       "sm_90");
  });
  EXPECT_THAT(log, HasSubstr("could not open source file"));
  EXPECT_THAT(log, Not(HasSubstr(SecretFile::kText)));
  std::filesystem::current_path(before);
}

}  // namespace

}  // namespace scantune
