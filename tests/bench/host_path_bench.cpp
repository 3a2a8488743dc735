// Measures what a scan costs on the CPU: the calls of a warm plan, of scan() and of CUB beside the bare driver launch
// of the same kernels, in time and in instructions; and the first call of a process whose kernels are in the disk
// cache. It needs a GPU.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line.h"
#include "driver_check.h"
#include "host_path_calls.h"
#include "instruction_count.h"
#include "measure/statistics.h"
#include "provenance.h"
#include "scantune/runtime.hpp"

namespace scantune::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Prepare = std::function<std::vector<HostCall>()>;

constexpr const char* kUsage =
    "usage: host_path_bench [--sizes 8,10,16,20] [--first-sizes 10,20] [OPTION VALUE]...\n"
    "  sizes are exponents of 2; a range goes in steps of 2; '=N' is N items\n";

constexpr const char* kMethod =
    "Inclusive i32 sums, out of place, warm. CPU nanoseconds per call: the median over 101 batches of 200 calls, which "
    "the stream takes without making them wait; the contenders take turns, batch by batch. Instructions: of one call "
    "in user mode, the driver's included, counted by tracing a process of its own. First calls: milliseconds from the "
    "call of scan() in a new process with a context and a warm disk cache, until it returns and until the GPU is done.";

constexpr int kCallsPerBatch = 200;  // fits the driver's queue, so no call waits for the GPU
constexpr int kBatches = 101;
constexpr int kProcesses = 7;
constexpr const char* kFirstCall = "--first-call";  // how the benchmark calls itself

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double batch_ns(const HostCall& subject) {
  SCANTUNE_BENCH_DRIVER(cuCtxSynchronize());
  const auto start = Clock::now();
  for (int index = 0; index < kCallsPerBatch; ++index) subject.call();
  return 1000 * us_since(start) / kCallsPerBatch;
}

// The instructions of each call, in their order. Where no process may be traced there are none, and a line says why.
std::vector<long> instructions_of(const Prepare& prepare) try {
  return testing::instructions_of([&] {
    std::vector<testing::Call> counted;
    for (HostCall& subject : prepare()) counted.push_back(std::move(subject.call));
    return counted;
  });
} catch (const testing::TracingRefused& error) {
  std::cerr << "host_path_bench: no instructions are counted: " << error.what() << std::endl;
  return {};
}

struct CallCost {
  std::string name;
  double ns;
  double spread;
  std::optional<long> instructions;
};

std::vector<CallCost> costs_of(const std::vector<HostCall>& calls, const std::vector<long>& instructions) {
  std::vector<std::vector<double>> samples_ns(calls.size());
  for (const HostCall& subject : calls) batch_ns(subject);  // warms up
  for (int batch = 0; batch < kBatches; ++batch)
    for (std::size_t index = 0; index < calls.size(); ++index) samples_ns[index].push_back(batch_ns(calls[index]));
  std::vector<CallCost> costs;
  for (std::size_t index = 0; index < calls.size(); ++index)
    costs.push_back({calls[index].name, quantile(samples_ns[index], 0.5), spread(samples_ns[index]),
                     instructions.empty() ? std::nullopt : std::optional(instructions[index])});
  return costs;
}

// Runs in a process of its own. Prints the milliseconds of the first scan() after the context was made.
void time_first_call(u64 n) {
  CUdevice gpu = 0;
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  SCANTUNE_BENCH_DRIVER(cuDeviceGet(&gpu, 0));
  SCANTUNE_BENCH_DRIVER(cuDevicePrimaryCtxRetain(&context, gpu));
  SCANTUNE_BENCH_DRIVER(cuCtxSetCurrent(context));
  SCANTUNE_BENCH_DRIVER(cuMemAlloc(&memory, n * sizeof(i32)));
  auto* data = reinterpret_cast<i32*>(memory);
  const auto start = Clock::now();
  runtime::scan(data, data, n);
  const double returned_ms = us_since(start) / 1000;
  SCANTUNE_BENCH_DRIVER(cuCtxSynchronize());
  std::printf("%.3f %.3f\n", returned_ms, us_since(start) / 1000);
}

struct FirstCalls {
  u64 n;
  double returned_ms, done_ms, slowest_ms;
};

