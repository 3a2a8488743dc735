// The kernels of copies, whose speed is the ceiling of scans, under any schedule.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kept_compiler.h"
#include "kernel_fixture.h"
#include "measure/verify.h"
#include "prepared_kernels.h"
#include "space/config_json.h"

namespace scantune::copy_test {
namespace {

constexpr u64 kSeeds = 8;

CopyRequest copy_of(ValueType input, ValueType output, u64 n) {
  return {.input_type = input, .output_type = output, .n = n};
}

CopyRequest copy_of_structs(int bytes, int alignment, u64 n) {
  return {.input_type = ValueType::custom,
          .output_type = ValueType::custom,
          .custom_bytes = bytes,
          .custom_alignment = alignment,
          .n = n};
}

Config small_vectors() {
  return config_of(*find_family("copy_vectors"),
                   Json::parse(R"({"block_threads": 32, "unroll": 2, "hint": "streaming"})"));
}

class Copies : public testing::Test {
 protected:
  void verify(const Request& request, const Config& config) {
    if (is_rehearsal()) {  // in which the first kernel would fail, and the other one not be asked for
      for (const Variant variant : {Variant::any, Variant::aligned})
        device_.compiler().compile(instantiate(request, config, variant), "host");
      return;
    }
    for (u64 seed = 0; seed < kSeeds; ++seed) {
      device_.set_seed(seed);
      EXPECT_NO_THROW(verifier_.verify(request, config)) << "seed " << seed;
    }
  }

  HostDevice device_{0, kept_host_compiler()};
  Verifier verifier_{device_};
};

TEST_F(Copies, MoveEveryByteAndNoneBeyond) {
  verify(copy_of(ValueType::i32, ValueType::i32, 4093), small_vectors());
  verify(copy_of(ValueType::u8, ValueType::u8, 1021), small_vectors());
  verify(copy_of(ValueType::f64, ValueType::f64, 301), small_vectors());
  verify(copy_of_structs(3, 1, 1000), small_vectors());
  verify(copy_of_structs(32, 16, 100), small_vectors());
}

TEST_F(Copies, ConvertAsScansDo) {
  for (const auto& [input, output] :
       {std::pair(ValueType::i8, ValueType::i64), std::pair(ValueType::u64, ValueType::i8),
        std::pair(ValueType::i16, ValueType::f64), std::pair(ValueType::f16, ValueType::bf16),
        std::pair(ValueType::f64, ValueType::f16), std::pair(ValueType::f32, ValueType::f64)})
    verify(copy_of(input, output, 777), small_vectors());
}

}  // namespace
}  // namespace scantune::copy_test
