// Selections: the items of an array that a predicate, a flag or the item before them keeps, in their order, and how
// many they are. Included by runtime.hpp.
//
//   runtime::select(d_in, d_out, d_count, n, {.predicate = runtime::Predicate::greater(0.5f)});
//   runtime::select_flagged(d_in, d_flags, d_out, d_count, n);
//   runtime::unique_consecutive(d_in, d_out, d_count, n);
//   runtime::unique_by_key(d_keys, d_values, d_keys_out, d_values_out, d_count, n);
//   runtime::select_indices(d_in, d_indices, d_count, n);             // where items are that are not 0
//   runtime::partition(d_in, d_kept, d_rejected, d_count, n, {.predicate = runtime::Predicate::less(0)});
//
// All pointers lead to memory of the device, the count's too, so nothing waits for it. Every array has room for n
// items, and nothing is written behind those that are kept or rejected. The kept items may take the place of the input;
// all other arrays lie apart. Of 0 items the count is 0. Each function returns as soon as the work is in the stream,
// and throws before anything is launched if an argument is wrong.
#pragma once

#include "scantune/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace scantune::runtime {

namespace detail {

// What items are compared with, before their type is known.
template <class X>
struct Comparison {
  scantune_criterion criterion;
  X constant;
};

// A source of the caller's and its state. Copies share the text.
class SelectSource {
 public:
  SelectSource() = default;  // none
  explicit SelectSource(std::string source) {
    refuse_null_characters("source", source);
    text_ = std::make_shared<const std::string>(std::move(source));
  }
  template <class State>
  SelectSource(std::string source, const State& state) : SelectSource(std::move(source)) {
    state_ = bytes_of_state(state);
    state_bytes_ = sizeof(State);
  }

  bool is_given() const { return text_ != nullptr; }

  // The selection points to what this holds.
  void put_in(scantune_selection& selection, scantune_criterion criterion) const {
    selection.criterion = criterion;
    selection.source = text_->c_str();
    selection.state = state_bytes_ == 0 ? nullptr : state_.bytes;
    selection.state_bytes = state_bytes_;
  }

 private:
  std::shared_ptr<const std::string> text_;
  CallBytes state_;
  std::uint32_t state_bytes_ = 0;
};

inline constexpr ValueWords kConstantWords = {"the predicate's constant", "an item, ", "pass a constant that it holds"};

// The bits of a half-precision number, by its bits of fraction and its least exponent.
template <int kFractionBits, int kLeastExponent, class X>
std::uint16_t half_bits(scantune_type type, const X& value) {
  constexpr int kExponents = 2 * (1 - kLeastExponent) + 1;  // the last one is that of infinities and NaN
  constexpr auto kInfinity = static_cast<std::uint16_t>(kExponents << kFractionBits);
  // A long double that becomes a double first would be rounded twice.
  using Number = std::conditional_t<std::is_same_v<X, long double>, long double, double>;
  const auto number = static_cast<Number>(value);
  const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
  if (std::isnan(number)) return sign | kInfinity | 1;
  if (std::isinf(number)) return sign | kInfinity;
  const int exponent = number == 0 ? kLeastExponent : std::max(std::ilogb(number), kLeastExponent);
  const Number fraction = std::nearbyint(std::ldexp(std::fabs(number), kFractionBits - exponent));
  const Number bits = std::ldexp(static_cast<Number>(exponent - kLeastExponent), kFractionBits) + fraction;
  if (bits >= kInfinity)
    refuse_value(kConstantWords, short_text(number), type,
                 "numbers up to " + short_text(std::ldexp(2 - std::ldexp(1, -kFractionBits), 1 - kLeastExponent)));
  if constexpr (kIsInteger<X>)
    if (const Integer integer = Integer::of(value); integer.bits() > kFractionBits + 1)
      refuse_value(kConstantWords, integer.text(), type, "integers of " + std::to_string(kFractionBits + 1) + " bits");
  return sign | static_cast<std::uint16_t>(bits);
}

// The constant as an item, by the rules of InitialValue.
template <class T, class X>
CallBytes constant_of(const X& value) {
  if constexpr (kHalfType<T> != SCANTUNE_DEFAULT_TYPE) {
    if constexpr (kHalfType<X> != SCANTUNE_DEFAULT_TYPE) {
      static_assert(kHalfType<X> == kHalfType<T>, "the predicate's constant must be of the items' type, or a float");
      return CallBytes::of(value);
    } else {
      static_assert(kIsInteger<X> || std::is_floating_point_v<X>, "the predicate's constant must be a number");
      if constexpr (kHalfType<T> == SCANTUNE_F16)
        return CallBytes::of(half_bits<10, -14>(SCANTUNE_F16, value));
      else
        return CallBytes::of(half_bits<7, -126>(SCANTUNE_BF16, value));
    }
  } else if constexpr (std::is_integral_v<T>) {
    static_assert(kIsInteger<X>, "the predicate's constant must be an integer, for the items are: convert it");
    return CallBytes::of(number_from_integer<T>(kConstantWords, value));
  } else {
    static_assert(std::is_floating_point_v<T>, "structs have no order: keep them by Predicate::source()");
    static_assert(kIsNumber<X, T>, "the predicate's constant must be a number");
    if constexpr (kIsInteger<X>)
      return CallBytes::of(number_from_integer<T>(kConstantWords, value));
    else
      return CallBytes::of(number_from_floating<T>(kConstantWords, value));
  }
}

}  // namespace detail

