// The load balance: its request and operands.
#pragma once

#include "core/contract/algorithm.h"
#include "core/contract/combining.h"
#include "core/contract/variant.h"

namespace scantune {

// What is written for each item.
enum class Assigned {
  segments,            // the segment that it is in
  ranks,               // its place in that segment
  segments_and_ranks,  // both, each to an output of its own
  values               // the value of that segment
};
template <>
struct Tokens<Assigned> {
  static constexpr const char* kNames[] = {"segments", "ranks", "segments_and_ranks", "values"};
};

// Segment s has the items offsets[s] to offsets[s + 1] - 1. offsets[0, segments] ascend from 0 to n; segments may be
// empty. output[i] is the segment of item i, its position in it, or the segment's value.
//
// Other offsets give any output, but nothing outside the operands is touched, and every launch ends.
struct LoadBalanceRequest {
  ValueType input_type = ValueType::u32;   // of the offsets
  ValueType output_type = ValueType::u32;  // of segments and ranks, or of the values
  Assigned assigned = Assigned::segments;
  Latency latency = Latency::back_to_back;
  int custom_bytes = 0;      // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;  // alignment of ValueType::custom
  u64 n = 0;                 // items
  u64 segments = 0;

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  constexpr int input_bytes() const { return bytes_of(input_type); }
  constexpr int output_bytes() const { return bytes_of(output_type); }
  constexpr bool writes_values() const { return assigned == Assigned::values; }
  constexpr bool writes_segments() const {
    return assigned == Assigned::segments || assigned == Assigned::segments_and_ranks;
  }
  constexpr bool writes_ranks() const {
    return assigned == Assigned::ranks || assigned == Assigned::segments_and_ranks;
  }

  constexpr bool operator==(const LoadBalanceRequest&) const = default;
};

// The greatest integer of a type of 4 or 8 bytes.
constexpr u64 greatest_of(ValueType type) { return ~u64{0} >> (64 - 8 * size_of(type) + (is_signed(type) ? 1 : 0)); }

// What no family can do.
constexpr const char* unsupported_reason(const LoadBalanceRequest& request) {
  const ValueType offset = request.input_type, output = request.output_type;
  if (!is_integer(offset) || size_of(offset) < 4) return "offsets are integers of 4 or 8 bytes: i32, i64, u32 or u64";
  if (request.n > greatest_of(offset)) return "there are more items than the offsets' type counts: pass 64 bits";
  if (request.n > 0 && request.segments == 0) return "there are items and no segments to hold them";
  if (output == ValueType::custom) {
    if (!request.writes_values()) return "segments and ranks are numbers, not of a custom type";
    return invalid_custom_reason(request.custom_bytes, request.custom_alignment);
  }
  if (request.writes_values()) return nullptr;
  if (!is_integer(output) || size_of(output) < 4)
    return "segments and ranks are integers of 4 or 8 bytes: i32, i64, u32 or u64";
  if (request.n == 0) return nullptr;
  if (request.writes_segments() && request.segments - 1 > greatest_of(output))
    return "there are more segments than output_type has numbers for: ask for 64 bits";
  if (request.writes_ranks() && request.n - 1 > greatest_of(output))
    return "a segment may hold more items than output_type has ranks for: ask for 64 bits";
  return nullptr;
}

#ifndef __CUDACC_RTC__
template <>
struct Algorithm<LoadBalanceRequest> {
  static constexpr const char* kName = "load_balance";
  static constexpr const char* kRequestName = "LoadBalanceRequest";
  static constexpr const char* kProblemName = "LoadBalanceProblem";

  static constexpr Member<LoadBalanceRequest> kMembers[] = {
      SCANTUNE_MEMBER(LoadBalanceRequest, input_type, width).defaults_to(nullptr),
      SCANTUNE_MEMBER(LoadBalanceRequest, output_type, width).defaults_to([](const LoadBalanceRequest& request) {
        return static_cast<int>(request.input_type);
      }),
      SCANTUNE_MEMBER(LoadBalanceRequest, assigned, exact)
          .means("What is written for an item: its segment, its rank there, both, or the value of its segment."),
      SCANTUNE_MEMBER(LoadBalanceRequest, latency, exact)
          .not_compiled()
          .means("back_to_back: fast between calls that overlap; isolated: between ordinary kernels.")};

  static constexpr Extent<LoadBalanceRequest> kExtents[] = {SCANTUNE_EXTENT(
      LoadBalanceRequest, segments, "Segments of n / segments items on average, of any lengths, 0 among them.")};

  static constexpr OperandList operands(const LoadBalanceRequest& request) {
    OperandList list;
    list.add({.name = "offsets",
              .role = OperandRole::input,
              .type = "input_type",
              .extent = "segments",
              .range = {.items = request.segments + 1}});
    const char* const output = request.writes_values()     ? "output"
                               : request.writes_segments() ? "segment_of"
                                                           : "rank_of";
    list.add({.name = output,
              .role = OperandRole::output,
              .type = "output_type",
              .extent = Operand::kItems,
              .lies_apart = true});
    if (request.assigned == Assigned::segments_and_ranks)
      list.add({"rank_of", OperandRole::indices, "output_type", Operand::kItems});
    if (request.writes_values()) list.add({"values", OperandRole::values, "output_type", "segments"});
    return list;
  }

  // Types that are only moved share the kernels of unsigned integers of their size.
  static constexpr LoadBalanceRequest compiled(LoadBalanceRequest request) {
    const auto as_unsigned = [](ValueType type) {
      constexpr ValueType kUnsigned[] = {ValueType::u8, ValueType::u16, ValueType::u32, ValueType::u64};
      for (const ValueType wide : kUnsigned)
        if (size_of(wide) == size_of(type)) return wide;
      return type;
    };
    request.input_type = as_unsigned(request.input_type);
    request.output_type = as_unsigned(request.output_type);
    return request;
  }
};
#endif

}  // namespace scantune
