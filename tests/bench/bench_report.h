// The comparison as a table and as JSON.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench_case.h"

namespace scantune::bench {

struct Provenance {
  std::string gpu;
  std::string driver;
  std::string cub;
  std::string commit;  // empty if not given
  std::string date;    // UTC, ISO 8601
};

Provenance provenance_of_this_run(const std::string& commit);

std::string line_of(const CaseResult& result);
std::string table_of(const Provenance& provenance, const std::vector<CaseResult>& results);

// Throws scantune::Error when the file cannot be written.
void write_json(const std::filesystem::path& file, const Provenance& provenance,
                const std::vector<CaseResult>& results);

}  // namespace scantune::bench
