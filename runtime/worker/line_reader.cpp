#include "worker/line_reader.h"

namespace scantune {
namespace {

constexpr int kEnd = std::char_traits<char>::eof();

}  // namespace

LineReader::Outcome LineReader::next(std::string& line) {
  std::string().swap(line);  // an assignment would keep its memory
  if (inside_line_) skip_rest();
  for (int byte = input_.sbumpc(); byte != kEnd; byte = input_.sbumpc()) {
    if (byte == '\n') return Outcome::line;
    if (line.size() == kMostBytes) {
      inside_line_ = true;
      std::string().swap(line);
      return Outcome::too_long;
    }
    line.push_back(static_cast<char>(byte));
  }
  return line.empty() ? Outcome::end : Outcome::line;
}

void LineReader::skip_rest() {
  int byte = 0;
  do byte = input_.sbumpc();
  while (byte != '\n' && byte != kEnd);
  inside_line_ = false;
}

}  // namespace scantune
