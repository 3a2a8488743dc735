// The reduction: its request and operands.
#pragma once

#include "core/contract/algorithm.h"
#include "core/contract/combining.h"
#include "core/contract/integer_width.h"
#include "core/contract/map.h"
#include "core/contract/offset_operands.h"
#include "core/contract/strides.h"
#include "core/contract/variant.h"

namespace scantune {

// Whether the position of a minimum or maximum is requested, too.
enum class Position {
  none,
  first,  // the lowest index of an item that is the result; where there is a NaN, that of the first
  last    // the highest, and that of the last NaN
};
template <>
struct Tokens<Position> {
  static constexpr const char* kNames[] = {"none", "first", "last"};
};

// Whether the least or the greatest is requested, as the operator says, or both at once.
enum class ExtremeSet { one, both };
template <>
struct Tokens<ExtremeSet> {
  static constexpr const char* kNames[] = {"one", "both"};
};

// What says which of two items is less: their values, or less() of the caller's own, for numbers and structs.
enum class OrderedBy { value, less };
template <>
struct Tokens<OrderedBy> {
  static constexpr const char* kNames[] = {"value", "less"};
};

// output[0] = init op input[0] op ... op input[n - 1], or one such value per row, with positions from the row's start.
// Segments by offsets have a value each, in the order of the offsets, wherever their items are. Items outside
// all segments are not read, and those of several are read for each.
//
// An initial value has no position. With a position, Init::value says that there may be no items, or rows without any:
// their value is the operator's identity among the items' type, and their position all ones. less() has no identity,
// and leaves the value as it is.
//
// Equal inputs give equal bits on every run of one device and config.
struct ReduceRequest {
  ValueType input_type = ValueType::i32;
  ValueType accumulator_type = ValueType::i32;
  ValueType output_type = ValueType::i32;
  Operator op = Operator::sum;
  Position position = Position::none;
  ExtremeSet extremes = ExtremeSet::one;
  OrderedBy ordered_by = OrderedBy::value;
  Init init = Init::value;
  Latency latency = Latency::back_to_back;
  Segments segments = Segments::none;
  Load load = Load::none;
  Store store = Store::none;
  IntegerWidth index_width = IntegerWidth::bits_64;  // of positions
  OffsetType offset_type = OffsetType::i32;          // of Segments::offsets
  OffsetForm offset_form = OffsetForm::bounds;       // likewise
  CountSource count_source = CountSource::call;      // likewise, of segment_count
  int custom_bytes = 0;                              // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;                          // and its alignment
  u64 n = 0;                                         // items
  u64 rows = 0;                                      // of Segments::rows, each with a result of its own
  u64 columns = 0;                                   // of Segments::columns, likewise
  u64 segment_count = 0;                             // of Segments::offsets, likewise; in memory there may be fewer
  // Strides of rows or columns, or where dense items begin. Of columns that are taken in the order of memory, output
  // says where results are.
  Layout layout = {};

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  constexpr int input_bytes() const { return bytes_of(input_type); }
  constexpr int accumulator_bytes() const { return bytes_of(accumulator_type); }
  constexpr int output_bytes() const { return bytes_of(output_type); }
  constexpr bool has_init() const { return init != Init::none; }
  constexpr bool has_position() const { return position != Position::none; }
  constexpr bool writes_position() const { return has_position() && store == Store::none; }
  constexpr bool has_offsets() const { return segments == Segments::offsets; }
  // The bytes that threads and CTAs exchange: a value, with its place if requested, or two of them.
  constexpr int partial_bytes() const {
    if (!has_position()) return accumulator_bytes();
    const int alignment = alignment_of(accumulator_type) > 8 ? alignment_of(accumulator_type) : 8;
    const u64 place = round_up(static_cast<u64>(accumulator_bytes()), sizeof(u64));
    return (extremes == ExtremeSet::both ? 2 : 1) *
           static_cast<int>(round_up(place + sizeof(u64), static_cast<u64>(alignment)));
  }

