// Selections compile for every architecture that a family claims to support, and hold their items in registers. Each
// row of the design is one binary of a default config.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiled_row.h"
#include "measure/stand_in.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune {
namespace {

constexpr u64 kFewSelected = 10'000, kManySelected = u64{1} << 26;  // defaults depend on n

// Two types of each width.
struct Items {
  const char* name;
  ValueType one, other;
  int one_bytes = 0, other_bytes = 0;  // of custom types
};
constexpr Items kItems[] = {{"u8_i8", ValueType::u8, ValueType::i8},
                            {"u16_f16", ValueType::u16, ValueType::f16},
                            {"i32_f32", ValueType::i32, ValueType::f32},
                            {"f64_i64", ValueType::f64, ValueType::i64},
                            {"bytes_12_32", ValueType::custom, ValueType::custom, 12, 32}};

// Neighbours and parts are told by the library or by the caller's own source, which structs need.
Criterion criterion_of(const RowReader& row, bool is_struct) {
  const std::string& name = row["criterion"];
  const bool by_source = is_struct || row.is("told_by", "source");
  if (name == "of_flag") return row.is("told_by", "source") ? Criterion::predicate : Criterion::less;
  if (name == "constant") return row.is("told_by", "source") ? Criterion::equal : Criterion::less;
  if (name == "neighbour") return by_source ? Criterion::unique_by : Criterion::unique;
  if (name == "three_parts") return by_source ? Criterion::parts : Criterion::around;
  return row.token_of<Criterion>("criterion");
}

SelectRequest selection_of(const RowReader& row) {
  const Items& items = *std::ranges::find(kItems, row["items"], [](const Items& one) { return std::string(one.name); });
  SelectRequest request;
  request.input_type = row.is("of_two_types", "other") ? items.other : items.one;
  const bool is_struct = request.input_type == ValueType::custom;
  if (is_struct) {
    request.custom_bytes = row.is("of_two_types", "other") ? items.other_bytes : items.one_bytes;
    request.custom_alignment = natural_alignment(request.custom_bytes);
  }
  request.criterion = criterion_of(row, is_struct);
  if (row.is("criterion", "of_flag")) request.subject = Subject::flag;
  if (request.reads_flags()) request.flag_type = row.is("of_two_types", "other") ? FlagType::f64 : FlagType::u8;
  if (row.is("of_two_types", "other")) request.count_width = IntegerWidth::bits_32;
  request.rejected = row.token_of<Rejected>("rejected");
  request.values = row.is("beside", "value_of_1")    ? Values::bytes_1
                   : row.is("beside", "value_of_8")  ? Values::bytes_8
                   : row.is("beside", "value_of_12") ? Values::bytes_4
                   : row.is("beside", "value_of_16") ? Values::bytes_16
                                                     : Values::none;
  if (row.is("beside", "value_of_12")) {
    request.value_units = ValueUnits::several;
    request.units = 3;
  }
  request.selected = row.is("beside", "u32_index")        ? Selected::items_and_indices
                     : row.is("beside", "i64_index_only") ? Selected::indices
                                                          : Selected::items;
  if (request.writes_indices()) request.index_type = row.is("beside", "u32_index") ? ValueType::u32 : ValueType::i64;
  if (row.is("of_two_types", "other") && !request.has_one_output()) request.room = OutputRoom::limited;
  request.n = row.is("size", "many") ? kManySelected : kFewSelected;
  return request;
}

const Design& selections() {
  static const auto kLegal = [](const DesignRow& row) {
    const RowReader values(selections(), row);
    return values.family().unsupported_reason(selection_of(values), sm_of(values)) == nullptr;
  };
  static const Design kDesign = [] {
    std::vector<std::string> items;
    for (const Items& one : kItems) items.emplace_back(one.name);
    return Design(
        "nvrtc_selections", 2, 1,
        {{"family", family_names<SelectRequest>()},
         {"sm", kFewSmNames},
         {"items", items},
         {"criterion", {"constant", "flagged", "of_flag", "neighbour", "predicate", "three_parts"}},
         {"rejected", {"dropped", "apart", "behind", "behind_reversed"}},
         {"beside",
          {"nothing", "value_of_1", "value_of_8", "value_of_12", "value_of_16", "u32_index", "i64_index_only"}},
         {"of_two_types", {"one", "other"}, true},
         {"told_by", {"library", "source"}, true},
         {"pointers", {"aligned", "any"}, true},
         {"size", {"few", "many"}, true}},
        kLegal);
  }();
  return kDesign;
}

TEST(SelectionDesign, CoversEveryPair) {
  if (selections().write_if_asked()) return;
  EXPECT_EQ(selections().gaps(), std::vector<std::string>{});
}

// Defaults for many items that leave bytes out of registers. They are older than this list, which no other row may
// join, and no smaller ones were timed.
struct LeftOut {
  const char *family, *items, *criterion, *rejected, *beside;
  int sm, bytes;

  bool is_of(const RowReader& row) const {
    return row.is("family", family) && row.is("items", items) && sm_of(row) == sm && row.is("criterion", criterion) &&
           row.is("rejected", rejected) && row.is("beside", beside) && row.is("size", "many");
  }
};
constexpr LeftOut kKnown[] = {{"select_lookback", "i32_f32", "flagged", "apart", "nothing", 90, 138},
                              {"select_two_pass", "u8_i8", "constant", "dropped", "i64_index_only", 90, 24}};

int left_out(const RowReader& row) {
  const auto* const found = std::ranges::find_if(kKnown, [&](const LeftOut& one) { return one.is_of(row); });
  return found != std::end(kKnown) ? found->bytes : 0;
}

TEST(Selections, CompileForEveryArchitectureInRegisters) {
  for_each_row(selections(), [](const RowReader& row) {
    const SelectRequest request = selection_of(row);
    const bool takes_source = has_source(request.criterion);
    const CustomOperator stand_in = takes_source ? stand_in_for(request) : CustomOperator{};
    const Config config = row.family().default_config(request, sm_of(row));
    ASSERT_EQ(reject_reason(config, request, sm_of(row)), nullptr) << to_string(config);
    const Binary binary =
        compiled_whole(instantiate(request, config, row.variant(), takes_source ? &stand_in : nullptr), sm_of(row));
    expect_registers_hold(binary, left_out(row), 1, to_string(config));
  });
}

}  // namespace
}  // namespace scantune
