// The kernels that check sums compile for GPUs, for every type.
#include <gtest/gtest.h>

#include "kept_compiler.h"
#include "known_sums.h"
#include "space/space.h"

namespace scantune {
namespace {

TEST(KnownSums, CompileForGpusWithEveryType) {
  for (int index = 0; index < static_cast<int>(ValueType::custom); ++index) {
    const auto type = static_cast<ValueType>(index);
    const ScanRequest request{
        .input_type = type, .accumulator_type = default_accumulator(type, type), .output_type = type};
    for (const char* arch : {"sm_75", "sm_90"})
      EXPECT_NO_THROW(compile_with_nvrtc(KnownSums::kernels(request), arch)) << token(type) << " for " << arch;
  }
}

}  // namespace
}  // namespace scantune
