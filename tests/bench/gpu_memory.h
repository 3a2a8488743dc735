// Memory of the GPU, and inputs and outputs in it.
#pragma once

#include <cstddef>
#include <span>

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

// `count` inputs one behind the other, or outputs, that launches take in turn.
struct Buffers {
  std::byte* first;
  u64 bytes;  // of one
  u64 stride_bytes;
  int count;

  std::byte* operator[](int index) const { return first + static_cast<u64>(index % count) * stride_bytes; }
};

struct Pairs {
  Buffers inputs;
  Buffers outputs;

  int count() const { return inputs.count; }
};

// Writes the same input to every pair.
void upload(const InputSpec& input, const Pairs& pairs);
void poison_outputs(const Pairs& pairs);
// Throws DeviceError naming `who` and the first wrong item of the first wrong pair.
void check_outputs(const char* who, const Reference& reference, const Pairs& pairs);

// The GPU memory of all cases: as much as the largest needs.
class Arena {
 public:
  explicit Arena(std::span<const ScanRequest> requests);
  // As many pairs as launches can use, over up to 512 MiB.
  Pairs pairs(const ScanRequest& request, int launches) const;

 private:
  GpuMemory memory_;
};

}  // namespace scantune::bench
