// A device that is not in this machine: a worker can say which config would run on it, but can run nothing.
#pragma once

#include <string>
#include <utility>

#include "device/device.h"

namespace scantune {

class DescribedDevice : public Device {
 public:
  explicit DescribedDevice(DeviceIdentity identity)
      : identity_(std::move(identity)), compiler_(identity_.name + " (" + identity_.arch + ")") {}

  const DeviceIdentity& identity() const override { return identity_; }
  Compiler& compiler() override { return compiler_; }
  std::string driver_version() const override { return "none"; }

  // The functions that need the device itself throw RequestError.
  std::unique_ptr<Module> load(const Binary&, std::span<const std::string>, std::span<const int>) override;
  void launch(const Module&, const Launch&, KernelArguments&, Stream) override;
  void* allocate(u64) override;
  void free(void*) noexcept override {}
  void fill(void*, std::byte, u64) override;
  void upload(void*, const void*, u64) override;
  void download(void*, const void*, u64) override;
  void copy(void*, const void*, u64) override;
  void synchronize() override {}
  StreamState stream_state(Stream) override;
  std::string pointer_fault(const void*, u64, unsigned) override;
  std::string stream_fault(Stream) override;
  void retain_until_graph_dies(void*, void (*)(void*), void*) override;
  double time_us(const std::function<void(Stream)>&, int) override;
  std::optional<int> sm_clock_mhz() override { return std::nullopt; }
  u64 l2_bytes() override { return 0; }

 private:
  class NoCompiler : public Compiler {
   public:
    explicit NoCompiler(std::string device) : device_(std::move(device)) {}
    std::string fingerprint() const override { return "none"; }
    Binary compile(const Instantiation&, const std::string&) override;
    const std::string& device() const { return device_; }

   private:
    std::string device_;
  };

  [[noreturn]] void refuse() const;

  DeviceIdentity identity_;
  NoCompiler compiler_;
};

}  // namespace scantune
