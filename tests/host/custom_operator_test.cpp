// What the host's compiler says about a caller's operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "device_functions.h"
#include "file_reading_sources.h"
#include "operator_sources.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Binary compiled(const ScanRequest& request, const CustomOperator& custom) {
  return HostDevice().compiler().compile(instantiate(request, default_config(request, kHostSm), &custom), "host");
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

TEST(CustomOperator, MayCallTheMathematicsThatCudaDeclares) {
  HostDevice device;
  const Config config = default_config(kScanOfFloats, kHostSm);
  const std::vector<std::string> kernels = instantiate(kScanOfFloats, config, &kOperatorWithMathematics).kernels;
  EXPECT_NO_THROW(device.load(compiled(kScanOfFloats, kOperatorWithMathematics), kernels, {}));
}

TEST(CustomOperator, MayCallTheDeviceFunctionsOfCudaAndGetsTheirResults) {
  HostDevice device;
  expect_right_device_functions(device);
}

TEST(CustomOperator, IsToldThatTheHostDeviceHasNoPtx) {
  const char* const source =
      "__device__ Value combine(Value a, Value b) {\n  asm volatile(\"mov.f32 %0, %1;\" : \"=f\"(a) : \"f\"(b));\n  "
      "return a;\n}";
  try {
    compiled(kScanOfFloats, {.source = source, .name = ""});
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the host device has no PTX: write this in C++"));
  }
}

}  // namespace

void PrintTo(const OperatorMistake& mistake, std::ostream* out) { *out << mistake.name; }

}  // namespace scantune
