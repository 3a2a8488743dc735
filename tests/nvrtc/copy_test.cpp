// These tests compile the kernels of copies, and ask which copy is the ceiling of a scan.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "cpu/worker_scanning_device.h"
#include "families_under_test.h"
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

// Compiles the kernels for both alignments, each for the next architecture in turn.
void expect_kernels_without_spills(const FamilyModel& family, const Request& request) {
  constexpr int kSms[] = {75, 80, 86, 90, 100, 120};
  static std::size_t turn = 0;
  for (const Variant variant : {Variant::aligned, Variant::any}) {
    const int sm = kSms[turn++ % std::size(kSms)];
    ASSERT_EQ(family.unsupported_reason(request, sm), nullptr);
    expect_compiled_without_spills(instantiate(request, family.default_config(request, sm), variant), sm);
  }
}

TEST(Copy, CompilesForEveryArchitectureWithoutSpills) {
  for (const auto& [input, output] :
       {std::pair(ValueType::u32, ValueType::u32), std::pair(ValueType::i8, ValueType::f64),
        std::pair(ValueType::u64, ValueType::u8), std::pair(ValueType::bf16, ValueType::f16)})
    expect_kernels_without_spills(*find_family("copy_vectors"),
                                  CopyRequest{.input_type = input, .output_type = output, .n = kMany});
}

TEST(StridedCopy, CompilesForEveryArchitectureWithoutSpills) {
  for (const auto& [type, bytes, alignment] :
       {std::tuple(ValueType::u8, 0, 0), std::tuple(ValueType::i16, 0, 0), std::tuple(ValueType::f32, 0, 0),
        std::tuple(ValueType::u64, 0, 0), std::tuple(ValueType::custom, 16, 16), std::tuple(ValueType::custom, 12, 4),
        std::tuple(ValueType::custom, 3, 1), std::tuple(ValueType::custom, 32, 16)}) {
    CopyRequest request = copy_with_gaps(kMany);
    request.input_type = request.output_type = type;
    request.custom_bytes = bytes;
    request.custom_alignment = alignment;
    expect_kernels_without_spills(*find_family("copy_strided"), request);
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
  const ReduceRequest rows{.segments = Segments::rows, .n = 5, .rows = 5};
  EXPECT_EQ(to_string(*copy_beside(rows)), "u32 copy of 5 items");
  EXPECT_EQ(copy_beside(CopyRequest{.n = 5}), std::nullopt) << "nothing is its own ceiling";
  EXPECT_EQ(copy_beside(LoadBalanceRequest{.n = 5, .segments = 4}), std::nullopt) << "offsets are no items";
  EXPECT_EQ(copy_beside(SelectRequest{.n = 5}), std::nullopt) << "only the count says how much is written";
  EXPECT_EQ(copy_beside(SortRequest{.n = 5}), std::nullopt) << "keys are moved several times";
}

TEST(Ceiling, HasTheStridesOfTheItems) {
  const Layout layout{
      .input = {.item = 2, .sequence = 70}, .output = {.item = 1, .sequence = 31}, .plane_sequences = 4};
  ScanRequest scan{.segments = Segments::columns, .n = 120, .columns = 4, .layout = layout};
  const auto copy = copy_beside(scan);
  EXPECT_EQ(typed<CopyRequest>(*copy), (CopyRequest{.input_type = ValueType::u32,
                                                    .output_type = ValueType::u32,
                                                    .segments = Segments::rows,
                                                    .n = 120,
                                                    .rows = 4,
                                                    .layout = layout}));
  for (const Config& config : ceiling_configs(*copy, {"sm_90", 90, "GPU", 132}))
    EXPECT_EQ(reject_reason(config, *copy, 90), nullptr) << to_string(config);

  scan.output_type = scan.accumulator_type = ValueType::i64;
  EXPECT_EQ(copy_beside(scan), std::nullopt) << "strided items are not converted";
  const ReduceRequest totals{.segments = Segments::rows, .n = 120, .rows = 4, .layout = {layout.input, {}, 4}};
  EXPECT_EQ(copy_beside(totals), std::nullopt) << "there are fewer results than items";
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