  constexpr bool operator==(const ReduceRequest&) const = default;
};

// Whether results depend on the order in which values are combined. The order is then always the same. This replaces
// the rule in combining.h, since reductions have no member for it.
constexpr bool needs_fixed_association(const ReduceRequest& request) {
  return is_custom(request.op) ||
         (is_floating(request.accumulator_type) && (request.op == Operator::sum || request.op == Operator::product));
}

// What is wrong with what a request wants of extremes, or null.
constexpr const char* invalid_extremes_reason(const ReduceRequest& request) {
  if (!request.has_position()) {
    if (request.ordered_by == OrderedBy::less) return "less says which item comes first: ask for its position";
    return request.extremes == ExtremeSet::both ? "both extremes have positions: ask for these" : nullptr;
  }
  if (request.op != Operator::min && request.op != Operator::max)
    return "only a minimum or a maximum has a position: op must be min or max";
  if (request.extremes == ExtremeSet::both && request.op != Operator::min)
    return "of both extremes the least is the output: op must be min";
  if (request.input_type == ValueType::custom && request.ordered_by == OrderedBy::value)
    return "structs are in no order: pass a less of your own";
  return nullptr;
}

// What is wrong with how the request divides its items, or null.
constexpr const char* invalid_sequences_reason(const ReduceRequest& request) {
  if (const char* reason = invalid_offsets_reason(request)) return reason;
  if (!request.has_offsets()) {
    if (request.init == Init::each) return "a reduction begins every row from the same value";
    return invalid_segments_reason(request);
  }
  if (!request.has_init())
    return "a segment may be empty, and there is no initial value to be its result: pass the operator's identity, or "
           "set init or device_init";
  return nullptr;
}

// What no family can do.
constexpr const char* unsupported_reason(const ReduceRequest& request) {
  if (const char* reason = invalid_extremes_reason(request)) return reason;
  ReduceRequest combined = request;
  if (request.ordered_by == OrderedBy::less) combined.op = Operator::custom_cheap;  // which structs are allowed with
  if (const char* reason = invalid_items_reason(combined)) return reason;
  if (const char* reason = invalid_sequences_reason(request)) return reason;
  if (!request.has_init() && request.rows > 1 && row_items(request) * (request.rows - 1) >= request.n)
    return "there is a row without items, and no initial value to be its result";
  if (!request.has_init() && request.segments == Segments::columns && request.columns > request.n)
    return "there is a column without items, and no initial value to be its result";
  if (!request.has_position()) return nullptr;
  if (request.store == Store::writing && request.extremes == ExtremeSet::both)
    return "a store that writes by itself is not told which extreme it is given: let it return an item, or ask for one "
           "extreme";
  if (!request.writes_position() && request.index_width != IntegerWidth::bits_64)  // it would tell equal requests apart
    return "store takes positions, of 64 bits, and none are written: leave index_width out";
  if (request.init > Init::value)
    return "an initial value has no position among the items: leave init and device_init out";
  return nullptr;
}

#ifndef __CUDACC_RTC__
template <>
struct Algorithm<ReduceRequest> {
  static constexpr const char* kName = "reduce";
  static constexpr const char* kRequestName = "ReduceRequest";
  static constexpr const char* kProblemName = "ReduceProblem";

  static constexpr int accumulator_by_default(const ReduceRequest& request) {
    return static_cast<int>(default_accumulator(request.input_type, request.output_type));
  }
  static constexpr int init_by_default(const ReduceRequest& request) {
    return static_cast<int>(request.has_position() && !request.has_offsets() ? Init::none : Init::value);
  }

