// The scan: its request and operands.
#pragma once

#include "core/contract/algorithm.h"
#include "core/contract/combining.h"
#include "core/contract/direction.h"
#include "core/contract/integer_width.h"
#include "core/contract/map.h"
#include "core/contract/offset_operands.h"
#include "core/contract/output_room.h"
#include "core/contract/packing.h"
#include "core/contract/strides.h"
#include "core/contract/variant.h"

namespace scantune {

enum class Kind { inclusive, exclusive };
template <>
struct Tokens<Kind> {
  static constexpr const char* kNames[] = {"inclusive", "exclusive"};
};

// The source of the number of items.
enum class NSource {
  call,   // the request's n
  memory  // the device's memory, read when the kernels run; the request's n is the most that are scanned
};
template <>
struct Tokens<NSource> {
  static constexpr const char* kNames[] = {"call", "memory"};
};

// What is written of segments that start at any item.
enum class Results {
  all,    // a result for each item
  totals  // the last one of each segment, one after the other, beside its key if there are keys; and their number
};
template <>
struct Tokens<Results> {
  static constexpr const char* kNames[] = {"all", "totals"};
};

// Segments by offsets may come in any order. Results are where their items are; items outside all segments are neither
// read nor written. Those of several segments have unspecified results.
struct ScanRequest {
  ValueType input_type = ValueType::i32;
  ValueType accumulator_type = ValueType::i32;
  ValueType output_type = ValueType::i32;
  Operator op = Operator::sum;
  Kind kind = Kind::inclusive;
  Init init = Init::none;  // never none in an exclusive scan
  Direction direction = Direction::forward;
  NSource n_source = NSource::call;
  Segments segments = Segments::none;
  Keys keys = Keys::bytes_4;  // of Segments::keys
  Equality equality = Equality::built_in;
  Results results = Results::all;
  Determinism determinism = Determinism::unconstrained;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  Load load = Load::none;
  Store store = Store::none;
  IntegerWidth n_width = IntegerWidth::bits_64;      // of n in memory
  IntegerWidth count_width = IntegerWidth::bits_64;  // of the number of segments, where that is written or counted
  OutputRoom room = OutputRoom::for_all;             // of totals
  OffsetType offset_type = OffsetType::i32;          // of Segments::offsets
  OffsetForm offset_form = OffsetForm::bounds;       // likewise
  CountSource count_source = CountSource::call;      // likewise, of segment_count
  int custom_bytes = 0;                              // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;                          // alignment of ValueType::custom
  u64 n = 0;                                         // items; where n_source is memory, the most of them
  u64 rows = 0;                // of Segments::rows, each a scan of its own, from the initial value if there is one
  u64 columns = 0;             // of Segments::columns, likewise
  u64 segment_count = 0;       // of Segments::offsets, likewise; in memory there may be fewer
  u64 capacity = 0;            // totals for which there is room, with OutputRoom::limited
  Layout layout = {};          // strides of rows or columns, or where dense items begin
  ComparedType key_type = {};  // of keys that a source compares, which tells kernels of it

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  // The columns of a line where the items are lines (behind_lines()), else 1.
  constexpr int line_columns() const {
    return segments == Segments::none && columns > 0 ? static_cast<int>(columns) : 1;
  }
  constexpr int input_bytes() const { return line_columns() * bytes_of(input_type); }
  constexpr int accumulator_bytes() const { return line_columns() * bytes_of(accumulator_type); }
  constexpr int output_bytes() const { return line_columns() * bytes_of(output_type); }
  constexpr bool has_init() const { return init != Init::none; }
  constexpr bool has_offsets() const { return segments == Segments::offsets; }
  constexpr bool reads_n() const { return n_source == NSource::memory; }
  constexpr bool writes_totals() const { return results == Results::totals; }

  constexpr bool operator==(const ScanRequest&) const = default;
};

// A request and the pointers that its kernels serve.
struct ScanVariant : ScanRequest {
  Variant variant = Variant::aligned;

  // The common alignment of both pointers, in bytes.
  constexpr int alignment_bytes() const {
    if (variant == Variant::aligned) return kVectorAlignmentBytes;
    const int in = alignment_of(input_type), out = alignment_of(output_type);
    return in < out ? in : out;
  }

