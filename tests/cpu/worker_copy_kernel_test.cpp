// The copy kernels are no family, so no other test compiles them for a GPU.
#include <gtest/gtest.h>

#include "jit/nvrtc_compiler.h"
#include "measure/copy_kernel.h"
#include "worker_scanning_device.h"

namespace scantune {
namespace {

TEST(CopyKernel, CompilesForEveryArchitectureWithoutSpills) {
  testing::ScanningDevice device;
  for (const auto& [input_bytes, output_bytes] : {std::pair(4, 4), std::pair(1, 8), std::pair(8, 1)})
    CopyKernel::all(device, input_bytes, output_bytes);
  ASSERT_EQ(device.compiler().instantiations.size(), 3 * CopyKernel::shapes().size());
  for (const Instantiation& instantiation : device.compiler().instantiations)
    for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
      const Binary binary = NvrtcCompiler().compile(instantiation, arch);
      EXPECT_FALSE(binary.image.empty());
      EXPECT_NE(binary.log.find(" 0 bytes spill stores"), std::string::npos) << arch << "\n" << binary.log;
    }
}

}  // namespace
}  // namespace scantune
