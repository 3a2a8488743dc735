// The public API over its problems: types that differ, half precision, the caller's own types and operators, initial
// values in memory, determinism. Runs beside api_test.cpp, which sets the host device up.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "operator_sources.h"
#include "scantune/runtime.hpp"

namespace scantune {
namespace {

using runtime::Buffer;
using runtime::Kind;
using runtime::Op;

constexpr std::uint64_t kItems = 5003;

template <class T>
std::vector<T> downloaded(const Buffer<T>& buffer) {
  std::vector<T> values(buffer.size());
  buffer.download(values.data());
  return values;
}

template <class Out, class Acc = runtime::default_accumulator_t<Out, Out>, class In>
std::vector<Out> scanned(const std::vector<In>& values, const runtime::ScanOptions<Acc>& options = {}) {
  const Buffer<In> in(values);
  const Buffer<Out> out(values.size());
  runtime::scan<In, Out, Acc>(in.data(), out.data(), values.size(), options);
  return downloaded(out);
}

std::vector<std::int8_t> flags() {
  std::vector<std::int8_t> values(kItems);
  for (std::size_t index = 0; index < values.size(); ++index) values[index] = index % 7 < 3;
  return values;
}

TEST(ApiProblems, FlagsBecomeOffsets) {
  const auto values = flags();
  std::vector<std::int32_t> expected(kItems);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);
  EXPECT_EQ(scanned<std::int32_t>(values, {.kind = Kind::exclusive}), expected);
}

TEST(ApiProblems, BoolsCountAsZeroAndOne) {
  const auto values = flags();
  std::array<bool, kItems> bools{};
  std::ranges::copy(values, bools.begin());
  std::vector<std::int64_t> expected(kItems);
  std::inclusive_scan(values.begin(), values.end(), expected.begin(), std::plus<>(), std::int64_t{2});
  const Buffer<bool> in(bools);
  const Buffer<std::int64_t> out(kItems);
  runtime::scan(in.data(), out.data(), kItems, {.init = 2});
  EXPECT_EQ(downloaded(out), expected);
}

TEST(ApiProblems, SumsAreAsWideAsTheirResults) {
  const std::vector<std::int32_t> values(kItems, std::numeric_limits<std::int32_t>::max());
  std::vector<std::int64_t> expected(kItems);
  std::inclusive_scan(values.begin(), values.end(), expected.begin(), std::plus<>(), std::int64_t{0});
  EXPECT_EQ(scanned<std::int64_t>(values), expected);
}

TEST(ApiProblems, HalfPrecisionAddsInFloat) {
  std::vector<float> expected(kItems);
  std::iota(expected.begin(), expected.end(), 1.0f);
  EXPECT_EQ((scanned<float>(std::vector(kItems, runtime::f16{0x3c00}))), expected);
  EXPECT_EQ((scanned<float>(std::vector(kItems, runtime::bf16{0x3f80}))), expected);
}

TEST(ApiProblems, HalfPrecisionRoundsEachResultOnce) {
  const auto sums = scanned<runtime::f16, float>(std::vector(kItems, runtime::f16{0x3c00}));
  EXPECT_EQ(sums[2047].bits, 0x6800) << "2048";
  EXPECT_EQ(sums[2048].bits, 0x6800) << "2049 lies between 2048 and 2050: to even";
  EXPECT_EQ(sums[2050].bits, 0x6802) << "2051 lies between 2050 and 2052: to even";
}

TEST(ApiProblems, EveryBuiltInOperatorCombines) {
  std::vector<std::uint32_t> values(kItems);
  for (std::size_t index = 0; index < values.size(); ++index)
    values[index] = static_cast<std::uint32_t>(index * 2654435761u | 1u);
  using Combine = std::uint32_t (*)(std::uint32_t, std::uint32_t);
  const std::pair<Op, Combine> kOperators[] = {
      {Op::sum, [](auto a, auto b) { return a + b; }},         {Op::product, [](auto a, auto b) { return a * b; }},
      {Op::min, [](auto a, auto b) { return a < b ? a : b; }}, {Op::max, [](auto a, auto b) { return a < b ? b : a; }},
      {Op::bit_and, [](auto a, auto b) { return a & b; }},     {Op::bit_or, [](auto a, auto b) { return a | b; }},
      {Op::bit_xor, [](auto a, auto b) { return a ^ b; }}};
  for (const auto& [op, combine] : kOperators) {
    std::vector<std::uint32_t> expected(kItems);
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), combine);
    EXPECT_EQ(scanned<std::uint32_t>(values, {.op = op}), expected) << "operator " << op.value();
  }
}

