// The text of a template that a compiler sees, and the hashes over it.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <thread>

#include "jit/template_hash.h"
#include "joint_template_hash.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {
namespace {

using Paths = std::vector<std::string>;

std::string seen(std::string_view source, TemplateView view = TemplateView::cuda) {
  return template_text(source, view).text;
}

struct Pair {
  const char* name;
  std::string_view one, other;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class Alike : public testing::TestWithParam<Pair> {};

TEST_P(Alike, AreTheSameText) { EXPECT_EQ(seen(GetParam().one), seen(GetParam().other)); }

INSTANTIATE_TEST_SUITE_P(
    Texts, Alike,
    testing::Values(Pair{"line_comment", "int a;  // why\nint b;", "int a;\nint b;"},
                    Pair{"block_comment", "int /* of\nlines */ a;", "int a;"},
                    Pair{"comment_alone", "// what\n\n/* more */\nint a;\n", "int a;"},
                    Pair{"comment_that_goes_on", "int a;  // why \\\n and how\nint b;", "int a;\nint b;"},
                    Pair{"comment_with_quotes", "int a;  // don't \"\nint b;", "int a;\nint b;"},
                    Pair{"comment_in_a_directive", "#define A 1  // one\nA", "#define A 1\nA"},
                    Pair{"indentation", "  if (a)\n\t\tf( a );", "if (a)\nf( a );"},
                    Pair{"wrapped_line", "f(a,\n  b);", "f(a, b);"},
                    Pair{"carriage_returns", "int a;\r\nint b;\r\n", "int a;\nint b;\n"},
                    Pair{"line_continued", "#define A(x) \\\n  f(x)\nA(1)", "#define A(x) f(x)\nA(1)"},
                    Pair{"word_continued", "in\\\nt a;", "int a;"},
                    Pair{"string_continued", "f(\"a\\\nb\");", "f(\"ab\");"},
                    Pair{"pragma_once", "#pragma once\nint a;", "int a;"},
                    Pair{"blank_after_the_mark", "#  define A 1", "#define A 1"},
                    Pair{"other_compiler", "#ifdef __CUDACC_RTC__\nint a;\n#else\nint b;\n#endif\nint c;",
                         "int a;\nint c;"}),
    [](const auto& tested) { return std::string(tested.param.name); });

class Unlike : public testing::TestWithParam<Pair> {};

TEST_P(Unlike, AreDifferentTexts) { EXPECT_NE(seen(GetParam().one), seen(GetParam().other)); }

INSTANTIATE_TEST_SUITE_P(Texts, Unlike,
                         testing::Values(Pair{"string_with_slashes", "f(\"a // b\");", "f(\"a // c\");"},
                                         Pair{"string_with_blanks", "f(\"a  b\");", "f(\"a b\");"},
                                         Pair{"string_with_a_quote", R"(f("\" // a");)", R"(f("\" // b");)"},
                                         Pair{"string_with_a_comment", "f(\"/*\"); a; f(\"*/\");",
                                              "f(\"/*\"); b; f(\"*/\");"},
                                         Pair{"character", "f('\"'); a;  // \"", "f('\"'); b;  // \""},
                                         Pair{"escaped_character", R"(f('\''); a;)", R"(f('\''); b;)"},
                                         Pair{"separated_digits", "int a = 1'000; b;  // '", "int a = 1'000; c;  // '"},
                                         Pair{"raw_string", "f(R\"x(// a)\" )x\");", "f(R\"x(// b)\" )x\");"},
                                         Pair{"lines_of_a_raw_string", "f(R\"(a\nb)\");", "f(R\"(a b)\");"},
                                         Pair{"words_apart", "int a;", "inta;"}, Pair{"division", "a / b / c", "a"},
                                         Pair{"macro_with_parameters", "#define A(x) x", "#define A (x) x"},
                                         Pair{"end_of_a_directive", "#define A\nint a;", "#define A int a;"},
                                         Pair{"line_before_a_directive", "a\n#define A", "a #define A"},
                                         Pair{"other_condition", "#if __CUDA_ARCH__ >= 900\na;\n#else\nb;\n#endif",
                                              "#if __CUDA_ARCH__ >= 900\na;\n#else\nc;\n#endif"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(TemplateText, DecidesWhatDependsOnTheCompilerAlone) {
  for (const char* condition : {"#ifdef __CUDACC_RTC__", "#if defined(__CUDACC_RTC__)", "#if defined __CUDACC_RTC__",
                                "# if defined( __CUDACC_RTC__ )  // NVRTC"}) {
    const std::string source = std::string(condition) + "\na\n#else\nb\n#endif\nc";
    EXPECT_EQ(seen(source), "a c") << condition;
    EXPECT_EQ(seen(source, TemplateView::host), "b c") << condition;
  }
  for (const char* condition : {"#ifndef __CUDACC_RTC__", "#if !defined(__CUDACC_RTC__)"}) {
    const std::string source = std::string(condition) + "\na\n#endif\nc";
    EXPECT_EQ(seen(source), "c") << condition;
    EXPECT_EQ(seen(source, TemplateView::host), "a c") << condition;
  }
}

TEST(TemplateText, KeepsAllBranchesOfOtherConditions) {
  const char* const source = "#if defined(__CUDACC_RTC__) && A\na\n#elif B\nb\n#else\nc\n#endif\nd";
  EXPECT_EQ(seen(source), source);
  EXPECT_EQ(seen(source, TemplateView::host), source);
}

TEST(TemplateText, FollowsConditionsWithinConditions) {
  const char* const source =
      "#ifdef __CUDACC_RTC__\n#if A\na\n#else\nb\n#endif\nc\n#else\n#if B\nd\n#else\ne\n#endif\nf\n#endif\ng";
  EXPECT_EQ(seen(source), "#if A\na\n#else\nb\n#endif\nc g");
  EXPECT_EQ(seen(source, TemplateView::host), "#if B\nd\n#else\ne\n#endif\nf g");
  const char* const within = "#if A\n#ifndef __CUDACC_RTC__\na\n#else\nb\n#endif\n#endif\nc";
  EXPECT_EQ(seen(within), "#if A\nb\n#endif\nc");
  EXPECT_EQ(seen(within, TemplateView::host), "#if A\na\n#endif\nc");
}

TEST(TemplateText, TakesABranchThatAnotherConditionDecidesForAGroup) {
  const char* const source = "#ifdef __CUDACC_RTC__\na\n#elif B\nb\n#else\nc\n#endif\nd";
  EXPECT_EQ(seen(source), "a d");
  EXPECT_EQ(seen(source, TemplateView::host), "#if B\nb\n#else\nc\n#endif\nd");
}

TEST(TemplateText, ListsTheIncludesThatACompilerMayFollow) {
  const char* const source =
      "#include \"a.h\"\n// #include \"no.h\"\n#ifdef __CUDACC_RTC__\n#  include \"b.h\"  // why\n#else\n"
      "#include \"c.h\"\n#endif\n#if A\n#include \"d.h\"\n#else\n#include \"e.h\"\n#endif\nf(\"#include\");";
  EXPECT_EQ(template_text(source, TemplateView::cuda).includes, (Paths{"a.h", "b.h", "d.h", "e.h"}));
  EXPECT_EQ(template_text(source, TemplateView::host).includes, (Paths{"a.h", "c.h", "d.h", "e.h"}));
}

constexpr TemplateFile kFiles[] = {{"a.h", "#include \"b.h\"\nint a;\n"},
                                   {"b.h", "#include \"c.h\"\nint b;\n"},
                                   {"c.h", "#include \"b.h\"\nint c;\n"},
                                   {"d.h", "int d;\n"}};

// Whether the hash of some headers changes once a file has that text.
bool moves(const Paths& headers, std::size_t file, const char* text, TemplateView view = TemplateView::cuda) {
  std::vector<TemplateFile> edited(std::begin(kFiles), std::end(kFiles));
  edited[file].text = text;
  return TemplateHashes(kFiles, view).of(headers) != TemplateHashes(edited, view).of(headers);
}

TEST(TemplateHashes, MoveWithEveryFileThatIsIncludedHoweverIndirectly) {
  EXPECT_TRUE(moves({"a.h"}, 0, "#include \"b.h\"\nint e;\n"));
  EXPECT_TRUE(moves({"a.h"}, 2, "int c;\n"));
  EXPECT_FALSE(moves({"a.h"}, 3, "int e;\n"));
  EXPECT_TRUE(moves({"a.h", "d.h"}, 3, "int e;\n"));
  EXPECT_FALSE(moves({"b.h"}, 0, "int e;\n"));
}

TEST(TemplateHashes, StayWithCommentsAndBlanks) {
  EXPECT_FALSE(moves({"a.h"}, 2, "// What b holds.\n#include \"b.h\"\n\n  int  c;  // seconds\n"));
}

TEST(TemplateHashes, MoveForTheCompilerThatSeesTheEditAlone) {
  const char* const for_host = "#include \"b.h\"\nint c;\n#ifndef __CUDACC_RTC__\n#include \"d.h\"\n#endif\n";
  EXPECT_FALSE(moves({"a.h"}, 2, for_host));
  EXPECT_TRUE(moves({"a.h"}, 2, for_host, TemplateView::host));
}

TEST(TemplateHashes, TellFilesApartThatChangePlaces) {
  constexpr TemplateFile kOne[] = {{"a.h", "int a;"}, {"b.h", "int b;"}};
  constexpr TemplateFile kOther[] = {{"a.h", "int b;"}, {"b.h", "int a;"}};
  const Paths both = {"a.h", "b.h"};
  EXPECT_NE(TemplateHashes(kOne, TemplateView::cuda).of(both), TemplateHashes(kOther, TemplateView::cuda).of(both));
}

TEST(TemplateHashes, DoNotDependOnTheOrderOfHeadersAndFiles) {
  const std::vector<TemplateFile> reversed(std::rbegin(kFiles), std::rend(kFiles));
  const TemplateHashes one(kFiles, TemplateView::cuda), other(reversed, TemplateView::cuda);
  EXPECT_EQ(one.of(Paths{"a.h", "d.h"}), other.of(Paths{"d.h", "a.h"}));
}

TEST(TemplateHashes, OfTextsMoveWithEveryEdit) {
  constexpr TemplateFile kOne[] = {{"a.h", "#include \"b.h\""}, {"b.h", "int a;"}};
  constexpr TemplateFile kOther[] = {{"a.h", "#include \"b.h\""}, {"b.h", "// one\nint a;"}};
  const auto hash = [](std::span<const TemplateFile> files, Hashed hashed) {
    return TemplateHashes(files, TemplateView::host, hashed).of(Paths{"a.h"});
  };
  EXPECT_EQ(hash(kOne, Hashed::code), hash(kOther, Hashed::code));
  EXPECT_NE(hash(kOne, Hashed::text), hash(kOther, Hashed::text));
}

TEST(TemplateHashes, NameAFileThatThereIsNot) {
  const TemplateHashes hashes(kFiles, TemplateView::cuda);
  EXPECT_THROW(hashes.of(Paths{"e.h"}), Error);
}

TEST(TemplateHash, IsOneForEachFamilyKindOfOperatorAndCompiler) {
  std::set<std::string> hashes;
  for (const FamilyModel* family : families())
    for (const bool custom : {false, true})
      for (const int sm : {kHostSm, 90}) hashes.insert(template_hash(*family, custom, sm));
  EXPECT_EQ(hashes.size(), families().size() * 4);
  const FamilyModel& lookback = *find_family("lookback");
  EXPECT_EQ(template_hash(lookback, false, 80), template_hash(lookback, false, 90));
  EXPECT_EQ(template_hash(lookback, false, 80).size(), 64u);
}

TEST(TemplateHash, IsOneForAllThreadsThatAskAtOnce) {
  std::array<const std::string*, 8> found{};
  std::vector<std::thread> threads;
  for (const std::string*& one : found)
    threads.emplace_back([&one] { one = &template_hash(*find_family("three_phase"), false, 90); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string* one : found) EXPECT_EQ(one, found.front());
}

// tests/python/test_record.py has the same figure.
TEST(JointTemplateHash, IsTheFamiliesOwnWhereBothEndsAreOfOne) {
  const std::string a(64, 'a'), b(64, 'b');
  EXPECT_EQ(joint_template_hash(a, a), a);
  EXPECT_EQ(joint_template_hash(a, b), "1e831ae63ad800e26ef792d221be433a38d25fe9514139ae15dfa2bc5b232cf7");
  EXPECT_NE(joint_template_hash(a, b), joint_template_hash(b, a));
}

}  // namespace
}  // namespace scantune
