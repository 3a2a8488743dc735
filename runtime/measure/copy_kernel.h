// The copy kernels whose fastest is the ceiling of a scan's bandwidth (cudaMemcpy is slower at large sizes).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "device/device.h"

namespace scantune {

// Every thread reads a few vectors of 16 bytes before it writes any.
struct VectorCopyShape {
  int block_threads;
  int unroll;  // vectors that a thread reads
  CacheHint hint;
};

// Persistent CTAs copy through a ring of stages in shared memory, asynchronously.
struct BulkCopyShape {
  int stage_bytes;
  int stages;
  int ctas_per_sm;
};

using CopyShape = std::variant<VectorCopyShape, BulkCopyShape>;

// Moves as many bytes as a scan whose items have these sizes. Where they are equal it copies.
class CopyKernel {
 public:
  // Those that run on an architecture. In bulk only equal sizes are copied.
  static std::vector<CopyShape> shapes(int sm, int input_bytes, int output_bytes);
  // One of every shape.
  static std::vector<CopyKernel> all(Device& device, int input_bytes, int output_bytes);

  CopyKernel(Device& device, const CopyShape& shape, int input_bytes, int output_bytes);

  // Reads and writes the bytes of n items, either rounded down to whole 16-byte vectors. Both pointers are multiples
  // of 16.
  void enqueue(const void* input, void* output, u64 n, Stream stream) const;

  const std::string& name() const { return name_; }

 private:
  Device& device_;
  std::string name_;
  std::function<Launch(u64 n)> launch_of_;
  std::unique_ptr<Module> module_;
};

}  // namespace scantune
