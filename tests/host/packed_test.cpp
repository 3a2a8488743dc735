// Items scanned as they lie in words, compared with the same scans item by item: every pair of bytes, every 16-bit
// item, every carry, and runs as long as the lanes of a word allow.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/parts/run_scan.h"
#include "effort.h"
#include "scan/parts/problem.h"
#include "scan_kernels.h"

namespace scantune::packed_test {
namespace {

constexpr ScanRequest request_of(ValueType input, ValueType accumulator, ValueType output, Operator op, Kind kind) {
  return {.input_type = input,
          .accumulator_type = accumulator,
          .output_type = output,
          .op = op,
          .kind = kind,
          .init = kind == Kind::exclusive ? Init::value : Init::none};
}

template <ValueType input, ValueType accumulator, Operator op, Kind kind, ValueType output>
struct ProblemFor {
  static constexpr ScanRequest kRequest = request_of(input, accumulator, output, op, kind);
  using Type = Problem<kRequest, Variant::aligned>;
};
template <ValueType input, ValueType accumulator, Operator op, Kind kind = Kind::inclusive, ValueType output = input>
using ProblemOf = typename ProblemFor<input, accumulator, op, kind, output>::Type;

// Sums wrap where they are stored, so 64 bits hold the final value of each accumulator type.
template <class Problem>
u64 combined(u64 earlier, u64 later) {
  const bool less = static_cast<i64>(later) < static_cast<i64>(earlier);
  switch (Problem::kRequest.op) {
    case Operator::min:
      return less ? later : earlier;
    case Operator::max:
      return less ? earlier : later;
    default:
      return earlier + later;
  }
}

// Scans item by item from a prefix, which becomes the last result.
template <class Problem, class Item>
std::vector<typename Problem::Output> plain_scan(const std::vector<Item>& items, u64& prefix) {
  std::vector<typename Problem::Output> results;
  for (const Item item : items) {
    const u64 before = prefix;
    prefix = combined<Problem>(before, static_cast<u64>(item));
    results.push_back(static_cast<typename Problem::Output>(Problem::kExclusive ? before : prefix));
  }
  return results;
}

template <class Item>
constexpr u64 kMost = static_cast<u64>(std::numeric_limits<Item>::max());
template <class Item>
constexpr u64 kLeast = static_cast<u64>(std::numeric_limits<Item>::min());

// An item that changes no extreme and no sum.
template <class Problem>
constexpr u64 neutral() {
  using Input = typename Problem::Input;
  constexpr Operator kOp = Problem::kRequest.op;
  return kOp == Operator::min ? kMost<Input> : kOp == Operator::max ? kLeast<Input> : 0;
}

template <class P>
class PackedScans : public testing::Test {
 protected:
  using Input = typename P::Input;
  using Output = typename P::Output;
  using T = typename P::Accumulator;
  static constexpr int kWordItems = sizeof(u32) / sizeof(Input);
  template <int kItems>
  using Run = RunScan<P, kItems>;
  static constexpr int kMostItems = decltype(packing_of<P, kWordItems, true>())::kMostWords * kWordItems;

  template <int kItems>
  static Words<Input, kItems> words_of_items(const std::vector<Input>& items) {
    Words<Input, kItems> run;
    std::memcpy(run.words, items.data(), sizeof run.words);
    return run;
  }

  template <int kItems>
  static std::vector<Output> items_of_words(const Words<Output, kItems>& run) {
    std::vector<Output> items(kItems);
    std::memcpy(items.data(), run.words, sizeof run.words);
    return items;
  }

  // Checks one word after `prefix`, and another one after that.
  static void check_two_words(Input first, Input second, u64 prefix) {
    using Word = Run<kWordItems>;
    const std::vector<Input> items =
        kWordItems == 2 ? std::vector<Input>{first, second} : std::vector<Input>{first, second, second, first};
    const Words<Input, kWordItems> word = words_of_items<kWordItems>(items);
    auto carry = Word::carry_of(static_cast<T>(prefix), true);
    for (int repetition = 0; repetition < 2; ++repetition) {
      const auto results = items_of_words<kWordItems>(Word::scan(word, carry));
      ASSERT_EQ(results, plain_scan<P>(items, prefix)) << +first << ' ' << +second << ", word " << repetition;
    }
  }

