// The selection: its request and operands.
#pragma once

#include "core/contract/algorithm.h"
#include "core/contract/combining.h"
#include "core/contract/integer_width.h"
#include "core/contract/memory_types.h"
#include "core/contract/output_room.h"
#include "core/contract/variant.h"

namespace scantune {

// How a selection decides which items are kept.
enum class Criterion {
  less,  // than a constant, as C++ compares numbers of the type; so the next five
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  flagged,    // its flag, which is not 0
  unique,     // the item before it, from which it differs; the first item is kept
  predicate,  // the caller's own keep()
  unique_by,  // the item before it, by the caller's own equal()
  // The last two divide items into three parts, the first of which is kept: by the caller's part(), or into items less
  // than a constant, equal to it, and the rest.
  parts,
  around
};
template <>
struct Tokens<Criterion> {
  static constexpr const char* kNames[] = {"less",    "less_equal", "greater",   "greater_equal", "equal", "not_equal",
                                           "flagged", "unique",     "predicate", "unique_by",     "parts", "around"};
};
constexpr bool has_constant(Criterion criterion) {
  return criterion <= Criterion::not_equal || criterion == Criterion::around;
}
constexpr bool has_source(Criterion criterion) {
  return criterion >= Criterion::predicate && criterion <= Criterion::parts;
}
constexpr bool has_three_parts(Criterion criterion) { return criterion >= Criterion::parts; }
constexpr bool compares_neighbours(Criterion criterion) {
  return criterion == Criterion::unique || criterion == Criterion::unique_by;
}

// What is compared with the constant, or handed to the caller's source: an item, or the flag beside it.
enum class Subject { item, flag };
template <>
struct Tokens<Subject> {
  static constexpr const char* kNames[] = {"item", "flag"};
};

// The type of flags, a number.
enum class FlagType { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };
template <>
struct Tokens<FlagType> {
  static constexpr const char* kNames[] = {"u8",  "i8",  "u16", "i16",  "u32", "i32",
                                           "u64", "i64", "f16", "bf16", "f32", "f64"};
};
constexpr ValueType value_type(FlagType type) {
  constexpr ValueType kTypes[] = {ValueType::u8,  ValueType::i8,   ValueType::u16, ValueType::i16,
                                  ValueType::u32, ValueType::i32,  ValueType::u64, ValueType::i64,
                                  ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64};
  return kTypes[static_cast<int>(type)];
}
static_assert(sizeof Tokens<FlagType>::kNames / sizeof Tokens<FlagType>::kNames[0] ==
                  static_cast<int>(ValueType::custom),
              "every number is a flag");

// What is written for a kept item.
enum class Selected { items, indices, items_and_indices };
template <>
struct Tokens<Selected> {
  static constexpr const char* kNames[] = {"items", "indices", "items_and_indices"};
};

// What happens to the other items. apart: they are written, in order, to an output of their own. `behind`: to the
// output of the kept ones, after them. With three parts, the second part is written likewise, before the rest.
// `behind_reversed`: after them, too, but the last one first, whose place is known before all are counted.
enum class Rejected { dropped, apart, behind, behind_reversed };
template <>
struct Tokens<Rejected> {
  static constexpr const char* kNames[] = {"dropped", "apart", "behind", "behind_reversed"};
};

// What moves with each item: a value, which is one unit of so many bytes, or several.
enum class Values { none, bytes_1, bytes_2, bytes_4, bytes_8, bytes_16 };
template <>
struct Tokens<Values> {
  static constexpr const char* kNames[] = {"none", "bytes_1", "bytes_2", "bytes_4", "bytes_8", "bytes_16"};
};
enum class ValueUnits { one, several };
template <>
struct Tokens<ValueUnits> {
  static constexpr const char* kNames[] = {"one", "several"};
};

// output[0, count) = the kept items of input[0, n) in order, and count their number. Nothing is written after them
// unless the others are requested there. With three parts, count[1] is the number in the second. Items that an output
// has no room for are counted and not written.
struct SelectRequest {
  ValueType input_type = ValueType::i32;  // of the items that the criterion looks at; in memory too, without maps
  ValueType index_type = ValueType::u64;  // of the indices; where none are written, it stays u64
  Criterion criterion = Criterion::not_equal;
  Selected selected = Selected::items;
  Rejected rejected = Rejected::dropped;
  Values values = Values::none;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  IntegerWidth count_width = IntegerWidth::bits_64;
  Subject subject = Subject::item;
  FlagType flag_type = FlagType::u8;  // where no flags are read, it stays u8
  ValueUnits value_units = ValueUnits::one;
  OutputRoom room = OutputRoom::for_all;
  Load load = Load::none;
  Store store = Store::none;
  int custom_bytes = 0;      // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;  // alignment of ValueType::custom
  u64 n = 0;                 // items
  u64 units = 0;             // of a value, with ValueUnits::several
  // With OutputRoom::limited, items for which there is room: kept ones, those of the second part, and the rest.
  u64 capacity = 0, second_capacity = 0, rejected_capacity = 0;
  MemoryTypes memory = {};

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  constexpr ValueType mapped_type() const { return input_type; }
  constexpr int input_bytes() const { return bytes_of(input_type); }
  constexpr int index_bytes() const { return bytes_of(index_type); }
  constexpr int unit_bytes() const { return values == Values::none ? 0 : 1 << (static_cast<int>(values) - 1); }
  constexpr int value_bytes() const {
    // What is too many to be supported must not overflow.
    const int of_several = units < u64{kMaxValueBytes} ? static_cast<int>(units) : kMaxValueBytes;
    return unit_bytes() * (value_units == ValueUnits::several ? of_several : 1);
  }
  constexpr bool reads_flags() const { return criterion == Criterion::flagged || subject == Subject::flag; }
  constexpr int flag_bytes() const { return reads_flags() ? size_of(value_type(flag_type)) : 0; }
  // The type of what is compared with the constant, or handed to the caller's source.
  constexpr ValueType subject_type() const { return subject == Subject::flag ? value_type(flag_type) : input_type; }
  constexpr bool is_limited() const { return room == OutputRoom::limited; }
  constexpr bool writes_items() const { return selected != Selected::indices; }
  constexpr bool writes_indices() const { return selected != Selected::items; }
  constexpr bool has_values() const { return values != Values::none; }
  constexpr bool keeps_rejected() const { return rejected != Rejected::dropped; }
  constexpr bool has_one_output() const {
    return rejected == Rejected::behind || rejected == Rejected::behind_reversed;
  }
  constexpr int parts() const { return has_three_parts(criterion) ? 3 : 2; }
  // Whether the output may be the input: a tile's kept items are stored only after its items were read. The one before
  // them may be stored by then, which changes it only if there are maps.
  constexpr bool may_be_in_place() const {
    return writes_items() && !has_one_output() && !has_three_parts(criterion) && load != Load::generated &&
           store != Store::writing && !(has_maps(*this) && compares_neighbours(criterion));
  }

