#include "bench_case.h"

#include <algorithm>
#include <vector>

#include "cub_scan.h"
#include "cuda_check.h"
#include "measure/rotation.h"
#include "measure/value_types.h"
#include "replayed_graph.h"
#include "scantune/runtime.hpp"

namespace scantune::bench {
namespace {

constexpr double kSamplingUs = 60'000;  // of replays per graph, in the middle of the range that follows
constexpr double kFewestReplays = 21;
constexpr double kMostReplays = 201;

Pairs first_of(Pairs pairs) {
  pairs.count = 1;
  return pairs;
}

using Enqueue = std::function<void(cudaStream_t, const void* input, void* output)>;

ReplayedGraph graph_over(const Pairs& pairs, cudaStream_t stream, int launches, const Enqueue& enqueue) {
  return {stream, launches,
          [&](cudaStream_t capturing, int launch) { enqueue(capturing, pairs.input(launch), pairs.output(launch)); }};
}

// The same launches, cold and hot.
struct Contender {
  Contender(const Pairs& pairs, cudaStream_t stream, int launches, const Enqueue& enqueue)
      : cold(graph_over(pairs, stream, launches, enqueue)),
        hot(graph_over(first_of(pairs), stream, launches, enqueue)) {}

  void sample() {
    cold.sample();
    hot.sample();
  }
  Times times() const { return {cold.median_us(), hot.median_us()}; }

  ReplayedGraph cold;
  ReplayedGraph hot;
};

void check_contender(const char* who, const Contender& contender, const Reference& reference, const InputSpec& input,
                     const Pairs& pairs) {
  poison_outputs(input, pairs);
  contender.cold.replay();
  check_outputs(who, reference, input, pairs);
}

Enqueue copying(const CopyKernel& copy, u64 bytes) {
  return [&copy, bytes](cudaStream_t stream, const void* input, void* output) {
    copy.enqueue(input, output, bytes, stream);
  };
}

// The copy kernel that is fastest in a few replays.
const CopyKernel& fastest(std::span<const CopyKernel> copies, u64 bytes, const Pairs& pairs, cudaStream_t stream,
                          int launches) {
  const CopyKernel* best = nullptr;
  double best_us = 0;
  for (const CopyKernel& copy : copies) {
    ReplayedGraph graph = graph_over(pairs, stream, launches, copying(copy, bytes));
    for (int replay = 0; replay < 5; ++replay) graph.sample();
    if (best == nullptr || graph.median_us() < best_us) {
      best = &copy;
      best_us = graph.median_us();
    }
  }
  return *best;
}

template <class T>
Enqueue cub_scan(void* temporary, std::size_t temporary_bytes, u64 n) {
  return [=](cudaStream_t stream, const void* input, void* output) {
    std::size_t bytes = temporary_bytes;
    SCANTUNE_BENCH_CHECK(
        cub_inclusive_sum<T>(temporary, bytes, static_cast<const T*>(input), static_cast<T*>(output), n, stream));
  };
}

template <class T>
CaseResult run_typed(ValueType type, u64 n, const Arena& arena, std::span<const CopyKernel> copies,
                     cudaStream_t stream) {
  const int launches = launches_per_graph(n);
  const u64 bytes = n * sizeof(T);
  const Pairs pairs = arena.pairs(bytes, launches);
  const InputSpec input{.type = type, .op = Operator::sum, .n = n, .seed = n};
  const ScanRequest request{.input_type = type, .accumulator_type = type, .output_type = type, .n = n};
  upload(input, pairs);

  const auto plan = runtime::plan<T>(n, {.captured_launches = 2 * launches});
  Contender scantune(pairs, stream, launches, [&](cudaStream_t capturing, const void* from, void* to) {
    plan(static_cast<const T*>(from), static_cast<T*>(to), capturing);
  });
  std::size_t temporary_bytes = 0;
  SCANTUNE_BENCH_CHECK(cub_inclusive_sum<T>(nullptr, temporary_bytes, nullptr, nullptr, n, stream));
  const GpuMemory temporary(std::max<std::size_t>(1, temporary_bytes));
  const Enqueue cub_enqueue = cub_scan<T>(temporary.data(), temporary_bytes, n);
  cub_enqueue(stream, pairs.input(0), pairs.output(0));  // loads its kernels, which a capture is no time for
  SCANTUNE_BENCH_CHECK(cudaStreamSynchronize(stream));
  Contender cub(pairs, stream, launches, cub_enqueue);

  const auto reference = make_reference(request, input);
  check_contender("scantune", scantune, *reference, input, pairs);
  check_contender("CUB", cub, *reference, input, pairs);

  const CopyKernel& copy_kernel = fastest(copies, bytes, pairs, stream, launches);
  Contender copy(pairs, stream, launches, copying(copy_kernel, bytes));
  cub.cold.sample();
  const double wanted = kSamplingUs / (cub.cold.median_us() * launches);
  const int replays = static_cast<int>(std::clamp(wanted, kFewestReplays, kMostReplays));
  for (int replay = 0; replay < replays; ++replay)
    for (Contender* contender : {&scantune, &cub, &copy}) contender->sample();
  return {
      type,           n, launches, pairs.count, scantune.cold.samples(), scantune.times(), cub.times(), copy.times(),
      plan.describe()};
}

}  // namespace

Arena::Arena(u64 most_bytes)
    : half_bytes_(std::max(round_up(most_bytes, 256), kRotationBytes / 2)), memory_(2 * half_bytes_) {}

Pairs Arena::pairs(u64 bytes, int launches) const {
  const u64 stride = round_up(bytes, 256);
  const u64 fitting = kRotationBytes / (2 * stride);
  return {memory_.data(), memory_.data() + half_bytes_, stride,
          static_cast<int>(std::clamp<u64>(fitting, 1, static_cast<u64>(launches)))};
}

CaseResult run_case(ValueType type, u64 n, const Arena& arena, std::span<const CopyKernel> copies,
                    cudaStream_t stream) {
  switch (type) {
    case ValueType::i32:
      return run_typed<i32>(type, n, arena, copies, stream);
    case ValueType::i64:
      return run_typed<i64>(type, n, arena, copies, stream);
    case ValueType::f32:
      return run_typed<f32>(type, n, arena, copies, stream);
    case ValueType::f64:
      return run_typed<f64>(type, n, arena, copies, stream);
    default:
      throw RequestError(std::string("no comparison is built for ") + token(type));
  }
}

}  // namespace scantune::bench
