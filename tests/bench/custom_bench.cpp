// Measures what custom operators and wide outputs cost on this machine's GPU: an operator given as source beside the
// built-in one that it equals, and scans of unequal or large items beside a copy of as many bytes.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "command_line.h"
#include "measure/measure.h"
#include "measure/reference.h"
#include "measure/verify_run.h"
#include "provenance.h"
#include "select/records_in_use.h"
#include "select/selector.h"
#include "watchdog.h"

namespace scantune::bench {
namespace {

constexpr const char* kUsage =
    "usage: custom_bench [--overhead-sizes 12,20,28] [--width-sizes 20,24,28] [OPTION VALUE]...\n"
    "  sizes are exponents of 2; a range goes in steps of 2; '=N' is N items\n";

constexpr const char* kMethod =
    "Inclusive scans, out of place. Microseconds per launch: the median over rounds of a CUDA graph of 64 (n <= 2^22), "
    "16 (n <= 2^26) or 4 launches that rotate over 512 MiB of buffers; the contenders take turns in every round. All "
    "results were compared with the CPU's before, in poisoned outputs. Overhead: an operator given as source over the "
    "built-in one that it equals, both with the config that the library chooses for the built-in one; beside it, which "
    "the library would choose for the source. Widths: the "
    "fastest of a few vectorised kernels that read and write as many bytes, over the scan with the config that the "
    "library chooses; custom types with stand-in operators of moderate cost.";

// There are enough rounds for the drift of a GPU's clocks, which shows within a few.
constexpr MeasurePolicy kPolicy{.rounds = 31, .min_round_ms = 2, .ceiling = true};

constexpr std::chrono::minutes kCaseLimit(2);
constexpr double kMostOverhead = 1.02;  // limit to the ratio of an operator given as source to the built-in one

// A built-in operator, and the source that a caller would write in its place.
struct Twin {
  ValueType type;
  Operator op;
  const char* source;
};
constexpr Twin kTwins[] = {
    {ValueType::f32, Operator::sum, "__device__ Value combine(Value a, Value b) { return a + b; }"},
    {ValueType::i32, Operator::sum,
     "__device__ Value combine(Value a, Value b) { return static_cast<Value>(static_cast<unsigned>(a) + b); }"},
    {ValueType::i32, Operator::max, "__device__ Value combine(Value a, Value b) { return a < b ? b : a; }"},
    {ValueType::i64, Operator::sum,
     "__device__ Value combine(Value a, Value b) { return static_cast<Value>(static_cast<unsigned long long>(a) + b); "
     "}"},
};

constexpr std::pair<ValueType, ValueType> kWideOutputs[] = {{ValueType::i8, ValueType::i32},
                                                            {ValueType::i8, ValueType::i64},
                                                            {ValueType::f16, ValueType::f32},
                                                            {ValueType::i32, ValueType::i64}};
constexpr int kCustomBytes[] = {8, 12, 16, 32};

struct Overhead {
  ScanRequest request;
  Measurement built_in;
  Measurement custom;
  std::string config;
  Selection selected_for_custom;  // what the custom operator runs with, since it is untuned

  double ratio() const { return custom.median_us / built_in.median_us; }
  bool is_high() const { return ratio() > kMostOverhead; }
};

struct Width {
  ScanRequest request;
  Measurement scan;
  double copy_us;
  std::string config;
  ConfigOrigin origin;

