#include "launch/loading.h"

#include <algorithm>

namespace scantune {
namespace {

// A family may launch other kernels for few items than for many, and a recursive one every kernel it has for many.
constexpr u64 kFewAndManyItems[] = {1, u64{1} << 38};

void raise_to(std::vector<int>& shared_bytes, const LaunchList& list) {
  for (int index = 0; index < list.count; ++index) {
    const Launch& launch = list.launches[index];
    int& bytes = shared_bytes[static_cast<std::size_t>(launch.kernel)];
    bytes = std::max(bytes, launch.shared_bytes);
  }
}

}  // namespace

void check_fit(Device& device, const Module& module, const LaunchList& launches) {
  for (int index = 0; index < launches.count; ++index) device.check_fits(module, launches.launches[index]);
}

std::vector<int> max_shared_bytes(const Config& config, Request request, Variant variant) {
  const FamilyModel& family = config.family();
  std::vector<int> bytes(family.kernels().size(), 0);
  raise_to(bytes, family.launches(config, request, variant));
  for (const u64 n : kFewAndManyItems) {
    request.n = n;
    raise_to(bytes, family.launches(config, request, variant));
  }
  return bytes;
}

}  // namespace scantune
