#include "space/config_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "scantune/error.hpp"
#include "space/json_checks.h"

namespace scantune {
namespace {

int parameter_value(const FamilyModel& family, const ParameterModel& parameter, const Json& json) {
  std::optional<int> value;
  if (parameter.tokens != nullptr && json.is_string()) value = parse(parameter, json.get_ref<const std::string&>());
  if (parameter.tokens == nullptr && json.is_number_integer()) value = parse(parameter, json.dump());
  if (value) return *value;
  const std::string known = names_of(parameter.values, [&](int one) { return spell(parameter, one); });
  throw RequestError(std::string(family.name()) + "." + parameter.name + " cannot be " + quote(json) + "; it is " +
                     (parameter.tokens == nullptr ? "an integer, such as " : "one of ") + known);
}

// The value as JSON has it: an integer or a token.
Json value_json(const FormerValue& former) {
  Json number = Json::parse(former.spelling, nullptr, false);
  return number.is_number_integer() ? number : Json(former.spelling);
}

// What became of a removed parameter. Throws RequestError where its value became nothing.
const FormerValue& former_value(const FamilyModel& family, const std::string& name, const Json& value) {
  const auto former = family.former_values();
  if (std::ranges::none_of(former, [&](const FormerValue& known) { return name == known.name; }))
    throw RequestError(std::string(family.name()) + " has no parameter " + quote(name));
  if (value.is_string() || value.is_number_integer())
    for (const FormerValue& known : former)
      if (name == known.name && value == value_json(known)) return known;
  throw RequestError(std::string(family.name()) + " has no parameter " + quote(name) +
                     " any more, and nothing does what " + quote(value) + " did");
}

int index_of(const FamilyModel& family, std::string_view name) {
  const auto all = family.parameters();
  const auto found = std::ranges::find_if(all, [&](const ParameterModel& known) { return name == known.name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

// What the JSON leaves out is as in `rest`, or without it what rows mean that lack the parameter.
Config config_of(const FamilyModel& family, const Json& parameters, const Config* rest) {
  require_object(parameters, "config.parameters");
  std::array<std::optional<int>, Config::kMaxParameters> values, replaced;
  for (const auto& member : parameters.items()) {
    const int index = index_of(family, member.key());
    if (index >= 0) {
      const auto place = static_cast<std::size_t>(index);
      values[place] = parameter_value(family, family.parameters()[place], member.value());
    } else if (const FormerValue& former = former_value(family, member.key(), member.value()); former.parameter) {
      replaced[static_cast<std::size_t>(index_of(family, former.parameter))] = former.value;
    }
  }
  Config config(family);
  for (std::size_t index = 0; index < family.parameters().size(); ++index) {
    const ParameterModel& parameter = family.parameters()[index];
    const auto left_out = rest != nullptr ? (*rest)[static_cast<int>(index)] : parameter.absent;
    const auto value = replaced[index] ? replaced[index] : values[index] ? values[index] : left_out;
    if (!value) throw RequestError(std::string(family.name()) + "." + parameter.name + " is missing");
    config[static_cast<int>(index)] = *value;
  }
  return config;
}

Config config_of(std::string_view family_name, const Json& parameters) {
  const FamilyModel* family = find_family(family_name);
  if (family == nullptr) throw RequestError("there is no family " + quote(std::string(family_name)));
  return config_of(*family, parameters);
}

const FamilyModel& given_family(const Json& json, const Request& request) {
  const auto given = json.find("family");
  for (const FamilyModel* family : request.algorithm().families())
    if (given != json.end() && *given == family->name()) return *family;
  const auto known = names_of(request.algorithm().families(), [](const FamilyModel* family) { return family->name(); });
  throw RequestError(std::string("config.family must name a family of ") + request.algorithm().name() + ": " + known +
                     "; found " + (given != json.end() ? quote(*given) : "none"));
}

std::string advice(const Config& by_default) { return "; the default is " + to_string(by_default); }

[[noreturn]] void refuse(const std::string& choice, const Request& request, const std::string& reason) {
  throw RequestError("config: " + choice + " cannot run " + to_string(request) + ": " + reason);
}

// The config that an object gives which names the default's family.
Config completed(Json json, const Config& by_default) try {
  json.erase("family");
  const auto parameters = json.find("parameters");
  if (parameters != json.end()) require_known(json, "it", {"parameters"});
  return config_of(by_default.family(), parameters != json.end() ? *parameters : json, &by_default);
} catch (const RequestError& error) {
  throw RequestError(std::string("config: ") + error.what() + advice(by_default));
}

Json parameters_json(const Config& config, bool with_all) {
  Json json = Json::object();
  int index = 0;
  for (const ParameterModel& parameter : config.family().parameters()) {
    const int value = config[index++];
    if (with_all || value != parameter.absent) json[parameter.name] = value_json(parameter, value);
  }
  return json;
}

}  // namespace

Json value_json(const ParameterModel& parameter, int value) {
  if (parameter.tokens == nullptr) return value;
  return spell(parameter, value);
}

Json to_json(const FamilyModel& family, const FormerValue& former) {
  Json json = {{"name", former.name}, {"value", value_json(former)}, {"becomes", Json::object()}};
  if (former.parameter != nullptr) {
    const auto index = static_cast<std::size_t>(index_of(family, former.parameter));
    json["becomes"][former.parameter] = value_json(family.parameters()[index], former.value);
  }
  return json;
}

Json to_json(const Config& config) {
  return {{"family", config.family().name()}, {"parameters", parameters_json(config, true)}};
}

std::string canonical_parameters(const Config& config) { return parameters_json(config, false).dump(); }

Config config_of(const FamilyModel& family, const Json& parameters) { return config_of(family, parameters, nullptr); }

Config config_from_json(const Json& json) {
  require_object(json, "config");
  require_known(json, "config", {"family", "parameters"});
  const auto family = json.find("family");
  if (family == json.end() || !family->is_string()) throw RequestError("config.family must name a family");
  const auto parameters = json.find("parameters");
  if (parameters == json.end()) throw RequestError("config.parameters is missing");
  return config_of(family->get_ref<const std::string&>(), *parameters);
}

Config parse_config(std::string_view family, std::string_view parameters) {
  return config_of(family, parsed("the config", parameters));
}

Config given_config(std::string_view text, const Request& request, int sm) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    throw RequestError("config is " + quote(std::string(text)) +
                       R"(; it must be JSON such as {"family": "lookback", "parameters": {"block_threads": 256}})");
  const FamilyModel& family = given_family(json, request);
  if (const char* reason = family.unsupported_reason(request, sm)) refuse(family.name(), request, reason);
  const Config by_default = family.default_config(request, sm);
  const Config config = completed(std::move(json), by_default);
  if (const char* reason = family.invalid_reason(config, request, sm))
    refuse(to_string(config), request, reason + advice(by_default));
  return config;
}

}  // namespace scantune
