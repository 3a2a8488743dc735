#include "space/spelling.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "space/space.h"

namespace scantune {

std::string spell(const SpelledType& type) {
  return type.type == ValueType::custom ? token(type.type) + std::to_string(type.custom_bytes) : token(type.type);
}

std::optional<SpelledType> parse_type(std::string_view text) {
  const auto type = parse_token<ValueType>(text);
  if (type && *type != ValueType::custom) return SpelledType{*type};
  // Trying all sizes admits one spelling of each.
  for (SpelledType custom{ValueType::custom, 1}; custom.custom_bytes <= kMaxValueBytes; ++custom.custom_bytes)
    if (text == spell(custom)) return custom;
  return std::nullopt;
}

std::string spell_type(const Request& request, ValueType type) { return spell({type, request.custom_bytes}); }

std::string spell_types(const Request& request) {
  std::vector<const MemberModel*> members;
  for (const MemberModel& member : request.members())
    if (member.spelling == Spelling::value_type) members.push_back(&member);
  // Values or indices that are not asked for have a type too.
  const OperandList list = request.algorithm().operands(request);
  const std::span operands(list.operands, static_cast<std::size_t>(list.count));
  const auto is_used = [&](const MemberModel* member) {
    return std::ranges::any_of(operands,
                               [&](const Operand& one) { return member->name == std::string_view(one.type); });
  };
  if (members.size() > 1 && !is_used(members.back())) members.pop_back();

  std::vector<std::string> types;
  types.reserve(members.size());
  for (const MemberModel* member : members) types.push_back(spell(*member, request));
  std::string text = types.front();
  if (std::ranges::adjacent_find(types, std::not_equal_to<>()) == types.end()) return text;
  text += " to " + types.back();
  for (std::size_t between = 1; between + 1 < types.size(); ++between) text += " in " + types[between];
  return text;
}

bool adopt(Request& request, const SpelledType& type) {
  if (type.type != ValueType::custom) return true;
  if (request.custom_bytes != 0 && request.custom_bytes != type.custom_bytes) return false;
  request.custom_bytes = type.custom_bytes;
  request.custom_alignment = natural_alignment(type.custom_bytes);
  return true;
}

std::string spell(const SpelledOperator& op) { return op.name.empty() ? token(op.op) : token(op.op) + (":" + op.name); }

std::optional<SpelledOperator> parse_operator(std::string_view text) {
  const auto colon = text.find(':');
  const auto op = parse_token<Operator>(text.substr(0, colon));
  if (!op) return std::nullopt;
  if (colon == std::string_view::npos) return SpelledOperator{*op, {}};
  const std::string_view name = text.substr(colon + 1);
  if (!is_custom(*op) || !is_operator_name(name)) return std::nullopt;
  return SpelledOperator{*op, std::string(name)};
}

bool is_operator_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace scantune
