#include "device/cuda/driver.h"

#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr const char* kRunOnHost = "SCANTUNE_DEVICE=host runs on the CPU.";

// What cuInit's most frequent errors mean to a user.
std::string advice_for(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return "No GPU is visible: see nvidia-smi, CUDA_VISIBLE_DEVICES, and whether a container was given the GPU. ";
    case CUDA_ERROR_STUB_LIBRARY:
      return "The libcuda.so.1 that was found is the toolkit's stub: take lib/stubs off LD_LIBRARY_PATH. ";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "Kernel module and driver library have different versions: reboot or reload the module. ";
    default:
      return "See nvidia-smi. ";
  }
}

}  // namespace

Driver::Driver(const char* library_name) : library_({library_name}) {
  if (!library_)
    throw DeviceError("CUDA's driver could not be opened:\n" + library_.failures() +
                      "Install NVIDIA's driver (in a container, start it with the GPU). " + kRunOnHost);
#define SCANTUNE_TEXT_OF(name) #name
#define SCANTUNE_EXPANDED_TEXT_OF(name) SCANTUNE_TEXT_OF(name)
#define SCANTUNE_RESOLVE(function)                                                                           \
  function = library_.find_as<decltype(function)>(SCANTUNE_EXPANDED_TEXT_OF(function));                      \
  if (!function)                                                                                             \
    throw DeviceError(library_.path() +                                                                      \
                      " has no " SCANTUNE_EXPANDED_TEXT_OF(function) ": the driver is older than CUDA " +    \
                      std::to_string(CUDA_VERSION / 1000) + "." + std::to_string(CUDA_VERSION % 1000 / 10) + \
                      ", for which scantune was built. Update the driver. " + kRunOnHost);
  SCANTUNE_DRIVER_FUNCTIONS(SCANTUNE_RESOLVE)
#undef SCANTUNE_RESOLVE
  if (const CUresult result = cuInit(0); result != CUDA_SUCCESS)
    throw DeviceError("CUDA could not be initialised: " + name_of(result) + ". " + advice_for(result) + kRunOnHost,
                      result);
}

std::string Driver::name_of(CUresult result) const {
  const char* name = nullptr;  // the toolkit's stub knows none
  cuGetErrorName(result, &name);
  return std::string(name != nullptr ? name : "error") + " (" + std::to_string(static_cast<int>(result)) + ")";
}

}  // namespace scantune
