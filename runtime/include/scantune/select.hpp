// Selections: the items of an array that a predicate, a flag or the item before them keeps, in their order, and how
// many they are. Included by runtime.hpp.
//
//   runtime::select(d_in, d_out, d_count, n, {.predicate = runtime::Predicate::greater(0.5f)});
//   runtime::select_flagged(d_in, d_flags, d_out, d_count, n);
//   runtime::unique_consecutive(d_in, d_out, d_count, n);
//   runtime::unique_by_key(d_keys, d_values, d_keys_out, d_values_out, d_count, n);
//   runtime::select_indices(d_in, d_indices, d_count, n);             // where items are that are not 0
//   runtime::partition(d_in, d_kept, d_rejected, d_count, n, {.predicate = runtime::Predicate::less(0)});
//   runtime::three_way_partition(d_in, d_less, d_equal, d_rest, d_counts, n, {.parts = runtime::Parts::around(7)});
//
// All pointers lead to memory of the device, the count's too, so nothing waits for it. Every array has room for n
// items, and nothing is written behind those that belong there. Kept items may take the place of the input, but not
// where others are written behind them, nor of three parts; all other arrays lie apart. Of 0 items the count is 0. Each
// function returns as soon as the work is in the stream, and throws before anything is launched if an argument is
// wrong.
#pragma once

#include "scantune/runtime.hpp"

#include "scantune/criteria.hpp"

