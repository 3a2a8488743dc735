#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>

#include "families_under_test.h"
#include "scantune/error.hpp"
#include "space/config_json.h"
#include "worker_problems.h"

namespace scantune {
namespace {

TEST(ConfigJson, EverySearchedConfigSurvivesTheRoundTrip) {
  const ScanRequest request{.n = 4096};
  for (const FamilyModel* family : families())
    for (const Config& config : searched_configs(*family, request, 90)) {
      ASSERT_EQ(config_from_json(to_json(config)), config) << to_string(config);
      ASSERT_EQ(parse_config(family->name(), canonical_parameters(config)), config) << to_string(config);
    }
}

TEST(ConfigJson, CanonicalParametersFollowTheTableAndHoldNoSpaces) {
  const FamilyModel& family = *find_family("lookback");
  const std::string text = canonical_parameters(family.default_config(ScanRequest{.n = u64{1} << 24}, 90));
  EXPECT_EQ(text.find(' '), std::string::npos) << text;
  std::size_t position = 0;
  for (const ParameterModel& parameter : family.parameters()) {
    const std::size_t found = text.find(Json(parameter.name).dump() + ":");
    ASSERT_NE(found, std::string::npos) << parameter.name;
    EXPECT_GE(found, position) << parameter.name;
    position = found;
  }
}

TEST(ConfigJson, ParametersMayComeInAnyOrder) {
  const Config config = find_family("single_block")->default_config(ScanRequest{.n = 64}, 90);
  Json reversed = Json::object();
  const Json parameters = to_json(config)["parameters"];
  std::vector<std::string> names;
  for (const auto& member : parameters.items()) names.push_back(member.key());
  for (auto name = names.rbegin(); name != names.rend(); ++name) reversed[*name] = parameters[*name];
  EXPECT_EQ(parse_config("single_block", reversed.dump()), config);
}

TEST(ConfigJson, OfAParameterThatIsGivenTwiceTheLastValueCounts) {
  const Config config = default_config(ScanRequest{.n = 100000}, 90);
  std::string twice = canonical_parameters(config);
  twice.insert(1, "\"block_threads\":\"many\",");
  EXPECT_EQ(parse_config(config.family().name(), twice), config);
}

TEST(GivenConfig, IsEveryFamilysDefaultButForWhatItNames) {
  for (const FamilyModel* family : families()) {
    const Request request = plain_request(*family, 256);
    const auto with = [&](const Json& parameters) {
      return given_config(Json{{"family", family->name()}, {"parameters", parameters}}.dump(), request, 90);
    };
    const Config by_default = family->default_config(request, 90);
    EXPECT_EQ(with(Json::object()), by_default);
    EXPECT_EQ(given_config(Json{{"family", family->name()}}.dump(), request, 90), by_default);
    for (const Config& config : searched_configs(*family, request, 90)) {
      const Json parameters = to_json(config)["parameters"];
      ASSERT_EQ(with(parameters), config) << to_string(config);
      Json departures = Json::object();
      for (const auto& member : parameters.items())
        if (member.value() != to_json(by_default)["parameters"][member.key()])
          departures[member.key()] = member.value();
      ASSERT_EQ(with(departures), config) << to_string(config);
      departures["family"] = family->name();
      ASSERT_EQ(given_config(departures.dump(), request, 90), config) << to_string(config);
    }
  }
}

TEST(GivenConfig, OfAnyDepthIsRefused) {
  const ScanRequest request{.n = 256};
  const std::string deep(1'000'000, '[');
  EXPECT_THROW(given_config(deep, request, 90), RequestError);
  for (const char* before : {"{\"family\":\"lookback\",\"parameters\":", "{\"family\":"})
    EXPECT_THROW(given_config(before + deep + std::string(1'000'000, ']') + "}", request, 90), RequestError);
}

TEST(ConfigJson, RequestsSurviveTheRoundTrip) {
  ScanRequest custom = testing::custom_request(12, 2, Operator::custom_expensive);
  custom.n = 3;
  const StatedRequest requests[] = {
      {ScanRequest{.n = 1}, {}},
      {ScanRequest{.input_type = ValueType::i8,
                   .accumulator_type = ValueType::i64,
                   .output_type = ValueType::u16,
                   .op = Operator::max,
                   .kind = Kind::exclusive,
                   .init = Init::value,
                   .n = u64{1} << 40},
       {}},
      {ScanRequest{.init = Init::memory,
                   .determinism = Determinism::run_to_run,
                   .forward_progress = ForwardProgress::documented,
                   .latency = Latency::isolated,
                   .n = 7},
       {}},
      {ScanRequest{.segments = Segments::rows, .n = 60, .rows = 20}, {}},
      {custom, {}},
      {custom, {.source = "struct Value {};\n// \"quoted\" \u00e9", .name = "a.b"}},
      {ScanRequest{.op = Operator::custom_cheap, .n = 2}, {.source = {}, .name = "only-a-name"}}};
  for (const StatedRequest& stated : requests)
    EXPECT_EQ(stated_request(to_json(stated)), stated) << to_string(stated.request);
}

// None is read as another whose name it begins with.
TEST(ConfigJson, EveryValueOfAMemberIsReadAsItself) {
  for (const FamilyModel* family : families())
    for (const MemberModel& member : family->algorithm().members()) {
      if (member.spelling != Spelling::token || !member.is_recorded()) continue;
      for (int value = 0; value < static_cast<int>(member.tokens.size()); ++value) {
        Request request = plain_request(*family, 256);
        request.set(member, value);
        const StatedRequest parsed = parse_request(family->algorithm(), canonical_request({request, {}}));
        EXPECT_EQ(parsed.request[member], value) << member.name << " of " << to_string(request);
      }
    }
}

TEST(ConfigJson, ARequestIsOfTheAlgorithmThatItNames) {
  const Request copy = stated_request(Json::parse(R"({"algorithm": "copy", "input_type": "i8", "n": 9})")).request;
  EXPECT_EQ(typed<CopyRequest>(copy), (CopyRequest{ValueType::i8, ValueType::i8, 0, 0, 9}));
  EXPECT_EQ(canonical_request({copy, {}}), R"({"input_type":"i8","output_type":"i8"})");
  EXPECT_THROW(typed<ScanRequest>(copy), Error);
  EXPECT_THROW(stated_request(Json::parse(R"({"algorithm": "median", "input_type": "i8", "n": 9})")), RequestError);
  EXPECT_THROW(stated_request(Json::parse(R"({"algorithm": "copy", "op": "sum", "input_type": "i8", "n": 9})")),
               RequestError);
}

TEST(ConfigJson, ARequestNeedsOnlyItsInputTypeAndN) {
  const auto request =
      typed<ScanRequest>(stated_request(Json::parse(R"({"input_type": "f64", "kind": "exclusive", "n": 9})")).request);
  EXPECT_EQ(request.accumulator_type, ValueType::f64);
  EXPECT_EQ(request.output_type, ValueType::f64);
  EXPECT_EQ(request.op, Operator::sum);
  EXPECT_EQ(request.init, Init::value);
}

TEST(ConfigJson, ARequestsAccumulatorFollowsFromInputAndOutput) {
  const std::pair<const char*, ValueType> table[] = {
      {R"({"input_type": "u8", "n": 9})", ValueType::u32},
      {R"({"input_type": "bf16", "n": 9})", ValueType::f32},
      {R"({"input_type": "i8", "output_type": "i64", "n": 9})", ValueType::i64},
      {R"({"input_type": "custom6", "op": "custom_cheap", "n": 9})", ValueType::custom}};
  for (const auto& [json, accumulator] : table)
    EXPECT_EQ(stated_request(Json::parse(json)).request.accumulator_type(), accumulator) << json;
}

TEST(ConfigJson, ACustomTypeIsAlignedByItsSizeUnlessTheRequestSays) {
  EXPECT_EQ(stated_request(Json::parse(R"({"input_type": "custom12", "n": 9})")).request.custom_alignment, 4);
  EXPECT_EQ(
      stated_request(
          Json::parse(R"({"input_type": "custom12", "op": "custom_cheap", "n": 9, "operator": {"alignment": 2}})"))
          .request.custom_alignment,
      2);
}

TEST(ConfigJson, AnExtentIsToldOfTheRequestsThatHaveIt) {
  const ScanRequest flat{.n = 1024}, rows{.segments = Segments::rows, .n = 1024, .rows = 100};
  EXPECT_FALSE(to_json(StatedRequest{flat, {}}).contains("rows"));
  EXPECT_EQ(canonical_shape(flat), "");
  EXPECT_EQ(to_string(flat), "i32 inclusive sum of 1024 items");
  EXPECT_EQ(to_json(StatedRequest{rows, {}})["rows"], 100);
  EXPECT_EQ(canonical_shape(rows), R"({"rows":7})");
  EXPECT_EQ(to_string(rows), "i32 inclusive sum of 1024 items, 100 rows");
  EXPECT_NE(key_of(rows).magnitudes,
            key_of(ScanRequest{.segments = Segments::rows, .n = 1024, .rows = 200}).magnitudes);
}

TEST(ConfigJson, AShapeIsAdoptedByTheRequestsThatHaveItsExtents) {
  Request rows = ScanRequest{.segments = Segments::rows};
  adopt_shape(rows, R"({"rows":7})");
  EXPECT_EQ(typed<ScanRequest>(rows).rows, 128u);
  Request flat = ScanRequest{};
  EXPECT_NO_THROW(adopt_shape(flat, ""));
  EXPECT_THROW(adopt_shape(flat, R"({"rows":7})"), RequestError);
  for (const char* other : {"", "{}", "7", R"({"rows":-1})", R"({"rows":49})", R"({"rows": 7})", R"({"rows":7,"n":1})"})
    EXPECT_THROW(adopt_shape(rows, other), RequestError) << other;
}

struct Refused {
  const char* json;
  const char* said;
};

TEST(ConfigJson, RefusesRequestsAndSaysWhy) {
  const Refused table[] = {
      {R"([])", "must be a JSON object"},
      {R"({"n": 4})", "request.input_type is missing"},
      {R"({"input_type": "i32"})", "request.n is missing"},
      {R"({"input_type": "i33", "n": 4})", "request.input_type must be one of i8, i16"},
      {R"({"input_type": 3, "n": 4})", "found 3"},
      {R"({"input_type": "i32", "n": 0})", "request.n must be an integer from 1 to 2^48; found 0"},
      {R"({"input_type": "i32", "n": -4})", "found -4"},
      {R"({"input_type": "i32", "n": 4.0})", "found 4.0"},
      {R"({"input_type": "i32", "n": "4"})", "found \"4\""},
      {R"({"input_type": "i32", "n": 281474976710657})", "found 281474976710657"},
      {R"({"input_type": "i32", "n": 18446744073709551616})", "request.n must be"},
      {R"({"input_type": "i32", "n": [[[]]]})", "found an array"},
      {R"({"input_type": "i32", "n": 4, "init": 1})", "request.init"},
      {R"({"input_type": "i32", "n": 4, "has_init": true})", "unknown member \"has_init\""},
      {R"({"input_type": "i32", "n": 4, "segments": "rows"})", "request.rows is missing"},
      {R"({"input_type": "i32", "n": 4, "segments": "rows", "rows": 0})", "request.rows must be an integer from 1"},
      {R"({"input_type": "i32", "n": 4, "rows": 2})",
       "request.rows is for requests with segments rows, and this one has none"},
      {R"({"algorithm": "copy", "input_type": "i32", "n": 4, "operator": {}})",
       "request.operator is for custom operators, and a copy has none"},
      {R"({"algorithm": "select", "input_type": "i32", "n": 4, "criterion": "less", "operator": {}})",
       "request.operator is for criteria of the caller's own, predicate and unique_by, and request.criterion is less"},
      {R"({"algorithm": "select", "input_type": "i32", "n": 4, "criterion": "predicate", "operator": {"name": "odd"}})",
       "request.operator has an unknown member \"name\""},
  };
  for (const Refused& row : table) try {
      stated_request(Json::parse(row.json));
      ADD_FAILURE() << row.json;
    } catch (const RequestError& error) {
      EXPECT_NE(std::string(error.what()).find(row.said), std::string::npos) << row.json << ": " << error.what();
    }
}

TEST(ConfigJson, RefusesConfigsAndSaysWhy) {
  const std::string right = canonical_parameters(find_family("single_block")->default_config(ScanRequest{.n = 64}, 90));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = right;
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
  };
  const std::pair<std::string, const char*> table[] = {
      {"", "not JSON"},
      {"[1]", "must be a JSON object"},
      {"{}", "single_block.block_threads is missing"},
      {with("\"block_threads\":32", "\"block_threads\":\"256\""), "single_block.block_threads cannot be \"256\""},
      {with("\"block_threads\":32", "\"block_threads\":256.5"), "cannot be 256.5"},
      {with("\"block_threads\":32", "\"block_threads\":99999999999"), "cannot be 99999999999"},
      {with("\"block_threads\":32", "\"block_threads\":true"), "cannot be true"},
      {with("\"direct\"", "\"upside_down\""), "single_block.layout cannot be \"upside_down\""},
      {with("\"direct\"", "0"), "single_block.layout cannot be 0"},
      {with("{", "{\"colour\":1,"), "single_block has no parameter \"colour\""},
  };
  for (const auto& [text, said] : table) try {
      parse_config("single_block", text);
      ADD_FAILURE() << text;
    } catch (const RequestError& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << text << ": " << error.what();
    }
  EXPECT_THROW(parse_config("no_such_family", right), RequestError);
}

// A family that has former values, and else is like another.
class MadeUpFamily final : public FamilyModel {
 public:
  enum { kItems, kWindow, kLayout };