  static constexpr Member<ReduceRequest> kMembers[] = {
      SCANTUNE_MEMBER(ReduceRequest, input_type, width).defaults_to(nullptr),
      SCANTUNE_MEMBER(ReduceRequest, accumulator_type, width).defaults_to(accumulator_by_default),
      SCANTUNE_MEMBER(ReduceRequest, output_type, width).defaults_to([](const ReduceRequest& request) {
        return static_cast<int>(request.input_type);
      }),
      SCANTUNE_MEMBER(ReduceRequest, op, nearest),
      SCANTUNE_MEMBER(ReduceRequest, position, exact)
          .means("first, last: also where the minimum or maximum is, of equal ones the first or the last."),
      SCANTUNE_MEMBER(ReduceRequest, extremes, exact).means("both: the least and the greatest at once."),
      SCANTUNE_MEMBER(ReduceRequest, ordered_by, exact)
          .means("less: a function of the caller's says which item is less."),
      SCANTUNE_MEMBER(ReduceRequest, init, per_call).defaults_to(init_by_default),
      SCANTUNE_MEMBER(ReduceRequest, latency, exact)
          .not_compiled()
          .means("back_to_back: fast between other reductions, which overlap; isolated: between ordinary kernels."),
      SCANTUNE_MEMBER(ReduceRequest, segments, nearest)
          .means("rows, columns: each of --rows or --columns has a result; offsets: each of --segment-count."),
      SCANTUNE_MEMBER(ReduceRequest, load, per_call)
          .means("what makes items of the input: a function of the caller's."),
      SCANTUNE_MEMBER(ReduceRequest, store, per_call).means("what becomes of results: a function of the caller's."),
      SCANTUNE_MEMBER(ReduceRequest, index_width, per_call).means("of positions."),
      SCANTUNE_MEMBER(ReduceRequest, offset_type, per_call).means("of offsets."),
      SCANTUNE_MEMBER(ReduceRequest, offset_form, per_call).means("one more offset than segments, or two arrays."),
      SCANTUNE_MEMBER(ReduceRequest, count_source, per_call).means("memory: how many segments lies there.")};

  static constexpr Extent<ReduceRequest> kExtents[] = {
      SCANTUNE_EXTENT(ReduceRequest, rows, "How many items each row has; rows follow one another.")
          .where("segments", Segments::rows)
          .stored_as("row_items")
          .finely(),
      SCANTUNE_EXTENT(ReduceRequest, columns, "Columns, side by side in lines of so many items.")
          .where("segments", Segments::columns)
          .finely(),
      SCANTUNE_EXTENT(ReduceRequest, segment_count, "Segments of n / segment_count items on average.")
          .where("segments", Segments::offsets)};

  static constexpr OperandList operands(const ReduceRequest& request) {
    OperandList list;
    if (request.load != Load::generated)
      list.add({"input", OperandRole::input, "input_type", Operand::kItems, false,
                strided_range(request, request.layout.input)});
    const char* const results = request.segments == Segments::rows      ? "rows"
                                : request.segments == Segments::columns ? "columns"
                                : request.has_offsets()                 ? "segment_count"
                                                                        : Operand::kOne;
    if (request.store != Store::writing)
      list.add({.name = "output",
                .role = OperandRole::output,
                .type = "output_type",
                .extent = results,
                .lies_apart = request.has_offsets()});
    if (request.writes_position())
      list.add({"index", OperandRole::indices, unsigned_name(request.index_width), results});
    if (request.extremes == ExtremeSet::both) {
      list.add({"greatest", OperandRole::second, "output_type", results});
      if (request.writes_position())
        list.add({"greatest_index", OperandRole::second_indices, unsigned_name(request.index_width), results});
    }
    if (request.init == Init::memory) list.add({"device_init", OperandRole::init, "accumulator_type", Operand::kOne});
    if (request.has_offsets()) add_offsets(request, list);
    return list;
  }

  // If n is 0, the result is the initial value.
  static constexpr bool has_result_without_items(const ReduceRequest& request) { return request.has_init(); }

  static constexpr const char* remark(const ReduceRequest& request) {
    if (request.layout.is_strided()) return "with strides";
    if (request.init == Init::memory) return "with init from memory";
    if (request.init == Init::each) return "with an init for each";
    if (request.init == Init::none && !request.has_position()) return "without init";
    return has_maps(request) ? "with maps" : "";
  }
};
#endif

}  // namespace scantune
