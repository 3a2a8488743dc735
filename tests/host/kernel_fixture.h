// Kernels whose text is in a test, run on the host device.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "device/host/host_device.h"
#include "kept_compiler.h"
#include "machine_headers.h"
#include "message_of.h"
#include "scantune/error.hpp"

namespace scantune {

// Memory of the host device, as an array.
template <class T>
class DeviceArray {
 public:
  DeviceArray(Device& device, u64 count, T value = T{})
      : device_(device), data_(static_cast<T*>(device.allocate(count * sizeof(T)))), count_(count) {
    fill(value);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { device_.free(data_); }

  T* data() { return data_; }
  u64 size() const { return count_; }
  T& operator[](u64 index) { return data_[index]; }
  void fill(T value) { std::fill(data_, data_ + count_, value); }

 private:
  Device& device_;
  T* data_;
  u64 count_;
};

class KernelFixture : public testing::Test {
 protected:
  // Compiles the text of one or more kernels, which follows the intrinsics. Line 1 is the first line of the text.
  std::unique_ptr<Module> compile(const std::string& text, const std::vector<std::string>& kernels = {"kernel"}) {
    Instantiation instantiation;
    instantiation.source = machine_includes() + "using namespace scantune;\n#line 1 \"kernel.cpp\"\n" + text;
    instantiation.headers = machine_headers();
    instantiation.kernels = kernels;
    instantiation.label = "kernels of a test";
    return device_.load(device_.compiler().compile(instantiation, "host"), kernels, {});
  }

  static KernelArguments arguments(const void* input, void* output, void* workspace = nullptr) {
    KernelArguments result{};
    result.set_operand(OperandRole::input, input);
    result.set_operand(OperandRole::output, output);
    result.workspace = workspace;
    return result;
  }

  void run(const Module& module, const Launch& launch, const KernelArguments& arguments, u64 seed) {
    const HostLaunch one{&module, launch, arguments};
    device_.run({&one, 1}, Schedule::from_seed(seed));
  }

  // The device's report about a run that fails; empty if it does not fail.
  std::string report(const Module& module, const Launch& launch, const KernelArguments& arguments, u64 seed = 0) {
    return message_of<DeviceError>([&] { run(module, launch, arguments, seed); });
  }

  HostDevice device_{0, kept_host_compiler()};
};

}  // namespace scantune
