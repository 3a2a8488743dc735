// The host device: runs the kernels on the CPU, one CUDA thread after another, under seeded schedules. It serves
// machines without a GPU, and finds races. Its timings describe this CPU and never a GPU.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "device/device.h"
#include "device/host/machine.h"

namespace scantune {

struct HostLaunch {
  const Module* module;
  Launch launch;
  KernelArguments arguments;  // offsets and n are taken from the launch
};

class HostDevice : public Device {
 public:
  // Seed 0 is the calm schedule, the same for every run; with any other seed, each run draws its own schedule.
  // compiler: null means the system's C++ compiler, without a cache.
  explicit HostDevice(u64 seed = 0, std::unique_ptr<Compiler> compiler = nullptr);

  // Continues as if the device had been created with this seed.
  void set_seed(u64 seed);

  // Runs launches as one stream would: in order, overlapping where pdl allows it. Returns when all are done. Throws
  // DeviceError with a report if a kernel breaks a rule, deadlocks or does not end; the device stays usable.
  void run(std::span<const HostLaunch> launches);
  void run(std::span<const HostLaunch> launches, const Schedule& schedule);

  // Bytes of global memory that ordinary loads and stores of kernels have moved so far, without status words and bulk
  // copies.
  u64 moved_bytes() const;

  const DeviceIdentity& identity() const override { return identity_; }
  Compiler& compiler() override { return *compiler_; }
  std::string driver_version() const override { return "host"; }
  std::unique_ptr<Module> load(const Binary& binary, std::span<const std::string> kernels,
                               std::span<const int> max_shared_bytes) override;
  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) override;
  bool outlives_failed_kernels() const override { return true; }

  void* allocate(u64 bytes) override;
  void free(void* memory) noexcept override;
  void wrap(void* memory, u64 bytes) override;
  void unwrap(void* memory, u64 bytes) noexcept override;
  void fill(void* memory, std::byte value, u64 bytes) override;
  void upload(void* destination, const void* source, u64 bytes) override;
  void download(void* destination, const void* source, u64 bytes) override;
  void copy(void* destination, const void* source, u64 bytes) override;
  void synchronize() override {}

  // Launches are complete when launch() returns, so streams differ by their handles alone.
  StreamState stream_state(Stream stream) override {
    return {.id = reinterpret_cast<u64>(stream), .capturing_graph = nullptr};
  }
  std::string pointer_fault(const void* pointer, u64 bytes, unsigned item_bytes) override;
  std::string stream_fault(Stream) override { return {}; }
  void retain_until_graph_dies(void* graph, void (*release)(void*), void* token) override;

  double time_us(const std::function<void(Stream)>& enqueue, int replays) override;
  std::optional<int> sm_clock_mhz() override { return std::nullopt; }
  u64 l2_bytes() override { return 0; }

 private:
  Schedule next_schedule();
  void check_range(const void* memory, u64 bytes, const char* what) const;

  DeviceIdentity identity_;
  std::unique_ptr<Compiler> compiler_;
  mutable std::mutex mutex_;  // guards the rest
  Allocations allocations_;
  Machine machine_{allocations_};
  u64 seed_;
  u64 runs_ = 0;
};

}  // namespace scantune
