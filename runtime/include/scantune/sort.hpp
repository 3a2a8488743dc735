// Sorts: keys in order, with values that move with them, or the input index of each key. Included by runtime.hpp.
//
//   runtime::sort(d_keys, d_out, n);                                                // ascending
//   runtime::sort(d_keys, d_out, n, {.order = runtime::Order::descending});
//   runtime::sort(d_keys, d_out, n, {.values = {d_values, d_values_out}});          // with a value for each key
//   runtime::sort(d_keys, d_out, n, {.indices = d_indices});                        // and the input index of each key
//   runtime::sort(d_keys, d_out, n, {.bits = {8, 24}});                             // by some bits of the keys
//   runtime::sort(d_keys, d_out, rows * length, {.segments = runtime::Segments::rows(rows, length)});
//   runtime::argsort(d_keys, d_indices, n);                                         // only the input index of each key
//   runtime::sort(runtime::Consumed(d_keys), d_out, n);                             // the keys may be overwritten
//   runtime::sort(d_keys, d_out, n, {.less = runtime::Less::source(text)});         // by a comparison of yours
//
// Keys are numbers of every type that scans take, or structs with a comparison. Without one integers compare as in C++.
// Floating-point numbers have a total order: -NaN < -infinity < ... < -0 < +0 < ... < +infinity < NaN, and NaNs of one
// sign by their bits. Every sort is stable: equal keys keep their order, descending too. All pointers are to device
// memory, and arrays must not overlap: a sort is never in place. Each function returns as soon as the work is in the
// stream, and throws, and launches nothing, if an argument is wrong.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <string>
#include <type_traits>

#include "scantune/less.hpp"
#include "scantune/map.hpp"
#include "scantune/options.hpp"

namespace scantune::runtime {

enum class Order { ascending = SCANTUNE_ASCENDING, descending = SCANTUNE_DESCENDING };

// The bits of a key that are compared: begin_bit to end_bit - 1, as in scantune_sort_request. Where the two are equal
// no bit is: keys and values are copied, and indices count from 0.
struct KeyBits {
  static constexpr int all = SCANTUNE_ALL_BITS;  // up to the highest bit
  int begin_bit = 0;
  int end_bit = all;
};

// An input that a sort may overwrite, and that holds anything after it. Then the workspace holds neither keys that are
// written out nor values, only indices and one copy of keys that are not. Keys and values are consumed together:
// sort(Consumed(d_keys), d_out, n, {.values = {Consumed(d_values), d_values_out}}). A plan for such pointers is
// sort_plan<Consumed<float>>(n), and likewise the others.
template <class T>
class Consumed {
 public:
  constexpr explicit Consumed(T* input) : input_(input) {
    static_assert(!std::is_const_v<T>, "a consumed input is const: it is overwritten");
  }

  constexpr T* get() const { return input_; }

 private:
  T* input_;
};

// Values that move with the keys, of any trivially copyable type of 1 to 32 bytes, and their output. A load, one of
// Map's, makes them, numbers or structs, of an input of any type, or of the indices of keys: {d_input,
// Map::source(text), d_output}, {Map::generated(text), d_output}. Not with Consumed() keys.
class SortValues {
 public:
  constexpr SortValues() = default;  // no values
  template <class T>
  constexpr SortValues(Consumed<T> input, T* output) : SortValues(input.get(), output) {
    are_consumed_ = true;
  }
  template <class In, class T>
  SortValues(const In* input, const UserFunction& load, T* output) : SortValues(nullptr, output) {
    take_load<SCANTUNE_FUNCTION_MAP, SCANTUNE_FUNCTION_MAP_INDEXED, T>(load);
    input_ = input;
    loaded_type_ = detail::type_of<In>();
    static_assert(!detail::kIsStruct<T> || !detail::kIsStruct<In> || std::is_same_v<T, In>,
                  "a struct is the type of values and of their input at once, or a map comes between it and a number");
    if constexpr (detail::kIsStruct<In>) {
      bytes_ = sizeof(In);
      alignment_ = alignof(In);
    }
  }
  template <class T>
  SortValues(const UserFunction& load, T* output) : SortValues(nullptr, output) {
    take_load<SCANTUNE_FUNCTION_GENERATE, SCANTUNE_FUNCTION_GENERATE, T>(load);
  }
  template <class T>
  constexpr SortValues(const std::type_identity_t<T>* input, T* output)
      : input_(input), output_(const_cast<std::remove_const_t<T>*>(output)), type_(detail::moved_type<T>()) {
    static_assert(!std::is_const_v<T>, "the values' output is const: sorted values are written there");
    if (type_ != SCANTUNE_CUSTOM_TYPE) return;
    bytes_ = sizeof(T);
    alignment_ = alignof(T);
  }

