// The sort: its request and operands.
#pragma once

#include "core/contract/algorithm.h"
#include "core/contract/combining.h"
#include "core/contract/memory_types.h"
#include "core/contract/offset_operands.h"
#include "core/contract/order.h"
#include "core/contract/variant.h"

namespace scantune {

// What says which of two keys comes first.
enum class Comparison {
  built_in,  // their order as numbers
  source  // a less() of the caller's, on numbers or structs: a strict weak order, or else all results are unspecified
};
template <>
struct Tokens<Comparison> {
  static constexpr const char* kNames[] = {"built_in", "source"};
};

// The bits of a key that are compared, counted from the lowest of the unsigned number that stands for it.
// With none all keys are equal, and a stable sort copies them.
enum class KeyBits { all, some, none };
template <>
struct Tokens<KeyBits> {
  static constexpr const char* kNames[] = {"all", "some", "none"};
};

// What becomes of the input, keys and values.
enum class InputUse { kept, consumed };  // consumed: kernels may write to it, and it holds anything afterwards
template <>
struct Tokens<InputUse> {
  static constexpr const char* kNames[] = {"kept", "consumed"};
};

// output = the keys of input in order, stably. Integers compare as in C++. Floating-point numbers have a total order:
// -NaN < -infinity < ... < -0 < +0 < ... < +infinity < NaN, and NaNs of one sign by their bits.
//
// By a comparison of the caller's, descending keys are those for which less(b, a) holds where less(a, b) does
// ascending.
//
// With rows or segments by offsets, each is sorted separately. A segment's results are where its items are. Items
// outside all segments are neither read nor written. If segments overlap, all results hold anything.
struct SortRequest {
  ValueType input_type = ValueType::u32;  // of the keys
  ValueType value_type = ValueType::u32;  // of values or indices; u32 without either
  Order order = Order::ascending;
  Sorted sorted = Sorted::keys;
  Segments segments = Segments::none;
  KeyBits key_bits = KeyBits::all;
  InputUse input_use = InputUse::kept;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  Load load = Load::none;                        // of values
  OffsetType offset_type = OffsetType::i32;      // of Segments::offsets
  OffsetForm offset_form = OffsetForm::bounds;   // likewise
  CountSource count_source = CountSource::call;  // likewise, of segment_count
  Comparison comparison = Comparison::built_in;
  int custom_bytes = 0;      // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;  // alignment of ValueType::custom
  u64 n = 0;                 // keys
  u64 rows = 0;              // of Segments::rows
  u64 segment_count = 0;     // of Segments::offsets; in memory there may be fewer
  u64 end_bit = 0;           // of KeyBits::some: after the highest bit that is compared
  u64 bits = 0;              // and how many are
  MemoryTypes memory = {};   // of values that a load takes

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  constexpr int input_bytes() const { return bytes_of(input_type); }
  // A load makes values. Where keys are structs, requests without one keep the size of these.
  constexpr ValueType mapped_type() const { return input_type == ValueType::custom ? input_type : value_type; }
  constexpr int value_bytes() const { return bytes_of(value_type); }
  constexpr bool writes_keys() const { return sorted != Sorted::indices; }
  constexpr bool writes_indices() const { return sorted == Sorted::indices || sorted == Sorted::keys_and_indices; }
  constexpr bool has_values() const { return sorted == Sorted::pairs; }
  constexpr bool has_payload() const { return sorted != Sorted::keys; }
  constexpr bool consumes_input() const { return input_use == InputUse::consumed; }
  constexpr bool has_offsets() const { return segments == Segments::offsets; }
  constexpr bool compares_keys() const { return key_bits != KeyBits::none; }
  constexpr bool is_by_source() const { return comparison == Comparison::source; }
  // The bits of a key that are compared.
  constexpr int last_bit() const { return key_bits == KeyBits::all ? 8 * input_bytes() : static_cast<int>(end_bit); }
  constexpr int sorted_bits() const { return key_bits == KeyBits::all ? 8 * input_bytes() : static_cast<int>(bits); }
  constexpr int first_bit() const { return last_bit() - sorted_bits(); }

