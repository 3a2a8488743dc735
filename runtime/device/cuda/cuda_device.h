// A GPU with one CUDA context.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "device/cuda/context.h"
#include "device/cuda/cuda_module.h"
#include "device/device.h"

namespace scantune {

// The device is thread-safe. Every call works with any current context, and leaves that one current.
class CudaDevice : public Device {
 public:
  // The context must be current. Throws DeviceError when a query of its GPU fails.
  explicit CudaDevice(std::shared_ptr<const CudaContext> context);
  ~CudaDevice() override;

  const DeviceIdentity& identity() const override { return identity_; }
  Compiler& compiler() override;  // NVRTC with the disk cache; one for all devices
  std::string driver_version() const override;
  std::unique_ptr<Module> load(const Binary& binary, std::span<const std::string> kernels,
                               std::span<const int> max_shared_bytes) override;
  void check_fits(const Module& module, const Launch& launch) override;
  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) override;
  bool is_gone() const override;
  std::string failure() const override { return context_->failure(); }

  int ordinal() const override { return ordinal_; }
  void in_context(const std::function<void()>& call) override;
  void* allocate(u64 bytes) override;
  void free(void* memory) noexcept override;
  void fill(void* memory, std::byte value, u64 bytes) override;
  void enqueue_zero(void* memory, u64 bytes, Stream stream) override;
  void enqueue_copy(void* destination, const void* source, u64 bytes, Stream stream) override;
  // Both wait for all work on the device first.
  void upload(void* destination, const void* source, u64 bytes) override;
  void download(void* destination, const void* source, u64 bytes) override;
  void download_behind(Stream stream, void* destination, const void* source, u64 bytes) override;
  void copy(void* destination, const void* source, u64 bytes) override;
  void synchronize() override;
  void* allocate_staging(u64 bytes) override;  // page-locked
  void free_staging(void* memory) noexcept override;
  void begin_upload(void* destination, const void* staging, u64 bytes) override;
  void begin_download(void* staging, const void* source, u64 bytes) override;

  StreamState stream_state(Stream stream) override;
  std::string pointer_fault(const void* pointer, u64 bytes, unsigned item_bytes) override;
  std::string stream_fault(Stream stream) override;
  std::string argument_fault(std::span<const NamedMemory> arguments, Stream stream) override;
  void retain_until_graph_dies(void* graph, void (*release)(void*), void* token) override;

  double time_us(const std::function<void(Stream)>& enqueue, int replays) override;
  std::optional<int> sm_clock_mhz() override;
  std::optional<double> peak_gigabytes_per_second() override;
  u64 l2_bytes() override { return l2_bytes_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  int ordinal_;
  DeviceIdentity identity_;
  u64 l2_bytes_;
  Stream own_stream_ = nullptr;  // non-blocking: for what must not wait for, nor join, a caller's stream
  Stream timing_stream_ = nullptr;
  std::mutex timing_;
};

}  // namespace scantune
