#include "instantiation/source_lexer.h"

#include <algorithm>
#include <array>

namespace scantune {
namespace {

constexpr std::size_t kLongestDelimiter = 16;  // a raw string's
constexpr const char* kQuoteAfterOddLetter = "a quote after a $ or a letter outside ASCII: write a blank between them";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
// Some compilers have these in identifiers, others between them.
bool is_odd_letter(char c) { return c == '$' || static_cast<unsigned char>(c) >= 0x80; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || is_odd_letter(c); }
// What a raw string's delimiter is made of.
bool is_delimiter(char c) {
  return c > ' ' && c < 0x7f && std::string_view("()\\$@`").find(c) == std::string_view::npos;
}

bool is_raw_prefix(std::string_view word) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"R", "u8R", "uR", "UR", "LR"};
  return std::ranges::find(kPrefixes, word) != kPrefixes.end();
}

}  // namespace

// Carriage returns and zeroes are looked for first, so that the rest need not handle them.
SourceLexer::SourceLexer(std::string_view source, Separators separators) : source_(source), separators_(separators) {
  for (; position_ < source.size(); advance()) {
    if (source[position_] == '\0') unclear("a zero character: delete it");
    if (source[position_] == '\r' && source.substr(position_ + 1, 1) != "\n")
      unclear("a carriage return without a line feed: end lines with a line feed");
  }
  position_ = 0;
  line_ = 1;
}

SourceToken SourceLexer::next() {
  skip_blanks_and_comments();
  SourceToken token{.kind = Kind::end, .text = {}, .line = line_, .starts_line = line_is_blank_};
  if (unclear_.empty()) token.kind = take(token.text);
  if (!unclear_.empty()) return {.kind = Kind::unclear, .text = unclear_, .line = unclear_line_};
  follow(token);
  return token;
}

char SourceLexer::peek() {
  while (position_ < source_.size() && source_[position_] == '\\') {
    const std::size_t next = source_.find_first_not_of(" \t\v\f\r", position_ + 1);
    if (next == std::string_view::npos || source_[next] != '\n') break;
    const std::string_view between = source_.substr(position_ + 1, next - position_ - 1);
    if (!between.empty() && between != "\r") unclear("blanks between a backslash and the end of its line: delete them");
    position_ = next + 1;
    ++line_;
  }
  return position_ < source_.size() ? source_[position_] : '\0';
}

char SourceLexer::peek_second() {
  const auto [position, line] = std::pair(position_, line_);
  advance();
  const char second = peek();
  position_ = position;
  line_ = line;
  return second;
}

std::string SourceLexer::take_word() {
  std::string word;
  for (; is_word(peek()); advance()) word += peek();
  return word;
}

void SourceLexer::skip_blanks_and_comments() {
  while (true) {
    const char c = peek();
    if (is_blank(c) || (c == '\n' && !line_has_tokens_)) {
      advance();
      line_is_blank_ |= c == '\n';
    } else if (c == '/' && peek_second() == '/') {
      skip_line_comment();
    } else if (c == '/' && peek_second() == '*') {
      skip_block_comment();
    } else {
      return;
    }
  }
}

void SourceLexer::skip_line_comment() {
  while (peek() != '\n' && peek() != '\0') advance();
}

void SourceLexer::skip_block_comment() {
  const int first_line = line_;
  char last = '\0';
  advance();
  peek();
  for (advance(); peek() != '\0' && (last != '*' || peek() != '/'); advance()) last = peek();
  if (peek() != '\0') advance();
  if (in_message_ && line_ != first_line)
    unclear("a comment of several lines after #error or #warning: end it there", first_line);
  // To NVRTC the line after is a new one, so that it takes a # there for a directive.
  line_is_blank_ |= !in_directive_ && line_ != first_line;
}

SourceToken::Kind SourceLexer::take(std::string& text) {
  const char c = peek();
  if (c == '\0') return Kind::end;
  if (c == '\n') {
    advance();
    return Kind::newline;
  }
  if (is_letter(c) || is_odd_letter(c)) return take_identifier(text);
  if (is_digit(c) || (c == '.' && is_digit(peek_second()))) return take_number(text);
  if (c == '"' || c == '\'') return take_quoted(text);
  return take_punctuation(text);
}

SourceToken::Kind SourceLexer::take_identifier(std::string& text) {
  const int first_line = line_;
  text = take_word();
  // If such letters are not part of identifiers, digits after one begin a number, which may contain quotes.
  if (peek() == '\'' && std::ranges::any_of(text, is_odd_letter)) return unclear(kQuoteAfterOddLetter);
  if (peek() != '"' || text.back() != 'R') return Kind::identifier;
  if (is_raw_prefix(text)) {
    if (line_ != first_line)
      return unclear("a raw string whose prefix goes on in the next line: write it on one", first_line);
    return take_raw_string(text);
  }
  if (std::ranges::any_of(text, is_odd_letter))
    return unclear("a raw string straight after a $ or a letter outside ASCII: write a blank between them");
  return Kind::identifier;
}

