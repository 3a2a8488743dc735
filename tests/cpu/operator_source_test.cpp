// Checks of an operator's source before a compiler sees it.
#include "instantiation/operator_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "file_reading_sources.h"
#include "instantiation/instantiation.h"
#include "message_of.h"
#include "operator_sources.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto kName = [](const auto& tested) { return std::string(tested.param.name); };

class SourceThatReads : public testing::TestWithParam<FileReadingSource> {};

TEST_P(SourceThatReads, IsRefusedAtItsLine) {
  const std::optional<SourceMistake> found = first_read_of_a_file(GetParam().source);
  ASSERT_TRUE(found) << GetParam().source;
  EXPECT_EQ(found->line, GetParam().line);
  EXPECT_THAT(found->text, AllOf(HasSubstr("cannot include files"), HasSubstr("paste that text")));
}

INSTANTIATE_TEST_SUITE_P(InEverySpelling, SourceThatReads, testing::ValuesIn(file_reading_sources()), kName);

class UnclearSource : public testing::TestWithParam<FileReadingSource> {};

TEST_P(UnclearSource, IsRefusedWithARemedy) {
  const std::optional<SourceMistake> found = first_read_of_a_file(GetParam().source);
  ASSERT_TRUE(found) << GetParam().source;
  EXPECT_EQ(found->line, GetParam().line);
  EXPECT_THAT(found->text, AllOf(StartsWith("compilers differ over "), HasSubstr(": ")));
}

INSTANTIATE_TEST_SUITE_P(OverWhichCompilersDiffer, UnclearSource, testing::ValuesIn(unclear_sources()), kName);

class SourceThatReadsNothing : public testing::TestWithParam<FileReadingSource> {};

TEST_P(SourceThatReadsNothing, IsAccepted) {
  const std::optional<SourceMistake> found = first_read_of_a_file(GetParam().source);
  EXPECT_FALSE(found) << found->line << ": " << found->text;
}

INSTANTIATE_TEST_SUITE_P(ByADirective, SourceThatReadsNothing, testing::ValuesIn(sources_that_read_nothing()), kName);

// In a group that it skips, NVRTC takes a digit separator for a quote.
TEST(OperatorSource, IsRefusedWhereADigitSeparatorHidesADirectiveFromSomeCompilersOnly) {
  const auto found = first_read_of_a_file("#if 0\n1'0/*'\n#endif\n#include \"a.h\"\n//*/");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 4);
}

double cpu_seconds_of_reading(std::size_t bytes) {
  std::string source;
  while (source.size() < bytes) source += "/* \" */ R\"(x)\" 1'0 \\\n a::b # ' \n#define A \"\n";
  double least = std::numeric_limits<double>::max();
  for (int time = 0; time < 3; ++time) {
    const std::clock_t start = std::clock();
    EXPECT_FALSE(first_read_of_a_file(source));
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

// A reader whose time grows with the square of the length takes 64 times as long.
TEST(OperatorSource, IsReadInTimeThatGrowsWithItsLengthOnly) {
  EXPECT_LT(cpu_seconds_of_reading(1 << 20), 24 * cpu_seconds_of_reading(1 << 17));
}

TEST(OperatorSource, LacksCombineWhereTheNameDoesNotAppear) {
  const char* const source = "__device__ Value join(Value a, Value b) {\n  return b; // combine\n}";
  const std::optional<SourceMistake> found = wrong_definition(source, "i32");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 4);
  EXPECT_THAT(found->text, HasSubstr("no combine: define __device__ Value combine(Value earlier, Value later)"));
}

TEST(OperatorSource, MayPasteItsNamesTogether) {
  const char* const source = "#define OF(name) com##name\n__device__ Value OF(bine)(Value a, Value b) { return b; }";
  EXPECT_FALSE(wrong_definition(source, "i32"));
}

TEST(OperatorSource, LacksValueWhereAStructIsScannedAndTheNameDoesNotAppear) {
  const char* const source = "struct Pair { int a, b; };\n__device__ Pair combine(Pair a, Pair b) { return b; }\n";
  const std::optional<SourceMistake> found = wrong_definition(source, "");
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("no Value: define a struct Value"));
  EXPECT_FALSE(wrong_definition(source, "i32"));
}

