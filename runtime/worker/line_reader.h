// Lines of a client that may send anything.
#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace scantune {

class LineReader {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  enum class Outcome {
    line,
    too_long,  // returned as soon as the limit is passed; the next call continues after the line
    end
  };

  explicit LineReader(std::istream& input) : input_(*input.rdbuf()) {}

  // Reads a line without its newline. This holds no more memory than a line may have, and next to none after a long
  // one.
  Outcome next(std::string& line);

 private:
  void skip_rest();

  std::streambuf& input_;
  bool inside_line_ = false;  // a line that was too long
};

}  // namespace scantune
