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
  const auto enumerator = [](const char* type, const char* name) {
    return std::string("scantune::") + type + "::" + name;
  };
  return "scantune::ScanRequest{.input_type = " + enumerator("ValueType", token(request.input_type)) +
         ", .accumulator_type = " + enumerator("ValueType", token(request.accumulator_type)) +
         ", .output_type = " + enumerator("ValueType", token(request.output_type)) +
         ", .op = " + enumerator("Operator", token(request.op)) +
         ", .kind = " + enumerator("Kind", token(request.kind)) +
         ", .init = " + enumerator("Init", token(request.init)) +
         ", .alignment_bytes = " + std::to_string(request.alignment_bytes) +
         ", .custom_bytes = " + std::to_string(request.custom_bytes) +
         ", .custom_alignment = " + std::to_string(request.custom_alignment) + "}";
}

// The caller's source at global scope, with lines of its own. What is missing in it shows at the line after its last.
std::string custom_operator(const ScanRequest& request, const CustomOperator& custom) {
  std::string text = "#include \"primitives/custom_operator.h\"\n";
  if (request.accumulator_type != ValueType::custom)
    text += std::string("using Value = scantune::") + token(request.accumulator_type) + ";\n";
  const std::string bytes = std::to_string(request.accumulator_bytes());
  const std::string alignment = std::to_string(request.alignment_of(request.accumulator_type));
  return text + "#line 1 \"operator.cu\"\n" + custom.source + "\nSCANTUNE_CUSTOM_OPERATOR(ScantuneOperator, " + bytes +
         ", " + alignment + ")\n#line 1 \"scantune_kernel.cu\"\n";
}

}  // namespace

Instantiation instantiate(const ScanRequest& request, const Config& config, const CustomOperator* custom) {
  const FamilyModel& family = config.family();
  Instantiation result;
  result.source = std::string("#include \"") + family.header() + "\"\n";
  if (custom != nullptr) result.source += custom_operator(request, *custom);
  // The names of this library must not meet those of the caller's source.
  result.source += std::string() +                                                    //
                   "namespace scantune::instance {\n" +                               //
                   "using Choice = " + family.config_name() + ";\n" +                 //
                   "using Problem = scantune::Problem<" + request_literal(request) +  //
                   (custom != nullptr ? ", 0, ::ScantuneOperator" : "") + ">;\n" +    //
                   "SCANTUNE_INSTANTIATE(Problem, (" + config_literal(config) + "))\n}\n";
  result.kernels.assign(family.kernels().begin(), family.kernels().end());
  result.label = to_string(config) + " of " + to_string(request, name_of(custom)) + ", pointers aligned to " +
                 std::to_string(request.alignment_bytes) + " bytes";
  return result;
}

}  // namespace scantune