  constexpr bool operator==(const ScanVariant&) const = default;
};

constexpr Run run_of(const ScanRequest& request) {
  return {request.input_type,
          request.accumulator_type,
          request.input_bytes(),
          request.output_bytes(),
          request.op,
          request.kind == Kind::exclusive || request.has_init()};
}
constexpr bool packs_sums(const ScanRequest& request) { return packs_sums(run_of(request)); }
constexpr bool packs_extremes(const ScanRequest& request) { return packs_extremes(run_of(request)); }

// Whether marks are added up: they say where a total goes, or which initial value a segment has.
constexpr bool counts_starts(const ScanRequest& request) {
  return request.writes_totals() || (has_starts(request.segments) && request.init == Init::each);
}

// The bytes of the mark that a segment starts. It leaves no bytes without a meaning beside an accumulator, of which
// compilers would make an array in local memory.
constexpr int mark_bytes(const ScanRequest& request) {
  const int alignment = request.alignment_of(request.accumulator_type);
  const int needed = !counts_starts(request) ? 1 : request.count_width == IntegerWidth::bits_32 ? 4 : 8;
  return alignment < needed ? needed : alignment < 8 ? alignment : 8;
}
constexpr int started_alignment(const ScanRequest& request) {
  const int alignment = request.alignment_of(request.accumulator_type), mark = mark_bytes(request);
  return alignment < mark ? mark : alignment;
}
// The bytes of an accumulator beside its mark.
constexpr int started_bytes(const ScanRequest& request) {
  const auto mark = static_cast<u64>(mark_bytes(request));
  return static_cast<int>(round_up(round_up(static_cast<u64>(request.accumulator_bytes()), mark) + mark,
                                   static_cast<u64>(started_alignment(request))));
}

// Why values are too wide for segments with starts, or null.
constexpr const char* invalid_starts_reason(const ScanRequest& request) {
  if (!has_starts(request.segments) || started_bytes(request) <= kMaxValueBytes) return nullptr;
  return "a value and the mark that a segment starts there take more than 32 bytes: accumulators have at most 24, "
         "aligned to 16 at most 16, aligned to less than 8 and without a count of segments at most 28";
}

// The request of segments with starts as kernels and configs see it: a scan of such pairs, which an operator combines
// that forgets what is before a start.
constexpr ScanRequest behind_starts(ScanRequest request) {
  if (!has_starts(request.segments)) return request;
  const int bytes = started_bytes(request), alignment = started_alignment(request);
  const bool is_fixed = needs_fixed_association(request);
  request.determinism = is_fixed ? Determinism::run_to_run : Determinism::unconstrained;
  request.input_type = request.accumulator_type = request.output_type = ValueType::custom;
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  if (!is_custom(request.op)) request.op = Operator::custom_cheap;
  return request;
}

// Whether the columns are so few and dense that their lines can be the items of one sequence.
constexpr bool are_lines_items(const ScanRequest& request) {
  const u64 columns = request.columns;
  if (request.segments != Segments::columns || columns < 2 || columns > u64{kMaxValueBytes}) return false;
  if (request.n % columns != 0 || request.layout.is_strided() || has_maps(request)) return false;
  const auto fits = [&](int bytes) { return columns * static_cast<u64>(bytes) <= u64{kMaxValueBytes}; };
  return fits(request.input_bytes()) && fits(request.output_bytes()) &&
         (packs_sums(request) || fits(request.accumulator_bytes()));
}

// The request of such columns as kernels and configs for one sequence see it: its items are lines, and its operator
// combines lines column by column. Of sums of small integers that are stored as wide only the low bytes count, so their
// accumulators are as small. Other requests stay as they are.
constexpr ScanRequest behind_lines(ScanRequest request) {
  if (!are_lines_items(request)) return request;
  const bool is_fixed = needs_fixed_association(request);
  request.determinism = is_fixed ? Determinism::run_to_run : Determinism::unconstrained;
  if (packs_sums(request)) {
    request.custom_bytes = request.custom_alignment = size_of(request.input_type);
    request.input_type = request.accumulator_type = request.output_type = ValueType::custom;
  }
  if (!is_custom(request.op)) request.op = Operator::custom_cheap;
  if (request.init == Init::each) request.init = Init::memory;  // a line of them
  request.segments = Segments::none;
  request.n /= request.columns;
  return request;
}

// Whether a CTA for each row is as fast as all CTAs at one row after another: on an H200 it is for some rows that take
// a few tiles each. Larger values, and operators of the caller's own, have smaller tiles, and nobody measured them.
constexpr bool suits_a_cta_each(const ScanRequest& request) {
  constexpr u64 kRows = 64, kMostItems = u64{1} << 16, kMostBytes = u64{1} << 17;
  if (request.segments != Segments::rows || request.rows < kRows || request.layout.is_strided()) return false;
  if (is_custom(request.op) || has_maps(request) || needs_fixed_association(request)) return false;
  if (request.accumulator_bytes() > 8) return false;
  const u64 items = row_items(request), in = items * static_cast<u64>(request.input_bytes());
  const u64 out = items * static_cast<u64>(request.output_bytes());
  return items <= kMostItems && in <= kMostBytes && out <= kMostBytes;
}

// Whether the items are lines that a scan of one sequence takes faster than scan_columns does: of whole words or parts
// of one, in which operators that cost little combine few accumulators.
inline constexpr u64 kLeastItemsOfLines = u64{1} << 18;
constexpr bool prefers_lines(const ScanRequest& request) {
  const auto is_even = [](int bytes) { return bytes % 4 == 0 || 4 % bytes == 0; };
  return request.op == Operator::custom_cheap && request.accumulator_bytes() <= kVectorAlignmentBytes &&
         is_even(request.input_bytes()) && is_even(request.output_bytes()) &&
         request.n * static_cast<u64>(request.line_columns()) >= kLeastItemsOfLines;
}

// Why the keys cannot be compared, or null. Without segments by keys any would tell equal requests apart.
constexpr const char* invalid_keys_reason(const ScanRequest& request) {
  const ComparedType& type = request.key_type;
  if (request.segments != Segments::keys) {
    if (request.keys != Keys::bytes_4) return "only segments by keys have keys";
    if (request.equality == Equality::source) return "only segments by keys have an equality";
  }
  if (request.equality == Equality::built_in)  // another would make equal requests differ
    return type == ComparedType{} ? nullptr : "keys without an equality are told by their width: leave their type out";
  return type.type == ValueType::custom ? invalid_custom_reason(type.struct_bytes, type.struct_alignment) : nullptr;
}

// Why no family can solve the request, or null.
constexpr const char* unsupported_reason(const ScanRequest& request) {
  if (const char* reason = invalid_items_reason(request)) return reason;
  if (request.init == Init::each && request.segments == Segments::none)
    return "initial values of rows or columns need such: pass one in init or device_init";
  if (const char* reason = invalid_keys_reason(request)) return reason;
  if (has_starts(request.segments)) {
    if (request.init == Init::each && request.direction == Direction::reverse)
      return "which segment is the last one is not known where a reverse scan begins, and each has an initial value of "
             "its own: pass one in init or device_init, or leave direction out";
    if (request.writes_totals()) {
      if (request.kind == Kind::exclusive) return "the total of a segment has all of its items: leave kind out";
      if (request.direction == Direction::reverse) return "totals come in the order of the items: leave direction out";
    }
    if (counts_starts(request) && request.count_width == IntegerWidth::bits_32 && request.n > 0xffffffff)
      return "there are more items than a count of 4 bytes counts: ask for 8";
  } else if (request.writes_totals()) {
    return "totals are those of segments by flags, bits or keys: ask for such";
  }
  if (!counts_starts(request) && request.count_width != IntegerWidth::bits_64)
    return "count_width is that of totals: leave it out";
  if (request.room == OutputRoom::limited && !request.writes_totals()) return "room is for totals: leave it out";
  if (request.kind == Kind::exclusive && !request.has_init()) return "an exclusive scan needs an initial value";
  if (const char* reason = invalid_offsets_reason(request)) return reason;
  if (request.has_offsets())
    return request.reads_n() ? "offsets say which items are scanned: leave device_n out" : nullptr;
  if (request.reads_n() && request.segments != Segments::none && !has_starts(request.segments))
    return "n in device memory is not known when the items are cut into rows or columns: leave device_n out, or "
           "segments";
  if (request.reads_n() && request.direction == Direction::reverse)
    return "n in device memory is not known where a reverse scan begins: leave device_n out, or direction";
  if (request.layout.is_strided() && request.direction == Direction::reverse)
    return "strides say in which direction a row goes: negate item_stride, or leave direction out";
  return has_starts(request.segments) ? nullptr : invalid_segments_reason(request);
}

// Why a family for contiguous items refuses the request, or null.
constexpr const char* strided_reason(const ScanRequest& request) {
  return request.layout.is_strided() ? "its kernels take rows that lie one after the other" : nullptr;
}

// Why a family of the gallery refuses the request, or null.
constexpr const char* gallery_reason(const ScanRequest& request) {
  if (request.reads_n()) return "its kernels know n when they are launched, and do not read it from memory";
  if (request.direction == Direction::reverse) return "its kernels go through the items forward";
  if (request.init == Init::each) return "its kernels begin every row from the same value";
  if (const char* reason = mapped_reason(request)) return reason;
  return strided_reason(request);
}

#ifndef __CUDACC_RTC__
template <>
struct Algorithm<ScanRequest> {
  static constexpr const char* kName = "scan";
  static constexpr const char* kRequestName = "ScanRequest";
  static constexpr const char* kProblemName = "Problem";

