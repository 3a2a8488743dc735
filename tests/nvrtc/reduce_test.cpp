// Reductions compile for every architecture that a family claims to support, hold built-in types in registers, and keep
// the states of the caller's sources out of local memory. Each row of the design is one binary of a default config.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiled_row.h"
#include "measure/stand_in.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune {
namespace {

constexpr u64 kFewReduced = 4000, kManyReduced = u64{1} << 26;  // defaults depend on n

// A type of each width and class.
ValueType type_of(const RowReader& row) {
  using enum ValueType;
  const bool floating = row.is("class", "floating"), is_signed = row.is("class", "signed");
  const std::string& width = row["item_bytes"];
  if (width == "1") return is_signed ? i8 : u8;
  if (width == "2") return floating ? f16 : is_signed ? i16 : u16;
  if (width == "4") return floating ? f32 : is_signed ? i32 : u32;
  if (width == "8") return floating ? f64 : is_signed ? i64 : u64;
  return custom;
}

// The largest state that there is.
const std::string kState = "struct State { long long a, b, c, d; };\n";
constexpr int kStateBytes = kMaxValueBytes;
const std::string kCombine = kState +
                             "__device__ Value combine(Value x, Value y, State s) {\n"
                             "  return (x - static_cast<Value>(s.a + s.b * 3 + s.c * 5)) + (s.d != 0 ? y : x);\n}\n";
const std::string kLoad =
    kState +
    "__device__ Result load(Value x, unsigned long long i, State s) {\n"
    "  return static_cast<Result>(x * static_cast<Value>(s.a) + static_cast<Value>(s.b * s.c - s.d)) + (i & 1);\n}\n";
const std::string kStore =
    kState +
    "__device__ Result store(Value x, State s) { return static_cast<Result>(x + static_cast<Value>(s.a * s.d)); }\n";

ReduceRequest request_of(const RowReader& row, bool many) {
  ReduceRequest request;
  request.input_type = request.output_type = type_of(row);
  request.accumulator_type = default_accumulator(request.input_type, request.output_type);
  if (row.is("result", "wide"))
    request.accumulator_type = request.output_type = row.is("class", "floating") ? ValueType::f64
                                                     : row.is("class", "signed") ? ValueType::i64
                                                                                 : ValueType::u64;
  if (request.input_type == ValueType::custom) {
    request.custom_bytes = row.is("which", "first") ? 12 : 32;
    request.custom_alignment = natural_alignment(request.custom_bytes);
  }
  request.op = operator_of(row);
  if (row.is("operator", "extreme_with_position"))
    request.position = row.is("which", "first") ? Position::first : Position::last;
  request.init = request.has_position() ? Init::none : row.token_of<Init>("init");
  if (request.has_position() && row.is("which", "first")) request.index_width = IntegerWidth::bits_32;
  if (row.is("maps", "load") || row.is("maps", "both")) request.load = Load::indexed;
  if (row.is("maps", "store") || row.is("maps", "both")) request.store = Store::source;
  request.n = many ? kManyReduced : kFewReduced;
  if (takes_rows<ReduceRequest>(row.family())) {
    request.segments = Segments::rows;
    request.rows = many && row.is("which", "first") ? 1 << 12 : 8;  // several CTAs reduce one of few
    if (row.family().name() == std::string_view("reduce_short_rows"))
      request.rows = ceil_div(request.n, row.is("which", "first")    ? u64{7}
                                         : row.is("which", "second") ? u64{16}
                                                                     : u64{250});
  } else if (takes_columns<ReduceRequest>(row.family())) {
    request.segments = Segments::columns;
    request.columns = many ? 1 << 10 : 16;
  } else if (row.family().name() == std::string_view("reduce_segments")) {
    request.segments = Segments::offsets;
    request.segment_count = 1 + request.n / (row.is("which", "first") ? 16 : 4096);
    request.offset_type = row.is("which", "first") ? OffsetType::i64 : OffsetType::u32;
    request.offset_form = row.is("class", "signed") ? OffsetForm::begins_and_ends : OffsetForm::bounds;
    if (request.has_position()) request.init = Init::value;
    if (request.init == Init::memory) request.init = Init::each;
  }
  return request;
}

const Design& reductions() {
  static const auto kLegal = [](const DesignRow& row) {
    const RowReader values(reductions(), row);
    const std::string &width = values["item_bytes"], &op = values["operator"];
    const bool is_struct = width == "struct", floating = values.is("class", "floating");
    if (is_struct && (op != "source" || !values.is("maps", "none") || !values.is("result", "same"))) return false;
    if (is_struct && !values.is("class", "unsigned")) return false;  // structs have no class
    if (width == "1" && floating) return false;
    if (width == "8" && values.is("result", "wide")) return false;  // it is
    return values.family().unsupported_reason(request_of(values, false), sm_of(values)) == nullptr;
  };
  static const Design kDesign = [] {
    std::vector<std::string> operators = kOperatorNames;
    operators.emplace_back("extreme_with_position");
    return Design("nvrtc_reductions", 2, 1,
                  {{"family", family_names<ReduceRequest>()},
                   {"sm", kFewSmNames},
                   {"item_bytes", {"1", "2", "4", "8", "struct"}},
                   {"class", {"signed", "unsigned", "floating"}},
                   {"operator", operators},
                   {"result", {"same", "wide"}},
                   {"maps", {"none", "load", "store", "both"}},
                   kWhich,
                   {"init", {"none", "value", "memory"}, true},
                   {"pointers", {"aligned", "any"}, true}},
                  kLegal);
  }();
  return kDesign;
}

TEST(ReductionDesign, CoversEveryPair) {
  if (reductions().write_if_asked()) return;
  EXPECT_EQ(reductions().gaps(), std::vector<std::string>{});
}

TEST(Reductions, CompileForEveryArchitectureInRegisters) {
  for_each_row(reductions(), [](const RowReader& row) {
    const FamilyModel& family = row.family();
    // Threads hold the most of many items, and where they take more registers than there are depends on the width of
    // items and on the architecture together.
    ReduceRequest request = request_of(row, true);
    if (family.unsupported_reason(request, sm_of(row)) != nullptr) request = request_of(row, false);
    CustomOperator sources;
    if (row.is("operator", "source")) sources = stand_in_for(request);
    if (row.is("operator", "source_with_state")) sources = {.source = kCombine, .name = {}, .state_bytes = kStateBytes};
    if (request.load != Load::none) sources.load = {kLoad, kStateBytes};
    if (request.store != Store::none) sources.store = {kStore, kStateBytes};
    const bool takes_source = is_custom(request.op) || has_maps(request);
    const Config config = family.default_config(request, sm_of(row));
    ASSERT_EQ(reject_reason(config, request, sm_of(row)), nullptr) << to_string(config);
    const Binary binary =
        compiled_whole(instantiate(request, config, row.variant(), takes_source ? &sources : nullptr), sm_of(row));
    // Sources may take more registers than there are, but no state goes to local memory. Positions beside wide extremes
    // take four registers more than reduce_last_block has on sm_80.
    const bool is_wide = request.has_position() && row.is("result", "wide");
    expect_registers_hold(binary,
                          takes_source ? 1 << 20
                          : is_wide    ? 32
                                       : 0,
                          takes_source ? kStateBytes : 1, to_string(config));
  });
}

// Both extremes at once, and orders of the caller's, each for another architecture than the case before.
TEST(Reductions, OfExtremesCompileForAnArchitectureEach) {
  ReduceRequest both;
  both.input_type = both.accumulator_type = both.output_type = ValueType::f64;
  both.op = Operator::min;
  both.position = Position::first;
  both.extremes = ExtremeSet::both;
  both.init = Init::none;
  ReduceRequest structs = both;
  structs.input_type = structs.accumulator_type = structs.output_type = ValueType::custom;
  structs.custom_bytes = 12;
  structs.custom_alignment = 4;
  structs.ordered_by = OrderedBy::less;
  structs.init = Init::value;
  ReduceRequest halves = both;
  halves.input_type = halves.output_type = ValueType::f16;
  halves.accumulator_type = ValueType::f32;
  halves.extremes = ExtremeSet::one;
  halves.op = Operator::max;
  halves.position = Position::last;
  halves.ordered_by = OrderedBy::less;
  constexpr int kSms[] = {75, 80, 90, 100, 120};
  std::size_t turn = 0, compiled = 0;
  for (const FamilyModel* family : families_of<ReduceRequest>(Standing::library))
    for (ReduceRequest request : {both, structs, halves}) {
      const int sm = kSms[turn++ % std::size(kSms)];
      request.n = kManyReduced;
      if (family->name() == std::string_view("reduce_rows")) request.segments = Segments::rows;
      if (family->name() == std::string_view("reduce_columns")) request.segments = Segments::columns;
      if (request.segments == Segments::rows) request.rows = 24;
      if (family->name() == std::string_view("reduce_short_rows")) {
        request.segments = Segments::rows;
        request.rows = request.n / 32;
      }
      if (request.segments == Segments::columns) request.columns = 1 << 10;
      if (family->name() == std::string_view("reduce_segments")) {
        request.segments = Segments::offsets;
        request.segment_count = 1 << 12;
        request.count_source = CountSource::memory;
        request.init = Init::value;
      }
      if (family->unsupported_reason(request, sm) != nullptr) continue;
      const Config config = family->default_config(request, sm);
      ASSERT_EQ(reject_reason(config, request, sm), nullptr) << to_string(config) << " of " << to_string(request);
      const CustomOperator less = stand_in_for(request);
      compiled_whole(instantiate(request, config, turn % 2 == 0 ? Variant::aligned : Variant::any,
                                 request.ordered_by == OrderedBy::less ? &less : nullptr),
                     sm);
      ++compiled;
    }
  EXPECT_GT(compiled, 15u);
}

// What offsets of segments are checked by, where a caller asks for that.
TEST(Reductions, CompileTheCheckOfOffsets) {
  constexpr int kSms[] = {75, 80, 90, 120};
  for (int turn = 0; turn < 4; ++turn) {
    ReduceRequest request{.segments = Segments::offsets, .n = kFewReduced, .segment_count = 10};
    request.offset_type = static_cast<OffsetType>(turn);
    request.offset_form = static_cast<OffsetForm>(turn / 2);
    request.count_source = static_cast<CountSource>(turn % 3);
    if (turn % 2 == 1) {  // without its source
      request.op = Operator::custom_cheap;
      request.input_type = request.accumulator_type = request.output_type = ValueType::custom;
      request.custom_bytes = 12;
      request.custom_alignment = 4;
    }
    expect_registers_hold(
        compiled_whole(instantiate_check(request, "reduce/kernels/check_offsets.h", {"check_offsets"}), kSms[turn]), 0,
        1, "a check of offsets");
  }
}

// CTAs of 1024 threads whose threads hold eight vectors of items of eight bytes spill here.
TEST(Reductions, OfManyItemsOfEightBytesHoldTheirVectorsInRegisters) {
  const FamilyModel& family = *find_family("reduce_gather");
  for (const auto& [type, op] :
       {std::pair(ValueType::f64, Operator::product), std::pair(ValueType::u64, Operator::bit_xor)})
    for (const Variant variant : {Variant::aligned, Variant::any}) {
      const ReduceRequest request{.input_type = type,
                                  .accumulator_type = type,
                                  .output_type = type,
                                  .op = op,
                                  .init = Init::value,
                                  .n = kManyReduced};
      const Config config = family.default_config(request, 100);
      expect_registers_hold(compiled_whole(instantiate(request, config, variant), 100), 0, 1, to_string(config));
    }
}

}  // namespace
}  // namespace scantune
