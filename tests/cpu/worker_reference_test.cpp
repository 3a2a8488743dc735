#include "measure/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "worker_inputs.h"
#include "worker_plain_scan.h"
#include "worker_problems.h"

namespace scantune {
namespace {

using testing::all_types;
using testing::custom_request;
using testing::exclusive;
using testing::expect_agreement_with_a_plain_scan;
using testing::inputs_of;
using testing::items_of;
using testing::kNameOfTypes;
using testing::named;
using testing::plain_scan;
using testing::request_of;
using testing::with;
using testing::with_operators;

constexpr u64 kChunk = Reference::kChunkItems;

class ReferenceOfTypes : public ::testing::TestWithParam<ScanRequest> {};

INSTANTIATE_TEST_SUITE_P(All, ReferenceOfTypes, ::testing::ValuesIn(all_types()), kNameOfTypes);

TEST_P(ReferenceOfTypes, AgreesWithAPlainScan) {
  for (const u64 n : {u64{1}, u64{2}, u64{33}, u64{2000}})
    for (const InputSpec& input : inputs_of(GetParam(), n)) {
      const auto wrong = make_reference(input)->check(0, plain_scan(input));
      EXPECT_FALSE(wrong) << named(input) << ", at " << wrong->index << ": " << wrong->expected << ", " << wrong->found;
    }
}

TEST_P(ReferenceOfTypes, AgreesWithAPlainScanAcrossChunks) {
  for (const ScanRequest& request : with_operators(GetParam()))
    for (const u64 n : {kChunk - 1, kChunk, 2 * kChunk + 5}) {
      const auto wrong = make_reference(with(request, n))->check(0, plain_scan(with(request, n)));
      EXPECT_FALSE(wrong) << named(with(request, n)) << ", at " << wrong->index << ": " << wrong->expected << ", "
                          << wrong->found;
    }
}

TEST_P(ReferenceOfTypes, AgreesWithAPlainScanOfRows) {
  const auto check = [](InputSpec input, u64 rows) {
    auto request = typed<ScanRequest>(input.request);
    request.segments = Segments::rows;
    request.rows = rows;
    input.request = request;
    expect_agreement_with_a_plain_scan(input);
  };
  for (const u64 rows : {1, 2, 33, 700, 1999})
    for (const InputSpec& input : inputs_of(GetParam(), 2000)) check(input, rows);
  // Rows that begin where chunks do, within them, and not at all in some.
  const ScanRequest one = with_operators(GetParam()).front();
  for (const u64 rows : {2, 3, 4, 1001})
    for (const InputSpec& input : {with(one, 4 * kChunk), with(exclusive(one), 3 * kChunk + 7)}) check(input, rows);
}

TEST_P(ReferenceOfTypes, FindsTheFirstOfSeveralWrongItems) {
  const u64 n = kChunk + 100, bytes = static_cast<u64>(GetParam().output_bytes());
  for (const ScanRequest& request : with_operators(GetParam())) {
    const auto reference = make_reference(with(request, n));
    const auto right = plain_scan(with(request, n));
    for (const u64 index : {u64{0}, u64{31}, kChunk, n - 1}) {
      auto wrong = right;
      for (const u64 place : std::set{index, n - 1}) wrong[place * bytes + bytes - 1] ^= std::byte{0x20};
      const auto found = reference->check(0, wrong);
      ASSERT_TRUE(found) << named(with(request, n)) << " at " << index;
      EXPECT_EQ(found->index, index);
      EXPECT_NE(found->found, found->expected);
    }
  }
}

TEST_P(ReferenceOfTypes, SaysTheSameOfAWrongItemWhetherItKeepsTheOutputOrNot) {
  const u64 n = 700, bytes = static_cast<u64>(GetParam().output_bytes());
  for (const InputSpec& input : inputs_of(GetParam(), n)) {
    const auto computed = make_reference(input);
    const auto lasting = make_lasting_reference({input, std::make_shared<const KnownItems>(input)});
    EXPECT_EQ(lasting->item_bytes(), bytes);
    EXPECT_EQ(lasting->bytes() >= n * bytes, input.pattern != InputPattern::rounding) << named(input);
    auto output = plain_scan(input);
    EXPECT_FALSE(lasting->check(0, output)) << named(input);
    for (const u64 index : {n - 1, u64{0}}) {
      output[index * bytes + bytes - 1] ^= std::byte{0x20};
      const auto expected = computed->check(0, output), found = lasting->check(0, output);
      ASSERT_TRUE(expected && found) << named(input) << " at " << index;
      EXPECT_EQ(found->index, index);
      EXPECT_EQ(found->expected, expected->expected);
      EXPECT_EQ(found->found, expected->found);
    }
  }
}

TEST_P(ReferenceOfTypes, ChecksAPartOnItsOwn) {
  for (const ScanRequest& request : with_operators(GetParam())) {
    const InputSpec input = with(exclusive(request), kChunk + 100);
    const auto reference = make_reference(input);
    auto output = plain_scan(input);
    const auto tail = std::span(output).subspan(kChunk * static_cast<u64>(request.output_bytes()));
    EXPECT_FALSE(reference->check(kChunk, tail)) << named(input);
    tail.back() ^= std::byte{0x20};
    const auto found = reference->check(kChunk, tail);
    ASSERT_TRUE(found) << named(input);
    EXPECT_EQ(found->index, input.request.n - 1);
  }
}

TEST_P(ReferenceOfTypes, MakesTheSameItemsInPartsAsInOnePiece) {
  const u64 bytes = static_cast<u64>(GetParam().input_bytes());
  for (const InputSpec& input : inputs_of(GetParam(), 1000)) {
    const auto whole = items_of(input);
    std::vector<std::byte> part(100 * bytes);
    fill_input(input, 300, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(300 * bytes)))
        << named(input);
  }
}

// Combines the accumulators [first, last) by halves.
void fold(const ScanRequest& request, const std::vector<std::byte>& accumulators, u64 first, u64 last,
          std::byte* result) {
  const u64 bytes = static_cast<u64>(request.accumulator_bytes());
  if (last - first == 1) {
    std::memcpy(result, accumulators.data() + first * bytes, bytes);
    return;
  }
  std::byte later[kMaxValueBytes];
  const u64 middle = first + (last - first + 2) / 3;
  fold(request, accumulators, first, middle, result);
  fold(request, accumulators, middle, last, later);
  testing::combine(request, result, later, result);
}

TEST_P(ReferenceOfTypes, GetsInputsWhoseEveryAssociationGivesTheSameBits) {
  for (ScanRequest request : with_operators(GetParam()))
    for (const u64 n : {u64{777}, u64{30'000}}) {
      request.n = n;
      request.output_type = request.accumulator_type;
      const ScanRequest given = [&] {
        ScanRequest types = request;
        types.output_type = GetParam().output_type;
        return types;
      }();
      const auto items = items_of(with(given, n));
      const u64 bytes = static_cast<u64>(request.accumulator_bytes());
      std::vector<std::byte> accumulators(n * bytes);
      for (u64 item = 0; item < n; ++item)
        testing::convert(request, request.input_type, items.data() + item * static_cast<u64>(request.input_bytes()),
                         request.accumulator_type, accumulators.data() + item * bytes);
      std::byte folded[kMaxValueBytes];
      fold(request, accumulators, 0, n, folded);
      const auto scanned = plain_scan(request, items);
      EXPECT_EQ(std::memcmp(folded, scanned.data() + (n - 1) * bytes, bytes), 0) << to_string(given);
    }
}

// Whether every item shows in all later results, as for sums, products, xor and the stand-ins. It does not for integers
// in floating point, where some are neutral, nor for a wide floating-point number that is zero or infinite in a narrow
// one.
bool remembers(const ScanRequest& request) {
  const bool absorbs = request.op >= Operator::min && request.op <= Operator::bit_or;
  const bool saturates =
      is_custom(request.op) && is_floating(request.output_type) && request.output_type != request.accumulator_type;
  return !absorbs && !saturates && is_floating(request.input_type) == is_floating(request.accumulator_type);
}

TEST_P(ReferenceOfTypes, GetsInputsOfWhichEveryItemShowsInTheLastOutput) {
  const u64 n = 3000;
  for (const ScanRequest& request : with_operators(GetParam())) {
    if (!remembers(request)) continue;
    const InputSpec input = with(request, n);
    const auto items = items_of(input);
    const auto item_bytes = static_cast<std::ptrdiff_t>(request.input_bytes());
    const auto output_bytes = static_cast<std::size_t>(request.output_bytes());
    const auto right = plain_scan(input);
    int unseen = 0;
    for (std::ptrdiff_t dropped = 0; dropped < static_cast<std::ptrdiff_t>(n); dropped += 100) {
      auto fewer = items;
      fewer.erase(fewer.begin() + dropped * item_bytes, fewer.begin() + (dropped + 1) * item_bytes);
      const auto output = plain_scan(typed<ScanRequest>(with(request, n - 1).request), fewer);
      unseen += std::memcmp(output.data() + output.size() - output_bytes, right.data() + right.size() - output_bytes,
                            output_bytes) == 0;
    }
    // Items are random, and in a few bits a few are neutral.
    const bool may_be_neutral = request.output_bytes() < (is_custom(request.op) ? 3 : request.input_bytes());
    EXPECT_LE(unseen, may_be_neutral ? 2 : 0) << named(input);
  }
}

TEST(Inputs, OfSumsHoldNoZero) {
  for (const ScanRequest& request : testing::type_triples()) {
    if (!remembers(request)) continue;
    const InputSpec input = with(request, 100'000);
    const auto items = items_of(input);
    const u64 bytes = static_cast<u64>(request.input_bytes());
    for (u64 item = 0; item < input.request.n; ++item)
      ASSERT_NE(floating_at(request.input_type, items.data() + item * bytes), 0) << named(input);
  }
}

// A thread of striped tiles adds up its rows before any row is scanned: up to 32 items, a warp apart.
TEST(Inputs, OfScansKeepTheSumsOfAThreadsRowsExact) {
  constexpr u64 kRows = 32, kItems = 1 << 20;
  for (const ValueType type : {ValueType::f32, ValueType::f64, ValueType::i32}) {
    ScanRequest request{.input_type = type, .accumulator_type = type, .output_type = type};
    if (type == ValueType::i32) request.accumulator_type = request.output_type = ValueType::f32;
    const InputSpec input = with(request, kItems);
    const auto bytes = items_of(input);
    const double most = request.accumulator_type == ValueType::f64 ? 0x1p53 : 0x1p24;
    for (u64 first = 0; first + kRows * kWarpThreads <= kItems; ++first) {
      double magnitude = 0;
      for (u64 row = 0; row < kRows; ++row) {
        const u64 place = (first + row * kWarpThreads) * static_cast<u64>(request.input_bytes());
        magnitude += std::abs(static_cast<double>(floating_at(type, bytes.data() + place)));
      }
      ASSERT_LE(magnitude, most) << named(input) << ", from item " << first;
    }
  }
}

// The threads of a reduction add up items that lie anywhere, where telescoping ones would leave the exact integers.
TEST(Inputs, OfReductionsKeepSumsOfAnyItemsExact) {
  constexpr u64 kItems = u64{1} << 28;
  const InputSpec input{ReduceRequest{.input_type = ValueType::f32,
                                      .accumulator_type = ValueType::f32,
                                      .output_type = ValueType::f32,
                                      .n = 1 << 20},
                        InputPattern::exact, 7, kItems};
  const auto bytes = items_of(input);
  double sum = 0, later_halves = 0;
  std::vector<double> sums_of_blocks = {0};
  for (u64 item = 0; item < 1 << 20; ++item) {
    const auto number = static_cast<double>(floating_at(ValueType::f32, bytes.data() + 4 * item));
    ASSERT_TRUE(number != 0 && number == std::round(number)) << item;
    // Twelve standard deviations of the sum of all items have room in 2^23.
    ASSERT_LE(std::abs(number) / 2, 0x1p23 / 12 / std::sqrt(static_cast<double>(kItems))) << item;
    sum += number;
    if (item % 512 >= 256) later_halves += number;
    if (item % 512 == 511) {
      ASSERT_EQ(std::abs(std::remainder(sum, 2)), (item / 512 + 1) % 2) << "a block adds an odd number";
      sums_of_blocks.push_back(sum);
    }
  }
  EXPECT_LT(std::abs(sum), 5000) << "so narrow outputs hold it";
  for (const std::size_t blocks : {2, 8, 16, 32}) {
    int lost_unseen = 0;
    for (std::size_t first = 0; first + blocks < sums_of_blocks.size(); ++first)
      lost_unseen += sums_of_blocks[first + blocks] == sums_of_blocks[first];
    EXPECT_LT(lost_unseen, 100) << blocks << " of 2048 blocks that make a tile";
  }
  EXPECT_GT(std::abs(later_halves), 1000);
}

TEST(Inputs, OfReductionsKeepProductsOfAnyItemsFinite) {
  constexpr u64 kItems = 1 << 20;
  const auto bytes = items_of({ReduceRequest{.input_type = ValueType::f32,
                                             .accumulator_type = ValueType::f32,
                                             .output_type = ValueType::f32,
                                             .op = Operator::product,
                                             .n = kItems},
                               InputPattern::exact, 7});
  int powers = 0, negative = 0;
  for (u64 item = 0; item < kItems; ++item) {
    const auto number = static_cast<double>(floating_at(ValueType::f32, bytes.data() + 4 * item));
    ASSERT_LE(std::abs(std::log2(std::abs(number))), 1) << item;
    powers += std::abs(number) != 1;
    negative += number < 0;
  }
  EXPECT_TRUE(powers >= 4 && powers <= 40) << powers;
  EXPECT_NEAR(negative, kItems / 2, kItems / 100);
}

TEST(Inputs, OfIntegerSumsWrapSoon) {
  const auto bytes = items_of(with(request_of(ValueType::i32, ValueType::i32, ValueType::i32), 64));
  i64 sum = 0;
  bool wraps = false;
  for (u64 item = 0; item < 64; ++item) {
    sum += static_cast<i64>(integer_at(ValueType::i32, bytes.data() + 4 * item));
    wraps |= sum != static_cast<i32>(sum);
  }
  EXPECT_TRUE(wraps);
}

TEST(Inputs, KeepProductsOfFloatsAwayFromZeroAndInfinity) {
  for (const InputPattern pattern : {InputPattern::exact, InputPattern::rounding})
    for (const ValueType type : {ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64}) {
      const ScanRequest request = exclusive(request_of(type, default_accumulator(type, type), type, Operator::product));
      const auto output = plain_scan(with(request, 50'000, pattern));
      for (u64 item = 0; item < 50'000; ++item) {
        const long double value = floating_at(type, output.data() + item * static_cast<u64>(size_of(type)));
        ASSERT_TRUE(std::abs(value) > 0x1p-13L && std::abs(value) < 0x1p13L) << token(type) << " " << item;
      }
    }
}

// Otherwise a kernel that stops early, or loses all from some item on, would leave the results right.
TEST(Inputs, OfRunningExtremesAndMasksChangeToTheEnd) {
  for (const ScanRequest& types : testing::type_triples())
    for (const ScanRequest& request : with_operators(types)) {
      if (request.op < Operator::min || request.op > Operator::bit_or) continue;
      const u64 n = 1 << 16, bytes = static_cast<u64>(request.output_bytes());
      const auto output = plain_scan(with(request, n));
      const auto at = [&](u64 item) { return std::span(output).subspan(item * bytes, bytes); };
      const u64 steps = static_cast<u64>(request.op >= Operator::bit_and ? 8 : 16);
      int changes = 0;
      for (u64 step = 1; step <= steps; ++step)
        changes += !std::ranges::equal(at(step * n / steps - 1), at((step - 1) * n / steps));
      EXPECT_GE(changes, static_cast<int>(steps) - 2) << to_string(request);
      EXPECT_FALSE(std::ranges::equal(at(n - 1), at(n - n / 4))) << to_string(request);
    }
}

TEST(Inputs, OfSpecialExtremesHoldInfinitiesBothZerosAndOneNan) {
  for (const Operator op : {Operator::min, Operator::max})
    for (const ValueType type : {ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64}) {
      int negative_zeros = 0, positive_zeros = 0, nans = 0, infinities = 0;
      const ScanRequest request = request_of(type, default_accumulator(type, type), type, op);
      const auto items = items_of(with(request, 4096, InputPattern::specials));
      for (u64 item = 0; item < 4096; ++item) {
        const long double value = floating_at(type, items.data() + item * static_cast<u64>(size_of(type)));
        negative_zeros += value == 0 && std::signbit(value);
        positive_zeros += value == 0 && !std::signbit(value);
        nans += std::isnan(value);
        infinities += std::isinf(value) && std::signbit(value) == (op == Operator::max);
      }
      EXPECT_GT(negative_zeros, 100);
      EXPECT_GT(positive_zeros, 100);
      EXPECT_GT(infinities, 100);
      EXPECT_EQ(nans, 1);
    }
}

TEST(Reference, TellsMinusZeroFromZero) {
  for (const Operator op : {Operator::min, Operator::max}) {
    const InputSpec spec =
        with(request_of(ValueType::f16, ValueType::f32, ValueType::f16, op), 64, InputPattern::specials);
    auto output = plain_scan(spec);
    u64 zero = 0;
    while (floating_at(ValueType::f16, output.data() + 2 * zero) != 0) ++zero;
    output[2 * zero + 1] ^= std::byte{0x80};
    const auto wrong = make_reference(spec)->check(0, output);
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->index, zero);
  }
}

// A GPU's NaN differs from the CPU's in bits that have no meaning.
TEST(Reference, AcceptsEveryNanWhereItKeepsTheOutput) {
  const InputSpec spec =
      with(request_of(ValueType::f32, ValueType::f32, ValueType::f32, Operator::max), 64, InputPattern::specials);
  auto output = plain_scan(spec);
  ASSERT_TRUE(std::isnan(floating_at(ValueType::f32, output.data() + 4 * 63)));
  output[4 * 63] ^= std::byte{1};
  EXPECT_FALSE(make_lasting_reference({spec})->check(0, output));
  output[4 * 62 + 3] = {};
  EXPECT_TRUE(make_lasting_reference({spec})->check(0, output));
}

TEST(Reference, KeepsAnOutputOnlyUpToTheLimit) {
  const u64 most = kMostKeptBytes / 8;
  for (const u64 n : {most, most + 1}) {
    const auto reference =
        make_lasting_reference({with(request_of(ValueType::i64, ValueType::i64, ValueType::i64), n)});
    EXPECT_EQ(reference->bytes() >= kMostKeptBytes, n == most) << n;
    EXPECT_LT(reference->bytes(), kMostKeptBytes + (1 << 20)) << n;
  }
}

TEST(Reference, CatchesAnExtremeThatDropsNan) {
  const InputSpec spec =
      with(request_of(ValueType::bf16, ValueType::f32, ValueType::bf16, Operator::min), 64, InputPattern::specials);
  auto output = plain_scan(spec);
  for (u64 item = 1; item < 64; ++item)
    if (std::isnan(floating_at(ValueType::bf16, output.data() + 2 * item)))
      std::memcpy(output.data() + 2 * item, output.data() + 2 * item - 2, 2);
  const auto wrong = make_reference(spec)->check(0, output);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->index, 48u);
  EXPECT_EQ(wrong->expected, "nan");
}

// A sum tile by tile, each from its own first item, as kernels do it.
template <class T>
std::vector<std::byte> tiled_scan(const InputSpec& spec, u64 tile_items) {
  const auto items = items_of(spec);
  std::vector<std::byte> output(items.size());
  T carry{}, within{};
  for (u64 index = 0; index < spec.request.n; ++index) {
    T item;
    std::memcpy(&item, items.data() + index * sizeof item, sizeof item);
    const bool first = index % tile_items == 0, first_tile = index < tile_items;
    within = first ? item : testing::combined(*spec.request.op(), within, item);
    const T result = first_tile ? within : testing::combined(*spec.request.op(), carry, within);
    std::memcpy(output.data() + index * sizeof item, &result, sizeof result);
    if (index % tile_items == tile_items - 1) carry = result;
  }
  return output;
}

TEST(Reference, AcceptsAnotherOrderOfRoundingsButNotAMissingItem) {
  for (const Operator op : {Operator::sum, Operator::product}) {
    const InputSpec spec =
        with(request_of(ValueType::f32, ValueType::f32, ValueType::f32, op), 4096, InputPattern::rounding);
    const auto reference = make_reference(spec);
    auto output = tiled_scan<f32>(spec, 64);
    EXPECT_FALSE(reference->check(0, output)) << token(op);
    EXPECT_NE(output, plain_scan(spec)) << token(op) << ": nothing was rounded";
    f32 missing;
    std::memcpy(&missing, items_of(spec).data() + 4 * 1000, 4);
    for (u64 index = 1000; index < 4096; ++index) {
      f32 value;
      std::memcpy(&value, output.data() + 4 * index, 4);
      value = op == Operator::sum ? value - missing : value / missing;
      std::memcpy(output.data() + 4 * index, &value, 4);
    }
    EXPECT_TRUE(reference->check(0, output)) << token(op);
  }
}

TEST(Reference, AgreesToTheInfinityThatANarrowOutputOverflowsTo) {
  ScanRequest request = request_of(ValueType::u64, ValueType::f64, ValueType::f16);
  const InputSpec spec = with(request, 100, InputPattern::rounding);
  auto output = plain_scan(spec);
  EXPECT_TRUE(std::isinf(floating_at(ValueType::f16, output.data() + 2 * 99)));
  EXPECT_FALSE(make_reference(spec)->check(0, output));
  const u16 largest = 0x7bff;
  std::memcpy(output.data() + 2 * 99, &largest, 2);
  EXPECT_TRUE(make_reference(spec)->check(0, output));
}

TEST(Reference, SpellsCustomValuesByTheirBytes) {
  const InputSpec spec = with(custom_request(3), 2);
  auto output = plain_scan(spec);
  for (int byte = 0; byte < 3; ++byte) output[static_cast<std::size_t>(byte)] = std::byte{0xab};
  EXPECT_EQ(make_reference(spec)->check(0, output)->found, "0xababab");
}

}  // namespace
}  // namespace scantune
