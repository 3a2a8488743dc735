// Compares scantune's plans with CUB's DeviceScan::InclusiveSum on this machine's first GPU, in one run.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench_report.h"
#include "cuda_check.h"

namespace scantune::bench {
namespace {

constexpr int kCaseSeconds = 120;  // a case that takes longer hangs

constexpr const char* kUsage =
    "usage: cub_bench [--types i32,i64,f32,f64] [--sizes 8,10,...|8-30] [--db FILE] [--json FILE] [--commit ID]\n"
    "  --sizes  exponents of 2; a range goes in steps of 2; '=N' is N items\n"
    "  --db     the tuning database to read, as SCANTUNE_DB\n";

[[noreturn]] void fail(const std::string& problem) {
  std::cerr << "cub_bench: " << problem << "\n" << kUsage;
  std::exit(2);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char character : text) {
    if (character == separator)
      parts.emplace_back();
    else
      parts.back() += character;
  }
  return parts;
}

u64 number(std::string_view digits, u64 most) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value > most)
    fail(std::string(digits) + " is not a number up to " + std::to_string(most));
  return value;
}

std::vector<u64> sizes(const std::string& text) {
  constexpr u64 kMostExponent = 34;
  std::vector<u64> all;
  for (const std::string& part : split(text, ',')) {
    if (part.starts_with('=')) {
      all.push_back(number(std::string_view(part).substr(1), u64{1} << kMostExponent));
      if (all.back() == 0) fail("a size must be positive");
      continue;
    }
    const std::vector<std::string> range = split(part, '-');
    if (range.size() > 2) fail(part + " is no range");
    const u64 last = number(range.back(), kMostExponent);
    for (u64 exponent = number(range.front(), kMostExponent); exponent <= last; exponent += 2)
      all.push_back(u64{1} << exponent);
  }
  return all;
}

std::vector<ValueType> types(const std::string& text) {
  std::vector<ValueType> all;
  for (const std::string& name : split(text, ',')) {
    const auto type = parse_token<ValueType>(name);
    if (!type) fail("there is no type '" + name + "'");
    all.push_back(*type);
  }
  return all;
}

struct Options {
  std::vector<ValueType> value_types = types("i32,i64,f32,f64");
  std::vector<u64> item_counts = sizes("8-30");
  std::string json;
  std::string commit;
};

Options parse(int count, char** arguments) {
  Options options;
  for (int index = 1; index < count; ++index) {
    const std::string name = arguments[index];
    if (index + 1 == count) fail(name + " needs a value, or is no option");
    const std::string value = arguments[++index];
    if (name == "--types")
      options.value_types = types(value);
    else if (name == "--sizes")
      options.item_counts = sizes(value);
    else if (name == "--db")
      setenv("SCANTUNE_DB", value.c_str(), 1);
    else if (name == "--json")
      options.json = value;
    else if (name == "--commit")
      options.commit = value;
    else
      fail("there is no option " + name);
  }
  return options;
}

// Ends the process when a case takes too long: a kernel that hangs cannot be stopped in any other way.
class Watchdog {
 public:
  Watchdog() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}
  void start(const std::string& name) {
    name_ = name;
    seconds_left_ = kCaseSeconds;
  }

 private:
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      if (seconds_left_.fetch_sub(1) > 0) continue;
      std::fprintf(stderr, "cub_bench: %s took more than %d seconds\n", name_.c_str(), kCaseSeconds);
      std::_Exit(3);
    }
  }

  std::string name_ = "starting";
  std::atomic<int> seconds_left_ = kCaseSeconds;
  std::jthread thread_;
};

u64 most_bytes(const Options& options) {
  u64 most = 0;
  for (const ValueType type : options.value_types)
    for (const u64 n : options.item_counts) most = std::max(most, n * static_cast<u64>(size_of(type)));
  return most;
}

int run(const Options& options) {
  Watchdog watchdog;
  SCANTUNE_BENCH_CHECK(cudaSetDevice(0));
  SCANTUNE_BENCH_CHECK(cudaFree(nullptr));  // makes the context that the runtime then works in
  cudaStream_t stream = nullptr;
  SCANTUNE_BENCH_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Arena arena(most_bytes(options));
  const std::shared_ptr<Device> device = cuda_device();
  std::vector<CopyKernel> copies;
  for (const CopyShape& shape : CopyKernel::shapes()) copies.emplace_back(*device, shape);

  const Provenance provenance = provenance_of_this_run(options.commit);
  std::vector<CaseResult> results;
  for (const ValueType type : options.value_types) {
    for (const u64 n : options.item_counts) {
      watchdog.start(std::string(token(type)) + " of " + std::to_string(n) + " items");
      results.push_back(run_case(type, n, arena, copies, stream));
      std::cout << line_of(results.back()) << "\n" << results.back().chosen << std::flush;
      // After every case, so that a run that is cut short leaves what it has.
      if (!options.json.empty()) write_json(options.json, provenance, results);
    }
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
