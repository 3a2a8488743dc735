// Top-k: the k keys that come first, with the values or the input indices of these. Included by runtime.hpp.
//
//   runtime::top_k(d_keys, d_out, n, k);                                         // the greatest, in order
//   runtime::top_k(d_keys, d_out, n, k, {.order = runtime::Order::ascending});   // the least
//   runtime::top_k(d_keys, d_out, n, k, {.indices = d_indices});                 // and the input index of each
//   runtime::top_k(d_keys, d_out, n, k, {.values = {d_values, d_values_out}});   // and the value of each
//   runtime::top_k(d_keys, d_out, rows * length, k, {.segments = runtime::Segments::rows(rows, length)});
//   runtime::top_k(d_keys, d_out, n, k, {.nan_order = runtime::NanOrder::last}); // NaNs after all numbers
//   runtime::top_k(d_keys, d_out, n, k, {.device_k = d_k});                      // as many as *d_k, at most k
//   runtime::argtop_k(d_keys, d_indices, n, k);                                  // only the input indices
//
// Keys are compared as sorts compare them (sort.hpp), and of equal keys those of the lowest indices come first: equal
// inputs have equal results. All pointers are to device memory, and outputs must not overlap inputs. Each function
// returns as soon as the work is in the stream, and throws, and launches nothing, if an argument is wrong.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <string>
#include <type_traits>

#include "scantune/options.hpp"
#include "scantune/sort.hpp"

