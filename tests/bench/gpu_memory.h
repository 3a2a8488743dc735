// Memory of the GPU, and inputs and outputs in it.
#pragma once

#include <cstddef>
#include <utility>

#include "measure/inputs.h"
#include "measure/reference.h"

namespace scantune::bench {

class GpuMemory {
 public:
  explicit GpuMemory(u64 bytes);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

// Pairs of input and output, one behind the other, that launches take in turn.
struct Pairs {
  std::byte* inputs;
  std::byte* outputs;
  u64 stride_bytes;
  int count;

  const void* input(int index) const { return inputs + static_cast<u64>(index % count) * stride_bytes; }
  void* output(int index) const { return outputs + static_cast<u64>(index % count) * stride_bytes; }
};

// Writes the same input to every pair.
void upload(const InputSpec& input, const Pairs& pairs);
void poison_outputs(const InputSpec& input, const Pairs& pairs);
// Throws DeviceError naming `who` and the first wrong item of the first wrong pair.
void check_outputs(const char* who, const Reference& reference, const InputSpec& input, const Pairs& pairs);

}  // namespace scantune::bench
