// Sources of operators: no directive outside strings and comments is overlooked, and each is reported at its place.
#include "instantiation/operator_source.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "directive_model.h"
#include "libfuzzer.h"
#include "require.h"

namespace scantune::fuzz {
namespace {

constexpr const char* kInclude = "\n#include \"a.h\"\n";
// Ends a comment, if one is open, and is ordinary code otherwise. A backslash may continue one line into the next.
constexpr const char* kCommentEnd = "\n\n*/";

constexpr const char* kPieces[] = {"#include \"a.h\"\n",
                                   "#",
                                   "%:",
                                   "\?\?=",
                                   "include",
                                   "include_next",
                                   "import",
                                   "embed",
                                   "<a.h>",
                                   "\"a.h\"",
                                   "#line 1 \"a.h\"\n",
                                   "#pragma once\n",
                                   "_Pragma(\"x\")",
                                   "__has_include(<a.h>)",
                                   "export module a;\n",
                                   "#if 0\n",
                                   "#else\n",
                                   "#endif\n",
                                   "#error don't\n",
                                   "#define A \\\n",
                                   "##",
                                   "//",
                                   "/*",
                                   "*/",
                                   "\\\n",
                                   "\\ \n",
                                   "\\\r\n",
                                   "\\",
                                   "\n",
                                   "\r\n",
                                   "\r",
                                   " ",
                                   "\t",
                                   "\"",
                                   "'",
                                   "\\\"",
                                   "R\"(",
                                   ")\"",
                                   "u8R\"x(",
                                   ")x\"",
                                   "L'",
                                   "1'0",
                                   "0x1'f",
                                   "1e+",
                                   ".5",
                                   "\"s\"_R\"",
                                   "$",
                                   "\xc3\xa9",
                                   "a",
                                   "::",
                                   "<::",
                                   "struct Value { int a; };\n",
                                   "__device__ Value combine(Value a, Value b) { return {a.a + b.a}; }\n"};

std::size_t mutate(std::string& source, unsigned seed) {
  std::minstd_rand random(seed);
  const std::size_t at = random() % (source.size() + 1), bytes = random() % (source.size() - at + 1);
  switch (random() % 4) {
    case 0:
      source.erase(at, std::min<std::size_t>(bytes, 1 + random() % 20));
      break;
    case 1:
      source.insert(random() % (source.size() + 1), source.substr(at, std::min<std::size_t>(bytes, 40)));
      break;
    default:
      source.insert(at, kPieces[random() % std::size(kPieces)]);
  }
  return source.size();
}

void check_reads(const std::string& source) {
  const auto found = first_read_of_a_file(source);
  require(!found || (found->line >= 1 && found->line < line_after(source)), "what reads has a line of the source");
  auto moved = first_read_of_a_file("int a;\n" + source);
  if (moved) --moved->line;
  require(moved == found, "a line before moves the mistake and changes nothing else");
  require(first_read_of_a_file(source + kCommentEnd + kInclude).has_value(), "an include in the open is found");
  require(found || !has_reading_directive(source), "what is accepted reads nothing by the plainest model");
}

void check_definitions(const std::string& source) {
  for (const char* declared : {"", "i32"})
    for (const SourceFunction& function : {kCombine, kKeep, kEqualWithState}) {
      const auto found = wrong_definition(source, declared, function);
      require(!found || (found->line >= 1 && found->line <= line_after(source)), "a wrong definition has a line");
    }
}

}  // namespace
}  // namespace scantune::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string source(reinterpret_cast<const char*>(data), size);
  scantune::fuzz::check_reads(source);
  scantune::fuzz::check_definitions(source);
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most_bytes, unsigned seed) {
  std::string source(reinterpret_cast<const char*>(data), size);
  if (seed % 4 == 0 || scantune::fuzz::mutate(source, seed) > most_bytes)
    return LLVMFuzzerMutate(data, size, most_bytes);
  std::memcpy(data, source.data(), source.size());
  return source.size();
}
