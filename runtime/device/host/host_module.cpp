#include "device/host/host_module.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "scantune/error.hpp"

namespace scantune {
namespace {

// The image as a file in memory: nothing is left behind, and no directory has to allow execution.
int file_of(const std::vector<char>& image) {
  const int file = memfd_create("scantune-kernel", MFD_CLOEXEC);
  if (file < 0)
    throw DeviceError(std::string("cannot load a kernel for the host device: memfd_create: ") + std::strerror(errno));
  for (std::size_t written = 0; written < image.size();) {
    const ssize_t count = write(file, image.data() + written, image.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const std::string reason = std::strerror(errno);
      close(file);
      throw DeviceError("cannot load a kernel for the host device: writing its " + std::to_string(image.size()) +
                        " bytes to memory: " + reason);
    }
    written += static_cast<std::size_t>(count);
  }
  return file;
}

// What makes of a descriptor a path that no other kernel has had. The loader knows libraries by their path, and
// descriptors are used again. The bits of a number are spelled by "//" and "/.", which lead nowhere else.
std::string unique_prefix() {
  static std::atomic<u64> loaded{0};
  std::string path = "/proc/self/fd";
  for (u64 bits = ++loaded; bits != 0; bits >>= 1) path += (bits & 1) != 0 ? "/." : "//";
  return path + "/";
}

}  // namespace

// The file is closed at once: a program may close files that it did not open, or have few.
HostLibrary::HostLibrary(const Binary& binary, host::Hooks* hooks) {
  const std::string prefix = unique_prefix();
  const int file = file_of(binary.image);
  library_ = dlopen((prefix + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  ::close(file);
  if (library_ == nullptr) throw DeviceError(std::string("cannot load a kernel for the host device: ") + dlerror());
  try {
    reinterpret_cast<host::BindFunction>(get("scantune_bind"))(hooks);
  } catch (...) {
    close();
    throw;
  }
}

void HostLibrary::close() noexcept {
  if (library_ != nullptr) dlclose(library_);
}

void* HostLibrary::find(const std::string& symbol) const { return dlsym(library_, symbol.c_str()); }

void* HostLibrary::get(const std::string& symbol) const {
  if (void* const address = find(symbol)) return address;
  throw DeviceError("the compiled kernel for the host device has no function " + symbol);
}

HostModule::HostModule(const Binary& binary, std::span<const std::string> kernels, host::Hooks* hooks)
    : HostModule(std::make_shared<HostLibrary>(binary, hooks), kernels, {}) {}

HostModule::HostModule(std::shared_ptr<const HostLibrary> library, std::span<const std::string> kernels,
                       std::string prefix)
    : library_(std::move(library)), prefix_(std::move(prefix)), names_(kernels.begin(), kernels.end()) {
  for (const std::string& name : names_)
    kernels_.push_back(reinterpret_cast<host::KernelFunction>(library_->get(prefix_ + name)));
}

int HostModule::cluster_blocks(std::size_t index) const {
  void* const declared = library_->find(prefix_ + names_[index] + "_cluster_blocks");
  return declared == nullptr ? 0 : reinterpret_cast<host::ClusterBlocksFunction>(declared)();
}

}  // namespace scantune
