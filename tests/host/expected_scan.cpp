#include "expected_scan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

namespace scantune {
namespace {

template <class T>
inline constexpr bool kIsCustom = std::is_same_v<T, CustomValue>;

// The accumulator that an item in memory widens to.
template <class T>
T loaded(const ScanRequest& request, const unsigned char* item) {
  return with_type(request.input_type, [&]<class Item>(Item value) {
    std::memcpy(&value, item, static_cast<std::size_t>(request.input_bytes()));
    if constexpr (kIsCustom<T> || kIsCustom<Item>) {
      T result{};
      std::memcpy(&result, &value, std::min(sizeof result, sizeof value));
      return result;
    } else {
      if constexpr (std::is_same_v<Item, u16>)
        if (is_half(request.input_type)) return static_cast<T>(decoded(format_of(request.input_type), value));
      return static_cast<T>(value);
    }
  });
}

// Narrows an accumulator to the output's type, in memory.
template <class T>
void store(const ScanRequest& request, const T& value, unsigned char* result) {
  with_type(request.output_type, [&]<class Item>(Item narrow) {
    if constexpr (kIsCustom<T> || kIsCustom<Item>) {
      std::memcpy(&narrow, &value, std::min(sizeof narrow, sizeof value));
    } else if (is_half(request.output_type)) {
      narrow = static_cast<Item>(encoded(format_of(request.output_type), static_cast<f64>(value)));
    } else {
      narrow = static_cast<Item>(value);
    }
    std::memcpy(result, &narrow, static_cast<std::size_t>(request.output_bytes()));
  });
}

// The smaller of two items: NaN if either is NaN; -0 lies below +0.
template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

template <class T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

template <class T>
T combine_integers(Operator op, T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto x = static_cast<Unsigned>(a), y = static_cast<Unsigned>(b);
  switch (op) {
    case Operator::sum:
      return static_cast<T>(x + y);
    case Operator::product:
      return static_cast<T>(x * y);
    case Operator::bit_and:
      return static_cast<T>(x & y);
    case Operator::bit_or:
      return static_cast<T>(x | y);
    case Operator::bit_xor:
      return static_cast<T>(x ^ y);
    default:
      throw std::invalid_argument("not an operator of integers alone");
  }
}

template <class T>
T combine(Operator op, const T& a, const T& b, const TestOperator* custom) {
  if (custom != nullptr) {
    T result{};
    custom->combine(&result, &a, &b);
    return result;
  }
  if constexpr (kIsCustom<T>) {
    throw std::invalid_argument("a custom type needs a custom operator");
  } else {
    if (op == Operator::min) return smaller(a, b);
    if (op == Operator::max) return larger(a, b);
    if constexpr (std::is_floating_point_v<T>) {
      return op == Operator::sum ? a + b : a * b;
    } else {
      return combine_integers(op, a, b);
    }
  }
}

bool is_nan(ValueType type, const unsigned char* item) {
  return is_floating(type) && with_type(type, [&]<class Item>(Item value) {
           if constexpr (kIsCustom<Item>) {
             return false;
           } else {
             std::memcpy(&value, item, sizeof value);
             if constexpr (std::is_same_v<Item, u16>) return std::isnan(decoded(format_of(type), value));
             return std::isnan(static_cast<f64>(value));
           }
         });
}

std::string hex(const unsigned char* item, std::size_t bytes) {
  std::string text = "0x";
  for (std::size_t byte = bytes; byte-- > 0;) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", item[byte]);
    text += digits;
  }
  return text;
}

}  // namespace

namespace {

Bytes turned(const Bytes& items, int item_bytes) {
  Bytes result(items.size());
  for (auto end = items.end(), to = items.begin(); end != items.begin(); end -= item_bytes, to += item_bytes)
    std::copy(end - item_bytes, end, result.begin() + (to - items.begin()));
  return result;
}

}  // namespace

Bytes expected_scan(const ScanRequest& request, const Bytes& items, const void* init, const TestOperator* custom) {
  if (request.direction == Direction::reverse) {
    ScanRequest forward = request;
    forward.direction = Direction::forward;
    return turned(expected_scan(forward, turned(items, request.input_bytes()), init, custom), request.output_bytes());
  }
  const auto in = static_cast<std::size_t>(request.input_bytes());
  const auto out = static_cast<std::size_t>(request.output_bytes());
  return with_accumulator(request.accumulator_type, [&]<class T>(T start) {
    const std::size_t count = items.size() / in;
    const bool has_rows = request.segments == Segments::rows;
    const std::size_t row = has_rows ? (count + request.rows - 1) / request.rows : count;
    const std::size_t columns = request.segments == Segments::columns ? std::max<u64>(request.columns, 1) : 1;
    if (request.has_init()) std::memcpy(&start, init, static_cast<std::size_t>(request.accumulator_bytes()));
    std::vector<T> running(columns, start);
    Bytes results(count * out);
    for (std::size_t index = 0; index < count; ++index) {
      const bool begins = columns > 1 ? index < columns : index % row == 0;
      T& its = running[index % columns];
      if (begins) its = start;
      if (request.kind == Kind::exclusive) store(request, its, &results[index * out]);
      const T item = loaded<T>(request, &items[index * in]);
      its = begins && !request.has_init() ? item : combine(request.op, its, item, custom);
      if (request.kind == Kind::inclusive) store(request, its, &results[index * out]);
    }
    return results;
  });
}

Bytes expected_total(const ScanRequest& request, const Bytes& items, const void* init, const TestOperator* custom) {
  ScanRequest scan = request;
  Bytes all = items;
  if (request.has_init()) {  // the result before one more item
    scan.kind = Kind::exclusive;
    all.resize(items.size() + static_cast<std::size_t>(request.input_bytes()));
  }
  const Bytes results = expected_scan(scan, all, init, custom);
  return {results.end() - request.output_bytes(), results.end()};
}

std::optional<std::string> difference(const ScanRequest& request, const unsigned char* found, const Bytes& expected,
                                      const TestOperator* custom) {
  const auto bytes = static_cast<std::size_t>(request.output_bytes());
  const auto compared = custom != nullptr ? static_cast<std::size_t>(custom->significant_bytes(request)) : bytes;
  for (std::size_t place = 0; place < expected.size(); place += bytes) {
    const unsigned char* const right = &expected[place];
    if (std::memcmp(found + place, right, compared) == 0) continue;
    if (is_nan(request.output_type, found + place) && is_nan(request.output_type, right)) continue;
    return "item " + std::to_string(place / bytes) + " is " + hex(found + place, bytes) + " and should be " +
           hex(right, bytes);
  }
  return std::nullopt;
}

}  // namespace scantune
