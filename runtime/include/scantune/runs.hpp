// Runs of equal neighbours made items again, and the distinct values of items. Included by runtime.hpp.
//
//   runtime::run_length_decode(d_values, d_lengths, runs, d_offsets, d_out, n);                // what was encoded
//   runtime::unique_counts(d_in, d_sorted, d_values, d_lengths, d_count, n);                   // each value, how often
//
// Each is two calls of the functions that it names, one after the other in the stream, with an array of the caller's
// between them: what is wrong for the second one may be found when the first one is in the stream. run_length_encode()
// is in segments.hpp.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <string>
#include <type_traits>

#include "scantune/load_balance.hpp"
#include "scantune/segments.hpp"
#include "scantune/sort.hpp"

namespace scantune::runtime {

struct RunLengthDecodeOptions {
  // The number of runs, in device memory: a pointer to an integer of 4 or 8 bytes, as run_length_encode() writes it;
  // null: `runs`. Of more than `runs`, or a negative number, `runs` are decoded.
  detail::Read device_runs = nullptr;
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  Device device = Device::current_gpu;
};

namespace detail {

inline void refuse_null(const char* name, const void* array) {
  if (array == nullptr) throw RequestError(std::string(name) + " is null: pass memory of the device");
}

// The lengths of runs, and 0 for the end of the last one and what is after it.
template <class Length>
UserFunction lengths_of_runs(const Length* lengths, std::uint64_t runs, const Read& device_runs) {
  struct State {
    const Length* lengths;
    const void* count;
    std::uint64_t runs;
  };
  static_assert(kIsIndex<Length>, "lengths must be integers of 4 or 8 bytes");
  const auto name_of = [](scantune_type type) {
    return std::string(type == SCANTUNE_I32 ? "int" : type == SCANTUNE_U32 ? "unsigned" : "unsigned long long");
  };
  const std::string count = "*static_cast<const " + name_of(device_runs.type()) + "*>(state.count)";
  return Map::generated("struct State { const " + name_of(count_type<Length>()) +
                            "* lengths; const void* count; unsigned long long runs; };\n"
                            "__device__ Result load(unsigned long long run, State state) {\n"
                            "  const unsigned long long count = " +
                            (device_runs.get() == nullptr ? "state.runs" : count) +
                            ";\n"
                            "  return run < state.runs && run < count ? static_cast<Result>(state.lengths[run]) : 0;\n"
                            "}",
                        State{lengths, device_runs.get(), runs});
}

}  // namespace detail

// Writes the value of each run as often as its length says, one run after the other: n items in all, the sum of the
// lengths; if n is 0 it does nothing. offsets has room for runs + 1 numbers and receives where each run begins, and
// their end. It is scan() of the lengths, and expand() by the offsets, whose rules hold: other sums of lengths, or one
// that Offset does not hold, give wrong results, and touch nothing outside the arrays. No array that is written may
// overlap another, nor device_runs. T is any trivially copyable type of 1 to 32 bytes.
template <class T, class Length, class Offset>
void run_length_decode(const std::type_identity_t<T>* values, const Length* lengths, std::uint64_t runs,
                       Offset* offsets, T* output, std::uint64_t n, const RunLengthDecodeOptions& options = {}) {
  static_assert(detail::kIsIndex<Offset>, "offsets must be integers of 4 or 8 bytes");
  if (n == 0) return;
  detail::refuse_null("values", values);
  detail::refuse_null("lengths", lengths);
  detail::refuse_null("offsets", offsets);
  detail::refuse_null("output", output);
  if (runs == 0) throw RequestError("runs is 0, and n is not: pass how many runs there are");
  if (n > UINT64_MAX / 2 / sizeof(T))
    throw RequestError("n is " + std::to_string(n) + ", more items than fit in memory");
  scan<Offset, Offset>(nullptr, offsets, runs + 1,
                       {.kind = Kind::exclusive,
                        .load = detail::lengths_of_runs(lengths, runs, options.device_runs),
                        .stream = options.stream,
                        .latency = options.latency,
                        .device = options.device});
  expand<Offset, T>(offsets, runs, values, output, n,
                    {.stream = options.stream, .latency = options.latency, .device = options.device});
}
SCANTUNE_EXPLAIN_MISTAKES(run_length_decode)

// Writes each value that is among the items, in ascending order, and how many items have it. `sorted` has room for n
// items and receives them in order. It is sort(), and run_length_encode() of what that has sorted: -0 and +0 are one
// value, and each NaN is one of its own. T is a number; lengths and count are as run_length_encode() takes them.
template <class T, class Length, class CountType>
void unique_counts(const T* input, T* sorted, T* values, Length* lengths, CountType* count, std::uint64_t n,
                   const RunLengthOptions& options = {}) {
  if (n > 0) detail::refuse_null("sorted", sorted);
  if (options.capacity.value_or(n) > 0) {
    detail::refuse_null("values", values);
    detail::refuse_null("lengths", lengths);
  }
  detail::refuse_null("count", count);
  sort(input, sorted, n,
       {.stream = options.stream,
        .forward_progress = options.forward_progress,
        .latency = options.latency,
        .captured_launches = options.captured_launches,
        .device = options.device});
  run_length_encode(sorted, values, lengths, count, n, options);
}
SCANTUNE_EXPLAIN_MISTAKES(unique_counts)

}  // namespace scantune::runtime

#endif