namespace scantune::runtime {

template <class T>
struct SelectOptions {
  // What Predicate has. By default items are kept that are not 0; structs need a source.
  detail::Criterion<T> predicate = {};
  Stream stream = nullptr;  // of the call; a plan takes its stream per call
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;  // as of scans
  std::string config = {};    // as of scans
};

struct FlaggedOptions {
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  std::string config = {};
};

template <class T>
struct ThreeWayOptions {
  detail::PartRule<T> parts;  // what Parts has
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  std::string config = {};
};

struct UniqueOptions {
  Equality equality = {};
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  std::string config = {};
};

namespace detail {

// Each selection points into the options, which must outlive it.
template <class T, class Options>
scantune_selection selection_with(std::uint64_t n, const Options& options) {
  scantune_selection selection = SCANTUNE_SELECTION_INIT;
  selection.n = n;
  selection.type = type_of<T>();
  if constexpr (type_of<T>() == SCANTUNE_CUSTOM_TYPE) {
    selection.item_bytes = sizeof(T);
    selection.item_alignment = alignof(T);
  }
  selection.forward_progress = static_cast<scantune_forward_progress>(options.forward_progress);
  selection.latency = static_cast<scantune_latency>(options.latency);
  selection.captured_launches = options.captured_launches;
  selection.config = checked_config(options.config);
  return selection;
}

template <class T>
scantune_selection selection_of(std::uint64_t n, const SelectOptions<T>& options) {
  scantune_selection selection = selection_with<T>(n, options);
  options.predicate.put_in(selection);
  return selection;
}

template <class T>
scantune_selection selection_of(std::uint64_t n, const FlaggedOptions& options) {
  scantune_selection selection = selection_with<T>(n, options);
  selection.criterion = SCANTUNE_FLAGGED;
  return selection;
}

template <class T>
scantune_selection selection_of(std::uint64_t n, const UniqueOptions& options) {
  scantune_selection selection = selection_with<T>(n, options);
  selection.criterion = SCANTUNE_UNIQUE;
  if (options.equality.get().is_given()) options.equality.get().put_in(selection, SCANTUNE_UNIQUE_BY);
  return selection;
}

template <class Key, class Value>
scantune_selection selection_by_key(std::uint64_t n, const UniqueOptions& options) {
  static_assert(std::is_trivially_copyable_v<Value>, "values must be trivially copyable to be moved on a device");
  static_assert(sizeof(Value) == 1 || sizeof(Value) == 2 || sizeof(Value) == 4 || sizeof(Value) == 8,
                "values must have 1, 2, 4 or 8 bytes: select the indices of larger ones");
  static_assert(alignof(Value) == sizeof(Value),
                "values must be aligned to their size: declare the struct with alignas, as struct alignas(8) for 8 "
                "bytes");
  scantune_selection selection = selection_of<Key>(n, options);
  selection.value_bytes = sizeof(Value);
  return selection;
}

template <class T, class Index>
scantune_selection selection_of_indices(std::uint64_t n, const SelectOptions<T>& options) {
  static_assert(kIsIndex<Index>, "indices must be integers of 4 or 8 bytes");
  scantune_selection selection = selection_of<T>(n, options);
  selection.selected = SCANTUNE_INDICES;
  selection.index_type = type_of<Index>();
  return selection;
}

template <class T>
scantune_selection selection_of(std::uint64_t n, const ThreeWayOptions<T>& options) {
  scantune_selection selection = selection_with<T>(n, options);
  options.parts.put_in(selection);
  return selection;
}

template <class T, class Options>
scantune_selection partition_of(std::uint64_t n, const Options& options, scantune_rejected rejected) {
  scantune_selection selection = selection_of<T>(n, options);
  selection.rejected = rejected;
  return selection;
}

inline scantune_selection_arrays arrays_of(const void* input, void* output, std::uint64_t* count) {
  scantune_selection_arrays arrays = SCANTUNE_SELECTION_ARRAYS_INIT;
  arrays.input = input;
  arrays.output = output;
  arrays.count = count;
  return arrays;
}

template <class Flag>
scantune_selection_arrays flagged_arrays(const void* input, const Flag* flags, void* output, std::uint64_t* count) {
  static_assert(std::is_integral_v<Flag> && sizeof(Flag) == 1, "flags must be bytes: bool or an integer of 8 bits");
  scantune_selection_arrays arrays = arrays_of(input, output, count);
  arrays.flags = reinterpret_cast<const std::uint8_t*>(flags);
  return arrays;
}

inline scantune_selection_arrays key_arrays(const void* keys, const void* values, void* keys_output,
                                            void* values_output, std::uint64_t* count) {
  scantune_selection_arrays arrays = arrays_of(keys, keys_output, count);
  arrays.values = values;
  arrays.values_output = values_output;
  return arrays;
}

inline scantune_selection_arrays index_arrays(const void* input, void* indices, std::uint64_t* count) {
  scantune_selection_arrays arrays = arrays_of(input, nullptr, count);
  arrays.indices = indices;
  return arrays;
}

inline scantune_selection_arrays both_arrays(const void* input, void* kept, void* rejected, std::uint64_t* count) {
  scantune_selection_arrays arrays = arrays_of(input, kept, count);
  arrays.rejected = rejected;
  return arrays;
}

inline scantune_selection_arrays three_arrays(const void* input, void* first, void* second, void* rest,
                                              std::uint64_t* counts) {
  scantune_selection_arrays arrays = both_arrays(input, first, rest, counts);
  arrays.second = second;
  return arrays;
}

inline void run_selection(const scantune_selection& selection, const scantune_selection_arrays& arrays, Stream stream) {
  check(scantune_select(&selection, &arrays, stream));
}

// What plans of selections have in common.
class SelectionPlan {
 public:
  explicit SelectionPlan(const scantune_selection& selection) {
    scantune_plan* state = nullptr;
    check(scantune_select_plan_create(&selection, &state));
    state_.reset(state, &scantune_plan_destroy);
  }

  void run(const scantune_selection_arrays& arrays, Stream stream) const {
    check(scantune_plan_run_select(state_.get(), &arrays, stream));
  }
  void run_in(const scantune_selection_arrays& arrays, const Workspace& workspace, Stream stream) const {
    check(scantune_plan_run_select_in(state_.get(), &arrays, workspace.memory, workspace.bytes, stream));
  }
  std::uint64_t workspace_bytes() const { return scantune_plan_workspace_bytes(state_.get()); }
  std::string describe() const { return scantune_plan_description(state_.get()); }

