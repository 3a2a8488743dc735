#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "measure/inputs.h"
#include "measure/reference.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

template <class T>
std::vector<T> items_of(const InputSpec& spec) {
  std::vector<T> items(spec.n);
  fill_input(spec, 0, std::as_writable_bytes(std::span(items)));
  return items;
}

template <class T>
T combined(Operator op, T a, T b) {
  if (op == Operator::max) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
      if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? T(-0.0) : T(0.0);
    }
    return std::max(a, b);
  }
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
  else
    return a + b;
}

// One item after the other, in the value type itself: the plainest scan there is.
template <class T>
std::vector<T> plain_scan(const ScanRequest& request, const InputSpec& spec) {
  std::vector<T> output;
  T init{};
  unsigned char bytes[kMaxValueBytes] = {};
  fill_init(spec, bytes);
  std::memcpy(&init, bytes, sizeof init);
  std::vector<T> prefixes;
  for (const T item : items_of<T>(spec)) {
    const bool first = prefixes.empty();
    const T before = first ? init : prefixes.back();
    prefixes.push_back(first && !request.has_init() ? item : combined(request.op, before, item));
    output.push_back(request.kind == Kind::exclusive ? before : prefixes.back());
  }
  return output;
}

// Beyond any tolerance, and not the right value.
template <class T>
T wrong_value(T right) {
  if constexpr (std::is_floating_point_v<T>) return T(1e12);
  return right == T(77) ? T(78) : T(77);
}

struct Problem {
  ValueType type;
  Operator op;
  Kind kind;
  bool has_init;
  InputPattern pattern;
};

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const ValueType type :
       {ValueType::i8, ValueType::u16, ValueType::i32, ValueType::i64, ValueType::u64, ValueType::f32, ValueType::f64})
    for (const Operator op : {Operator::sum, Operator::max})
      for (const auto& [kind, has_init] :
           {std::pair{Kind::inclusive, false}, std::pair{Kind::inclusive, true}, std::pair{Kind::exclusive, true}})
        for (const InputPattern pattern : {InputPattern::exact, InputPattern::rounding, InputPattern::specials})
          if (applies(pattern, type, op)) all.push_back({type, op, kind, has_init, pattern});
  return all;
}

void PrintTo(const Problem& problem, std::ostream* out) {
  *out << token(problem.type) << " " << token(problem.kind) << " " << token(problem.op)
       << (problem.has_init ? " with init, " : ", ") << token(problem.pattern);
}

class ReferenceOfProblem : public ::testing::TestWithParam<Problem> {
 protected:
  ScanRequest request(u64 n) const {
    const Problem& problem = GetParam();
    return {.input_type = problem.type,
            .accumulator_type = problem.type,
            .output_type = problem.type,
            .op = problem.op,
            .kind = problem.kind,
            .init = problem.has_init ? Init::value : Init::none,
            .n = n};
  }
  InputSpec input(u64 n) const { return {GetParam().type, GetParam().op, GetParam().pattern, n, 7}; }
};

INSTANTIATE_TEST_SUITE_P(All, ReferenceOfProblem, ::testing::ValuesIn(problems()));

TEST_P(ReferenceOfProblem, AgreesWithAPlainScanAtEverySizeAroundAChunk) {
  for (const u64 n : {u64{1}, u64{2}, u64{33}, Reference::kChunkItems - 1, Reference::kChunkItems,
                      Reference::kChunkItems + 1, 2 * Reference::kChunkItems + 5}) {
    visit_type(GetParam().type, [&]<class T>(std::type_identity<T>) {
      const std::vector<T> output = plain_scan<T>(request(n), input(n));
      const auto wrong = make_reference(request(n), input(n))->check(0, std::as_bytes(std::span(output)));
      EXPECT_FALSE(wrong) << n << " items, at " << wrong->index << ": " << wrong->expected << ", " << wrong->found;
    });
  }
}

TEST_P(ReferenceOfProblem, FindsTheFirstOfSeveralWrongItems) {
  const u64 n = 3 * Reference::kChunkItems;
  const auto reference = make_reference(request(n), input(n));
  visit_type(GetParam().type, [&]<class T>(std::type_identity<T>) {
    const std::vector<T> right = plain_scan<T>(request(n), input(n));
    for (const u64 index : {u64{0}, u64{31}, Reference::kChunkItems, n - 1}) {
      std::vector<T> wrong = right;
      for (const u64 place : {index, n - 1}) wrong[place] = wrong_value(wrong[place]);
      const auto found = reference->check(0, std::as_bytes(std::span(wrong)));
      ASSERT_TRUE(found) << index;
      EXPECT_EQ(found->index, index);
      EXPECT_TRUE(found->found == "77" || found->found == "78" || found->found == "1e+12") << found->found;
      EXPECT_NE(found->found, found->expected);
    }
  });
}

TEST_P(ReferenceOfProblem, ChecksAPartOnItsOwn) {
  const u64 n = 2 * Reference::kChunkItems + 100;
  const auto reference = make_reference(request(n), input(n));
  visit_type(GetParam().type, [&]<class T>(std::type_identity<T>) {
    std::vector<T> output = plain_scan<T>(request(n), input(n));
    const std::span<const T> tail = std::span<const T>(output).subspan(Reference::kChunkItems);
    EXPECT_FALSE(reference->check(Reference::kChunkItems, std::as_bytes(tail)));
    output.back() = wrong_value(output.back());
    const auto found = reference->check(Reference::kChunkItems, std::as_bytes(tail));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->index, n - 1);
  });
}

