#include "instantiation/operator_text.h"

#include <vector>

#include "instantiation/operator_source.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {
namespace {

void refuse(const std::string& file, const std::optional<SourceMistake>& mistake) {
  if (mistake) throw CompileError(file + ":" + std::to_string(mistake->line) + ": error: " + mistake->text);
}

// The source under line numbers of its own, then what is made of it. Its macros end with it, so that they do not reach
// the kernels; those that there were before it stay, as its own __device__ is one for some compilers. The empty line is
// for a last one that ends in a backslash.
std::string numbered(const std::string& file, const std::string& source, const std::string& made) {
  std::string before, after;
  for (const std::string& name : defined_macros(source)) {
    const std::string was_there = "ScantuneHad_" + name;
    before.append("#ifdef ").append(name).append("\n#define ").append(was_there).append("\n#endif\n");
    after.append("#ifndef ").append(was_there).append("\n#undef ").append(name).append("\n#endif\n");
  }
  return before + "#line 1 \"" + file + "\"\n" + source + "\n\n" + after + "#line " +
         std::to_string(line_after(source)) + " \"" + file + "\"\n" + made + "\n";
}

// What a request takes of the source, and the macro SCANTUNE_CUSTOM_... that makes a class of it.
struct SourceUse {
  SourceFunction function;
  std::string macro;
  std::string file;  // what mistakes in it are reported of: named after the argument, or a selection's function
};

SourceUse use_of(const Request& request, const CustomOperator& custom) {
  const auto criterion = request.value<Criterion>();
  const bool has_state = custom.state_bytes > 0;
  const std::string suffix = has_state ? "_WITH_STATE" : "";
  if (request.is_by_less()) return {has_state ? kLessWithState : kLess, "COMPARISON" + suffix, "less.cu"};
  if (!criterion) return {has_state ? kCombineWithState : kCombine, "OPERATOR" + suffix, "operator.cu"};
  if (*criterion == Criterion::unique_by)
    return {has_state ? kEqualWithState : kEqual, "EQUALITY" + suffix, "equal.cu"};
  if (*criterion == Criterion::parts) return {has_state ? kPartWithState : kPart, "PARTS" + suffix, "part.cu"};
  return {has_state ? kKeepWithState : kKeep, "PREDICATE" + suffix, "keep.cu"};
}

Load load_of(const Request& request) { return request.value<Load>().value_or(Load::none); }
Store store_of(const Request& request) { return request.value<Store>().value_or(Store::none); }
Equality equality_of(const Request& request) { return request.value<Equality>().value_or(Equality::built_in); }

// The type of input or output: the number's, or nothing for a struct.
ValueType type_of(const Request& request, std::string_view member_name) {
  for (const MemberModel& member : request.members())
    if (member_name == member.name) return request.type(member);
  throw Error("a request with maps has no " + std::string(member_name));
}

// The types in memory of what a load takes and of what a store makes.
MemoryTypes memory_types(const Request& request) {
  if (!request.op()) return request.memory;
  return {type_of(request, "input_type"), type_of(request, "output_type")};
}

// What maps have between them: a sort's are of values.
ValueType mapped_type(const Request& request) {
  return request.value<Sorted>() ? type_of(request, "value_type") : request.accumulator_type();
}

// One map: what stands for it in the text.
struct MapText {
  std::string argument;  // load or store, which is also its function and its file
  std::string name_space;
  std::string macro;  // SCANTUNE_CUSTOM_...
  bool has_item;      // the function takes an item or a result
  bool has_index;     // and its index
  bool returns;       // it returns one
  ValueType takes, gives;
  bool takes_memory;          // its argument is in memory, not its result
  bool has_position = false;  // the function takes the position of an extreme
};

// Whether the source of an operator or criterion declares the structs of the request.
bool declares_structs(const Request& request) {
  return request.has_custom_operator() && request.source_type() == ValueType::custom;
}

// A type as the kernels see it. They do not look into structs that no operator or criterion takes.
std::string kernel_type(ValueType type, const Request& request) {
  if (type != ValueType::custom) return std::string("scantune::") + token(type);
  return declares_structs(request) ? "::Value" : "ScantuneOpaque";
}

// A type as the source sees it: half-precision numbers are floats.
std::string seen_type(ValueType type, const Request& request) {
  const bool is_half = type == ValueType::f16 || type == ValueType::bf16;
  return is_half ? "float" : kernel_type(type, request);
}

// The parameters of a function's declaration, and the arguments of its call.
struct CallText {
  std::string parameters, arguments;

