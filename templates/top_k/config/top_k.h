// The top-k: its request and operands.
#pragma once

#include "core/contract/algorithm.h"
#include "core/contract/combining.h"
#include "core/contract/cta.h"
#include "core/contract/offset_operands.h"
#include "core/contract/order.h"
#include "core/contract/variant.h"

namespace scantune {

// The order of the results.
enum class ResultOrder {
  by_key,   // as a sort gives them
  by_index  // as they are in the input
};
template <>
struct Tokens<ResultOrder> {
  static constexpr const char* kNames[] = {"by_key", "by_index"};
};

// The place of NaNs among floating-point keys.
enum class NanOrder {
  total_order,  // that of a sort: before or after all numbers, by sign, and among themselves by their bits
  last          // after all numbers in both orders, and among themselves by index
};
template <>
struct Tokens<NanOrder> {
  static constexpr const char* kNames[] = {"total_order", "last"};
};

// output = the k keys of input that come first in the order, the order that sorts have. Of equal keys, those of the
// lowest indices come first. So one output alone is right, whatever the order of the results.
//
// With rows or segments by offsets, the first k of each, and those of number r are at output[r * k]. Segments may have
// items in common. Where rows do not divide n, the last ones are shorter, or empty. Of a row or segment of fewer than k
// items all are results, and the places after these are not written.
//
// Where memory says how many results there are, k is the most of them, and the places after the others are not written.
struct TopKRequest {
  ValueType input_type = ValueType::u32;  // of the keys
  ValueType value_type = ValueType::u32;  // of values or indices; u32 without either
  Order order = Order::descending;        // the greatest keys come first
  Sorted sorted = Sorted::keys;           // what is written
  ResultOrder result_order = ResultOrder::by_key;
  NanOrder nan_order = NanOrder::total_order;
  Segments segments = Segments::none;
  Latency latency = Latency::back_to_back;
  OffsetType offset_type = OffsetType::i32;      // of Segments::offsets
  OffsetForm offset_form = OffsetForm::bounds;   // the same
  CountSource count_source = CountSource::call;  // where segment_count is
  CountSource k_source = CountSource::call;      // where k is
  int custom_bytes = 0;                          // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;                      // alignment of ValueType::custom
  u64 n = 0;                                     // keys
  u64 rows = 0;                                  // of Segments::rows
  u64 segment_count = 0;                         // of Segments::offsets; in memory there may be fewer
  u64 k = 0;                                     // results, of each row or segment; in memory there may be fewer

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  constexpr int input_bytes() const { return bytes_of(input_type); }
  constexpr int value_bytes() const { return bytes_of(value_type); }
  constexpr int compared_bytes() const { return input_bytes() == 8 ? 8 : 4; }  // of the number that a key is taken for
  constexpr bool writes_keys() const { return sorted != Sorted::indices; }
  constexpr bool writes_indices() const { return sorted == Sorted::indices || sorted == Sorted::keys_and_indices; }
  constexpr bool has_values() const { return sorted == Sorted::pairs; }
  constexpr bool has_payload() const { return sorted != Sorted::keys; }
  constexpr bool has_offsets() const { return segments == Segments::offsets; }
  constexpr bool reads_k() const { return k_source != CountSource::call; }
  constexpr u64 results() const {
    return segments == Segments::rows ? rows * k : has_offsets() ? segment_count * k : k;
  }

  constexpr bool operator==(const TopKRequest&) const = default;
};

// What no family can do.
constexpr const char* unsupported_reason(const TopKRequest& request) {
  if (request.input_type == ValueType::custom)
    return "keys of a custom type have no order: take a number that stands for each, and the items as values";
  if (request.nan_order != NanOrder::total_order && !is_floating(request.input_type))
    return "nan_order is for floating-point keys, and integers have no NaN: leave it out";
  if (request.segments != Segments::none && request.segments != Segments::rows && !request.has_offsets())
    return "segments are none, rows or by offsets";
  if (request.segments == Segments::rows && request.n > 0) {
    if (request.rows == 0) return "there are items and no rows to hold them";
    if (request.rows > request.n + request.n / 2) return "there are more rows than items";
  }
  if (const char* reason = invalid_offsets_reason(request)) return reason;
  if (request.n > 0 && request.k == 0) return "k is 0: ask for 1 result at least";
  if (request.n > 0 && !request.has_offsets() && request.k > row_items(request))
    return request.segments == Segments::rows ? "k is more than a row has items" : "k is more than there are items";
  if (!request.has_payload() && request.value_type != ValueType::u32)  // it would tell equal requests apart
    return "value_type is for results with values or indices: leave it out";
  if (request.value_type == ValueType::custom) {
    if (!request.has_values()) return "indices are numbers, not of a custom type";
    return invalid_custom_reason(request.custom_bytes, request.custom_alignment);
  }
  if (!request.writes_indices()) return nullptr;
  if (!is_integer(request.value_type) || size_of(request.value_type) < 4)
    return "indices are integers of 4 or 8 bytes: i32, i64, u32 or u64";
  if (size_of(request.value_type) == 4 && row_items(request) > u64{1} << (is_signed(request.value_type) ? 31 : 32))
    return request.has_offsets()
               ? "a segment may have more items than indices of 32 bits can number: ask for indices of 64 bits"
               : "a row has more items than indices of 32 bits can number: ask for indices of 64 bits";
  return nullptr;
}

inline constexpr const char* kTooManyResults = "k is more than one CTA can put in order: sort, and take the first k";

#ifndef __CUDACC_RTC__
template <>
struct Algorithm<TopKRequest> {
  static constexpr const char* kName = "top_k";
  static constexpr const char* kRequestName = "TopKRequest";
  static constexpr const char* kProblemName = "TopKProblem";

