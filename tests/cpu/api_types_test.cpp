#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include "scan/config/scan.h"
#include "scantune/runtime.hpp"
#include "space/space.h"

namespace scantune::testing {
namespace {

using runtime::default_accumulator_t;
using runtime::detail::type_of;

template <class... Types>
struct TypeList {};
using BuiltInTypes = TypeList<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                              std::uint32_t, std::uint64_t, runtime::f16, runtime::bf16, float, double>;
constexpr int kBuiltInTypes = 12;

template <class In, class Out>
void expect_the_librarys_accumulator() {
  EXPECT_EQ((type_of<default_accumulator_t<In, Out>>()), scantune_accumulator(type_of<In>(), type_of<Out>()))
      << "input " << type_of<In>() << ", output " << type_of<Out>();
}

template <class In, class... Outs>
void expect_the_librarys_accumulators_of(TypeList<Outs...>) {
  (expect_the_librarys_accumulator<In, Outs>(), ...);
}

template <class... Ins>
void expect_the_librarys_accumulators(TypeList<Ins...>) {
  static_assert(sizeof...(Ins) == kBuiltInTypes);
  (expect_the_librarys_accumulators_of<Ins>(BuiltInTypes{}), ...);
}

TEST(CppTypes, HaveTheDefaultAccumulatorsOfTheLibrary) { expect_the_librarys_accumulators(BuiltInTypes{}); }

TEST(CppTypes, AreRefusedByTheCompilerWhereTheLibraryRefusesThem) {
  for (int in = SCANTUNE_I8; in <= SCANTUNE_F64; ++in)
    for (int acc = SCANTUNE_I8; acc <= SCANTUNE_F64; ++acc)
      for (int out = SCANTUNE_I8; out <= SCANTUNE_F64; ++out) {
        ScanRequest request;
        request.input_type = static_cast<ValueType>(in - 1);
        request.accumulator_type = static_cast<ValueType>(acc - 1);
        request.output_type = static_cast<ValueType>(out - 1);
        const auto type = [](int number) { return static_cast<scantune_type>(number); };
        const bool compiles = runtime::detail::is_accumulator(type(acc)) &&
                              runtime::detail::converts_to_accumulator(type(in), type(acc)) &&
                              runtime::detail::converts_to_output(type(acc), type(out));
        EXPECT_EQ(compiles, unsupported_reason(request) == nullptr) << in << ' ' << acc << ' ' << out;
      }
}

TEST(CppTypes, AreNamedInMessagesAsTheLibraryNamesThem) {
  for (int number = SCANTUNE_I8; number <= SCANTUNE_F64; ++number)
    EXPECT_EQ(runtime::detail::type_name(static_cast<scantune_type>(number), 0, 0),
              token(static_cast<ValueType>(number - 1)));
}

TEST(CppTypes, AreWhatTheirSizeAndSignSay) {
  EXPECT_EQ(type_of<bool>(), SCANTUNE_U8);
  EXPECT_EQ(type_of<char>(), std::numeric_limits<char>::is_signed ? SCANTUNE_I8 : SCANTUNE_U8);
  EXPECT_EQ(type_of<short>(), SCANTUNE_I16);
  EXPECT_EQ(type_of<unsigned>(), SCANTUNE_U32);
  EXPECT_EQ(type_of<long>(), sizeof(long) == 8 ? SCANTUNE_I64 : SCANTUNE_I32);
  EXPECT_EQ(type_of<long long>(), SCANTUNE_I64);
  EXPECT_EQ(type_of<unsigned long long>(), SCANTUNE_U64);
  EXPECT_EQ(type_of<char32_t>(), SCANTUNE_U32);
  EXPECT_EQ(type_of<float>(), SCANTUNE_F32);
  EXPECT_EQ(type_of<double>(), SCANTUNE_F64);
}

TEST(CppTypes, OfHalfPrecisionNeedNotBeComplete) {
  EXPECT_EQ(type_of<__half>(), SCANTUNE_F16);
  EXPECT_EQ(type_of<__nv_bfloat16>(), SCANTUNE_BF16);
  static_assert(std::is_same_v<default_accumulator_t<__half, __half>, float>);
  static_assert(std::is_same_v<default_accumulator_t<__nv_bfloat16, double>, double>);
#ifdef __FLT16_MANT_DIG__
  EXPECT_EQ(type_of<_Float16>(), SCANTUNE_F16);
#endif
}

TEST(CppTypes, ThatAreStructsAreCustom) {
  struct Affine {
    float a, b;
  };
  EXPECT_EQ(type_of<Affine>(), SCANTUNE_CUSTOM_TYPE);
  EXPECT_EQ(type_of<std::complex<float>>(), SCANTUNE_CUSTOM_TYPE);
  EXPECT_EQ((type_of<std::array<char, 32>>()), SCANTUNE_CUSTOM_TYPE);
  static_assert(std::is_same_v<default_accumulator_t<Affine, Affine>, Affine>);
}

TEST(CppTypes, OfTheCallersAccumulateInThemselvesWhereTheyAreWideEnough) {
  static_assert(std::is_same_v<default_accumulator_t<long long, long long>, long long>);
  static_assert(std::is_same_v<default_accumulator_t<long, long>, long>);
  static_assert(std::is_same_v<default_accumulator_t<int, long long>, long long>);
  static_assert(std::is_same_v<default_accumulator_t<long long, int>, long long>);
}

TEST(CTypes, WithoutAMeaningHaveNoAccumulator) {
  for (const int number : {-1, 0, 14, 1 << 30}) {
    const auto none = static_cast<scantune_type>(number);
    EXPECT_EQ(scantune_accumulator(none, SCANTUNE_I32), SCANTUNE_DEFAULT_TYPE) << number;
    EXPECT_EQ(scantune_accumulator(SCANTUNE_I32, none), SCANTUNE_DEFAULT_TYPE) << number;
  }
  EXPECT_EQ(scantune_accumulator(SCANTUNE_CUSTOM_TYPE, SCANTUNE_CUSTOM_TYPE), SCANTUNE_CUSTOM_TYPE);
}

}  // namespace
}  // namespace scantune::testing