SourceToken::Kind SourceLexer::take_number(std::string& text) {
  const bool separates = separators_ == Separators::parts_of_numbers || open_groups_ == 0;
  while (true) {
    const char c = peek(), last = text.empty() ? '\0' : text.back();
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const bool is_sign = (c == '+' || c == '-') && std::string_view("eEpP").find(last) != std::string_view::npos;
    if (is_sign && !hexadecimal && (last == 'p' || last == 'P'))
      return unclear("a binary exponent of a number that is not hexadecimal: write 0x before it");
    const bool is_separator = c == '\'' && (is_letter(peek_second()) || is_digit(peek_second()));
    if (c == '"' || (c == '\'' && !is_separator))
      return unclear("a quote straight after a number: write a blank between them");
    if (is_separator && std::ranges::any_of(text, is_odd_letter)) return unclear(kQuoteAfterOddLetter);
    if (!is_word(c) && c != '.' && !is_sign && !(is_separator && separates)) break;
    text += c;
    advance();
  }
  return Kind::number;
}

SourceToken::Kind SourceLexer::take_quoted(std::string& text) {
  const char quote = peek();
  do {
    text += peek();
    advance();
    if (text.back() == '\\' && peek() != '\n' && peek() != '\0') {
      text += peek();
      advance();
    }
    if (peek() == '\n' || peek() == '\0') return Kind::literal;  // without an end, as in a text after #error
  } while (peek() != quote);
  advance();
  text += quote;
  return take_suffix(text);
}

SourceToken::Kind SourceLexer::take_raw_string(std::string& text) {
  advance();  // past the quote; from here on continued lines are not joined
  const std::size_t begin = source_.find('(', position_);
  const std::string_view delimiter = source_.substr(position_, begin - position_);
  if (begin == std::string_view::npos || delimiter.size() > kLongestDelimiter ||
      !std::ranges::all_of(delimiter, is_delimiter))
    return unclear("a raw string without a valid delimiter: it is at most 16 characters, and ( follows");
  const std::size_t end = source_.find(std::string(")").append(delimiter).append("\""), begin);
  if (end == std::string_view::npos) return unclear("a raw string without an end: close it");
  const std::string_view body = source_.substr(begin + 1, end - begin - 1);
  if (in_directive_ && body.find('\n') != std::string_view::npos)
    return unclear("a raw string of several lines in a directive: write \\n in an ordinary string");
  text += '"';
  text += body;
  text += '"';
  for (const std::size_t past = end + delimiter.size() + 2; position_ < past;) advance();
  return take_suffix(text);
}

SourceToken::Kind SourceLexer::take_suffix(std::string& text) {
  const std::string suffix = take_word();
  text += suffix;
  if (peek() == '\'' && std::ranges::any_of(suffix, is_odd_letter)) return unclear(kQuoteAfterOddLetter);
  if (suffix.ends_with('R') && peek() == '"')
    return unclear("a raw string straight after a literal: write a blank between them");
  return Kind::literal;
}

SourceToken::Kind SourceLexer::take_punctuation(std::string& text) {
  constexpr std::array<std::string_view, 2> kPairs = {"%:", "::"};
  const char c = peek();
  if (c == '\\') return unclear("a backslash outside of strings: write the character that it stands for");
  text = {c, peek_second()};
  advance();
  if (std::ranges::find(kPairs, text) == kPairs.end()) {
    text.pop_back();
  } else {
    peek();
    advance();
  }
  return Kind::punctuation;
}

SourceToken::Kind SourceLexer::unclear(const char* what, int line) {
  if (unclear_.empty()) {
    unclear_line_ = line != 0 ? line : line_;
    unclear_ = what;
  }
  return Kind::unclear;
}

// Updates what is known of the line and its directive after the token.
void SourceLexer::follow(const SourceToken& token) {
  const bool ends = token.kind == Kind::newline || token.kind == Kind::end;
  if (names_directive_ && token.text.starts_with("if")) ++open_groups_;
  if (names_directive_ && token.is("endif") && open_groups_ > 0) --open_groups_;
  in_message_ = !ends && (in_message_ || (names_directive_ && (token.is("error") || token.is("warning"))));
  in_directive_ = !ends && (in_directive_ || token.is_directive_mark());
  names_directive_ = token.is_directive_mark();
  line_has_tokens_ = !ends;
  // A line of characters that some compilers do not accept as letters counts as blank.
  line_is_blank_ = ends || (token.starts_line && std::ranges::all_of(token.text, is_odd_letter));
}

}  // namespace scantune