  constexpr bool operator==(const SortRequest&) const = default;
};

// What no family can do.
constexpr const char* unsupported_reason(const SortRequest& request) {
  if (request.input_type == ValueType::custom) {
    if (!request.is_by_source())
      return "keys of a custom type have no order: pass a less of your own, or sort a number that stands for each and "
             "the items as values";
    if (const char* reason = invalid_custom_reason(request.custom_bytes, request.custom_alignment)) return reason;
  }
  if (request.is_by_source()) {
    if (request.key_bits != KeyBits::all) return "less compares whole keys: leave the bits out";
    if (request.segments != Segments::none)
      return "less puts all keys in one order: for rows or segments, compare their numbers in less first";
    if (request.load != Load::none) return "values are moved as they are where less compares keys: leave load out";
  }
  if (has_starts(request.segments)) return "segments are none, rows or by offsets";
  if (request.segments == Segments::columns) return "rows are sorted, and columns are not: transpose them";
  if (request.segments == Segments::rows && request.n > 0) {
    if (request.rows == 0) return "there are items and no rows to hold them";
    if (request.rows > request.n + request.n / 2) return "there are more rows than items";
  }
  if (const char* reason = invalid_offsets_reason(request)) return reason;
  if (!request.has_payload() && request.value_type != ValueType::u32)  // it would tell equal requests apart
    return "value_type is for sorts with values or indices: leave it out";
  if (const char* reason = invalid_memory_reason(request)) return reason;
  if (request.load != Load::none && !request.has_values())
    return "load makes values, and none are sorted: ask for pairs, or leave load out";
  if (request.load != Load::none && request.consumes_input())
    return "values that load takes are not of the type that is moved, so that no room is left for these: keep the "
           "input";
  if (request.value_type == ValueType::custom) {
    if (!request.has_values()) return "indices are numbers, not of a custom type";
    if (const char* reason = invalid_custom_reason(request.custom_bytes, request.custom_alignment)) return reason;
  }
  if (request.writes_indices()) {
    if (!is_integer(request.value_type) || size_of(request.value_type) < 4)
      return "indices are integers of 4 or 8 bytes: i32, i64, u32 or u64";
    if (size_of(request.value_type) == 4 && row_items(request) > u64{1} << (is_signed(request.value_type) ? 31 : 32))
      return request.has_offsets()
                 ? "a segment may have more keys than indices of 32 bits can number: ask for indices of 64 bits"
                 : "a row has more keys than indices of 32 bits can number: ask for indices of 64 bits";
  }
  if (request.key_bits != KeyBits::some) return nullptr;
  if (request.end_bit > 8 * static_cast<u64>(request.input_bytes())) return "bits end behind the key's last one";
  if (request.bits > request.end_bit) return "bits begin before the key's first one";
  if (request.bits == 0) return "no bits are compared: say so by key_bits, none";
  return nullptr;
}

// The same for families that sort all keys, or rows, by their bits.
constexpr const char* unsupported_rows_reason(const SortRequest& request) {
  if (request.is_by_source()) return "its kernels look at the bits of keys, and not at a less of the caller's";
  if (request.has_offsets()) return "its kernels sort all keys or rows, and not segments by offsets";
  return unsupported_reason(request);
}

#ifndef __CUDACC_RTC__
template <>
struct Algorithm<SortRequest> {
  static constexpr const char* kName = "sort";
  static constexpr const char* kRequestName = "SortRequest";
  static constexpr const char* kProblemName = "SortProblem";

