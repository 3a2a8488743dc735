#include "bench_case.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "cuda_check.h"
#include "measure/copy_kernel.h"
#include "measure/rotation.h"
#include "replayed_graph.h"
#include "scantune/scantune.h"

namespace scantune::bench {
namespace {

constexpr double kSamplingUs = 60'000;  // of replays per graph, in the middle of the range that follows
constexpr double kFewestReplays = 21;
constexpr double kMostReplays = 201;

using Enqueue = std::function<void(cudaStream_t, const void* input, void* output)>;

// Over the first `buffers` pairs in turn.
ReplayedGraph graph_over(const Pairs& pairs, int buffers, cudaStream_t stream, int launches, const Enqueue& enqueue) {
  return {stream, launches, [&](cudaStream_t capturing, int launch) {
            enqueue(capturing, pairs.inputs[launch % buffers], pairs.outputs[launch % buffers]);
          }};
}

// The same launches, cold and hot.
struct Contender {
  Contender(const Pairs& pairs, cudaStream_t stream, int launches, const Enqueue& enqueue)
      : cold(graph_over(pairs, pairs.count(), stream, launches, enqueue)),
        hot(graph_over(pairs, 1, stream, launches, enqueue)) {}

  void sample() {
    cold.sample();
    hot.sample();
  }
  Times times() const { return {cold.median_us(), hot.median_us()}; }

  ReplayedGraph cold;
  ReplayedGraph hot;
};

void check_contender(const char* who, const Contender& contender, const Reference& reference, const Pairs& pairs) {
  poison_outputs(pairs);
  contender.cold.replay();
  check_outputs(who, reference, pairs);
}

Enqueue copying(const CopyKernel& copy, u64 n) {
  return [&copy, n](cudaStream_t stream, const void* input, void* output) { copy.enqueue(input, output, n, stream); };
}

// The copy kernel that is fastest in a few replays.
const CopyKernel& fastest(std::span<const CopyKernel> copies, u64 n, const Pairs& pairs, cudaStream_t stream,
                          int launches) {
  const CopyKernel* best = nullptr;
  double best_us = 0;
  for (const CopyKernel& copy : copies) {
    ReplayedGraph graph = graph_over(pairs, pairs.count(), stream, launches, copying(copy, n));
    for (int replay = 0; replay < 5; ++replay) graph.sample();
    if (best == nullptr || graph.median_us() < best_us) {
      best = &copy;
      best_us = graph.median_us();
    }
  }
  return *best;
}

// A plan as callers make it.
class Plan {
 public:
  Plan(const ScanRequest& request, int captured_launches) {
    scantune_problem problem = SCANTUNE_PROBLEM_INIT;
    problem.n = request.n;
    problem.input_type = spelled(request.input_type);
    problem.accumulator_type = spelled(request.accumulator_type);
    problem.output_type = spelled(request.output_type);
    problem.op = static_cast<scantune_operator>(request.op);
    problem.captured_launches = captured_launches;
    check(scantune_plan_create(&problem, &plan_));
  }
  ~Plan() { scantune_plan_destroy(plan_); }
  Plan(const Plan&) = delete;

  void run(const void* input, void* output, cudaStream_t stream) const {
    check(scantune_plan_run(plan_, input, output, stream));
  }
  std::string description() const { return scantune_plan_description(plan_); }

 private:
  static scantune_type spelled(ValueType type) { return static_cast<scantune_type>(static_cast<int>(type) + 1); }
  static void check(scantune_status status) {
    if (status != SCANTUNE_OK) throw Error(scantune_error_message());
  }

  scantune_plan* plan_ = nullptr;
};

Enqueue scanning(CubScan cub, const GpuMemory& temporary, std::size_t temporary_bytes, u64 n) {
  return [=, &temporary](cudaStream_t stream, const void* input, void* output) {
    std::size_t bytes = temporary_bytes;
    SCANTUNE_BENCH_CHECK(cub(temporary.data(), bytes, input, output, n, stream));
  };
}

std::size_t temporary_bytes_of(CubScan cub, u64 n, cudaStream_t stream) {
  std::size_t bytes = 0;
  SCANTUNE_BENCH_CHECK(cub(nullptr, bytes, nullptr, nullptr, n, stream));
  return std::max<std::size_t>(1, bytes);
}

}  // namespace

CaseResult run_case(const ScanRequest& request, CubScan cub_scan, const Arena& arena, Device& device,
                    cudaStream_t stream) {
  const u64 n = request.n;
  const int launches = launches_per_graph(n);
  const Pairs pairs = arena.pairs(request, launches);
  const InputSpec input{.request = request, .seed = n};
  upload(input, pairs);

  const Plan plan(request, 2 * launches);
  Contender scantune(pairs, stream, launches,
                     [&](cudaStream_t capturing, const void* from, void* to) { plan.run(from, to, capturing); });
  const std::size_t temporary_bytes = temporary_bytes_of(cub_scan, n, stream);
  const GpuMemory temporary(temporary_bytes);
  const Enqueue cub_enqueue = scanning(cub_scan, temporary, temporary_bytes, n);
  cub_enqueue(stream, pairs.inputs[0], pairs.outputs[0]);  // loads its kernels, which a capture is no time for
  SCANTUNE_BENCH_CHECK(cudaStreamSynchronize(stream));
  Contender cub(pairs, stream, launches, cub_enqueue);

  const auto reference = make_reference(input);
  check_contender("scantune", scantune, *reference, pairs);
  check_contender("CUB", cub, *reference, pairs);

  const std::vector<CopyKernel> copies = CopyKernel::all(device, request.input_bytes(), request.output_bytes());
  Contender copy(pairs, stream, launches, copying(fastest(copies, n, pairs, stream, launches), n));
  cub.cold.sample();
  const double wanted = kSamplingUs / (cub.cold.median_us() * launches);
  const int replays = static_cast<int>(std::clamp(wanted, kFewestReplays, kMostReplays));
  for (int replay = 0; replay < replays; ++replay)
    for (Contender* contender : {&scantune, &cub, &copy}) contender->sample();
  return {request,          launches,    pairs.count(), scantune.cold.samples(),
          scantune.times(), cub.times(), copy.times(),  plan.description()};
}

}  // namespace scantune::bench
