// The public API over its problems: types that differ, half precision, the caller's own types and operators, initial
// values in memory, determinism. This file is linked with api_test.cpp, which sets the host device up.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "downloaded.h"
#include "operator_sources.h"
#include "prepared_kernels.h"
#include "scantune/runtime.hpp"

namespace scantune::api_problems_test {
namespace {

using runtime::Buffer;
using runtime::Kind;
using runtime::Op;

constexpr std::uint64_t kItems = 5003;

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

TEST(ApiProblems, BoolsCountAsTheNumbersOfTheirBytes) {
  for (const auto set : {std::int8_t{1}, std::int8_t{2}}) {  // true, and what only other languages store
    auto values = flags();
    for (std::int8_t& value : values) value = value ? set : std::int8_t{0};
    std::array<bool, kItems> bools{};
    std::memcpy(bools.data(), values.data(), kItems);
    std::vector<std::int64_t> expected(kItems);
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), std::plus<>(), std::int64_t{2});
    const Buffer<bool> in(bools);
    const Buffer<std::int64_t> out(kItems);
    runtime::scan(in.data(), out.data(), kItems, {.init = 2});
    EXPECT_EQ(downloaded(out), expected) << "bytes of " << int{set};
  }
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

// The map x -> a x + b modulo 2^32, which is exact and does not commute.
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

// Values with a mark; the operator tells where it was given one without, which is no item.
struct Marked {
  std::uint32_t mark, value;