// The rule by which a selection keeps an item: the item's value alone.
class Predicate {
 public:
  // Comparisons of an item with a constant, as C++ compares two numbers of the items' type: only not_equal() keeps a
  // NaN. The constant is any number that an item holds. Floating-point numbers never become integers. An integer that
  // an item does not hold exactly is a RequestError of the selection, as is a floating-point number that it could only
  // round to infinity.
  template <class X>
  static detail::Comparison<X> less(const X& constant) {
    return {SCANTUNE_LESS, constant};
  }
  template <class X>
  static detail::Comparison<X> less_equal(const X& constant) {
    return {SCANTUNE_LESS_EQUAL, constant};
  }
  template <class X>
  static detail::Comparison<X> greater(const X& constant) {
    return {SCANTUNE_GREATER, constant};
  }
  template <class X>
  static detail::Comparison<X> greater_equal(const X& constant) {
    return {SCANTUNE_GREATER_EQUAL, constant};
  }
  template <class X>
  static detail::Comparison<X> equal(const X& constant) {
    return {SCANTUNE_EQUAL, constant};
  }
  template <class X>
  static detail::Comparison<X> not_equal(const X& constant) {
    return {SCANTUNE_NOT_EQUAL, constant};
  }

  // A predicate in CUDA C++ source, which is compiled with the kernel. The source defines
  //     __device__ bool keep(Value item)
  // at global scope. Value is the type of the items: declared already if that is a number; for a struct the source
  // defines a Value of the same members. All else holds as for Op::custom(), but a predicate has no name. Throws
  // RequestError when the source holds a null character.
  static Predicate source(std::string source) { return Predicate(detail::SelectSource(std::move(source))); }
  // The same with a state, which the source's function takes behind the item:
  //     struct State { float least; };
  //     __device__ bool keep(Value item, State state)
  // The source defines a State of the same members, of at most 32 bytes. It comes with every call, so another state
  // needs no other kernel. A plan keeps the one that it was made with.
  template <class State>
  static Predicate source(std::string source, const State& state) {
    return Predicate(detail::SelectSource(std::move(source), state));
  }

  const detail::SelectSource& get() const { return source_; }

 private:
  explicit Predicate(detail::SelectSource source) : source_(std::move(source)) {}

  detail::SelectSource source_;
};

// Whether an item is equal to the one before it. By default numbers are compared as C++ compares them: a NaN is equal
// to nothing. Structs need a source.
class Equality {
 public:
  Equality() = default;

  // An equality in CUDA C++ source, by the rules of Predicate::source(). The source defines
  //     __device__ bool equal(Value before, Value item)
  static Equality source(std::string source) { return Equality(detail::SelectSource(std::move(source))); }
  // The same with a state: the source defines equal(Value before, Value item, State state).
  template <class State>
  static Equality source(std::string source, const State& state) {
    return Equality(detail::SelectSource(std::move(source), state));
  }

  const detail::SelectSource& get() const { return source_; }

 private:
  explicit Equality(detail::SelectSource source) : source_(std::move(source)) {}

  detail::SelectSource source_;
};

namespace detail {

// A predicate of items T: a comparison or a source.
template <class T>
class Criterion {
 public:
  Criterion() = default;  // other than 0
  template <class X>
  Criterion(const Comparison<X>& comparison)
      : comparison_(comparison.criterion), constant_(constant_of<T>(comparison.constant)) {}
  Criterion(const Predicate& predicate) : source_(predicate.get()) {}

  // The selection points to what this holds.
  void put_in(scantune_selection& selection) const {
    if (source_.is_given()) return source_.put_in(selection, SCANTUNE_PREDICATE);
    selection.criterion = comparison_;
    selection.constant = constant_.bytes;
  }

 private:
  scantune_criterion comparison_ = SCANTUNE_NOT_EQUAL;
  CallBytes constant_;
  SelectSource source_;
};

}  // namespace detail

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

struct UniqueOptions {
  Equality equality = {};
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  std::string config = {};
};

namespace detail {

template <class T>
inline constexpr bool kIsIndex = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

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
scantune_selection selection_of_both(std::uint64_t n, const SelectOptions<T>& options) {
  scantune_selection selection = selection_of<T>(n, options);
  selection.rejected = SCANTUNE_APART;
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
  detail::run_selection(detail::selection_of_both<T>(n, options), detail::both_arrays(input, kept, rejected, count),
                        options.stream);
}

// A plan of select() or unique_consecutive(), with what a Plan promises.
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
  return PartitionPlan<T>(detail::selection_of_both<T>(n, options));
}

}  // namespace scantune::runtime
