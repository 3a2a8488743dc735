#include "bench_report.h"

#include <gmock/gmock.h>

namespace scantune::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

RunFacts facts() {
  return {{"NVIDIA H200", "13.0", "NVRTC 13.0", "abc1234", "2026-01-01T00:00:00Z"},
          {"CUB 3.0.1", "CUB 3.6.0"},
          12.5,
          {{"i32 sum 2^20 +0 +0", "the stream is lost"}}};
}

CaseResult result(double scantune_us = 40) {
  const Case subject{ScanRequest{.input_type = ValueType::i8,
                                 .accumulator_type = ValueType::i32,
                                 .output_type = ValueType::i8,
                                 .op = Operator::max,
                                 .kind = Kind::exclusive,
                                 .init = Init::value,
                                 .latency = Latency::isolated,
                                 .n = u64{1} << 24},
                     3, 1};
  return {.subject = subject,
          .launches = 16,
          .buffers = 16,
          .samples = 50,
          .contenders = {{Role::scantune,
                          "scantune",
                          {{Condition::cold, {scantune_us, 0.004}}, {Condition::hot, {scantune_us / 2, 0.004}}}},
                         {Role::cub, "CUB 3.0.1", {{Condition::cold, {60, 0.002}}, {Condition::hot, {50, 0.002}}}},
                         {Role::cub, "CUB 3.6.0", {{Condition::cold, {50, 0.003}}, {Condition::hot, {60, 0.003}}}},
                         {Role::copy, "copy_bulk", {{Condition::cold, {30, 0.001}}}}},
          .chosen = "i8 exclusive max\n  config: lookback{}"};
}

CaseResult argmin() {
  CaseResult reduction = result();
  reduction.subject = {ReduceRequest{.op = Operator::min, .position = Position::first, .init = Init::none, .n = 1000}};
  std::erase_if(reduction.contenders, [](const ContenderTimes& one) { return one.role == Role::copy; });
  return reduction;
}

TEST(Names, SayWhatIsUnusual) {
  EXPECT_EQ(problem_name(ScanRequest{}), "i32 sum");
  EXPECT_EQ(problem_name(ScanRequest{.input_type = ValueType::i8, .output_type = ValueType::i32}), "i8:i32 sum");
  EXPECT_EQ(problem_name(argmin().subject.request), "i32 min first");
  EXPECT_EQ(case_name(result().subject), "i8 max exclusive 2^24 +3 +1");
  EXPECT_EQ(size_name(1'000'000), "1000000");
}

TEST(ComparisonTable, GivesEveryCaseOneLineWithARatioForEachCondition) {
  const ComparisonTable table({"CUB 3.0.1", "CUB 3.6.0"}, {Condition::cold, Condition::hot, Condition::hot_isolated});
  const std::string line = table.line(result());
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  for (const char* text :
       {"i8 max exclusive", "2^24", "40.00", "839", "60.00", "50.00", "30.00", "1.250", "2.500", "0.750", "0.4%", "–"})
    EXPECT_THAT(line, HasSubstr(text));
  for (const char* text : {"CUB 3.6.0", "look-ahead", "hot_isolated", "spread"})
    EXPECT_THAT(table.heading(), HasSubstr(text));
}

CaseResult result_with_a_wrong_cub() {
  CaseResult of = result();
  of.contenders[2].times.clear();
  of.contenders[2].wrong = "CUB 3.6.0 is wrong: item 3 should be -61, found -60";
  return of;
}

TEST(ComparisonTable, SaysWhichContenderIsWrongAndComparesWithTheOthers) {
  const std::string line =
      ComparisonTable({"CUB 3.0.1", "CUB 3.6.0"}, {Condition::cold}).line(result_with_a_wrong_cub());
  EXPECT_THAT(line, HasSubstr("60.00     wrong"));
  EXPECT_THAT(line, HasSubstr("1.500"));
}

TEST(Json, SaysWhatIsWrongWithAContender) {
  const auto contenders = json_of(result_with_a_wrong_cub())["contenders"];
  EXPECT_EQ(contenders[2]["wrong"], "CUB 3.6.0 is wrong: item 3 should be -61, found -60");
  EXPECT_FALSE(contenders[2].contains("cold"));
  EXPECT_FALSE(contenders[1].contains("wrong"));
}