  constexpr bool operator==(const SelectRequest&) const = default;
};

// What no family can do.
constexpr const char* unsupported_reason(const SelectRequest& request) {
  if (request.input_type == ValueType::custom) {
    if (request.criterion == Criterion::around && request.subject == Subject::item)
      return "items of a custom type have no order: pass a part() of your own";
    if (has_constant(request.criterion) && request.subject == Subject::item)
      return "items of a custom type have no order: pass a predicate of your own";
    if (request.criterion == Criterion::unique)
      return "items of a custom type cannot be compared: pass an equal() of your own";
    if (const char* reason = invalid_custom_reason(request.custom_bytes, request.custom_alignment)) return reason;
  }
  if (request.subject == Subject::flag && compares_neighbours(request.criterion))
    return "neighbours are compared by their items: leave subject out";
  // Both would tell equal requests apart.
  if (request.subject == Subject::flag && request.criterion == Criterion::flagged)
    return "flagged looks at the flag alone: leave subject out";
  if (!request.reads_flags() && request.flag_type != FlagType::u8)
    return "flag_type is for selections by flags: leave it out";
  if (!is_integer(request.index_type) || size_of(request.index_type) < 4)
    return "indices are integers of 4 or 8 bytes: i32, i64, u32 or u64";
  if (!request.writes_indices() && request.index_type != ValueType::u64)  // it would tell equal requests apart
    return "index_type is for selections that write indices: leave it out";
  if (request.writes_indices() && size_of(request.index_type) == 4 &&
      request.n > u64{1} << (is_signed(request.index_type) ? 31 : 32))
    return "there are more items than index_type has indices for: ask for 64 bits";
  if (request.value_units == ValueUnits::several) {
    if (!request.has_values()) return "value_units is for selections with values: leave it out";
    if (request.units < 2 || request.units > kMaxValueBytes / static_cast<u64>(request.unit_bytes()))
      return "a value of several units has two or more, and at most 32 bytes";
  }
  if (const char* reason = invalid_memory_reason(request)) return reason;
  if (request.store != Store::none && !request.writes_items())
    return "store takes items, and only indices are written: ask for items, or leave store out";
  if (request.store == Store::writing && request.rejected == Rejected::apart)
    return "a store that writes by itself is not told which output an item belongs to: let it return an item, or ask "
           "for the rejected items behind";
  if (request.parts() == 3 && request.rejected == Rejected::behind_reversed)
    return "of three parts none is reversed: ask for `behind` or apart";
  if (request.is_limited() && request.has_one_output())
    return "the others come after the kept items, so that one output must have room for all";
  if (has_three_parts(request.criterion) && !request.keeps_rejected())
    return "all of three parts are written: ask for the rejected items apart or behind";
  if (request.keeps_rejected() && !request.writes_items())
    return "rejected items are written beside the kept ones: ask for items too";
  if (request.keeps_rejected() && (request.has_values() || request.writes_indices()))
    return "of rejected items nothing else is written: ask for neither values nor indices";
  return nullptr;
}

#ifndef __CUDACC_RTC__
template <>
struct Algorithm<SelectRequest> {
  static constexpr const char* kName = "select";
  static constexpr const char* kRequestName = "SelectRequest";
  static constexpr const char* kProblemName = "SelectProblem";

