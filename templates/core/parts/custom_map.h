// The text around the sources of maps, as custom_operator.h for an operator. Each source is in its own namespace,
// ScantuneLoadSource or ScantuneStoreSource, so that its names clash with no other source. There Value is the type of
// its function's argument, and Result that of its result, if it has one.
#pragma once

#include "core/machine/half.h"
#include "core/parts/custom_operator.h"
#include "core/parts/opaque_item.h"
#include "core/parts/stored_extreme.h"

namespace scantune {

// An item as a map takes it: a half-precision number is a float.
template <class Item>
SCANTUNE_DEVICE auto mapped_item(Item item) {
  if constexpr (kIsHalf<Item>)
    return scantune::value_of(item);
  else
    return item;
}

template <class T>
inline constexpr bool kIsOpaque = false;
template <int kBytes, int kAlignment>
inline constexpr bool kIsOpaque<OpaqueItem<kBytes, kAlignment>> = true;

// A result as a store takes it, and its position, where it has one.
template <class To, class From>
SCANTUNE_DEVICE To stored_item(const StoredExtreme<From>& result) {
  return scantune::mapped_item(result.value);
}
template <class From>
SCANTUNE_DEVICE u64 position_of(const StoredExtreme<From>& result) {
  return result.position;
}
template <class From>
SCANTUNE_DEVICE u64 position_of(const From&) {
  return 0;
}
template <class To, class From>
SCANTUNE_DEVICE To stored_item(const From& result) {
  if constexpr (kIsOpaque<From>)
    return __builtin_bit_cast(To, result);
  else
    return scantune::mapped_item(result);
}

// What a map has returned, as the item that it stands for.
template <class To, class From>
SCANTUNE_DEVICE To mapped_result(const From& result) {
  if constexpr (kIsHalf<To>)
    return scantune::round_to<To>(static_cast<f32>(result));
  else if constexpr (kIsOpaque<To>)
    return __builtin_bit_cast(To, result);
  else
    return result;
}

// Whether a function may return From where To is wanted: the same type, or a number that To holds whatever it is.
template <class From, class To>
inline constexpr bool kIsResult = requires(From from, void (*take)(To)) {
  take(from);
  To{from};
};

}  // namespace scantune

// The namespace comes first: there the compiler finds that the source lacks a closing brace. arguments: those of
// load(), in brackets, made of scantune_item, scantune_index and scantune_state.
#define SCANTUNE_CUSTOM_MAP(name, function, takes, declaration, arguments)                                \
  namespace scantune_source_ends {}                                                                       \
  template <class ScantuneItem, class ScantuneIndex>                                                      \
  concept name##Takes =                                                                                   \
      requires(ScantuneItem scantune_item, ScantuneIndex scantune_index, ScantuneIndex scantune_position, \
               const unsigned char* scantune_state) { function arguments; };                              \
  static_assert(name##Takes<takes, scantune::u64>, #function " must take other arguments: define " declaration);

// Whether the function returns the wanted type, if it takes the given arguments.
#define SCANTUNE_CUSTOM_RESULT(name, function, takes, wanted, what, declaration, arguments)                   \
  template <class ScantuneItem, class ScantuneIndex>                                                          \
  concept name##Returns =                                                                                     \
      requires(ScantuneItem scantune_item, ScantuneIndex scantune_index, ScantuneIndex scantune_position,     \
               const unsigned char* scantune_state) { requires wanted<decltype(function arguments), what>; }; \
  static_assert(!name##Takes<takes, scantune::u64> || name##Returns<takes, scantune::u64>,                    \
                #function " must return its result, or a number that the result's type holds: define " declaration);

// Declares the map `name` of items in memory from the caller's load(). accumulator: the type of its results.
#define SCANTUNE_CUSTOM_LOAD(name, item, accumulator, has_state, declaration, arguments)                            \
  SCANTUNE_CUSTOM_MAP(name, load, Value, declaration, arguments)                                                    \
  SCANTUNE_CUSTOM_RESULT(name, load, Value, scantune::kIsResult, Result, declaration, arguments)                    \
  struct name {                                                                                                     \
    using Item = item;                                                                                              \
    static constexpr bool kHasState = has_state;                                                                    \
    SCANTUNE_DEVICE static accumulator load(Item scantune_in_memory, [[maybe_unused]] scantune::u64 scantune_index, \
                                            [[maybe_unused]] const unsigned char* scantune_state) {                 \
      const Value scantune_item = scantune::mapped_item(scantune_in_memory);                                        \
      return scantune::mapped_result<accumulator>(::ScantuneLoadSource::load arguments);                            \
    }                                                                                                               \
  };

// The same of items that load() makes of their indices alone.
#define SCANTUNE_CUSTOM_GENERATOR(name, item, accumulator, has_state, declaration, arguments)       \
  SCANTUNE_CUSTOM_MAP(name, load, int, declaration, arguments)                                      \
  SCANTUNE_CUSTOM_RESULT(name, load, int, scantune::kIsResult, Result, declaration, arguments)      \
  struct name {                                                                                     \
    using Item = void;                                                                              \
    static constexpr bool kHasState = has_state;                                                    \
    SCANTUNE_DEVICE static accumulator load(scantune::u64 scantune_index,                           \
                                            [[maybe_unused]] const unsigned char* scantune_state) { \
      return scantune::mapped_result<accumulator>(::ScantuneLoadSource::load arguments);            \
    }                                                                                               \
  };

// Declares the map `name` of results from store() of the caller's. item: what it makes of them, in memory.
#define SCANTUNE_CUSTOM_STORE(name, item, accumulator, has_state, declaration, arguments)                          \
  SCANTUNE_CUSTOM_MAP(name, store, Value, declaration, arguments)                                                  \
  SCANTUNE_CUSTOM_RESULT(name, store, Value, scantune::kIsResult, Result, declaration, arguments)                  \
  struct name {                                                                                                    \
    using Item = item;                                                                                             \
    static constexpr bool kHasState = has_state;                                                                   \
    SCANTUNE_DEVICE static Item store(accumulator scantune_between, [[maybe_unused]] scantune::u64 scantune_index, \
                                      [[maybe_unused]] const unsigned char* scantune_state) {                      \
      const Value scantune_item = scantune::stored_item<Value>(scantune_between);                                  \
      [[maybe_unused]] const scantune::u64 scantune_position = scantune::position_of(scantune_between);            \
      return scantune::mapped_result<Item>(::ScantuneStoreSource::store arguments);                                \
    }                                                                                                              \
  };

// The same of a store() that writes by itself.
#define SCANTUNE_CUSTOM_WRITER(name, item, accumulator, has_state, declaration, arguments)              \
  SCANTUNE_CUSTOM_MAP(name, store, Value, declaration, arguments)                                       \
  SCANTUNE_CUSTOM_RESULT(name, store, Value, scantune::kIsSame, void, declaration, arguments)           \
  struct name {                                                                                         \
    using Item = void;                                                                                  \
    static constexpr bool kHasState = has_state;                                                        \
    SCANTUNE_DEVICE static void store(accumulator scantune_between, scantune::u64 scantune_index,       \
                                      [[maybe_unused]] const unsigned char* scantune_state) {           \
      const Value scantune_item = scantune::stored_item<Value>(scantune_between);                       \
      [[maybe_unused]] const scantune::u64 scantune_position = scantune::position_of(scantune_between); \
      ::ScantuneStoreSource::store arguments;                                                           \
    }                                                                                                   \
  };
