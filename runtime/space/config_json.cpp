#include "space/config_json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "scantune/error.hpp"
#include "space/spelling.h"

namespace scantune {
namespace {

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

// One of the request's types; `fallback` if it is left out. All custom types of a request are one.
ValueType type_member(const Json& json, const char* name, ScanRequest& request, ValueType fallback) {
  const auto member = json.find(name);
  if (member == json.end()) return fallback;
  const auto type = member->is_string() ? parse_type(member->get_ref<const std::string&>()) : std::nullopt;
  if (!type) {
    std::string known;
    for (const char* spelling : Tokens<ValueType>::kNames) known += spelling + std::string(", ");
    throw RequestError(std::string("request.") + name + " must be one of " + known +
                       "the last with its bytes, custom1 to custom32; found " + quote(*member));
  }
  if (!adopt(request, *type))
    throw RequestError(std::string("request.") + name + " is " + spell(*type) + " beside custom" +
                       std::to_string(request.custom_bytes) + ": a request has one custom type");
  return type->type;
}

std::string text_member(const Json& json, const char* name) {
  const auto member = json.find(name);
  if (member == json.end()) return {};
  if (!member->is_string()) throw RequestError(std::string("request.operator.") + name + " must be a text");
  return member->get<std::string>();
}

void read_operator(const Json& json, StatedRequest& stated) {
  ScanRequest& request = stated.request;
  if (!is_custom(request.op))
    throw RequestError(std::string("request.operator is for custom operators, and request.op is ") + token(request.op));
  require_object(json, "request.operator");
  require_known(json, "request.operator", {"name", "source", "alignment"});
  stated.custom = {.source = text_member(json, "source"), .name = text_member(json, "name")};
  if (json.contains("name") && !is_operator_name(stated.custom.name))
    throw RequestError("request.operator.name must be " + std::string(kOperatorNameRule) + "; found " +
                       quote(json["name"]));
  if (json.contains("source") && stated.custom.source.empty()) throw RequestError("request.operator.source is empty");
  const auto alignment = json.find("alignment");
  if (alignment == json.end()) return;
  if (request.custom_bytes == 0)
    throw RequestError("request.operator.alignment is for custom types, and the request has none");
  for (int allowed = 1; allowed <= kVectorAlignmentBytes; allowed *= 2)
    if (*alignment == allowed && alignment->is_number_integer()) {
      request.custom_alignment = allowed;
      return;
    }
  throw RequestError("request.operator.alignment must be 1, 2, 4, 8 or 16; found " + quote(*alignment));
}

Json operator_json(const StatedRequest& stated) {
  Json json = Json::object();
  if (!stated.custom.name.empty()) json["name"] = stated.custom.name;
  if (!stated.custom.source.empty()) json["source"] = stated.custom.source;
  if (stated.request.custom_bytes != 0) json["alignment"] = stated.request.custom_alignment;
  return json;
}

u64 items_member(const Json& json) {
  const auto member = json.find("n");
  if (member == json.end()) throw RequestError("request.n is missing");
  // A negative number is not unsigned; a built one may be signed and positive.
  if (member->is_number_integer() && (member->is_number_unsigned() || member->get<i64>() > 0))
    if (const u64 n = member->get<u64>(); n >= 1 && n <= kMostItems) return n;
  throw RequestError("request.n must be an integer from 1 to 2^" + std::to_string(std::countr_zero(kMostItems)) +
                     "; found " + quote(*member));
}

int parameter_value(const FamilyModel& family, const ParameterModel& parameter, const Json& json) {
  std::optional<int> value;
  if (parameter.tokens != nullptr && json.is_string()) value = parse(parameter, json.get_ref<const std::string&>());
  if (parameter.tokens == nullptr && json.is_number_integer()) value = parse(parameter, json.dump());
  if (!value) throw RequestError(std::string(family.name()) + "." + parameter.name + " cannot be " + quote(json));
  return *value;
}

// The value as JSON has it: an integer or a token.
Json value_json(const FormerValue& former) {
  Json number = Json::parse(former.spelling, nullptr, false);
  return number.is_number_integer() ? number : Json(former.spelling);
}

// What became of a parameter that was taken away. Throws RequestError where its value became nothing.
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

Config config_of(std::string_view family_name, const Json& parameters) {
  const FamilyModel* family = find_family(family_name);
  if (family == nullptr) throw RequestError("there is no family " + quote(std::string(family_name)));
  return config_of(*family, parameters);
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

Json to_json(const StatedRequest& stated) {
  const ScanRequest& request = stated.request;
  Json json = {{"input_type", spell_type(request, request.input_type)},
               {"accumulator_type", spell_type(request, request.accumulator_type)},
               {"output_type", spell_type(request, request.output_type)},
               {"op", token(request.op)},
               {"kind", token(request.kind)},
               {"init", token(request.init)},
               {"determinism", token(request.determinism)},
               {"forward_progress", token(request.forward_progress)},
               {"latency", token(request.latency)},
               {"n", request.n}};
  if (is_custom(request.op)) json["operator"] = operator_json(stated);
  return json;
}

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

Config config_of(const FamilyModel& family, const Json& parameters) {
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
    const auto value = replaced[index] ? replaced[index] : values[index] ? values[index] : parameter.absent;
    if (!value) throw RequestError(std::string(family.name()) + "." + parameter.name + " is missing");
    config[static_cast<int>(index)] = *value;
  }
  return config;
}

StatedRequest stated_request(const Json& json) {
  require_object(json, "request");
  require_known(json, "request",
                {"input_type", "accumulator_type", "output_type", "op", "kind", "init", "determinism",
                 "forward_progress", "latency", "n", "operator"});
  if (!json.contains("input_type")) throw RequestError("request.input_type is missing");
  StatedRequest stated;
  ScanRequest& request = stated.request;
  request.input_type = type_member(json, "input_type", request, ValueType{});
  request.output_type = type_member(json, "output_type", request, request.input_type);
  request.accumulator_type =
      type_member(json, "accumulator_type", request, default_accumulator(request.input_type, request.output_type));
  request.op = enum_member(json, "op", request.op);
  request.kind = enum_member(json, "kind", request.kind);
  request.init = enum_member(json, "init", request.kind == Kind::exclusive ? Init::value : Init::none);
  request.determinism = enum_member(json, "determinism", request.determinism);
  request.forward_progress = enum_member(json, "forward_progress", request.forward_progress);
  request.latency = enum_member(json, "latency", request.latency);
  request.n = items_member(json);
  if (const auto custom = json.find("operator"); custom != json.end()) read_operator(*custom, stated);
  return stated;
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
