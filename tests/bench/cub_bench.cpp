// Compares scantune's plans with CUB's DeviceScan and DeviceReduce, and with copies, on this machine's first GPU, in
// one run.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "bench_options.h"
#include "bench_report.h"
#include "case_runner.h"
#include "cub_libraries.h"
#include "cuda_check.h"
#include "watchdog.h"

namespace scantune::bench {
namespace {

constexpr std::chrono::minutes kCaseLimit(2);

cudaStream_t first_stream() {
  SCANTUNE_BENCH_CHECK(cudaSetDevice(0));
  SCANTUNE_BENCH_CHECK(cudaFree(nullptr));  // makes the context that the runtime then works in
  cudaStream_t stream = nullptr;
  SCANTUNE_BENCH_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

std::vector<std::string> cub_names() {
  std::vector<std::string> names;
  for (const CubLibrary& library : cub_libraries())
    if (library.role == Role::cub) names.push_back(library.name);
  return names;
}

// Runs the cases of one invocation, and keeps what is known of the run.
class Session {
 public:
  explicit Session(const BenchOptions& options)
      : options_(options),
        stream_(first_stream()),
        arena_(options.cases),
        device_(cuda_device()),
        runner_(*device_, arena_, stream_),
        facts_{provenance_of_this_run(*device_, options.report.commit), cub_names(), 0, {}} {}

  // Runs a case. Returns nothing when it fails, which is noted. Throws when the GPU is lost with it.
  std::optional<CaseResult> run(const Case& subject, const SamplingPolicy& sampling) {
    const Watchdog watchdog(case_name(subject), kCaseLimit);
    try {
      const CaseResult result = runner_.run(subject, options_.comparison, sampling);
      for (const ContenderTimes& contender : result.contenders)
        if (!contender.wrong.empty()) std::cout << contender.wrong << std::endl;
      return result;
    } catch (const Error& error) {
      facts_.failures.push_back({case_name(subject), error.what()});
      std::cout << case_name(subject) << " FAILED: " << error.what() << std::endl;
      SCANTUNE_BENCH_CHECK(cudaDeviceSynchronize());
      return std::nullopt;
    }
  }

  // Writes the results after every case, so that a run that is cut short leaves what it has.
  template <class... Results>
  void save(const Results&... results) {
    facts_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (!options_.report.json.empty()) write_json(options_.report.json, json_of(facts_, results...));
  }

  const RunFacts& facts() const { return facts_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const BenchOptions& options_;
  cudaStream_t stream_;
  Arena arena_;
  std::shared_ptr<Device> device_;
  CaseRunner runner_;
  RunFacts facts_;
};

void compare(Session& session, const BenchOptions& options) {
  const ComparisonTable table(session.facts().cubs, options.comparison.conditions);
  std::cout << "microseconds per launch, " << token(options.comparison.conditions.front())
            << "; ratios above 1: scantune is faster than the faster CUB\n"
            << table.heading() << std::endl;
  std::vector<CaseResult> results;
  for (const Case& subject : options.cases) {
    const std::optional<CaseResult> result = session.run(subject, options.sampling);
    if (result) {
      results.push_back(*result);
      std::cout << table.line(*result) << std::endl;
    }
    session.save(std::span<const CaseResult>(results));
  }
}

void draw(Session& session, const BenchOptions& options) {
  const SamplingPolicy again = second_look(options.sampling);
  std::vector<DrawResult> draws;
  for (std::size_t number = 1; number <= options.cases.size(); ++number) {
    std::optional<CaseResult> first = session.run(options.cases[number - 1], options.sampling);
    if (first) {
      draws.push_back(settled(number, *first, [&](const Case& subject) { return session.run(subject, again); }));
      std::cout << line_of(draws.back()) << std::endl;
    }
    session.save(std::span<const DrawResult>(draws), options.seed);
  }
  std::cout << "\n" << summary_of(draws);
}

// Runs all cases and returns the number of failures.
int run(const BenchOptions& options) {
  Session session(options);
  std::cout << heading_of(session.facts().provenance) << std::endl;
  options.draws ? draw(session, options) : compare(session, options);
  std::printf("%zu cases in %.0f s, %zu failed\n", options.cases.size(), session.facts().seconds,
              session.facts().failures.size());
  return static_cast<int>(session.facts().failures.size());
}

}  // namespace
}  // namespace scantune::bench

int main(int count, char** arguments) {
  const scantune::bench::BenchOptions options = scantune::bench::parse_bench_options(count, arguments);
  int code = 1;
  try {
    code = scantune::bench::run(options) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "cub_bench: " << error.what() << std::endl;
  }
  std::fflush(stdout);
  std::_Exit(code);  // destructors would wait for a kernel that still runs
}
