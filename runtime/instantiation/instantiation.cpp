#include "instantiation/instantiation.h"

#include <algorithm>
#include <utility>

#include "instantiation/operator_text.h"
#include "space/operands.h"

namespace scantune {
namespace {

// The value after a designator in the source: the qualified enumerator, or digits.
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

// What no kernel depends on is left out, so that requests that differ in it share their kernels. extents: the names of
// those that kernels do depend on.
std::string request_literal(const Request& request, std::span<const char* const> extents) {
  const std::string name = std::string("scantune::") + request.algorithm().request_name();
  std::string text;
  for (const MemberModel& member : request.members())
    if (member.is_compiled)
      text += std::string(text.empty() ? "." : ", .") + member.name + " = decltype(" + name + "::" + member.name +
              ")::" + member.tokens[static_cast<std::size_t>(request[member])];
  if (request.custom_bytes != 0)
    text += ", .custom_bytes = " + std::to_string(request.custom_bytes) +
            ", .custom_alignment = " + std::to_string(request.custom_alignment);
  for (const ExtentModel& extent : request.algorithm().extents())
    if (std::ranges::find(extents, std::string_view(extent.name)) != extents.end() && request.has(extent))
      text += std::string(", .") + extent.name + " = " + std::to_string(request[extent]);
  if (request.layout.is_strided()) text += ", .layout = scantune::kStridedLayout";
  return name + "{" + text + "}";
}

// The request as kernels see it.
std::string request_text(const Request& request, std::span<const char* const> extents) {
  return request_literal(request.algorithm().compiled(request), extents);
}

std::string choice_text(const Config& config) {
  return std::string("using Choice = ") + config.family().config_name() +
         ";\ninline constexpr Choice kScantuneChoice = " + config_literal(config) + ";\n";
}

// Calls of the kernels. Those of the gallery are plain functions, since other compilers read their header, too; this
// text makes kernels of them.
std::string kernels_text(std::span<const std::string> kernels) {
  std::string text;
  for (const std::string& name : kernels)
    text.append("SCANTUNE_KERNEL(")
        .append(name)
        .append(", kScantuneChoice.block_threads, 1) {\n  ::scantune::")
        .append(name)
        .append("<ScantuneProblem, kScantuneChoice>(arguments);\n}\n");
  return text;
}
std::string kernels_text(const FamilyModel& family) {
  if (family.standing() != Standing::gallery) return "SCANTUNE_INSTANTIATE(ScantuneProblem, kScantuneChoice)\n";
  return kernels_text(std::vector<std::string>(family.kernels().begin(), family.kernels().end()));
}

// Whether kernels combine nothing, though the request's operator or order is the caller's: checks of offsets.
bool lacks_source(const Request& request, const CustomOperator* custom) {
  return custom == nullptr && request.op() && request.has_custom_operator();
}

// The choice, the problem and its kernels, in a namespace of their own, so that no name clashes with the caller's. As
// much as possible comes before the caller's source, whose macros then cannot change it; the rest uses names like
// ScantuneX.
std::string instance(const Request& request, std::span<const char* const> extents, Variant variant,
                     const CustomOperator* custom, const std::string& choice, const std::string& kernels) {
  const std::string begin = "namespace scantune::instance {\n", end = "}\n";
  const std::string text = request_text(request, extents);
  const std::string problem = std::string("scantune::") + request.algorithm().problem_name() + "<" + text +
                              ", scantune::Variant::" + token(variant);
  if (custom == nullptr) {
    const std::string no_source = lacks_source(request, custom) ? ", 0, scantune::NoSource<" + text + ">" : "";
    return begin + choice + "using ScantuneProblem = " + problem + no_source + ">;\n" + kernels + end;
  }
  const bool combines = request.has_custom_operator(), maps = has_map_sources(request);
  std::string parameters = "class Operation", taken = problem + ", 0, Operation", given = "::ScantuneOperator";
  if (maps) {
    parameters += ", class Maps";
    taken += ", Maps";
    given += ", ::ScantuneMaps";
  }
  const std::string none = request.op() ? "scantune::OperatorOfRequest<" : "scantune::NoSource<";
  const std::string built_in = combines ? "" : "using ScantuneOperator = " + none + text + ">;\n";
  if (!combines) given = "ScantuneOperator, ::ScantuneMaps";
  return begin + choice + built_in + "template <" + parameters + ">\nusing ScantuneProblemOf = " + taken + ">;\n" +
         end + (combines ? operator_text(request, *custom) : "") + (maps ? maps_text(request, *custom) : "") + begin +
         "using ScantuneProblem = ScantuneProblemOf<" + given + ">;\n" + kernels + end;
}

// What the templates take differently: the state of an operator, and kernels of the gallery.
std::string definitions(const Request& request, const FamilyModel& family, const CustomOperator* custom) {
  std::string text;
  // A predicate's state comes in the place of an initial value.
  const int operator_state = custom != nullptr && !request.value<Criterion>() ? custom->state_bytes : 0;
  if (operator_state > 0) text += "#define SCANTUNE_OPERATOR_STATE " + std::to_string(operator_state) + "\n";
  if (family.standing() == Standing::gallery) text += "#define SCANTUNE_KERNELS\n";
  return text;
}

std::vector<std::string> with_custom(std::vector<std::string> headers, const AlgorithmModel& algorithm, bool custom) {
  const bool combines = algorithm.operator_member() != nullptr;
  const bool compares = Request(algorithm).value<Comparison>().has_value();
  if (custom)
    headers.emplace_back(combines   ? "core/parts/custom_operator.h"
                         : compares ? "core/parts/custom_comparison.h"
                                    : "core/parts/custom_predicate.h");
  return headers;
}

std::string includes(const std::vector<std::string>& headers) {
  std::string text;
  for (const std::string& header : headers) text += "#include \"" + header + "\"\n";
  return text;
}

}  // namespace

std::vector<std::string> kernel_headers(const FamilyModel& family, bool custom) {
  return with_custom({family.header()}, family.algorithm(), custom);
}

Instantiation instantiate(const Request& request, const Config& config, Variant variant, const CustomOperator* custom) {
  const int alignment = variant == Variant::aligned ? kVectorAlignmentBytes : element_alignment(request);
  if (alignment == kVectorAlignmentBytes) variant = Variant::aligned;  // any pointers are aligned so
  const FamilyModel& family = config.family();
  Instantiation result;
  result.headers = kernel_headers(family, custom != nullptr && request.has_custom_operator());
  if (has_map_sources(request)) result.headers.emplace_back("core/parts/custom_map.h");
  if (has_equality(request)) result.headers.emplace_back("core/parts/custom_equality.h");
  if (custom != nullptr && request.value<OrderedBy>() == OrderedBy::less)
    result.headers.emplace_back("core/parts/custom_comparison.h");
  result.source =
      definitions(request, family, custom) + includes(result.headers) +
      instance(request, family.compiled_extents(), variant, custom, choice_text(config), kernels_text(family));
  result.kernels.assign(family.kernels().begin(), family.kernels().end());
  result.label = to_string(config) + " of " + to_string(request, name_of(custom)) + ", pointers aligned to " +
                 std::to_string(alignment) + " bytes";
  return result;
}

Instantiation instantiate_in_place(const Request& request, const Config& config, const std::string& header,
                                   std::vector<std::string> kernels) {
  Instantiation result;
  result.headers = {header};
  result.source = definitions(request, config.family(), nullptr) + includes(result.headers) +
                  instance(request, {}, Variant::aligned, nullptr, choice_text(config), kernels_text(kernels));
  result.label = kernels.front() + " in the place of " + to_string(config) + " of " + to_string(request);
  result.kernels = std::move(kernels);
  return result;
}

Instantiation instantiate_check(const Request& request, const std::string& header, std::vector<std::string> kernels,
                                const CustomOperator* custom) {
  Instantiation result;
  result.headers = with_custom({header}, request.algorithm(), custom != nullptr);
  if (lacks_source(request, custom)) result.headers.emplace_back("core/parts/no_source.h");
  result.source = includes(result.headers) +
                  instance(request, {}, Variant::any, custom, {}, "SCANTUNE_INSTANTIATE_CHECK(ScantuneProblem)\n");
  result.kernels = std::move(kernels);
  result.label = "the check of " + to_string(request, name_of(custom));
  return result;
}

}  // namespace scantune
