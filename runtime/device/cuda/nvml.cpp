#include "device/cuda/nvml.h"

#include "support/dynamic_library.h"

namespace scantune {
namespace {

// The few declarations of nvml.h that are needed: toolkits and wheels often come without the header.
using NvmlReturn = int;
constexpr NvmlReturn kNvmlSuccess = 0;
constexpr int kNvmlClockSm = 1;

struct Nvml {
  DynamicLibrary library{{"libnvidia-ml.so.1"}};
  NvmlReturn (*init)() = library.find_as<NvmlReturn (*)()>("nvmlInit_v2");
  NvmlReturn (*device_by_pci)(const char*, void**) =
      library.find_as<NvmlReturn (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  NvmlReturn (*clock)(void*, int, unsigned int*) =
      library.find_as<NvmlReturn (*)(void*, int, unsigned int*)>("nvmlDeviceGetClockInfo");
  bool ready = init && device_by_pci && clock && init() == kNvmlSuccess;

  static const Nvml& instance() {
    static const Nvml kNvml;
    return kNvml;
  }
};

}  // namespace

NvmlDevice::NvmlDevice(const std::string& pci_bus_id) {
  const Nvml& nvml = Nvml::instance();
  if (nvml.ready && nvml.device_by_pci(pci_bus_id.c_str(), &device_) != kNvmlSuccess) device_ = nullptr;
}

std::optional<int> NvmlDevice::sm_clock_mhz() const {
  unsigned int mhz = 0;
  if (!device_ || Nvml::instance().clock(device_, kNvmlClockSm, &mhz) != kNvmlSuccess) return std::nullopt;
  return static_cast<int>(mhz);
}

}  // namespace scantune