TEST(OperatorSource, OfAPredicateLacksKeepOrEqualWhereTheNameDoesNotAppear) {
  const char* const keep = "__device__ bool keep(Value item) { return item > 3; }";
  const char* const equal = "__device__ bool equal(Value before, Value item) { return before == item; }";
  EXPECT_FALSE(wrong_definition(keep, "i32", kKeep));
  EXPECT_FALSE(wrong_definition(equal, "i32", kEqual));
  EXPECT_FALSE(wrong_definition(std::string("struct Value { int a; };\n") + keep, "", kKeep));

  const auto no_keep = wrong_definition(equal, "i32", kKeep), no_equal = wrong_definition(keep, "i32", kEqual);
  ASSERT_TRUE(no_keep && no_equal);
  EXPECT_EQ(no_keep->line, 2);
  EXPECT_THAT(no_keep->text, HasSubstr("no keep: define __device__ bool keep(Value item)"));
  EXPECT_THAT(no_equal->text, HasSubstr("no equal: define __device__ bool equal(Value before, Value item)"));
  EXPECT_TRUE(wrong_definition(keep, "i32")) << "it is no operator";

  const auto no_value = wrong_definition("__device__ bool keep(int item) { return item > 3; }", "", kKeep);
  ASSERT_TRUE(no_value);
  EXPECT_THAT(no_value->text, HasSubstr("no Value"));
  const auto declared = wrong_definition(std::string("struct Value { int a; };\n") + keep, "i32", kKeep);
  ASSERT_TRUE(declared);
  EXPECT_THAT(declared->text, HasSubstr("Value is declared already, as i32, the type of the items: leave"));
}

TEST(OperatorSource, LacksStateWhereOneIsPassedAndTheNameDoesNotAppear) {
  const char* const keep = "__device__ bool keep(Value item, Limit limit) { return item > 3; }";
  const char* const equal = "__device__ bool equal(Value before, Value item, Limit limit) { return before == item; }";
  EXPECT_FALSE(wrong_definition(keep, "i32", kKeep));
  const auto of_keep = wrong_definition(keep, "i32", kKeepWithState),
             of_equal = wrong_definition(equal, "i32", kEqualWithState);
  ASSERT_TRUE(of_keep && of_equal);
  EXPECT_EQ(of_keep->line, 2);
  EXPECT_EQ(of_keep->text, "no State: define a struct State like the one that is passed");
  EXPECT_EQ(of_equal->text, of_keep->text);
  for (const char* defines : {"struct State { int a; };\n", "using State = Limit;\n", "#define OF(name) Sta##name\n"}) {
    EXPECT_FALSE(wrong_definition(std::string(defines) + keep, "i32", kKeepWithState)) << defines;
    EXPECT_FALSE(wrong_definition(std::string(defines) + equal, "i32", kEqualWithState)) << defines;
  }
  const char* const combine = "__device__ Value combine(Value a, Value b, Limit limit) { return a < b ? a : b; }";
  const auto of_combine = wrong_definition(combine, "i32", kCombineWithState);
  ASSERT_TRUE(of_combine);
  EXPECT_EQ(of_combine->text, of_keep->text);
  EXPECT_FALSE(wrong_definition(std::string("using State = Limit;\n") + combine, "i32", kCombineWithState));
  const auto no_combine = wrong_definition(std::string("struct State {};\n") + keep, "i32", kCombineWithState);
  ASSERT_TRUE(no_combine);
  EXPECT_THAT(no_combine->text, HasSubstr("define __device__ Value combine(Value earlier, Value later, State state)"));
  const auto no_keep = wrong_definition(std::string("struct State {};\n") + equal, "i32", kKeepWithState);
  ASSERT_TRUE(no_keep);
  EXPECT_THAT(no_keep->text, HasSubstr("define __device__ bool keep(Value item, State state)"));
}

