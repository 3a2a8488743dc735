// Memory of a device.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "scantune/device.hpp"
#include "scantune/status.hpp"

namespace scantune::runtime {

// An array of items on the device. It can be moved, not copied. Its destructor frees the memory: no call may then be
// using the object, and no scan its memory.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "items of a buffer are copied to the device byte by byte");

 public:
  // Leaves the items uninitialised. Throws RequestError if the size overflows, OutOfMemoryError if memory is short.
  explicit Buffer(std::uint64_t items, Device device = Device::current_gpu)
      : handle_(create(bytes_of(items), device)), items_(items) {}
  // Copies a vector, span or the like.
  template <class Range>
    requires requires(const Range& values) {
      requires std::same_as<std::remove_cvref_t<decltype(*values.data())>, T>;
      values.size();
    }
  explicit Buffer(const Range& values, Device device = Device::current_gpu) : Buffer(values.size(), device) {
    upload(values.data());
  }

  T* data() const { return static_cast<T*>(scantune_buffer_data(handle_.get())); }
  std::uint64_t size() const { return items_; }
  // Both copy all items, from or to host memory. They wait for the scans on the device, so do not call them while a
  // stream is being captured.
  void upload(const T* source) { detail::check(scantune_buffer_upload(handle_.get(), source, items_ * sizeof(T))); }
  void download(T* destination) const {
    detail::check(scantune_buffer_download(handle_.get(), destination, items_ * sizeof(T)));
  }

 private:
  struct Destroy {
    void operator()(scantune_buffer* buffer) const { scantune_buffer_destroy(buffer); }
  };
  using Handle = std::unique_ptr<scantune_buffer, Destroy>;

  static Handle create(std::uint64_t bytes, Device device) {
    scantune_buffer* buffer = nullptr;
    detail::check(scantune_buffer_create(bytes, static_cast<scantune_device>(device), &buffer));
    return Handle(buffer);
  }

  static std::uint64_t bytes_of(std::uint64_t items) {
    if (items > std::numeric_limits<std::uint64_t>::max() / sizeof(T))
      throw RequestError("a buffer of " + std::to_string(items) + " items of " + std::to_string(sizeof(T)) +
                         " bytes is larger than any memory");
    return items * sizeof(T);
  }

  Handle handle_;
  std::uint64_t items_;
};

}  // namespace scantune::runtime

#endif
