// The order that a sort has to give, by a plain sort of the standard library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "measure/small_float.h"
#include "measure/stand_in.h"
#include "sort/config/sort.h"

namespace scantune {

// The place of a number among all of its type, from the least on: what a key is compared by.
inline u64 place_among_all(ValueType type, u64 bits) {
  const u64 half = u64{1} << (8 * size_of(type) - 1);
  if (is_integer(type)) return is_signed(type) ? bits ^ half : bits;
  // Floating-point numbers lie on both sides of the middle, as far away as their magnitudes say.
  return bits >= half ? half - 1 - (bits - half) : half + bits;
}

// The bits of it that the request compares.
inline u64 compared_bits(const SortRequest& request, u64 bits) {
  const u64 place = place_among_all(request.input_type, bits);
  if (request.sorted_bits() == 0) return 0;
  const u64 below_last = request.last_bit() == 64 ? place : place & ((u64{1} << request.last_bit()) - 1);
  return below_last >> request.first_bit();
}

// What a less() of the caller's is asked about: the keys, of which half-precision numbers are floats.
inline std::vector<std::byte> compared_keys(const SortRequest& request, const void* keys) {
  const auto bytes = static_cast<u64>(request.input_bytes());
  const auto* const all = static_cast<const std::byte*>(keys);
  if (!is_floating(request.input_type) || bytes != 2) return {all, all + request.n * bytes};
  std::vector<std::byte> floats(request.n * sizeof(float));
  for (u64 index = 0; index < request.n; ++index) {
    SmallFloat<10> narrow;
    SmallFloat<7> wide;
    std::memcpy(&narrow.bits, all + index * bytes, bytes);
    wide.bits = narrow.bits;
    const float value = static_cast<float>(request.input_type == ValueType::f16 ? static_cast<long double>(narrow)
                                                                                : static_cast<long double>(wide));
    std::memcpy(&floats[index * sizeof value], &value, sizeof value);
  }
  return floats;
}

// The index of the key that belongs in each place, by the stand-in where a less() of the caller's compares
// them. Sequences, each from its first key to after its last one, are sorted one by one; keys of none keep their place.
using Sequences = std::vector<std::pair<u64, u64>>;
inline std::vector<u64> plain_order(const SortRequest& request, const void* keys, const Sequences& sequences) {
  const auto bytes = static_cast<u64>(request.input_bytes());
  std::vector<u64> order(request.n), numbers(request.n);
  std::iota(order.begin(), order.end(), u64{0});
  if (request.is_by_source()) {
    const StandInLess less{Request(request)};
    const std::vector<std::byte> compared = compared_keys(request, keys);
    const u64 distance = request.n == 0 ? 0 : compared.size() / request.n;
    std::stable_sort(order.begin(), order.end(), [&](u64 one, u64 other) {
      if (request.order == Order::descending) std::swap(one, other);
      return less(&compared[one * distance], &compared[other * distance]);
    });
    return order;
  }
  for (u64 index = 0; index < request.n; ++index) {
    u64 bits = 0;
    std::memcpy(&bits, static_cast<const unsigned char*>(keys) + index * bytes, bytes);
    numbers[index] = compared_bits(request, bits);
  }
  for (const auto& [first, end] : sequences)
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(end), [&](u64 one, u64 other) {
                       return request.order == Order::ascending ? numbers[one] < numbers[other]
                                                                : numbers[one] > numbers[other];
                     });
  return order;
}

// The same of rows, or of all keys.
inline Sequences rows_of(const SortRequest& request) {
  const u64 length = std::max<u64>(row_items(request), 1);
  Sequences rows;
  for (u64 first = 0; first < request.n; first += length) rows.emplace_back(first, std::min(first + length, request.n));
  return rows;
}
inline std::vector<u64> plain_order(const SortRequest& request, const void* keys) {
  return plain_order(request, keys, rows_of(request));
}

}  // namespace scantune