  template <int kItems>
  static void check_run(const std::vector<Input>& items, T prefix, bool has_prefix) {
    const auto run = std::make_unique<Words<Input, kItems>>(words_of_items<kItems>(items));
    u64 total = neutral<P>();
    plain_scan<P>(items, total);
    EXPECT_EQ(Run<kItems>::reduce(*run), static_cast<T>(total));

    u64 expected_prefix = has_prefix ? static_cast<u64>(prefix) : neutral<P>();
    auto carry = Run<kItems>::carry_of(prefix, has_prefix);
    const auto results = std::make_unique<Words<Output, kItems>>(Run<kItems>::scan(*run, carry));
    EXPECT_TRUE(items_of_words<kItems>(*results) == plain_scan<P>(items, expected_prefix));
  }

  template <int kItems>
  static void check_random_run(std::mt19937& random) {
    std::vector<Input> items(kItems);
    for (Input& item : items) item = static_cast<Input>(random());
    check_run<kItems>(items, static_cast<T>(static_cast<Input>(random())), random() % 2 == 0);
  }
};

using Packed = testing::Types<
    ProblemOf<ValueType::i8, ValueType::i32, Operator::sum>, ProblemOf<ValueType::u8, ValueType::u32, Operator::sum>,
    ProblemOf<ValueType::i8, ValueType::i64, Operator::sum, Kind::exclusive>,
    ProblemOf<ValueType::u8, ValueType::u64, Operator::sum, Kind::exclusive, ValueType::i8>,
    ProblemOf<ValueType::i16, ValueType::i32, Operator::sum>, ProblemOf<ValueType::u16, ValueType::u64, Operator::sum>,
    ProblemOf<ValueType::i16, ValueType::i64, Operator::sum, Kind::exclusive>,
    ProblemOf<ValueType::u16, ValueType::u32, Operator::sum, Kind::exclusive>,
    ProblemOf<ValueType::i8, ValueType::i32, Operator::min>, ProblemOf<ValueType::i8, ValueType::i64, Operator::max>,
    ProblemOf<ValueType::u8, ValueType::u32, Operator::min>, ProblemOf<ValueType::u8, ValueType::i32, Operator::max>,
    ProblemOf<ValueType::i16, ValueType::i32, Operator::min>, ProblemOf<ValueType::i16, ValueType::i64, Operator::max>,
    ProblemOf<ValueType::u16, ValueType::u32, Operator::min>, ProblemOf<ValueType::u16, ValueType::u64, Operator::max>>;

template <class Enum>
std::string name_of(Enum value) {
  return Tokens<Enum>::kNames[static_cast<int>(value)];
}

struct NameOfProblem {
  template <class P>
  static std::string GetName(int index) {
    constexpr ScanRequest kRequest = P::kRequest;
    return std::to_string(index) + '_' + name_of(kRequest.input_type) + '_' + name_of(kRequest.accumulator_type) + '_' +
           name_of(kRequest.op) + '_' + name_of(kRequest.kind);
  }
};
TYPED_TEST_SUITE(PackedScans, Packed, NameOfProblem);

template <class Item>
std::vector<Item> every_item() {
  std::vector<Item> items(std::size_t{1} << 8 * sizeof(Item));
  std::iota(items.begin(), items.end(), std::numeric_limits<Item>::min());
  return items;
}

// Items at which signs change, or at which a sum carries into its neighbour.
template <class Item>
std::vector<Item> edges() {
  return {std::numeric_limits<Item>::min(), static_cast<Item>(-1), Item{0}, Item{1}, std::numeric_limits<Item>::max()};
}

TYPED_TEST(PackedScans, EqualPlainOnesForEveryItemInEveryPlaceAndEveryCarry) {
  needs_no_kernel();
  using Input = typename TypeParam::Input;
  const std::vector<Input> every = every_item<Input>(), some = edges<Input>();
  const std::vector<Input>& others = sizeof(Input) == 1 ? every : some;
  for (const Input a : every)
    for (const Input b : others)
      for (const Input c : some) {
        this->check_two_words(a, b, static_cast<u64>(c));
        this->check_two_words(b, c, static_cast<u64>(a));
        this->check_two_words(c, a, static_cast<u64>(b));
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(PackedScans, EqualPlainOnesWhereTheLongestRunHoldsNothingButOneExtreme) {
  needs_no_kernel();
  using Input = typename TypeParam::Input;
  using T = typename TypeParam::Accumulator;
  constexpr int kMostItems = TestFixture::kMostItems;
  for (const Input item : edges<Input>()) {
    SCOPED_TRACE(+item);
    const std::vector<Input> items(kMostItems, item);
    this->template check_run<kMostItems>(items, static_cast<T>(item), true);
    this->template check_run<kMostItems>(items, T{}, false);
  }
}

TYPED_TEST(PackedScans, EqualPlainOnesForRandomRunsOfAnyLength) {
  needs_no_kernel();
  for (unsigned seed = 0; seed < 100 * kTestEffort; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    this->template check_random_run<TestFixture::kWordItems>(random);
    this->template check_random_run<16>(random);
    this->template check_random_run<128>(random);
  }
}

TYPED_TEST(PackedScans, LeaveTheTotalOfARunThatIsFilledUpAsItIs) {
  needs_no_kernel();
  using Input = typename TypeParam::Input;
  using Run = RunScan<TypeParam, 16>;
  Words<Input, 16> filled;
  for (u32& word : filled.words) word = Run::kFiller;
  for (const Input item : every_item<Input>())
    for (int place = 0; place < TestFixture::kWordItems; ++place) {
      Words<Input, 16> run = filled;
      std::memcpy(reinterpret_cast<Input*>(run.words) + place, &item, sizeof item);
      ASSERT_EQ(Run::reduce(run), static_cast<typename TypeParam::Accumulator>(item)) << +item;
    }
}

template <ValueType input, ValueType accumulator, ValueType output, Operator op, Kind kind = Kind::inclusive,
          int kItems = 16>
constexpr bool kPacked = RunScan<ProblemOf<input, accumulator, op, kind, output>, kItems>::kByWords;

TEST(Packing, IsForIntegersOfOneOrTwoBytesThatStayAsWide) {
  needs_no_kernel();
  using enum ValueType;
  EXPECT_TRUE((kPacked<i8, i32, u8, Operator::sum>));
  EXPECT_TRUE((kPacked<u16, u64, u16, Operator::sum>));
  EXPECT_FALSE((kPacked<i32, i32, i32, Operator::sum>));
  EXPECT_FALSE((kPacked<i8, i32, i16, Operator::sum>));
  EXPECT_FALSE((kPacked<i8, f32, i8, Operator::sum>));
  EXPECT_FALSE((kPacked<f16, f32, f16, Operator::sum>));
  EXPECT_FALSE((kPacked<i8, i32, i8, Operator::sum, Kind::inclusive, 2>)) << "half a word";
}

TEST(Packing, IsForSumsAndForExtremesThatStartFromNothing) {
  needs_no_kernel();
  using enum ValueType;
  EXPECT_TRUE((kPacked<i8, i32, i8, Operator::sum, Kind::exclusive>));
  EXPECT_TRUE((kPacked<i8, i32, i8, Operator::max>));
  EXPECT_FALSE((kPacked<i8, i32, i8, Operator::max, Kind::exclusive>)) << "its init may lie outside the items' range";
  EXPECT_FALSE((kPacked<i8, u32, i8, Operator::min>)) << "negative items are large ones as u32";
  EXPECT_FALSE((kPacked<i8, i32, i8, Operator::product>));
  EXPECT_FALSE((kPacked<u8, u32, u8, Operator::bit_xor>));
}

}  // namespace
}  // namespace scantune::packed_test
