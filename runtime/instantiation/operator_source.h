// Why an operator's source is refused before it is compiled.
//
// The cache knows a compiled kernel by its text alone, so a kernel whose source read a file would still be used after
// that file has changed. This guards against mistakes, not against malice: an operator is code, and is run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scantune {

struct SourceMistake {
  int line;          // line of the source, from 1
  std::string text;  // what is wrong and what to do

  bool operator==(const SourceMistake&) const = default;
};

// The first place that may make some compiler read or look for a file: any directive except those that never do, #line
// with a file name, import and module, __has_include and the like. Comments and strings do not count; text that a false
// #if leaves out does. A name that ## pastes together is missed.
std::optional<SourceMistake> first_read_of_a_file(std::string_view source);

// What a source must define besides the struct of its items.
struct SourceFunction {
  std::string_view name;
  std::string_view declaration;     // as messages show it
  std::string_view value;           // what a Value is, as messages say it
  bool takes_state = false;         // so the source defines a State too
  std::string_view type = "Value";  // the name of the struct that the source defines, if items are not numbers
};
inline constexpr SourceFunction kCombine = {"combine", "__device__ Value combine(Value earlier, Value later)",
                                            "in which the items are combined"};
inline constexpr SourceFunction kCombineWithState = {
    "combine", "__device__ Value combine(Value earlier, Value later, State state)", kCombine.value, true};
inline constexpr SourceFunction kLess = {"less", "__device__ bool less(Value a, Value b)", kCombine.value};
inline constexpr SourceFunction kLessWithState = {"less", "__device__ bool less(Value a, Value b, State state)",
                                                  kCombine.value, true};
inline constexpr SourceFunction kKeep = {"keep", "__device__ bool keep(Value item)", "the type of the items"};
inline constexpr SourceFunction kKeepWithState = {"keep", "__device__ bool keep(Value item, State state)", kKeep.value,
                                                  true};
inline constexpr SourceFunction kEqual = {"equal", "__device__ bool equal(Value before, Value item)", kKeep.value};
inline constexpr SourceFunction kEqualWithState = {
    "equal", "__device__ bool equal(Value before, Value item, State state)", kKeep.value, true};
inline constexpr SourceFunction kPart = {"part", "__device__ int part(Value item)", kKeep.value};
inline constexpr SourceFunction kPartWithState = {"part", "__device__ int part(Value item, State state)", kKeep.value,
                                                  true};

// Why the source lacks a definition: a missing function, Value or State, or a second struct Value. declared_value: the
// number type that is already declared as Value; empty for structs, which the source defines. A function may use types
// other than Value. If ## pastes names, any name may exist.
std::optional<SourceMistake> wrong_definition(std::string_view source, std::string_view declared_value,
                                              const SourceFunction& function = kCombine);

// The names of the macros that a source may define, each once, in their order. The library's own, which begin with
// SCANTUNE_, are left out.
std::vector<std::string> defined_macros(std::string_view source);

// The line at which a compiler finds what is missing in a source.
int line_after(std::string_view source);

}  // namespace scantune
