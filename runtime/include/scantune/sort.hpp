// Sorts: keys in their order, with values that go where their keys go, or where each key stood. Included by
// runtime.hpp.
//
//   runtime::sort(d_keys, d_out, n);                                                // ascending
//   runtime::sort(d_keys, d_out, n, {.order = runtime::Order::descending});
//   runtime::sort(d_keys, d_out, n, {.values = {d_values, d_values_out}});          // with a value beside each key
//   runtime::sort(d_keys, d_out, n, {.indices = d_indices});                        // and where each key stood
//   runtime::sort(d_keys, d_out, n, {.bits = {8, 24}});                             // by some bits of the keys
//   runtime::sort(d_keys, d_out, rows * length, {.segments = runtime::Segments::rows(rows, length)});
//   runtime::argsort(d_keys, d_indices, n);                                         // only where each key stood
//
// Keys are numbers of every type that scans take. Integers compare as in C++. Floating-point numbers have a total
// order: -NaN < -infinity < ... < -0 < +0 < ... < +infinity < NaN, and NaNs of one sign by their bits. Every sort is
// stable: equal keys keep their order, descending too. All pointers lead to memory of the device, and all arrays lie
// apart: no output takes the place of an input. Each function returns as soon as the work is in the stream, and throws
// before anything is launched if an argument is wrong.
#pragma once

#include "scantune/runtime.hpp"

namespace scantune::runtime {

enum class Order { ascending = SCANTUNE_ASCENDING, descending = SCANTUNE_DESCENDING };

// The bits of a key that are compared: those from begin_bit on and before end_bit, counted from the lowest bit of the
// unsigned number that stands for the key in ascending order. That is an unsigned key itself; a signed one has its
// highest bit flipped, a floating-point number that bit, and all others if it is negative. An end_bit of 0 is behind
// the key's highest bit.
struct KeyBits {
  int begin_bit = 0;
  int end_bit = 0;
};

// Values beside the keys, one for each, of any trivially copyable type of 1 to 32 bytes, and where they go.
class SortValues {
 public:
  constexpr SortValues() = default;  // there are none
  template <class T>
  constexpr SortValues(const std::type_identity_t<T>* input, T* output)
      : input_(input), output_(const_cast<std::remove_const_t<T>*>(output)), type_(detail::moved_type<T>()) {
    static_assert(!std::is_const_v<T>, "the values' output is const: sorted values are written there");
    if (type_ != SCANTUNE_CUSTOM_TYPE) return;
    bytes_ = sizeof(T);
    alignment_ = alignof(T);
  }

  constexpr bool are_given() const { return type_ != SCANTUNE_DEFAULT_TYPE; }
  constexpr const void* input() const { return input_; }
  constexpr void* output() const { return output_; }
  constexpr scantune_type type() const { return type_; }
  constexpr std::uint32_t bytes() const { return bytes_; }          // 0 but for structs
  constexpr std::uint32_t alignment() const { return alignment_; }  // 0 but for structs

 private:
  const void* input_ = nullptr;
  void* output_ = nullptr;
  scantune_type type_ = SCANTUNE_DEFAULT_TYPE;
  std::uint32_t bytes_ = 0, alignment_ = 0;
};

// Where it goes where each key stood, in its row if there are rows: n integers of 4 or 8 bytes.
class SortIndices {
 public:
  constexpr SortIndices() = default;  // nowhere
  template <class Index>
  constexpr SortIndices(Index* output)
      : output_(const_cast<std::remove_const_t<Index>*>(output)), type_(detail::type_of<Index>()) {
    static_assert(!std::is_const_v<Index>, "the indices are const: where keys stood is written there");
    static_assert(detail::kIsIndex<Index>, "indices must be integers of 4 or 8 bytes");
  }

  constexpr bool are_given() const { return type_ != SCANTUNE_DEFAULT_TYPE; }
  constexpr void* output() const { return output_; }
  constexpr scantune_type type() const { return type_; }