  static constexpr int accumulator_by_default(const ScanRequest& request) {
    return static_cast<int>(default_accumulator(request.input_type, request.output_type));
  }
  static constexpr int init_by_default(const ScanRequest& request) {
    return static_cast<int>(request.kind == Kind::exclusive ? Init::value : Init::none);
  }

  static constexpr Member<ScanRequest> kMembers[] = {
      SCANTUNE_MEMBER(ScanRequest, input_type, width).defaults_to(nullptr),
      SCANTUNE_MEMBER(ScanRequest, accumulator_type, width).defaults_to(accumulator_by_default),
      SCANTUNE_MEMBER(ScanRequest, output_type, width).defaults_to([](const ScanRequest& request) {
        return static_cast<int>(request.input_type);
      }),
      SCANTUNE_MEMBER(ScanRequest, op, nearest),
      SCANTUNE_MEMBER(ScanRequest, kind, served),
      SCANTUNE_MEMBER(ScanRequest, init, per_call).defaults_to(init_by_default),
      SCANTUNE_MEMBER(ScanRequest, direction, nearest).means("reverse: from the last item to the first."),
      SCANTUNE_MEMBER(ScanRequest, n_source, nearest)
          .means("memory: n lies in device memory, and is at most the n that is tuned for."),
      SCANTUNE_MEMBER(ScanRequest, segments, exact)
          .means("rows, columns, offsets: so many scans; flags, bits, keys: one from each flag, bit or new key."),
      SCANTUNE_MEMBER(ScanRequest, keys, nearest).means("the keys of --segments keys."),
      SCANTUNE_MEMBER(ScanRequest, equality, per_call).means("what compares keys."),
      SCANTUNE_MEMBER(ScanRequest, results, exact).means("totals: of each segment, and not a result for each item."),
      SCANTUNE_MEMBER(ScanRequest, determinism, at_most).means("run_to_run: equal inputs give equal bits."),
      SCANTUNE_MEMBER(ScanRequest, forward_progress, at_most)
          .not_compiled()
          .means("documented: only orders of CTAs that the programming model guarantees."),
      SCANTUNE_MEMBER(ScanRequest, latency, exact)
          .not_compiled()
          .means("back_to_back: fast between other scans, which overlap; isolated: between ordinary kernels."),
      SCANTUNE_MEMBER(ScanRequest, load, per_call).means("what makes items of the input: a function of the caller's."),
      SCANTUNE_MEMBER(ScanRequest, store, per_call).means("what becomes of results: a function of the caller's."),
      SCANTUNE_MEMBER(ScanRequest, n_width, per_call).means("of n in memory."),
      SCANTUNE_MEMBER(ScanRequest, count_width, nearest).means("of the number of segments."),
      SCANTUNE_MEMBER(ScanRequest, room, per_call),
      SCANTUNE_MEMBER(ScanRequest, offset_type, per_call).means("of offsets."),
      SCANTUNE_MEMBER(ScanRequest, offset_form, per_call).means("one more offset than segments, or two arrays."),
      SCANTUNE_MEMBER(ScanRequest, count_source, per_call).means("memory: how many segments lies there.")};

