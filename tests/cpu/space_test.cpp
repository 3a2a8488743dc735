#include "space/space.h"

#include <gtest/gtest.h>

#include <set>

#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr int kArchs[] = {kHostSm, 75, 80, 86, 90, 100};

ScanRequest request_of(ValueType type, u64 n) {
  return {.input_type = type, .accumulator_type = type, .output_type = type, .n = n};
}

TEST(Space, HasAtMostFourThousandSearchedConfigsPerFamilyAndProblem) {
  for (const int sm : kArchs)
    for (const ValueType type : {ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64})
      for (const FamilyModel* family : families()) {
        const auto configs = searched_configs(*family, request_of(type, 1u << 16), sm);
        EXPECT_GE(configs.size(), 100u) << family->name() << " sm " << sm;
        EXPECT_LE(configs.size(), 4000u) << family->name() << " sm " << sm;
      }
}

TEST(Space, SearchedConfigsAreLegalAndDistinct) {
  for (const FamilyModel* family : families()) {
    const ScanRequest request = request_of(ValueType::i32, 1u << 16);
    std::set<std::string> seen;
    for (const Config& config : searched_configs(*family, request, 90)) {
      EXPECT_EQ(reject_reason(config, request, 90), nullptr) << to_string(config);
      EXPECT_TRUE(seen.insert(to_string(config)).second) << to_string(config);
    }
  }
}

TEST(Space, EveryDefaultIsSearchedOnEveryArchitecture) {
  for (const int sm : kArchs)
    for (const ValueType type : {ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64})
      for (const u64 n : {u64{1}, u64{1} << 12, u64{1} << 16, u64{1} << 24, u64{1} << 33})
        for (const FamilyModel* family : families()) {
          const ScanRequest request = request_of(type, n);
          if (family->unsupported_reason(request, sm) != nullptr) continue;
          const Config config = family->default_config(request, sm);
          EXPECT_EQ(family->invalid_reason(config, request, sm), nullptr) << to_string(config) << " sm " << sm;
          const auto searched = searched_configs(*family, request, sm);
          EXPECT_NE(std::find(searched.begin(), searched.end(), config), searched.end())
              << to_string(config) << " of " << to_string(request) << " sm " << sm;
        }
}

TEST(Space, SpellingsRoundTrip) {
  for (const FamilyModel* family : families())
    for (const ParameterModel& parameter : family->parameters())
      for (const int value : parameter.values)
        EXPECT_EQ(parse(parameter, spell(parameter, value)), value) << parameter.name;
}

TEST(Space, RefusesSpellingsThatAreNoValue) {
  const ParameterModel& layout = find_family("lookback")->parameters()[3];
  const ParameterModel& threads = find_family("lookback")->parameters()[0];
  for (const char* text : {"", "0", "diagonal", "direct "}) EXPECT_EQ(parse(layout, text), std::nullopt) << text;
  for (const char* text : {"", "12x", " 12", "99999999999"}) EXPECT_EQ(parse(threads, text), std::nullopt) << text;
}

TEST(Space, RefusesAnEnumeratorOutOfRange) {
  const ScanRequest request = request_of(ValueType::i32, 1u << 16);
  Config config = find_family("lookback")->default_config(request, 90);
  config[3] = 77;
  EXPECT_STREQ(reject_reason(config, request, 90), "an enumerator is out of range");
}

TEST(Space, KeepsEveryStatusWorkspaceUnderOnePercentOfTheInput) {
  for (const ValueType type : {ValueType::i32, ValueType::i64, ValueType::f32, ValueType::f64})
    for (const FamilyModel* family : families()) {
      const ScanRequest request = request_of(type, 1u << 24);
      for (const Config& config : searched_configs(*family, request, 90)) {
        const u64 bytes = family->workspace(config, request).bytes;
        EXPECT_LE(bytes * 100, request.n * static_cast<u64>(size_of(type))) << to_string(config);
      }
    }
}

TEST(Space, SaysWhyNoFamilySupportsAProblem) {
  try {
    default_config(request_of(ValueType::i8, 100), 90);
    FAIL() << "no exception";
  } catch (const RequestError& error) {
    EXPECT_NE(std::string(error.what()).find("no kernel scans i8 inclusive sum of 100 items"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("lookback: the accumulator type must be"), std::string::npos);
  }
}

TEST(Space, DeterministicFloatSumsGoToAFamilyWithAFixedAssociation) {
  ScanRequest request = request_of(ValueType::f32, 1u << 20);
  request.determinism = Determinism::run_to_run;
  EXPECT_STREQ(default_config(request, 90).family().name(), "three_phase");
}

TEST(Space, DeterministicFloatSumsDoNotDependOnTheAlignmentOfPointers) {
  ScanRequest request = request_of(ValueType::f32, 1u << 16);
  request.determinism = Determinism::run_to_run;
  for (const FamilyModel* family : families())
    for (const Config& config : searched_configs(*family, request, 90))
      EXPECT_EQ(to_string(config).find("layout=striped"), std::string::npos) << to_string(config);
}

}  // namespace
}  // namespace scantune
