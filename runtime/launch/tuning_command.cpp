#include "launch/tuning_command.h"

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

bool has_name(const CustomOperator* custom) { return custom != nullptr && !custom->name.empty(); }

std::string cost_of(Operator op) { return std::string(token(op)).substr(std::string_view("custom_").size()); }

}  // namespace

std::string scanned(const ScanRequest& request, const CustomOperator* custom) {
  return types_of(request) + ' ' + (has_name(custom) ? custom->name : token(request.op));
}

std::string tuning_command(const ScanRequest& request, const CustomOperator* custom, const std::string& arch) {
  const std::string command = "scantune --arch " + arch + " --type " + types_of(request);
  if (!has_name(custom)) return command + " --op " + token(request.op);
  return command + " --operator FILE --name " + custom->name + " --cost " + cost_of(request.op);
}

}  // namespace scantune