  constexpr bool are_given() const { return type_ != SCANTUNE_DEFAULT_TYPE; }
  constexpr bool are_consumed() const { return are_consumed_; }
  constexpr const void* input() const { return input_; }
  constexpr void* output() const { return output_; }
  constexpr scantune_type type() const { return type_; }
  constexpr std::uint32_t bytes() const { return bytes_; }          // 0 unless a struct
  constexpr std::uint32_t alignment() const { return alignment_; }  // 0 unless a struct
  constexpr scantune_type loaded_type() const { return loaded_type_; }
  const scantune_function* load() const { return load_.get(); }

 private:
  template <int kRole, int kOther, class T>
  void take_load(const UserFunction& load) {
    load_ = load;
    if (load.get() == nullptr) throw RequestError("the load of values is an empty function: pass one of Map's");
    detail::check_role<kRole, kOther>("the load of values", load.get());
    type_ = detail::type_of<T>();
    bytes_ = detail::kIsStruct<T> ? sizeof(T) : 0;
    alignment_ = detail::kIsStruct<T> ? alignof(T) : 0;
  }

  const void* input_ = nullptr;
  void* output_ = nullptr;
  scantune_type type_ = SCANTUNE_DEFAULT_TYPE;
  std::uint32_t bytes_ = 0, alignment_ = 0;
  bool are_consumed_ = false;
  scantune_type loaded_type_ = SCANTUNE_DEFAULT_TYPE;
  UserFunction load_ = {};
};

// The output for the input index of each key, within its row if there are rows: n integers of 4 or 8 bytes.
class SortIndices {
 public:
  constexpr SortIndices() = default;  // not written
  template <class Index>
  constexpr SortIndices(Index* output)
      : output_(const_cast<std::remove_const_t<Index>*>(output)), type_(detail::type_of<Index>()) {
    static_assert(!std::is_const_v<Index>, "the indices are const: the input indices of the keys are written there");
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
  // By Less: an order of numbers other than their own, or of structs, which need one. Whole keys are compared, and no
  // rows. Results are unspecified unless it is a strict weak order. Values beside structs that are structs too have
  // their size and alignment.
  UserFunction less = {};
  Order order = Order::ascending;  // descending: a key comes first for which less(b, a) holds
  KeyBits bits = {};               // all of them
  // Segments::rows(count, length): each row is sorted separately. Rows are dense.
  Segments segments = {};
  // {d_values, d_values_output}: values that move with their keys. Set at most one of values and indices.
  SortValues values = {};
  SortIndices indices = {};
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  // How many launches may be captured into CUDA graphs, as in ScanOptions. The default is 1, because each workspace
  // holds about one more copy of the keys and of what moves with them, or two copies of keys that are not written out.
  int captured_launches = 1;
  Device device = Device::current_gpu;
  std::string config = {};  // as in ScanOptions
};

// The options of argsort() and of plans. A plan's type says what moves with its keys.
struct ArgsortOptions {
  UserFunction less = {};
  Order order = Order::ascending;
  KeyBits bits = {};
  Segments segments = {};
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 1;
  Device device = Device::current_gpu;
  std::string config = {};
};

namespace detail {

// A key or a consumed one: its own type, and the pointers from which a sort reads it and its value.
template <class Key>
struct Sorted {
  using Type = Key;
  static constexpr scantune_input_use use = SCANTUNE_KEEP_INPUT;
  using Keys = Input<Key>;
  template <class Value>
  using ValuesOf = Values<Value>;
};
template <class Key>
struct Sorted<Consumed<Key>> {
  using Type = Key;
  static constexpr scantune_input_use use = SCANTUNE_CONSUME_INPUT;
  using Keys = Array<SCANTUNE_INPUT, Key*>;
  template <class Value>
  using ValuesOf = Array<SCANTUNE_VALUES, Value*>;
};
template <class Key>
using SortedKey = typename Sorted<Key>::Type;
template <class Key>
using KeysOf = typename Sorted<Key>::Keys;

}  // namespace detail

// Plans of sort() for keys, for keys with values and for keys with indices, and of argsort(). Key may be a Consumed
// one.
template <class Key>
using SortPlan = Plan<detail::KeysOf<Key>, Output<detail::SortedKey<Key>>>;
template <class Key, class Value>
using SortPairsPlan = Plan<detail::KeysOf<Key>, typename detail::Sorted<Key>::template ValuesOf<Value>,
                           Output<detail::SortedKey<Key>>, ValuesOutput<Value>>;
template <class Key, class Index>
using SortIndicesPlan = Plan<detail::KeysOf<Key>, Output<detail::SortedKey<Key>>, Indices<Index>>;
template <class Key, class Index>
using ArgsortPlan = Plan<detail::KeysOf<Key>, Output<Index>>;

namespace detail {

// Throws RequestError unless rows are dense.
inline void check_dense_rows(const Segments& segments) {
  const Rows& rows = segments.placed();
  if ((rows.row_stride | rows.item_stride | rows.out_row_stride | rows.out_item_stride | rows.plane_stride |
       rows.out_plane_stride) != 0)
    throw RequestError("segments is Segments::rows() with strides, and a sort takes dense rows alone: copy them first");
}

// The request points into the options, which must outlive it.
template <class PlanType, class Key, class Options>
Call<scantune_sort_request, PlanType> sort_of(std::uint64_t n, scantune_sorted sorted, const Options& options) {
  constexpr bool kTakesLess = requires { options.less; };
  static_assert(kTakesLess || type_of<SortedKey<Key>>() != SCANTUNE_CUSTOM_TYPE,
                "keys must be numbers: sort a numeric key of each struct, and pass the structs as values");
  scantune_sort_request request = SCANTUNE_SORT_REQUEST_INIT;
  take_options(request.head, n, options);
  request.input_type = type_of<SortedKey<Key>>();
  request.input_use = Sorted<Key>::use;
  request.sorted = sorted;
  request.order = static_cast<scantune_order>(options.order);
  if constexpr (kTakesLess) {
    check_role<SCANTUNE_FUNCTION_LESS>("less", options.less.get());
    request.less = options.less.get();
    if constexpr (kIsStruct<SortedKey<Key>>) take_struct<SortedKey<Key>>(request);
  }
  request.begin_bit = options.bits.begin_bit;
  // An older library knows all bits as 0.
  const int end = options.bits.end_bit;
  if (end < KeyBits::all)
    throw RequestError("bits.end_bit is " + std::to_string(end) +
                       ": pass the number of the bit after the last one that "
                       "is compared, or KeyBits::all");
  request.end_bit = end == KeyBits::all ? 0 : end == 0 ? SCANTUNE_NO_BITS : end;
  if constexpr (requires { options.segments; }) {
    take_segments(request, n, options.segments);
    check_dense_rows(options.segments);
  }
  return {request, options.stream};
}

template <class PlanType, class Key, class Index, class Options>
auto sort_of_indices(std::uint64_t n, scantune_sorted sorted, const Options& options) {
  static_assert(!std::is_const_v<Index>, "the indices are const: the input indices of the keys are written there");
  static_assert(kIsIndex<Index>, "indices must be integers of 4 or 8 bytes");
  auto call = sort_of<PlanType, Key>(n, sorted, options);
  call.request.index_type = type_of<Index>();
  return call;
}

template <class PlanType, class Key, class Value, class Options>
auto sort_of_pairs(std::uint64_t n, const Options& options) {
  auto call = sort_of<PlanType, Key>(n, SCANTUNE_SORTED_PAIRS, options);
  call.request.value_type = moved_type<Value>();
  if constexpr (moved_type<Value>() == SCANTUNE_CUSTOM_TYPE) {
    using KeyType = SortedKey<Key>;
    static_assert(!kIsStruct<KeyType> || (sizeof(KeyType) == sizeof(Value) && alignof(KeyType) == alignof(Value)),
                  "keys and values are structs of different sizes or alignments: sort the keys with their indices, and "
                  "take the values by these");
    take_struct<Value>(call.request);
  }
  return call;
}

// A plan with an array for everything that a sort may move with its keys, and such that say what is sorted.
template <class Key, class... Offsets>
using AnySortPlan = Plan<KeysOf<Key>, Offsets..., Output<SortedKey<Key>>, Array<SCANTUNE_INDICES, void*>, Values<void>,
                         ValuesOutput<void>>;

// A request has one struct.
inline void take_struct_of_values(scantune_sort_request& request, const SortValues& values) {
  if (values.bytes() == 0) return;
  const bool is_other = request.custom_bytes != values.bytes() || request.custom_alignment != values.alignment();
  if (request.input_type == SCANTUNE_CUSTOM_TYPE && is_other)
    throw RequestError("values are " + type_name(SCANTUNE_CUSTOM_TYPE, values.bytes(), values.alignment()) +
                       ", and keys " + type_name(SCANTUNE_CUSTOM_TYPE, request.custom_bytes, request.custom_alignment) +
                       ": sort the keys with their indices, and take the values by these");
  request.custom_bytes = values.bytes();
  request.custom_alignment = values.alignment();
}

// Sorts keys with what the options name. complete(request) sets what else there is.
template <class Key, class... Offsets, class Options, class Complete>
void sort(typename KeysOf<Key>::Pointer input, typename Offsets::Pointer... offsets, SortedKey<Key>* output,
          std::uint64_t n, const Options& options, const Complete& complete) {
  if (options.values.are_given() && options.indices.are_given())
    throw RequestError(
        "values and indices are both given; a sort moves one of them beside its keys: pass structs of a value and an "
        "index as values");
  const SortValues& values = options.values;
  const SortIndices& indices = options.indices;
  if (values.are_given() && values.are_consumed() != (Sorted<Key>::use == SCANTUNE_CONSUME_INPUT))
    throw RequestError("values are consumed and keys are not, or keys and not values: pass Consumed() of both");
  const scantune_sorted sorted = values.are_given()    ? SCANTUNE_SORTED_PAIRS
                                 : indices.are_given() ? SCANTUNE_SORTED_KEYS_AND_INDICES
                                                       : SCANTUNE_SORTED_KEYS;
  auto call = sort_of<AnySortPlan<Key, Offsets...>, Key>(n, sorted, options);
  call.request.value_type = values.type();
  call.request.index_type = indices.type();
  take_struct_of_values(call.request, values);
  call.request.loaded_type = values.loaded_type();
  call.request.load = values.load();
  complete(call.request);
  call.run(input, offsets..., output, indices.output(), values.input(), values.output());
}
template <class Key>
void sort(typename KeysOf<Key>::Pointer input, SortedKey<Key>* output, std::uint64_t n, const SortOptions& options) {
  sort<Key>(input, output, n, options, [](const scantune_sort_request&) {});
}

}  // namespace detail

// Writes the keys input[0, n) to output[0, n) in order, and their values or input indices if the options name arrays
// for them.
template <class Key>
void sort(const Key* input, Key* output, std::uint64_t n, const SortOptions& options = {}) {
  detail::sort<Key>(input, output, n, options);
}
template <class Key>
void sort(Consumed<Key> input, Key* output, std::uint64_t n, const SortOptions& options = {}) {
  detail::sort<Consumed<Key>>(input.get(), output, n, options);
}
SCANTUNE_EXPLAIN_MISTAKES(sort)

// Writes the input indices of the sorted keys: input[indices[0]] comes first. With rows, indices count from the start
// of the row. An index is an integer of 4 or 8 bytes, and must be able to number the keys of a row.
template <class Key, class Index>
void argsort(const Key* input, Index* indices, std::uint64_t n, const ArgsortOptions& options = {}) {
  detail::sort_of_indices<ArgsortPlan<Key, Index>, Key, Index>(n, SCANTUNE_SORTED_INDICES, options).run(input, indices);
}
template <class Key, class Index>
void argsort(Consumed<Key> input, Index* indices, std::uint64_t n, const ArgsortOptions& options = {}) {
  using Keys = Consumed<Key>;
  detail::sort_of_indices<ArgsortPlan<Keys, Index>, Keys, Index>(n, SCANTUNE_SORTED_INDICES, options)
      .run(input.get(), indices);
}
SCANTUNE_EXPLAIN_MISTAKES(argsort)

// Create plans for exactly n keys. Throw RequestError if no kernel solves the problem, and another scantune::Error if
// the kernel cannot be compiled or loaded.
template <class Key>
SortPlan<Key> sort_plan(std::uint64_t n, const ArgsortOptions& options = {}) {
  return detail::sort_of<SortPlan<Key>, Key>(n, SCANTUNE_SORTED_KEYS, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(sort_plan)
template <class Key, class Value>
SortPairsPlan<Key, Value> sort_pairs_plan(std::uint64_t n, const ArgsortOptions& options = {}) {
  return detail::sort_of_pairs<SortPairsPlan<Key, Value>, Key, Value>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(sort_pairs_plan)
template <class Key, class Index = std::uint64_t>
SortIndicesPlan<Key, Index> sort_indices_plan(std::uint64_t n, const ArgsortOptions& options = {}) {
  return detail::sort_of_indices<SortIndicesPlan<Key, Index>, Key, Index>(n, SCANTUNE_SORTED_KEYS_AND_INDICES, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(sort_indices_plan)
template <class Key, class Index = std::uint64_t>
ArgsortPlan<Key, Index> argsort_plan(std::uint64_t n, const ArgsortOptions& options = {}) {
  return detail::sort_of_indices<ArgsortPlan<Key, Index>, Key, Index>(n, SCANTUNE_SORTED_INDICES, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(argsort_plan)

}  // namespace scantune::runtime

#endif
