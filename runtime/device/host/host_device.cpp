#include "device/host/host_device.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "device/host/host_module.h"
#include "jit/cached_compiler.h"
#include "jit/host_compiler.h"
#include "scantune/error.hpp"
#include "support/environment.h"
#include "support/paths.h"

namespace scantune {
namespace {

constexpr int kSmCount = 8;  // as many CTAs as the machine keeps resident

// The process has one run at a time, since the kernels reach their machine through one table.
std::mutex running;

std::string cpu_name() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t value = line.find(": ");
    if (value != std::string::npos) return line.substr(value + 2);
  }
  return "CPU";
}

u64 seed_from_environment() {
  const char* const text = environment_variable("SCANTUNE_HOST_SEED");
  if (text == nullptr || *text == '\0') return 0;
  u64 seed = 0;
  const char* const end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, seed);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    throw DeviceError(std::string("SCANTUNE_HOST_SEED is '") + text + "'; it must be a number from 0 to 2^64 - 1");
  return seed;
}

// Why the driver of a GPU would refuse the launch; empty if it would not.
std::string launch_fault(const HostLaunch& launch) {
  const auto* const module = dynamic_cast<const HostModule*>(launch.module);
  if (module == nullptr) return "the module was not loaded by the host device";
  if (launch.launch.kernel < 0 || static_cast<std::size_t>(launch.launch.kernel) >= module->kernel_count())
    return "the module has no kernel " + std::to_string(launch.launch.kernel);
  if (launch.launch.block_threads < 1 || launch.launch.block_threads > 1024)
    return "a CTA cannot have " + std::to_string(launch.launch.block_threads) + " threads";
  if (launch.launch.grid_blocks < 1 || launch.launch.grid_blocks > kMaxGridBlocks)
    return "a grid cannot have " + std::to_string(launch.launch.grid_blocks) + " CTAs";
  if (launch.launch.cluster_blocks < 1 || launch.launch.cluster_blocks > limits_of(kHostSm).cluster_blocks)
    return "a cluster cannot have " + std::to_string(launch.launch.cluster_blocks) + " CTAs";
  const auto kernel = static_cast<std::size_t>(launch.launch.kernel);
  if (const int declared = module->cluster_blocks(kernel); declared != 0 && declared != launch.launch.cluster_blocks)
    return std::string(module->name(kernel)) + " is compiled for clusters of " + std::to_string(declared) +
           " CTAs, not of " + std::to_string(launch.launch.cluster_blocks);
  if (launch.launch.grid_blocks % static_cast<u32>(launch.launch.cluster_blocks) != 0)
    return "a grid of " + std::to_string(launch.launch.grid_blocks) + " CTAs has no whole number of clusters of " +
           std::to_string(launch.launch.cluster_blocks);
  if (launch.launch.shared_bytes < 0 || launch.launch.shared_bytes > limits_of(kHostSm).shared_bytes_per_block)
    return "a CTA cannot have " + std::to_string(launch.launch.shared_bytes) + " bytes of shared memory";
  return {};
}

Grid grid_of(const HostLaunch& launch) {
  const std::string fault = launch_fault(launch);
  if (!fault.empty()) throw DeviceError("host device: launch refused: " + fault);
  const auto& module = static_cast<const HostModule&>(*launch.module);
  const auto kernel = static_cast<std::size_t>(launch.launch.kernel);
  Grid grid{module.name(kernel), module.kernel(kernel), launch.launch, launch.arguments};
  grid.launch.grid_blocks = grid_blocks(launch.launch, kSmCount);
  set_launch(grid.arguments, launch.launch);
  return grid;
}

}  // namespace

HostDevice::HostDevice(u64 seed, std::unique_ptr<Compiler> compiler)
    : identity_{"host", kHostSm, cpu_name(), kSmCount},
      compiler_(compiler != nullptr ? std::move(compiler) : std::make_unique<HostCompiler>()),
      seed_(seed) {}

void HostDevice::set_seed(u64 seed) {
  const std::lock_guard lock(mutex_);
  seed_ = seed;
  runs_ = 0;
}

