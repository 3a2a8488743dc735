// What can be said against an operator's source before a compiler sees it.
//
// A compiled kernel is kept under its text alone, so one whose source read a file would be served long after that file
// has changed. This guards against mistakes, not against malice: an operator is code, and runs as such.
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

// The first place that makes a compiler read a file or look for one, or over which compilers differ so that one might:
// any directive but those that never do, #line with a file name, import and module, __has_include and its kin. What
// stands in comments and strings is none; what a false #if leaves out is one. A name that ## pastes together is missed.
std::optional<SourceMistake> first_read_of_a_file(std::string_view source);

// What a source must define beside the struct of its items, and what becomes of that.
struct SourceFunction {
  std::string_view name;
  std::string_view declaration;     // as messages show it
  std::string_view value;           // what a Value is, as messages say it
  bool takes_state = false;         // so the source defines a State too
  std::string_view type = "Value";  // the struct of the items that the source defines where they are no numbers
};
inline constexpr SourceFunction kCombine = {"combine", "__device__ Value combine(Value earlier, Value later)",
                                            "in which the items are combined"};
inline constexpr SourceFunction kCombineWithState = {
    "combine", "__device__ Value combine(Value earlier, Value later, State state)", kCombine.value, true};
inline constexpr SourceFunction kKeep = {"keep", "__device__ bool keep(Value item)", "the type of the items"};
inline constexpr SourceFunction kKeepWithState = {"keep", "__device__ bool keep(Value item, State state)", kKeep.value,
                                                  true};
inline constexpr SourceFunction kEqual = {"equal", "__device__ bool equal(Value before, Value item)", kKeep.value};
inline constexpr SourceFunction kEqualWithState = {
    "equal", "__device__ bool equal(Value before, Value item, State state)", kKeep.value, true};
inline constexpr SourceFunction kPart = {"part", "__device__ int part(Value item)", kKeep.value};
inline constexpr SourceFunction kPartWithState = {"part", "__device__ int part(Value item, State state)", kKeep.value,
                                                  true};

// A function, a Value or a State that is not there at all, or a struct Value beside the one that is declared.
// declared_value: the number that the latter names; empty for structs, whose Value the source defines. A function may
// speak of another type than Value. Where ## pastes names together, any may be there.
std::optional<SourceMistake> wrong_definition(std::string_view source, std::string_view declared_value,
                                              const SourceFunction& function = kCombine);

// The names of the macros that a source may define, each once, in their order. The library's own, which begin with
// SCANTUNE_, are left out.
std::vector<std::string> defined_macros(std::string_view source);

// The line at which a compiler finds what is missing in a source.
int line_after(std::string_view source);

}  // namespace scantune
