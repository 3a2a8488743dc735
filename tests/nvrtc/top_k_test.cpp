// Top-k compiles for every architecture that a family claims to support, without arrays in local memory. Each row of
// the design is one binary of a default config.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiled_row.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune::top_k_test {
namespace {

constexpr u64 kManyItems = u64{1} << 26;

ValueType type_of(const RowReader& row) {
  using enum ValueType;
  const std::string& width = row["key_bytes"];
  const bool floating = row.is("class", "floating");
  if (width == "1") return i8;
  if (width == "2") return floating ? bf16 : u16;
  if (width == "4") return floating ? f32 : i32;
  return floating ? f64 : u64;
}

TopKRequest top_k_of(const RowReader& row) {
  TopKRequest request{
      .input_type = type_of(row),
      .order = row.token_of<Order>("order"),
      .sorted = row.token_of<Sorted>("sorted"),
      .result_order = row.token_of<ResultOrder>("result_order"),
      .nan_order = row.is("nans", "last") && row.is("class", "floating") ? NanOrder::last : NanOrder::total_order,
      .k_source = row.token_of<CountSource>("k_source"),
      .n = kManyItems,
      .k = row.is("results", "few") ? u64{50} : u64{1000}};
  const bool is_narrow = row.is("payload", "narrow");
  if (request.writes_indices()) request.value_type = is_narrow ? ValueType::u32 : ValueType::i64;
  if (request.has_values()) {
    request.value_type = ValueType::custom;
    request.custom_bytes = is_narrow ? 3 : 32;
    request.custom_alignment = natural_alignment(request.custom_bytes);
  }
  TopKRequest cut = request;
  if (row.is("cut", "rows")) {
    cut.segments = Segments::rows;
    cut.rows = 1000;
  } else if (row.is("cut", "segments")) {
    cut.segments = Segments::offsets;
    cut.segment_count = is_narrow ? kManyItems / 40 : 1000;
    cut.offset_form = is_narrow ? OffsetForm::bounds : OffsetForm::begins_and_ends;
    cut.count_source = is_narrow ? CountSource::call : CountSource::memory;
  }
  return row.family().unsupported_reason(cut, sm_of(row)) == nullptr ? cut : request;
}

const Design& top_ks() {
  static const auto kLegal = [](const DesignRow& row) {
    const RowReader values(top_ks(), row);
    if (values.is("key_bytes", "1") && values.is("class", "floating")) return false;
    return values.family().unsupported_reason(top_k_of(values), sm_of(values)) == nullptr;
  };
  static const Design kDesign("nvrtc_top_ks", 2, 1,
                              {{"family", family_names<TopKRequest>()},
                               {"sm", kFewSmNames},
                               {"key_bytes", {"1", "2", "4", "8"}},
                               {"class", {"integer", "floating"}},
                               {"sorted", all_tokens<Sorted>(), true},
                               {"cut", {"none", "rows", "segments"}, true},
                               {"result_order", all_tokens<ResultOrder>(), true},
                               {"results", {"few", "many"}, true},
                               {"nans", {"in_order", "last"}, true},
                               {"payload", {"narrow", "wide"}, true},
                               {"order", all_tokens<Order>(), true},
                               {"pointers", {"aligned", "any"}, true},
                               {"k_source", all_tokens<CountSource>(), true}},
                              kLegal);
  return kDesign;
}

TEST(TopKDesign, CoversEveryPair) {
  if (top_ks().write_if_asked()) return;
  EXPECT_EQ(top_ks().gaps(), std::vector<std::string>{});
}

TEST(TopKs, CompileForEveryArchitectureWithoutArraysInLocalMemory) {
  for_each_row(top_ks(), [](const RowReader& row) {
    const TopKRequest request = top_k_of(row);
    const Config config = row.family().default_config(request, sm_of(row));
    ASSERT_EQ(reject_reason(config, request, sm_of(row)), nullptr) << to_string(config);
    expect_registers_hold(compiled_whole(instantiate(request, config, row.variant()), sm_of(row)), 0, 1,
                          to_string(config));
  });
}

// What offsets of segments are checked by, where a caller asks for that.
TEST(TopKs, CompileTheCheckOfOffsets) {
  TopKRequest request{.segments = Segments::offsets, .n = kManyItems, .segment_count = 10, .k = 5};
  request.offset_form = OffsetForm::begins_and_ends;
  request.count_source = CountSource::memory_32;
  const auto kernels = {"check_offsets"};
  expect_registers_hold(
      compiled_whole(instantiate_check(request, "top_k/kernels/check_offsets.h", {kernels.begin(), kernels.end()}), 90),
      0, 1, "a check of offsets");
}

}  // namespace
}  // namespace scantune::top_k_test
