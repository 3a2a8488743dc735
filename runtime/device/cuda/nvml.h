// What NVIDIA's management library tells about a GPU. Optional: containers often lack it.
#pragma once

#include <optional>
#include <string>

namespace scantune {

class NvmlDevice {
 public:
  // Every query answers nullopt when the library or the device is not there.
  explicit NvmlDevice(const std::string& pci_bus_id);

  std::optional<int> sm_clock_mhz() const;

 private:
  void* device_ = nullptr;
};

}  // namespace scantune
