// The kernels of copies, whose speed is the ceiling of scans.
#include "gpu_test.h"
#include "measure/verify.h"

namespace scantune {
namespace {

class CopiesOnGpu : public GpuTest {
 protected:
  // Verifies every searched config.
  void verify_all(const CopyRequest& request) {
    Verifier verifier(*device_);
    int verified = 0;
    for (const FamilyModel* family : algorithm_of<CopyRequest>().families())
      for (const Config& config : searched_configs(*family, request, device_->identity().sm)) {
        EXPECT_NO_THROW(verifier.verify(request, config)) << to_string(config);
        ++verified;
      }
    EXPECT_GT(verified, 0);
  }
};

TEST_F(CopiesOnGpu, MoveEveryByteAndNoneBeyond) {
  for (const ValueType type : {ValueType::u8, ValueType::i32, ValueType::f64})
    for (const u64 n : {u64{1000}, u64{1'000'007}, (u64{1} << 24) + 5})
      verify_all({.input_type = type, .output_type = type, .n = n});
  verify_all({.input_type = ValueType::custom,
              .output_type = ValueType::custom,
              .custom_bytes = 12,
              .custom_alignment = 4,
              .n = 1'000'007});
}

TEST_F(CopiesOnGpu, ConvertAsScansDo) {
  for (const auto& [input, output] :
       {std::pair(ValueType::i8, ValueType::i64), std::pair(ValueType::u64, ValueType::u8),
        std::pair(ValueType::f16, ValueType::f32), std::pair(ValueType::f64, ValueType::bf16),
        std::pair(ValueType::i32, ValueType::f64)})
    verify_all({.input_type = input, .output_type = output, .n = 1'000'007});
}

}  // namespace
}  // namespace scantune
