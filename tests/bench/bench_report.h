// The comparison with CUB as a table and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench_case.h"
#include "provenance.h"

namespace scantune::bench {

// "i8:i32 sum": input and output type, or the one that both are, and the operator.
std::string problem_name(const ScanRequest& request);

std::string line_of(const CaseResult& result);
std::string table_of(const Provenance& provenance, const std::vector<CaseResult>& results);
nlohmann::ordered_json json_of(const Provenance& provenance, const std::vector<CaseResult>& results);

}  // namespace scantune::bench
