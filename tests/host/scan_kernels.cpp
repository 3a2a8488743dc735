#include "scan_kernels.h"

#include <cstring>
#include <stdexcept>

#include "scantune/error.hpp"

namespace scantune {

const Module& ScanKernels::get(const Instantiation& instantiation) {
  std::unique_ptr<Module>& module = modules_[instantiation.source];
  if (module == nullptr)
    module = device_.load(device_.compiler().compile(instantiation, "host"), instantiation.kernels, {});
  return *module;
}

Workspace::Workspace(HostDevice& device, const WorkspaceNeed& need)
    : device_(device), memory_(device.allocate(need.bytes)) {
  if (need.kind != WorkspaceKind::scratch) device.zero(memory_, need.bytes);
}

std::vector<HostLaunch> scan_launches(const Module& module, const Config& config, const ScanRequest& request,
                                      const ScanBuffers& buffers, u64 first_item) {
  KernelArguments arguments{};
  const u64 skipped = first_item * static_cast<u64>(request.accumulator_bytes());
  arguments.input = reinterpret_cast<const void*>(reinterpret_cast<u64>(buffers.input) - skipped);
  arguments.output = reinterpret_cast<void*>(reinterpret_cast<u64>(buffers.output) - skipped);
  arguments.workspace = buffers.workspace;
  if (buffers.init != nullptr)
    std::memcpy(arguments.init, buffers.init, static_cast<std::size_t>(request.accumulator_bytes()));

  std::vector<HostLaunch> launches;
  const LaunchList list = config.family().launches(config, request);
  for (int index = 0; index < list.count; ++index) {
    Launch launch = list.launches[index];
    if (launch.n == request.n) launch.n += first_item;  // the launches over the input, not those over sums
    launches.push_back({&module, launch, arguments});
  }
  return launches;
}

Config config_of(const FamilyModel& family, const ScanRequest& request,
                 const std::vector<std::pair<std::string, std::string>>& values) {
  Config config = family.default_config(request, kHostSm);
  for (const auto& [name, spelling] : values) {
    int index = 0;
    while (index < static_cast<int>(family.parameters().size()) &&
           name != family.parameters()[static_cast<std::size_t>(index)].name)
      ++index;
    const std::optional<int> value = parse(family.parameters()[static_cast<std::size_t>(index)], spelling);
    if (!value) throw std::invalid_argument(name + " cannot be " + spelling);
    config[index] = *value;
  }
  if (const char* reason = family.invalid_reason(config, request, kHostSm))
    throw std::invalid_argument(to_string(config) + ": " + reason);
  return config;
}

Config random_config(const FamilyModel& family, const ScanRequest& request, int max_tile_items, Random& random) {
  while (true) {
    Config config(family);
    for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index) {
      const auto values = family.parameters()[static_cast<std::size_t>(index)].values;
      config[index] = values[random.below(static_cast<u32>(values.size()))];
    }
    if (family.invalid_reason(config, request, kHostSm) == nullptr && family.tile_items(config) <= max_tile_items)
      return config;
  }
}

}  // namespace scantune
