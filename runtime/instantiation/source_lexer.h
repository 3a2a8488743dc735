// The tokens of an operator's source, as far as all compilers agree on them.
//
// Where g++, clang and NVRTC differ, a source may read a file on one device and not on another. The lexer then returns
// an `unclear` token, which says what to change.
#pragma once

#include <string>
#include <string_view>

namespace scantune {

struct SourceToken {
  enum class Kind { identifier, number, literal, punctuation, newline, unclear, end };

  Kind kind;
  std::string text;  // without the backslashes that continue a line; what to change and why, for an unclear token
  int line;          // the line where it starts, from 1
  bool starts_line = true;  // nothing but blanks and comments before it: a # here begins a directive

  // A literal is never a spelling, whatever it contains.
  bool is(std::string_view spelling) const { return kind != Kind::literal && text == spelling; }
  bool is_directive_mark() const { return starts_line && (is("#") || is("%:")); }
};

class SourceLexer {
 public:
  // A digit separator between #if and #endif: NVRTC reads it as a quote in a skipped group.
  enum class Separators { parts_of_numbers, quotes_in_groups };

  explicit SourceLexer(std::string_view source, Separators separators = Separators::parts_of_numbers);

  // A newline token ends every line that holds others. After an unclear token, and after the end, the same token comes
  // again.
  SourceToken next();

 private:
  using Kind = SourceToken::Kind;

  char peek();  // the next character past continued lines; 0 at the end
  char peek_second();
  void advance() { line_ += source_[position_++] == '\n'; }
  std::string take_word();
  void skip_blanks_and_comments();
  void skip_line_comment();
  void skip_block_comment();

  Kind take(std::string& text);
  Kind take_identifier(std::string& text);
  Kind take_number(std::string& text);
  Kind take_quoted(std::string& text);
  Kind take_raw_string(std::string& text);
  Kind take_suffix(std::string& text);
  Kind take_punctuation(std::string& text);
  Kind unclear(const char* what, int line = 0);  // 0: the one that is read
  void follow(const SourceToken& token);

  std::string_view source_;
  Separators separators_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool line_is_blank_ = true;     // as far as it is read
  bool line_has_tokens_ = false;  // as far as it is read; a comment of several lines may make a line blank again
  bool in_directive_ = false;
  bool in_message_ = false;       // in the text of #error or #warning
  bool names_directive_ = false;  // the next token does
  int open_groups_ = 0;           // groups of #if to #endif
  int unclear_line_ = 0;
  std::string unclear_;  // the first thing that is unclear, if any
};

}  // namespace scantune
