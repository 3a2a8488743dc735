#include "python/driver.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace scantune::python {
namespace {

using Pointer = void*;  // the driver's events and streams
constexpr unsigned kWithoutTime = 2;
constexpr int kDeviceOrdinal = 9;  // of pointer attributes

struct Driver {
  int (*current_device)(int*) = nullptr;
  int (*create_event)(Pointer*, unsigned) = nullptr;
  int (*record_event)(Pointer, Pointer) = nullptr;
  int (*wait_for_event)(Pointer, Pointer, unsigned) = nullptr;
  int (*destroy_event)(Pointer) = nullptr;
  int (*query_event)(Pointer) = nullptr;
  int (*pointer_attribute)(void*, int, std::uint64_t) = nullptr;
};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

// It stays loaded: libraries of arrays on GPUs use it.
const Driver* driver() {
  static Driver found;
  if (found.current_device != nullptr) return &found;
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;  // perhaps later
  find(library, "cuEventCreate", found.create_event);
  find(library, "cuEventRecord", found.record_event);
  find(library, "cuStreamWaitEvent", found.wait_for_event);
  find(library, "cuEventDestroy_v2", found.destroy_event);
  find(library, "cuEventQuery", found.query_event);
  find(library, "cuPointerGetAttribute", found.pointer_attribute);
  find(library, "cuCtxGetDevice", found.current_device);
  return &found;
}

void check(int error, const char* what) {
  if (error != 0) throw std::runtime_error(std::string(what) + " failed with CUDA's error " + std::to_string(error));
}

}  // namespace

std::optional<std::int32_t> current_gpu() {
  const Driver* const cuda = driver();
  int device = 0;
  if (cuda == nullptr || cuda->current_device(&device) != 0) return std::nullopt;
  return device;
}

std::optional<std::int32_t> gpu_of(const void* memory) {
  const Driver* const cuda = driver();
  int device = 0;
  if (cuda == nullptr ||
      cuda->pointer_attribute(&device, kDeviceOrdinal, reinterpret_cast<std::uintptr_t>(memory)) != 0)
    return std::nullopt;
  return device;
}

Event::Event(std::uint64_t stream) {
  const Driver* const cuda = driver();
  if (cuda == nullptr) throw std::runtime_error("CUDA's driver is not loaded");
  check(cuda->create_event(&event_, kWithoutTime), "cuEventCreate");
  const int error = cuda->record_event(event_, reinterpret_cast<Pointer>(stream));
  if (error != 0) cuda->destroy_event(event_);
  check(error, "cuEventRecord");
}

Event::~Event() { driver()->destroy_event(event_); }

bool Event::is_done() const { return driver()->query_event(event_) == 0; }

void Event::hold(std::uint64_t stream) const {
  check(driver()->wait_for_event(reinterpret_cast<Pointer>(stream), event_, 0), "cuStreamWaitEvent");
}

}  // namespace scantune::python
