#include "gallery_steps.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "counted_operations.h"
#include "families_under_test.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

// What is drawn. CTAs are smaller than any that a program runs, so that a few items are several blocks.
struct Drawn {
  const char* family;
  u64 n;
  std::vector<std::pair<const char*, int>> values;
};
const std::vector<Drawn> kDrawn = {
    {"serial", 16, {}},
    {"quadratic", 16, {{"block_threads", 32}}},
    {"naive_global", 16, {{"block_threads", 32}}},
    {"shared_single", 16, {{"block_threads", 32}}},
    {"shared_double", 16, {{"block_threads", 32}}},
    {"warp_shuffle", 64, {{"block_threads", 64}}},
    {"batch", 32, {{"block_threads", 32}, {"items_per_thread", 4}}},
    {"vector", 32, {{"block_threads", 32}, {"items_per_thread", 4}}},
    {"kogge_stone", 16, {{"block_threads", 32}}},
    {"brent_kung", 16, {{"block_threads", 32}}},
    {"hybrid", 64, {{"block_threads", 32}}},
    {"work_inefficient", 16, {{"block_threads", 32}}},
    {"work_efficient", 16, {{"block_threads", 32}}},
    {"converted", 16, {{"block_threads", 32}}},
    {"scan_then_add", 16, {{"block_threads", 4}, {"block_scan", 0}}},
    {"reduce_then_scan", 16, {{"block_threads", 4}, {"block_scan", 0}}},
    {"chained", 96, {{"block_threads", 32}, {"items_per_thread", 1}}},
    {"fenwick", 16, {{"block_threads", 4}, {"shuffles", 0}}},
    {"sum_two_pass", 16, {{"block_threads", 4}}},
    {"sum_two_pass_warp", 128, {{"block_threads", 64}}},
    {"sum_atomic", 128, {{"block_threads", 64}}},
    {"sum_batch", 32, {{"block_threads", 32}, {"items_per_thread", 2}}},
    {"sum_vector", 32, {{"block_threads", 32}, {"items_per_thread", 4}}},
};

template <class Typed>
Typed request_of_u32(u64 n) {
  Typed request;
  request.input_type = request.accumulator_type = request.output_type = ValueType::u32;
  request.init = Init::none;
  request.n = n;
  return request;
}

Config config_of(const FamilyModel& family, const Request& request, const Drawn& drawn) {
  Config config = family.default_config(request, kHostSm);
  for (const auto& [name, value] : drawn.values)
    for (std::size_t index = 0; index < family.parameters().size(); ++index)
      if (std::string_view(family.parameters()[index].name) == name) config[static_cast<int>(index)] = value;
  return config;
}

std::vector<CountedOperation> operations_of(const FamilyModel& family, const Request& request, const Config& config) {
  HostDevice device;
  ScanKernels kernels;
  const Module& module = kernels.get(with_counted_operations(instantiate(request, config, Variant::aligned)));
  if (is_rehearsal()) return {};
  const GuardedMemory input(device, request.n * sizeof(u32)), output(device, request.n * sizeof(u32));
  for (u64 column = 0; column < request.n; ++column) {
    const u32 item = CountedValue{static_cast<u32>(column), 0}.word();
    std::memcpy(input.data() + column * sizeof item, &item, sizeof item);
  }
  const Workspace workspace(device, family.workspace(config, request));
  const LaunchList list = family.launches(config, request, Variant::aligned);
  std::vector<HostLaunch> launches;
  for (int index = 0; index < list.count; ++index) {
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::input, input.data());
    arguments.set_operand(OperandRole::output, output.data());
    arguments.workspace = workspace.data();
    launches.push_back({&module, list.launches[index], arguments});
  }
  counted_operations().clear();
  device.run(launches, Schedule::from_seed(0));
  return std::exchange(counted_operations(), {});
}

std::string line_of(const Drawn& drawn) {
  const FamilyModel& family = *find_family(drawn.family);
  const bool is_sum = &family.algorithm() == &algorithm_of<ReduceRequest>();
  const Request request =
      is_sum ? Request(request_of_u32<ReduceRequest>(drawn.n)) : Request(request_of_u32<ScanRequest>(drawn.n));
  const Config config = config_of(family, request, drawn);
  std::vector<CountedOperation> all = operations_of(family, request, config);
  const auto place = [](const CountedOperation& one) {
    return std::tuple(std::max(one.earlier.step, one.later.step), one.later.column, one.earlier.column,
                      one.earlier.step, one.later.step);
  };
  std::ranges::sort(all, [&](const auto& one, const auto& other) { return place(one) < place(other); });
  std::string text = "{\"family\": \"" + std::string(drawn.family) + "\", \"config\": \"" + to_string(config) +
                     "\", \"n\": " + std::to_string(drawn.n) + ", \"kind\": \"" + (is_sum ? "sum" : "scan") +
                     "\", \"operations\": [";
  for (const CountedOperation& one : all) {
    text += &one == all.data() ? "[" : ", [";
    text += std::to_string(one.earlier.column) + ", " + std::to_string(one.earlier.step) + ", " +
            std::to_string(one.later.column) + ", " + std::to_string(one.later.step) + "]";
  }
  return text + "]}\n";
}

}  // namespace

std::string gallery_steps() {
  std::string text;
  for (const Drawn& drawn : kDrawn) text += line_of(drawn);
  return text;
}

}  // namespace scantune