TEST(ApiProblems, ExclusiveScansStartFromTheIdentityOverTheInputType) {
  const std::vector<std::int8_t> values{5, -3, 7};
  EXPECT_EQ((scanned<std::int32_t>(values, {.op = Op::min, .kind = Kind::exclusive})),
            (std::vector<std::int32_t>{127, 5, -3}));
}

// x -> a x + b modulo 2^32: exact, and not commutative.
struct Affine {
  std::uint32_t a, b;

  bool operator==(const Affine&) const = default;
};

Affine then(Affine f, Affine g) { return {g.a * f.a, g.a * f.b + g.b}; }

std::vector<Affine> affine_maps() {
  std::vector<Affine> maps(kItems);
  for (std::uint32_t index = 0; index < maps.size(); ++index) maps[index] = {2 * index + 1, index * index};
  return maps;
}

TEST(ApiProblems, StructsAreCombinedByTheCallersOperatorInOrder) {
  const auto maps = affine_maps();
  const Op op = Op::custom(affine_source("unsigned"), Affine{1, 0}, {.name = "affine"});
  std::vector<Affine> expected(kItems);
  std::inclusive_scan(maps.begin(), maps.end(), expected.begin(), then);
  EXPECT_EQ((scanned<Affine>(maps, {.op = op})), expected);
  std::exclusive_scan(maps.begin(), maps.end(), expected.begin(), Affine{1, 0}, then);
  EXPECT_EQ((scanned<Affine>(maps, {.op = op, .kind = Kind::exclusive})), expected);
}

TEST(ApiProblems, ACustomOperatorMayCombineNumbers) {
  const auto values = flags();
  const Op last_set = Op::custom("__device__ Value combine(Value a, Value b) { return b ? b : a; }", 0);
  std::vector<std::int32_t> expected(kItems);
  std::inclusive_scan(values.begin(), values.end(), expected.begin(), [](int a, int b) { return b ? b : a; }, 0);
  EXPECT_EQ((scanned<std::int32_t>(values, {.op = last_set})), expected);
}

TEST(ApiProblems, AMistakeInTheSourceIsToldWithItsLine) {
  const std::string wrong =
      "struct Value { unsigned a, b; };\n\n__device__ Value combine(Value f, Value g) { return nothing; }\n";
  try {
    scanned<Affine>(affine_maps(), {.op = Op::custom(wrong, Affine{1, 0})});
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("operator.cu:3"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("nothing"), std::string::npos) << error.what();
  }
}

TEST(ApiProblems, AnInitialValueInMemoryIsReadWhenTheScanRuns) {
  const auto values = flags();
  const Buffer<std::int8_t> in(values);
  const Buffer<std::int64_t> out(kItems);
  Buffer<std::int64_t> start(1);
  const auto plan = runtime::plan<std::int8_t, std::int64_t>(kItems, {.device_init = start.data()});
  for (const std::int64_t init : {std::int64_t{-5}, std::int64_t{1} << 40}) {
    start.upload(&init);
    plan(in.data(), out.data());
    std::vector<std::int64_t> expected(kItems);
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), std::plus<>(), init);
    EXPECT_EQ(downloaded(out), expected);
  }
}

TEST(ApiProblems, DeterministicSumsHaveTheSameBitsAtEveryAddress) {
  std::vector<float> values(kItems);
  for (std::size_t index = 0; index < values.size(); ++index)
    values[index] = 1.0f / static_cast<float>(index % 1000 + 1);
  std::vector<float> shifted(1);
  shifted.insert(shifted.end(), values.begin(), values.end());
  const Buffer<float> aligned(values), unaligned(shifted), out(kItems);
  const auto plan = runtime::plan<float>(kItems, {.determinism = runtime::Determinism::run_to_run});
  plan(aligned.data(), out.data());
  const auto first = downloaded(out);
  for (const float* input : {aligned.data(), unaligned.data() + 1}) {
    plan(input, out.data());
    EXPECT_EQ(downloaded(out), first);
  }
}

TEST(ApiProblems, OfMoreItemsThanABufferHoldsAreRefusedWithTheNumberThatFits) {
  const Buffer<std::int32_t> first(1000), second(1000);
  const auto [in, out] = std::minmax({first.data(), second.data()});
  const auto n = static_cast<std::uint64_t>(out - in) + 1;  // the ranges overlap, too
  for (const auto& call : {std::function([&] { runtime::scan(in, out, n); }),
                           std::function([&] { runtime::plan<std::int32_t>(n)(in, out); })}) {
    try {
      call();
      ADD_FAILURE() << "scanned";
    } catch (const RequestError& error) {
      const std::string expected =
          "input: the allocation holds 4000 bytes from there on, room for 1000 items of 4 bytes, and the scan needs " +
          std::to_string(n);
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace scantune
