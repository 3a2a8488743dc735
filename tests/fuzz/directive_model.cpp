#include "directive_model.h"

#include <cctype>
#include <regex>
#include <string>

namespace scantune::fuzz {
namespace {

std::string spliced(std::string_view source) {
  std::string text;
  for (std::size_t at = 0; at < source.size(); ++at)
    if (const auto rest = source.substr(at); rest.starts_with("\\\n") || rest.starts_with("\\\r\n"))
      at += rest[1] == '\r' ? 2 : 1;
    else
      text += source[at];
  return text;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether the quote at a place separates digits: it stands in a word that begins with a digit, between two characters.
bool separates(const std::string& text, std::size_t quote) {
  std::size_t begin = quote;
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '\'')) --begin;
  return begin < quote && std::isdigit(static_cast<unsigned char>(text[begin])) != 0 && text[quote - 1] != '\'' &&
         quote + 1 < text.size() && is_word(text[quote + 1]);
}

// The end of the literal that begins at a place: past its closing quote, or at the end of its line.
std::size_t past_literal(const std::string& text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != text[begin] && text[at] != '\n')
    at += text[at] == '\\' && text.substr(at + 1, 1) != "\n" ? 2 : 1;
  return at < text.size() && text[at] != '\n' ? at + 1 : std::min(at, text.size());
}

std::string without_comments_and_literals(const std::string& text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string::npos ? text.size() : end + 2;
      code += ' ';
    } else if (text[at] == '"' || (text[at] == '\'' && !separates(text, at))) {
      at = past_literal(text, at);
      code += '"';
    } else {
      code += text[at++];
    }
  }
  return code;
}

}  // namespace

bool has_reading_directive(std::string_view source) {
  if (source.find("R\"") != std::string_view::npos) return false;
  static const std::regex kReading(R"((^|\n)[ \t\v\f]*(#|%:)[ \t\v\f]*(include|include_next|import|embed)\b)");
  return std::regex_search(without_comments_and_literals(spliced(source)), kReading);
}

}  // namespace scantune::fuzz
