#include "scan_kernels.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "rehearsal.h"
#include "scantune/error.hpp"

namespace scantune {

bool is_rehearsal() { return rehearsal().is_on; }

void needs_no_kernel() { ++rehearsal().taken; }

const Module& ScanKernels::get(const Instantiation& instantiation) {
  static const Module kNone{};
  Rehearsal& told = rehearsal();
  ++told.taken;
  if (told.is_on) {
    if (told.seen.insert(instantiation.source).second) told.asked_for.push_back(instantiation);
    return kNone;
  }
  if (const Module* const module = told.kernels.find(instantiation)) return *module;
  if (told.was_on) told.missed.push_back(instantiation.label);
  told.kernels.add({&instantiation, 1});
  return *told.kernels.find(instantiation);
}

Workspace::Workspace(HostDevice& device, const WorkspaceNeed& need)
    : device_(device), memory_(device.allocate(need.bytes)) {
  if (need.kind != WorkspaceKind::scratch) device.zero(memory_, need.bytes);
}

namespace {

constexpr u64 kGuardBytes = 16 * kMaxValueBytes;

bool is_poison(unsigned char byte) { return byte == GuardedMemory::kPoison; }

u64 address_before(const void* items, u64 count, int item_bytes) {
  return reinterpret_cast<u64>(items) - count * static_cast<u64>(item_bytes);
}

}  // namespace

GuardedMemory::GuardedMemory(HostDevice& device, u64 bytes, u64 misaligned_bytes)
    : device_(device),
      before_(kGuardBytes + misaligned_bytes),
      bytes_(bytes),
      memory_(static_cast<unsigned char*>(device.allocate(before_ + bytes + kGuardBytes))) {
  std::fill(memory_, memory_ + before_ + bytes + kGuardBytes, kPoison);
}

bool GuardedMemory::surroundings_intact() const {
  const unsigned char* const end = data() + bytes_;
  return std::all_of(memory_, memory_ + before_, is_poison) && std::all_of(end, end + kGuardBytes, is_poison);
}

std::vector<HostLaunch> scan_launches(const Module& module, const Config& config, const ScanRequest& request,
                                      const ScanBuffers& buffers, Variant variant, u64 first_item) {
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, reinterpret_cast<const void*>(
                                                address_before(buffers.input, first_item, request.input_bytes())));
  arguments.set_operand(OperandRole::output,
                        reinterpret_cast<void*>(address_before(buffers.output, first_item, request.output_bytes())));
  arguments.workspace = buffers.workspace;
  if (request.init == Init::value)
    std::memcpy(arguments.init, buffers.init, static_cast<std::size_t>(request.accumulator_bytes()));
  if (request.init >= Init::memory) arguments.set_operand(OperandRole::init, buffers.init);
  arguments.set_operand(OperandRole::n, buffers.n);
  arguments.set_operand(OperandRole::clamped, buffers.clamped);

  std::vector<HostLaunch> launches;
  const LaunchList list = config.family().launches(config, request, variant);
  for (int index = 0; index < list.count; ++index) {
    Launch launch = list.launches[index];
    if (launch.n == request.n) launch.n += first_item;  // only launches over the input, not those over sums
    launches.push_back({&module, launch, arguments});
  }
  return launches;
}

Config config_of(const FamilyModel& family, const Request& request,
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

u64 aligned_offset(const ScanRequest& request, u64 bytes) {
  return request.direction == Direction::reverse ? -bytes % kVectorAlignmentBytes : 0;
}

ScanRequest in_drawn_direction(const FamilyModel& family, ScanRequest request, Random& random) {
  if (request.direction == Direction::reverse) return request;
  ScanRequest reverse = request;
  reverse.direction = Direction::reverse;
  const bool takes_both = family.unsupported_reason(reverse, kHostSm) == nullptr;
  return takes_both && random.chance(30) ? reverse : request;
}

namespace {

// Values too small to be worth searching: tiles so small that many of them race in a short scan, and rings that are
// always full.
struct SmallValues {
  const char* parameter;
  std::vector<int> values;
};
const std::vector<SmallValues> kSmallValues = {
    {"consumer_warps", {1, 2, 3}}, {"vectors_per_thread", {1}}, {"stages", {2, 3}}, {"look_ahead", {1}}};

std::vector<int> values_to_draw(const ParameterModel& parameter) {
  std::vector<int> values(parameter.values.begin(), parameter.values.end());
  for (const SmallValues& small : kSmallValues)
    if (std::string_view(small.parameter) == parameter.name)
      values.insert(values.end(), small.values.begin(), small.values.end());
  return values;
}

}  // namespace

Config random_config(const FamilyModel& family, const Request& request, int max_tile_items, Random& random) {
  constexpr int kMostDraws = 100'000;
  for (int draw = 0; draw < kMostDraws; ++draw) {
    Config config(family);
    for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index) {
      const std::vector<int> values = values_to_draw(family.parameters()[static_cast<std::size_t>(index)]);
      config[index] = values[random.below(static_cast<u32>(values.size()))];
    }
    if (family.invalid_reason(config, request, kHostSm) == nullptr &&
        family.tile_items(config, request) <= max_tile_items)
      return config;
  }
  throw std::invalid_argument("no config of " + std::string(family.name()) + " with a tile of at most " +
                              std::to_string(max_tile_items) + " items was found for " + to_string(request));
}

}  // namespace scantune
