// The copy kernels whose fastest is the ceiling of a scan's bandwidth (cudaMemcpy is slower at large sizes).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/device.h"

namespace scantune {

struct CopyShape {
  int unroll;  // 16-byte vectors that a thread reads before it writes any
  CacheHint hint;
};

// Moves as many bytes as a scan whose items have these sizes. Where they are equal it copies.
class CopyKernel {
 public:
  static std::span<const CopyShape> shapes();
  // One of every shape.
  static std::vector<CopyKernel> all(Device& device, int input_bytes, int output_bytes);

  CopyKernel(Device& device, const CopyShape& shape, int input_bytes, int output_bytes);

  // Reads and writes the bytes of n items, either rounded down to whole 16-byte vectors. Both pointers are multiples
  // of 16.
  void enqueue(const void* input, void* output, u64 n, Stream stream) const;

 private:
  struct Side {
    u64 item_bytes;
    u64 vectors_per_thread;

    u64 vectors(u64 items) const;
    u64 blocks(u64 items) const;
  };

  Device& device_;
  Side read_;
  Side written_;
  std::unique_ptr<Module> module_;
};

}  // namespace scantune