TEST_P(ReferenceOfProblem, MakesTheSameItemsInPartsAsInOnePiece) {
  const u64 n = 1000;
  visit_type(GetParam().type, [&]<class T>(std::type_identity<T>) {
    const std::vector<T> whole = items_of<T>(input(n));
    std::vector<T> part(100);
    fill_input(input(n), 300, std::as_writable_bytes(std::span(part)));
    EXPECT_EQ(std::memcmp(part.data(), whole.data() + 300, part.size() * sizeof(T)), 0);
  });
}

TEST(Inputs, OfSumsHoldNoZero) {
  for (const ValueType type : {ValueType::i8, ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64})
    for (const InputPattern pattern : {InputPattern::exact, InputPattern::rounding})
      if (applies(pattern, type, Operator::sum))
        visit_type(type, [&]<class T>(std::type_identity<T>) {
          for (const T item : items_of<T>({type, Operator::sum, pattern, 100'000, 3})) ASSERT_NE(item, T(0));
        });
}

TEST(Inputs, OfExactFloatSumsGiveTheSameBitsInEveryOrder) {
  const InputSpec spec{ValueType::f32, Operator::sum, InputPattern::exact, 1 << 20, 5};
  const std::vector<f32> items = items_of<f32>(spec);
  f32 forwards = 0, backwards = 0, by_pairs = 0;
  for (std::size_t index = 0; index < items.size(); ++index) forwards += items[index];
  for (std::size_t index = items.size(); index-- > 0;) backwards += items[index];
  for (std::size_t index = 0; index < items.size(); index += 2) by_pairs += items[index] + items[index + 1];
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(forwards, by_pairs);
}

TEST(Inputs, OfIntegerSumsWrapSoon) {
  const std::vector<i32> items = items_of<i32>({ValueType::i32, Operator::sum, InputPattern::exact, 64, 5});
  i64 sum = 0;
  bool wraps = false;
  for (const i32 item : items) {
    sum += item;
    wraps |= sum > std::numeric_limits<i32>::max() || sum < std::numeric_limits<i32>::lowest();
  }
  EXPECT_TRUE(wraps);
}

TEST(Inputs, OfMaximaKeepGrowingToTheEnd) {
  const std::vector<i32> items = items_of<i32>({ValueType::i32, Operator::max, InputPattern::exact, 1 << 16, 5});
  const auto largest_from = [&](std::size_t begin, std::size_t end) {
    return *std::max_element(items.begin() + static_cast<std::ptrdiff_t>(begin),
                             items.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (std::size_t begin = 1 << 10; begin < items.size(); begin += 1 << 10)
    EXPECT_GT(largest_from(begin, begin + (1 << 10)), largest_from(begin - (1 << 10), begin));
}

TEST(Inputs, OfSpecialMaximaHoldBothZerosAndOneNan) {
  int negative_zeros = 0, positive_zeros = 0, nans = 0, infinities = 0;
  for (const f32 item : items_of<f32>({ValueType::f32, Operator::max, InputPattern::specials, 4096, 5})) {
    negative_zeros += item == 0 && std::signbit(item);
    positive_zeros += item == 0 && !std::signbit(item);
    nans += std::isnan(item);
    infinities += std::isinf(item);
  }
  EXPECT_GT(negative_zeros, 100);
  EXPECT_GT(positive_zeros, 100);
  EXPECT_GT(infinities, 100);
  EXPECT_EQ(nans, 1);
}

TEST(Reference, TellsMinusZeroFromZero) {
  const u64 n = 64;
  const ScanRequest request{.input_type = ValueType::f32,
                            .accumulator_type = ValueType::f32,
                            .output_type = ValueType::f32,
                            .op = Operator::max,
                            .n = n};
  const InputSpec spec{ValueType::f32, Operator::max, InputPattern::specials, n, 7};
  std::vector<f32> output = plain_scan<f32>(request, spec);
  const auto zero = std::find_if(output.begin(), output.end(), [](f32 item) { return item == 0; });
  ASSERT_NE(zero, output.end());
  *zero = -*zero;
  const auto wrong = make_reference(request, spec)->check(0, std::as_bytes(std::span(output)));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->index, static_cast<u64>(zero - output.begin()));
}

TEST(Reference, AcceptsAnotherOrderOfRoundedAdditionsButNotAMissingItem) {
  const u64 n = 4096;
  const ScanRequest request{
      .input_type = ValueType::f32, .accumulator_type = ValueType::f32, .output_type = ValueType::f32, .n = n};
  const InputSpec spec{ValueType::f32, Operator::sum, InputPattern::rounding, n, 7};
  const std::vector<f32> items = items_of<f32>(spec);
  std::vector<f32> output;
  for (std::size_t tile = 0; tile < n; tile += 64) {
    f32 within = 0;
    const f32 carry = tile == 0 ? 0 : output.back();
    for (std::size_t index = tile; index < tile + 64; ++index) output.push_back(carry + (within += items[index]));
  }
  const auto reference = make_reference(request, spec);
  EXPECT_FALSE(reference->check(0, std::as_bytes(std::span(output))));
  for (std::size_t index = 1000; index < n; ++index) output[index] -= items[1000];
  EXPECT_TRUE(reference->check(0, std::as_bytes(std::span(output))));
}

TEST(Reference, RefusesTypesWithoutArithmeticOnTheCpu) {
  const ScanRequest request{
      .input_type = ValueType::f16, .accumulator_type = ValueType::f16, .output_type = ValueType::f16, .n = 1};
  EXPECT_THROW(make_reference(request, {.type = ValueType::f16, .n = 1}), RequestError);
}

}  // namespace
}  // namespace scantune
