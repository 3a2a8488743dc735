#include "launch/tuning_command.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "space/space.h"
#include "space/spelling.h"

namespace scantune {
namespace {

std::string types_of(const Request& request) {
  std::vector<const MemberModel*> types;
  for (const MemberModel& member : request.members())
    if (member.spelling == Spelling::value_type) types.push_back(&member);
  const auto departs = [&](const MemberModel* member) { return !request.has_default(*member); };
  std::string text = spell(*types.front(), request);
  if (std::none_of(types.begin() + 1, types.end(), departs)) return text;
  const bool names_all = std::any_of(types.begin() + 1, types.end() - 1, departs);
  for (auto member = names_all ? types.begin() + 1 : types.end() - 1; member != types.end(); ++member)
    text += ':' + spell(**member, request);
  return text;
}

std::string cost_of(Operator op) { return std::string(token(op)).substr(std::string_view("custom_").size()); }

// Cost classes are tuned with operators of the worker's own, which have the natural alignment.
std::string options_of_operator(const Request& request, const std::string_view name) {
  const auto op = request.op();
  if (!op) return {};
  if (name.empty()) return std::string(" --op ") + token(*op);
  std::string options = " --operator FILE --name " + std::string(name) + " --cost " + cost_of(*op);
  if (request.custom_alignment == natural_alignment(request.custom_bytes)) return options;
  return options + " --alignment " + std::to_string(request.custom_alignment);
}

std::string qualifiers(const Request& request) {
  std::string options;
  for (const MemberModel& member : request.members())
    if (member.is_option() && !request.has_default(member))
      options += " --" + option_name(member.name) + " " + spell(member, request);
  for (const ExtentModel& extent : request.algorithm().extents())
    if (request.has(extent) && extent.is_recorded())
      options += " --" + option_name(extent.recorded_name()) + " " + std::to_string(recorded_number(request, extent));
  return options;
}

std::string algorithm_option(const Request& request) {
  if (&request.algorithm() == algorithms().front()) return {};
  return std::string(" --algorithm ") + request.algorithm().name();
}

}  // namespace

std::string solved(const Request& request, const CustomOperator* custom) {
  const auto op = request.op();
  const std::string_view name = name_of(custom);
  const bool is_first = &request.algorithm() == algorithms().front() || !op;
  return (is_first ? "" : std::string(request.algorithm().name()) + " of ") + types_of(request) + ' ' +
         (!name.empty() ? std::string(name)
          : op          ? token(*op)
                        : request.algorithm().name());
}

std::string tuning_command(const Request& request, const CustomOperator* custom, const std::string& arch) {
  return "scantune --arch " + arch + algorithm_option(request) + " --type " + types_of(request) +
         options_of_operator(request, name_of(custom)) + qualifiers(request);
}

}  // namespace scantune
