#include "instantiation/operator_source.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "instantiation/source_lexer.h"

namespace scantune {
namespace {

using Kind = SourceToken::Kind;
using Separators = SourceLexer::Separators;
using Words = std::span<const std::string_view>;
using Line = std::vector<SourceToken>;  // what one directive, or one line between them, consists of

// The others read files, or are known to some compilers only.
constexpr std::array<std::string_view, 14> kDirectives = {"define", "undef",   "if",       "ifdef", "ifndef",
                                                          "elif",   "elifdef", "elifndef", "else",  "endif",
                                                          "error",  "warning", "line",     "pragma"};
// These words of a pragma name files or modules, to compilers that know them.
constexpr std::array<std::string_view, 4> kPragmas = {"dependency", "include_alias", "pch_preprocess", "module"};
constexpr std::array<std::string_view, 3> kQueries = {"__has_include", "__has_include_next", "__has_embed"};
constexpr std::array<std::string_view, 4> kTypeKeys = {"struct", "class", "union", "enum"};

bool is_among(Words words, const SourceToken& token) {
  return token.kind == Kind::identifier && std::ranges::find(words, token.text) != words.end();
}

bool is_directive(const Line& line, std::string_view name) {
  return line.front().is_directive_mark() && line.size() > 1 && line[1].is(name);
}

// visit returns whether to go on after a line. The last one ends with what is unclear, if anything is.
template <class Visit>
void visit_lines(SourceLexer lexer, Visit visit) {
  Line line;
  while (true) {
    const SourceToken token = lexer.next();
    const bool ends = token.kind == Kind::newline || token.kind == Kind::end;
    if (!line.empty() && (ends || token.starts_line)) {
      if (!visit(line)) return;
      line.clear();
    }
    if (token.kind == Kind::end) return;
    if (!ends) line.push_back(token);
    if (token.kind == Kind::unclear) return void(visit(line));
  }
}

SourceMistake read_of_a_file(int line, const std::string& reader) {
  return {line, reader +
                    ": sources cannot include files, for a compiled kernel is kept under the source's text alone "
                    "and would outlive the file's; paste that text into the source"};
}

std::optional<SourceMistake> read_by_directive(const Line& line) {
  if (line.size() == 1) return std::nullopt;
  const SourceToken& name = line[1];
  if (!is_among(kDirectives, name)) return read_of_a_file(line.front().line, "#" + name.text);
  if (name.is("line") && (line.size() != 3 || line[2].kind != Kind::number))
    return read_of_a_file(name.line, "#line with more than a number");
  const auto words = std::span(line).subspan(2, std::min<std::size_t>(line.size() - 2, 2));
  const auto reader = std::ranges::find_if(words, [](const SourceToken& word) { return is_among(kPragmas, word); });
  if (name.is("pragma") && reader != words.end()) return read_of_a_file(name.line, "#pragma " + reader->text);
  return std::nullopt;
}

// The mistake of a line that the C++ standard takes for a directive of modules.
std::optional<SourceMistake> read_by_module(Line line) {
  if (line.front().is("export")) line.erase(line.begin());
  if (line.size() < 2) return std::nullopt;
  const SourceToken &name = line[0], &after = line[1];
  const bool names_module = after.kind == Kind::identifier || after.is(":");
  const bool imports = name.is("import") && (names_module || after.kind == Kind::literal || after.is("<"));
  if (imports || (name.is("module") && (names_module || after.is(";")))) return read_of_a_file(name.line, name.text);
  return std::nullopt;
}

std::optional<SourceMistake> read_in(const Line& line) {
  for (const SourceToken& token : line) {
    if (token.kind == Kind::unclear) return SourceMistake{token.line, "compilers differ over " + token.text};
    if (is_among(kQueries, token)) return read_of_a_file(token.line, token.text);
  }
  return line.front().is_directive_mark() ? read_by_directive(line) : read_by_module(line);
}

std::optional<SourceMistake> first_read(std::string_view source, Separators separators) {
  std::optional<SourceMistake> found;
  visit_lines(SourceLexer(source, separators), [&](const Line& line) {
    found = read_in(line);
    return !found;
  });
  return found;
}

// Finds `struct Value {`, or another type's definition, at global scope and outside of #if, where it is sure to be
// compiled.
class ValueDefinition {
 public:
  explicit ValueDefinition(std::string_view name) : name_(name) {}