 private:
  std::shared_ptr<scantune_plan> state_;
};

}  // namespace detail

// Writes the items of input[0, n) that the predicate keeps to the output, in their order, and how many they are to
// count[0].
template <class T>
void select(const T* input, T* output, std::uint64_t* count, std::uint64_t n,
            const SelectOptions<std::type_identity_t<T>>& options = {}) {
  detail::run_selection(detail::selection_of<T>(n, options), detail::arrays_of(input, output, count), options.stream);
}

// The same of items whose flag is not 0: a byte for each, or a bool.
template <class T, class Flag>
void select_flagged(const T* input, const Flag* flags, T* output, std::uint64_t* count, std::uint64_t n,
                    const FlaggedOptions& options = {}) {
  detail::run_selection(detail::selection_of<T>(n, options), detail::flagged_arrays(input, flags, output, count),
                        options.stream);
}

// The first of each run of equal neighbours: items that are not equal to the one before them.
template <class T>
void unique_consecutive(const T* input, T* output, std::uint64_t* count, std::uint64_t n,
                        const UniqueOptions& options = {}) {
  detail::run_selection(detail::selection_of<T>(n, options), detail::arrays_of(input, output, count), options.stream);
}

// The first key of each run of equal ones, and the value beside it. Values have 1, 2, 4 or 8 bytes and are aligned to
// their size. Keys may be selected in place, values not.
template <class Key, class Value>
void unique_by_key(const Key* keys, const Value* values, Key* keys_output, Value* values_output, std::uint64_t* count,
                   std::uint64_t n, const UniqueOptions& options = {}) {
  detail::run_selection(detail::selection_by_key<Key, Value>(n, options),
                        detail::key_arrays(keys, values, keys_output, values_output, count), options.stream);
}

// Where the items are that the predicate keeps, by default those that are not 0. An index is an integer of 4 or 8
// bytes, which must be able to count n items.
template <class T, class Index>
void select_indices(const T* input, Index* indices, std::uint64_t* count, std::uint64_t n,
                    const SelectOptions<std::type_identity_t<T>>& options = {}) {
  detail::run_selection(detail::selection_of_indices<T, Index>(n, options), detail::index_arrays(input, indices, count),
                        options.stream);
}

// Writes the items that the predicate keeps to `kept`, the others to `rejected`, both in their order, and how many are
// kept to count[0].
template <class T>
void partition(const T* input, T* kept, T* rejected, std::uint64_t* count, std::uint64_t n,
               const SelectOptions<std::type_identity_t<T>>& options = {}) {
  detail::run_selection(detail::partition_of<T>(n, options, SCANTUNE_APART),
                        detail::both_arrays(input, kept, rejected, count), options.stream);
}

// The same into one array: the items that the predicate keeps, and behind them the others. The output lies apart.
template <class T>
void partition_into_one(const T* input, T* output, std::uint64_t* count, std::uint64_t n,
                        const SelectOptions<std::type_identity_t<T>>& options = {}) {
  detail::run_selection(detail::partition_of<T>(n, options, SCANTUNE_BEHIND), detail::arrays_of(input, output, count),
                        options.stream);
}

// Writes the items of three parts to `first`, `second` and `rest`, each in their order, and how many the first two have
// to counts[0] and counts[1]. All arrays lie apart. Messages call them output, second and rejected.
template <class T>
void three_way_partition(const T* input, T* first, T* second, T* rest, std::uint64_t* counts, std::uint64_t n,
                         const ThreeWayOptions<std::type_identity_t<T>>& options) {
  detail::run_selection(detail::partition_of<T>(n, options, SCANTUNE_APART),
                        detail::three_arrays(input, first, second, rest, counts), options.stream);
}

// The same into one array, one part behind the other.
template <class T>
void three_way_partition_into_one(const T* input, T* output, std::uint64_t* counts, std::uint64_t n,
                                  const ThreeWayOptions<std::type_identity_t<T>>& options) {
  detail::run_selection(detail::partition_of<T>(n, options, SCANTUNE_BEHIND), detail::arrays_of(input, output, counts),
                        options.stream);
}

// A plan of select(), unique_consecutive() or a partition into one array, with what a Plan promises.
template <class T>
class SelectPlan {
 public:
  void operator()(const T* input, T* output, std::uint64_t* count, Stream stream = nullptr) const {
    plan_.run(detail::arrays_of(input, output, count), stream);
  }
  // The same in a workspace of the caller's, by the rules of Plan.
  void operator()(const T* input, T* output, std::uint64_t* count, const Workspace& workspace,
                  Stream stream = nullptr) const {
    plan_.run_in(detail::arrays_of(input, output, count), workspace, stream);
  }

