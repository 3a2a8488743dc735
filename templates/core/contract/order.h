// Orders of keys, and what is written of keys that are in order.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// The order of the keys. Equal keys keep their order.
enum class Order { ascending, descending };
template <>
struct Tokens<Order> {
  static constexpr const char* kNames[] = {"ascending", "descending"};
};

// What is written, in the order of the keys.
enum class Sorted {
  keys,
  pairs,            // the keys, and a value beside each
  indices,          // the input index of each key, within its row or segment if there are such
  keys_and_indices  // both
};
template <>
struct Tokens<Sorted> {
  static constexpr const char* kNames[] = {"keys", "pairs", "indices", "keys_and_indices"};
};

}  // namespace scantune
