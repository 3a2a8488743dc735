#include "space/request.h"

#include <algorithm>
#include <cmath>

#include "scantune/error.hpp"
#include "space/spelling.h"

namespace scantune {
namespace {

std::string joined_by(char separator, std::string words) {
  std::ranges::replace(words, '_', separator);
  return words;
}

// So many rows say that there are rows.
bool is_told_by_extent(const MemberModel& member, const Request& request) {
  return std::ranges::any_of(request.algorithm().extents(), [&](const ExtentModel& extent) {
    return extent.member == &member && request.has(extent);
  });
}

}  // namespace

namespace detail {

void refuse_as(const char* algorithm, const Request& request) {
  throw Error(std::string("a request of ") + request.algorithm().name() + " was taken for one of " + algorithm);
}

}  // namespace detail

Request::Request(const AlgorithmModel& algorithm) : Request(algorithm.by_default()) {}

std::span<const AlgorithmModel* const> algorithms() { return detail::kAlgorithms; }

const AlgorithmModel* find_algorithm(std::string_view name) {
  const auto found =
      std::ranges::find_if(algorithms(), [&](const AlgorithmModel* algorithm) { return name == algorithm->name(); });
  return found == algorithms().end() ? nullptr : *found;
}

std::string spell(const MemberModel& member, const Request& request) {
  if (member.spelling == Spelling::value_type) return spell_type(request, request.type(member));
  return member.tokens[static_cast<std::size_t>(request[member])];
}

std::string phrase(const MemberModel& member, const Request& request) {
  return spell(member, request) + " " + joined_by(' ', member.name);
}

std::string option_name(const char* name) { return joined_by('-', name); }

std::string to_string(const Request& request, std::string_view operator_name) {
  std::string text = spell_types(request);
  for (const MemberModel& member : request.members())
    if (member.match == Match::served) text += ' ' + spell(member, request);
  const auto op = request.op();
  text += ' ' + (op ? spell(SpelledOperator{*op, std::string(operator_name)}) : request.algorithm().name());
  if (const std::string remark = request.algorithm().remark(request); !remark.empty()) text += ' ' + remark;
  for (const MemberModel& member : request.members())
    if (member.is_option() && !request.has_default(member) && !is_told_by_extent(member, request))
      text += ", " + phrase(member, request);
  text += " of " + std::to_string(request.n) + " items";
  for (const ExtentModel& extent : request.algorithm().extents())
    if (request.has(extent) && extent.is_recorded()) text += ", " + std::to_string(request[extent]) + ' ' + extent.name;
  return text;
}

u64 sequences(const Request& request) {
  for (const ExtentModel& extent : request.algorithm().extents())
    if (extent.member != nullptr && extent.member->tokens.data() == Tokens<Segments>::kNames && request.has(extent))
      return request[extent];
  return 1;
}

int magnitude_of(u64 extent) {
  return extent == 0 ? -1 : static_cast<int>(std::lround(std::log2(static_cast<double>(extent))));
}

RequestKey key_of(const Request& request) {
  RequestKey key{request.algorithm().name(), {}, {}, request.custom_bytes};
  for (const MemberModel& member : request.members())
    if (member.is_recorded())
      key.members[static_cast<std::size_t>(member.place)] = static_cast<unsigned char>(request[member]);
  for (const ExtentModel& extent : request.algorithm().extents())
    key.magnitudes[static_cast<std::size_t>(extent.place)] = magnitude_of(extent.is_recorded() ? request[extent] : 0);
  return key;
}

}  // namespace scantune
