#include "command_line.h"

#include <charconv>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace scantune::bench {
namespace {

constexpr u64 kMostExponent = 34;

}  // namespace

CommandLine::CommandLine(std::string program, std::string usage, int count, char** arguments)
    : program_(std::move(program)), usage_(std::move(usage)) {
  for (int index = 1; index < count; index += 2) {
    if (index + 1 == count) fail(std::string(arguments[index]) + " needs a value, or is no option");
    values_[arguments[index]] = arguments[index + 1];
  }
}

std::string CommandLine::take(const std::string& name, const std::string& fallback) {
  const auto node = values_.extract(name);
  return node.empty() ? fallback : node.mapped();
}

void CommandLine::refuse(const std::string& name, const std::string& why) const {
  if (values_.contains(name)) fail(name + " " + why);
}

void CommandLine::finish() const {
  if (!values_.empty()) fail("there is no option " + values_.begin()->first);
}

void CommandLine::fail(const std::string& problem) const {
  std::cerr << program_ << ": " << problem << "\n" << usage_ << kCommonUsage;
  std::exit(2);
}

void choose_database(CommandLine& line) {
  if (const std::string database = line.take("--db", ""); !database.empty()) setenv("SCANTUNE_DB", database.c_str(), 1);
}

ReportOptions report_options(CommandLine& line) { return {line.take("--json", ""), line.take("--commit", "")}; }

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char character : text) {
    if (character == separator)
      parts.emplace_back();
    else
      parts.back() += character;
  }
  return parts;
}

u64 parse_number(const CommandLine& line, std::string_view digits, u64 most) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value > most)
    line.fail(std::string(digits) + " is not a number up to " + std::to_string(most));
  return value;
}

std::vector<u64> parse_sizes(const CommandLine& line, const std::string& text) {
  std::vector<u64> all;
  for (const std::string& part : split(text, ',')) {
    if (part.starts_with('=')) {
      all.push_back(parse_number(line, std::string_view(part).substr(1), u64{1} << kMostExponent));
      if (all.back() == 0) line.fail("a size must be positive");
      continue;
    }
    const std::vector<std::string> range = split(part, '-');
    if (range.size() > 2) line.fail(part + " is no range");
    const u64 last = parse_number(line, range.back(), kMostExponent);
    for (u64 exponent = parse_number(line, range.front(), kMostExponent); exponent <= last; exponent += 2)
      all.push_back(u64{1} << exponent);
  }
  return all;
}

}  // namespace scantune::bench
