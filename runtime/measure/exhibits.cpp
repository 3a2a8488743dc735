#include "measure/exhibits.h"

#include <numeric>

#include "instantiation/instantiation.h"
#include "launch/loading.h"
#include "measure/device_buffer.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr const char* kHeader = "gallery/races.h";

template <class Typed>
Request request_of_u32(u64 n) {
  Typed request;
  request.input_type = request.accumulator_type = request.output_type = ValueType::u32;
  request.init = Init::none;
  request.n = n;
  return request;
}

// Loaded kernels that sum up or scan the numbers 1 to n.
class ExhibitRun {
 public:
  ExhibitRun(HostDevice& device, const Config& config, const Request& request, const Instantiation& kernels)
      : device_(device),
        is_scan_(&config.family().algorithm() == &algorithm_of<ScanRequest>()),
        items_(request.n),
        input_(device, request.n * sizeof(u32)),
        output_(device, (is_scan_ ? request.n : 1) * sizeof(u32)),
        workspace_(device, config.family().workspace(config, request).bytes),
        module_(device.load(device.compiler().compile(kernels, device.identity().arch), kernels.kernels,
                            max_shared_bytes(config, request, Variant::aligned))) {
    std::iota(items_.begin(), items_.end(), u32{1});
    device.upload(input_.data(), items_.data(), request.n * sizeof(u32));
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::input, input_.data());
    arguments.set_operand(OperandRole::output, output_.data());
    arguments.workspace = workspace_.data();
    const LaunchList list = config.family().launches(config, request, Variant::aligned);
    for (int index = 0; index < list.count; ++index)
      launches_.push_back({module_.get(), list.launches[index], arguments});
  }

  // What is wrong under a schedule; empty if nothing is.
  std::string fault(const Schedule& schedule) {
    std::vector<u32> results(is_scan_ ? items_.size() : 1);
    device_.fill(output_.data(), std::byte{0xa5}, results.size() * sizeof(u32));
    try {
      device_.run(launches_, schedule);
    } catch (const DeviceError& error) {
      return error.what();
    }
    device_.download(results.data(), output_.data(), results.size() * sizeof(u32));
    for (u64 index = 0; index < results.size(); ++index) {
      const u64 last = is_scan_ ? index + 1 : items_.size();
      if (const u64 sum = last * (last + 1) / 2; results[index] != sum)
        return (is_scan_ ? "item " + std::to_string(index) : std::string("the sum")) + " should be " +
               std::to_string(sum) + ", found " + std::to_string(results[index]);
    }
    return {};
  }

 private:
  HostDevice& device_;
  bool is_scan_;
  std::vector<u32> items_;
  DeviceBuffer input_, output_, workspace_;
  std::unique_ptr<Module> module_;
  std::vector<HostLaunch> launches_;
};

}  // namespace

std::span<const Exhibit> exhibits() {
  static const std::vector<Exhibit> kAll = {
      {"one_barrier",
       "shared_single",
       "no barrier between reading a step's items and overwriting them",
       {"one_barrier"},
       100},
      {"tree_without_barriers",
       "sum_two_pass",
       "no barrier between the steps of the tree",
       {"tree_without_barriers", "add_sums"},
       1000},
      {"warp_without_barriers",
       "sum_two_pass_warp",
       "no barrier, and no shuffle, between the last steps of the tree, which stay within a warp",
       {"warp_without_barriers", "add_sums"},
       1000},
  };
  return kAll;
}

ExhibitRuns run_exhibit(HostDevice& device, const Exhibit& exhibit, u64 seed, int schedules) {
  const FamilyModel& family = *find_family(exhibit.family);
  const Request request = &family.algorithm() == &algorithm_of<ScanRequest>()
                              ? request_of_u32<ScanRequest>(exhibit.n)
                              : request_of_u32<ReduceRequest>(exhibit.n);
  const Config config = family.default_config(request, kHostSm);
  ExhibitRun racing(device, config, request, instantiate_in_place(request, config, kHeader, exhibit.kernels));
  ExhibitRun mended(device, config, request, instantiate(request, config, Variant::aligned));
  ExhibitRuns runs;
  runs.schedules = schedules;
  for (u64 drawn = seed; drawn < seed + static_cast<u64>(schedules); ++drawn) {
    const Schedule schedule = Schedule::from_seed(drawn);
    runs.wrong_of_family += !mended.fault(schedule).empty();
    const std::string fault = racing.fault(schedule);
    if (fault.empty()) continue;
    ++runs.wrong;
    if (!runs.first) runs.first = ShownFault{drawn, to_string(schedule), fault};
  }
  return runs;
}

}  // namespace scantune
