#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>

#include "families_under_test.h"
#include "message_of.h"
#include "scantune/error.hpp"
#include "space/config_json.h"

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
  for (const auto& [text, said] : table) {
    const std::string message = message_of<RequestError>([&] { parse_config("single_block", text); });
    EXPECT_NE(message.find(said), std::string::npos) << text << ": " << message;
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
  for (const auto& [old, said] : refused) {
    const std::string message = message_of<RequestError>([&] { config_of(family, Json::parse(old)); });
    EXPECT_NE(message.find(said), std::string::npos) << old << ": " << message;
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
