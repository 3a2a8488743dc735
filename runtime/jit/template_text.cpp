#include "jit/template_text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace scantune {
namespace {

enum class Sort : unsigned char { plain, word, digit, blank, newline, special };

constexpr std::array<Sort, 256> kSorts = [] {
  std::array<Sort, 256> sorts{};
  for (unsigned c = 'a'; c <= 'z'; ++c) sorts[c] = sorts[c - 'a' + 'A'] = Sort::word;
  for (unsigned c = 0x80; c < sorts.size(); ++c) sorts[c] = Sort::word;
  for (const unsigned char c : {'_', '$'}) sorts[c] = Sort::word;
  for (unsigned c = '0'; c <= '9'; ++c) sorts[c] = Sort::digit;
  for (const unsigned char c : {' ', '\t', '\v', '\f', '\r'}) sorts[c] = Sort::blank;
  for (const unsigned char c : {'"', '\'', '/', '\\'}) sorts[c] = Sort::special;
  sorts['\n'] = Sort::newline;
  return sorts;
}();

Sort sort_of(char c) { return kSorts[static_cast<unsigned char>(c)]; }
bool is_word(char c) { return sort_of(c) == Sort::word || sort_of(c) == Sort::digit; }

// Empty if the text does not end with one.
std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

bool begins_with_digit(std::string_view word) { return !word.empty() && sort_of(word.front()) == Sort::digit; }

bool is_raw_prefix(std::string_view word) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"R", "u8R", "uR", "UR", "LR"};
  return std::ranges::find(kPrefixes, word) != kPrefixes.end();
}

// Lines as a preprocessor has them: those that a backslash continues are one, and so are those that a comment or a raw
// string joins.
class Lines {
 public:
  explicit Lines(std::string_view source) : source_(source) {}

  // Reads the next one, without comments, with single blanks inside and none around. Returns false at the end.
  bool next(std::string& line) {
    line.clear();
    if (position_ == source_.size()) return false;
    while (position_ < source_.size() && source_[position_] != '\n') take(line);
    if (position_ < source_.size()) ++position_;
    if (line.ends_with(' ')) line.pop_back();
    return true;
  }

 private:
  char at(std::size_t position) const { return position < source_.size() ? source_[position] : '\0'; }

  // How many characters a backslash and the end of its line take there; 0 if they are not there.
  std::size_t continuation(std::size_t position) const {
    if (at(position) != '\\') return 0;
    if (at(position + 1) == '\n') return 2;
    return at(position + 1) == '\r' && at(position + 2) == '\n' ? 3 : 0;
  }

  void take(std::string& line) {
    const Sort sort = sort_of(source_[position_]);
    if (sort == Sort::special) return take_special(line);
    if (sort != Sort::blank) return take_run(line);
    skip([](char c) { return sort_of(c) == Sort::blank; });
    add_blank(line);
  }

  // Copies text as it is, up to a blank or a quote that may belong to the word before it.
  void take_run(std::string& line) {
    const std::string_view run = skip([](char c) { return sort_of(c) <= Sort::digit; });
    line += run;
    const char next = at(position_);
    if (next == '"' && is_raw_prefix(last_word(run))) return take_raw_string(line);
    if (next == '\'' && begins_with_digit(last_word(run))) take_digits(line);
  }

  // Moves over the characters of that kind. Returns them.
  template <class Is>
  std::string_view skip(Is is) {
    const std::size_t begin = position_;
    while (position_ < source_.size() && is(source_[position_])) ++position_;
    return source_.substr(begin, position_ - begin);
  }

  void take_special(std::string& line) {
    const char c = source_[position_];
    if (c == '"' || c == '\'') return take_quoted(line);
    if (c == '/' && at(position_ + 1) == '/') return skip_line_comment();
    if (c == '/' && at(position_ + 1) == '*') {
      const std::size_t end = source_.find("*/", position_ + 2);
      position_ = end == std::string_view::npos ? source_.size() : end + 2;
      return add_blank(line);
    }
    if (const std::size_t length = continuation(position_); length > 0) {
      position_ += length;
      return;
    }
    line += c;
    ++position_;
  }

  static void add_blank(std::string& line) {
    if (!line.empty() && line.back() != ' ') line += ' ';
  }

  // Copies the rest of a number, in which a quote between digits separates them.
  void take_digits(std::string& line) {
    const std::size_t begin = position_;
    while (is_word(at(position_)) || at(position_) == '.' || (at(position_) == '\'' && is_word(at(position_ + 1))))
      ++position_;
    line += source_.substr(begin, position_ - begin);
  }