  // Bytes of the workspace that one run needs; 0: it needs none, and takes any.
  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit SelectPlan(const scantune_selection& selection) : plan_(selection) {}
  template <class U>
  friend SelectPlan<U> select_plan(std::uint64_t n, const SelectOptions<U>& options);
  template <class U>
  friend SelectPlan<U> unique_consecutive_plan(std::uint64_t n, const UniqueOptions& options);
  template <class U>
  friend SelectPlan<U> partition_into_one_plan(std::uint64_t n, const SelectOptions<U>& options);
  template <class U>
  friend SelectPlan<U> three_way_partition_into_one_plan(std::uint64_t n, const ThreeWayOptions<U>& options);

  detail::SelectionPlan plan_;
};

// A plan of select_flagged().
template <class T>
class FlaggedPlan {
 public:
  template <class Flag>
  void operator()(const T* input, const Flag* flags, T* output, std::uint64_t* count, Stream stream = nullptr) const {
    plan_.run(detail::flagged_arrays(input, flags, output, count), stream);
  }
  template <class Flag>
  void operator()(const T* input, const Flag* flags, T* output, std::uint64_t* count, const Workspace& workspace,
                  Stream stream = nullptr) const {
    plan_.run_in(detail::flagged_arrays(input, flags, output, count), workspace, stream);
  }

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit FlaggedPlan(const scantune_selection& selection) : plan_(selection) {}
  template <class U>
  friend FlaggedPlan<U> select_flagged_plan(std::uint64_t n, const FlaggedOptions& options);

  detail::SelectionPlan plan_;
};

// A plan of unique_by_key().
template <class Key, class Value>
class UniqueByKeyPlan {
 public:
  void operator()(const Key* keys, const Value* values, Key* keys_output, Value* values_output, std::uint64_t* count,
                  Stream stream = nullptr) const {
    plan_.run(detail::key_arrays(keys, values, keys_output, values_output, count), stream);
  }
  void operator()(const Key* keys, const Value* values, Key* keys_output, Value* values_output, std::uint64_t* count,
                  const Workspace& workspace, Stream stream = nullptr) const {
    plan_.run_in(detail::key_arrays(keys, values, keys_output, values_output, count), workspace, stream);
  }

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit UniqueByKeyPlan(const scantune_selection& selection) : plan_(selection) {}
  template <class K, class V>
  friend UniqueByKeyPlan<K, V> unique_by_key_plan(std::uint64_t n, const UniqueOptions& options);

  detail::SelectionPlan plan_;
};

// A plan of select_indices().
template <class T, class Index>
class IndicesPlan {
 public:
  void operator()(const T* input, Index* indices, std::uint64_t* count, Stream stream = nullptr) const {
    plan_.run(detail::index_arrays(input, indices, count), stream);
  }
  void operator()(const T* input, Index* indices, std::uint64_t* count, const Workspace& workspace,
                  Stream stream = nullptr) const {
    plan_.run_in(detail::index_arrays(input, indices, count), workspace, stream);
  }

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit IndicesPlan(const scantune_selection& selection) : plan_(selection) {}
  template <class U, class I>
  friend IndicesPlan<U, I> select_indices_plan(std::uint64_t n, const SelectOptions<U>& options);