  void add(const std::string& parameter, const std::string& argument) {
    parameters += (parameters.empty() ? "" : ", ") + parameter;
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  void add_state(int bytes) {
    if (bytes > 0) add("State state", "scantune::from_bytes<State>(scantune_state)");
  }
};

std::string state_text(int bytes) { return bytes > 0 ? " SCANTUNE_CUSTOM_STATE(" + std::to_string(bytes) + ")\n" : ""; }

std::string struct_text(const std::string& name, int bytes, int alignment) {
  return " SCANTUNE_CUSTOM_ITEM(" + name + ", " + std::to_string(bytes) + ", " + std::to_string(alignment) + ")\n";
}

std::string text_of(const MapText& map, const MapSource& source, const Request& request) {
  const std::string file = map.argument + ".cu";
  refuse(file, first_read_of_a_file(source.source));
  const bool has_state = source.state_bytes > 0;

  // The types of the function: those of an operator's structs are declared, and others the source defines.
  std::string aliases;
  std::vector<std::string> defined;
  const auto declare = [&](const char* name, ValueType type, bool is_there) {
    if (!is_there) return;
    if (type != ValueType::custom || declares_structs(request))
      aliases += std::string("using ") + name + " = " + seen_type(type, request) + ";\n";
    else
      defined.emplace_back(name);
  };
  declare("Value", map.takes, map.has_item);
  declare("Result", map.gives, map.returns);

  CallText call;
  if (map.has_item) call.add(map.argument == "load" ? "Value item" : "Value result", "scantune_item");
  if (map.has_position) call.add("unsigned long long position", "scantune_position");
  if (map.has_index) call.add("unsigned long long index", "scantune_index");
  call.add_state(source.state_bytes);
  const std::string declaration =
      "__device__ " + std::string(map.returns ? "Result " : "void ") + map.argument + "(" + call.parameters + ")";

  SourceFunction function{
      .name = map.argument, .declaration = declaration, .value = "an item", .takes_state = has_state};
  if (defined.empty()) {
    const ValueType declared = map.has_item ? map.takes : map.gives;
    const std::string value = declared == ValueType::custom ? "the operator's" : seen_type(declared, request);
    refuse(file, wrong_definition(source.source, value, function));
  }
  for (const std::string& name : defined) {
    function.type = name;
    refuse(file, wrong_definition(source.source, "", function));
  }

  const ValueType in_memory = map.takes_memory ? map.takes : map.gives;
  const bool is_own = in_memory == ValueType::custom && !declares_structs(request);
  const std::string item =
      is_own ? map.name_space + (map.takes_memory ? "::Value" : "::Result") : kernel_type(in_memory, request);
  std::string made = state_text(source.state_bytes);
  for (const std::string& name : defined) made += struct_text(name, request.custom_bytes, request.custom_alignment);
  if (!defined.empty())
    made += " using ScantuneOpaque = scantune::OpaqueItem<" + std::to_string(request.custom_bytes) + ", " +
            std::to_string(request.custom_alignment) + ">;\n";
  const std::string between = kernel_type(mapped_type(request), request);
  made += " SCANTUNE_CUSTOM_" + map.macro + "(ScantuneMap, " + item + ", " +
          (map.has_position ? "scantune::StoredExtreme<" + between + ">" : between) + ", " +
          (has_state ? "true" : "false") + ", \"" + declaration + "\", (" + call.arguments + "))\n}";
  return "namespace " + map.name_space + " {\n" + aliases + numbered(file, source.source, made);
}

// An equality of keys, of which the source defines a struct itself: no operator declares it.
std::string equality_text(const MapSource& source, const Request& request) {
  const std::string file = "equal.cu";
  const ComparedType& key = request.key_type;
  const bool is_struct = key.type == ValueType::custom, has_state = source.state_bytes > 0;
  const std::string number = is_struct ? "" : seen_type(key.type, request);
  refuse(file, first_read_of_a_file(source.source));
  SourceFunction function = has_state ? kEqualWithState : kEqual;
  function.value = "the type of the keys";
  refuse(file, wrong_definition(source.source, number, function));
  CallText call;
  call.add("Value before", "scantune_before");
  call.add("Value item", "scantune_item");
  call.add_state(source.state_bytes);
  const std::string alias = is_struct ? "" : "using Value = " + number + ";\n";
  const std::string item = is_struct ? "ScantuneEqualSource::Value" : kernel_type(key.type, request);
  const std::string made = state_text(source.state_bytes) +
                           (is_struct ? struct_text("Value", key.bytes(), key.alignment()) : "") +
                           " SCANTUNE_CUSTOM_KEYS(ScantuneMap, " + item + ", " + (has_state ? "true" : "false") +
                           ", \"" + std::string(function.declaration) + "\", (" + call.arguments + "))\n}";
  return "namespace ScantuneEqualSource {\n" + alias + numbered(file, source.source, made);
}

}  // namespace

std::string operator_text(const Request& request, const CustomOperator& custom) {
  const ValueType type = request.source_type();
  const std::string number = type == ValueType::custom ? "" : token(type);
  const SourceUse use = use_of(request, custom);
  refuse(use.file, first_read_of_a_file(custom.source));
  refuse(use.file, wrong_definition(custom.source, number, use.function));
  const std::string value = number.empty() ? "" : "using Value = scantune::" + number + ";\n";
  const std::string bytes = std::to_string(request.bytes_of(type));
  const std::string alignment = std::to_string(request.alignment_of(type));
  return value +
         numbered(use.file, custom.source,
                  " SCANTUNE_CUSTOM_" + use.macro + "(ScantuneOperator, " + bytes + ", " + alignment +
                      (custom.state_bytes > 0 ? ", " + std::to_string(custom.state_bytes) : "") + ")") +
         "#line 1 \"scantune_kernel.cu\"\n";
}

bool has_equality(const Request& request) { return equality_of(request) == Equality::source; }

bool has_map_sources(const Request& request) {
  return load_of(request) != Load::none || store_of(request) != Store::none || has_equality(request);
}

std::string maps_text(const Request& request, const CustomOperator& custom) {
  const ValueType accumulator = mapped_type(request);
  const MemoryTypes memory = memory_types(request);
  std::string text, load = "void", store = "void";
  if (const Load kind = load_of(request); kind != Load::none) {
    const bool generates = kind == Load::generated;
    text += text_of({.argument = "load",
                     .name_space = "ScantuneLoadSource",
                     .macro = generates ? "GENERATOR" : "LOAD",
                     .has_item = !generates,
                     .has_index = kind != Load::source,
                     .returns = true,
                     .takes = generates ? accumulator : memory.loaded,
                     .gives = accumulator,
                     .takes_memory = true},
                    custom.load, request);
    load = "::ScantuneLoadSource::ScantuneMap";
  }
  if (const Store kind = store_of(request); kind != Store::none) {
    const bool writes = kind == Store::writing;
    text += text_of({.argument = "store",
                     .name_space = "ScantuneStoreSource",
                     .macro = writes ? "WRITER" : "STORE",
                     .has_item = true,
                     .has_index = kind != Store::source,
                     .returns = !writes,
                     .takes = accumulator,
                     .gives = writes ? accumulator : memory.stored,
                     .takes_memory = false,
                     .has_position = request.value<Position>().value_or(Position::none) != Position::none},
                    custom.store, request);
    store = "::ScantuneStoreSource::ScantuneMap";
  }
  std::string equality;
  if (has_equality(request)) {
    text += equality_text(custom.equal, request);
    equality = "  using Equality = ::ScantuneEqualSource::ScantuneMap;\n";
  }
  return text + "#line 1 \"scantune_kernel.cu\"\nstruct ScantuneMaps {\n  using Load = " + load +
         ";\n  using Store = " + store + ";\n" + equality + "};\n";
}

}  // namespace scantune
