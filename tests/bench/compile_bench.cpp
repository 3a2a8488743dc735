// How long NVRTC takes for one kernel sample on one core, and how many samples per second one and two processes
// compile.
//
//   compile_bench [sm, 90 if left out]
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "families_under_test.h"
#include "instantiation/instantiation.h"
#include "jit/nvrtc_compiler.h"
#include "operator_sources.h"

namespace scantune {
namespace {

constexpr int kRepeats = 5;
constexpr int kSamplesPerProcess = 24;

using Clock = std::chrono::steady_clock;

struct Sample {
  ScanRequest request;
  Config config;
  const CustomOperator* custom;  // or null
};

// First-order linear recurrences.
const CustomOperator kAffinePairs{.source = affine_source("float"), .name = ""};

ScanRequest sum_of(ValueType input, ValueType output) {
  return {
      .input_type = input, .accumulator_type = default_accumulator(input, output), .output_type = output, .n = 100000};
}

ScanRequest affine_pairs() {
  ScanRequest request = sum_of(ValueType::custom, ValueType::custom);
  request.op = Operator::custom_moderate;
  request.custom_bytes = 8;
  request.custom_alignment = 4;
  return request;
}

std::vector<Sample> default_samples(int sm) {
  std::vector<Sample> samples;
  for (const FamilyModel* family : scan_families()) {
    const auto add = [&](const ScanRequest& request, const CustomOperator* custom = nullptr) {
      if (family->unsupported_reason(request, sm) == nullptr)
        samples.push_back({request, family->default_config(request, sm), custom});
    };
    for (int type = 0; type < static_cast<int>(ValueType::custom); ++type)
      add(sum_of(static_cast<ValueType>(type), static_cast<ValueType>(type)));
    add(sum_of(ValueType::i8, ValueType::i32));
    add(sum_of(ValueType::i8, ValueType::i64));
    add(sum_of(ValueType::f16, ValueType::f32));
    add(affine_pairs(), &kAffinePairs);
  }
  return samples;
}

void compile(const Sample& sample, int sm) {
  NvrtcCompiler().compile(instantiate(sample.request, sample.config, Variant::aligned, sample.custom),
                          "sm_" + std::to_string(sm));
}

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRepeats / 2, values.end());
  return values[kRepeats / 2];
}

void print_times_of(const Sample& sample, int sm) {
  compile(sample, sm);  // includes NVRTC's own start-up
  std::vector<double> wall, cpu;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = Clock::now();
    const double cpu_before = cpu_ms();
    compile(sample, sm);
    wall.push_back(ms_since(start));
    cpu.push_back(cpu_ms() - cpu_before);
  }
  std::printf("  %-13s %6s to %-6s  %6.1f ms, of which the CPU worked %6.1f\n", sample.config.family().name(),
              token(sample.request.input_type), token(sample.request.output_type), median(wall), median(cpu));
}

// A process that compiles once, says that it is ready, waits for a signal and then compiles its share.
struct Worker {
  Worker(int sm, int first_sample) {
    if (pipe(ready) != 0 || pipe(go) != 0) std::abort();
    if ((process = fork()) != 0) return;
    const std::vector<Sample> samples = default_samples(sm);
    const auto sample = [&](int index) { return samples[static_cast<std::size_t>(index) % samples.size()]; };
    compile(sample(first_sample), sm);
    char word = 1;
    if (write(ready[1], &word, 1) != 1 || read(go[0], &word, 1) != 1) _exit(1);
    for (int index = 0; index < kSamplesPerProcess; ++index) compile(sample(first_sample + index), sm);
    _exit(0);
  }
  void wait_until_ready() const {
    char word = 0;
    if (read(ready[0], &word, 1) != 1) std::abort();
  }
  void start() const {
    const char word = 1;
    if (write(go[1], &word, 1) != 1) std::abort();
  }
  void wait_until_done() const {
    int status = 0;
    if (waitpid(process, &status, 0) != process || status != 0) std::abort();
  }

  int ready[2];
  int go[2];
  pid_t process;
};

double samples_per_second(int processes, int sm) {
  std::vector<Worker> workers;
  for (int process = 0; process < processes; ++process) workers.emplace_back(sm, process);
  for (const Worker& worker : workers) worker.wait_until_ready();
  const auto start = Clock::now();
  for (const Worker& worker : workers) worker.start();
  for (const Worker& worker : workers) worker.wait_until_done();
  return 1e3 * processes * kSamplesPerProcess / ms_since(start);
}

}  // namespace
}  // namespace scantune

int main(int count, char** arguments) {
  using namespace scantune;
  const int sm = count > 1 ? std::atoi(arguments[1]) : 90;
  // This comes before the process opens NVRTC, so that its children start without it.
  const double one = samples_per_second(1, sm), two = samples_per_second(2, sm);
  std::printf("%s, default configs to sm_%d, median of %d:\n", NvrtcCompiler().version().c_str(), sm, kRepeats);
  for (const Sample& sample : default_samples(sm)) print_times_of(sample, sm);
  std::printf("1 process: %.1f samples/s, 2 processes: %.1f samples/s (%.2f times as many)\n", one, two, two / one);
}
