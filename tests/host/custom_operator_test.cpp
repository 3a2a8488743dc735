// Messages of the host device's compiler about a caller's operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "device_functions.h"
#include "operator_sources.h"
#include "own_operator.h"
#include "scantune/error.hpp"

namespace scantune {

Binary compiled(const ScanRequest& request, const CustomOperator& custom) {
  return HostDevice().compiler().compile(
      instantiate(request, default_config(request, kHostSm), Variant::aligned, &custom), "host");
}

namespace {

using testing::HasSubstr;

class Mistake : public testing::TestWithParam<OperatorMistake> {};

TEST_P(Mistake, IsReportedAtTheCallersOwnLine) {
  const OperatorMistake& mistake = GetParam();
  const std::string log = log_of(mistake.request, mistake.custom);
  EXPECT_THAT(log, HasSubstr("operator.cu:" + std::to_string(mistake.line) + ":"));
  EXPECT_THAT(log, HasSubstr(mistake.word));
}

INSTANTIATE_TEST_SUITE_P(OfACaller, Mistake, testing::ValuesIn(operator_mistakes()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(CustomOperator, MayCallTheMathematicsThatCudaDeclares) {
  HostDevice device;
  const Config config = default_config(kScanOfFloats, kHostSm);
  const std::vector<std::string> kernels =
      instantiate(kScanOfFloats, config, Variant::aligned, &kOperatorWithMathematics).kernels;
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
  EXPECT_THAT(log_of(kScanOfFloats, {.source = source, .name = ""}),
              HasSubstr("the host device has no PTX: write this in C++"));
}

}  // namespace

}  // namespace scantune
