// "--name value" pairs of a benchmark's command line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/types.h"

namespace scantune::bench {

class CommandLine {
 public:
  // Ends the process with the usage when an option has no value.
  CommandLine(std::string program, std::string usage, int count, char** arguments);

  // The value given, or the fallback. Each option is taken once.
  std::string take(const std::string& name, const std::string& fallback);
  // Ends the process, saying why, when the option was given.
  void refuse(const std::string& name, const std::string& why) const;
  // Ends the process when an option is left that nothing has taken.
  void finish() const;
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  std::string program_;
  std::string usage_;
  std::map<std::string, std::string> values_;
};

// The options of every benchmark, for its usage.
inline constexpr const char* kCommonUsage =
    "  --db FILE    the tuning database to read, as SCANTUNE_DB\n"
    "  --json FILE  writes the figures there too\n"
    "  --commit ID  names the commit in the report\n";

// Takes --db.
void choose_database(CommandLine& line);

struct ReportOptions {
  std::string json;  // the file to write; empty for none
  std::string commit;
};

// Takes --json and --commit.
ReportOptions report_options(CommandLine& line);

std::vector<std::string> split(std::string_view text, char separator);

// Ends the process unless the digits are a number up to `most`.
u64 parse_number(const CommandLine& line, std::string_view digits, u64 most);

// Numbers of items from a text such as "8,10,20-30,=1000": exponents of 2, ranges of such in steps of 2, and a number
// itself.
std::vector<u64> parse_sizes(const CommandLine& line, const std::string& text);

}  // namespace scantune::bench
