// Load balances: which segment each item is in, where segments have any lengths. Included by runtime.hpp.
//
//   runtime::load_balance(d_offsets, segments, d_segment_of, n);                        // the segment of every item
//   runtime::load_balance(d_offsets, segments, d_segment_of, n, {.rank_of = d_rank});   // and its place there
//   runtime::expand(d_offsets, segments, d_values, d_out, n);                           // the value of its segment
//
// There are segments + 1 offsets, which ascend from 0 to n: segment s has the items from offsets[s] on and before
// offsets[s + 1], and may be empty. All pointers lead to memory of the device; outputs lie apart from all else. The
// host does not look at the offsets. Wrong ones give wrong results, and touch no memory but these arrays. Each function
// returns as soon as the work is in the stream, and throws before anything is launched if an argument is wrong.
#pragma once

#include "scantune/runtime.hpp"

namespace scantune::runtime {

// What a plan of a load balance writes for an item.
enum class Assigned {
  segments = SCANTUNE_SEGMENT_OF,                 // the segment that it is in
  ranks = SCANTUNE_RANK_OF,                       // its place in that segment, from 0 on
  segments_and_ranks = SCANTUNE_SEGMENT_AND_RANK  // both, each to an output of its own
};

template <class Index>
struct LoadBalanceOptions {
  Index* rank_of = nullptr;  // where the place of each item in its segment goes; null: nowhere
  // Whether the offsets are checked first. The check waits for the stream and throws RequestError that names the first
  // wrong offset; it is refused while the stream is being captured.
  bool check = false;
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  std::string config = {};  // as of scans
};

struct LoadBalancePlanOptions {
  Assigned assigned = Assigned::segments;
  bool check = false;  // at every call of the plan, as of load_balance()
  Latency latency = Latency::back_to_back;
  std::string config = {};
};

struct ExpandOptions {
  bool check = false;  // as of load_balance()
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  std::string config = {};
};

namespace detail {

// The balance points into the options, which must outlive it.
template <class Offset, class Options>
scantune_balance balance_with(std::uint64_t segments, std::uint64_t n, scantune_assigned assigned,
                              const Options& options) {
  static_assert(kIsIndex<Offset>, "offsets must be integers of 4 or 8 bytes");
  scantune_balance balance = SCANTUNE_BALANCE_INIT;
  balance.n = n;
  balance.segments = segments;
  balance.offset_type = type_of<Offset>();
  balance.assigned = assigned;
  balance.latency = static_cast<scantune_latency>(options.latency);
  balance.check = options.check ? 1 : 0;
  balance.config = checked_config(options.config);
  return balance;
}

template <class Offset, class Index, class Options>
scantune_balance balance_of(std::uint64_t segments, std::uint64_t n, scantune_assigned assigned,
                            const Options& options) {
  static_assert(!std::is_const_v<Index>, "the output is const: segments and ranks are written there");
  static_assert(kIsIndex<Index>, "segments and ranks must be integers of 4 or 8 bytes");
  scantune_balance balance = balance_with<Offset>(segments, n, assigned, options);
  balance.output_type = type_of<Index>();
  return balance;
}

template <class Offset, class T>
scantune_balance balance_of_values(std::uint64_t segments, std::uint64_t n, const ExpandOptions& options) {
  static_assert(!std::is_const_v<T>, "the output is const: values are written there");
  scantune_balance balance = balance_with<Offset>(segments, n, SCANTUNE_VALUE_OF, options);
  balance.output_type = moved_type<T>();
  if constexpr (moved_type<T>() == SCANTUNE_CUSTOM_TYPE) {
    balance.value_bytes = sizeof(T);
    balance.value_alignment = alignof(T);
  }
  return balance;
}

inline scantune_balance_arrays balance_arrays(const void* offsets, void* segment_of, void* rank_of) {
  scantune_balance_arrays arrays = SCANTUNE_BALANCE_ARRAYS_INIT;
  arrays.offsets = offsets;
  arrays.segment_of = segment_of;
  arrays.rank_of = rank_of;
  return arrays;
}

inline scantune_balance_arrays value_arrays(const void* offsets, const void* values, void* output) {
  scantune_balance_arrays arrays = SCANTUNE_BALANCE_ARRAYS_INIT;
  arrays.offsets = offsets;
  arrays.values = values;
  arrays.output = output;
  return arrays;
}

// What plans of load balances have in common.
class BalancePlan {
 public:
  explicit BalancePlan(const scantune_balance& balance) {
    scantune_plan* state = nullptr;
    check(scantune_load_balance_plan_create(&balance, &state));
    state_.reset(state, &scantune_plan_destroy);
  }