  void take_raw_string(std::string& line) {
    const std::size_t begin = position_, bracket = source_.find('(', begin);
    const std::string end = std::string(")").append(source_.substr(begin + 1, bracket - begin - 1)).append("\"");
    const std::size_t found = bracket == std::string_view::npos ? bracket : source_.find(end, bracket);
    position_ = found == std::string_view::npos ? source_.size() : found + end.size();
    line += source_.substr(begin, position_ - begin);
  }

  void take_quoted(std::string& line) {
    const char quote = source_[position_];
    line += source_[position_++];
    while (position_ < source_.size() && source_[position_] != '\n') {
      if (const std::size_t length = continuation(position_); length > 0) {
        position_ += length;
        continue;
      }
      const char c = source_[position_++];
      line += c;
      if (c == quote) return;
      if (c == '\\' && position_ < source_.size()) line += source_[position_++];
    }
  }

  void skip_line_comment() {
    do position_ = std::min(source_.find('\n', position_ + 1), source_.size());
    while (position_ < source_.size() && is_continued(position_));
  }

  // Tells whether the line that ends there goes on in the next.
  bool is_continued(std::size_t end) const {
    return source_[end - 1] == '\\' || (source_[end - 1] == '\r' && source_[end - 2] == '\\');
  }

  std::string_view source_;
  std::size_t position_ = 0;
};

// The value of a condition on __CUDACC_RTC__ alone; nullopt for any other.
std::optional<bool> decided(std::string_view directive, bool is_defined) {
  std::string condition;
  for (const char c : directive)
    if (c != ' ' && c != '(' && c != ')') condition += c;
  if (condition == "#ifdef__CUDACC_RTC__" || condition == "#ifdefined__CUDACC_RTC__") return is_defined;
  if (condition == "#ifndef__CUDACC_RTC__" || condition == "#if!defined__CUDACC_RTC__") return !is_defined;
  return std::nullopt;
}

class TemplateReader {
 public:
  explicit TemplateReader(TemplateView view) : defines_cuda_(view == TemplateView::cuda) {}

  TemplateText read(std::string_view source) {
    result_.text.reserve(source.size());
    Lines lines(source);
    for (std::string line; lines.next(line);)
      if (line.starts_with('#'))
        read_directive(line);
      else if (!line.empty() && is_visible_)
        add(line, ' ');
    return std::move(result_);
  }

 private:
  struct Group {
    bool is_decided;  // on __CUDACC_RTC__, so that none of its directives stays in the text
    bool was_visible;
    bool had_branch;  // one that was visible
  };

  void read_directive(std::string& line) {
    if (line.starts_with("# ")) line.erase(1, 1);
    if (line.starts_with("#if")) return open(line);
    if (line.starts_with("#el") && !groups_.empty()) return branch(line);
    if (line.starts_with("#endif") && !groups_.empty()) return close(line);
    if (!is_visible_ || line == "#pragma once") return;
    if (line.starts_with("#include")) add_include(line);
    add_directive(line);
  }

  void open(const std::string& line) {
    const std::optional<bool> value = is_visible_ ? decided(line, defines_cuda_) : false;
    groups_.push_back({value.has_value(), is_visible_, value.value_or(true)});
    if (!value) add_directive(line);
    is_visible_ = is_visible_ && value.value_or(true);
  }

  void branch(const std::string& line) {
    Group& group = groups_.back();
    if (!group.is_decided) return add_directive(line);
    is_visible_ = group.was_visible && !group.had_branch;
    group.had_branch = true;
    if (!is_visible_ || line == "#else") return;
    // An #elif after a branch that is not there begins a group of its own.
    group.is_decided = false;
    add_directive(std::string(line).erase(1, 2));
  }

  void close(const std::string& line) {
    const Group group = groups_.back();
    groups_.pop_back();
    is_visible_ = group.was_visible;
    if (!group.is_decided) add_directive(line);
  }

  void add_include(const std::string& line) {
    const std::size_t begin = line.find('"'), end = line.rfind('"');
    if (begin != end) result_.includes.push_back(line.substr(begin + 1, end - begin - 1));
  }

  void add_directive(const std::string& line) {
    add(line, '\n');
    after_directive_ = true;
  }

  void add(const std::string& line, char separator) {
    if (!result_.text.empty()) result_.text += after_directive_ ? '\n' : separator;
    result_.text += line;
    after_directive_ = false;
  }

  const bool defines_cuda_;
  TemplateText result_;
  std::vector<Group> groups_;
  bool is_visible_ = true;
  bool after_directive_ = false;
};

}  // namespace

TemplateText template_text(std::string_view source, TemplateView view) { return TemplateReader(view).read(source); }

}  // namespace scantune