  static constexpr Extent<ScanRequest> kExtents[] = {
      SCANTUNE_EXTENT(ScanRequest, rows, "How many items each row has; rows follow one another.")
          .where("segments", Segments::rows)
          .stored_as("row_items")
          .finely(),
      SCANTUNE_EXTENT(ScanRequest, columns, "Columns, side by side in lines of so many items.")
          .where("segments", Segments::columns)
          .finely(),
      SCANTUNE_EXTENT(ScanRequest, segment_count, "Segments of n / segment_count items on average.")
          .where("segments", Segments::offsets),
      SCANTUNE_EXTENT(ScanRequest, capacity, "Totals for which there is room.").where("room", OutputRoom::limited)};

  // An array of keys.
  static constexpr Operand keys_operand(const ScanRequest& request, const char* name, OperandRole role,
                                        const char* extent) {
    const bool is_compared = request.equality == Equality::source, is_input = role == OperandRole::keys;
    const bool is_struct = is_compared && request.key_type.type == ValueType::custom;
    const ValueType type = is_struct ? ValueType::u8 : is_compared ? request.key_type.type : type_of(request.keys);
    return {.name = name,
            .role = role,
            .type = Tokens<ValueType>::kNames[static_cast<int>(type)],
            .extent = extent,
            .from_end = is_input && request.direction == Direction::reverse,
            .units = is_struct ? request.key_type.bytes() : 1,
            .alignment = is_struct ? request.key_type.alignment() : 0};
  }