 private:
  void* output_ = nullptr;
  scantune_type type_ = SCANTUNE_DEFAULT_TYPE;
};

struct SortOptions {
  Order order = Order::ascending;
  KeyBits bits = {};  // all of them
  // {d_values, d_values_output}: values that go where their keys go. At most one of values and indices may be given.
  SortValues values = {};
  SortIndices indices = {};
  // Segments::rows(count, length): each row is sorted by itself. Rows lie one after the other.
  Segments segments = {};
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  // It means what it means for scans. The default differs: each workspace has room for about one more copy of the keys
  // and of what goes with them, or two of keys that are not put out.
  int captured_launches = 1;
  std::string config = {};  // as of scans
};

struct ArgsortOptions {
  Order order = Order::ascending;
  KeyBits bits = {};
  Segments segments = {};
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 1;
  std::string config = {};
};

// What a plan sorts beside the keys, its type says.
struct SortPlanOptions {
  Order order = Order::ascending;
  KeyBits bits = {};
  Segments segments = {};
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 1;
  std::string config = {};
};

namespace detail {

// Throws RequestError unless rows lie one after the other.
inline void check_dense_rows(const Segments& segments) {
  const Rows& rows = segments.placed();
  if ((rows.row_stride | rows.item_stride | rows.out_row_stride | rows.out_item_stride | rows.plane_stride |
       rows.out_plane_stride) != 0)
    throw RequestError(
        "segments is Segments::rows() with strides, and a sort has none: copy the rows one behind the other first");
}

// The sort points into the options, which must outlive it.
template <class Key, class Options>
scantune_sorting sorting_of(std::uint64_t n, scantune_sorted sorted, const Options& options) {
  static_assert(type_of<Key>() != SCANTUNE_CUSTOM_TYPE,
                "keys must be numbers: sort a number that stands for each struct, and pass the structs as values");
  scantune_sorting sorting = SCANTUNE_SORTING_INIT;
  sorting.n = n;
  sorting.key_type = type_of<Key>();
  sorting.sorted = sorted;
  sorting.order = static_cast<scantune_order>(options.order);
  sorting.begin_bit = options.bits.begin_bit;
  sorting.end_bit = options.bits.end_bit;
  sorting.segments = options.segments.kind();
  if (sorting.segments != SCANTUNE_NO_SEGMENTS) {
    check_segments(options.segments, n);
    check_dense_rows(options.segments);
    const Rows& rows = options.segments.placed();
    if (sorting.segments == SCANTUNE_ROWS) sorting.rows = rows.planes * rows.count;
  }
  sorting.forward_progress = static_cast<scantune_forward_progress>(options.forward_progress);
  sorting.latency = static_cast<scantune_latency>(options.latency);
  sorting.captured_launches = options.captured_launches;
  sorting.config = checked_config(options.config);
  return sorting;
}

template <class Key, class Index, class Options>
scantune_sorting sorting_of_indices(std::uint64_t n, scantune_sorted sorted, const Options& options) {
  static_assert(!std::is_const_v<Index>, "the indices are const: where keys stood is written there");
  static_assert(kIsIndex<Index>, "indices must be integers of 4 or 8 bytes");
  scantune_sorting sorting = sorting_of<Key>(n, sorted, options);
  sorting.value_type = type_of<Index>();
  return sorting;
}

template <class Key, class Value>
scantune_sorting sorting_of_pairs(std::uint64_t n, const SortPlanOptions& options) {
  scantune_sorting sorting = sorting_of<Key>(n, SCANTUNE_SORTED_PAIRS, options);
  sorting.value_type = moved_type<Value>();
  if constexpr (moved_type<Value>() == SCANTUNE_CUSTOM_TYPE) {
    sorting.value_bytes = sizeof(Value);
    sorting.value_alignment = alignof(Value);
  }
  return sorting;
}

inline scantune_sorting_arrays sorting_arrays(const void* input, void* output, void* indices = nullptr) {
  scantune_sorting_arrays arrays = SCANTUNE_SORTING_ARRAYS_INIT;
  arrays.input = input;
  arrays.output = output;
  arrays.indices = indices;
  return arrays;
}

inline scantune_sorting_arrays pair_arrays(const void* input, const void* values, void* output, void* values_output) {
  scantune_sorting_arrays arrays = sorting_arrays(input, output);
  arrays.values = values;
  arrays.values_output = values_output;
  return arrays;
}

// What plans of sorts have in common.
class SortingPlan {
 public:
  explicit SortingPlan(const scantune_sorting& sorting) {
    scantune_plan* state = nullptr;
    check(scantune_sort_plan_create(&sorting, &state));
    state_.reset(state, &scantune_plan_destroy);
  }