namespace scantune::runtime {

// The order of the results: as a sort gives them, or as they are in the input.
enum class ResultOrder { by_key = SCANTUNE_RESULTS_BY_KEY, by_index = SCANTUNE_RESULTS_BY_INDEX };

// The place of NaNs: that of a sort, or after all numbers in both orders, and among themselves by their indices.
enum class NanOrder { total_order = SCANTUNE_NAN_TOTAL_ORDER, last = SCANTUNE_NAN_LAST };

struct TopKOptions {
  Order order = Order::descending;  // the greatest keys come first
  ResultOrder result_order = ResultOrder::by_key;
  NanOrder nan_order = NanOrder::total_order;  // of floating-point keys
  // Segments::rows(count, length): the first k of each row. Rows are dense.
  Segments segments = {};
  // How many of the k results to write, of each row, in device memory, outside the outputs; null: k. It is read when
  // the top-k runs, in stream order, so it may change between replays of a graph. A greater or negative value means
  // k. The places after them are not written.
  detail::Read device_k = {};  // a pointer to an integer of 4 or 8 bytes
  // {d_values, d_values_output}: the value of each result. Set at most one of values and indices.
  SortValues values = {};
  SortIndices indices = {};
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  // How many launches may be captured into CUDA graphs, as in ScanOptions.
  int captured_launches = 1;
  Device device = Device::current_gpu;
  std::string config = {};  // as in ScanOptions
};

// The options of argtop_k() and of plans. A plan's type says what moves with its keys.
struct ArgtopKOptions {
  Order order = Order::descending;
  ResultOrder result_order = ResultOrder::by_key;
  NanOrder nan_order = NanOrder::total_order;
  Segments segments = {};
  detail::Read device_k = {};
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  int captured_launches = 1;
  Device device = Device::current_gpu;
  std::string config = {};
};

// Plans of top_k() for keys, for keys with values and for keys with indices, and of argtop_k().
template <class Key>
using TopKPlan = Plan<Input<Key>, Output<Key>>;
template <class Key, class Value>
using TopKPairsPlan = Plan<Input<Key>, Values<Value>, Output<Key>, ValuesOutput<Value>>;
template <class Key, class Index>
using TopKIndicesPlan = Plan<Input<Key>, Output<Key>, Indices<Index>>;
template <class Key, class Index>
using ArgtopKPlan = Plan<Input<Key>, Output<Index>>;

namespace detail {

template <class PlanType, class Key, class Options>
Call<scantune_top_k_request, PlanType> top_k_of(std::uint64_t n, std::uint64_t k, scantune_sorted sorted,
                                                const Options& options) {
  static_assert(type_of<Key>() != SCANTUNE_CUSTOM_TYPE,
                "keys must be numbers: take a numeric key of each struct, and pass the structs as values");
  scantune_top_k_request request = SCANTUNE_TOP_K_REQUEST_INIT;
  take_options(request.head, n, options);
  request.input_type = type_of<Key>();
  request.sorted = sorted;
  request.order = static_cast<scantune_order>(options.order);
  request.result_order = static_cast<scantune_result_order>(options.result_order);
  request.nan_order = static_cast<scantune_nan_order>(options.nan_order);
  request.k = k;
  request.device_k = options.device_k.get();
  request.k_type = options.device_k.type();
  if constexpr (requires { options.segments; }) {
    take_segments(request, n, options.segments);
    check_dense_rows(options.segments);
  }
  return {request, options.stream};
}

template <class PlanType, class Key, class Index, class Options>
auto top_k_of_indices(std::uint64_t n, std::uint64_t k, scantune_sorted sorted, const Options& options) {
  static_assert(!std::is_const_v<Index>, "the indices are const: the input indices of the keys are written there");
  static_assert(kIsIndex<Index>, "indices must be integers of 4 or 8 bytes");
  auto call = top_k_of<PlanType, Key>(n, k, sorted, options);
  call.request.index_type = type_of<Index>();
  return call;
}

template <class PlanType, class Key, class Value, class Options>
auto top_k_of_pairs(std::uint64_t n, std::uint64_t k, const Options& options) {
  auto call = top_k_of<PlanType, Key>(n, k, SCANTUNE_SORTED_PAIRS, options);
  call.request.value_type = moved_type<Value>();
  if constexpr (moved_type<Value>() == SCANTUNE_CUSTOM_TYPE) take_struct<Value>(call.request);
  return call;
}

// A plan with an array for everything that may move with the keys.
template <class Key, class... Offsets>
using AnyTopKPlan =
    Plan<Input<Key>, Offsets..., Output<Key>, Array<SCANTUNE_INDICES, void*>, Values<void>, ValuesOutput<void>>;

// The call for results with what the options name.
template <class Key, class... Offsets, class Options>
auto top_k_with(std::uint64_t n, std::uint64_t k, const Options& options) {
  const SortValues& values = options.values;
  const SortIndices& indices = options.indices;
  if (values.are_given() && indices.are_given())
    throw RequestError(
        "values and indices are both given; a top-k moves one of them beside its keys: pass structs of a value and an "
        "index as values");
  if (values.are_consumed()) throw RequestError("values are Consumed(), and a top-k leaves its inputs: pass pointers");
  if (values.load() != nullptr) throw RequestError("values have a load, and a top-k takes none: pass pointers");
  const scantune_sorted sorted = values.are_given()    ? SCANTUNE_SORTED_PAIRS
                                 : indices.are_given() ? SCANTUNE_SORTED_KEYS_AND_INDICES
                                                       : SCANTUNE_SORTED_KEYS;
  auto call = top_k_of<AnyTopKPlan<Key, Offsets...>, Key>(n, k, sorted, options);
  call.request.value_type = values.type();
  call.request.index_type = indices.type();
  call.request.custom_bytes = values.bytes();
  call.request.custom_alignment = values.alignment();
  return call;
}

}  // namespace detail

// Writes the k keys of input[0, n) that come first to output[0, k), and their values or input indices if the options
// name arrays for them. With rows, the results of row r are output[k * r, k * (r + 1)).
template <class Key>
void top_k(const Key* input, Key* output, std::uint64_t n, std::uint64_t k, const TopKOptions& options = {}) {
  detail::top_k_with<Key>(n, k, options)
      .run(input, output, options.indices.output(), options.values.input(), options.values.output());
}
SCANTUNE_EXPLAIN_MISTAKES(top_k)

// Writes the input indices of the results: input[indices[0]] comes first. With rows, indices count from the start of
// the row. An index is an integer of 4 or 8 bytes, and must be able to number the keys of a row.
template <class Key, class Index>
void argtop_k(const Key* input, Index* indices, std::uint64_t n, std::uint64_t k, const ArgtopKOptions& options = {}) {
  detail::top_k_of_indices<ArgtopKPlan<Key, Index>, Key, Index>(n, k, SCANTUNE_SORTED_INDICES, options)
      .run(input, indices);
}
SCANTUNE_EXPLAIN_MISTAKES(argtop_k)

// Create plans for exactly n keys and k results. Throw RequestError if no kernel solves the problem, and another
// scantune::Error if the kernel cannot be compiled or loaded.
template <class Key>
TopKPlan<Key> top_k_plan(std::uint64_t n, std::uint64_t k, const ArgtopKOptions& options = {}) {
  return detail::top_k_of<TopKPlan<Key>, Key>(n, k, SCANTUNE_SORTED_KEYS, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(top_k_plan)
template <class Key, class Value>
TopKPairsPlan<Key, Value> top_k_pairs_plan(std::uint64_t n, std::uint64_t k, const ArgtopKOptions& options = {}) {
  return detail::top_k_of_pairs<TopKPairsPlan<Key, Value>, Key, Value>(n, k, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(top_k_pairs_plan)
template <class Key, class Index = std::uint64_t>
TopKIndicesPlan<Key, Index> top_k_indices_plan(std::uint64_t n, std::uint64_t k, const ArgtopKOptions& options = {}) {
  return detail::top_k_of_indices<TopKIndicesPlan<Key, Index>, Key, Index>(n, k, SCANTUNE_SORTED_KEYS_AND_INDICES,
                                                                           options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(top_k_indices_plan)
template <class Key, class Index = std::uint64_t>
ArgtopKPlan<Key, Index> argtop_k_plan(std::uint64_t n, std::uint64_t k, const ArgtopKOptions& options = {}) {
  return detail::top_k_of_indices<ArgtopKPlan<Key, Index>, Key, Index>(n, k, SCANTUNE_SORTED_INDICES, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(argtop_k_plan)

}  // namespace scantune::runtime

#endif
