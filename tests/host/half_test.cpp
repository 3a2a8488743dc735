// The conversions of 16-bit floating-point values, compared with exact arithmetic: every value, every boundary between
// two results, and the numbers next to each.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <ostream>

#include "core/parts/convert.h"
#include "device/host/random.h"
#include "effort.h"
#include "float_format.h"

namespace scantune::half_test {
namespace {

constexpr u32 kPatterns = 1u << 16;
constexpr u16 kInfinityOfF16 = 0x7c00, kInfinityOfBf16 = 0x7f80;

struct Format {
  const char* name;
  FloatFormat reference;
  u16 infinity;
  f32 (*widen)(u16 bits);
  u16 (*narrow_f32)(f32 value);
  u16 (*narrow_f64)(f64 value);
};

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

// Conversions as in kernels, where every input and output goes through convert().
template <class Half>
constexpr Format format_of(const char* name, FloatFormat reference, u16 infinity) {
  return {.name = name,
          .reference = reference,
          .infinity = infinity,
          .widen = [](u16 bits) { return convert<f32>(Half{bits}); },
          .narrow_f32 = [](f32 value) { return convert<Half>(value).bits; },
          .narrow_f64 = [](f64 value) { return convert<Half>(value).bits; }};
}

class HalfFormat : public testing::TestWithParam<Format> {
 protected:
  bool is_nan(u16 bits) const { return (bits & 0x7fff) > GetParam().infinity; }

  // Checks that the value narrows to what exact arithmetic gives, and to a NaN if it is one.
  void check(f64 value) const {
    const Format& format = GetParam();
    const u16 found = format.narrow_f64(value);
    if (std::isnan(value)) {
      ASSERT_TRUE(is_nan(found)) << found;
    } else {
      ASSERT_EQ(found, encoded(format.reference, value)) << std::hexfloat << value;
    }
    check_f32(static_cast<f32>(value));
  }

  void check_f32(f32 value) const {
    const Format& format = GetParam();
    const u16 found = format.narrow_f32(value);
    if (std::isnan(value)) {
      ASSERT_TRUE(is_nan(found)) << found;
    } else {
      ASSERT_EQ(found, encoded(format.reference, value)) << std::hexfloat << value;
    }
  }