  bool operator==(const Marked&) const = default;
};
struct Told {
  unsigned* unreal;
};
constexpr std::uint32_t kMark = 0x5ca7;
unsigned unreal_values = 0;

Op last_odd() {
  return Op::custom(
      "struct Value { unsigned mark, value; };\n"
      "struct State { unsigned* unreal; };\n"
      "__device__ Value combine(Value a, Value b, State told) {\n"
      "  if (a.mark != 0x5ca7 || b.mark != 0x5ca7) *told.unreal = 1;\n"
      "  return b.value % 2 ? b : a;\n"
      "}\n",
      Op::no_identity, Told{&unreal_values}, {.cost = runtime::Cost::cheap});
}
Marked later_odd(Marked a, Marked b) { return b.value % 2 != 0 ? b : a; }

std::vector<Marked> marked(std::size_t count) {
  std::vector<Marked> items(count);
  for (std::uint32_t index = 0; index < count; ++index) items[index] = {kMark, index * 2654435761u >> 7};
  return items;
}

TEST(ApiProblems, AnOperatorWithoutIdentityIsGivenRealValuesAlone) {
  const Marked init{kMark, 99};
  const Buffer<Marked> start(std::vector{init});
  unreal_values = 0;
  for (const std::size_t count : {std::size_t{1}, std::size_t{33}, std::size_t{kItems}}) {
    const auto items = marked(count);
    std::vector<Marked> expected(count);
    std::inclusive_scan(items.begin(), items.end(), expected.begin(), later_odd);
    EXPECT_EQ((scanned<Marked>(items, {.op = last_odd()})), expected);
    std::exclusive_scan(items.begin(), items.end(), expected.begin(), init, later_odd);
    EXPECT_EQ((scanned<Marked>(items, {.op = last_odd(), .kind = Kind::exclusive, .init = init})), expected);
    EXPECT_EQ((scanned<Marked>(items, {.op = last_odd(), .kind = Kind::exclusive, .device_init = start.data()})),
              expected);
    const Buffer<Marked> in(items), out(1);
    runtime::reduce(in.data(), out.data(), count, last_odd());
    EXPECT_EQ(downloaded(out).front(), std::reduce(items.begin() + 1, items.end(), items.front(), later_odd));
    runtime::reduce(in.data(), out.data(), count, {.op = last_odd(), .init = init});
    EXPECT_EQ(downloaded(out).front(), std::reduce(items.begin(), items.end(), init, later_odd));
  }
  EXPECT_EQ(unreal_values, 0u);
}

TEST(ApiReductions, OfEmptyRowsByAnOperatorWithoutIdentityAreTheInitialValue) {
  const Marked init{kMark, 98};
  const std::vector<Marked> untouched(3, Marked{1, 2});
  Buffer<Marked> out(untouched);
  const Marked* const nothing = nullptr;
  unreal_values = 0;
  runtime::reduce(nothing, out.data(), 0, {.op = last_odd(), .segments = runtime::Segments::rows(0, 5)});
  EXPECT_EQ(downloaded(out), untouched) << "there are no rows, so nothing needs an identity";
  runtime::reduce(nothing, out.data(), 0,
                  {.op = last_odd(), .segments = runtime::Segments::columns(3, 0), .init = init});
  EXPECT_EQ(downloaded(out), std::vector(3, init));
  out.upload(untouched.data());
  runtime::reduce(nothing, out.data(), 0, {.op = last_odd(), .segments = runtime::Segments::rows(3, 0), .init = init});
  EXPECT_EQ(downloaded(out), std::vector(3, init));
  EXPECT_EQ(unreal_values, 0u);
}

TEST(ApiProblems, AMistakeInTheSourceIsToldWithItsLine) {
  if (is_rehearsal()) return;  // such kernels do not belong into a unit
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

TEST(ApiProblems, AnNInMemoryIsReadWhenTheScanRuns) {
  const auto values = flags();
  const Buffer<std::int8_t> in(values);
  Buffer<std::int64_t> out(kItems);
  Buffer<std::uint64_t> n(1);
  const Buffer<std::uint32_t> clamped(1);
  const auto plan =
      runtime::plan<std::int8_t, std::int64_t>(kItems, {.device_n = n.data(), .device_clamped = clamped.data()});
  const std::vector<std::int64_t> untouched(kItems, -77);
  for (const std::uint64_t items : {std::uint64_t{3}, std::uint64_t{kItems}, std::uint64_t{0},
                                    std::uint64_t{kItems - 1}, std::uint64_t{kItems + 1}}) {
    n.upload(&items);
    out.upload(untouched.data());
    plan(in.data(), out.data());
    auto expected = untouched;
    std::inclusive_scan(values.begin(),
                        values.begin() + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(items), kItems),
                        expected.begin(), std::plus<>(), std::int64_t{0});
    EXPECT_EQ(downloaded(out), expected) << items;
    EXPECT_EQ(downloaded(clamped).front(), items > kItems ? 1u : 0u) << items;
  }
}

TEST(ApiProblems, AnNInMemoryOfFourBytesIsReadAsSuch) {
  const Buffer<int> in(std::vector<int>(kItems, 1)), out(std::vector<int>(kItems, 0));
  const Buffer<std::int32_t> n(std::vector<std::int32_t>{3, -1});  // as 8 bytes it would be more than kItems
  runtime::scan(in.data(), out.data(), kItems, {.device_n = n.data()});
  std::vector<int> expected(kItems, 0);
  std::iota(expected.begin(), expected.begin() + 3, 1);
  EXPECT_EQ(downloaded(out), expected);
  runtime::scan(in.data(), out.data(), kItems, {.device_n = n.data() + 1});  // a negative one is more than kItems
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(downloaded(out), expected);
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

TEST(ApiReductions, OfNoItemsAreTheInitialValueOrTheIdentity) {
  const std::vector<int> seven{7};
  const Buffer<int> init(seven), out(1);
  const auto result = [&] { return downloaded(out).front(); };
  const int* const nothing = nullptr;
  runtime::reduce(nothing, out.data(), 0);
  EXPECT_EQ(result(), 0);
  runtime::reduce(nothing, out.data(), 0, Op::min);
  EXPECT_EQ(result(), std::numeric_limits<int>::max());
  runtime::reduce(nothing, out.data(), 0, {.op = Op::max, .init = -3});
  EXPECT_EQ(result(), -3);
  runtime::reduce_plan<int>(0, {.device_init = init.data()})(nothing, out.data());
  EXPECT_EQ(result(), 7);
  runtime::reduce(nothing, out.data(), 0,
                  {.op = Op::custom("__device__ Value combine(Value a, Value b) { return a + b; }", 5)});
  EXPECT_EQ(result(), 5);
}

TEST(ApiReductions, StartFromTheInitialValueOfEachCall) {
  std::vector<int> items(kItems);
  std::iota(items.begin(), items.end(), 1);
  const Buffer<int> in(items);
  const Buffer<std::int64_t> out(1);
  const std::int64_t sum = static_cast<std::int64_t>(kItems) * (kItems + 1) / 2;
  for (const std::int64_t init : {std::int64_t{1} << 40, std::int64_t{-9}}) {
    runtime::reduce(in.data(), out.data(), kItems, {.init = init});
    EXPECT_EQ(downloaded(out).front(), sum + init);
  }
  const Buffer<std::int64_t> memory(std::vector<std::int64_t>{1'000});
  const auto plan = runtime::reduce_plan<int, std::int64_t>(kItems, {.device_init = memory.data()});
  for (int call = 0; call < 2; ++call) {
    plan(in.data(), out.data());
    EXPECT_EQ(downloaded(out).front(), sum + 1'000);
  }
}

TEST(ApiReductions, TellWhereTheLeastAndTheGreatestFirstStand) {
  std::vector<float> items(kItems, 1.0f);
  items[3'000] = items[4'000] = -2.0f;
  items[1] = items[2] = 9.0f;
  Buffer<float> in(items);
  const Buffer<float> value(1);
  const Buffer<std::uint64_t> index(1);
  runtime::argmin(in.data(), value.data(), index.data(), kItems);
  EXPECT_EQ(downloaded(value).front(), -2.0f);
  EXPECT_EQ(downloaded(index).front(), 3'000u);
  const auto plan = runtime::arg_plan<float>(kItems - 2, Op::max);
  plan(in.data() + 2, value.data(), index.data());
  EXPECT_EQ(downloaded(value).front(), 9.0f);
  EXPECT_EQ(downloaded(index).front(), 0u);
  items[4'500] = items[4'600] = std::numeric_limits<float>::quiet_NaN();
  in.upload(items.data());
  const std::vector<std::int32_t> untouched{-7, -7};
  const Buffer<std::int32_t> narrow(untouched);
  runtime::argmax(in.data(), value.data(), narrow.data(), kItems);
  EXPECT_NE(downloaded(value).front(), downloaded(value).front());
  EXPECT_EQ(downloaded(narrow), (std::vector<std::int32_t>{4'500, -7}));
  runtime::argmax(in.data(), value.data(), narrow.data(), kItems, {.position = runtime::Position::last});
  EXPECT_EQ(downloaded(narrow), (std::vector<std::int32_t>{4'600, -7}));
  runtime::argmin(in.data(), value.data(), narrow.data(), 4'500, {.position = runtime::Position::last});
  EXPECT_EQ(downloaded(narrow), (std::vector<std::int32_t>{4'000, -7}));
}

TEST(ApiReductions, TellOfNothingTheIdentityAndNoIndex) {
  const float* const nothing = nullptr;
  const Buffer<float> value(1), values(3);
  const Buffer<std::uint64_t> index(1);
  const Buffer<std::int32_t> indices(3);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  runtime::argmin(nothing, value.data(), index.data(), 0);
  EXPECT_EQ(downloaded(value).front(), kInfinity);
  EXPECT_EQ(downloaded(index).front(), ~std::uint64_t{0});
  const Buffer<std::uint8_t> least(1);
  runtime::arg_plan<std::uint8_t>(0, Op::max)(nullptr, least.data(), index.data());
  EXPECT_EQ(downloaded(least).front(), 0);
  for (const auto& segments : {runtime::Segments::rows(3, 0), runtime::Segments::columns(3, 0)}) {
    runtime::argmax(nothing, values.data(), indices.data(), 0, {.segments = segments});
    EXPECT_EQ(downloaded(values), std::vector(3, -kInfinity));
    EXPECT_EQ(downloaded(indices), std::vector(3, -1));
  }
  runtime::argmin(nothing, values.data(), indices.data(), 0, {.segments = runtime::Segments::rows(0, 3)});
  EXPECT_EQ(downloaded(values), std::vector(3, -kInfinity)) << "there are no rows";
}

TEST(ApiReductions, FindBothExtremesAtOnce) {
  std::vector<float> items(kItems, 1.0f);
  items[3'000] = items[4'000] = -2.0f;
  items[1] = items[2] = 9.0f;
  const Buffer<float> in(items), least(3), greatest(3);
  const Buffer<std::uint64_t> least_index(1), greatest_index(1);
  runtime::arg_minmax(in.data(), least.data(), least_index.data(), greatest.data(), greatest_index.data(), kItems);
  EXPECT_EQ(downloaded(least).front(), -2.0f);
  EXPECT_EQ(downloaded(least_index).front(), 3'000u);
  EXPECT_EQ(downloaded(greatest).front(), 9.0f);
  EXPECT_EQ(downloaded(greatest_index).front(), 1u);
  const auto plan = runtime::arg_minmax_plan<float>(kItems, {.position = runtime::Position::last});
  plan(in.data(), least.data(), least_index.data(), greatest.data(), greatest_index.data());
  EXPECT_EQ(downloaded(least_index).front(), 4'000u);
  EXPECT_EQ(downloaded(greatest_index).front(), 2u);
  const Buffer<std::int32_t> narrow(3), narrow_too(3);
  runtime::arg_minmax(in.data(), least.data(), narrow.data(), greatest.data(), narrow_too.data(), 0,
                      {.segments = runtime::Segments::columns(3, 0)});
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(downloaded(least), std::vector(3, kInfinity));
  EXPECT_EQ(downloaded(greatest), std::vector(3, -kInfinity));
  EXPECT_EQ(downloaded(narrow), std::vector(3, -1));
  EXPECT_EQ(downloaded(narrow_too), std::vector(3, -1));
}

TEST(ApiReductions, OrderItemsByTheCallersLess) {
  auto items = marked(kItems);
  for (auto& item : items) item.value %= 1'000;
  const Buffer<Marked> in(items);
  Buffer<Marked> value(1), greatest(1);
  const Buffer<std::uint64_t> index(1), greatest_index(1);
  const runtime::UserFunction by_tens = runtime::Less::source(
      "struct Value { unsigned mark, value; };\n"
      "struct State { unsigned* unreal; };\n"
      "__device__ bool less(Value a, Value b, State told) {\n"
      "  if (a.mark != 0x5ca7 || b.mark != 0x5ca7) *told.unreal = 1;\n"
      "  return a.value / 10 < b.value / 10;\n"
      "}\n",
      Told{&unreal_values});
  const auto less = [](Marked a, Marked b) { return a.value / 10 < b.value / 10; };
  const auto place = [&](auto found) { return static_cast<std::uint64_t>(found - items.begin()); };
  unreal_values = 0;
  runtime::argmin(in.data(), value.data(), index.data(), kItems, {.less = by_tens});
  EXPECT_EQ(downloaded(index).front(), place(std::ranges::min_element(items, less)));
  EXPECT_EQ(downloaded(value).front(), *std::ranges::min_element(items, less));
  runtime::argmax(in.data(), value.data(), index.data(), kItems, {.less = by_tens});
  EXPECT_EQ(downloaded(index).front(), place(std::ranges::max_element(items, less)));
  runtime::arg_minmax(in.data(), value.data(), index.data(), greatest.data(), greatest_index.data(), kItems,
                      {.position = runtime::Position::last, .less = by_tens});
  const auto least_behind = std::ranges::min_element(items.rbegin(), items.rend(), less);
  EXPECT_EQ(downloaded(index).front(), place(least_behind.base()) - 1);
  EXPECT_EQ(downloaded(value).front(), *least_behind);
  EXPECT_EQ(downloaded(greatest_index).front(), place(std::ranges::minmax_element(items, less).max));
  EXPECT_EQ(downloaded(greatest).front(), *std::ranges::minmax_element(items, less).max);
  EXPECT_EQ(unreal_values, 0u);

  // Without items no value is written.
  const std::vector<Marked> untouched{{1, 2}};
  value.upload(untouched.data());
  runtime::argmin(static_cast<const Marked*>(nullptr), value.data(), index.data(), 0, {.less = by_tens});
  EXPECT_EQ(downloaded(value), untouched);
  EXPECT_EQ(downloaded(index).front(), ~std::uint64_t{0});

  // Numbers, too: the one nearest to 500, of int accumulators.
  std::vector<std::int16_t> numbers(kItems);
  for (std::size_t item = 0; item < kItems; ++item) numbers[item] = static_cast<std::int16_t>(item * 7 % 1'009);
  const Buffer<std::int16_t> in_numbers(numbers), nearest(1);
  runtime::argmin(in_numbers.data(), nearest.data(), index.data(), kItems,
                  {.less = runtime::Less::source("__device__ bool less(Value a, Value b) {\n"
                                                 "  return (a - 500) * (a - 500) < (b - 500) * (b - 500);\n}\n")});
  EXPECT_EQ(downloaded(nearest).front(), 500);
}

TEST(ApiReductions, AreCalledFromC) {
  std::vector<int> items(kItems);
  std::iota(items.begin(), items.end(), -2'000);
  const Buffer<int> in(items), out(1);
  const Buffer<std::uint64_t> index(1);
  scantune_reduce_request request = SCANTUNE_REDUCE_REQUEST_INIT;
  request.head.n = kItems;
  request.input_type = request.output_type = SCANTUNE_I32;
  request.op = SCANTUNE_MAX;
  scantune_plan *of_value = nullptr, *of_place = nullptr;
  ASSERT_EQ(scantune_plan_create(&request.head, &of_value), SCANTUNE_OK) << scantune_error_message();
  request.position = SCANTUNE_FIRST_POSITION;
  ASSERT_EQ(scantune_plan_create(&request.head, &of_place), SCANTUNE_OK) << scantune_error_message();
  EXPECT_NE(std::string(scantune_plan_description(of_value)).find("config: reduce_"), std::string::npos);
  const scantune_arrays value = {2, {in.data(), out.data()}}, place = {3, {in.data(), out.data(), index.data()}};
  const auto expect = [&](scantune_status status, int expected) {
    EXPECT_EQ(status, SCANTUNE_OK) << scantune_error_message();
    EXPECT_EQ(downloaded(out).front(), expected);
    runtime::reduce(in.data(), out.data(), 0);  // overwrites the result
  };
  constexpr int kGreatest = static_cast<int>(kItems) - 2'001;
  expect(scantune_plan_run(of_value, &value, nullptr, nullptr), kGreatest);
  expect(scantune_run(&request.head, &place, nullptr), kGreatest);
  EXPECT_EQ(downloaded(index).front(), kItems - 1);
  request.op = SCANTUNE_MIN;
  expect(scantune_run(&request.head, &place, nullptr), -2'000);
  EXPECT_EQ(downloaded(index).front(), 0u);
  expect(scantune_plan_run(of_place, &place, nullptr, nullptr), kGreatest);
  EXPECT_EQ(downloaded(index).front(), kItems - 1);
  request.op = SCANTUNE_MAX;
  request.position = SCANTUNE_NO_POSITION;
  expect(scantune_run(&request.head, &value, nullptr), kGreatest);
  request.head.n = 0;
  const int init = 12;
  request.init = &init;
  expect(scantune_run(&request.head, &value, nullptr), 12);
  scantune_plan_destroy(of_value);
  scantune_plan_destroy(of_place);
}

TEST(ApiReductions, RunAGivenConfigOfEveryFamily) {
  const Buffer<int> in(std::vector<int>(kItems, 3)), out(1);
  for (const char* family :
       {"reduce_block", "reduce_atomic", "reduce_gather", "reduce_last_block", "reduce_two_pass"}) {
    const runtime::ReduceOptions<int> options{.config = std::string(R"({"family": ")") + family + "\"}"};
    runtime::reduce(in.data(), out.data(), 0);
    runtime::reduce(in.data(), out.data(), kItems, options);
    EXPECT_EQ(downloaded(out).front(), static_cast<int>(3 * kItems)) << family;
    EXPECT_NE(runtime::reduce_plan<int>(kItems, options).describe().find(std::string("config: ") + family + "{"),
              std::string::npos);
  }
  const Buffer<float> floats(std::vector<float>(kItems, 0.5f)), sum(1);
  EXPECT_THROW(runtime::reduce(floats.data(), sum.data(), kItems, {.config = R"({"family": "reduce_atomic"})"}),
               RequestError)
      << "whose sums of floats would depend on the order of CTAs";
}

TEST(ApiProblems, OfMoreItemsThanABufferHoldsAreRefusedWithTheNumberThatFits) {
  const Buffer<std::int32_t> buffer(1000);
  const std::int32_t* const in = buffer.data();
  std::int32_t* const out = buffer.data() + 500;
  constexpr std::uint64_t kAsked = 1001;  // the ranges overlap, too
  for (const auto& call : {std::function([&] { runtime::scan(in, out, kAsked); }),
                           std::function([&] { runtime::plan<std::int32_t>(kAsked)(in, out); })}) {
    try {
      call();
      ADD_FAILURE() << "scanned";
    } catch (const RequestError& error) {
      const std::string expected =
          "input: the allocation holds 4000 bytes from there on, room for 1000 items of 4 bytes, and the scan needs " +
          std::to_string(kAsked);
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace scantune::api_problems_test
