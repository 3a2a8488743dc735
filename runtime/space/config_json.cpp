#include "space/config_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr u64 kMostItems = u64{1} << 48;   // more than any memory holds, and bytes cannot overflow
constexpr std::size_t kLongestQuote = 80;  // of foreign text in a message

std::string quote(const Json& json) {
  if (json.is_structured()) return json.is_array() ? "an array" : "an object";  // of any depth, and dump() recurses
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + "...";
  return text;
}

void require_object(const Json& json, const char* what) {
  if (!json.is_object()) throw RequestError(std::string(what) + " must be a JSON object, found " + quote(json));
}

void require_known(const Json& json, const char* what, std::initializer_list<std::string_view> known) {
  for (const auto& member : json.items())
    if (std::ranges::find(known, member.key()) == known.end())
      throw RequestError(std::string(what) + " has an unknown member " + quote(member.key()));
}

template <class Enum>
Enum enum_member(const Json& json, const char* name, Enum fallback) {
  const auto member = json.find(name);
  if (member == json.end()) return fallback;
  if (member->is_string())
    if (const auto value = parse_token<Enum>(member->template get_ref<const std::string&>())) return *value;
  std::string known;
  for (const char* spelling : Tokens<Enum>::kNames) known += std::string(known.empty() ? "" : ", ") + spelling;
  throw RequestError(std::string("request.") + name + " must be one of " + known + "; found " + quote(*member));
}

u64 items_member(const Json& json) {
  const auto member = json.find("n");
  if (member == json.end()) throw RequestError("request.n is missing");
  // A negative number is not unsigned; a built one may be signed and positive.
  if (member->is_number_integer() && (member->is_number_unsigned() || member->get<i64>() > 0))
    if (const u64 n = member->get<u64>(); n >= 1 && n <= kMostItems) return n;
  throw RequestError("request.n must be an integer from 1 to 2^48; found " + quote(*member));
}

Json value_json(const ParameterModel& parameter, int value) {
  if (parameter.tokens == nullptr) return value;
  return spell(parameter, value);
}

int parameter_value(const FamilyModel& family, const ParameterModel& parameter, const Json& json) {
  std::optional<int> value;
  if (parameter.tokens != nullptr && json.is_string()) value = parse(parameter, json.get_ref<const std::string&>());
  if (parameter.tokens == nullptr && json.is_number_integer()) value = parse(parameter, json.dump());
  if (!value) throw RequestError(std::string(family.name()) + "." + parameter.name + " cannot be " + quote(json));
  return *value;
}

Config config_of(std::string_view family_name, const Json& parameters) {
  const FamilyModel* family = find_family(family_name);
  if (family == nullptr) throw RequestError("there is no family " + quote(std::string(family_name)));
  require_object(parameters, "config.parameters");
  Config config(*family);
  std::size_t index = 0;
  for (const ParameterModel& parameter : family->parameters()) {
    const auto member = parameters.find(parameter.name);
    if (member == parameters.end())
      throw RequestError(std::string(family->name()) + "." + parameter.name + " is missing");
    config[static_cast<int>(index++)] = parameter_value(*family, parameter, *member);
  }
  if (parameters.size() == index) return config;
  for (const auto& member : parameters.items())
    if (std::ranges::none_of(family->parameters(), [&](const auto& known) { return member.key() == known.name; }))
      throw RequestError(std::string(family->name()) + " has no parameter " + quote(member.key()));
  throw RequestError(std::string(family->name()) + " has a parameter given twice");
}

Json parameters_json(const Config& config) {
  Json json = Json::object();
  int index = 0;
  for (const ParameterModel& parameter : config.family().parameters())
    json[parameter.name] = value_json(parameter, config[index++]);
  return json;
}

}  // namespace

Json to_json(const ScanRequest& request) {
  return {{"input_type", token(request.input_type)},
          {"accumulator_type", token(request.accumulator_type)},
          {"output_type", token(request.output_type)},
          {"op", token(request.op)},
          {"kind", token(request.kind)},
          {"init", token(request.init)},
          {"determinism", token(request.determinism)},
          {"forward_progress", token(request.forward_progress)},
          {"n", request.n}};
}

Json to_json(const Config& config) {
  return {{"family", config.family().name()}, {"parameters", parameters_json(config)}};
}

std::string canonical_parameters(const Config& config) { return parameters_json(config).dump(); }

ScanRequest request_from_json(const Json& json) {
  require_object(json, "request");
  require_known(
      json, "request",
      {"input_type", "accumulator_type", "output_type", "op", "kind", "init", "determinism", "forward_progress", "n"});
  if (!json.contains("input_type")) throw RequestError("request.input_type is missing");
  ScanRequest request;
  request.input_type = enum_member(json, "input_type", request.input_type);
  request.accumulator_type = enum_member(json, "accumulator_type", request.input_type);
  request.output_type = enum_member(json, "output_type", request.input_type);
  request.op = enum_member(json, "op", request.op);
  request.kind = enum_member(json, "kind", request.kind);
  request.init = enum_member(json, "init", request.kind == Kind::exclusive ? Init::value : Init::none);
  request.determinism = enum_member(json, "determinism", request.determinism);
  request.forward_progress = enum_member(json, "forward_progress", request.forward_progress);
  request.n = items_member(json);
  return request;
}

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
  const Json json = Json::parse(parameters, nullptr, false);
  if (json.is_discarded()) throw RequestError("the config is not JSON: " + quote(std::string(parameters)));
  return config_of(family, json);
}

}  // namespace scantune
