// Scans compile for every architecture that a family claims to support, hold built-in types in registers, and keep the
// states of the caller's sources out of local memory. Each row of the design is one binary of a default config.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiled_row.h"
#include "measure/stand_in.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune {
namespace {

constexpr u64 kFew = 100'000, kMany = u64{1} << 26;  // defaults depend on n, and not every family takes many

// Two types of each width: "signed" or not, or the two halves. Which one changes few lines of the templates.
struct Items {
  const char* name;
  ValueType one, other;
  int one_bytes = 0, other_bytes = 0;  // of custom types
};
constexpr Items kItems[] = {
    {"i8_u8", ValueType::i8, ValueType::u8},
    {"i16_u16", ValueType::i16, ValueType::u16},
    {"i32_u32", ValueType::i32, ValueType::u32},
    {"i64_u64", ValueType::i64, ValueType::u64},
    {"f16_bf16", ValueType::f16, ValueType::bf16},
    {"f32_f64", ValueType::f32, ValueType::f64},
    {"bytes_3_12", ValueType::custom, ValueType::custom, 3, 12},
    {"bytes_20_32", ValueType::custom, ValueType::custom, 20, 32},
};

ValueType widened(ValueType type) {
  using enum ValueType;
  switch (type) {
    case i8:
    case i16:
      return i32;
    case u8:
    case u16:
      return u32;
    case i32:
      return i64;
    case u32:
      return u64;
    case f16:
    case bf16:
      return f32;
    case f32:
      return f64;
    default:
      return type;
  }
}

ValueType narrowed(ValueType type) {
  using enum ValueType;
  switch (type) {
    case i16:
    case i32:
      return i8;
    case u16:
    case u32:
      return u8;
    case i64:
      return i32;
    case u64:
      return u16;
    case f32:
      return bf16;
    case f64:
      return f16;
    default:
      return type;
  }
}

// The largest states that there are.
const std::string kState = "struct State { const int* table; unsigned long long items; long long factor, offset; };\n";
constexpr int kStateBytes = kMaxValueBytes;

const std::string kCombineWithState =
    kState +
    "__device__ Value combine(Value x, Value y, State s) {\n"
    "  const Value key = static_cast<Value>(s.factor + 3 * s.offset + static_cast<long long>(5 * s.items));\n"
    "  return (x - key) + (s.table != nullptr ? y : key);\n}\n";

struct Maps {
  const char* name;
  Load load;
  Store store;
  std::string load_source, store_source;
};

const std::vector<Maps>& all_maps() {
  static const std::string kIndexed =
      kState +
      "__device__ Result load(Value x, unsigned long long i, State s) {\n"
      "  return static_cast<Result>((x > 0 ? s.factor : s.offset) * static_cast<long long>(i + s.items));\n}\n";
  static const std::string kStored =
      kState +
      "__device__ Result store(Value sum, State s) {\n"
      "  return static_cast<Result>(sum * static_cast<Value>(s.factor) + static_cast<Value>(s.offset));\n}\n";
  static const std::string kGenerated =
      kState +
      "__device__ Result load(unsigned long long i, State s) { return static_cast<Result>(s.table[i & s.items]); }\n";
  static const std::string kWritten =
      kState +
      "__device__ void store(Value sum, unsigned long long i, State s) {\n"
      "  if ((i & 7) == 0) const_cast<int*>(s.table)[i >> 3] = static_cast<int>(sum);\n}\n";
  static const std::vector<Maps> kMaps = {
      {"none", Load::none, Store::none, "", ""},
      {"square", Load::source, Store::none, "__device__ Result load(Value x) { return static_cast<Result>(x * x); }\n",
       ""},
      {"square_and_add", Load::source, Store::indexed,
       "__device__ Result load(Value x) { return static_cast<Result>(x * x); }\n",
       "__device__ Result store(Value x, unsigned long long i) {\n"
       "  return static_cast<Result>(x + static_cast<Value>(i));\n}\n"},
      {"large_states", Load::indexed, Store::source, kIndexed, kStored},
      {"gather_and_scatter", Load::generated, Store::writing, kGenerated, kWritten},
  };
  return kMaps;
}

const Maps& maps_of(const std::string& name) {
  return *std::ranges::find(all_maps(), name, [](const Maps& maps) { return std::string(maps.name); });
}

ScanRequest request_of(const RowReader& row, bool many) {
  const Items& items = *std::ranges::find(kItems, row["items"], [](const Items& one) { return std::string(one.name); });
  const bool other = row.is("of_two_types", "other");
  ScanRequest request;
  request.input_type = other ? items.other : items.one;
  request.output_type = row.is("conversion", "widening")    ? widened(request.input_type)
                        : row.is("conversion", "narrowing") ? narrowed(request.input_type)
                                                            : request.input_type;
  request.accumulator_type = default_accumulator(request.input_type, request.output_type);
  if (row.is("conversion", "to_floating")) request.accumulator_type = request.output_type = ValueType::f32;
  if (request.input_type == ValueType::custom) {
    request.custom_bytes = other ? items.other_bytes : items.one_bytes;
    request.custom_alignment = natural_alignment(request.custom_bytes);
  }
  request.op = operator_of(row);
  request.kind = row["start"].starts_with("exclusive") ? Kind::exclusive : Kind::inclusive;
  request.init = row["start"].ends_with("memory")  ? Init::memory
                 : row["start"].ends_with("value") ? Init::value
                                                   : Init::none;
  if (row["order"].ends_with("reverse")) request.direction = Direction::reverse;
  if (row.is("order", "n_in_memory")) {
    request.n_source = NSource::memory;
    if (other) request.n_width = IntegerWidth::bits_32;
  }
  if (row.is("order", "keys")) {
    request.segments = Segments::keys;
    request.keys = other ? Keys::f16 : Keys::bytes_8;
  }
  if (row.is("order", "flags_in_reverse")) request.segments = Segments::flags;
  if (row.is("order", "bits")) request.segments = Segments::bits;
  request.load = maps_of(row["maps"]).load;
  request.store = maps_of(row["maps"]).store;
  request.n = many ? kMany : kFew;
  const FamilyModel& family = row.family();
  if (has_starts(request.segments)) return request;
  if (takes_rows(family) && takes_only_rows(family)) {
    request.segments = Segments::rows;
    request.rows = request.n / 300;
  } else if (takes_only_columns(family)) {
    request.segments = Segments::columns;
    request.columns = many ? 1 << 10 : 16;
  } else if (takes_only_offsets(family)) {
    request.segments = Segments::offsets;
    request.segment_count = 1 + request.n / (row.is("which", "first") ? 16 : row.is("which", "second") ? 300 : 4096);
    request.offset_type = other ? OffsetType::i64 : OffsetType::u32;
    if (other && family.name() == std::string_view("scan_segments")) request.offset_form = OffsetForm::begins_and_ends;
    request.count_source = other ? CountSource::memory : CountSource::call;
    if (request.init == Init::memory && request.offset_form == OffsetForm::begins_and_ends) request.init = Init::each;
  }
  return request;
}

CustomOperator sources_of(const RowReader& row, const ScanRequest& request) {
  CustomOperator sources;
  if (row.is("operator", "source")) sources = stand_in_for(request);
  if (row.is("operator", "source_with_state"))
    sources = {.source = kCombineWithState, .name = {}, .state_bytes = kStateBytes};
  const Maps& maps = maps_of(row["maps"]);
  const auto source = [](const std::string& text) {
    return MapSource{text, text.find("State") != std::string::npos ? kStateBytes : 0};
  };
  sources.load = source(maps.load_source);
  sources.store = source(maps.store_source);
  return sources;
}

const Design& scans() {
  static const auto kLegal = [](const DesignRow& row) {
    const RowReader values(scans(), row);
    const bool custom_items = values["items"].starts_with("bytes"), takes_source = values["operator"] != "source";
    if (custom_items && (takes_source || !values.is("maps", "none"))) return false;
    const std::string& conversion = values["conversion"];
    const ScanRequest request = request_of(values, false);
    if (conversion == "widening" || conversion == "narrowing") {
      if (request.output_type == request.input_type) return false;
    } else if (conversion == "to_floating" && is_floating(request.input_type)) {
      return false;
    }
    return values.family().unsupported_reason(request, sm_of(values)) == nullptr;
  };
  static const Design kDesign = [] {
    std::vector<std::string> items, maps;
    for (const Items& one : kItems) items.emplace_back(one.name);
    for (const Maps& one : all_maps()) maps.emplace_back(one.name);
    return Design("nvrtc_scans", 2, 1,
                  {{"family", family_names<ScanRequest>()},
                   {"sm", kSmNames},
                   {"items", items},
                   {"operator", kOperatorNames},
                   {"conversion", {"none", "widening", "narrowing", "to_floating"}},
                   {"order", {"forward", "reverse", "n_in_memory", "keys", "flags_in_reverse", "bits"}},
                   {"maps", maps},
                   {"of_two_types", {"one", "other"}},
                   kWhich,
                   {"start", {"inclusive", "inclusive_memory", "exclusive_value", "exclusive_memory"}, true},
                   {"pointers", {"aligned", "any"}, true},
                   {"size", {"few", "many"}, true}},
                  kLegal);
  }();
  return kDesign;
}

TEST(ScanDesign, CoversEveryPair) {
  if (scans().write_if_asked()) return;
  EXPECT_EQ(scans().gaps(), std::vector<std::string>{});
}

TEST(Scans, CompileForEveryArchitectureInRegisters) {
  for_each_row(scans(), [](const RowReader& row) {
    const FamilyModel& family = row.family();
    const int sm = sm_of(row);
    // Structs in many registers take the compiler seconds.
    ScanRequest request = request_of(row, row.is("size", "many") && !row["items"].starts_with("bytes"));
    if (family.unsupported_reason(request, sm) != nullptr) request = request_of(row, false);
    const CustomOperator sources = sources_of(row, request);
    const bool takes_source = is_custom(request.op) || has_maps(request);
    const Config config = family.default_config(request, sm);
    ASSERT_EQ(reject_reason(config, request, sm), nullptr) << to_string(config);
    const Binary binary =
        compiled_whole(instantiate(request, config, row.variant(), takes_source ? &sources : nullptr), sm);
    // Sources may take more registers than there are, but no state goes to local memory. Where n is in memory it takes
    // two registers more, for which defaults of lookback that fill a budget of 64 leave no room.
    const int most_spilled = takes_source ? 1 << 20 : request.n_source == NSource::memory ? 8 : 0;
    expect_registers_hold(binary, most_spilled, takes_source ? kStateBytes : 1, to_string(config));
  });
}

// What offsets of segments are checked by, where a caller asks for that.
TEST(Scans, CompileTheCheckOfOffsets) {
  constexpr int kSms[] = {75, 80, 90, 120};
  for (int turn = 0; turn < 4; ++turn) {
    ScanRequest request{.segments = Segments::offsets, .n = kFew, .segment_count = 10};
    request.offset_type = static_cast<OffsetType>(turn);
    request.offset_form = OffsetForm::begins_and_ends;
    request.count_source = static_cast<CountSource>(turn % 3);
    if (turn % 2 == 1) request.op = Operator::custom_cheap;  // without its source
    const auto kernels = {"check_offsets", "mark_items", "find_overlap"};
    expect_registers_hold(
        compiled_whole(instantiate_check(request, "scan/kernels/check_offsets.h", {kernels.begin(), kernels.end()}),
                       kSms[turn]),
        0, 1, "a check of offsets");
  }
}

// The default of scan_columns once asked for three CTAs an SM where staged tiles spill. Few columns are staged there,
// and lines elsewhere, whose striped tiles would spill. In reverse, f64 is turned in vectors and is no words, and
// spills a register.
TEST(ColumnScans, OfFewColumnsLeaveTheirTilesEnoughRegisters) {
  for (const int sm : {75, 90, 120})
    for (const auto& [name, type, columns, variant] : {std::tuple("scan_columns", ValueType::u8, 4, Variant::aligned),
                                                       {"scan_columns", ValueType::f64, 99, Variant::any},
                                                       {"scan_columns", ValueType::i32, 2, Variant::aligned},
                                                       {"scan_columns", ValueType::u8, 99, Variant::aligned},
                                                       {"scan_columns", ValueType::f16, 99, Variant::aligned},
                                                       {"lookback", ValueType::u8, 4, Variant::aligned},
                                                       {"lookback", ValueType::u8, 4, Variant::any},
                                                       {"lookback", ValueType::i32, 2, Variant::aligned},
                                                       {"lookback", ValueType::i32, 3, Variant::any},
                                                       {"pipelined", ValueType::u8, 4, Variant::aligned},
                                                       {"pipelined", ValueType::i32, 2, Variant::any}}) {
      const FamilyModel& family = *find_family(name);
      const ScanRequest request{.input_type = type,
                                .accumulator_type = default_accumulator(type, type),
                                .output_type = type,
                                .op = Operator::max,
                                .direction = type == ValueType::f64 ? Direction::reverse : Direction::forward,
                                .segments = Segments::columns,
                                .n = kMany / 396 * 396,
                                .columns = static_cast<u64>(columns)};
      if (name == std::string_view("pipelined") && sm < 90) continue;
      const Config config = family.default_config(request, sm);
      ASSERT_EQ(reject_reason(config, request, sm), nullptr) << reject_reason(config, request, sm);
      const int spilled = type == ValueType::f64 ? 8 : 0;
      expect_registers_hold(compiled_whole(instantiate(request, config, variant), sm), spilled, 1, to_string(config));
    }
}

}  // namespace
}  // namespace scantune
