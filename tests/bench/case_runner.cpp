#include "case_runner.h"

#include <algorithm>
#include <memory>
#include <set>

#include "contender_check.h"
#include "cub_libraries.h"
#include "cuda_check.h"
#include "measure/rotation.h"
#include "measure/value_types.h"
#include "own_plan.h"
#include "reduction_check.h"

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
  return {Role::scantune, "scantune", [&plan](const void* input, void* output, cudaStream_t stream) {
            plan.run(input, output, index_beside(output), stream);
          }};
}

// CUB as a contender, which owns its temporary memory. call(temporary, bytes, input, output, stream) is CUB's call.
template <class Call>
Contender contender_of(const CubLibrary& library, const Call& call, cudaStream_t stream) {
  std::size_t bytes = 0;
  SCANTUNE_BENCH_CHECK(call(nullptr, bytes, nullptr, nullptr, stream));
  const auto temporary = std::make_shared<const GpuMemory>(std::max<std::size_t>(1, bytes));
  return {library.role, library.name, [=](const void* input, void* output, cudaStream_t capturing) {
            std::size_t enough = bytes;
            SCANTUNE_BENCH_CHECK(call(temporary->data(), enough, input, output, capturing));
          }};
}

// `init` must outlive the contenders.
std::vector<Contender> scans_of(const ScanRequest& request, const OwnPlan& plan, const InitialValue& init,
                                bool with_others, cudaStream_t stream) {
  std::vector<Contender> contenders = {contender_of(plan)};
  for (const CubLibrary& library : cub_libraries()) {
    const CubScan scan = with_others || library.role == Role::cub ? library.find(request) : nullptr;
    if (scan == nullptr) continue;
    const auto call = [scan, n = request.n, &init](void* temporary, std::size_t& bytes, const void* input, void* output,
                                                   cudaStream_t on) {
      return scan(temporary, bytes, input, output, n, init.item, on);
    };
    contenders.push_back(contender_of(library, call, stream));
  }
  return contenders;
}

std::vector<Contender> reductions_of(const ReduceRequest& request, const OwnPlan& plan, cudaStream_t stream) {
  std::vector<Contender> contenders = {contender_of(plan)};
  for (const CubLibrary& library : cub_libraries()) {
    const CubReduce reduce = library.find_reduction(request);
    if (reduce == nullptr) continue;
    const auto call = [reduce, n = request.n](void* temporary, std::size_t& bytes, const void* input, void* output,
                                              cudaStream_t on) {
      u64* const index = output == nullptr ? nullptr : index_beside(output);
      return reduce(temporary, bytes, input, output, index, n, on);
    };
    contenders.push_back(contender_of(library, call, stream));
  }
  return contenders;
}

// Removes the wrong contenders and returns what is reported of them. Throws DeviceError when scantune is one of them.
std::vector<ContenderTimes> without_wrong(std::vector<Contender>& contenders, const std::vector<std::string>& wrong) {
  std::vector<ContenderTimes> dropped;
  std::vector<Contender> right;
  for (std::size_t one = 0; one < contenders.size(); ++one) {
    if (wrong[one].empty()) {
      right.push_back(std::move(contenders[one]));
      continue;
    }
    if (contenders[one].role == Role::scantune) throw DeviceError(wrong[one]);
    dropped.push_back({contenders[one].role, contenders[one].name, {}, wrong[one]});
  }
  contenders = std::move(right);
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

struct Round {
  const Case& subject;
  const Comparison& comparison;
  const SamplingPolicy& policy;
  const Setting& setting;
};

CaseResult timed(const Round& round, std::span<const Contender> contenders, std::span<const ContenderTimes> dropped,
                 const std::string& chosen) {
  TimedInTurn result = time_in_turn(contenders, round.comparison.conditions, round.setting, round.policy);
  result.times.insert(result.times.end(), dropped.begin(), dropped.end());
  return {round.subject, round.setting.launches, round.setting.pairs.count(), result.samples, result.times, chosen};
}

std::size_t fastest_of(std::span<const ContenderTimes> all, Condition condition) {
  const auto time_us = [&](const ContenderTimes& one) { return one.times.at(condition).median_us; };
  return static_cast<std::size_t>(std::ranges::min_element(all, {}, time_us) - all.begin());
}

}  // namespace

CaseResult CaseRunner::run(const Case& subject, const Comparison& comparison, const SamplingPolicy& policy) {
  const int launches = launches_per_graph(subject.request.n);
  const Pairs pairs = arena_.pairs(subject, launches);
  const Setting setting{pairs, launches, stream_};
  const InputSpec input{.request = subject.request, .seed = subject.request.n};
  upload(input, pairs, stream_);
  // There is one graph for each condition, and one for each turn of the check, whose memory may come back late.
  const auto graphs = static_cast<int>(comparison.conditions.size() + cub_libraries().size() + 1);

  if (subject.is_reduction()) {
    const auto request = typed<ReduceRequest>(subject.request);
    const OwnPlan plan(request, graphs * launches);
    std::vector<Contender> contenders = reductions_of(request, plan, stream_);
    const auto dropped = without_wrong(contenders, check_reductions(contenders, subject, input, setting));
    return timed({subject, comparison, policy, setting}, contenders, dropped, plan.description());
  }
  const auto request = typed<ScanRequest>(subject.request);
  const InitialValue init(request);
  const OwnPlan plan(request, request.has_init() ? init.accumulator : nullptr, graphs * launches);
  std::vector<Contender> contenders = scans_of(request, plan, init, comparison.with_others, stream_);
  const std::vector<std::string> wrong = check_scans(contenders, input, arena_.expected(subject, launches), setting);
  const auto dropped = without_wrong(contenders, wrong);
  if (comparison.with_others) add_copies(contenders, request, comparison.conditions, setting);
  return timed({subject, comparison, policy, setting}, contenders, dropped, plan.description());
}

// Adds the copy that a short measurement finds fastest, for each condition.
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
