// Compares scantune's plans with CUB's DeviceScan on this machine's first GPU, in one run.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "bench_report.h"
#include "command_line.h"
#include "cuda_check.h"
#include "space/space.h"
#include "watchdog.h"

namespace scantune::bench {
namespace {

constexpr const char* kUsage =
    "usage: cub_bench [--types i32,i8:i32,...] [--ops sum,min,max] [--sizes 8,10,...|8-30] [OPTION VALUE]...\n"
    "  --types      value types; i8:i32 scans i8 into i32\n"
    "  --sizes      exponents of 2; a range goes in steps of 2; '=N' is N items\n";
constexpr const char* kAllTypes = "i8,i16,i32,i64,u8,u16,u32,u64,f16,bf16,f32,f64,i8:i32,u8:u32,i32:i64,f16:f32";

struct Options {
  std::vector<ScanRequest> requests;
  ReportOptions report;
};

ValueType value_type(const CommandLine& line, const std::string& name) {
  const auto type = parse_token<ValueType>(name);
  if (!type) line.fail("there is no type '" + name + "'");
  return *type;
}

ScanRequest request_of(const CommandLine& line, const std::string& types, const std::string& op) {
  const std::vector<std::string> sides = split(types, ':');
  const ValueType input = value_type(line, sides.front()), output = value_type(line, sides.back());
  const auto parsed = parse_token<Operator>(op);
  if (sides.size() > 2 || !parsed || find_cub_scan(input, output, *parsed) == nullptr)
    line.fail("no comparison is built for " + types + " " + op);
  return {.input_type = input,
          .accumulator_type = default_accumulator(input, output),
          .output_type = output,
          .op = *parsed};
}

Options parse(int count, char** arguments) {
  CommandLine line("cub_bench", kUsage, count, arguments);
  const std::vector<std::string> types = split(line.take("--types", kAllTypes), ',');
  const std::vector<std::string> operators = split(line.take("--ops", "sum"), ',');
  const std::vector<u64> sizes = parse_sizes(line, line.take("--sizes", "8-30"));
  choose_database(line);
  Options options{{}, report_options(line)};
  line.finish();
  for (const std::string& type : types)
    for (const std::string& op : operators)
      for (const u64 n : sizes) options.requests.emplace_back(request_of(line, type, op)).n = n;
  return options;
}

int run(const Options& options) {
  Watchdog watchdog;
  SCANTUNE_BENCH_CHECK(cudaSetDevice(0));
  SCANTUNE_BENCH_CHECK(cudaFree(nullptr));  // makes the context that the runtime then works in
  cudaStream_t stream = nullptr;
  SCANTUNE_BENCH_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Arena arena(options.requests);
  const std::shared_ptr<Device> device = cuda_device();
  const Provenance provenance = provenance_of_this_run(*device, options.report.commit);
  std::vector<CaseResult> results;
  for (const ScanRequest& request : options.requests) {
    watchdog.start(to_string(request));
    const CubScan cub = find_cub_scan(request.input_type, request.output_type, request.op);
    results.push_back(run_case(request, cub, arena, *device, stream));
    std::cout << line_of(results.back()) << "\n" << results.back().chosen << std::flush;
    // After every case, so that a run that is cut short leaves what it has.
    if (!options.report.json.empty()) write_json(options.report.json, json_of(provenance, results));
  }
  std::cout << "\n" << table_of(provenance, results) << std::flush;
  return 0;
}

}  // namespace
}  // namespace scantune::bench

int main(int count, char** arguments) {
  const scantune::bench::Options options = scantune::bench::parse(count, arguments);
  int code = 1;
  try {
    code = scantune::bench::run(options);
  } catch (const std::exception& error) {
    std::cerr << "cub_bench: " << error.what() << std::endl;
  }
  std::_Exit(code);  // a context with a running kernel would hold up an orderly end
}
