#include "case_runner.h"

#include <algorithm>
#include <memory>
#include <set>

#include "cub_libraries.h"
#include "cuda_check.h"
#include "measure/rotation.h"
#include "measure/value_types.h"
#include "own_plan.h"
#include "scan_check.h"

namespace scantune::bench {
namespace {

constexpr SamplingPolicy kCopyProbes{.graph_ms = 0, .fewest = 5, .most = 5};

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

// Takes the wrong scans out. Returns what the report says of them. Throws DeviceError when scantune is one of them.
std::vector<ContenderTimes> without_wrong(std::vector<Contender>& scans, const std::vector<std::string>& wrong) {
  std::vector<ContenderTimes> dropped;
  std::vector<Contender> right;
  for (std::size_t scan = 0; scan < scans.size(); ++scan) {
    if (wrong[scan].empty()) {
      right.push_back(std::move(scans[scan]));
      continue;
    }
    if (scans[scan].role == Role::scantune) throw DeviceError(wrong[scan]);
    dropped.push_back({scans[scan].role, scans[scan].name, {}, wrong[scan]});
  }
  scans = std::move(right);
  return dropped;
}

Contender contender_of(const PreparedConfig& copy) {
  return {Role::copy, to_string(copy.config()), [&copy](const void* input, void* output, cudaStream_t stream) {
            copy.enqueue({input, output}, copy.request().n, nullptr, stream);
          }};
}

Contender memcpy_of(u64 bytes) {
  return {Role::memcpy, "cudaMemcpyAsync", [bytes](const void* input, void* output, cudaStream_t stream) {
            SCANTUNE_BENCH_CHECK(cudaMemcpyAsync(output, input, bytes, cudaMemcpyDeviceToDevice, stream));
          }};
}

std::size_t fastest_of(std::span<const ContenderTimes> all, Condition condition) {
  const auto time_us = [&](const ContenderTimes& one) { return one.times.at(condition).median_us; };
  return static_cast<std::size_t>(std::ranges::min_element(all, {}, time_us) - all.begin());
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
  // One for each condition, and one for each turn of the check, whose memory may come back late.
  const auto graphs = static_cast<int>(comparison.conditions.size() + cub_libraries().size() + 1);
  const OwnPlan plan(request, request.has_init() ? init.accumulator : nullptr, graphs * launches);
  std::vector<Contender> contenders = scans_of(request, plan, init, comparison.with_others, stream_);
  const std::vector<std::string> wrong = check_scans(contenders, input, arena_.expected(subject, launches), setting);
  const std::vector<ContenderTimes> dropped = without_wrong(contenders, wrong);
  if (comparison.with_others) add_copies(contenders, request, comparison.conditions, setting);
  TimedInTurn result = time_in_turn(contenders, comparison.conditions, setting, policy);
  result.times.insert(result.times.end(), dropped.begin(), dropped.end());
  return {subject, launches, pairs.count(), result.samples, result.times, plan.description()};
}

// The copy that a short measurement finds fastest, for each condition.
void CaseRunner::add_copies(std::vector<Contender>& contenders, const ScanRequest& request,
                            std::span<const Condition> conditions, const Setting& setting) {
  std::vector<Contender> copies;
  for (const PreparedConfig& copy : copies_of(request)) copies.push_back(contender_of(copy));
  if (copies.empty()) return;
  const TimedInTurn probed = time_in_turn(copies, conditions, setting, kCopyProbes);
  std::set<std::size_t> fastest;
  for (const Condition condition : conditions) fastest.insert(fastest_of(probed.times, condition));
  for (const std::size_t copy : fastest) contenders.push_back(copies[copy]);
  if (request.input_bytes() == request.output_bytes())
    contenders.push_back(memcpy_of(request.n * static_cast<u64>(request.input_bytes())));
}

std::span<const PreparedConfig> CaseRunner::copies_of(const ScanRequest& request) {
  copies_.clear();
  const auto copy = copy_beside(request);
  if (!copy) return {};
  for (const Config& config : ceiling_configs(*copy, device_.identity())) copies_.emplace_back(device_, *copy, config);
  return copies_;
}

}  // namespace scantune::bench
