// Selections: the items that a predicate, a flag or a comparison with the previous item keeps, in order, and their
// number. Included by runtime.hpp.
//
//   runtime::select(d_in, d_out, d_count, n, {.predicate = runtime::Predicate::greater(0.5f)});
//   runtime::select_flagged(d_in, d_flags, d_out, d_count, n);
//   runtime::unique_consecutive(d_in, d_out, d_count, n);
//   runtime::unique_by_key(d_keys, d_values, d_keys_out, d_values_out, d_count, n);
//   runtime::select_indices(d_in, d_indices, d_count, n);             // the indices of items that are not 0
//   runtime::unique_indices(d_in, d_indices, d_count, n);
//   runtime::partition(d_in, d_kept, d_rejected, d_count, n, {.predicate = runtime::Predicate::less(0)});
//   runtime::partition_flagged(d_in, d_flags, d_kept, d_rejected, d_count, n);
//   runtime::three_way_partition(d_in, d_less, d_equal, d_rest, d_counts, n, {.parts = runtime::Parts::around(7)});
//
// All pointers are to device memory, the count's too, so the host does not wait for it. A count is an integer of 4 or 8
// bytes. Every array has room for n items, or as many as the options say; nothing is written after the last item of an
// output. The items' output may be the input, unless it is a partition into one array or into three parts; all other
// arrays must not overlap. If n is 0, the count is 0. Each function returns as soon as the work is in the stream, and
// throws, and launches nothing, if an argument is wrong.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "scantune/criteria.hpp"
#include "scantune/options.hpp"

