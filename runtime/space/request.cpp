#include "space/request.h"

#include <algorithm>
#include <bit>
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

u64 recorded_number(const Request& request, const ExtentModel& extent) {
  const u64 number = request[extent];
  return extent.items_name == nullptr || number == 0 ? number : ceil_div(request.n, number);
}

void set_recorded_number(Request& request, const ExtentModel& extent, u64 number) {
  if (extent.items_name != nullptr) request.n = number;
  request.set(extent, extent.items_name != nullptr ? 1 : number);
}

int class_of(u64 number, bool is_fine) {
  if (number == 0) return -1;
  if (!is_fine) return kClassesPerOctave * static_cast<int>(std::lround(std::log2(static_cast<double>(number))));
  const int octave = static_cast<int>(std::bit_width(number)) - 1;
  const u64 quarters = (kClassesPerOctave * number + (u64{1} << octave) / 2) >> octave;
  return kClassesPerOctave * octave + static_cast<int>(quarters) - kClassesPerOctave;
}

u64 number_of_class(int number_class) {
  const u64 quarters = u64{kClassesPerOctave} + static_cast<u64>(number_class % kClassesPerOctave);
  return (quarters << number_class / kClassesPerOctave) / kClassesPerOctave;
}

void resize(Request& request, u64 n) {
  for (const ExtentModel& extent : request.algorithm().extents())
    if (const u64 items = recorded_number(request, extent); extent.items_name != nullptr && items != 0)
      request.set(extent, std::max<u64>(1, (n + items / 2) / items));
  request.n = n;
}

u64 size_step(const Request& request) {
  for (const ExtentModel& extent : request.algorithm().extents())
    if (extent.items_name != nullptr && request.has(extent)) return std::max<u64>(1, recorded_number(request, extent));
  return sequences(request);
}

RequestKey key_of(const Request& request) {
  RequestKey key{request.algorithm().name(), {}, {}, request.custom_bytes};
  for (const MemberModel& member : request.members())
    if (member.is_recorded())
      key.members[static_cast<std::size_t>(member.place)] = static_cast<unsigned char>(request[member]);
  for (const ExtentModel& extent : request.algorithm().extents())
    key.classes[static_cast<std::size_t>(extent.place)] =
        class_of(extent.is_recorded() ? recorded_number(request, extent) : 0, extent.is_fine);
  return key;
}

}  // namespace scantune
