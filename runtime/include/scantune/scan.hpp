// Scans. Included by runtime.hpp.
//
//   runtime::scan(d_in, d_out, n);                                             // inclusive sum, default stream
//   runtime::scan(d_flags, d_offsets, n, {.kind = runtime::Kind::exclusive});  // i8 in, i32 out
//   runtime::scan_by_key(d_in, d_keys, d_out, n);        // each run of equal keys is scanned separately
//   runtime::segmented_scan(d_in, d_flags, d_out, n);    // a segment starts at each flag that is not 0
//   runtime::segmented_scan(d_in, d_offsets, d_out, n, segments);         // a segment is between two offsets
//   runtime::segmented_scan(d_in, d_begins, d_ends, d_out, n, segments);  // in any order, with gaps
//   auto plan = runtime::plan<float>(n, runtime::Op::max);
//   plan(d_in, d_out, stream);
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "scantune/initial_value.hpp"
#include "scantune/map.hpp"
#include "scantune/op.hpp"
#include "scantune/options.hpp"

namespace scantune::runtime {

enum class Kind { inclusive = SCANTUNE_INCLUSIVE, exclusive = SCANTUNE_EXCLUSIVE };

// The order in which items are combined. In reverse, result i combines items n - 1 down to i, in that order; with rows
// or columns, those of its own row or column.
enum class Direction { forward = SCANTUNE_FORWARD, reverse = SCANTUNE_REVERSE };

// Acc: the type that items are combined in.
template <class Acc>
struct ScanOptions {
  Op op = Op::sum;
  Kind kind = Kind::inclusive;
  Direction direction = Direction::forward;  // not reverse with device_n
  UserFunction equality = {};                // of scan_by_key() alone: Equality::source(), which compares the keys
  // Segments::rows(count, length), or Segments::columns(count, length): each row or column is scanned separately.
  Segments segments = {};
  // Maps: load makes an accumulator of each item, store an output of each result. With a load, the input may have any
  // type; with a store, the output. Maps that take an index cannot be combined with strides.
  UserFunction load = {};
  UserFunction store = {};
  // The initial value, combined before the first item; set at most one of the three. device_init is in device memory,
  // outside the output, and is read when the scan runs, in stream order. Without any, an exclusive scan starts from
  // op's identity, which changes no item: the minimum of std::int8_t items starts from 127.
  InitialValue<Acc> init = {};
  const Acc* device_init = nullptr;
  const Acc* device_inits = nullptr;  // one per row, column or segment, in order
  // The number of items, in device memory, outside the output; null: the call's n. It is read when the scan runs, in
  // stream order, so it may change between replays of a graph. At most n items are scanned; input and output have room
  // for n. Nothing is written after the scanned items. Not with rows or columns.
  detail::Read device_n = {};  // a pointer to an integer of 4 or 8 bytes
  // The scan writes 1 here if *device_n is greater than n, else 0; or null.
  std::uint32_t* device_clamped = nullptr;
  Stream stream = nullptr;  // of scan(); null for a plan, which takes its stream per call
  Determinism determinism = Determinism::unconstrained;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  // How many captured launches of one plan may be alive in CUDA graphs at the same time. Each has its own workspace, at
  // most 1 % of the input's bytes (an eighth for large columns) and usually far less. The workspace belongs to the
  // graph that captured it: two executables of that graph, or two child nodes made from it, must not run at the same
  // time. plan() allocates all workspaces when it is called, so that a capture allocates nothing; 0 saves that memory
  // if nothing is captured. scan() allocates each when a first capture needs it.
  int captured_launches = 4;
  Device device = Device::current_gpu;
  // The config to run, as JSON: {"family": "lookback", "parameters": {"block_threads": 256}}. Omitted parameters have
  // the family's default for this problem. Empty: the library chooses. Throws RequestError if the config cannot run the
  // problem, and CompileError if it does not compile; no other config is used instead.
  std::string config = {};
};

// Acc: the type that items are combined in. Of segments by offsets; members that ScanOptions has, too, mean the same.
template <class Acc>
struct SegmentedScanOptions {
  Op op = Op::sum;
  Kind kind = Kind::inclusive;
  Direction direction = Direction::forward;
  UserFunction load = {};
  UserFunction store = {};
  InitialValue<Acc> init = {};
  const Acc* device_init = nullptr;
  const Acc* device_inits = nullptr;  // one per segment
  // The number of segments, in device memory: a pointer to an integer of 4 or 8 bytes; null: segment_count. It is read
  // when the scan runs. Of more than segment_count, or a negative number, segment_count segments are scanned.
  detail::Read device_segment_count = nullptr;
  // Check the offsets first. The check waits for the stream and throws a RequestError that names the first offset
  // outside [0, n], or end before its begin, and else the first segment that has items of another. It is refused while
  // the stream is being captured.
  bool check = false;
  Stream stream = nullptr;
  Determinism determinism = Determinism::unconstrained;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  Device device = Device::current_gpu;
  std::string config = {};
};

// A plan of scan().
template <class In, class Out = In>
using ScanPlan = Plan<Input<In>, Output<Out>>;

// Plans of scan_by_key() and segmented_scan().
template <class In, class Key, class Out = In>
using ScanByKeyPlan = Plan<Input<In>, Keys<Key>, Output<Out>>;
template <class In, class Flag = std::uint8_t, class Out = In>
using FlaggedScanPlan = Plan<Input<In>, Flags<Flag>, Output<Out>>;
template <class In, class Offset, class Out = In>
using SegmentedScanPlan = Plan<Input<In>, Begins<Offset>, Output<Out>>;
template <class In, class Offset, class Out = In>
using SegmentedScanRangesPlan = Plan<Input<In>, Begins<Offset>, Ends<Offset>, Output<Out>>;

namespace detail {

// Throws RequestError if the function has an identity that is not an accumulator.
template <class Acc>
[[gnu::cold, gnu::noinline]] void refuse_identity(const scantune_function& function, std::size_t bytes,
                                                  std::size_t alignment) {
  if (function.identity == nullptr) return;
  throw RequestError("the identity given to Op::custom() is " + type_name(function.identity_type, bytes, alignment) +
                     ", and the accumulator is " + type_name(type_of<Acc>(), sizeof(Acc), alignof(Acc)) +
                     ": pass an identity of the accumulator's type, or name another accumulator, as in "
                     "scan<In, Out, Acc>()");
}

// Throws RequestError unless the identity of a custom operator, if it has one, is an accumulator. Warm calls of
// operators with an identity make only a comparison.
template <class Acc>
void check_identity(const Op& op) {
  constexpr scantune_type type = type_of<Acc>();
  const scantune_type given = op.function()->identity_type;
  const std::size_t bytes = op.function_.identity_bytes(), alignment = op.function_.identity_alignment();
  if (given == type && (type != SCANTUNE_CUSTOM_TYPE || (bytes == sizeof(Acc) && alignment == alignof(Acc)))) [[likely]]
    return;
  refuse_identity<Acc>(*op.function(), bytes, alignment);
}

// Sets the types of scans and reductions, their maps and their segments.
template <class In, class Acc, class Out, class Request, class Options>
inline void take_mapped(Request& request, std::uint64_t n, const Options& options) {
  check_types<In, Acc, Out>();
  take_options(request.head, n, options);
  request.input_type = type_of<In>();
  request.accumulator_type = type_of<Acc>();
  request.output_type = type_of<Out>();
  if constexpr (kIsStruct<Acc>)
    take_struct<Acc>(request);
  else if constexpr (kIsStruct<In>)
    take_struct<In>(request);
  else if constexpr (kIsStruct<Out>)
    take_struct<Out>(request);
  if constexpr (requires { options.segments; }) take_segments(request, n, options.segments);
  request.load = options.load.get();
  request.store = options.store.get();
  if (request.load != nullptr)
    check_role<SCANTUNE_FUNCTION_MAP, SCANTUNE_FUNCTION_MAP_INDEXED, SCANTUNE_FUNCTION_GENERATE>("load", request.load);
  if (request.store != nullptr)
    check_role<SCANTUNE_FUNCTION_MAP, SCANTUNE_FUNCTION_MAP_INDEXED, SCANTUNE_FUNCTION_WRITE>("store", request.store);
  check_maps<In, Acc, Out>(request.load != nullptr, request.store != nullptr);
}

// Sets the members that requests of segments by offsets share.
template <class Offset, class Request, class Options>
inline void take_offsets(Request& request, std::uint64_t segment_count, scantune_offset_form form,
                         const Options& options) {
  static_assert(kIsIndex<Offset>, "offsets must be integers of 4 or 8 bytes");
  request.segments = SCANTUNE_BY_OFFSETS;
  request.offset_type = count_type<Offset>();
  request.offset_form = form;
  request.segment_count = segment_count;
  request.device_segment_count = options.device_segment_count.get();
  request.segment_count_type = options.device_segment_count.type();
  if constexpr (requires { request.device_inits; }) request.device_inits = options.device_inits;
  request.check = options.check ? 1 : 0;
}

// The call, made one of segments by offsets.
template <class Offset, class AnyCall, class Options>
AnyCall by_offsets(AnyCall call, std::uint64_t segment_count, scantune_offset_form form, const Options& options) {
  take_offsets<Offset>(call.request, segment_count, form, options);
  return call;
}

// Sets the members that scans and reductions share. The request points into the options, which must outlive it.
template <class In, class Out, class Acc, class Request, class Options>
inline void take_combining(Request& request, std::uint64_t n, const Options& options) {
  take_mapped<In, Acc, Out>(request, n, options);
  request.op = options.op.value();
  request.combine = options.op.function();
  request.init = options.init.get();
  request.device_init = options.device_init;
  if (request.combine != nullptr) check_identity<Acc>(options.op);
}

// Throws RequestError if an equality is given where there are no keys.
inline void refuse_equality(const UserFunction& equality) {
  if (equality.get() != nullptr)
    throw RequestError("equality is given, and this function has no keys that it could compare: leave it out");
}

template <class In, class Out, class Acc, class PlanType = ScanPlan<In, Out>>
auto scan_of(std::uint64_t n, const ScanOptions<Acc>& options, scantune_segments by = SCANTUNE_NO_SEGMENTS) {
  Call<scantune_scan_request, PlanType> call = {SCANTUNE_SCAN_REQUEST_INIT, options.stream};
  scantune_scan_request& request = call.request;
  take_combining<In, Out, Acc>(request, n, options);
  request.kind = static_cast<scantune_kind>(options.kind);
  request.direction = static_cast<scantune_direction>(options.direction);
  request.device_inits = options.device_inits;
  request.device_n = options.device_n.get();
  request.n_type = options.device_n.type();
  request.device_clamped = options.device_clamped;
  if (by != SCANTUNE_BY_KEYS) refuse_equality(options.equality);
  return call;
}

// The scan of segments of any length that arrays of Key or Flag make.
template <class In, class Out, class Acc, class PlanType>
auto segmented_scan_of(std::uint64_t n, const ScanOptions<Acc>& options, scantune_segments by) {
  if (options.segments.kind() != SCANTUNE_NO_SEGMENTS)
    throw RequestError("segments is given, and those of this function are said by an array: leave it out");
  auto call = scan_of<In, Out, Acc, PlanType>(n, options, by);
  call.request.segments = by;
  return call;
}
template <class In, class Key, class Out, class Acc, class PlanType = ScanByKeyPlan<In, Key, Out>>
auto scan_by_key_of(std::uint64_t n, const ScanOptions<Acc>& options) {
  auto call = segmented_scan_of<In, Out, Acc, PlanType>(n, options, SCANTUNE_BY_KEYS);
  call.request.key_type = type_of<Key>();
  call.request.equal = options.equality.get();
  check_role<SCANTUNE_FUNCTION_EQUAL>("equality", call.request.equal);
  if constexpr (kIsStruct<Key>) {
    if (call.request.equal == nullptr)
      throw RequestError(
          "keys are structs, which have no equality of their own: pass .equality, as in "
          "Equality::source(text)");
    call.request.key_bytes = sizeof(Key);
    call.request.key_alignment = alignof(Key);
  }
  return call;
}
template <class In, class Flag, class Out, class Acc, class PlanType = FlaggedScanPlan<In, Flag, Out>>
auto flagged_scan_of(std::uint64_t n, const ScanOptions<Acc>& options) {
  static_assert(std::is_integral_v<Flag> && (sizeof(Flag) == 1 || std::is_same_v<Flag, std::uint32_t>),
                "where segments start is said by a byte for each item, or by bits in words of std::uint32_t");
  return segmented_scan_of<In, Out, Acc, PlanType>(n, options,
                                                   sizeof(Flag) == 1 ? SCANTUNE_BY_FLAGS : SCANTUNE_BY_BITS);
}

template <class PlanType, class In, class Offset, class Out, class Acc>
auto scan_by_offsets_of(std::uint64_t n, std::uint64_t segment_count, scantune_offset_form form,
                        const SegmentedScanOptions<Acc>& options) {
  Call<scantune_scan_request, PlanType> call = {SCANTUNE_SCAN_REQUEST_INIT, options.stream};
  take_combining<In, Out, Acc>(call.request, n, options);
  take_offsets<Offset>(call.request, segment_count, form, options);
  call.request.kind = static_cast<scantune_kind>(options.kind);
  call.request.direction = static_cast<scantune_direction>(options.direction);
  return call;
}
template <class In, class Offset, class Out, class Acc>
auto scan_by_bounds_of(std::uint64_t n, std::uint64_t segment_count, const SegmentedScanOptions<Acc>& options) {
  return scan_by_offsets_of<SegmentedScanPlan<In, Offset, Out>, In, Offset, Out, Acc>(n, segment_count, SCANTUNE_BOUNDS,
                                                                                      options);
}
template <class In, class Offset, class Out, class Acc>
auto scan_of_ranges(std::uint64_t n, std::uint64_t segment_count, const SegmentedScanOptions<Acc>& options) {
  return scan_by_offsets_of<SegmentedScanRangesPlan<In, Offset, Out>, In, Offset, Out, Acc>(
      n, segment_count, SCANTUNE_BEGINS_AND_ENDS, options);
}

}  // namespace detail

// Scans input[0, n) into output[0, n), both in device memory; in place if they are the same. With strides, either array
// may be in the gaps of the other, but items must not overlap. Returns as soon as the work is in the stream. Throws,
// and launches nothing, if an argument is wrong.
template <class In, class Out, class Acc = default_accumulator_t<In, Out>>
void scan(const In* input, Out* output, std::uint64_t n, const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  const auto call = detail::scan_of<In, Out, Acc>(n, options);
  detail::check(scantune_scan(&call.request, input, output, options.stream));
}
template <class In, class Out, class Acc = default_accumulator_t<In, Out>>
void scan(const In* input, Out* output, std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  scan<In, Out, Acc>(input, output, n, ScanOptions<Acc>{.op = op});
}
SCANTUNE_EXPLAIN_MISTAKES(scan)

// Throws RequestError if no kernel solves the problem, and another scantune::Error if the kernel cannot be compiled or
// loaded.
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
ScanPlan<In, Out> plan(std::uint64_t n, const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::scan_of<In, Out, Acc>(n, options).plan();
}
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
ScanPlan<In, Out> plan(std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  return plan<In, Out, Acc>(n, ScanOptions<Acc>{.op = op});
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(plan)

// Scans each run of equal neighbouring keys separately. Integers are equal if their bytes are; a NaN equals nothing,
// and -0 equals +0. With .equality keys may be structs, too. The keys, n of them, are in device memory and must not
// overlap the output. `segments` is left out. device_inits has as many values as there are runs, and is refused in
// reverse. Accumulators have at most 24 bytes, or 28 if they are aligned to 4. Else as scan().
template <class In, class Key, class Out, class Acc = default_accumulator_t<In, Out>>
void scan_by_key(const In* input, const Key* keys, Out* output, std::uint64_t n,
                 const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::scan_by_key_of<In, Key, Out, Acc>(n, options).run(input, keys, output);
}
template <class In, class Key, class Out = In, class Acc = default_accumulator_t<In, Out>>
ScanByKeyPlan<In, Key, Out> scan_by_key_plan(std::uint64_t n,
                                             const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::scan_by_key_of<In, Key, Out, Acc>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES(scan_by_key)
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(scan_by_key_plan)

// The same of segments that start at item 0 and at each item whose flag is set. Flags are bytes that are not 0, bool
// among them; or, in words of std::uint32_t, bit i % 32 of word i / 32.
template <class In, class Flag, class Out, class Acc = default_accumulator_t<In, Out>>
void segmented_scan(const In* input, const Flag* flags, Out* output, std::uint64_t n,
                    const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::flagged_scan_of<In, Flag, Out, Acc>(n, options).run(input, flags, output);
}
template <class In, class Flag = std::uint8_t, class Out = In, class Acc = default_accumulator_t<In, Out>>
FlaggedScanPlan<In, Flag, Out> flagged_scan_plan(std::uint64_t n,
                                                 const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::flagged_scan_of<In, Flag, Out, Acc>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(flagged_scan_plan)

// Scans each of the segments where its items are: segment s is input[offsets[s], offsets[s + 1]), of segment_count + 1
// offsets; or with begins and ends input[begins[s], ends[s]). Segments may be empty, leave gaps and be in any order;
// items in gaps are neither read nor written. Those of several segments get unspecified results. All arrays are in
// device memory, and the output may be the input. The host does not read the offsets. One below 0 counts as 0, one
// above n as n, and a segment that ends before it begins is empty. Else as scan(). The last parameter of the template
// is the type of segment_count.
template <class In, class Offset, class Out, class Acc = default_accumulator_t<In, std::remove_const_t<Out>>,
          std::integral Number>
void segmented_scan(const In* input, const Offset* offsets, Out* output, std::uint64_t n, Number segment_count,
                    const SegmentedScanOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::scan_by_bounds_of<In, Offset, Out, Acc>(n, static_cast<std::uint64_t>(segment_count), options)
      .run(input, offsets, output);
}
template <class In, class Offset, class Out, class Acc = default_accumulator_t<In, Out>, std::integral Number>
void segmented_scan(const In* input, const Offset* begins, const Offset* ends, Out* output, std::uint64_t n,
                    Number segment_count, const SegmentedScanOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::scan_of_ranges<In, Offset, Out, Acc>(n, static_cast<std::uint64_t>(segment_count), options)
      .run(input, begins, ends, output);
}
SCANTUNE_EXPLAIN_MISTAKES(segmented_scan)

// Create plans for exactly n items and segment_count segments. Throw what plan() throws.
template <class In, class Offset, class Out = In, class Acc = default_accumulator_t<In, Out>>
SegmentedScanPlan<In, Offset, Out> segmented_scan_plan(
    std::uint64_t n, std::uint64_t segment_count, const SegmentedScanOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::scan_by_bounds_of<In, Offset, Out, Acc>(n, segment_count, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_scan_plan)
template <class In, class Offset, class Out = In, class Acc = default_accumulator_t<In, Out>>
SegmentedScanRangesPlan<In, Offset, Out> segmented_scan_ranges_plan(
    std::uint64_t n, std::uint64_t segment_count, const SegmentedScanOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::scan_of_ranges<In, Offset, Out, Acc>(n, segment_count, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_scan_ranges_plan)

// Says which config scan() would run for n items, from which record, and why. Nothing runs, and no workspace is
// reserved.
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
std::string describe(std::uint64_t n, const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  auto call = detail::scan_of<In, Out, Acc>(n, options);
  call.stream = nullptr;
  call.request.head.captured_launches = std::min(options.captured_launches, 0);  // an invalid number stays invalid
  return call.plan().describe();
}
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
std::string describe(std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  return describe<In, Out, Acc>(n, ScanOptions<Acc>{.op = op});
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(describe)

}  // namespace scantune::runtime

#endif