  static constexpr OperandList operands(const ScanRequest& request) {
    OperandList list;
    const bool from_end = request.direction == Direction::reverse;
    const StridedRange in = strided_range(request, request.layout.input);
    const StridedRange out = strided_range(request, request.layout.output);
    if (request.load != Load::generated)
      list.add({"input", OperandRole::input, "input_type", Operand::kItems, false, in, from_end});
    const char* const totals = request.room == OutputRoom::limited ? "capacity" : Operand::kItems;
    if (request.writes_totals()) {
      if (request.store != Store::writing)
        list.add({.name = "totals",
                  .role = OperandRole::output,
                  .type = "output_type",
                  .extent = totals,
                  .lies_apart = true});
    } else if (request.store != Store::writing) {
      list.add({"output", OperandRole::output, "output_type", Operand::kItems, false, out, from_end});
    }
    if (request.segments == Segments::flags)
      list.add({"flags", OperandRole::flags, "u8", Operand::kItems, false, {}, from_end});
    if (request.segments == Segments::bits)
      list.add({.name = "bits",
                .role = OperandRole::flags,
                .type = "u32",
                .extent = Operand::kItems,
                .range = {.items = ceil_div(request.n, u64{32})}});
    if (request.segments == Segments::keys) list.add(keys_operand(request, "keys", OperandRole::keys, Operand::kItems));
    if (request.writes_totals()) {
      if (request.segments == Segments::keys)
        list.add(keys_operand(request, "keys_output", OperandRole::keys_output, totals));
      list.add({"count", OperandRole::count, unsigned_name(request.count_width), Operand::kOne});
    }
    if (request.init == Init::memory) list.add({"device_init", OperandRole::init, "accumulator_type", Operand::kOne});
    if (request.has_offsets()) {
      add_offsets(request, list);
    } else if (request.init == Init::each) {
      // How many segments start somewhere only the items tell; verification says how many there may be.
      const char* const extent = request.segments == Segments::columns ? "columns"
                                 : request.segments == Segments::rows  ? "rows"
                                 : request.segment_count != 0          ? "segment_count"
                                                                       : Operand::kOne;
      list.add({"device_inits", OperandRole::init, "accumulator_type", extent});
    }
    if (request.reads_n()) {
      list.add({"device_n", OperandRole::n, unsigned_name(request.n_width), Operand::kOne});
      list.add({"device_clamped", OperandRole::clamped, "u32", Operand::kOne, true});
    }
    return list;
  }

  // Kernels differ by a guarantee only if results depend on it.
  static constexpr ScanRequest compiled(ScanRequest request) {
    if (!needs_fixed_association(request)) request.determinism = Determinism::unconstrained;
    request.room = OutputRoom::for_all;  // launches tell it
    return request;
  }

  // The number of totals is 0.
  static constexpr bool has_result_without_items(const ScanRequest& request) { return request.writes_totals(); }

  static constexpr const char* remark(const ScanRequest& request) {
    if (request.layout.is_strided())
      return request.layout.input.first != 0 ? "in reverse, with strides" : "with strides";
    if (request.init == Init::memory) return "with init from memory";
    if (request.init == Init::each) return "with an init for each";
    if (request.has_init() && request.kind == Kind::inclusive) return "with init";
    if (has_maps(request)) return "with maps";
    return request.equality == Equality::source ? "with an equality" : "";
  }
};
#endif

}  // namespace scantune
