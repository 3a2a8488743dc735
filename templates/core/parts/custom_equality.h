// The text around the source of an equality of keys, as custom_map.h for a map: in the namespace ScantuneEqualSource,
// where Value is the type of the keys.
#pragma once

#include "core/parts/custom_map.h"

// Declares the equality `name` of keys in memory from the caller's equal(). arguments: those of equal(), in brackets,
// made of scantune_before, scantune_item and scantune_state.
#define SCANTUNE_CUSTOM_KEYS(name, item, has_state, declaration, arguments)                            \
  namespace scantune_source_ends {}                                                                    \
  template <class ScantuneItem>                                                                        \
  concept name##Compares = requires(ScantuneItem scantune_before, ScantuneItem scantune_item,          \
                                    const unsigned char* scantune_state) { equal arguments ? 1 : 0; }; \
  static_assert(name##Compares<Value>, "equal must take other arguments: define " declaration);        \
  struct name {                                                                                        \
    using Item = item;                                                                                 \
    static constexpr bool kHasState = has_state;                                                       \
    SCANTUNE_DEVICE static bool equals(const Item& scantune_first, const Item& scantune_second,        \
                                       [[maybe_unused]] const unsigned char* scantune_state) {         \
      Value scantune_before = scantune::mapped_item(scantune_first);                                   \
      Value scantune_item = scantune::mapped_item(scantune_second);                                    \
      return ::ScantuneEqualSource::equal arguments ? 1 : 0;                                           \
    }                                                                                                  \
  };