TEST(OperatorSource, MayNotDefineAValueWhereOneIsDeclared) {
  const std::string combine = "\n__device__ Value combine(Value a, Value b) { return b; }";
  for (const char* defined :
       {"struct Value { int a; };", "class alignas(8) Value final {};", "union Value { int a; };",
        "enum class Value : int {};", "struct Pair;\nstruct\nValue\n{};", "int f(); struct Value {};",
        "struct [[nodiscard]] __align__(8) Value {};", "template <class T> struct Box {}; class Value {};"}) {
    const std::optional<SourceMistake> found = wrong_definition(defined + combine, "f32");
    ASSERT_TRUE(found) << defined;
    EXPECT_THAT(found->text, HasSubstr("Value is declared already, as f32, in which the items are combined: leave"));
    EXPECT_FALSE(wrong_definition(defined + combine, "")) << defined;
  }
  for (const char* other :
       {"namespace mine { struct Value { int a; }; }", "template <class Value> struct Box {};",
        "#if PAIRS\nstruct Value { int a; };\n#endif", "struct Pair f(Value);", "using Value = float;", "struct Value;",
        "#define STRUCT struct Value {", "struct Values { Value a; };", "enum class E : Value { a, b };",
        "template <class T> __device__ auto sq(T x) -> Value { return x * x; }",
        "template <class T> constexpr auto kOne = Value{1};",
        "__device__ auto f(struct Pair p) -> Value { return p.a; }"})
    EXPECT_FALSE(wrong_definition(other + combine, "f32")) << other;
}

TEST(Instantiation, RefusesASourceThatReadsAFileAndQuotesNothingOfIt) {
  const CustomOperator custom{"#include \"/etc/hostname\"\n__device__ Value combine(Value, Value b) { return b; }", ""};
  const std::string message = message_of<CompileError>(
      [&] { instantiate(kScanOfFloats, default_config(kScanOfFloats, 90), Variant::aligned, &custom); });
  EXPECT_THAT(message, StartsWith("operator.cu:1: error: #include: sources cannot include files"));
}

// What a selection's source must define follows from its criterion.
TEST(Instantiation, TakesKeepOrEqualOfASelection) {
  const auto instantiated = [](Criterion criterion, const char* source, int state_bytes = 0) {
    const SelectRequest request{.criterion = criterion, .n = 1000};
    const CustomOperator custom{.source = source, .name = {}, .state_bytes = state_bytes};
    try {
      return instantiate(request, default_config(request, 90), Variant::aligned, &custom).source;
    } catch (const CompileError& error) {
      return std::string(error.what());
    }
  };
  const char* const keep = "__device__ bool keep(Value item) { return item > 3; }";
  const char* const equal = "__device__ bool equal(Value before, Value item) { return before == item; }";
  EXPECT_THAT(instantiated(Criterion::predicate, keep), HasSubstr("SCANTUNE_CUSTOM_PREDICATE(ScantuneOperator, 4, 4)"));
  EXPECT_THAT(instantiated(Criterion::unique_by, equal), HasSubstr("SCANTUNE_CUSTOM_EQUALITY(ScantuneOperator, 4, 4)"));
  EXPECT_THAT(instantiated(Criterion::predicate, keep, 8), StartsWith("keep.cu:2: error: no State: define"));
  EXPECT_THAT(instantiated(Criterion::unique_by, equal, 8), StartsWith("equal.cu:2: error: no State: define"));
  EXPECT_THAT(instantiated(Criterion::predicate, "bool keep(Value item, State least);", 8),
              HasSubstr("SCANTUNE_CUSTOM_PREDICATE_WITH_STATE(ScantuneOperator, 4, 4, 8)"));
  EXPECT_THAT(instantiated(Criterion::predicate, equal), StartsWith("keep.cu:2: error: no keep: define"));
  EXPECT_THAT(instantiated(Criterion::unique_by, keep), StartsWith("equal.cu:2: error: no equal: define"));
}

}  // namespace
}  // namespace scantune