  void run(const scantune_sorting_arrays& arrays, Stream stream) const {
    check(scantune_plan_run_sort(state_.get(), &arrays, stream));
  }
  void run_in(const scantune_sorting_arrays& arrays, const Workspace& workspace, Stream stream) const {
    check(scantune_plan_run_sort_in(state_.get(), &arrays, workspace.memory, workspace.bytes, stream));
  }
  std::uint64_t workspace_bytes() const { return scantune_plan_workspace_bytes(state_.get()); }
  std::string describe() const { return scantune_plan_description(state_.get()); }

 private:
  std::shared_ptr<scantune_plan> state_;
};

}  // namespace detail

// Writes the keys input[0, n) to output[0, n) in their order, and the values beside them or where each key stood, if
// the options name arrays for that.
template <class Key>
void sort(const Key* input, Key* output, std::uint64_t n, const SortOptions& options = {}) {
  if (options.values.are_given() && options.indices.are_given())
    throw RequestError(
        "values and indices are both given; a sort moves one of them beside its keys: pass structs of a value and an "
        "index as values");
  const SortValues& values = options.values;
  const SortIndices& indices = options.indices;
  const scantune_sorted sorted = values.are_given()    ? SCANTUNE_SORTED_PAIRS
                                 : indices.are_given() ? SCANTUNE_SORTED_KEYS_AND_INDICES
                                                       : SCANTUNE_SORTED_KEYS;
  scantune_sorting sorting = detail::sorting_of<Key>(n, sorted, options);
  sorting.value_type = values.are_given() ? values.type() : indices.type();
  sorting.value_bytes = values.bytes();
  sorting.value_alignment = values.alignment();
  scantune_sorting_arrays arrays = detail::sorting_arrays(input, output, indices.output());
  arrays.values = values.input();
  arrays.values_output = values.output();
  detail::check(scantune_sort(&sorting, &arrays, options.stream));
}

// Writes where the keys input[0, n) stood, in their order: input[indices[0]] comes first. With rows, indices count from
// the start of each. An index is an integer of 4 or 8 bytes, which must be able to number the keys of a row.
template <class Key, class Index>
void argsort(const Key* input, Index* indices, std::uint64_t n, const ArgsortOptions& options = {}) {
  const scantune_sorting sorting = detail::sorting_of_indices<Key, Index>(n, SCANTUNE_SORTED_INDICES, options);
  const scantune_sorting_arrays arrays = detail::sorting_arrays(input, nullptr, indices);
  detail::check(scantune_sort(&sorting, &arrays, options.stream));
}

// A plan of sort() for keys alone, with what a Plan promises.
template <class Key>
class SortPlan {
 public:
  void operator()(const Key* input, Key* output, Stream stream = nullptr) const {
    plan_.run(detail::sorting_arrays(input, output), stream);
  }
  // The same in a workspace of the caller's, by the rules of Plan.
  void operator()(const Key* input, Key* output, const Workspace& workspace, Stream stream = nullptr) const {
    plan_.run_in(detail::sorting_arrays(input, output), workspace, stream);
  }

