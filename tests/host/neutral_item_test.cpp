// The neutral item, which fills up partial tiles, changes no bit of what follows, for every type and operator.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "core/parts/neutral_item.h"
#include "scan/parts/problem.h"

namespace scantune::neutral_item_test {
namespace {

template <class Item>
std::vector<Item> items_at_the_edges() {
  if constexpr (kIsFloating<Item>) {
    std::vector<Item> items;
    constexpr f64 kInfinity = std::numeric_limits<f64>::infinity(), kNaN = std::numeric_limits<f64>::quiet_NaN();
    for (const f64 value : {-0.0, 0.0, 1.0, -1.0, 0x1p-14, -65504.0, kInfinity, -kInfinity, kNaN})
      items.push_back(floating_item<Item>(value));
    return items;
  } else {
    using Limits = std::numeric_limits<Item>;
    return {Item{0},
            Item{1},
            Item{2},
            static_cast<Item>(~Item{0}),
            Limits::lowest(),
            Limits::max(),
            static_cast<Item>(Limits::max() - 1),
            static_cast<Item>(Limits::max() / 2)};
  }
}

// NaN has many bits, which operators may exchange.
template <class T>
bool has_bits_of(const T& a, const T& b) {
  if (a != a || b != b) return a != a && b != b;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <Operator kOperator, class Item, class T>
void changes_nothing() {
  using Op = OperatorOf<T, kOperator>;
  const T neutral = convert<T>(neutral_item<kOperator, Item, T>());
  for (const Item item : items_at_the_edges<Item>()) {
    const T value = convert<T>(item);
    EXPECT_TRUE(has_bits_of(Op::combine(value, neutral), value)) << +static_cast<f64>(value) << " before";
    EXPECT_TRUE(has_bits_of(Op::combine(neutral, value), value)) << +static_cast<f64>(value) << " behind";
  }
}

template <class Item, class T>
void changes_nothing_of() {
  SCOPED_TRACE(testing::Message() << sizeof(Item) << " bytes, " << sizeof(T) << " of the accumulator");
  changes_nothing<Operator::sum, Item, T>();
  changes_nothing<Operator::product, Item, T>();
  changes_nothing<Operator::min, Item, T>();
  changes_nothing<Operator::max, Item, T>();
  if constexpr (!kIsFloating<T>) {
    changes_nothing<Operator::bit_and, Item, T>();
    changes_nothing<Operator::bit_or, Item, T>();
    changes_nothing<Operator::bit_xor, Item, T>();
  }
}

template <class Item>
void changes_nothing_in_any_accumulator() {
  if constexpr (!kIsFloating<Item>) {
    changes_nothing_of<Item, i32>();
    changes_nothing_of<Item, u32>();
    changes_nothing_of<Item, i64>();
    changes_nothing_of<Item, u64>();
  }
  changes_nothing_of<Item, f32>();
  changes_nothing_of<Item, f64>();
}

TEST(NeutralItem, ChangesNoBit) {
  changes_nothing_in_any_accumulator<i8>();
  changes_nothing_in_any_accumulator<u8>();
  changes_nothing_in_any_accumulator<i16>();
  changes_nothing_in_any_accumulator<u16>();
  changes_nothing_in_any_accumulator<i32>();
  changes_nothing_in_any_accumulator<u32>();
  changes_nothing_in_any_accumulator<i64>();
  changes_nothing_in_any_accumulator<u64>();
  changes_nothing_in_any_accumulator<f16>();
  changes_nothing_in_any_accumulator<bf16>();
  changes_nothing_in_any_accumulator<f32>();
  changes_nothing_in_any_accumulator<f64>();
}

}  // namespace
}  // namespace scantune::neutral_item_test
