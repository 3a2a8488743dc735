// The families of selections compile for every architecture they claim to support, and hold their items in registers.
#include <gtest/gtest.h>

#include <string>

#include "compile_log.h"
#include "families_under_test.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "measure/stand_in.h"
#include "space/space.h"

namespace scantune {
namespace {

constexpr int kSms[] = {75, 80, 90, 100};

struct Problem {
  const char* name;
  SelectRequest request;
};
void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

constexpr SelectRequest of(ValueType type, Criterion criterion, u64 n = u64{1} << 26) {
  return {.input_type = type, .criterion = criterion, .n = n};
}

constexpr SelectRequest of_structs(int bytes, Criterion criterion) {
  SelectRequest request = of(ValueType::custom, criterion);
  request.custom_bytes = bytes;
  request.custom_alignment = bytes == 12 ? 4 : 16;
  return request;
}

constexpr SelectRequest with_indices(SelectRequest request, ValueType type, Selected selected) {
  request.index_type = type;
  request.selected = selected;
  return request;
}
constexpr SelectRequest with(SelectRequest request, Values values) {
  request.values = values;
  return request;
}
constexpr SelectRequest partition(SelectRequest request, Rejected rejected = Rejected::apart) {
  request.rejected = rejected;
  return request;
}

const Problem kProblems[] = {
    {"u8_less", of(ValueType::u8, Criterion::less)},
    {"u8_flagged_apart", partition(of(ValueType::u8, Criterion::flagged))},
    {"i8_unique", of(ValueType::i8, Criterion::unique)},
    {"f16_less", of(ValueType::f16, Criterion::less)},
    {"u16_unique_with_values", with(of(ValueType::u16, Criterion::unique), Values::bytes_8)},
    {"i32_less", of(ValueType::i32, Criterion::less)},
    {"i32_few_flagged", of(ValueType::i32, Criterion::flagged, 10'000)},
    {"i32_predicate_apart", partition(of(ValueType::i32, Criterion::predicate))},
    {"f32_unique_with_values", with(of(ValueType::f32, Criterion::unique), Values::bytes_4)},
    {"u32_unique_by", of(ValueType::u32, Criterion::unique_by)},
    {"u8_flagged_indices", with_indices(of(ValueType::u8, Criterion::flagged), ValueType::u32, Selected::indices)},
    {"f64_greater_with_indices",
     with_indices(of(ValueType::f64, Criterion::greater), ValueType::i64, Selected::items_and_indices)},
    {"i64_unique_apart", partition(of(ValueType::i64, Criterion::unique))},
    {"bytes_12_predicate", of_structs(12, Criterion::predicate)},
    {"bytes_16_unique_by", of_structs(16, Criterion::unique_by)},
    {"bytes_16_flagged_with_values", with(of_structs(16, Criterion::flagged), Values::bytes_1)},
    {"bytes_32_flagged_apart", partition(of_structs(32, Criterion::flagged))},
    {"i32_less_behind", partition(of(ValueType::i32, Criterion::less), Rejected::behind)},
    {"u8_flagged_behind", partition(of(ValueType::u8, Criterion::flagged), Rejected::behind)},
    {"i32_around_apart", partition(of(ValueType::i32, Criterion::around))},
    {"u8_parts_apart", partition(of(ValueType::u8, Criterion::parts))},
    {"f64_around_behind", partition(of(ValueType::f64, Criterion::around), Rejected::behind)},
    {"bytes_32_parts_apart", partition(of_structs(32, Criterion::parts))},
    {"bytes_32_unique_by", of_structs(32, Criterion::unique_by)},
};

class Selections : public testing::TestWithParam<Problem> {};

TEST_P(Selections, CompileForEveryArchitectureWithoutSpills) {
  const SelectRequest& request = GetParam().request;
  ASSERT_EQ(unsupported_reason(request), nullptr);
  const bool takes_source = Request(request).has_custom_operator();
  const CustomOperator stand_in = takes_source ? stand_in_for(request) : CustomOperator{};
  for (const int sm : kSms)
    for (const FamilyModel* family : families_of<SelectRequest>(Standing::library)) {
      if (family->unsupported_reason(request, sm) != nullptr) continue;
      for (const Variant variant : {Variant::aligned, Variant::any}) {
        const Binary binary = compile_with_nvrtc(
            instantiate(request, family->default_config(request, sm), variant, takes_source ? &stand_in : nullptr),
            "sm_" + std::to_string(sm));
        EXPECT_FALSE(binary.image.empty());
        EXPECT_NE(binary.log.find(" 0 bytes spill stores"), std::string::npos) << family->name() << sm << binary.log;
        EXPECT_EQ(reported_bytes(binary.log, "stack frame"), 0) << family->name() << sm << binary.log;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(OfProblems, Selections, testing::ValuesIn(kProblems),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace scantune