TEST(DrawReport, SaysWhichDrawsAreSlowAndWhatTheyWereFirst) {
  const DrawResult draws[] = {{1, result(40), std::nullopt}, {2, result(40), 0.96}, {4, result(60), 0.9}};
  EXPECT_THAT(line_of(draws[0]), Not(HasSubstr("again")));
  EXPECT_THAT(line_of(draws[1]), HasSubstr("measured again after 0.960"));
  EXPECT_THAT(line_of(draws[1]), Not(HasSubstr("SLOW")));
  EXPECT_THAT(summary_of(draws), HasSubstr("3 draws, 2 measured again, 1 below 0.98"));
  EXPECT_THAT(summary_of(draws), HasSubstr("SLOW"));
}

TEST(Json, HoldsWhereAndHowItWasMeasuredAndWhatFailed) {
  const auto json = json_of(facts(), std::vector{result()});
  for (const char* member : {"gpu", "driver", "compiler", "commit", "date", "cub", "seconds", "method", "failures"})
    EXPECT_TRUE(json.contains(member)) << member;
  EXPECT_EQ(json["failures"][0]["message"], "the stream is lost");
}

TEST(Json, HoldsEveryTimeAndRatioOfACase) {
  const auto json = json_of(facts(), std::vector{result()})["results"][0];
  EXPECT_EQ(json["type"], "i8");
  EXPECT_EQ(json["kind"], "exclusive");
  EXPECT_EQ(json["latency"], "isolated");
  EXPECT_EQ(json["n"], 1 << 24);
  EXPECT_EQ(json["bytes_moved"], 1 << 25);
  EXPECT_EQ(json["input_offset"], 3);
  EXPECT_EQ(json["contenders"][2]["name"], "CUB 3.6.0");
  EXPECT_EQ(json["contenders"][2]["hot"]["us"], 60);
  EXPECT_EQ(json["cub_over_scantune"]["cold"], 1.25);
  EXPECT_EQ(json["cub_over_scantune"]["hot"], 2.5);
  EXPECT_EQ(json["copy_over_scantune"]["cold"], 0.75);
  EXPECT_FALSE(json["copy_over_scantune"].contains("hot"));
}

TEST(Json, NamesTheAlgorithmAndWhatItsRequestsHave) {
  const auto reduction = json_of(argmin());
  EXPECT_EQ(reduction["algorithm"], "reduce");
  EXPECT_EQ(reduction["position"], "first");
  EXPECT_FALSE(reduction.contains("kind"));
  EXPECT_EQ(reduction["bytes_moved"], 1000 * 4 + 4 + 8);  // a value and an index are written
  EXPECT_EQ(reduction["cub_over_scantune"]["cold"], 1.25);
  EXPECT_EQ(reduction["copy_over_scantune"].size(), 0u);

  const auto scan = json_of(result());
  EXPECT_EQ(scan["algorithm"], "scan");
  EXPECT_FALSE(scan.contains("position"));
}

TEST(ComparisonTable, LeavesTheCopyOfAReductionOut) {
  const std::string line = ComparisonTable({"CUB 3.0.1", "CUB 3.6.0"}, {Condition::cold}).line(argmin());
  EXPECT_THAT(line, HasSubstr("i32 min first"));
  EXPECT_THAT(line, HasSubstr("1.250 |       – |"));
}

TEST(Json, CountsSlowDraws) {
  const DrawResult draws[] = {{2, result(40), 0.96}, {4, result(60), 0.9}};
  const auto json = json_of(facts(), draws, 7);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["slow"], 1);
  EXPECT_EQ(json["draws"][1]["number"], 4);
  EXPECT_EQ(json["draws"][0]["first_cub_over_scantune"], 0.96);
  EXPECT_EQ(json["draws"][0]["slow"], false);
  EXPECT_EQ(json["draws"][1]["slow"], true);
}

}  // namespace
}  // namespace scantune::bench
