// Reductions of columns: vectors of them, lines in turn, and strides.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "reduce_case.h"
#include "scan_items.h"

namespace scantune::reduce_test {
namespace {

struct ColumnReduction {
  const char* name;
  ReduceRequest request;
  std::vector<std::pair<std::string, std::string>> values;
  std::optional<TestOperator> custom = {};
};

void PrintTo(const ColumnReduction& one, std::ostream* out) { *out << one.name; }

// Bands are lower than is legal, so that few items have several.
std::vector<ColumnReduction> column_reductions() {
  using enum ValueType;
  const auto values = [](const char* threads, const char* beside, const char* each, const char* unroll,
                         const char* lines) {
    return std::vector<std::pair<std::string, std::string>>{{"block_threads", threads},
                                                            {"columns_per_block", beside},
                                                            {"columns_per_thread", each},
                                                            {"unroll", unroll},
                                                            {"band_lines", lines}};
  };
  return {{"first_of_floats", reduction_of(f32, f32, Operator::max, Init::none, Position::first),
           values("128", "32", "4", "2", "64")},
          {"last_of_halves", reduction_of(f16, f16, Operator::min, Init::none, Position::last),
           values("96", "64", "2", "4", "1048576")},
          {"first_of_doubles_in_one_segment", reduction_of(f64, f64, Operator::max, Init::none, Position::first),
           values("64", "128", "2", "2", "1048576")},
          {"sums_of_bytes", reduction_of(i8, i8, Operator::sum, Init::value), values("64", "32", "16", "2", "64")},
          {"bytes_in_one_segment", reduction_of(u8, u32, Operator::max, Init::memory),
           values("32", "512", "16", "4", "1024")},
          {"sums_of_halves", reduction_of(bf16, f32), values("256", "1", "1", "8", "256")},
          {"own_operator", custom_reduction(affine_maps(), Init::value), values("128", "32", "2", "2", "64"),
           affine_maps()}};
}

struct ColumnPlaces {
  u64 columns, lines, missing;  // items that the last line lacks
  Layout layout = {};
};

Layout strided(u64 plane_columns, Strides strides) { return {.input = strides, .plane_sequences = plane_columns}; }

// Few columns and many lines, and the other way round. With strides: gaps that keep vectors and others that do not,
// neighbours that descend, and starts on no boundary, after which lines have fewer columns than a vector, or one CTA
// more.
const std::vector<ColumnPlaces> kColumnPlaces = {
    {1, 500, 0},
    {2, 333, 0},
    {3, 401, 1},
    {5, 18, 2},
    {40, 18, 3},
    {16, 129, 0},
    {33, 65, 0},
    {260, 5, 7},
    {7, 1, 3},
    {1, 700, 0, strided(1, {.item = 2, .sequence = 1})},
    {1, 300, 0, strided(1, {.item = -3, .sequence = 1, .first = 897})},
    {2, 200, 0, strided(2, {.item = 16, .sequence = 1})},
    {48, 18, 0, strided(48, {.item = 64, .sequence = 1})},
    {48, 18, 0, strided(48, {.item = 51, .sequence = 1, .first = 3})},
    {48, 18, 0, strided(48, {.item = 64, .sequence = 1, .first = 3})},
    {48, 21, 0, strided(48, {.item = -64, .sequence = 1, .first = 20 * 64 + 5})},
    {3, 130, 0, strided(3, {.item = 16, .sequence = 1, .first = 6})},
    {510, 9, 0, strided(510, {.item = 512, .sequence = 1, .first = 15})},
    {64, 1, 0, strided(64, {.item = 64, .sequence = 1, .first = 1})},
    {512, 7, 130},
    {48, 21, 0, strided(48, {.item = 48, .sequence = -1, .first = 47})},
    {48, 21, 0, strided(48, {.item = -48, .sequence = -1, .first = 21 * 48 - 1})},
    {48, 21, 0, strided(48, {.item = 48, .sequence = -1, .first = 50})},
    {45, 21, 0, strided(45, {.item = 48, .sequence = -1, .first = 46})},
    {140, 5, 0, strided(2, {.item = 2, .sequence = -1, .plane = 10, .first = 1})},
    {160, 5, 0, strided(16, {.item = 16, .sequence = 1, .plane = 80})},
    {165, 5, 0, strided(15, {.item = 16, .sequence = 1, .plane = 80})},
    {96, 7, 0, strided(96, {.item = 1, .sequence = 7})},
};

// Few different values, of which each column has many in different segments.
Bytes few_values(const ReduceRequest& request, u64 items, Random& random, const TestOperator* custom) {
  ScanRequest drawn = as_scan(request);
  drawn.n = items;
  if (custom != nullptr) return scan_items(drawn, random.below(1u << 30), custom);
  constexpr u64 kValues[][3] = {{0, 1, 2},
                                {0, 0x3c00, 0xbc00},
                                {0, 0x3f800000, 0xbf800000},
                                {0, u64{0x3ff} << 52, u64{0xbff} << 52},
                                {0, 0x3f80, 0xbf80}};
  const int row = request.input_type == ValueType::f16    ? 1
                  : request.input_type == ValueType::f32  ? 2
                  : request.input_type == ValueType::f64  ? 3
                  : request.input_type == ValueType::bf16 ? 4
                                                          : 0;
  const auto bytes = static_cast<std::size_t>(request.input_bytes());
  Bytes result(items * bytes);
  for (u64 item = 0; item < items; ++item) std::memcpy(&result[item * bytes], &kValues[row][random.below(3)], bytes);
  return result;
}

class ReducedColumns : public testing::TestWithParam<ColumnReduction> {};

TEST_P(ReducedColumns, AreRightWithEveryShapeAndStride) {
  const ColumnReduction& one = GetParam();
  const TestOperator* const custom = one.custom ? &*one.custom : nullptr;
  const FamilyModel& family = *find_family("reduce_columns");
  Random random(71);
  for (const auto& [columns, lines, missing, layout] : kColumnPlaces) {
    ReduceRequest request = one.request;
    request.segments = Segments::columns;
    request.columns = columns;
    request.n = columns * lines - missing;
    request.layout = layout;
    if (family.unsupported_reason(request, kHostSm) != nullptr)
      continue;  // columns without items, and no initial value
    Config config = family.default_config(request, kHostSm);
    for (const auto& [name, spelling] : one.values)
      for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index)
        if (const auto& parameter = family.parameters()[static_cast<std::size_t>(index)]; name == parameter.name)
          config[index] = std::stoi(spelling);
    u64 items = request.n;
    if (layout.is_strided()) {
      const StridedRange range = layout.range(layout.input, columns, lines);
      ASSERT_EQ(range.lowest, 0);
      items = range.items;
    }
    for (const Variant variant : {Variant::aligned, Variant::any}) {
      Case reduction{request, config, random.below(1u << 30), custom};
      reduction.variant = variant;
      if (variant == Variant::any)
        reduction.misaligned_bytes =
            static_cast<u64>(request.alignment_of(request.input_type)) * (1 + random.below(kVectorAlignmentBytes));
      check(reduction, few_values(request, items, random, custom), scan_init(as_scan(request), custom));
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, ReducedColumns, testing::ValuesIn(column_reductions()),
                         [](const auto& tested) { return tested.param.name; });

// Lines in turn would give each of two segments the product of every other item, 4^300 or 4^-300.
TEST(ReduceColumns, KeepProductsFiniteThatAreFiniteFromItemToItem) {
  const ReduceRequest of = reduction_of(ValueType::f32, ValueType::f32, Operator::product);
  const FamilyModel& family = *find_family("reduce_columns");
  const ReduceRequest request = asked_of(family, of, 600);
  const Config config =
      config_of(family, asked_of(family, of, kSomeItems), {{"block_threads", "64"}, {"columns_per_block", "32"}});
  ASSERT_EQ(request.columns, 1u);
  Bytes items(request.n * sizeof(float));
  for (u64 item = 0; item < request.n; ++item) {
    const float value = item % 2 == 0 ? 4.0f : 0.25f;
    std::memcpy(&items[item * sizeof(float)], &value, sizeof value);
  }
  check({request, config, 1}, items, scan_init(as_scan(request), nullptr));
}

}  // namespace
}  // namespace scantune::reduce_test
