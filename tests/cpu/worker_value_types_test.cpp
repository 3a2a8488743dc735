#include "measure/value_types.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace scantune {
namespace {

template <class T>
T put_and_get(ValueType type, long double number) {
  std::byte value[8];
  put_floating(type, number, value);
  T bits;
  std::memcpy(&bits, value, sizeof bits);
  return bits;
}

long double number_of(ValueType type, u16 bits) { return floating_at(type, reinterpret_cast<const std::byte*>(&bits)); }

TEST(ValueTypes, KnowHalfTypesByTheirBits) {
  const struct {
    ValueType type;
    u16 bits;
    long double number;
  } table[] = {{ValueType::f16, 0x3c00, 1},
               {ValueType::f16, 0xc000, -2},
               {ValueType::f16, 0x7bff, 65504},
               {ValueType::f16, 0x0400, 0x1p-14L},
               {ValueType::f16, 0x0001, 0x1p-24L},
               {ValueType::f16, 0x3555, 0.333251953125L},
               {ValueType::bf16, 0x3f80, 1},
               {ValueType::bf16, 0xc000, -2},
               {ValueType::bf16, 0x7f7f, 0x1.fep127L},
               {ValueType::bf16, 0x0001, 0x1p-133L},
               {ValueType::bf16, 0x3eab, 0.333984375L}};
  for (const auto& [type, bits, number] : table) {
    EXPECT_EQ(number_of(type, bits), number) << token(type) << " " << bits;
    EXPECT_EQ(put_and_get<u16>(type, number), bits) << token(type) << " " << bits;
  }
}

// Between any two neighbours, the midpoint goes to the even one, and what is past it to the nearer.
TEST(ValueTypes, RoundHalfTypesToNearestEven) {
  for (const ValueType type : {ValueType::f16, ValueType::bf16}) {
    const u16 infinity = type == ValueType::f16 ? 0x7c00 : 0x7f80;
    for (u16 bits = 0; bits < infinity - 1; ++bits) {
      const long double low = number_of(type, bits), high = number_of(type, static_cast<u16>(bits + 1));
      ASSERT_LT(low, high);
      const long double middle = (low + high) / 2, little = (high - low) / 1024;
      ASSERT_EQ(put_and_get<u16>(type, low), bits);
      ASSERT_EQ(put_and_get<u16>(type, middle), bits + bits % 2);
      ASSERT_EQ(put_and_get<u16>(type, middle - little), bits);
      ASSERT_EQ(put_and_get<u16>(type, middle + little), bits + 1);
      ASSERT_EQ(put_and_get<u16>(type, -middle), 0x8000 + bits + bits % 2);
    }
    const long double largest = number_of(type, static_cast<u16>(infinity - 1));
    const long double step = largest - number_of(type, static_cast<u16>(infinity - 2));
    EXPECT_EQ(put_and_get<u16>(type, largest + step / 2), infinity);
    EXPECT_EQ(put_and_get<u16>(type, largest + step / 2.001L), infinity - 1);
    EXPECT_EQ(put_and_get<u16>(type, -std::numeric_limits<long double>::infinity()), 0x8000 + infinity);
    const u16 nan = put_and_get<u16>(type, std::nanl(""));
    EXPECT_TRUE(std::isnan(number_of(type, nan)));
    EXPECT_EQ(nan, type == ValueType::f16 ? 0x7e00 : 0x7fc0) << "which is quiet";
    EXPECT_EQ(put_and_get<u16>(type, -0.0L), 0x8000);
  }
}

TEST(ValueTypes, RoundOnceOnTheWayToANarrowerType) {
  // Rounded to f32 first, both values would become ties.
  EXPECT_EQ(put_and_get<u16>(ValueType::f16, 1 + 0x1p-11L + 0x1p-40L), 0x3c01);
  EXPECT_EQ(put_and_get<u16>(ValueType::bf16, 1 + 0x1p-8L + 0x1p-40L), 0x3f81);
  const i64 integer = (i64{1} << 60) + (i64{1} << 36) + 1;  // rounded to f64 it is a tie of f32
  std::byte single[4];
  convert(ValueType::i64, reinterpret_cast<const std::byte*>(&integer), ValueType::f32, single);
  EXPECT_EQ(floating_at(ValueType::f32, single), 0x1p60L + 0x1p37L);
}

TEST(ValueTypes, ReduceIntegersModuloTheirWidth) {
  EXPECT_EQ(reduced(ValueType::i8, 200), static_cast<u64>(-56));
  EXPECT_EQ(reduced(ValueType::u8, static_cast<u64>(-56)), 200u);
  EXPECT_EQ(reduced(ValueType::i64, ~u64{0}), ~u64{0});
  const i16 negative = -3;
  std::byte wide[8];
  convert(ValueType::i16, reinterpret_cast<const std::byte*>(&negative), ValueType::u64, wide);
  EXPECT_EQ(integer_at(ValueType::u64, wide), static_cast<u64>(-3));
}

TEST(ValueTypes, RefuseToTurnFloatsIntoIntegersAndCustomValuesIntoNumbers) {
  std::byte value[8] = {};
  EXPECT_THROW(convert(ValueType::f32, value, ValueType::i32, value), RequestError);
  EXPECT_THROW(put_floating(ValueType::i32, 1, value), RequestError);
  EXPECT_THROW(floating_at(ValueType::custom, value), RequestError);
}

}  // namespace
}  // namespace scantune