  double share() const { return copy_us / scan.median_us; }
  double bytes_per_second() const {
    return static_cast<double>(request.n) * (request.input_bytes() + request.output_bytes()) / (1e-6 * scan.median_us);
  }
};

// Compares the results of one scan with those of `expected`, whose operator equals the scan's.
void check(Device& device, const PreparedConfig& scan, const ScanRequest& expected) {
  const InputSpec input{.request = expected};
  Staging staging(device);
  VerifyRun run(device, staging, scan.config(), {&scan.request(), 1});
  run.run(scan, {.n = expected.n}, input, *make_reference(input));
}

Measurement measured(const MeasureOutcome& outcome) {
  if (const auto* failure = std::get_if<MeasureFailure>(&outcome)) throw DeviceError(failure->message);
  return std::get<Measurement>(outcome);
}

Overhead measure_overhead(Device& device, Measurer& measurer, const Twin& twin, u64 n) {
  const ScanRequest request{
      .input_type = twin.type, .accumulator_type = twin.type, .output_type = twin.type, .op = twin.op, .n = n};
  ScanRequest custom_request = request;
  custom_request.op = Operator::custom_cheap;
  const CustomOperator custom{.source = twin.source, .name = ""};
  const Selection selection = select(*records_in_use(), device.identity(), request);
  const PreparedConfig built_in(device, request, selection.config);
  const PreparedConfig own(device, custom_request, selection.config, Variant::aligned, &custom);
  check(device, built_in, request);
  check(device, own, request);
  const PreparedConfig* const scans[] = {&built_in, &own};
  const Measurements measurements = measurer.measure(scans, kPolicy);
  return {request, measured(measurements.configs[0]), measured(measurements.configs[1]), to_string(selection.config),
          select(*records_in_use(), device.identity(), custom_request)};
}

Width measure_width(Device& device, Measurer& measurer, const ScanRequest& request) {
  const Selection selection = select(*records_in_use(), device.identity(), request);
  const PreparedConfig scan(device, request, selection.config);
  check(device, scan, request);
  const PreparedConfig* const scans[] = {&scan};
  const Measurements measurements = measurer.measure(scans, kPolicy);
  return {request, measured(measurements.configs[0]), measurements.ceiling_us.value(), to_string(selection.config),
          selection.origin};
}

std::vector<ScanRequest> wide_requests() {
  std::vector<ScanRequest> requests;
  for (const auto& [input, output] : kWideOutputs)
    requests.push_back(
        {.input_type = input, .accumulator_type = default_accumulator(input, output), .output_type = output});
  for (const int bytes : kCustomBytes)
    requests.push_back({.input_type = ValueType::custom,
                        .accumulator_type = ValueType::custom,
                        .output_type = ValueType::custom,
                        .op = Operator::custom_moderate,
                        .custom_bytes = bytes,
                        .custom_alignment = 4});
  return requests;
}

std::string line_of(const Overhead& overhead) {
  char line[160];
  std::snprintf(line, sizeof line, "%-42s built-in %9.2f us, as source %9.2f us, ratio %.3f (spreads %.1f %%, %.1f %%)",
                to_string(overhead.request).c_str(), overhead.built_in.median_us, overhead.custom.median_us,
                overhead.ratio(), 100 * overhead.built_in.spread, 100 * overhead.custom.spread);
  std::string text = line;
  if (overhead.is_high()) text += ", TOO HIGH";
  const Selection& selected = overhead.selected_for_custom;
  if (to_string(selected.config) != overhead.config)
    text += "; the source alone would run with " + to_string(selected.config) + ", " + token(selected.origin);
  return text;
}

std::string line_of(const Width& width) {
  char line[160];
  std::snprintf(line, sizeof line, "%-42s %9.2f us, %5.2f TB/s, %3.0f %% of a copy (%.2f us), %s",
                to_string(width.request).c_str(), width.scan.median_us, 1e-12 * width.bytes_per_second(),
                100 * width.share(), width.copy_us, token(width.origin));
  return line;
}

nlohmann::ordered_json json_of(const Overhead& overhead) {
  return {{"problem", to_string(overhead.request)},
          {"n", overhead.request.n},
          {"built_in_us", overhead.built_in.median_us},
          {"custom_us", overhead.custom.median_us},
          {"custom_over_built_in", overhead.ratio()},
          {"built_in_spread", overhead.built_in.spread},
          {"custom_spread", overhead.custom.spread},
          {"config", overhead.config},
          {"is_high", overhead.is_high()},
          {"config_of_custom", to_string(overhead.selected_for_custom.config)},
          {"origin_of_custom", token(overhead.selected_for_custom.origin)}};
}

nlohmann::ordered_json json_of(const Width& width) {
  return {{"problem", to_string(width.request)},
          {"n", width.request.n},
          {"read_bytes_per_item", width.request.input_bytes()},
          {"written_bytes_per_item", width.request.output_bytes()},
          {"scan_us", width.scan.median_us},
          {"scan_spread", width.scan.spread},
          {"copy_us", width.copy_us},
          {"copy_over_scan", width.share()},
          {"bytes_per_second", width.bytes_per_second()},
          {"config", width.config},
          {"origin", token(width.origin)}};
}

struct Options {
  std::vector<u64> overhead_sizes;
  std::vector<u64> width_sizes;
  ReportOptions report;
};

Options parse(int count, char** arguments) {
  CommandLine line("custom_bench", kUsage, count, arguments);
  choose_database(line);
  const Options options{parse_sizes(line, line.take("--overhead-sizes", "12,20,28")),
                        parse_sizes(line, line.take("--width-sizes", "20,24,28")), report_options(line)};
  line.finish();
  return options;
}

// Prints each result, and writes all so far, so that a run that is cut short leaves what it has.
class Report {
 public:
  Report(Device& device, const ReportOptions& options) : file_(options.json) {
    const Provenance provenance = provenance_of_this_run(device, options.commit);
    std::cout << heading_of(provenance) << std::endl;
    json_ = bench::json_of(provenance);
    json_["method"] = kMethod;
  }

  template <class Result>
  void add(const char* table, const Result& result) {
    std::cout << line_of(result) << std::endl;
    json_[table].push_back(json_of(result));
    if (!file_.empty()) write_json(file_, json_);
  }

 private:
  std::string file_;
  nlohmann::ordered_json json_;
};

void run(const Options& options) {
  const std::shared_ptr<Device> device = cuda_device();
  Measurer measurer(*device);
  Report report(*device, options.report);
  for (const Twin& twin : kTwins)
    for (const u64 n : options.overhead_sizes) {
      const Watchdog watchdog(
          std::string(token(twin.type)) + " " + token(twin.op) + " of " + std::to_string(n) + " items", kCaseLimit);
      report.add("overhead", measure_overhead(*device, measurer, twin, n));
    }
  for (ScanRequest request : wide_requests())
    for (const u64 n : options.width_sizes) {
      request.n = n;
      const Watchdog watchdog(to_string(request), kCaseLimit);
      report.add("widths", measure_width(*device, measurer, request));
    }
}

}  // namespace
}  // namespace scantune::bench

int main(int count, char** arguments) {
  const scantune::bench::Options options = scantune::bench::parse(count, arguments);
  int code = 0;
  try {
    scantune::bench::run(options);
  } catch (const std::exception& error) {
    std::cerr << "custom_bench: " << error.what() << std::endl;
    code = 1;
  }
  std::_Exit(code);  // destructors would wait for a kernel that still runs
}
