// Checks of outputs on the device compile for every architecture, whatever is checked.
#include <gtest/gtest.h>

#include "checked_problems.h"
#include "compile_log.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "measure/references/algorithm_reference.h"
#include "measure/stand_in.h"
#include "problems.h"

namespace scantune {
namespace {

TEST(DeviceChecks, CompileForEveryProblemWithoutSpills) {
  std::size_t turn = 0;
  for (const Request& request : checked_problems()) {
    const CheckKernels kernels = reference_of(request.algorithm()).check_kernels(request);
    std::optional<CustomOperator> stand_in;
    if (request.has_custom_operator()) stand_in = stand_in_for(request);
    const Instantiation check =
        instantiate_check(request, kernels.header, kernels.names, stand_in ? &*stand_in : nullptr);
    const Binary binary = compile_with_nvrtc(check, "sm_" + std::to_string(kSms[turn++ % std::size(kSms)]));
    EXPECT_EQ(reported_bytes(binary.log, "spill stores"), 0) << check.label << "\n" << binary.log;
  }
}

}  // namespace
}  // namespace scantune
