#include "python/current_gpu.h"

#include <dlfcn.h>

namespace scantune::python {
namespace {

using GetDevice = int (*)(int* device);

GetDevice get_device() {
  // It stays loaded: libraries of arrays on GPUs use it.
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<GetDevice>(dlsym(driver, "cuCtxGetDevice"));
}

}  // namespace

std::optional<std::int32_t> current_gpu() {
  static GetDevice get = nullptr;
  if (get == nullptr) get = get_device();  // again where the driver was not there yet
  int device = 0;
  if (get == nullptr || get(&device) != 0) return std::nullopt;
  return device;
}

}  // namespace scantune::python
