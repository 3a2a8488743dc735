#include "scan_items.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "expected_scan.h"

namespace scantune {
namespace {

constexpr f64 kSumUnit = 0x1p-6;      // items of a floating-point sum are multiples of it
constexpr u32 kSumUnits = 255;        // the largest multiple, which bf16 holds
constexpr u64 kFewItems = 1u << 15;   // so many such items, and an initial value, have a sum of at most 24 bits
constexpr f64 kInitUnits = 2049;      // an initial value that neither f16 nor bf16 holds
constexpr int kProductExponents = 7;  // the product of any floating-point items lies within 2^-14 and 2^14
constexpr u32 kRareItems = 40;        // how many items change a result for good
constexpr f64 kLargest = 60000;       // the largest item of minima and maxima; f16 holds it

class Drawer {
 public:
  Drawer(const ScanRequest& request, u64 seed) : request_(request), random_(seed) {}

  // Writes item `index` of request.n.
  void draw(u64 index, unsigned char* item) {
    with_type(request_.input_type, [&]<class Item>(Item value) {
      if constexpr (std::is_arithmetic_v<Item>) {
        if (is_half(request_.input_type)) {
          value = static_cast<Item>(encoded(format_of(request_.input_type), number(index)));
        } else if constexpr (std::is_integral_v<Item>) {
          value = is_floating(request_.accumulator_type) && !extremes() ? small_integer<Item>() : integer<Item>(index);
        } else {
          value = static_cast<Item>(number(index));
        }
        std::memcpy(item, &value, sizeof value);
      }
    });
  }

 private:
  bool extremes() const { return request_.op == Operator::min || request_.op == Operator::max; }
  bool rarely() { return random_.next() % request_.n < kRareItems; }

  // The share of the range that item `index` has reached: half of the items lie on a slope, the others before it.
  f64 progress(u64 index) {
    const f64 slope = static_cast<f64>(index) / static_cast<f64>(request_.n);
    return random_.chance(50) ? slope : slope * random_.below(1u << 20) * 0x1p-20;
  }

  template <class Item>
  Item integer(u64 index) {
    using Unsigned = std::make_unsigned_t<Item>;
    constexpr Unsigned kAll = std::numeric_limits<Unsigned>::max();
    const auto bits = static_cast<Unsigned>(random_.next());
    const auto one_bit = static_cast<Unsigned>(Unsigned{1} << (bits % (8 * sizeof(Item))));
    switch (request_.op) {
      case Operator::min:
      case Operator::max: {
        const auto offset = static_cast<Unsigned>(0.9 * progress(index) * static_cast<f64>(kAll));
        const Unsigned from_lowest = request_.op == Operator::max ? offset : static_cast<Unsigned>(kAll - offset);
        return static_cast<Item>(static_cast<Unsigned>(std::numeric_limits<Item>::lowest()) + from_lowest);
      }
      case Operator::product:
        return static_cast<Item>(rarely() ? bits : bits | 1);  // even factors end at zero
      case Operator::bit_and:
        return static_cast<Item>(rarely() ? static_cast<Unsigned>(~one_bit) : kAll);
      case Operator::bit_or:
        return static_cast<Item>(rarely() ? one_bit : Unsigned{0});
      default:
        return static_cast<Item>(bits);
    }
  }

  // A small integer, whose sums and products are exact in floating-point accumulators.
  template <class Item>
  Item small_integer() {
    if (request_.op == Operator::product) {
      if (twos_ < kRareItems && rarely()) return ++twos_, Item{2};
      return std::is_signed_v<Item> && random_.chance(50) ? static_cast<Item>(-1) : Item{1};
    }
    const auto value = static_cast<i32>(random_.below(200));
    return static_cast<Item>(std::is_signed_v<Item> ? value - 100 : value);
  }

  f64 number(u64 index) {
    if (extremes()) {
      const f64 rising = kLargest * (2 * progress(index) - 1);
      return request_.op == Operator::max ? rising : -rising;
    }
    if (request_.op == Operator::product) {
      const int before = exponent_;
      exponent_ = static_cast<int>(random_.below(2 * kProductExponents + 1)) - kProductExponents;
      return std::ldexp(random_.chance(50) ? 1 : -1, exponent_ - before);
    }
    const u32 units = request_.n <= kFewItems ? kSumUnits : kSumUnits / 16;
    return kSumUnit * (static_cast<f64>(random_.below(2 * units + 1)) - units);
  }

