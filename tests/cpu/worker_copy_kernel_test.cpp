// The kernels that scans are held against and timed between are no family, so no other test compiles them for a GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "kept_compiler.h"
#include "measure/copy_kernel.h"
#include "measure/ordinary_kernel.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

bool has_bulk(int sm, int input_bytes, int output_bytes) {
  return std::ranges::any_of(CopyKernel::shapes(sm, input_bytes, output_bytes),
                             [](const CopyShape& shape) { return std::holds_alternative<BulkCopyShape>(shape); });
}

void expect_compiled_without_spills(testing::ScanningDevice& device, int sm) {
  ASSERT_FALSE(device.compiler().instantiations.empty());
  for (const Instantiation& instantiation : device.compiler().instantiations) {
    const Binary binary = compile_with_nvrtc(instantiation, "sm_" + std::to_string(sm));
    EXPECT_FALSE(binary.image.empty());
    EXPECT_NE(binary.log.find(" 0 bytes spill stores"), std::string::npos) << sm << "\n" << binary.log;
  }
}

TEST(CopyKernel, CompilesForEveryArchitectureWithoutSpills) {
  for (const int sm : {75, 80, 90, 100}) {
    testing::ScanningDevice device;
    device.mutable_identity().sm = sm;
    for (const auto& [input_bytes, output_bytes] : {std::pair(4, 4), std::pair(1, 8), std::pair(8, 1)})
      CopyKernel::all(device, input_bytes, output_bytes);
    expect_compiled_without_spills(device, sm);
  }
}

TEST(OrdinaryKernel, CompilesForEveryArchitectureWithoutSpills) {
  for (const int sm : {75, 80, 90, 100}) {
    testing::ScanningDevice device;
    device.mutable_identity().sm = sm;
    const OrdinaryKernel kernel(device);
    expect_compiled_without_spills(device, sm);
  }
}

TEST(CopyKernel, CopiesInBulkWhereTheArchitectureCanAndBothSidesAreEqual) {
  EXPECT_FALSE(has_bulk(80, 4, 4));
  EXPECT_TRUE(has_bulk(90, 4, 4));
  EXPECT_TRUE(has_bulk(100, 1, 1));
  EXPECT_FALSE(has_bulk(90, 1, 4));
  EXPECT_FALSE(has_bulk(kHostSm, 4, 4));
}

}  // namespace
}  // namespace scantune