Schedule HostDevice::next_schedule() {
  const std::lock_guard lock(mutex_);
  // The first run's schedule is the seed's own, so that a report's seed can be given again.
  return Schedule::from_seed(seed_ == 0 ? 0 : seed_ + runs_++);
}

u64 HostDevice::moved_bytes() const {
  const std::lock_guard lock(mutex_);
  return machine_.moved_bytes();
}

void HostDevice::run(std::span<const HostLaunch> launches) { run(launches, next_schedule()); }

void HostDevice::run(std::span<const HostLaunch> launches, const Schedule& schedule) {
  std::vector<Grid> grids;
  for (const HostLaunch& launch : launches) grids.push_back(grid_of(launch));
  const std::scoped_lock lock(running, mutex_);
  machine_.run(grids, schedule);
}

void HostDevice::launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream) {
  const HostLaunch one{&module, launch, arguments};
  run({&one, 1});
}

std::unique_ptr<Module> HostDevice::load(const Binary& binary, std::span<const std::string> kernels,
                                         std::span<const int>) {
  return std::make_unique<HostModule>(binary, kernels, Machine::hooks());
}

void* HostDevice::allocate(u64 bytes) {
  const std::lock_guard lock(mutex_);
  return allocations_.allocate(bytes);
}

void HostDevice::free(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  allocations_.free(memory);
}

void HostDevice::wrap(void* memory, u64 bytes) {
  const std::lock_guard lock(mutex_);
  allocations_.wrap(memory, bytes);
}

void HostDevice::unwrap(void* memory, u64 bytes) noexcept {
  const std::lock_guard lock(mutex_);
  allocations_.unwrap(memory, bytes);
}

void HostDevice::fill(void* memory, std::byte value, u64 bytes) {
  check_range(memory, bytes, "fill");
  if (bytes > 0) std::memset(memory, std::to_integer<int>(value), bytes);
}

void HostDevice::upload(void* destination, const void* source, u64 bytes) {
  check_range(destination, bytes, "upload to");
  if (bytes > 0) std::memcpy(destination, source, bytes);
}

void HostDevice::download(void* destination, const void* source, u64 bytes) {
  check_range(source, bytes, "download from");
  if (bytes > 0) std::memcpy(destination, source, bytes);
}

void HostDevice::copy(void* destination, const void* source, u64 bytes) {
  check_range(source, bytes, "copy from");
  check_range(destination, bytes, "copy to");
  if (bytes > 0) std::memcpy(destination, source, bytes);
}

void HostDevice::check_range(const void* memory, u64 bytes, const char* what) const {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const Allocations::Range* const range = allocations_.find(memory);
  if (range == nullptr || !range->contains(memory, bytes))
    throw DeviceError(std::string("host device: cannot ") + what + " " + std::to_string(bytes) + " bytes at " +
                      allocations_.describe(memory));
}

std::string HostDevice::pointer_fault(const void* pointer, u64 bytes, unsigned item_bytes) {
  const std::lock_guard lock(mutex_);
  const Allocations::Range* const range = allocations_.find(pointer);
  if (range == nullptr)
    return "is not memory of the host device; allocate it with runtime::Buffer, or pass it to scantune_buffer_wrap()";
  if (range->contains(pointer, bytes)) return {};
  const u64 offset = reinterpret_cast<u64>(pointer) - reinterpret_cast<u64>(range->begin);
  return shortage(range->bytes - offset, bytes, item_bytes);
}

void HostDevice::retain_until_graph_dies(void*, void (*release)(void*), void* token) {
  release(token);
  throw DeviceError("the host device does not capture graphs");
}

double HostDevice::time_us(const std::function<void(Stream)>& enqueue, int replays) {
  const auto start = std::chrono::steady_clock::now();
  for (int replay = 0; replay < replays; ++replay) enqueue(nullptr);
  const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / replays;
}

const std::shared_ptr<Device>& host_device() {
  static const std::shared_ptr<Device> device = std::make_shared<HostDevice>(
      seed_from_environment(),
      std::make_unique<CachedCompiler>(std::make_unique<HostCompiler>(), BinaryCache(cache_directory())));
  return device;
}

}  // namespace scantune