FirstCalls first_calls(u64 n) {
  std::vector<double> returned_ms, done_ms;
  for (int process = 0; process <= kProcesses; ++process) {
    const std::string command = "/proc/" + std::to_string(getpid()) + "/exe " + kFirstCall + " " + std::to_string(n);
    FILE* child = popen(command.c_str(), "r");
    double returned = 0, done = 0;
    const int found = child == nullptr ? 0 : std::fscanf(child, "%lf %lf", &returned, &done);
    if (child == nullptr || pclose(child) != 0 || found != 2) throw Error("the first call failed: " + command);
    if (process == 0) continue;  // the first process fills the disk cache
    returned_ms.push_back(returned);
    done_ms.push_back(done);
  }
  return {n, quantile(returned_ms, 0.5), quantile(done_ms, 0.5), std::ranges::max(done_ms)};
}

// Prints each result, and writes all so far.
class Report {
 public:
  explicit Report(const ReportOptions& options) : file_(options.json) {
    const Provenance provenance = provenance_of_this_run(*cuda_device(), options.commit);
    std::cout << heading_of(provenance) << std::endl;
    json_ = json_of(provenance);
    json_["method"] = kMethod;
  }

  // Adds costs, each shown beside the first of them.
  void add(const char* table, const std::string& title, std::span<const CallCost> costs) {
    std::printf("%s\n", title.c_str());
    for (const CallCost& cost : costs) {
      const double added_ns = cost.ns - costs.front().ns;
      std::printf("  %-44s %9.1f ns  %+9.1f ns", cost.name.c_str(), cost.ns, added_ns);
      if (cost.instructions) std::printf("  %7ld instructions", *cost.instructions);
      std::printf("\n");
      json_[table].push_back({{"subject", title},
                              {"call", cost.name},
                              {"ns", cost.ns},
                              {"spread", cost.spread},
                              {"added_ns", added_ns},
                              {"instructions", cost.instructions ? nlohmann::ordered_json(*cost.instructions)
                                                                 : nlohmann::ordered_json()}});
    }
    write();
  }
  void add(const FirstCalls& first) {
    std::printf(
        "i32 sum of %llu items, first call of a process: returns after %.2f ms, done after %.2f ms (slowest %.2f)\n",
        first.n, first.returned_ms, first.done_ms, first.slowest_ms);
    json_["first_calls"].push_back({{"n", first.n},
                                    {"returned_ms", first.returned_ms},
                                    {"done_ms", first.done_ms},
                                    {"slowest_ms", first.slowest_ms}});
    write();
  }

 private:
  void write() const {
    std::fflush(stdout);
    if (!file_.empty()) write_json(file_, json_);
  }

  std::string file_;
  nlohmann::ordered_json json_;
};

struct Options {
  std::vector<u64> sizes;
  std::vector<u64> first_sizes;
  ReportOptions report;
};

Options parse(int count, char** arguments) {
  CommandLine line("host_path_bench", kUsage, count, arguments);
  choose_database(line);
  const Options options{parse_sizes(line, line.take("--sizes", "8,10,16,20")),
                        parse_sizes(line, line.take("--first-sizes", "10,20")), report_options(line)};
  line.finish();
  return options;
}

void run(const Options& options) {
  // A process that has opened CUDA makes no child that can use it, so this comes first.
  std::vector<std::vector<long>> instructions;
  for (const u64 n : options.sizes) instructions.push_back(instructions_of([=] { return calls_of_scans(n); }));
  const std::vector<long> of_questions = instructions_of(questions_to_the_driver);

  Report report(options.report);
  for (std::size_t index = 0; index < options.sizes.size(); ++index) {
    const u64 n = options.sizes[index];
    report.add("calls", "i32 sum of " + std::to_string(n) + " items", costs_of(calls_of_scans(n), instructions[index]));
  }
  report.add("questions", "questions to the driver", costs_of(questions_to_the_driver(), of_questions));
  for (const u64 n : options.first_sizes) report.add(first_calls(n));
}

}  // namespace
}  // namespace scantune::bench

int main(int count, char** arguments) {
  using namespace scantune::bench;
  try {
    if (count == 3 && std::strcmp(arguments[1], kFirstCall) == 0)
      time_first_call(std::strtoull(arguments[2], nullptr, 10));
    else
      run(parse(count, arguments));
  } catch (const std::exception& error) {
    std::cerr << "host_path_bench: " << error.what() << std::endl;
    return 1;
  }
}
