// What a scan must return, by the plainest loop. Inputs are such that every order of combining them gives the same
// bits.
#pragma once

#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "config/request.h"
#include "device/host/random.h"

namespace scantune {

// Integers of every size, so that sums wrap; floating-point numbers whose sums are exact up to 2^20 of them.
template <class T>
std::vector<T> scan_items(u64 n, u64 seed) {
  Random random(seed);
  std::vector<T> items(n);
  for (T& item : items) {
    if constexpr (std::is_floating_point_v<T>) {
      item = static_cast<T>(static_cast<int>(random.below(15)) - 7);
    } else {
      item = static_cast<T>(random.next());
    }
  }
  return items;
}

template <class T>
T combine(Operator op, T a, T b) {
  if (op == Operator::max) return a < b ? b : a;
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }
}

template <class T>
std::vector<T> expected_scan(const ScanRequest& request, const std::vector<T>& items, T init) {
  std::vector<T> result;
  result.reserve(items.size());
  bool started = request.has_init();
  T running = init;
  for (const T item : items) {
    if (request.kind == Kind::exclusive) result.push_back(running);
    running = started ? combine(request.op, running, item) : item;
    started = true;
    if (request.kind == Kind::inclusive) result.push_back(running);
  }
  return result;
}

// Calls function with a value of the type.
template <class Function>
void with_type(ValueType type, const Function& function) {
  switch (type) {
    case ValueType::i32:
      return function(i32{});
    case ValueType::i64:
      return function(i64{});
    case ValueType::f32:
      return function(f32{});
    case ValueType::f64:
      return function(f64{});
    default:
      throw std::invalid_argument("no kernel has this type");
  }
}

}  // namespace scantune
