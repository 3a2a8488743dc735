#include "bench_report.h"

#include <cstdio>

#include "space/space.h"

namespace scantune::bench {
namespace {

constexpr const char* kMethod =
    "Inclusive scans, out of place. Microseconds per launch: the median over replays of a CUDA graph of 64 (n <= "
    "2^22), 16 (n <= 2^26) or 4 launches; the graphs of all contenders take turns, replay by replay, in one process. "
    "Cold: the launches rotate over up to 512 MiB of buffers; hot: they reuse one pair. Both scans were compared with "
    "the CPU's before, in poisoned outputs. CUB: InclusiveSum or InclusiveScan, which adds i8, i16, u8 and u16 in 32 "
    "bits, f16 and bf16 in themselves; InclusiveScanInit from a zero of the output's type where that is wider than "
    "CUB's sums (i32 to i64, f16 to f32). Copy: the fastest of a few vectorised kernels that read and write as many "
    "bytes.";

std::string cub_spelled() {
  const int version = cub_version();
  return std::to_string(version / 100000) + "." + std::to_string(version % 100000 / 100);
}

nlohmann::ordered_json times_json(const Times& times) { return {{"cold_us", times.cold_us}, {"hot_us", times.hot_us}}; }

nlohmann::ordered_json result_json(const CaseResult& result) {
  return {{"type", token(result.request.input_type)},
          {"accumulator_type", token(result.request.accumulator_type)},
          {"output_type", token(result.request.output_type)},
          {"op", token(result.request.op)},
          {"n", result.request.n},
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

std::string problem_name(const ScanRequest& request) {
  std::string name = token(request.input_type);
  if (request.output_type != request.input_type) name += std::string(":") + token(request.output_type);
  return name + " " + token(request.op);
}

std::string line_of(const CaseResult& result) {
  char line[160];
  std::snprintf(line, sizeof line, "%-11s %11llu | %9.2f %9.2f | %9.2f %9.2f | %9.2f | %6.2f %6.2f | %5.0f%%",
                problem_name(result.request).c_str(), result.request.n, result.scantune.cold_us, result.scantune.hot_us,
                result.cub.cold_us, result.cub.hot_us, result.copy.cold_us, result.ratio_cold(), result.ratio_hot(),
                100 * result.copy_share());
  return line;
}

std::string table_of(const Provenance& provenance, const std::vector<CaseResult>& results) {
  std::string table =
      heading_of(provenance) + ", CUB " + cub_spelled() +
      "\nmicroseconds per inclusive scan; CUB/scantune above 1 means that scantune is faster\n"
      "problem               n |  scantune       hot |       CUB       hot |      copy | CUB/scantune | "
      "copy/sc.\n"
      "                        |      cold           |      cold           |      cold |   cold    hot |"
      "\n";
  for (const CaseResult& result : results) table += line_of(result) + "\n";
  return table;
}

nlohmann::ordered_json json_of(const Provenance& provenance, const std::vector<CaseResult>& results) {
  nlohmann::ordered_json json = json_of(provenance);
  json["cub"] = cub_spelled();
  json["method"] = kMethod;
  json["results"] = nlohmann::ordered_json::array();
  for (const CaseResult& result : results) json["results"].push_back(result_json(result));
  return json;
}

}  // namespace scantune::bench