  const AlgorithmModel& algorithm() const override { return like_.algorithm(); }
  const char* name() const override { return "made_up"; }
  const char* config_name() const override { return like_.config_name(); }
  const char* header() const override { return like_.header(); }
  std::span<const char* const> kernels() const override { return like_.kernels(); }
  std::span<const ParameterModel> parameters() const override { return parameters_; }
  std::span<const FormerValue> former_values() const override { return kFormerValues; }
  const char* unsupported_reason(const Request& request, int sm) const override {
    return like_.unsupported_reason(request, sm);
  }
  int preference(const Request& request, int sm) const override { return like_.preference(request, sm); }
  Config default_config(const Request&, int) const override { return Config(*this); }
  const char* invalid_reason(const Config&, const Request&, int) const override { return nullptr; }
  int tile_items(const Config& config, const Request&) const override { return config[kItems]; }
  WorkspaceNeed workspace(const Config&, const Request&) const override { return {}; }
  LaunchList launches(const Config&, const Request&, Variant) const override { return LaunchList(); }

 private:
  static constexpr int kNumbers[] = {0, 1, 2, 4, 8};
  static constexpr int kLayouts[] = {0, 1};
  static constexpr const char* kLayoutNames[] = {"direct", "striped"};
  static constexpr FormerValue kFormerValues[] = {{"unroll", "2", "items", 8},
                                                  {"unroll", "1"},
                                                  {"order", "by_row", "layout", 1},
                                                  {"order", "by_thread", "layout", 0}};
  const ParameterModel parameters_[3] = {{"items", Role::primary, kNumbers, nullptr, std::nullopt, {}},
                                         {"window", Role::secondary, kNumbers, nullptr, 4, {}},
                                         {"layout", Role::primary, kLayouts, kLayoutNames, 0, {}}};
  const FamilyModel& like_ = *find_family("lookback");
};

TEST(ConfigJson, TakesAParameterThatWasAddedLaterForWhatRowsWithoutItMean) {
  const MadeUpFamily family;
  const Config old = config_of(family, Json::parse(R"({"items":2})"));
  EXPECT_EQ(old, config_of(family, Json::parse(R"({"layout":"direct","items":2,"window":4})")));
  EXPECT_EQ(old[MadeUpFamily::kWindow], 4);
  EXPECT_EQ(canonical_parameters(old), R"({"items":2})");
  EXPECT_EQ(to_json(old).dump(), R"({"family":"made_up","parameters":{"items":2,"window":4,"layout":"direct"}})");
  const Config other = config_of(family, Json::parse(R"({"layout":"striped","window":8,"items":2})"));
  EXPECT_NE(other, old);
  EXPECT_EQ(canonical_parameters(other), R"({"items":2,"window":8,"layout":"striped"})");
  EXPECT_EQ(config_of(family, Json::parse(canonical_parameters(other))), other);
  EXPECT_THROW(config_of(family, Json::parse(R"({"window":4})")), RequestError) << "items were there from the first";
}

TEST(ConfigJson, TakesAValueThatIsNoMoreForWhatItBecame) {
  const MadeUpFamily family;
  const std::pair<const char*, const char*> table[] = {
      {R"({"items":2,"unroll":2})", R"({"items":8})"},
      {R"({"unroll":2,"items":2})", R"({"items":8})"},
      {R"({"unroll":2})", R"({"items":8})"},
      {R"({"items":2,"unroll":1})", R"({"items":2})"},
      {R"({"items":2,"order":"by_row","unroll":1})", R"({"items":2,"layout":"striped"})"},
      {R"({"items":2,"order":"by_thread"})", R"({"items":2})"}};
  for (const auto& [old, now] : table) EXPECT_EQ(canonical_parameters(config_of(family, Json::parse(old))), now) << old;
  const std::pair<const char*, const char*> refused[] = {
      {R"({"items":2,"unroll":3})", "has no parameter \"unroll\" any more, and nothing does what 3 did"},
      {R"({"items":2,"unroll":"2"})", "nothing does what \"2\" did"},
      {R"({"items":2,"unroll":2.0})", "nothing does what 2.0 did"},
      {R"({"items":2,"order":[[]]})", "nothing does what an array did"},
      {R"({"items":2,"colour":1})", "has no parameter \"colour\""}};
  for (const auto& [old, said] : refused) try {
      config_of(family, Json::parse(old));
      ADD_FAILURE() << old;
    } catch (const RequestError& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << old << ": " << error.what();
    }
}

TEST(ConfigJson, SpellsWhatFormerValuesBecame) {
  const MadeUpFamily family;
  std::string text;
  for (const FormerValue& former : family.former_values()) text += to_json(family, former).dump() + '\n';
  EXPECT_EQ(text,
            R"({"name":"unroll","value":2,"becomes":{"items":8}}
{"name":"unroll","value":1,"becomes":{}}
{"name":"order","value":"by_row","becomes":{"layout":"striped"}}
{"name":"order","value":"by_thread","becomes":{"layout":"direct"}}
)");
}

TEST(ConfigJson, KnowsWhatKernelsDidBeforeTheirParametersWereAdded) {
  const auto value = [](const char* family, const char* parameter) -> std::string {
    for (const ParameterModel& known : find_family(family)->parameters())
      if (std::string_view(known.name) == parameter && known.absent) return spell(known, *known.absent);
    return "";
  };
  EXPECT_EQ(value("lookback", "first_delay_ns"), "0");
  EXPECT_EQ(value("pipelined", "store_path"), "bulk");
  EXPECT_EQ(value("pipelined", "prefetch_tiles"), "0");
  for (const FamilyModel* family : families())
    for (const ParameterModel& known : family->parameters())
      EXPECT_TRUE(!known.absent || std::ranges::find(known.values, *known.absent) != known.values.end()) << known.name;
}

TEST(ConfigJson, KnowsOfEveryFormerValueWhichParameterStandsForIt) {
  for (const FamilyModel* family : families())
    for (const FormerValue& former : family->former_values()) {
      const auto parameters = family->parameters();
      EXPECT_TRUE(std::ranges::none_of(parameters, [&](const auto& known) {
        return std::string_view(known.name) == former.name;
      })) << former.name;
      if (former.parameter == nullptr) continue;
      const auto known = std::ranges::find_if(
          parameters, [&](const auto& one) { return std::string_view(one.name) == former.parameter; });
      ASSERT_NE(known, parameters.end()) << former.parameter;
      EXPECT_TRUE(parse(*known, spell(*known, former.value)).has_value()) << former.name;
    }
}

// A database may hold any integer; products of them must not wrap into the legal range.
TEST(ConfigJson, ExtremeIntegersParseAndAreIllegal) {
  for (const FamilyModel* family : families())
    for (std::size_t index = 0; index < family->parameters().size(); ++index) {
      const Request request = plain_request(*family, 4096);
      const ParameterModel& parameter = family->parameters()[index];
      if (parameter.tokens != nullptr || std::string(parameter.name) == "pdl") continue;
      for (const int extreme : {INT_MIN, -1, 1 << 26, 1 << 29, 1 << 30, INT_MAX}) {
        Config config = family->default_config(request, 90);
        config[static_cast<int>(index)] = extreme;
        ASSERT_EQ(parse_config(family->name(), canonical_parameters(config)), config);
        EXPECT_NE(reject_reason(config, request, 90), nullptr) << to_string(config);
      }
    }
}

TEST(ConfigJson, SurvivesDeeplyNestedText) {
  const std::string deep(1'000'000, '[');
  EXPECT_THROW(parse_config("single_block", deep), RequestError);
  EXPECT_THROW(parse_config("single_block", deep + std::string(1'000'000, ']')), RequestError);
  EXPECT_THROW(parse_config("single_block", "{\"block_threads\":" + deep + std::string(1'000'000, ']') + "}"),
               RequestError);
}

}  // namespace
}  // namespace scantune
