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
    for (const FamilyModel* family : algorithm_of<CopyRequest>().families()) {
      if (family->unsupported_reason(request, device_->identity().sm) != nullptr) continue;
      for (const Config& config : searched_configs(*family, request, device_->identity().sm)) {
        EXPECT_NO_THROW(verifier.verify(request, config)) << to_string(config);
        ++verified;
      }
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

// Rows with gaps from odd places, a transpose of planes, and every other item from the end.
TEST_F(CopiesOnGpu, LeadEveryItemToItsPlaceAndLeaveTheGaps) {
  const Layout layouts[] = {
      {.input = {1, 1003, 0, 3}, .output = {-1, 1001, 0, 1000}, .plane_sequences = 300},
      {.input = {1, 1001, 100'100, 1}, .output = {103, 1, 103'200, 2}, .plane_sequences = 100},
      {.input = {-2, 2003, 0, 2001}, .output = {3, 3005, 0, 0}, .plane_sequences = 300},
  };
  for (const Layout& layout : layouts)
    for (const ValueType type : {ValueType::u8, ValueType::i16, ValueType::f32, ValueType::f64})
      verify_all({.input_type = type,
                  .output_type = type,
                  .segments = Segments::rows,
                  .n = 300'000,
                  .rows = 300,
                  .layout = layout});
}

}  // namespace
}  // namespace scantune
