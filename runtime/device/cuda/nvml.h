// Facts about a GPU from NVIDIA's management library. The library is optional, since containers often lack it.
#pragma once

#include <optional>
#include <string>

namespace scantune {

class NvmlDevice {
 public:
  // Every query returns nullopt without the library or the device.
  explicit NvmlDevice(const std::string& pci_bus_id);

  std::optional<int> sm_clock_mhz() const;

 private:
  void* device_ = nullptr;
};

}  // namespace scantune