  void run(const scantune_balance_arrays& arrays, Stream stream) const {
    check(scantune_plan_run_load_balance(state_.get(), &arrays, stream));
  }
  std::string describe() const { return scantune_plan_description(state_.get()); }

 private:
  std::shared_ptr<scantune_plan> state_;
};

}  // namespace detail

// Writes the segment of item i to segment_of[i], for i in [0, n), and its place there to options.rank_of[i], if that is
// not null. A segment_of that is null beside ranks is not written. Index must be able to number the segments, and count
// the items of one.
template <class Offset, class Index>
void load_balance(const Offset* offsets, std::uint64_t segments, Index* segment_of, std::uint64_t n,
                  const LoadBalanceOptions<std::type_identity_t<Index>>& options = {}) {
  const scantune_assigned assigned = options.rank_of == nullptr ? SCANTUNE_SEGMENT_OF
                                     : segment_of == nullptr    ? SCANTUNE_RANK_OF
                                                                : SCANTUNE_SEGMENT_AND_RANK;
  const scantune_balance balance = detail::balance_of<Offset, Index>(segments, n, assigned, options);
  const scantune_balance_arrays arrays = detail::balance_arrays(offsets, segment_of, options.rank_of);
  detail::check(scantune_load_balance(&balance, &arrays, options.stream));
}

// Writes the value of its segment to output[i], for every item i in [0, n). T is any trivially copyable type of 1 to 32
// bytes.
template <class Offset, class T>
void expand(const Offset* offsets, std::uint64_t segments, const std::type_identity_t<T>* values, T* output,
            std::uint64_t n, const ExpandOptions& options = {}) {
  const scantune_balance balance = detail::balance_of_values<Offset, T>(segments, n, options);
  const scantune_balance_arrays arrays = detail::value_arrays(offsets, values, output);
  detail::check(scantune_load_balance(&balance, &arrays, options.stream));
}

// A plan of load_balance(), with what a Plan promises. It needs no workspace.
template <class Offset, class Index>
class LoadBalancePlan {
 public:
  // What the plan does not write is null.
  void operator()(const Offset* offsets, Index* segment_of, Index* rank_of = nullptr, Stream stream = nullptr) const {
    plan_.run(detail::balance_arrays(offsets, segment_of, rank_of), stream);
  }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit LoadBalancePlan(const scantune_balance& balance) : plan_(balance) {}
  template <class O, class I>
  friend LoadBalancePlan<O, I> load_balance_plan(std::uint64_t segments, std::uint64_t n,
                                                 const LoadBalancePlanOptions& options);

  detail::BalancePlan plan_;
};

// A plan of expand().
template <class Offset, class T>
class ExpandPlan {
 public:
  void operator()(const Offset* offsets, const T* values, T* output, Stream stream = nullptr) const {
    plan_.run(detail::value_arrays(offsets, values, output), stream);
  }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit ExpandPlan(const scantune_balance& balance) : plan_(balance) {}
  template <class O, class U>
  friend ExpandPlan<O, U> expand_plan(std::uint64_t segments, std::uint64_t n, const ExpandOptions& options);

  detail::BalancePlan plan_;
};

// Plans of exactly so many segments and items. Each throws RequestError when no kernel solves the problem, and another
// scantune::Error when one cannot be had.
template <class Offset, class Index>
LoadBalancePlan<Offset, Index> load_balance_plan(std::uint64_t segments, std::uint64_t n,
                                                 const LoadBalancePlanOptions& options = {}) {
  return LoadBalancePlan<Offset, Index>(
      detail::balance_of<Offset, Index>(segments, n, static_cast<scantune_assigned>(options.assigned), options));
}
template <class Offset, class T>
ExpandPlan<Offset, T> expand_plan(std::uint64_t segments, std::uint64_t n, const ExpandOptions& options = {}) {
  return ExpandPlan<Offset, T>(detail::balance_of_values<Offset, T>(segments, n, options));
}

}  // namespace scantune::runtime