  // Bytes of the workspace that one run needs; 0: it needs none, and takes any.
  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit SortPlan(const scantune_sorting& sorting) : plan_(sorting) {}
  template <class K>
  friend SortPlan<K> sort_plan(std::uint64_t n, const SortPlanOptions& options);

  detail::SortingPlan plan_;
};

// A plan of sort() with values.
template <class Key, class Value>
class SortPairsPlan {
 public:
  void operator()(const Key* input, const Value* values, Key* output, Value* values_output,
                  Stream stream = nullptr) const {
    plan_.run(detail::pair_arrays(input, values, output, values_output), stream);
  }
  void operator()(const Key* input, const Value* values, Key* output, Value* values_output, const Workspace& workspace,
                  Stream stream = nullptr) const {
    plan_.run_in(detail::pair_arrays(input, values, output, values_output), workspace, stream);
  }

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit SortPairsPlan(const scantune_sorting& sorting) : plan_(sorting) {}
  template <class K, class V>
  friend SortPairsPlan<K, V> sort_pairs_plan(std::uint64_t n, const SortPlanOptions& options);

  detail::SortingPlan plan_;
};

// A plan of sort() with indices.
template <class Key, class Index>
class SortIndicesPlan {
 public:
  void operator()(const Key* input, Key* output, Index* indices, Stream stream = nullptr) const {
    plan_.run(detail::sorting_arrays(input, output, indices), stream);
  }
  void operator()(const Key* input, Key* output, Index* indices, const Workspace& workspace,
                  Stream stream = nullptr) const {
    plan_.run_in(detail::sorting_arrays(input, output, indices), workspace, stream);
  }

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit SortIndicesPlan(const scantune_sorting& sorting) : plan_(sorting) {}
  template <class K, class I>
  friend SortIndicesPlan<K, I> sort_indices_plan(std::uint64_t n, const SortPlanOptions& options);

  detail::SortingPlan plan_;
};

// A plan of argsort().
template <class Key, class Index>
class ArgsortPlan {
 public:
  void operator()(const Key* input, Index* indices, Stream stream = nullptr) const {
    plan_.run(detail::sorting_arrays(input, nullptr, indices), stream);
  }
  void operator()(const Key* input, Index* indices, const Workspace& workspace, Stream stream = nullptr) const {
    plan_.run_in(detail::sorting_arrays(input, nullptr, indices), workspace, stream);
  }

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit ArgsortPlan(const scantune_sorting& sorting) : plan_(sorting) {}
  template <class K, class I>
  friend ArgsortPlan<K, I> argsort_plan(std::uint64_t n, const SortPlanOptions& options);

  detail::SortingPlan plan_;
};

// Plans of exactly n keys. Each throws RequestError when no kernel solves the problem, and another scantune::Error when
// one cannot be had.
template <class Key>
SortPlan<Key> sort_plan(std::uint64_t n, const SortPlanOptions& options = {}) {
  return SortPlan<Key>(detail::sorting_of<Key>(n, SCANTUNE_SORTED_KEYS, options));
}
template <class Key, class Value>
SortPairsPlan<Key, Value> sort_pairs_plan(std::uint64_t n, const SortPlanOptions& options = {}) {
  return SortPairsPlan<Key, Value>(detail::sorting_of_pairs<Key, Value>(n, options));
}
template <class Key, class Index = std::uint64_t>
SortIndicesPlan<Key, Index> sort_indices_plan(std::uint64_t n, const SortPlanOptions& options = {}) {
  return SortIndicesPlan<Key, Index>(
      detail::sorting_of_indices<Key, Index>(n, SCANTUNE_SORTED_KEYS_AND_INDICES, options));
}
template <class Key, class Index = std::uint64_t>
ArgsortPlan<Key, Index> argsort_plan(std::uint64_t n, const SortPlanOptions& options = {}) {
  return ArgsortPlan<Key, Index>(detail::sorting_of_indices<Key, Index>(n, SCANTUNE_SORTED_INDICES, options));
}

}  // namespace scantune::runtime