  static constexpr Member<SelectRequest> kMembers[] = {
      SCANTUNE_MEMBER(SelectRequest, input_type, width).defaults_to(nullptr),
      SCANTUNE_MEMBER(SelectRequest, index_type, width),
      SCANTUNE_MEMBER(SelectRequest, criterion, nearest)
          .means("What keeps an item: how it compares with a constant, a flag, the item before it, or a source."),
      SCANTUNE_MEMBER(SelectRequest, selected, exact).means("What is written of kept items."),
      SCANTUNE_MEMBER(SelectRequest, rejected, exact)
          .means("apart: the others go to an output of their own; behind, behind_reversed: to that of the kept ones."),
      SCANTUNE_MEMBER(SelectRequest, values, exact).means("The bytes of a value beside each item, or of its units."),
      SCANTUNE_MEMBER(SelectRequest, forward_progress, at_most)
          .not_compiled()
          .means("documented: only orders of CTAs that the programming model guarantees."),
      SCANTUNE_MEMBER(SelectRequest, latency, exact)
          .not_compiled()
          .means("back_to_back: fast between other selections, which overlap; isolated: between ordinary kernels."),
      SCANTUNE_MEMBER(SelectRequest, count_width, per_call).means("of counts."),
      SCANTUNE_MEMBER(SelectRequest, subject, nearest)
          .means("What the criterion looks at: an item, or the flag beside it."),
      SCANTUNE_MEMBER(SelectRequest, flag_type, nearest).means("The type of flags."),
      SCANTUNE_MEMBER(SelectRequest, value_units, exact).means("several: a value is --units of those bytes."),
      SCANTUNE_MEMBER(SelectRequest, room, per_call),
      SCANTUNE_MEMBER(SelectRequest, load, per_call)
          .means("what makes items of the input: a function of the caller's."),
      SCANTUNE_MEMBER(SelectRequest, store, per_call)
          .means("what becomes of written items: a function of the caller's.")};