  // Checks the value and its neighbours in both accumulator types, with both signs.
  void check_around(f64 value) const {
    constexpr f64 kInfinity = std::numeric_limits<f64>::infinity();
    constexpr f32 kFloatInfinity = std::numeric_limits<f32>::infinity();
    const auto narrow = static_cast<f32>(value);
    for (const f64 sign : {1, -1}) {
      for (const f64 near : {value, std::nextafter(value, kInfinity), std::nextafter(value, -kInfinity)})
        check(sign * near);
      for (const f32 near : {std::nextafter(narrow, kFloatInfinity), std::nextafter(narrow, -kFloatInfinity)})
        check(sign * near);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(HalfFormat, WidensEveryPatternToItsValue) {
  for (u32 pattern = 0; pattern < kPatterns; ++pattern) {
    const auto bits = static_cast<u16>(pattern);
    const f64 wanted = decoded(GetParam().reference, bits);
    const f32 found = GetParam().widen(bits);
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(found)) << pattern;
    } else {
      ASSERT_EQ(static_cast<f64>(found), wanted) << pattern;
      ASSERT_EQ(std::signbit(found), std::signbit(wanted)) << pattern;
    }
  }
}

TEST_P(HalfFormat, NarrowsEveryValueToItsPattern) {
  for (u32 pattern = 0; pattern < kPatterns; ++pattern) {
    const auto bits = static_cast<u16>(pattern);
    const f32 value = GetParam().widen(bits);
    const u16 from_f32 = GetParam().narrow_f32(value), from_f64 = GetParam().narrow_f64(value);
    if (is_nan(bits)) {
      ASSERT_TRUE(is_nan(from_f32) && is_nan(from_f64)) << pattern;
    } else {
      ASSERT_EQ(from_f32, bits);
      ASSERT_EQ(from_f64, bits);
    }
  }
}

// Between any two neighbours the midpoint is tested, which goes to the even one, and so are the numbers beside both.
TEST_P(HalfFormat, RoundsToTheNearestValueAndMidpointsToEven) {
  for (u16 bits = 0; bits < GetParam().infinity; ++bits) {
    const f64 value = decoded(GetParam().reference, bits);
    // The neighbour above the largest finite value is what the next exponent would hold.
    const f64 next = bits + 1 < GetParam().infinity ? decoded(GetParam().reference, static_cast<u16>(bits + 1))
                                                    : std::ldexp(1, GetParam().reference.max_exponent + 1);
    check_around(value);
    check_around((value + next) / 2);
    if (HasFatalFailure()) return;
  }
}

// The numbers are nearer to a midpoint than f32 resolves: rounding to f32 first would round them the wrong way.
TEST_P(HalfFormat, NarrowsF64WithoutRoundingTwice) {
  int would_differ = 0;
  for (u16 bits = 0; bits + 1 < GetParam().infinity; ++bits) {
    const f64 value = decoded(GetParam().reference, bits);
    const f64 midpoint = (value + decoded(GetParam().reference, static_cast<u16>(bits + 1))) / 2;
    for (const f64 beside : {midpoint * (1 - 0x1p-40), midpoint * (1 + 0x1p-40)}) {
      check(beside);
      if (HasFatalFailure()) return;
      would_differ += GetParam().narrow_f32(static_cast<f32>(beside)) != GetParam().narrow_f64(beside);
    }
  }
  EXPECT_GT(would_differ, GetParam().infinity / 2);  // otherwise the test has shown nothing
}

TEST_P(HalfFormat, NarrowsWhatIsOutOfRange) {
  constexpr f64 kSmallest = std::numeric_limits<f64>::denorm_min(), kLargest = std::numeric_limits<f64>::max();
  for (const f64 value :
       {0.0, kSmallest, std::numeric_limits<f64>::min(), kLargest, std::numeric_limits<f64>::infinity(),
        std::numeric_limits<f64>::quiet_NaN(), static_cast<f64>(std::numeric_limits<f32>::denorm_min()),
        static_cast<f64>(std::numeric_limits<f32>::max())}) {
    check(value);
    check(-value);
  }
}

TEST_P(HalfFormat, NarrowsNumbersOfEveryMagnitude) {
  Random random(1);
  for (int draw = 0; draw < 1000000 * kTestEffort; ++draw) {
    check(std::bit_cast<f64>(random.next()));
    check_f32(std::bit_cast<f32>(static_cast<u32>(random.next())));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(OfBothKinds, HalfFormat,
                         testing::Values(format_of<f16>("f16", kF16, kInfinityOfF16),
                                         format_of<bf16>("bf16", kBf16, kInfinityOfBf16)),
                         [](const auto& format) { return format.param.name; });

// Well-known values of the formats, with their bits.
TEST(FloatFormat, KnowsTheExamplesOfTheStandard) {
  EXPECT_EQ(decoded(kF16, 0x3c00), 1);
  EXPECT_EQ(decoded(kF16, 0xc000), -2);
  EXPECT_EQ(decoded(kF16, 0x7bff), 65504);
  EXPECT_EQ(decoded(kF16, 0x0001), 0x1p-24);
  EXPECT_EQ(decoded(kF16, 0x0400), 0x1p-14);
  EXPECT_EQ(decoded(kBf16, 0x3f80), 1);
  EXPECT_EQ(decoded(kBf16, 0xc049), -3.140625);
  EXPECT_EQ(decoded(kBf16, 0x7f7f), 0x1.fep127);
  EXPECT_EQ(decoded(kBf16, 0x0001), 0x1p-133);
  EXPECT_EQ(encoded(kF16, 65519.99), 0x7bff);
  EXPECT_EQ(encoded(kF16, 65520), kInfinityOfF16);
  EXPECT_EQ(encoded(kF16, 0x1p-25), 0);
  EXPECT_EQ(encoded(kF16, 0x1.8p-24), 2);
  EXPECT_EQ(encoded(kBf16, -3.14159265), 0xc049);
  for (const FloatFormat format : {kF16, kBf16}) {
    for (u32 pattern = 0; pattern < kPatterns; ++pattern) {
      const f64 value = decoded(format, static_cast<u16>(pattern));
      if (!std::isnan(value)) {
        ASSERT_EQ(encoded(format, value), pattern);
      }
    }
  }
}

}  // namespace
}  // namespace scantune::half_test