  const ScanRequest& request_;
  Random random_;
  int exponent_ = 0;  // exponent of the product so far
  u32 twos_ = 0;
};

// Zeros, infinities and a NaN, at the places where they change the result of the operator.
f64 special_number(const ScanRequest& request, u64 index, Random& random) {
  const f64 sign = request.op == Operator::max ? 1 : -1;  // sign of the numbers that win
  const f64 infinity = std::numeric_limits<f64>::infinity();
  switch (8 * index / request.n) {
    case 0:
      return -sign * infinity;
    case 1:
      return -sign * (1 + random.below(100));
    case 2:
      return sign * -0.0;
    case 3:
      return random.chance(50) ? 0.0 : -0.0;
    case 4:
    case 5:
      return sign * random.below(100);
    default:
      break;
  }
  if (index == request.n / 8 * 7) return std::numeric_limits<f64>::quiet_NaN();
  return random.chance(5) ? infinity : -infinity;
}

template <class Draw>
Bytes drawn(u64 n, int item_bytes, const Draw& draw) {
  Bytes items(n * static_cast<u64>(item_bytes));
  CustomValue item{};
  for (u64 index = 0; index < n; ++index) {
    draw(index, item.data());
    std::memcpy(&items[index * static_cast<u64>(item_bytes)], item.data(), static_cast<std::size_t>(item_bytes));
  }
  return items;
}

// The products of consecutive items are exact, and a scan of columns combines those below one another. So each column
// is a row of a scan of rows.
Bytes in_columns(const ScanRequest& request, u64 seed) {
  const u64 lines = column_items(request), item_bytes = static_cast<u64>(request.input_bytes());
  ScanRequest rows = request;
  rows.segments = Segments::rows;
  rows.rows = request.columns;
  rows.n = lines * request.columns;
  const Bytes by_rows = scan_items(rows, seed);
  Bytes items(request.n * item_bytes);
  for (u64 index = 0; index < request.n; ++index)
    std::memcpy(&items[index * item_bytes],
                &by_rows[(index % request.columns * lines + index / request.columns) * item_bytes], item_bytes);
  return items;
}

// The initial value for operators other than minima and maxima.
template <class T>
T initial_value(Operator op) {
  if constexpr (std::is_floating_point_v<T>)
    return op == Operator::product ? T{3} : static_cast<T>(kInitUnits * kSumUnit);
  constexpr u64 kBits = 0x0123456789abcdef, kTwoBits = 0x0100000000000400;
  if (op == Operator::bit_and) return static_cast<T>(~kTwoBits);
  return static_cast<T>(op == Operator::bit_or ? kTwoBits : kBits);
}

// The accumulator that an item is.
Bytes widened(ScanRequest request, const Bytes& item, const TestOperator* custom) {
  request.output_type = request.accumulator_type;
  request.kind = Kind::inclusive;
  request.init = Init::none;
  return expected_scan(request, item, nullptr, custom);
}

}  // namespace

Bytes scan_items(const ScanRequest& request, u64 seed, const TestOperator* custom) {
  if (custom != nullptr) {
    Random random(seed);
    return drawn(request.n, request.input_bytes(), [&](u64, unsigned char* item) { custom->draw(item, random); });
  }
  if (request.segments == Segments::columns) return in_columns(request, seed);
  Drawer drawer(request, seed);
  return drawn(request.n, request.input_bytes(), [&](u64 index, unsigned char* item) { drawer.draw(index, item); });
}

Bytes scan_init(const ScanRequest& request, const TestOperator* custom) {
  ScanRequest few = request;
  few.segments = Segments::none;
  few.columns = 0;
  few.n = 5;  // at the second of five, a fifth of the slope has passed
  const Bytes items = scan_items(few, 1, custom);
  const auto bytes = items.begin() + request.input_bytes();
  if (custom != nullptr || request.op == Operator::min || request.op == Operator::max)
    return widened(request, Bytes(bytes, bytes + request.input_bytes()), custom);
  return with_accumulator(request.accumulator_type, [&]<class T>(T) {
    Bytes init(sizeof(T));
    if constexpr (std::is_arithmetic_v<T>) {
      const T value = initial_value<T>(request.op);
      std::memcpy(init.data(), &value, sizeof value);
    }
    return init;
  });
}

Bytes special_items(const ScanRequest& request, u64 seed) {
  Random random(seed);
  return drawn(request.n, request.input_bytes(), [&](u64 index, unsigned char* item) {
    with_type(request.input_type, [&]<class Item>(Item value) {
      if constexpr (std::is_arithmetic_v<Item>) {
        const f64 number = special_number(request, index, random);
        value = is_half(request.input_type) ? static_cast<Item>(encoded(format_of(request.input_type), number))
                                            : static_cast<Item>(number);
        std::memcpy(item, &value, sizeof value);
      }
    });
  });
}

}  // namespace scantune
