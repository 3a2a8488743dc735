#include "instantiation/operator_text.h"

#include "instantiation/operator_source.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {
namespace {

void refuse(const std::optional<SourceMistake>& mistake) {
  if (mistake) throw CompileError("operator.cu:" + std::to_string(mistake->line) + ": error: " + mistake->text);
}

// What a request takes of the source, and the macro SCANTUNE_CUSTOM_... that makes a class of it.
struct SourceUse {
  SourceFunction function;
  std::string macro;
};

SourceUse use_of(const Request& request, const CustomOperator& custom) {
  const auto criterion = request.value<Criterion>();
  if (!criterion) return {kCombine, "OPERATOR"};
  const bool has_state = custom.state_bytes > 0;
  const std::string suffix = has_state ? "_WITH_STATE" : "";
  if (*criterion == Criterion::unique_by) return {has_state ? kEqualWithState : kEqual, "EQUALITY" + suffix};
  return {has_state ? kKeepWithState : kKeep, "PREDICATE" + suffix};
}

}  // namespace

std::string operator_text(const Request& request, const CustomOperator& custom) {
  const ValueType type = request.accumulator_type();
  const std::string number = type == ValueType::custom ? "" : token(type);
  refuse(first_read_of_a_file(custom.source));
  const SourceUse use = use_of(request, custom);
  refuse(wrong_definition(custom.source, number, use.function));
  const std::string value = number.empty() ? "" : "using Value = scantune::" + number + ";\n";
  const std::string bytes = std::to_string(request.accumulator_bytes());
  const std::string alignment = std::to_string(request.alignment_of(type));
  const std::string end = std::to_string(line_after(custom.source));
  // The empty line is for a last one that ends in a backslash.
  return value + "#line 1 \"operator.cu\"\n" + custom.source + "\n\n#line " + end +
         " \"operator.cu\"\nSCANTUNE_CUSTOM_" + use.macro + "(ScantuneOperator, " + bytes + ", " + alignment +
         (custom.state_bytes > 0 ? ", " + std::to_string(custom.state_bytes) : "") +
         ")\n#line 1 \"scantune_kernel.cu\"\n";
}

}  // namespace scantune
