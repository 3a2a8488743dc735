// Comparisons and draws as tables and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "case_result.h"
#include "draws.h"
#include "provenance.h"

namespace scantune::bench {

// A name such as "i8:i32 max exclusive": input and output type, or one if they are the same, the operator, and what of
// a scan's kind or a reduction's position is not the usual.
std::string problem_name(const Request& request);
std::string size_name(u64 n);                // "2^20", or the number
std::string case_name(const Case& subject);  // problem, size, offsets

// A table with one line for each case. `cubs` has the names of the contenders that are CUB, in order. Times and
// bandwidth are those of the first condition.
class ComparisonTable {
 public:
  ComparisonTable(std::vector<std::string> cubs, std::vector<Condition> conditions);

  std::string heading() const;
  std::string line(const CaseResult& result) const;

 private:
  std::vector<std::string> cubs_;
  std::vector<Condition> conditions_;
};

std::string line_of(const DrawResult& draw);
// A sentence that says how many draws are slow, and which.
std::string summary_of(std::span<const DrawResult> draws);

// A case that could not be compared, such as for a wrong result.
struct Failure {
  std::string what;
  std::string message;
};

struct RunFacts {
  Provenance provenance;
  std::vector<std::string> cubs;
  double seconds = 0;  // so far
  std::vector<Failure> failures;
};

nlohmann::ordered_json json_of(const CaseResult& result);
nlohmann::ordered_json json_of(const RunFacts& facts, std::span<const CaseResult> results);
nlohmann::ordered_json json_of(const RunFacts& facts, std::span<const DrawResult> draws, u64 seed);

}  // namespace scantune::bench
