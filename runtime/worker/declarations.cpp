#include "worker/declarations.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "jit/template_hash.h"
#include "scantune/error.hpp"
#include "worker/protocol.h"

namespace scantune {
namespace {

Json member_json(const MemberModel& member, const Request& by_default) {
  const bool is_decided_by_others = member.spelling == Spelling::value_type;
  return {{"name", member.name},
          {"spelling", token(member.spelling)},
          {"match", token(member.match)},
          {"is_option", member.is_option()},
          {"values", list_of(member.tokens, [](const char* value) { return Json(value); })},
          {"default", is_decided_by_others ? Json(nullptr) : Json(spell(member, by_default))},
          {"meaning", member.meaning}};
}

Json extent_json(const ExtentModel& extent) {
  Json json = {{"name", extent.name}, {"meaning", extent.meaning}};
  if (extent.items_name != nullptr) json["stored_as"] = extent.items_name;
  if (extent.member != nullptr)
    json["where"] = {{extent.member->name, extent.member->tokens[static_cast<std::size_t>(extent.value)]}};
  return json;
}

Json operand_json(const Operand& operand) {
  return {{"name", operand.name}, {"role", token(operand.role)}, {"type", operand.type}, {"extent", operand.extent}};
}

Json parameter_json(const ParameterModel& parameter) {
  return {{"name", parameter.name},
          {"role", parameter.role == Role::primary ? "primary" : "secondary"},
          {"values", list_of(parameter.values, [&](int value) { return value_json(parameter, value); })}};
}

// The index of a value in its parameter's list.
std::size_t index_of(const ParameterModel& parameter, int value) {
  const auto found = std::ranges::find(parameter.values, value);
  if (found == parameter.values.end())
    throw Error(std::string("a searched config has a value of ") + parameter.name + " that its table does not list");
  return static_cast<std::size_t>(found - parameter.values.begin());
}

Json indices_json(const Config& config) {
  int index = 0;
  return list_of(config.family().parameters(),
                 [&](const ParameterModel& parameter) { return index_of(parameter, config[index++]); });
}

}  // namespace

Json algorithm_json(const AlgorithmModel& algorithm) {
  const Request by_default(algorithm);
  const OperandList operands = algorithm.operands(by_default);
  Json extents = Json::array();  // what no record names is of calls alone
  for (const ExtentModel& extent : algorithm.extents())
    if (extent.is_recorded()) extents.push_back(extent_json(extent));
  return {
      {"name", algorithm.name()},
      {"members", list_of(algorithm.members(), [&](const auto& member) { return member_json(member, by_default); })},
      {"extents", std::move(extents)},
      {"operands", list_of(std::span(operands.operands, static_cast<std::size_t>(operands.count)), operand_json)}};
}

Json table_json(const FamilyModel& family) {
  const auto parameter_in_rows = [](const ParameterModel& parameter) {
    Json json = {{"name", parameter.name}};
    if (parameter.absent) json["absent_means"] = value_json(parameter, *parameter.absent);
    return json;
  };
  return {
      {"name", family.name()},
      {"algorithm", family.algorithm().name()},
      {"standing", token(family.standing())},
      {"parameters", list_of(family.parameters(), parameter_in_rows)},
      {"former_values", list_of(family.former_values(), [&](const auto& value) { return to_json(family, value); })}};
}

Json family_json(const FamilyModel& family, const Request& request, int sm, bool with_configs) {
  const auto configs = with_configs ? searched_configs(family, request, sm) : std::vector<Config>();
  return {{"name", family.name()},
          {"template_hash", template_hash(family, request.has_custom_operator(), sm)},
          {"parameters", list_of(family.parameters(), parameter_json)},
          {"configs", list_of(configs, indices_json)},
          {"default", to_json(family.default_config(request, sm))}};
}

}  // namespace scantune
