// The copy kernels whose fastest is the ceiling of a scan's bandwidth (cudaMemcpy is slower at large sizes).
#pragma once

#include <memory>
#include <span>

#include "device/device.h"

namespace scantune {

struct CopyShape {
  int unroll;  // 16-byte vectors in flight per thread
  CacheHint hint;
};

class CopyKernel {
 public:
  static std::span<const CopyShape> shapes();

  CopyKernel(Device& device, const CopyShape& shape);

  // Copies whole 16-byte vectors: bytes rounded down. Both pointers are multiples of 16.
  void enqueue(const void* input, void* output, u64 bytes, Stream stream) const;

 private:
  Device& device_;
  CopyShape shape_;
  std::unique_ptr<Module> module_;
};

}  // namespace scantune
