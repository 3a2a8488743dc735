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
#include "scantune/map.hpp"
#include "scantune/options.hpp"

namespace scantune::runtime {

// The order of the items that a partition into one array does not keep: as in the input, or the last one first, which
// is faster.
enum class Rest { in_order, reversed };

template <class T>
struct SelectOptions {
  // One of Predicate's. By default items that are not 0 are kept; structs need a source.
  detail::Criterion<T> predicate = {};
  Rest rest = Rest::in_order;  // of partition_into_one()
  // Maps: load makes the items that are looked at, and store what is written of them. With a load, the input may have
  // any type; with a store, the outputs. An indexed store is told the place in its output.
  UserFunction load = {};
  UserFunction store = {};
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
  Rest rest = Rest::in_order;  // of partition_flagged_into_one()
  UserFunction load = {};      // as in SelectOptions
  UserFunction store = {};
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
  detail::PartRule<T> parts;  // one of Parts'
  UserFunction load = {};     // as in SelectOptions
  UserFunction store = {};
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
  UserFunction equality = {};  // Equality::source()
  UserFunction load = {};      // as in SelectOptions
  UserFunction store = {};
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
template <class In, class CountType = std::uint64_t, class Out = In>
using SelectPlan = Plan<Input<In>, Output<Out>, Count<CountType>>;
template <class In, class CountType = std::uint64_t, class Flag = std::uint8_t, class Out = In>
using FlaggedPlan = Plan<Input<In>, Flags<Flag>, Output<Out>, Count<CountType>>;
template <class Key, class Value, class CountType = std::uint64_t, class KeyOut = Key>
using UniqueByKeyPlan = Plan<Input<Key>, Values<Value>, Output<KeyOut>, ValuesOutput<Value>, Count<CountType>>;
template <class In, class Index, class CountType = std::uint64_t>
using IndicesPlan = Plan<Input<In>, Output<Index>, Count<CountType>>;
template <class In, class CountType = std::uint64_t, class Out = In>
using PartitionPlan = Plan<Input<In>, Output<Out>, Rejected<Out>, Count<CountType>>;
template <class In, class CountType = std::uint64_t, class Flag = std::uint8_t, class Out = In>
using FlaggedPartitionPlan = Plan<Input<In>, Flags<Flag>, Output<Out>, Rejected<Out>, Count<CountType>>;
template <class In, class CountType = std::uint64_t, class Out = In>
using ThreeWayPlan = Plan<Input<In>, Output<Out>, Second<Out>, Rejected<Out>, Count<CountType>>;

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

// Whether items of both types are the same without a map.
template <class From, class To>
inline constexpr bool kIsAlike =
    kIsStruct<From> || kIsStruct<To> ? std::is_same_v<From, To> : type_of<From>() == type_of<To>();

// Sets the types in memory of input and outputs, and that of the items that are looked at; and the maps between them.
template <class In, class Item, class Out, class Options>
void take_items(scantune_select_request& request, const Options& options) {
  static_assert(!std::is_const_v<Out>, "an output is const: items are written there");
  static_assert(
      !kIsStruct<Item> || ((!kIsStruct<In> || kIsAlike<In, Item>) && (!kIsStruct<Out> || kIsAlike<Out, Item>)),
      "a struct is input, item and output type at once, or a map comes between it and a number");
  static_assert(!kIsStruct<In> || !kIsStruct<Out> || (sizeof(In) == sizeof(Out) && alignof(In) == alignof(Out)),
                "two structs, of input and output, must have one size and one alignment");
  request.load = options.load.get();
  request.store = options.store.get();
  check_role<SCANTUNE_FUNCTION_MAP, SCANTUNE_FUNCTION_MAP_INDEXED, SCANTUNE_FUNCTION_GENERATE>("load", request.load);
  check_role<SCANTUNE_FUNCTION_MAP, SCANTUNE_FUNCTION_MAP_INDEXED, SCANTUNE_FUNCTION_WRITE>("store", request.store);
  const auto refuse = [](const char* array, const char* map, const std::string& its_type) {
    throw RequestError(
        std::string("the ") + array + " is of " + its_type + ", and the items that are looked at are of " +
        type_name(type_of<Item>(), sizeof(Item), alignof(Item)) +
        ": pass arrays of one type, name that of the items, as in SelectOptions<int>{}, or pass a map as " + map);
  };
  if (!kIsAlike<In, Item> && request.load == nullptr)
    refuse("input", "load", type_name(type_of<In>(), sizeof(In), alignof(In)));
  if (!kIsAlike<Item, Out> && request.store == nullptr)
    refuse("output", "store", type_name(type_of<Out>(), sizeof(Out), alignof(Out)));
  // Members that are needless stay 0, which a library that does not know them takes.
  request.input_type = type_of<In>();
  if (request.load != nullptr) request.item_type = type_of<Item>();
  if (request.store != nullptr) request.output_type = type_of<Out>();
  if constexpr (kIsStruct<Item>) {
    take_struct<Item>(request);
  } else {
    if constexpr (kIsStruct<Out>)
      if (request.store != nullptr && request.store->role != SCANTUNE_FUNCTION_WRITE) take_struct<Out>(request);
    if constexpr (kIsStruct<In>)
      if (request.load != nullptr && request.load->role != SCANTUNE_FUNCTION_GENERATE) take_struct<In>(request);
  }
}

// Each points into the options, which must outlive it.
template <class PlanType, class In, class Item, class Out, class CountType, class Options>
Call<scantune_select_request, PlanType> selection_or_partition_of(std::uint64_t n, const Options& options) {
  scantune_select_request request = SCANTUNE_SELECT_REQUEST_INIT;
  take_options(request.head, n, options);
  take_items<In, Item, Out>(request, options);
  request.count_type = count_type<CountType>();
  take_rule(request, options);
  request.capacity = pointer_to(options.capacity);
  if constexpr (requires { options.second_capacity; }) request.second_capacity = pointer_to(options.second_capacity);
  if constexpr (requires { options.rejected_capacity; })
    request.rejected_capacity = pointer_to(options.rejected_capacity);
  return {request, options.stream};
}

template <class Options>
bool reverses_rest(const Options& options) {
  if constexpr (requires { options.rest; }) return options.rest == Rest::reversed;
  return false;
}

inline void refuse_reversed_rest() {
  throw RequestError(
      "rest is reversed, and only a partition into one array has the rest after what is kept: leave rest out");
}

template <class PlanType, class In, class Item, class Out, class CountType, class Options>
auto selection_of(std::uint64_t n, const Options& options) {
  if (reverses_rest(options)) refuse_reversed_rest();
  return selection_or_partition_of<PlanType, In, Item, Out, CountType>(n, options);
}

template <class Key, class Item, class KeyOut, class Value, class CountType>
auto selection_by_key(std::uint64_t n, const UniqueOptions& options) {
  auto call = selection_of<UniqueByKeyPlan<Key, Value, CountType, KeyOut>, Key, Item, KeyOut, CountType>(n, options);
  call.request.value_type = moved_type<Value>();
  if constexpr (moved_type<Value>() == SCANTUNE_CUSTOM_TYPE) {
    call.request.value_bytes = sizeof(Value);
    call.request.value_alignment = alignof(Value);
  }
  return call;
}

template <class In, class Item, class Index, class CountType, class Options>
auto selection_of_indices(std::uint64_t n, const Options& options) {
  static_assert(kIsIndex<Index>, "indices must be integers of 4 or 8 bytes");
  auto call = selection_of<IndicesPlan<In, Index, CountType>, In, Item, Item, CountType>(n, options);
  call.request.selected = SCANTUNE_SELECTED_INDICES;
  call.request.index_type = type_of<Index>();
  return call;
}

template <class PlanType, class In, class Item, class Out, class CountType, class Options>
auto partition_of(std::uint64_t n, const Options& options, scantune_rejected rejected) {
  auto call = selection_or_partition_of<PlanType, In, Item, Out, CountType>(n, options);
  call.request.rejected = rejected;
  if (!reverses_rest(options)) return call;
  if (rejected != SCANTUNE_BEHIND) refuse_reversed_rest();
  call.request.rejected = SCANTUNE_BEHIND_REVERSED;
  return call;
}

}  // namespace detail

// Writes the items of input[0, n) that the predicate keeps to the output, in order, and their number to count[0]. Item
// is the type of the items that are looked at, between the maps where there are two: that of the options, or else of
// the output.
template <class In, class Out, class CountType, class Item = Out>
void select(const In* input, Out* output, CountType* count, std::uint64_t n, const SelectOptions<Item>& options = {}) {
  detail::selection_of<SelectPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options).run(input, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(select)

// The same for items whose flag is not 0, or one that the predicate keeps. Flags are bool, integers or floating-point
// numbers.
template <class In, class Flag, class Out, class CountType, class Item = Out>
void select_flagged(const In* input, const Flag* flags, Out* output, CountType* count, std::uint64_t n,
                    const FlaggedOptions<std::type_identity_t<Flag>>& options = {}) {
  detail::selection_of<FlaggedPlan<In, CountType, Flag, Out>, In, Item, Out, CountType>(n, options)
      .run(input, flags, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(select_flagged)

// Keeps the first of each run of equal items: items that do not equal the one before them.
template <class In, class Out, class CountType, class Item = Out>
void unique_consecutive(const In* input, Out* output, CountType* count, std::uint64_t n,
                        const UniqueOptions& options = {}) {
  detail::selection_of<SelectPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options).run(input, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(unique_consecutive)

// Keeps the first key of each run of equal keys, and its value, which is of any trivially copyable type of 1 to 32
// bytes. Keys may be selected in place, values not. Maps are of keys.
template <class Key, class Value, class KeyOut, class CountType, class Item = KeyOut>
void unique_by_key(const Key* keys, const Value* values, KeyOut* keys_output, Value* values_output, CountType* count,
                   std::uint64_t n, const UniqueOptions& options = {}) {
  detail::selection_by_key<Key, Item, KeyOut, Value, CountType>(n, options)
      .run(keys, values, keys_output, values_output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(unique_by_key)

// Writes the indices of the items that the predicate keeps, by default those that are not 0. An index is an integer of
// 4 or 8 bytes, and must be able to count n items. There is no store.
template <class In, class Index, class CountType, class Item = In>
void select_indices(const In* input, Index* indices, CountType* count, std::uint64_t n,
                    const SelectOptions<Item>& options = {}) {
  detail::selection_of_indices<In, Item, Index, CountType>(n, options).run(input, indices, count);
}
SCANTUNE_EXPLAIN_MISTAKES(select_indices)

// The same of the first item of each run of equal items.
template <class In, class Index, class CountType, class Item = In>
void unique_indices(const In* input, Index* indices, CountType* count, std::uint64_t n,
                    const UniqueOptions& options = {}) {
  detail::selection_of_indices<In, Item, Index, CountType>(n, options).run(input, indices, count);
}
SCANTUNE_EXPLAIN_MISTAKES(unique_indices)

// Writes the items that the predicate keeps to `kept` and the others to `rejected`, both in order, and the number of
// kept ones to count[0].
template <class In, class Out, class CountType, class Item = Out>
void partition(const In* input, Out* kept, Out* rejected, CountType* count, std::uint64_t n,
               const SelectOptions<Item>& options = {}) {
  detail::partition_of<PartitionPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_APART)
      .run(input, kept, rejected, count);
}
SCANTUNE_EXPLAIN_MISTAKES(partition)

// The same into one array: the items that the predicate keeps, then the others. With Rest::reversed the last of these
// comes first, and the input is read once. The output must not overlap the input.
template <class In, class Out, class CountType, class Item = Out>
void partition_into_one(const In* input, Out* output, CountType* count, std::uint64_t n,
                        const SelectOptions<Item>& options = {}) {
  detail::partition_of<SelectPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_BEHIND)
      .run(input, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(partition_into_one)

// Both for the items that flags keep, as in select_flagged().
template <class In, class Flag, class Out, class CountType, class Item = Out>
void partition_flagged(const In* input, const Flag* flags, Out* kept, Out* rejected, CountType* count, std::uint64_t n,
                       const FlaggedOptions<std::type_identity_t<Flag>>& options = {}) {
  detail::partition_of<FlaggedPartitionPlan<In, CountType, Flag, Out>, In, Item, Out, CountType>(n, options,
                                                                                                 SCANTUNE_APART)
      .run(input, flags, kept, rejected, count);
}
SCANTUNE_EXPLAIN_MISTAKES(partition_flagged)
template <class In, class Flag, class Out, class CountType, class Item = Out>
void partition_flagged_into_one(const In* input, const Flag* flags, Out* output, CountType* count, std::uint64_t n,
                                const FlaggedOptions<std::type_identity_t<Flag>>& options = {}) {
  detail::partition_of<FlaggedPlan<In, CountType, Flag, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_BEHIND)
      .run(input, flags, output, count);
}
SCANTUNE_EXPLAIN_MISTAKES(partition_flagged_into_one)

// Writes three parts to `first`, `second` and `rest`, each in order, and the sizes of the first two to counts[0] and
// counts[1]. No arrays may overlap. Messages call them output, second and rejected.
template <class In, class Out, class CountType, class Item = Out>
void three_way_partition(const In* input, Out* first, Out* second, Out* rest, CountType* counts, std::uint64_t n,
                         const ThreeWayOptions<Item>& options) {
  detail::partition_of<ThreeWayPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_APART)
      .run(input, first, second, rest, counts);
}
SCANTUNE_EXPLAIN_MISTAKES(three_way_partition)

// The same into one array, the parts in order.
template <class In, class Out, class CountType, class Item = Out>
void three_way_partition_into_one(const In* input, Out* output, CountType* counts, std::uint64_t n,
                                  const ThreeWayOptions<Item>& options) {
  detail::partition_of<SelectPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_BEHIND)
      .run(input, output, counts);
}
SCANTUNE_EXPLAIN_MISTAKES(three_way_partition_into_one)

// Create plans for exactly n items. Throw RequestError if no kernel solves the problem, and another scantune::Error if
// the kernel cannot be compiled or loaded.
template <class In, class CountType = std::uint64_t, class Out = In, class Item = Out>
SelectPlan<In, CountType, Out> select_plan(std::uint64_t n, const SelectOptions<Item>& options = {}) {
  return detail::selection_of<SelectPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(select_plan)
template <class In, class CountType = std::uint64_t, class Flag = std::uint8_t, class Out = In, class Item = Out>
FlaggedPlan<In, CountType, Flag, Out> select_flagged_plan(std::uint64_t n, const FlaggedOptions<Flag>& options = {}) {
  return detail::selection_of<FlaggedPlan<In, CountType, Flag, Out>, In, Item, Out, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(select_flagged_plan)
template <class In, class CountType = std::uint64_t, class Out = In, class Item = Out>
SelectPlan<In, CountType, Out> unique_consecutive_plan(std::uint64_t n, const UniqueOptions& options = {}) {
  return detail::selection_of<SelectPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(unique_consecutive_plan)
template <class Key, class Value, class CountType = std::uint64_t, class KeyOut = Key, class Item = KeyOut>
UniqueByKeyPlan<Key, Value, CountType, KeyOut> unique_by_key_plan(std::uint64_t n, const UniqueOptions& options = {}) {
  return detail::selection_by_key<Key, Item, KeyOut, Value, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(unique_by_key_plan)
template <class In, class Index = std::uint64_t, class CountType = std::uint64_t, class Item = In>
IndicesPlan<In, Index, CountType> select_indices_plan(std::uint64_t n, const SelectOptions<Item>& options = {}) {
  return detail::selection_of_indices<In, Item, Index, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(select_indices_plan)
template <class In, class Index = std::uint64_t, class CountType = std::uint64_t, class Item = In>
IndicesPlan<In, Index, CountType> unique_indices_plan(std::uint64_t n, const UniqueOptions& options = {}) {
  return detail::selection_of_indices<In, Item, Index, CountType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(unique_indices_plan)
template <class In, class CountType = std::uint64_t, class Out = In, class Item = Out>
PartitionPlan<In, CountType, Out> partition_plan(std::uint64_t n, const SelectOptions<Item>& options = {}) {
  return detail::partition_of<PartitionPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_APART)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(partition_plan)
template <class In, class CountType = std::uint64_t, class Out = In, class Item = Out>
SelectPlan<In, CountType, Out> partition_into_one_plan(std::uint64_t n, const SelectOptions<Item>& options = {}) {
  return detail::partition_of<SelectPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_BEHIND)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(partition_into_one_plan)
template <class In, class CountType = std::uint64_t, class Flag = std::uint8_t, class Out = In, class Item = Out>
FlaggedPartitionPlan<In, CountType, Flag, Out> partition_flagged_plan(std::uint64_t n,
                                                                      const FlaggedOptions<Flag>& options = {}) {
  return detail::partition_of<FlaggedPartitionPlan<In, CountType, Flag, Out>, In, Item, Out, CountType>(n, options,
                                                                                                        SCANTUNE_APART)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(partition_flagged_plan)
template <class In, class CountType = std::uint64_t, class Flag = std::uint8_t, class Out = In, class Item = Out>
FlaggedPlan<In, CountType, Flag, Out> partition_flagged_into_one_plan(std::uint64_t n,
                                                                      const FlaggedOptions<Flag>& options = {}) {
  return detail::partition_of<FlaggedPlan<In, CountType, Flag, Out>, In, Item, Out, CountType>(n, options,
                                                                                               SCANTUNE_BEHIND)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(partition_flagged_into_one_plan)
template <class In, class CountType = std::uint64_t, class Out = In, class Item = Out>
ThreeWayPlan<In, CountType, Out> three_way_partition_plan(std::uint64_t n, const ThreeWayOptions<Item>& options) {
  return detail::partition_of<ThreeWayPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_APART)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(three_way_partition_plan)
template <class In, class CountType = std::uint64_t, class Out = In, class Item = Out>
SelectPlan<In, CountType, Out> three_way_partition_into_one_plan(std::uint64_t n,
                                                                 const ThreeWayOptions<Item>& options) {
  return detail::partition_of<SelectPlan<In, CountType, Out>, In, Item, Out, CountType>(n, options, SCANTUNE_BEHIND)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(three_way_partition_into_one_plan)

}  // namespace scantune::runtime

#endif