  static constexpr Member<SortRequest> kMembers[] = {
      SCANTUNE_MEMBER(SortRequest, input_type, width).defaults_to(nullptr),
      SCANTUNE_MEMBER(SortRequest, value_type, width),
      SCANTUNE_MEMBER(SortRequest, order, nearest).means("descending: the greatest key comes first."),
      SCANTUNE_MEMBER(SortRequest, sorted, exact)
          .means("What is written in order: keys, keys with values, where the keys stood, or keys and that."),
      SCANTUNE_MEMBER(SortRequest, segments, nearest)
          .means("rows, offsets: each of --rows or --segment-count segments is sorted by itself."),
      SCANTUNE_MEMBER(SortRequest, key_bits, exact)
          .means("some: only --bits bits of each key are compared, those before --end-bit; none: keys are copied."),
      SCANTUNE_MEMBER(SortRequest, input_use, nearest)
          .means("consumed: keys and values of the input may be overwritten, so that a sort needs less memory."),
      SCANTUNE_MEMBER(SortRequest, forward_progress, at_most)
          .not_compiled()
          .means("documented: only orders of CTAs that the programming model guarantees."),
      SCANTUNE_MEMBER(SortRequest, latency, exact)
          .not_compiled()
          .means("back_to_back: fast between other sorts, which overlap; isolated: between ordinary kernels."),
      SCANTUNE_MEMBER(SortRequest, load, per_call).means("what makes the values: a function of the caller's."),
      SCANTUNE_MEMBER(SortRequest, offset_type, per_call).means("of offsets."),
      SCANTUNE_MEMBER(SortRequest, offset_form, per_call).means("one more offset than segments, or two arrays."),
      SCANTUNE_MEMBER(SortRequest, count_source, per_call).means("memory: how many segments lies there."),
      SCANTUNE_MEMBER(SortRequest, comparison, exact)
          .means("source: a less() of the caller's says which key comes first, and keys may be structs.")};

  static constexpr Extent<SortRequest> kExtents[] = {
      SCANTUNE_EXTENT(SortRequest, rows, "How many keys each row has; rows follow one another.")
          .where("segments", Segments::rows)
          .stored_as("row_items")
          .finely(),
      SCANTUNE_EXTENT(SortRequest, segment_count, "Segments of n / segment_count keys on average.")
          .where("segments", Segments::offsets),
      SCANTUNE_EXTENT(SortRequest, end_bit, "The number of the bit behind the highest one that is compared.")
          .where("key_bits", KeyBits::some),
      SCANTUNE_EXTENT(SortRequest, bits, "How many bits of each key are compared.").where("key_bits", KeyBits::some)};

  static constexpr OperandList operands(const SortRequest& request) {
    OperandList list;
    const auto read = [&](const char* name, OperandRole role, const char* type) {
      list.add({.name = name,
                .role = role,
                .type = type,
                .extent = Operand::kItems,
                .is_consumed = request.consumes_input()});
    };
    read("input", OperandRole::input, "input_type");
    list.add({.name = request.writes_keys() ? "output" : "indices",
              .role = OperandRole::output,
              .type = request.writes_keys() ? "input_type" : "value_type",
              .extent = Operand::kItems,
              .lies_apart = true});
    if (request.has_values()) {
      if (request.load != Load::generated)
        read(
            "values", OperandRole::values,
            converts(request.load) ? Tokens<ValueType>::kNames[static_cast<int>(request.memory.loaded)] : "value_type");
      list.add({"values_output", OperandRole::values_output, "value_type", Operand::kItems});
    }
    if (request.sorted == Sorted::keys_and_indices)
      list.add({"indices", OperandRole::indices, "value_type", Operand::kItems});
    if (request.has_offsets()) add_offsets(request, list);
    return list;
  }

  // Values are only moved, except by a load, and launches say which bits are compared.
  static constexpr SortRequest compiled(SortRequest request) {
    constexpr ValueType kUnsigned[] = {ValueType::u8, ValueType::u16, ValueType::u32, ValueType::u64};
    for (const ValueType wide : kUnsigned)
      if (request.load == Load::none && request.value_type != ValueType::custom &&
          size_of(wide) == size_of(request.value_type)) {
        request.value_type = wide;
        break;
      }
    if (request.key_bits == KeyBits::some) request.key_bits = KeyBits::all;
    return request;
  }

  static constexpr const char* remark(const SortRequest& request) {
    return request.load != Load::none ? "with maps" : "";
  }
};
#endif

}  // namespace scantune
