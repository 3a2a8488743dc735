// A scan by a plain loop: one item after the other, in the accumulator's own type.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "measure/stand_in.h"
#include "measure/value_types.h"

namespace scantune::testing {

template <class T>
T combined(Operator op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (op == Operator::sum) return a + b;
    if (op == Operator::product) return a * b;
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) == (op == Operator::min) ? a : b;
  } else {
    const u64 left = static_cast<u64>(a), right = static_cast<u64>(b);
    if (op == Operator::sum) return static_cast<T>(left + right);
    if (op == Operator::product) return static_cast<T>(left * right);
    if (op == Operator::bit_and) return static_cast<T>(left & right);
    if (op == Operator::bit_or) return static_cast<T>(left | right);
    if (op == Operator::bit_xor) return static_cast<T>(left ^ right);
  }
  return (a < b) == (op == Operator::min) ? a : b;
}

// Combines accumulators that are given as bytes; all three pointers may be equal.
inline void combine(const ScanRequest& request, const std::byte* earlier, const std::byte* later, std::byte* result) {
  if (is_custom(request.op)) return StandIn(request).combine(earlier, later, result);
  visit_type(request.accumulator_type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_arithmetic_v<T>) {
      T a, b;
      std::memcpy(&a, earlier, sizeof a);
      std::memcpy(&b, later, sizeof b);
      a = combined(request.op, a, b);
      std::memcpy(result, &a, sizeof a);
    }
  });
}

inline void convert(const ScanRequest& request, ValueType from, const std::byte* value, ValueType to,
                    std::byte* converted) {
  if (from == to)
    std::memcpy(converted, value, static_cast<std::size_t>(request.bytes_of(to)));
  else
    scantune::convert(from, value, to, converted);
}

// `init` points to an accumulator, which is read if the request has an initial value.
inline void plain_scan(const ScanRequest& request, const std::byte* input, const void* init, std::byte* output) {
  if (request.direction == Direction::reverse) {
    ScanRequest forward = request;
    forward.direction = Direction::forward;
    const auto turned = [&](const std::byte* from, int item_bytes) {
      const auto bytes = static_cast<std::size_t>(item_bytes);
      std::vector<std::byte> items;
      for (std::size_t item = request.n; item-- > 0;)
        items.insert(items.end(), from + item * bytes, from + (item + 1) * bytes);
      return items;
    };
    std::vector<std::byte> results(request.n * static_cast<std::size_t>(request.output_bytes()));
    plain_scan(forward, turned(input, request.input_bytes()).data(), init, results.data());
    const auto in_place = turned(results.data(), request.output_bytes());
    std::memcpy(output, in_place.data(), in_place.size());
    return;
  }
  const auto accumulator_bytes = static_cast<std::size_t>(request.accumulator_bytes());
  const bool has_rows = request.segments == Segments::rows;
  const u64 row = has_rows ? (request.n + request.rows - 1) / request.rows : request.n;
  const u64 columns = request.segments == Segments::columns ? request.columns : 1;
  std::vector<std::array<std::byte, kMaxValueBytes>> all_running(columns);
  for (u64 index = 0; index < request.n; ++index) {
    std::byte next[kMaxValueBytes], *const running = all_running[index % columns].data();
    const bool begins = columns > 1 ? index < columns : index % row == 0;
    const bool any = !begins || request.has_init();
    if (begins && any) std::memcpy(running, init, accumulator_bytes);
    convert(request, request.input_type, input + index * static_cast<u64>(request.input_bytes()),
            request.accumulator_type, next);
    if (any) combine(request, running, next, next);
    convert(request, request.accumulator_type, request.kind == Kind::exclusive ? running : next, request.output_type,
            output + index * static_cast<u64>(request.output_bytes()));
    std::memcpy(running, next, accumulator_bytes);
  }
}

}  // namespace scantune::testing
