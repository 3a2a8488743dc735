#include "instantiation/instantiation.h"

namespace scantune {
namespace {

// The qualified enumerator or the digits: what stands after a designator in the source.
std::string initializer(const ParameterModel& parameter, int value) {
  // Enumerators are written by number: the field's type gives the meaning, and a token never becomes source text.
  return parameter.tokens == nullptr
             ? std::to_string(value)
             : "static_cast<decltype(Choice::" + std::string(parameter.name) + ")>(" + std::to_string(value) + ")";
}

std::string config_literal(const Config& config) {
  std::string text = "Choice{";
  for (int index = 0; index < static_cast<int>(config.family().parameters().size()); ++index) {
    const ParameterModel& parameter = config.family().parameters()[static_cast<std::size_t>(index)];
    text += (index == 0 ? "." : ", .") + std::string(parameter.name) + " = " + initializer(parameter, config[index]);
  }
  return text + "}";
}

std::string request_literal(const ScanRequest& request) {
  const auto enumerator = [](const char* type, const char* name) { return std::string(type) + "::" + name; };
  return "scantune::ScanRequest{.input_type = scantune::" + enumerator("ValueType", token(request.input_type)) +
         ", .accumulator_type = scantune::" + enumerator("ValueType", token(request.accumulator_type)) +
         ", .output_type = scantune::" + enumerator("ValueType", token(request.output_type)) +
         ", .op = scantune::" + enumerator("Operator", token(request.op)) +
         ", .kind = scantune::" + enumerator("Kind", token(request.kind)) +
         ", .has_init = " + (request.has_init ? "true" : "false") +
         ", .alignment_bytes = " + std::to_string(request.alignment_bytes) + "}";
}

}  // namespace

Instantiation instantiate(const ScanRequest& request, const Config& config) {
  const FamilyModel& family = config.family();
  Instantiation result;
  result.source = std::string("#include \"") + family.header() + "\"\n" +                     //
                  "using Choice = scantune::" + family.config_name() + ";\n" +                //
                  "using Problem = scantune::Problem<" + request_literal(request) + ">;\n" +  //
                  "SCANTUNE_INSTANTIATE(Problem, (" + config_literal(config) + "))\n";
  result.kernels.assign(family.kernels().begin(), family.kernels().end());
  result.label = to_string(config) + " of " + to_string(request) + ", pointers aligned to " +
                 std::to_string(request.alignment_bytes) + " bytes";
  return result;
}

}  // namespace scantune
