// These tests compile the kernels of copies, and ask which copy is the ceiling of a scan.
#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/worker_scanning_device.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "measure/ceiling.h"
#include "measure/ordinary_kernel.h"

namespace scantune {
namespace {

constexpr u64 kMany = u64{1} << 28;

void expect_compiled_without_spills(const Instantiation& instantiation, int sm) {
  const Binary binary = compile_with_nvrtc(instantiation, "sm_" + std::to_string(sm));
  EXPECT_FALSE(binary.image.empty());
  EXPECT_NE(binary.log.find(" 0 bytes spill stores"), std::string::npos) << sm << "\n" << binary.log;
}

// Every conversion takes its turn with another architecture.
TEST(Copy, CompilesForEveryArchitectureWithoutSpills) {
  constexpr int kSms[] = {75, 80, 86, 90, 100, 120};
  std::size_t turn = 0;
  for (const auto& [input, output] :
       {std::pair(ValueType::u32, ValueType::u32), std::pair(ValueType::i8, ValueType::f64),
        std::pair(ValueType::u64, ValueType::u8), std::pair(ValueType::bf16, ValueType::f16)}) {
    const CopyRequest request{.input_type = input, .output_type = output, .n = kMany};
    for (const FamilyModel* family : algorithm_of<CopyRequest>().families())
      for (const Variant variant : {Variant::aligned, Variant::any}) {
        const int sm = kSms[turn++ % std::size(kSms)];
        ASSERT_EQ(family->unsupported_reason(request, sm), nullptr);
        expect_compiled_without_spills(instantiate(request, family->default_config(request, sm), variant), sm);
      }
  }
}

TEST(OrdinaryKernel, CompilesForEveryArchitectureWithoutSpills) {
  for (const int sm : {75, 80, 90, 100}) {
    testing::ScanningDevice device;
    device.mutable_identity().sm = sm;
    const OrdinaryKernel kernel(device);
    ASSERT_FALSE(device.compiler().instantiations.empty());
    for (const Instantiation& instantiation : device.compiler().instantiations)
      expect_compiled_without_spills(instantiation, sm);
  }
}

TEST(Ceiling, IsACopyOfIntegersAsWideAsTheItems) {
  const ScanRequest widening{
      .input_type = ValueType::f16, .accumulator_type = ValueType::f32, .output_type = ValueType::f32, .n = 1000};
  EXPECT_EQ(to_string(*copy_beside(widening)), "u16 to u32 copy of 1000 items");
  EXPECT_EQ(copy_beside(CopyRequest{.n = 5}), std::nullopt) << "nothing is its own ceiling";
  EXPECT_EQ(copy_beside(LoadBalanceRequest{.n = 5, .segments = 4}), std::nullopt) << "offsets are no items";
  EXPECT_EQ(copy_beside(SelectRequest{.n = 5}), std::nullopt) << "only the count says how much is written";
  EXPECT_EQ(copy_beside(SortRequest{.n = 5}), std::nullopt) << "keys are moved several times";
}

TEST(Ceiling, IsThatOfTheDefaultWithoutARecord) {
  for (const int sm : {80, 90}) {
    const CopyRequest copy{.n = kMany};
    EXPECT_EQ(ceiling_configs(copy, {"sm_" + std::to_string(sm), sm, "GPU", 132}),
              (std::vector<Config>{default_config(copy, sm)}));
  }
}

TEST(Copy, RefusesToTurnNumbersIntoIntegers) {
  const CopyRequest request{.input_type = ValueType::f32, .output_type = ValueType::i32, .n = 10};
  for (const FamilyModel* family : algorithm_of<CopyRequest>().families())
    EXPECT_NE(family->unsupported_reason(request, 90), nullptr) << family->name();
}

}  // namespace
}  // namespace scantune
