// Sums that a formula gives for every item. The device itself makes and checks them: a scan of 2^32 items is checked
// item by item in milliseconds, in the stream that it runs in.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "instantiation/instantiation.h"
#include "measure/device_buffer.h"

namespace scantune {

// Whether all results that were checked were right.
class Verdict {
 public:
  explicit Verdict(Device& device);

  void* data() const { return words_.data(); }
  // Waits for the device. Returns seed, index, expected and found value of some wrong result; empty if there is none.
  std::string problem() const;
  u64 seed_of_problem() const { return wrong().seed; }

 private:
  struct Wrong {  // the layout in which the kernel writes it
    u64 results;
    u64 seed;
    u64 index;
    i64 expected;
    i64 found;
  };
  Wrong wrong() const;

  Device& device_;
  DeviceBuffer words_;
};

// Items of inclusive sums without an initial value, where items and sums are both integers or both floating-point
// numbers. Every order of adding them gives the same results: integers wrap, floating-point numbers stay exact. Every
// result depends on all items before it.
class KnownSums {
 public:
  static Instantiation kernels(const ScanRequest& request);

  KnownSums(Device& device, const ScanRequest& request);

  // Fills `items` with n items, which differ for each seed.
  void fill(void* items, u64 n, u64 seed, Stream stream) const;
  void check(const void* results, u64 n, u64 seed, const Verdict& verdict, Stream stream) const;

 private:
  void launch(int kernel, u64 n, u64 seed, KernelArguments arguments, Stream stream) const;

  Device& device_;
  std::unique_ptr<Module> module_;
};

}  // namespace scantune
