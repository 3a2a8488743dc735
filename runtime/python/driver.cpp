#include "python/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
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
  int (*set_bytes)(std::uint64_t, unsigned char, std::size_t, Pointer) = nullptr;
  int (*set_halves)(std::uint64_t, unsigned short, std::size_t, Pointer) = nullptr;
  int (*set_words)(std::uint64_t, unsigned, std::size_t, Pointer) = nullptr;
  int (*copy)(std::uint64_t, std::uint64_t, std::size_t, Pointer) = nullptr;
  int (*retain_context)(Pointer*, int) = nullptr;
  int (*release_context)(int) = nullptr;
  int (*push_context)(Pointer) = nullptr;
  int (*pop_context)(Pointer*) = nullptr;
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
  find(library, "cuMemsetD8Async", found.set_bytes);
  find(library, "cuMemsetD16Async", found.set_halves);
  find(library, "cuMemsetD32Async", found.set_words);
  find(library, "cuMemcpyDtoDAsync_v2", found.copy);
  find(library, "cuDevicePrimaryCtxRetain", found.retain_context);
  find(library, "cuDevicePrimaryCtxRelease_v2", found.release_context);
  find(library, "cuCtxPushCurrent_v2", found.push_context);
  find(library, "cuCtxPopCurrent_v2", found.pop_context);
  find(library, "cuCtxGetDevice", found.current_device);
  return &found;
}

void check(int error, const char* what) {
  if (error != 0) throw std::runtime_error(std::string(what) + " failed with CUDA's error " + std::to_string(error));
}

// While it lives, the GPU is current. A stream's event must be made in the stream's context, and the default stream is
// that of the current one.
class OnGpu {
 public:
  explicit OnGpu(std::int32_t gpu) {
    if (gpu < 0 || current_gpu() == gpu) return;
    Pointer context = nullptr;
    check(driver()->retain_context(&context, gpu), "cuDevicePrimaryCtxRetain");
    gpu_ = gpu;
    const int error = driver()->push_context(context);
    if (error == 0) return;
    driver()->release_context(gpu);
    check(error, "cuCtxPushCurrent");
  }
  ~OnGpu() {
    if (!gpu_) return;
    Pointer context = nullptr;
    driver()->pop_context(&context);
    driver()->release_context(*gpu_);
  }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  std::optional<std::int32_t> gpu_;  // none: it was current before
};

// The driver sets no words of 8 bytes: what is set is copied after itself, twice as much each time.
void fill_with_two_words(const Driver& cuda, std::uint64_t address, const std::uint32_t (&words)[2],
                         std::uint64_t items, Pointer stream) {
  check(cuda.set_words(address, words[0], 1, stream), "cuMemsetD32Async");
  check(cuda.set_words(address + sizeof(words[0]), words[1], 1, stream), "cuMemsetD32Async");
  for (std::uint64_t done = 1; done < items; done *= 2) {
    const std::uint64_t more = std::min(done, items - done);
    check(cuda.copy(address + done * sizeof(words), address, more * sizeof(words), stream), "cuMemcpyDtoDAsync");
  }
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

void fill_on_gpu(void* first, const std::string& item, std::uint64_t items, std::uint64_t stream) {
  if (items == 0) return;
  const Driver& cuda = *driver();
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const auto in = reinterpret_cast<Pointer>(stream);
  std::uint32_t words[2] = {};
  std::memcpy(words, item.data(), item.size());
  if (item.size() == 1)
    check(cuda.set_bytes(address, static_cast<unsigned char>(words[0]), items, in), "cuMemsetD8Async");
  else if (item.size() == 2)
    check(cuda.set_halves(address, static_cast<unsigned short>(words[0]), items, in), "cuMemsetD16Async");
  else if (item.size() == 4 || words[0] == words[1])
    check(cuda.set_words(address, words[0], items * item.size() / sizeof(words[0]), in), "cuMemsetD32Async");
  else
    fill_with_two_words(cuda, address, words, items, in);
}

Event::Event(std::int32_t gpu, std::uint64_t stream) : gpu_(gpu) {
  const Driver* const cuda = driver();
  if (cuda == nullptr) throw std::runtime_error("CUDA's driver is not loaded");
  const OnGpu of_stream(gpu_);
  check(cuda->create_event(&event_, kWithoutTime), "cuEventCreate");
  const int error = cuda->record_event(event_, reinterpret_cast<Pointer>(stream));
  if (error != 0) cuda->destroy_event(event_);
  check(error, "cuEventRecord");
}

Event::~Event() { driver()->destroy_event(event_); }

bool Event::is_done() const { return driver()->query_event(event_) == 0; }

void Event::hold(std::uint64_t stream) const {
  const OnGpu of_stream(gpu_);
  check(driver()->wait_for_event(reinterpret_cast<Pointer>(stream), event_, 0), "cuStreamWaitEvent");
}

}  // namespace scantune::python
