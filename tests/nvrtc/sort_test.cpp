// The families of sorts compile for every architecture they claim to support, and hold their keys in registers: local
// memory holds a few words that a budget of registers leaves no room for, and no array.
#include <gtest/gtest.h>

#include <string>

#include "compile_log.h"
#include "families_under_test.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "space/space.h"

namespace scantune {
namespace {

constexpr int kSms[] = {75, 80, 90, 100};
constexpr int kMostSpilledBytes = 160;            // of all kernels of a config
constexpr u64 kMany = u64{1} << 26, kFew = 4000;  // between them every family takes a request

struct Problem {
  const char* name;
  SortRequest request;
};
void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

constexpr SortRequest keys(ValueType type, Order order = Order::ascending) {
  return {.input_type = type, .order = order};
}
constexpr SortRequest with(SortRequest request, ValueType type, Sorted sorted = Sorted::pairs) {
  request.sorted = sorted;
  request.value_type = type;
  return request;
}
constexpr SortRequest with_structs(SortRequest request, int bytes, int alignment) {
  request = with(request, ValueType::custom);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  return request;
}
constexpr SortRequest in_rows(SortRequest request) {
  request.segments = Segments::rows;
  request.rows = 8;
  return request;
}

const Problem kProblems[] = {
    {"u8", keys(ValueType::u8)},
    {"i8_descending", keys(ValueType::i8, Order::descending)},
    {"u8_pairs_u64", with(keys(ValueType::u8), ValueType::u64)},
    {"u16", keys(ValueType::u16)},
    {"i16_indices", with(keys(ValueType::i16), ValueType::u32, Sorted::indices)},
    {"f16_descending_pairs_u16", with(keys(ValueType::f16, Order::descending), ValueType::u16)},
    {"bf16_keys_and_indices", with(keys(ValueType::bf16), ValueType::i32, Sorted::keys_and_indices)},
    {"u32", keys(ValueType::u32)},
    {"u32_in_rows", in_rows(keys(ValueType::u32))},
    {"i32_pairs_u32", with(keys(ValueType::i32), ValueType::u32)},
    {"u32_pairs_u8", with(keys(ValueType::u32), ValueType::u8)},
    {"u32_pairs_bytes_3", with_structs(keys(ValueType::u32), 3, 1)},
    {"u32_pairs_bytes_12", with_structs(keys(ValueType::u32), 12, 4)},
    {"u32_pairs_bytes_32", with_structs(keys(ValueType::u32), 32, 16)},
    {"u64_pairs_bytes_32", with_structs(keys(ValueType::u64), 32, 16)},
    {"f32_descending_indices", with(keys(ValueType::f32, Order::descending), ValueType::u32, Sorted::indices)},
    {"f32_keys_and_indices_in_rows", in_rows(with(keys(ValueType::f32), ValueType::i64, Sorted::keys_and_indices))},
    {"u64", keys(ValueType::u64)},
    {"i64_descending_pairs_f64", with(keys(ValueType::i64, Order::descending), ValueType::f64)},
    {"f64_indices", with(keys(ValueType::f64), ValueType::u64, Sorted::indices)},
    {"f64_pairs_u32_in_rows", in_rows(with(keys(ValueType::f64), ValueType::u32))},
};

class SortKernels : public testing::TestWithParam<Problem> {};

TEST_P(SortKernels, CompileForEveryArchitectureWithoutArraysInLocalMemory) {
  for (const int sm : kSms)
    for (const FamilyModel* family : families_of<SortRequest>(Standing::library)) {
      SortRequest request = GetParam().request;
      request.n = kMany;
      if (family->unsupported_reason(request, sm) != nullptr) request.n = kFew;
      if (family->unsupported_reason(request, sm) != nullptr) continue;
      const Config config = family->default_config(request, sm);
      ASSERT_EQ(reject_reason(config, request, sm), nullptr) << to_string(config);
      for (const Variant variant : {Variant::aligned, Variant::any}) {
        if (variant == Variant::any && sm != 90) continue;  // one architecture is enough
        const Binary binary = compile_with_nvrtc(instantiate(request, config, variant), "sm_" + std::to_string(sm));
        EXPECT_FALSE(binary.image.empty());
        const int spilled = reported_bytes(binary.log, "spill stores");
        EXPECT_LE(spilled, kMostSpilledBytes) << to_string(config) << sm << binary.log;
        EXPECT_LE(reported_bytes(binary.log, "stack frame"), (spilled + 7) / 8 * 8) << to_string(config) << sm;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(OfProblems, SortKernels, testing::ValuesIn(kProblems),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace scantune
