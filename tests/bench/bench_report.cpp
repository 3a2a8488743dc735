#include "bench_report.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cub_scan.h"
#include "cuda_check.h"

namespace scantune::bench {
namespace {

constexpr const char* kMethod =
    "Inclusive sum, out of place. Microseconds per launch: the median over replays of a CUDA graph of 64 (n <= 2^22), "
    "16 "
    "(n <= 2^26) or 4 launches; the graphs of all contenders take turns, replay by replay, in one process. Cold: the "
    "launches rotate over up to 512 MiB of buffers; hot: they reuse one pair. Both scans were compared with the CPU's "
    "before, in poisoned outputs. Copy: the fastest of a few vectorised copy kernels over as many bytes.";

std::string version(int number, int major_unit, int minor_unit) {
  return std::to_string(number / major_unit) + "." + std::to_string(number % major_unit / minor_unit);
}

nlohmann::ordered_json times_json(const Times& times) { return {{"cold_us", times.cold_us}, {"hot_us", times.hot_us}}; }

nlohmann::ordered_json result_json(const CaseResult& result) {
  return {{"type", token(result.type)},
          {"n", result.n},
          {"launches_per_graph", result.launches},
          {"buffer_pairs", result.buffers},
          {"replays", result.replays},
          {"scantune", times_json(result.scantune)},
          {"cub", times_json(result.cub)},
          {"copy", times_json(result.copy)},
          {"cub_over_scantune", {{"cold", result.ratio_cold()}, {"hot", result.ratio_hot()}}},
          {"copy_over_scantune", result.copy_share()},
          {"chosen", result.chosen}};
}

}  // namespace

Provenance provenance_of_this_run(const std::string& commit) {
  cudaDeviceProp properties{};
  int driver = 0;
  SCANTUNE_BENCH_CHECK(cudaGetDeviceProperties(&properties, 0));
  SCANTUNE_BENCH_CHECK(cudaDriverGetVersion(&driver));
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return {properties.name, version(driver, 1000, 10), version(cub_version(), 100000, 100), commit, date};
}

std::string line_of(const CaseResult& result) {
  char line[160];
  std::snprintf(line, sizeof line, "%-4s %11llu | %9.2f %9.2f | %9.2f %9.2f | %9.2f | %6.2f %6.2f | %5.0f%%",
                token(result.type), result.n, result.scantune.cold_us, result.scantune.hot_us, result.cub.cold_us,
                result.cub.hot_us, result.copy.cold_us, result.ratio_cold(), result.ratio_hot(),
                100 * result.copy_share());
  return line;
}

std::string table_of(const Provenance& provenance, const std::vector<CaseResult>& results) {
  std::string table =
      provenance.gpu + ", driver " + provenance.driver + ", CUB " + provenance.cub + ", " + provenance.date +
      (provenance.commit.empty() ? "" : ", commit " + provenance.commit) +
      "\nmicroseconds per inclusive sum; CUB/scantune above 1 means that scantune is faster\n"
      "type           n |  scantune       hot |       CUB       hot |      copy | CUB/scantune | copy/sc.\n"
      "                 |      cold           |      cold           |      cold |   cold    hot |\n";
  for (const CaseResult& result : results) table += line_of(result) + "\n";
  return table;
}

void write_json(const std::filesystem::path& file, const Provenance& provenance,
                const std::vector<CaseResult>& results) {
  nlohmann::ordered_json json = {{"gpu", provenance.gpu},       {"driver", provenance.driver}, {"cub", provenance.cub},
                                 {"commit", provenance.commit}, {"date", provenance.date},     {"method", kMethod}};
  json["results"] = nlohmann::ordered_json::array();
  for (const CaseResult& result : results) json["results"].push_back(result_json(result));
  std::ofstream out(file);
  out << json.dump(1) << "\n";
  if (!out.flush()) throw Error("cannot write " + file.string());
}

}  // namespace scantune::bench
