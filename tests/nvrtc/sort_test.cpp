// Sorts compile for every architecture that a family claims to support. In local memory they hold at most the few words
// that a budget of registers leaves no room for, and no array. Each row of the design is one binary of a default
// config.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiled_row.h"
#include "measure/prepared_config.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune {
namespace {

constexpr int kMostSpilledBytes = 160;                        // of all kernels of a config
constexpr u64 kManySorted = u64{1} << 26, kFewSorted = 4000;  // between them every family takes a request

ValueType key_of(const RowReader& row) {
  using enum ValueType;
  const bool floating = row.is("class", "floating"), is_signed = row.is("class", "signed");
  const std::string& width = row["key_bytes"];
  if (row.is("class", "struct")) return custom;
  if (width == "1") return is_signed ? i8 : u8;
  if (width == "2") return floating ? f16 : is_signed ? i16 : u16;
  if (width == "4") return floating ? f32 : is_signed ? i32 : u32;
  return floating ? f64 : is_signed ? i64 : u64;
}

SortRequest sort_of(const RowReader& row) {
  SortRequest request;
  request.input_type = key_of(row);
  if (row.is("family", "sort_merge")) request.comparison = Comparison::source;
  request.order = row.token_of<Order>("order");
  request.input_use = row.token_of<InputUse>("input");
  const bool narrow = row.is("payload", "narrow");
  if (row.is("beside", "index")) {
    request.sorted = narrow ? Sorted::indices : Sorted::keys_and_indices;
    request.value_type = narrow ? ValueType::u32 : ValueType::i64;
  } else if (row.is("beside", "number")) {
    request.sorted = Sorted::pairs;
    request.value_type = narrow ? ValueType::u8 : ValueType::f64;
  } else if (row.is("beside", "struct")) {
    request.sorted = Sorted::pairs;
    request.value_type = ValueType::custom;
    request.custom_bytes = narrow ? 12 : 32;
  }
  if (request.input_type == ValueType::custom) {  // then structs beside them are as large
    const int alignment = std::stoi(row["key_bytes"]);
    request.custom_bytes = alignment == 8 ? 32 : 3 * alignment;
  }
  if (request.custom_bytes > 0) request.custom_alignment = natural_alignment(request.custom_bytes);
  if (row.is("cut", "rows")) {
    request.segments = Segments::rows;
    request.rows = 8;
  }
  request.n = kManySorted;
  if (row.is("cut", "segments")) {  // of a few lanes, and of several warps
    request.segments = Segments::offsets;
    request.segment_count = request.n / (narrow ? 20 : 1000);
    request.offset_form = narrow ? OffsetForm::bounds : OffsetForm::begins_and_ends;
    request.count_source = narrow ? CountSource::call : CountSource::memory;
  }
  if (row.family().unsupported_reason(request, sm_of(row)) != nullptr) request.n = kFewSorted;
  return request;
}

const Design& sorts() {
  static const auto kLegal = [](const DesignRow& row) {
    const RowReader values(sorts(), row);
    if (values.is("class", "struct") && !values.is("family", "sort_merge")) return false;
    if (values.is("key_bytes", "1") && values.is("class", "floating")) return false;
    return values.family().unsupported_reason(sort_of(values), sm_of(values)) == nullptr;
  };
  static const Design kDesign("nvrtc_sorts", 2, 1,
                              {{"family", family_names<SortRequest>()},
                               {"sm", kFewSmNames},
                               {"key_bytes", {"1", "2", "4", "8"}},
                               {"class", {"unsigned", "signed", "floating", "struct"}},
                               {"beside", {"nothing", "index", "number", "struct"}},
                               {"cut", {"none", "rows", "segments"}},
                               {"payload", {"narrow", "wide"}, true},
                               {"order", {"ascending", "descending"}, true},
                               {"input", {"kept", "consumed"}, true},
                               {"pointers", {"aligned", "any"}, true}},
                              kLegal);
  return kDesign;
}

TEST(SortDesign, CoversEveryPair) {
  if (sorts().write_if_asked()) return;
  EXPECT_EQ(sorts().gaps(), std::vector<std::string>{});
}

TEST(Sorts, CompileForEveryArchitectureWithoutArraysInLocalMemory) {
  for_each_row(sorts(), [](const RowReader& row) {
    const SortRequest request = sort_of(row);
    const Config config = row.family().default_config(request, sm_of(row));
    ASSERT_EQ(reject_reason(config, request, sm_of(row)), nullptr) << to_string(config);
    const Binary binary = compiled_whole(instantiate_measured(request, config, row.variant(), nullptr), sm_of(row));
    expect_registers_hold(binary, kMostSpilledBytes, 1, to_string(config));
  });
}

// What offsets of segments are checked by, where a caller asks for that.
TEST(Sorts, CompileTheCheckOfOffsets) {
  constexpr int kSms[] = {75, 80, 90, 120};
  for (int turn = 0; turn < 4; ++turn) {
    SortRequest request{.segments = Segments::offsets, .n = kFewSorted, .segment_count = 10};
    request.offset_type = static_cast<OffsetType>(turn);
    request.offset_form = OffsetForm::begins_and_ends;
    request.count_source = static_cast<CountSource>(turn % 3);
    const auto kernels = {"check_offsets", "mark_items", "find_overlap"};
    expect_registers_hold(
        compiled_whole(instantiate_check(request, "sort/kernels/check_offsets.h", {kernels.begin(), kernels.end()}),
                       kSms[turn]),
        0, 1, "a check of offsets");
  }
}

}  // namespace
}  // namespace scantune
