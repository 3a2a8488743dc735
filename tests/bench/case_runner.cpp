#include "case_runner.h"

#include <algorithm>
#include <memory>

#include "cub_libraries.h"
#include "cuda_check.h"
#include "measure/rotation.h"
#include "measure/value_types.h"
#include "own_plan.h"

namespace scantune::bench {
namespace {

constexpr int kCopyProbes = 5;

// The initial value of an exclusive scan, as scantune and as CUB takes it.
struct InitialValue {
  explicit InitialValue(const ScanRequest& request) {
    fill_init(request, accumulator);
    convert(request.accumulator_type, reinterpret_cast<const std::byte*>(accumulator), request.input_type,
            reinterpret_cast<std::byte*>(item));
  }

  alignas(16) unsigned char accumulator[kMaxValueBytes] = {};
  alignas(16) unsigned char item[kMaxValueBytes] = {};
};

Contender contender_of(const OwnPlan& plan) {
  return {Role::scantune, "scantune",
          [&plan](const void* input, void* output, cudaStream_t stream) { plan.run(input, output, stream); }};
}

// Owns its temporary memory. init must outlive it.
Contender contender_of(const CubLibrary& library, const ScanRequest& request, const InitialValue& init,
                       cudaStream_t stream) {
  const CubScan scan = library.find(request);
  std::size_t bytes = 0;
  SCANTUNE_BENCH_CHECK(scan(nullptr, bytes, nullptr, nullptr, request.n, nullptr, stream));
  const auto temporary = std::make_shared<const GpuMemory>(std::max<std::size_t>(1, bytes));
  return {library.role, library.name,
          [=, n = request.n, &init](const void* input, void* output, cudaStream_t capturing) {
            std::size_t enough = bytes;
            SCANTUNE_BENCH_CHECK(scan(temporary->data(), enough, input, output, n, init.item, capturing));
          }};
}

std::vector<Contender> scans_of(const ScanRequest& request, const OwnPlan& plan, const InitialValue& init,
                                bool with_others, cudaStream_t stream) {
  std::vector<Contender> contenders = {contender_of(plan)};
  for (const CubLibrary& library : cub_libraries())
    if ((with_others || library.role == Role::cub) && library.find(request) != nullptr)
      contenders.push_back(contender_of(library, request, init, stream));
  return contenders;
}

// The toolkit's CUB is checked by the CPU, everything else against that, in all buffers.
void check_scans(std::span<const Contender> scans, const InputSpec& input, std::byte* expected,
                 const Setting& setting) {
  const Contender& judged = *std::ranges::find_if(scans, [](const Contender& scan) { return scan.role == Role::cub; });
  judged.enqueue(setting.pairs.inputs[0], expected, setting.stream);
  SCANTUNE_BENCH_CHECK(cudaStreamSynchronize(setting.stream));
  check_output(judged.name, input, *make_reference(input), expected);
  for (const Contender& scan : scans) {
    // Outside a graph first: kernels load then, for which a capture is no time.
    scan.enqueue(setting.pairs.inputs[0], setting.pairs.outputs[0], setting.stream);
    poison_outputs(setting.pairs, setting.stream);
    const ReplayedGraph graph = graph_of(scan, Condition::cold, setting);
    graph.replay();
    check_outputs(scan.name, input, expected, setting.pairs, setting.stream);
  }
}

Contender contender_of(const CopyKernel& copy, u64 n) {
  return {Role::copy, copy.name(),
          [&copy, n](const void* input, void* output, cudaStream_t stream) { copy.enqueue(input, output, n, stream); }};
}

Contender memcpy_of(u64 bytes) {
  return {Role::memcpy, "cudaMemcpyAsync", [bytes](const void* input, void* output, cudaStream_t stream) {
            SCANTUNE_BENCH_CHECK(cudaMemcpyAsync(output, input, bytes, cudaMemcpyDeviceToDevice, stream));
          }};
}

}  // namespace

CaseResult CaseRunner::run(const Case& subject, const Comparison& comparison, const SamplingPolicy& policy) {
  const ScanRequest& request = subject.request;
  const int launches = launches_per_graph(request.n);
  const Pairs pairs = arena_.pairs(subject, launches);
  const Setting setting{pairs, launches, stream_};
  const InputSpec input{.request = request, .seed = request.n};
  upload(input, pairs, stream_);

  const InitialValue init(request);
  const auto graphs = static_cast<int>(comparison.conditions.size()) + 1;
  const OwnPlan plan(request, request.has_init() ? init.accumulator : nullptr, graphs * launches);
  std::vector<Contender> contenders = scans_of(request, plan, init, comparison.with_others, stream_);
  check_scans(contenders, input, arena_.expected(subject, launches), setting);
  if (comparison.with_others) add_copies(contenders, request, setting);
  const ContestResult result = contest(contenders, comparison.conditions, setting, policy);
  return {subject, launches, pairs.count(), result.samples, result.times, plan.description()};
}

void CaseRunner::add_copies(std::vector<Contender>& contenders, const ScanRequest& request, const Setting& setting) {
  contenders.push_back(contender_of(fastest_copy(request, setting), request.n));
  if (request.input_bytes() == request.output_bytes())
    contenders.push_back(memcpy_of(request.n * static_cast<u64>(request.input_bytes())));
}

// In a few replays.
const CopyKernel& CaseRunner::fastest_copy(const ScanRequest& request, const Setting& setting) {
  const int input_bytes = request.input_bytes(), output_bytes = request.output_bytes();
  std::vector<CopyKernel>& copies = copies_[{input_bytes, output_bytes}];
  if (copies.empty()) copies = CopyKernel::all(device_, input_bytes, output_bytes);
  const CopyKernel* fastest = nullptr;
  double least_us = 0;
  for (const CopyKernel& copy : copies) {
    const ReplayedGraph graph = graph_of(contender_of(copy, request.n), Condition::cold, setting);
    std::vector<double> samples_us;
    for (int probe = 0; probe < kCopyProbes; ++probe) samples_us.push_back(graph.time_us());
    const double median_us = time_of(samples_us).median_us;
    if (fastest != nullptr && median_us >= least_us) continue;
    fastest = &copy;
    least_us = median_us;
  }
  return *fastest;
}

}  // namespace scantune::bench