  detail::SelectionPlan plan_;
};

// A plan of partition().
template <class T>
class PartitionPlan {
 public:
  void operator()(const T* input, T* kept, T* rejected, std::uint64_t* count, Stream stream = nullptr) const {
    plan_.run(detail::both_arrays(input, kept, rejected, count), stream);
  }
  void operator()(const T* input, T* kept, T* rejected, std::uint64_t* count, const Workspace& workspace,
                  Stream stream = nullptr) const {
    plan_.run_in(detail::both_arrays(input, kept, rejected, count), workspace, stream);
  }

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit PartitionPlan(const scantune_selection& selection) : plan_(selection) {}
  template <class U>
  friend PartitionPlan<U> partition_plan(std::uint64_t n, const SelectOptions<U>& options);

  detail::SelectionPlan plan_;
};

// A plan of three_way_partition().
template <class T>
class ThreeWayPlan {
 public:
  void operator()(const T* input, T* first, T* second, T* rest, std::uint64_t* counts, Stream stream = nullptr) const {
    plan_.run(detail::three_arrays(input, first, second, rest, counts), stream);
  }
  void operator()(const T* input, T* first, T* second, T* rest, std::uint64_t* counts, const Workspace& workspace,
                  Stream stream = nullptr) const {
    plan_.run_in(detail::three_arrays(input, first, second, rest, counts), workspace, stream);
  }

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  std::string describe() const { return plan_.describe(); }

 private:
  explicit ThreeWayPlan(const scantune_selection& selection) : plan_(selection) {}
  template <class U>
  friend ThreeWayPlan<U> three_way_partition_plan(std::uint64_t n, const ThreeWayOptions<U>& options);

  detail::SelectionPlan plan_;
};

// Plans of exactly n items. Each throws RequestError when no kernel solves the problem, and another scantune::Error
// when one cannot be had.
template <class T>
SelectPlan<T> select_plan(std::uint64_t n, const SelectOptions<T>& options = {}) {
  return SelectPlan<T>(detail::selection_of<T>(n, options));
}
template <class T>
FlaggedPlan<T> select_flagged_plan(std::uint64_t n, const FlaggedOptions& options = {}) {
  return FlaggedPlan<T>(detail::selection_of<T>(n, options));
}
template <class T>
SelectPlan<T> unique_consecutive_plan(std::uint64_t n, const UniqueOptions& options = {}) {
  return SelectPlan<T>(detail::selection_of<T>(n, options));
}
template <class Key, class Value>
UniqueByKeyPlan<Key, Value> unique_by_key_plan(std::uint64_t n, const UniqueOptions& options = {}) {
  return UniqueByKeyPlan<Key, Value>(detail::selection_by_key<Key, Value>(n, options));
}
template <class T, class Index = std::uint64_t>
IndicesPlan<T, Index> select_indices_plan(std::uint64_t n, const SelectOptions<T>& options = {}) {
  return IndicesPlan<T, Index>(detail::selection_of_indices<T, Index>(n, options));
}
template <class T>
PartitionPlan<T> partition_plan(std::uint64_t n, const SelectOptions<T>& options = {}) {
  return PartitionPlan<T>(detail::partition_of<T>(n, options, SCANTUNE_APART));
}
template <class T>
SelectPlan<T> partition_into_one_plan(std::uint64_t n, const SelectOptions<T>& options = {}) {
  return SelectPlan<T>(detail::partition_of<T>(n, options, SCANTUNE_BEHIND));
}
template <class T>
ThreeWayPlan<T> three_way_partition_plan(std::uint64_t n, const ThreeWayOptions<T>& options) {
  return ThreeWayPlan<T>(detail::partition_of<T>(n, options, SCANTUNE_APART));
}
template <class T>
SelectPlan<T> three_way_partition_into_one_plan(std::uint64_t n, const ThreeWayOptions<T>& options) {
  return SelectPlan<T>(detail::partition_of<T>(n, options, SCANTUNE_BEHIND));
}

}  // namespace scantune::runtime
