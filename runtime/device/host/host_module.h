// Kernels' shared objects, loaded and bound to the machine.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/machine/host_abi.h"
#include "device/device.h"

namespace scantune {

class HostLibrary {
 public:
  // Throws DeviceError if the image is not a shared object of ours.
  HostLibrary(const Binary& binary, host::Hooks* hooks);
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;
  ~HostLibrary() { close(); }

  // The function of that name. If it does not exist, the first throws DeviceError and the second returns null.
  void* get(const std::string& symbol) const;
  void* find(const std::string& symbol) const;

 private:
  void close() noexcept;

  void* library_ = nullptr;
};

// The kernels of one instantiation.
class HostModule : public Module {
 public:
  // Throws DeviceError if the image is not a shared object of ours or lacks a kernel.
  HostModule(const Binary& binary, std::span<const std::string> kernels, host::Hooks* hooks);
  // Some of the kernels of a library, whose names there begin with the prefix.
  HostModule(std::shared_ptr<const HostLibrary> library, std::span<const std::string> kernels, std::string prefix);

  std::size_t kernel_count() const { return kernels_.size(); }
  host::KernelFunction kernel(std::size_t index) const { return kernels_[index]; }
  const char* name(std::size_t index) const { return names_[index].c_str(); }
  // CTAs of the clusters that a kernel is compiled for; 0: clusters of any size.
  int cluster_blocks(std::size_t index) const;

 private:
  std::shared_ptr<const HostLibrary> library_;
  std::string prefix_;
  std::vector<host::KernelFunction> kernels_;
  std::vector<std::string> names_;
};

}  // namespace scantune
