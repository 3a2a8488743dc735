#include "launch/tuning_command.h"

#include "space/request_members.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune {
namespace {

std::string types_of(const ScanRequest& request) {
  const ValueType in = request.input_type, acc = request.accumulator_type, out = request.output_type;
  std::string text = spell_type(request, in);
  if (acc != default_accumulator(in, out))
    return text + ':' + spell_type(request, acc) + ':' + spell_type(request, out);
  return in == out ? text : text + ':' + spell_type(request, out);
}

std::string cost_of(Operator op) { return std::string(token(op)).substr(std::string_view("custom_").size()); }

// Cost classes are tuned with operators of the worker's own, which have the natural alignment.
std::string options_of_named_operator(const ScanRequest& request, const std::string& name) {
  std::string options = " --operator FILE --name " + name + " --cost " + cost_of(request.op);
  if (request.custom_alignment == natural_alignment(request.custom_bytes)) return options;
  return options + " --alignment " + std::to_string(request.custom_alignment);
}

std::string qualifiers(const ScanRequest& request) {
  std::string options;
  for (const RequestMember& member : kRequestMembers)
    if (is_option(member) && !is_default(member, request))
      options += " --" + option_name(member) + " " + spell(member, request);
  return options;
}

}  // namespace

std::string scanned(const ScanRequest& request, const CustomOperator* custom) {
  return types_of(request) + ' ' + (name_of(custom).empty() ? token(request.op) : custom->name);
}

std::string tuning_command(const ScanRequest& request, const CustomOperator* custom, const std::string& arch) {
  return "scantune --arch " + arch + " --type " + types_of(request) +
         (name_of(custom).empty() ? std::string(" --op ") + token(request.op)
                                  : options_of_named_operator(request, custom->name)) +
         qualifiers(request);
}

}  // namespace scantune