namespace scantune::runtime {

template <class T>
struct SelectOptions {
  // One of Predicate's. By default items that are not 0 are kept; structs need a source.
  detail::Criterion<T> predicate = {};
  // Items that there is room for; without a number n. Nothing is written past it, and the count tells how many there
  // are, which may be more. An array with room for nothing may be null. A partition into one array has room for n.
  std::optional<std::uint64_t> capacity = {};           // of kept items, and of what is written beside them
  std::optional<std::uint64_t> rejected_capacity = {};  // of partition()
  Stream stream = nullptr;                              // as in ScanOptions
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;  // as in ScanOptions
  Device device = Device::current_gpu;
  std::string config = {};  // as in ScanOptions
};

namespace detail {

// The number that a flag is.
template <class Flag>
using FlagNumber = std::conditional_t<std::is_same_v<Flag, bool>, std::uint8_t, Flag>;

}  // namespace detail

template <class Flag = std::uint8_t>
struct FlaggedOptions {
  // One of Predicate's, which is asked about flags. By default items are kept whose flag is not 0.
  detail::Criterion<detail::FlagNumber<Flag>, detail::kFlagWords> predicate = {};
  std::optional<std::uint64_t> capacity = {};           // as in SelectOptions
  std::optional<std::uint64_t> rejected_capacity = {};  // of partition_flagged()
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  Device device = Device::current_gpu;
  std::string config = {};
};

template <class T>
struct ThreeWayOptions {
  detail::PartRule<T> parts;                   // one of Parts'
  std::optional<std::uint64_t> capacity = {};  // as in SelectOptions, of the first part
  std::optional<std::uint64_t> second_capacity = {};
  std::optional<std::uint64_t> rejected_capacity = {};  // of the rest
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  Device device = Device::current_gpu;
  std::string config = {};
};

struct UniqueOptions {
  UserFunction equality = {};                  // Equality::source()
  std::optional<std::uint64_t> capacity = {};  // as in SelectOptions
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  Device device = Device::current_gpu;
  std::string config = {};
};

// Plans of the functions below. The first serves unique_consecutive() and partitions into one array, too, and that of
// flagged items partitions by flags into one array.
template <class T, class CountType = std::uint64_t>
using SelectPlan = Plan<Input<T>, Output<T>, Count<CountType>>;
template <class T, class CountType = std::uint64_t, class Flag = std::uint8_t>
using FlaggedPlan = Plan<Input<T>, Flags<Flag>, Output<T>, Count<CountType>>;
template <class Key, class Value, class CountType = std::uint64_t>
using UniqueByKeyPlan = Plan<Input<Key>, Values<Value>, Output<Key>, ValuesOutput<Value>, Count<CountType>>;
template <class T, class Index, class CountType = std::uint64_t>
using IndicesPlan = Plan<Input<T>, Output<Index>, Count<CountType>>;
template <class T, class CountType = std::uint64_t>
using PartitionPlan = Plan<Input<T>, Output<T>, Rejected<T>, Count<CountType>>;
template <class T, class CountType = std::uint64_t, class Flag = std::uint8_t>
using FlaggedPartitionPlan = Plan<Input<T>, Flags<Flag>, Output<T>, Rejected<T>, Count<CountType>>;
template <class T, class CountType = std::uint64_t>
using ThreeWayPlan = Plan<Input<T>, Output<T>, Second<T>, Rejected<T>, Count<CountType>>;

namespace detail {

// Sets the criterion.
template <class T>
void take_rule(scantune_select_request& request, const SelectOptions<T>& options) {
  options.predicate.put_in(request);
}
template <class T>
void take_rule(scantune_select_request& request, const ThreeWayOptions<T>& options) {
  options.parts.put_in(request);
}
template <class Flag>
void take_rule(scantune_select_request& request, const FlaggedOptions<Flag>& options) {
  static_assert(std::is_arithmetic_v<Flag> || kHalfType<Flag> != SCANTUNE_DEFAULT_TYPE,
                "flags must be numbers: bool, integers or floating-point numbers");
  request.flag_type = type_of<FlagNumber<Flag>>();
  if (options.predicate.asks_for_others_than_0()) {
    request.criterion = SCANTUNE_FLAGGED;
    return;
  }
  options.predicate.put_in(request);
  request.subject = SCANTUNE_FLAG;
}
inline void take_rule(scantune_select_request& request, const UniqueOptions& options) {
  request.function = options.equality.get();
  check_role<SCANTUNE_FUNCTION_EQUAL>("equality", request.function);
  request.criterion = request.function != nullptr ? SCANTUNE_UNIQUE_BY : SCANTUNE_UNIQUE;
}

inline const std::uint64_t* pointer_to(const std::optional<std::uint64_t>& number) {
  return number ? &*number : nullptr;
}

// Each points into the options, which must outlive it.
template <template <class, class> class PlanOf, class T, class CountType, class Options>
Call<scantune_select_request, PlanOf<T, CountType>> selection_of(std::uint64_t n, const Options& options) {
  scantune_select_request request = SCANTUNE_SELECT_REQUEST_INIT;
  take_options(request.head, n, options);
  request.input_type = type_of<T>();
  if constexpr (kIsStruct<T>) take_struct<T>(request);
  request.count_type = count_type<CountType>();
  take_rule(request, options);
  request.capacity = pointer_to(options.capacity);
  if constexpr (requires { options.second_capacity; }) request.second_capacity = pointer_to(options.second_capacity);
  if constexpr (requires { options.rejected_capacity; })
    request.rejected_capacity = pointer_to(options.rejected_capacity);
  return {request, options.stream};
}

template <class Key, class Value, class CountType>
auto selection_by_key(std::uint64_t n, const UniqueOptions& options) {
  Call<scantune_select_request, UniqueByKeyPlan<Key, Value, CountType>> call = {
      selection_of<SelectPlan, Key, CountType>(n, options).request, options.stream};
  call.request.value_type = moved_type<Value>();
  if constexpr (moved_type<Value>() == SCANTUNE_CUSTOM_TYPE) {
    call.request.value_bytes = sizeof(Value);
    call.request.value_alignment = alignof(Value);
  }
  return call;
}

template <class T, class Index, class CountType, class Options>
auto selection_of_indices(std::uint64_t n, const Options& options) {
  static_assert(kIsIndex<Index>, "indices must be integers of 4 or 8 bytes");
  Call<scantune_select_request, IndicesPlan<T, Index, CountType>> call = {
      selection_of<SelectPlan, T, CountType>(n, options).request, options.stream};
  call.request.selected = SCANTUNE_SELECTED_INDICES;
  call.request.index_type = type_of<Index>();
  return call;
}

template <template <class, class> class PlanOf, class T, class CountType, class Options>
auto partition_of(std::uint64_t n, const Options& options, scantune_rejected rejected) {
  auto call = selection_of<PlanOf, T, CountType>(n, options);
  call.request.rejected = rejected;
  return call;
}

// Plans by flags of one type, as the templates above take them.
template <class Flag>
struct FlaggedBy {
  template <class T, class CountType>
  using Selection = FlaggedPlan<T, CountType, Flag>;
  template <class T, class CountType>
  using Partition = FlaggedPartitionPlan<T, CountType, Flag>;
};

}  // namespace detail

// Writes the items of input[0, n) that the predicate keeps to the output, in order, and their number to count[0].
template <class T, class CountType>
void select(const T* input, T* output, CountType* count, std::uint64_t n,
            const SelectOptions<std::type_identity_t<T>>& options = {}) {
  detail::selection_of<SelectPlan, T, CountType>(n, options).run(input, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(select)

// The same for items whose flag is not 0, or one that the predicate keeps. Flags are bool, integers or floating-point
// numbers.
template <class T, class Flag, class CountType>
void select_flagged(const T* input, const Flag* flags, T* output, CountType* count, std::uint64_t n,
                    const FlaggedOptions<std::type_identity_t<Flag>>& options = {}) {
  detail::selection_of<detail::FlaggedBy<Flag>::template Selection, T, CountType>(n, options)
      .run(input, flags, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(select_flagged)

// Keeps the first of each run of equal items: items that do not equal the one before them.
template <class T, class CountType>
void unique_consecutive(const T* input, T* output, CountType* count, std::uint64_t n,
                        const UniqueOptions& options = {}) {
  detail::selection_of<SelectPlan, T, CountType>(n, options).run(input, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(unique_consecutive)

// Keeps the first key of each run of equal keys, and its value, which is of any trivially copyable type of 1 to 32
// bytes. Keys may be selected in place, values not.
template <class Key, class Value, class CountType>
void unique_by_key(const Key* keys, const Value* values, Key* keys_output, Value* values_output, CountType* count,
                   std::uint64_t n, const UniqueOptions& options = {}) {
  detail::selection_by_key<Key, Value, CountType>(n, options).run(keys, values, keys_output, values_output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(unique_by_key)

// Writes the indices of the items that the predicate keeps, by default those that are not 0. An index is an integer of
// 4 or 8 bytes, and must be able to count n items.
template <class T, class Index, class CountType>
void select_indices(const T* input, Index* indices, CountType* count, std::uint64_t n,
                    const SelectOptions<std::type_identity_t<T>>& options = {}) {
  detail::selection_of_indices<T, Index, CountType>(n, options).run(input, indices, count);
}
SCANTUNE_EXPLAIN_MISTAKES(select_indices)

// The same of the first item of each run of equal items.
template <class T, class Index, class CountType>
void unique_indices(const T* input, Index* indices, CountType* count, std::uint64_t n,
                    const UniqueOptions& options = {}) {
  detail::selection_of_indices<T, Index, CountType>(n, options).run(input, indices, count);
}
SCANTUNE_EXPLAIN_MISTAKES(unique_indices)

// Writes the items that the predicate keeps to `kept` and the others to `rejected`, both in order, and the number of
// kept ones to count[0].
template <class T, class CountType>
void partition(const T* input, T* kept, T* rejected, CountType* count, std::uint64_t n,
               const SelectOptions<std::type_identity_t<T>>& options = {}) {
  detail::partition_of<PartitionPlan, T, CountType>(n, options, SCANTUNE_APART).run(input, kept, rejected, count);
}
SCANTUNE_EXPLAIN_MISTAKES(partition)

// The same into one array: the items that the predicate keeps, then the others. The output must not overlap the input.
template <class T, class CountType>
void partition_into_one(const T* input, T* output, CountType* count, std::uint64_t n,
                        const SelectOptions<std::type_identity_t<T>>& options = {}) {
  detail::partition_of<SelectPlan, T, CountType>(n, options, SCANTUNE_BEHIND).run(input, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(partition_into_one)

// Both for the items that flags keep, as in select_flagged().
template <class T, class Flag, class CountType>
void partition_flagged(const T* input, const Flag* flags, T* kept, T* rejected, CountType* count, std::uint64_t n,
                       const FlaggedOptions<std::type_identity_t<Flag>>& options = {}) {
  detail::partition_of<detail::FlaggedBy<Flag>::template Partition, T, CountType>(n, options, SCANTUNE_APART)
      .run(input, flags, kept, rejected, count);
}
SCANTUNE_EXPLAIN_MISTAKES(partition_flagged)
template <class T, class Flag, class CountType>
void partition_flagged_into_one(const T* input, const Flag* flags, T* output, CountType* count, std::uint64_t n,
                                const FlaggedOptions<std::type_identity_t<Flag>>& options = {}) {
  detail::partition_of<detail::FlaggedBy<Flag>::template Selection, T, CountType>(n, options, SCANTUNE_BEHIND)
      .run(input, flags, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(partition_flagged_into_one)

// Writes three parts to `first`, `second` and `rest`, each in order, and the sizes of the first two to counts[0] and
// counts[1]. No arrays may overlap. Messages call them output, second and rejected.
template <class T, class CountType>
void three_way_partition(const T* input, T* first, T* second, T* rest, CountType* counts, std::uint64_t n,
                         const ThreeWayOptions<std::type_identity_t<T>>& options) {
  detail::partition_of<ThreeWayPlan, T, CountType>(n, options, SCANTUNE_APART).run(input, first, second, rest, counts);
}
SCANTUNE_EXPLAIN_MISTAKES(three_way_partition)

// The same into one array, the parts in order.
template <class T, class CountType>
void three_way_partition_into_one(const T* input, T* output, CountType* counts, std::uint64_t n,
                                  const ThreeWayOptions<std::type_identity_t<T>>& options) {
  detail::partition_of<SelectPlan, T, CountType>(n, options, SCANTUNE_BEHIND).run(input, output, counts);
}
SCANTUNE_EXPLAIN_MISTAKES(three_way_partition_into_one)

// Create plans for exactly n items. Throw RequestError if no kernel solves the problem, and another scantune::Error if
// the kernel cannot be compiled or loaded.
template <class T, class CountType = std::uint64_t>
SelectPlan<T, CountType> select_plan(std::uint64_t n, const SelectOptions<T>& options = {}) {
  return detail::selection_of<SelectPlan, T, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(select_plan)
template <class T, class CountType = std::uint64_t, class Flag = std::uint8_t>
FlaggedPlan<T, CountType, Flag> select_flagged_plan(std::uint64_t n, const FlaggedOptions<Flag>& options = {}) {
  return detail::selection_of<detail::FlaggedBy<Flag>::template Selection, T, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(select_flagged_plan)
template <class T, class CountType = std::uint64_t>
SelectPlan<T, CountType> unique_consecutive_plan(std::uint64_t n, const UniqueOptions& options = {}) {
  return detail::selection_of<SelectPlan, T, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(unique_consecutive_plan)
template <class Key, class Value, class CountType = std::uint64_t>
UniqueByKeyPlan<Key, Value, CountType> unique_by_key_plan(std::uint64_t n, const UniqueOptions& options = {}) {
  return detail::selection_by_key<Key, Value, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(unique_by_key_plan)
template <class T, class Index = std::uint64_t, class CountType = std::uint64_t>
IndicesPlan<T, Index, CountType> select_indices_plan(std::uint64_t n, const SelectOptions<T>& options = {}) {
  return detail::selection_of_indices<T, Index, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(select_indices_plan)
template <class T, class Index = std::uint64_t, class CountType = std::uint64_t>
IndicesPlan<T, Index, CountType> unique_indices_plan(std::uint64_t n, const UniqueOptions& options = {}) {
  return detail::selection_of_indices<T, Index, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(unique_indices_plan)
template <class T, class CountType = std::uint64_t>
PartitionPlan<T, CountType> partition_plan(std::uint64_t n, const SelectOptions<T>& options = {}) {
  return detail::partition_of<PartitionPlan, T, CountType>(n, options, SCANTUNE_APART).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(partition_plan)
template <class T, class CountType = std::uint64_t>
SelectPlan<T, CountType> partition_into_one_plan(std::uint64_t n, const SelectOptions<T>& options = {}) {
  return detail::partition_of<SelectPlan, T, CountType>(n, options, SCANTUNE_BEHIND).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(partition_into_one_plan)
template <class T, class CountType = std::uint64_t, class Flag = std::uint8_t>
FlaggedPartitionPlan<T, CountType, Flag> partition_flagged_plan(std::uint64_t n,
                                                                const FlaggedOptions<Flag>& options = {}) {
  return detail::partition_of<detail::FlaggedBy<Flag>::template Partition, T, CountType>(n, options, SCANTUNE_APART)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(partition_flagged_plan)
template <class T, class CountType = std::uint64_t, class Flag = std::uint8_t>
FlaggedPlan<T, CountType, Flag> partition_flagged_into_one_plan(std::uint64_t n,
                                                                const FlaggedOptions<Flag>& options = {}) {
  return detail::partition_of<detail::FlaggedBy<Flag>::template Selection, T, CountType>(n, options, SCANTUNE_BEHIND)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(partition_flagged_into_one_plan)
template <class T, class CountType = std::uint64_t>
ThreeWayPlan<T, CountType> three_way_partition_plan(std::uint64_t n, const ThreeWayOptions<T>& options) {
  return detail::partition_of<ThreeWayPlan, T, CountType>(n, options, SCANTUNE_APART).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(three_way_partition_plan)
template <class T, class CountType = std::uint64_t>
SelectPlan<T, CountType> three_way_partition_into_one_plan(std::uint64_t n, const ThreeWayOptions<T>& options) {
  return detail::partition_of<SelectPlan, T, CountType>(n, options, SCANTUNE_BEHIND).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(three_way_partition_into_one_plan)

}  // namespace scantune::runtime

#endif
