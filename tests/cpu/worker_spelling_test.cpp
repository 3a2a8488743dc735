#include "space/spelling.h"

#include <gtest/gtest.h>

#include "worker_problems.h"

namespace scantune {
namespace {

TEST(Spelling, OfEveryTypeRoundTrips) {
  for (const char* name : Tokens<ValueType>::kNames) {
    if (std::string_view(name) == "custom") continue;
    const auto type = parse_type(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(spell(*type), name);
  }
  for (int bytes = 1; bytes <= kMaxValueBytes; ++bytes) {
    const SpelledType custom{ValueType::custom, bytes};
    EXPECT_EQ(spell(custom), "custom" + std::to_string(bytes));
    EXPECT_EQ(parse_type(spell(custom)), custom);
  }
}

TEST(Spelling, RefusesWhatIsNoType) {
  for (const char* text : {"", "i33", "I32", "custom", "custom0", "custom33", "custom-1", "custom01", "custom 4",
                           "custom4 ", "custom4294967297", "customx", "i32\n"})
    EXPECT_EQ(parse_type(text), std::nullopt) << text;
}

TEST(Spelling, NamesTheTypesThatAreReadOrWritten) {
  EXPECT_EQ(spell_types(ScanRequest{.input_type = ValueType::i8, .output_type = ValueType::i64}), "i8 to i64 in i32");
  EXPECT_EQ(spell_types(SortRequest{.input_type = ValueType::i8}), "i8");
  EXPECT_EQ(spell_types(SortRequest{.input_type = ValueType::i8, .sorted = Sorted::indices}), "i8 to u32");
  EXPECT_EQ(spell_types(SelectRequest{.input_type = ValueType::f32}), "f32");
  EXPECT_EQ(spell_types(SelectRequest{.input_type = ValueType::f32, .selected = Selected::indices}), "f32 to u64");
}

TEST(Spelling, NamesTheTypesOfARequestThatIsRefused) {
  constexpr SelectRequest refused{.criterion = Criterion::flagged,
                                  .selected = Selected::items_and_indices,
                                  .rejected = Rejected::apart,
                                  .values = Values::bytes_4};
  ASSERT_NE(unsupported_reason(refused), nullptr);
  EXPECT_EQ(spell_types(refused), "i32 to u64");
  static_assert(Algorithm<SelectRequest>::operands(refused).count == 8);  // no constant is written behind its list
}

TEST(Spelling, OfEveryOperatorRoundTrips) {
  for (const Operator op : testing::all_operators()) {
    EXPECT_EQ(parse_operator(token(op)), (SpelledOperator{op, {}}));
    const SpelledOperator named{op, "filter-2.b_C"};
    EXPECT_EQ(parse_operator(spell(named)), is_custom(op) ? std::optional(named) : std::nullopt);
  }
  EXPECT_EQ(spell({Operator::custom_cheap, "affine"}), "custom_cheap:affine");
}

TEST(Spelling, RefusesWhatIsNoOperator) {
  for (const std::string& text : {std::string("median"), std::string("sum:affine"), std::string("custom_moderate:"),
                                  std::string("custom_cheap:a b"), std::string("custom_cheap:a:b"),
                                  std::string("custom_cheap:\x1b[2J"), "custom_cheap:" + std::string(65, 'x')})
    EXPECT_EQ(parse_operator(text), std::nullopt) << text;
  EXPECT_TRUE(is_operator_name(std::string(64, 'x')));
}

TEST(Spelling, AlignsACustomTypeByItsSize) {
  const int sizes[][2] = {{1, 1}, {2, 2}, {3, 1}, {6, 2}, {8, 8}, {12, 4}, {16, 16}, {20, 4}, {24, 8}, {32, 16}};
  for (const auto& [bytes, alignment] : sizes) EXPECT_EQ(natural_alignment(bytes), alignment) << bytes;
}

TEST(Spelling, OfARequestShowsItsTypesSizesAndWhereItStarts) {
  ScanRequest request = testing::custom_request(12);
  request.n = 5;
  EXPECT_EQ(to_string(request), "custom12 inclusive custom_moderate of 5 items");
  request = testing::request_of(ValueType::i8, ValueType::i64, ValueType::i32);
  request.kind = Kind::exclusive;
  request.init = Init::memory;
  EXPECT_EQ(to_string(request), "i8 to i32 in i64 exclusive sum with init from memory of 0 items");
}

}  // namespace
}  // namespace scantune
