// Device memory that is freed at the end of a scope.
#pragma once

#include <utility>

#include "device/device.h"
#include "scantune/error.hpp"

namespace scantune {

struct OutOfDeviceMemory : DeviceError {
  using DeviceError::DeviceError;
};

class DeviceBuffer {
 public:
  // Throws OutOfDeviceMemory.
  DeviceBuffer(Device& device, u64 bytes) : device_(&device), data_(bytes == 0 ? nullptr : allocate(device, bytes)) {}
  ~DeviceBuffer() {
    if (data_ != nullptr) device_->free(data_);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept : device_(other.device_), data_(std::exchange(other.data_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    return *this;
  }

  std::byte* data() const { return static_cast<std::byte*>(data_); }  // null if empty

 private:
  static void* allocate(Device& device, u64 bytes) {
    try {
      return device.allocate(bytes);
    } catch (const DeviceError& error) {
      throw OutOfDeviceMemory(error.what());
    }
  }

  Device* device_;
  void* data_;
};

}  // namespace scantune