  void visit(const Line& line) {
    if (is_directive(line, "if") || is_directive(line, "ifdef") || is_directive(line, "ifndef")) ++groups_;
    if (is_directive(line, "endif")) --groups_;
    if (line.front().is_directive_mark()) return;
    for (const SourceToken& token : line) take(token);
  }
  int line() const { return line_; }  // 0: not found

 private:
  void take(const SourceToken& token) {
    const bool defines = token.is("{") || token.is(":") || token.is("final");
    if (named_ != 0 && defines && line_ == 0) line_ = named_;
    named_ = depth_ == 0 && groups_ == 0 && in_head_ && token.is(name_) ? token.line : 0;
    const bool opens = token.is("{") || token.is("(") || token.is("[");
    const bool closes = token.is("}") || token.is(")") || token.is("]");
    depth_ += opens - closes;
    if (token.is("{") || token.is("}")) in_head_ = false;
    if (opens || closes || depth_ > 0) return;
    in_head_ = is_among(kTypeKeys, token) || (in_head_ && token.kind == Kind::identifier);
  }

  std::string_view name_;
  int line_ = 0;
  int named_ = 0;  // the line of the last token, if that is the name of a type at global scope
  int depth_ = 0;
  int groups_ = 0;
  bool in_head_ = false;  // after a type's key, with nothing but words and attributes since
};

}  // namespace

std::optional<SourceMistake> first_read_of_a_file(std::string_view source) {
  const auto found = first_read(source, Separators::parts_of_numbers);
  return found ? found : first_read(source, Separators::quotes_in_groups);
}

std::optional<SourceMistake> wrong_definition(std::string_view source, std::string_view declared_value,
                                              const SourceFunction& function) {
  const bool pastes_names = source.find("##") != std::string_view::npos;
  bool has_function = pastes_names, has_value = pastes_names || !declared_value.empty(),
       has_state = pastes_names || !function.takes_state;
  ValueDefinition definition(function.type);
  visit_lines(SourceLexer(source), [&](const Line& line) {
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(line, [&](const SourceToken& token) { return token.is(name); });
    };
    has_function |= has(function.name);
    has_value |= has(function.type);
    has_state |= has("State");
    definition.visit(line);
    return true;
  });
  if (!has_value)
    return SourceMistake{line_after(source), "no " + std::string(function.type) + ": define a struct " +
                                                 std::string(function.type) + " like what it takes"};
  if (!has_state)
    return SourceMistake{line_after(source), "no State: define a struct State like the one that is passed"};
  if (!has_function)
    return SourceMistake{line_after(source),
                         "no " + std::string(function.name) + ": define " + std::string(function.declaration)};
  if (declared_value.empty() || definition.line() == 0) return std::nullopt;
  return SourceMistake{definition.line(), std::string(function.type) + " is declared already, as " +
                                              std::string(declared_value) + ", " + std::string(function.value) +
                                              ": leave its definition out"};
}

std::vector<std::string> defined_macros(std::string_view source) {
  std::vector<std::string> names;
  visit_lines(SourceLexer(source), [&](const Line& line) {
    if (!is_directive(line, "define") || line.size() < 3 || line[2].kind != SourceToken::Kind::identifier) return true;
    const std::string& name = line[2].text;
    if (!name.starts_with("SCANTUNE_") && std::ranges::find(names, name) == names.end()) names.push_back(name);
    return true;
  });
  return names;
}

int line_after(std::string_view source) { return static_cast<int>(std::ranges::count(source, '\n')) + 2; }

}  // namespace scantune
