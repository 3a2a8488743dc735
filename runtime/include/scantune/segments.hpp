// Reductions of segments that flags, bits or keys make, and runs. Included by runtime.hpp.
//
//   runtime::reduce_by_key(d_in, d_keys, d_keys_out, d_totals, d_count, n);     // a key and a total for each run
//   runtime::segmented_reduce(d_in, d_flags, d_totals, d_count, n);             // a total from flag to flag
//   runtime::run_length_encode(d_in, d_values, d_lengths, d_count, n);          // a value and a length for each run
//
// All pointers are to device memory, the count's too, so the host does not wait for it. A count is an integer of 4 or 8
// bytes; with 4 kernels are faster. Results come in the order of the segments, and nothing is written after them. Each
// output has room for n results, or for .capacity: those beyond are counted, and not written. No output may overlap
// another array. If n is 0, the count is 0. Equal inputs give equal bits on one device and config.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "scantune/scan.hpp"

namespace scantune::runtime {

// Acc: the type that items are combined in.
template <class Acc>
struct SegmentTotalOptions {
  Op op = Op::sum;
  UserFunction equality = {};  // of reduce_by_key() alone, as in ScanOptions
  UserFunction load = {};      // as in ScanOptions; an index is that of an item
  UserFunction store = {};     // its index is that of a segment
  // Combined before the first item of each segment; set at most one of the three. device_inits has one per segment.
  InitialValue<Acc> init = {};
  const Acc* device_init = nullptr;
  const Acc* device_inits = nullptr;
  detail::Read device_n = {};  // as in ScanOptions
  std::uint32_t* device_clamped = nullptr;
  std::optional<std::uint64_t> capacity = {};  // of results; without a number n
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;  // as in ScanOptions
  Device device = Device::current_gpu;
  std::string config = {};  // as in ScanOptions
};

struct RunLengthOptions {
  UserFunction equality = {};  // Equality::source(); structs need one
  detail::Read device_n = {};  // as in ScanOptions
  std::uint32_t* device_clamped = nullptr;
  std::optional<std::uint64_t> capacity = {};  // of runs; without a number n
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  Device device = Device::current_gpu;
  std::string config = {};
};

template <class In, class Key, class Out = In, class CountType = std::uint64_t>
using ReduceByKeyPlan = Plan<Input<In>, Keys<Key>, KeysOutput<Key>, Output<Out>, Count<CountType>>;
template <class In, class Flag = std::uint8_t, class Out = In, class CountType = std::uint64_t>
using FlaggedReducePlan = Plan<Input<In>, Flags<Flag>, Output<Out>, Count<CountType>>;
template <class T, class Length = std::uint32_t, class CountType = std::uint64_t>
using RunLengthPlan = Plan<Keys<T>, KeysOutput<T>, Output<Length>, Count<CountType>>;

namespace detail {

// The same as options of a scan.
template <class Acc>
ScanOptions<Acc> scan_options(const SegmentTotalOptions<Acc>& options) {
  return {.op = options.op,
          .equality = options.equality,
          .load = options.load,
          .store = options.store,
          .init = options.init,
          .device_init = options.device_init,
          .device_inits = options.device_inits,
          .device_n = options.device_n,
          .device_clamped = options.device_clamped,
          .stream = options.stream,
          .determinism = Determinism::run_to_run,
          .forward_progress = options.forward_progress,
          .latency = options.latency,
          .captured_launches = options.captured_launches,
          .device = options.device,
          .config = options.config};
}

// Returns what then(call) does. The call is that of make(options of a scan), into which it points.
template <class CountType, class Acc, class Make, class Then>
auto with_totals(const SegmentTotalOptions<Acc>& options, const Make& make, const Then& then) {
  const ScanOptions<Acc> scan = scan_options(options);
  auto call = make(scan);
  call.request.results = SCANTUNE_TOTALS;
  call.request.count_type = count_type<CountType>();
  call.request.capacity = options.capacity ? &*options.capacity : nullptr;
  return then(call);
}

inline const UserFunction& ones() {
  static const UserFunction kOnes = Map::generated("__device__ Result load(unsigned long long) { return 1; }");
  return kOnes;
}

template <class Acc>
SegmentTotalOptions<Acc> lengths_of(const RunLengthOptions& options) {
  return {.equality = options.equality,
          .load = ones(),
          .device_n = options.device_n,
          .device_clamped = options.device_clamped,
          .capacity = options.capacity,
          .stream = options.stream,
          .forward_progress = options.forward_progress,
          .latency = options.latency,
          .captured_launches = options.captured_launches,
          .device = options.device,
          .config = options.config};
}

}  // namespace detail

// Reduces each run of equal neighbouring keys, which are compared as scan_by_key() does. With .equality the first key
// of a run is written. Accumulators have at most 24 bytes. Throws, and launches nothing, if an argument is wrong.
template <class In, class Key, class Out, class CountType, class Acc = default_accumulator_t<In, Out>>
void reduce_by_key(const In* input, const Key* keys, Key* keys_output, Out* totals, CountType* count, std::uint64_t n,
                   const SegmentTotalOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::with_totals<CountType>(
      options,
      [&](const ScanOptions<Acc>& scan) {
        return detail::scan_by_key_of<In, Key, Out, Acc, ReduceByKeyPlan<In, Key, Out, CountType>>(n, scan);
      },
      [&](const auto& call) { call.run(input, keys, keys_output, totals, count); });
}
template <class In, class Key, class Out = In, class Number = std::uint64_t, class Acc = default_accumulator_t<In, Out>>
ReduceByKeyPlan<In, Key, Out, Number> reduce_by_key_plan(
    std::uint64_t n, const SegmentTotalOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::with_totals<Number>(
      options,
      [&](const ScanOptions<Acc>& scan) {
        return detail::scan_by_key_of<In, Key, Out, Acc, ReduceByKeyPlan<In, Key, Out, Number>>(n, scan);
      },
      [](const auto& call) { return call.plan(); });
}
SCANTUNE_EXPLAIN_MISTAKES(reduce_by_key)
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(reduce_by_key_plan)

// Reduces each segment, of which one starts at item 0 and at each item whose flag is set: a byte, or a bit as for
// segmented_scan().
template <class In, class Flag, class Out, class CountType,
          class Acc = default_accumulator_t<In, std::remove_const_t<Out>>>
void segmented_reduce(const In* input, const Flag* flags, Out* totals, CountType* count, std::uint64_t n,
                      const SegmentTotalOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::with_totals<CountType>(
      options,
      [&](const ScanOptions<Acc>& scan) {
        return detail::flagged_scan_of<In, Flag, Out, Acc, FlaggedReducePlan<In, Flag, Out, CountType>>(n, scan);
      },
      [&](const auto& call) { call.run(input, flags, totals, count); });
}
template <class In, class Flag, class Out = In, class Num = std::uint64_t, class Acc = default_accumulator_t<In, Out>>
FlaggedReducePlan<In, Flag, Out, Num> flagged_reduce_plan(
    std::uint64_t n, const SegmentTotalOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::with_totals<Num>(
      options,
      [&](const ScanOptions<Acc>& scan) {
        return detail::flagged_scan_of<In, Flag, Out, Acc, FlaggedReducePlan<In, Flag, Out, Num>>(n, scan);
      },
      [](const auto& call) { return call.plan(); });
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(flagged_reduce_plan)

// Writes the value of each run of equal neighbours, with .equality its first item, and how many there are. Length is an
// integer of 4 or 8 bytes, in which the length of a run of more items wraps around.
template <class T, class Length, class CountType>
void run_length_encode(const T* input, T* values, Length* lengths, CountType* count, std::uint64_t n,
                       const RunLengthOptions& options = {}) {
  detail::count_type<Length>();
  detail::with_totals<CountType>(
      detail::lengths_of<Length>(options),
      [&](const ScanOptions<Length>& scan) {
        return detail::scan_by_key_of<Length, T, Length, Length, RunLengthPlan<T, Length, CountType>>(n, scan);
      },
      [&](const auto& call) { call.run(input, values, lengths, count); });
}
template <class T, class Length = std::uint32_t, class CountType = std::uint64_t>
RunLengthPlan<T, Length, CountType> run_length_encode_plan(std::uint64_t n, const RunLengthOptions& options = {}) {
  detail::count_type<Length>();
  return detail::with_totals<CountType>(
      detail::lengths_of<Length>(options),
      [&](const ScanOptions<Length>& scan) {
        return detail::scan_by_key_of<Length, T, Length, Length, RunLengthPlan<T, Length, CountType>>(n, scan);
      },
      [](const auto& call) { return call.plan(); });
}
SCANTUNE_EXPLAIN_MISTAKES(run_length_encode)
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(run_length_encode_plan)

}  // namespace scantune::runtime

#endif