  static constexpr Member<TopKRequest> kMembers[] = {
      SCANTUNE_MEMBER(TopKRequest, input_type, width).defaults_to(nullptr),
      SCANTUNE_MEMBER(TopKRequest, value_type, width),
      SCANTUNE_MEMBER(TopKRequest, order, nearest).means("descending: the greatest keys; ascending: the least."),
      SCANTUNE_MEMBER(TopKRequest, sorted, exact)
          .means("What is written: keys, keys with values, where the keys stood, or keys and that."),
      SCANTUNE_MEMBER(TopKRequest, result_order, nearest)
          .means("by_key: results as a sort gives them; by_index: as they are in the input."),
      SCANTUNE_MEMBER(TopKRequest, nan_order, nearest)
          .means("last: NaNs come after all numbers in both orders, the first of them first."),
      SCANTUNE_MEMBER(TopKRequest, segments, nearest)
          .means("rows, offsets: the first --k of each of --rows or --segment-count segments."),
      SCANTUNE_MEMBER(TopKRequest, latency, exact)
          .not_compiled()
          .means("back_to_back: fast between calls that overlap; isolated: between ordinary kernels."),
      SCANTUNE_MEMBER(TopKRequest, offset_type, per_call).means("of offsets."),
      SCANTUNE_MEMBER(TopKRequest, offset_form, per_call).means("one more offset than segments, or two arrays."),
      SCANTUNE_MEMBER(TopKRequest, count_source, per_call).means("memory: how many segments lies there."),
      SCANTUNE_MEMBER(TopKRequest, k_source, per_call).means("memory: how many results lies there, at most --k.")};

  static constexpr Extent<TopKRequest> kExtents[] = {
      SCANTUNE_EXTENT(TopKRequest, rows, "How many keys each row has; rows follow one another.")
          .where("segments", Segments::rows)
          .stored_as("row_items")
          .finely(),
      SCANTUNE_EXTENT(TopKRequest, segment_count, "Segments of n / segment_count keys on average.")
          .where("segments", Segments::offsets),
      SCANTUNE_EXTENT(TopKRequest, k, "How many results there are, of each row or segment if there are such.")};

  static constexpr OperandList operands(const TopKRequest& request) {
    OperandList list;
    const auto read = [&](const char* name, OperandRole role, const char* type) {
      list.add({.name = name, .role = role, .type = type, .extent = Operand::kItems});
    };
    const auto written = [&](const char* name, OperandRole role, const char* type) {
      list.add({.name = name,
                .role = role,
                .type = type,
                .extent = "k",
                .range = {.items = request.results()},
                .lies_apart = true});
    };
    read("input", OperandRole::input, "input_type");
    if (request.writes_keys())
      written("output", OperandRole::output, "input_type");
    else
      written("indices", OperandRole::output, "value_type");
    if (request.has_values()) {
      read("values", OperandRole::values, "value_type");
      written("values_output", OperandRole::values_output, "value_type");
    }
    if (request.sorted == Sorted::keys_and_indices) written("indices", OperandRole::indices, "value_type");
    if (request.has_offsets()) add_offsets(request, list);
    if (request.reads_k()) list.add({"device_k", OperandRole::k, name_of(request.k_source), Operand::kOne});
    return list;
  }

  // Values are only moved.
  static constexpr TopKRequest compiled(TopKRequest request) {
    constexpr ValueType kUnsigned[] = {ValueType::u8, ValueType::u16, ValueType::u32, ValueType::u64};
    for (const ValueType wide : kUnsigned)
      if (request.value_type != ValueType::custom && size_of(wide) == size_of(request.value_type)) {
        request.value_type = wide;
        break;
      }
    return request;
  }
};
#endif

// The least power of two that is no less, of which a network orders as many entries.
constexpr u64 network_entries(u64 entries) {
  u64 power = 2 * kWarpThreads;
  while (power < entries && power < u64{1} << 32) power *= 2;
  return power;
}

// A selection by rank counts the digits of numbers, in turns in so many sets of counters.
inline constexpr u32 kRankDigits = 256;
inline constexpr u32 kRankCounters = 3;
constexpr u64 rank_shared_bytes(int threads) {
  return kRankCounters * kRankDigits * sizeof(u32) + 2 * static_cast<u64>(threads / kWarpThreads) * sizeof(u64);
}

}  // namespace scantune
