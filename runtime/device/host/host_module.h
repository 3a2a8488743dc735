// A kernel's shared object, loaded and bound to the machine.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"
#include "primitives/host_abi.h"

namespace scantune {

class HostModule : public Module {
 public:
  // Throws DeviceError if the image is no shared object of ours or lacks a kernel.
  HostModule(const Binary& binary, std::span<const std::string> kernels, host::Hooks* hooks);
  HostModule(const HostModule&) = delete;
  HostModule& operator=(const HostModule&) = delete;
  ~HostModule() override;

  std::size_t kernel_count() const { return kernels_.size(); }
  host::KernelFunction kernel(std::size_t index) const { return kernels_[index]; }
  const char* name(std::size_t index) const { return names_[index].c_str(); }
  // CTAs of the clusters that a kernel is compiled for; 0: clusters of any size.
  int cluster_blocks(std::size_t index) const;

 private:
  void close() noexcept;
  void* find(const char* symbol);

  int file_ = -1;
  void* library_ = nullptr;
  std::vector<host::KernelFunction> kernels_;
  std::vector<std::string> names_;
};

}  // namespace scantune