  static constexpr Extent<SelectRequest> kExtents[] = {
      SCANTUNE_EXTENT(SelectRequest, units, "Units of a value, which has at most 32 bytes.")
          .where("value_units", ValueUnits::several),
      SCANTUNE_EXTENT(SelectRequest, capacity, "Kept items for which there is room.")
          .where("room", OutputRoom::limited),
      SCANTUNE_EXTENT(SelectRequest, second_capacity, "The same of the second part.")
          .where("room", OutputRoom::limited),
      SCANTUNE_EXTENT(SelectRequest, rejected_capacity, "The same of the rest.").where("room", OutputRoom::limited)};

  static constexpr OperandList operands(const SelectRequest& request) {
    constexpr const char* kUnitTypes[] = {nullptr, "u8", "u16", "u32", "u64", "u64"};
    const char* const unit_type = kUnitTypes[static_cast<int>(request.values)];
    const auto extent = [&](const char* of_part) { return request.is_limited() ? of_part : Operand::kItems; };
    const char* const kept = extent("capacity");
    const int type_bytes = request.unit_bytes() < 8 ? request.unit_bytes() : 8;
    const auto in_memory = [](bool is_mapped, ValueType type) {
      return is_mapped ? Tokens<ValueType>::kNames[static_cast<int>(type)] : "input_type";
    };
    const char* const item = in_memory(converts(request.store), request.memory.stored);
    OperandList list;
    if (request.load != Load::generated)
      list.add(
          {"input", OperandRole::input, in_memory(converts(request.load), request.memory.loaded), Operand::kItems});
    if (request.store != Store::writing)
      list.add({.name = request.writes_items() ? "output" : "indices",
                .role = OperandRole::output,
                .type = request.writes_items() ? item : "index_type",
                .extent = kept,
                .is_limited = request.is_limited(),
                .lies_apart = !request.may_be_in_place()});
    if (request.reads_flags())
      list.add({"flags", OperandRole::flags, Tokens<FlagType>::kNames[static_cast<int>(request.flag_type)],
                Operand::kItems});
    if (request.has_values()) {
      Operand values{.name = "values",
                     .role = OperandRole::values,
                     .type = unit_type,
                     .extent = Operand::kItems,
                     .units = request.value_bytes() / type_bytes,
                     .alignment = request.unit_bytes()};
      list.add(values);
      values.name = "values_output";
      values.role = OperandRole::values_output;
      values.extent = kept;
      list.add(values);
    }
    if (request.selected == Selected::items_and_indices)
      list.add({"indices", OperandRole::indices, "index_type", kept});
    if (request.rejected == Rejected::apart) {
      if (request.parts() == 3) list.add({"second", OperandRole::second, item, extent("second_capacity")});
      list.add({"rejected", OperandRole::rejected, item, extent("rejected_capacity")});
    }
    list.add({"count", OperandRole::count, unsigned_name(request.count_width),
              request.parts() == 3 ? Operand::kTwo : Operand::kOne});
    return list;
  }

  // Whether an integer is 0 does not depend on its sign.
  static constexpr SelectRequest compiled(SelectRequest request) {
    const ValueType flag = value_type(request.flag_type);
    if (request.criterion != Criterion::flagged || !is_integer(flag)) return request;
    constexpr FlagType kUnsigned[] = {FlagType::u8, FlagType::u16, FlagType::u32, FlagType::u64};
    for (const FlagType other : kUnsigned)
      if (size_of(value_type(other)) == size_of(flag)) request.flag_type = other;
    return request;
  }

  // Counts are 0.
  static constexpr bool has_result_without_items(const SelectRequest&) { return true; }

  static constexpr const char* remark(const SelectRequest& request) { return has_maps(request) ? "with maps" : ""; }
};
#endif

}  // namespace scantune
