// Memory of the GPU, and inputs and outputs in it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <span>

#include "case_result.h"
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
  u64 bytes;  // size of one
  u64 stride_bytes;
  int count;

  std::byte* operator[](int index) const { return first + static_cast<u64>(index % count) * stride_bytes; }
};

struct Pairs {
  Buffers inputs;
  Buffers outputs;

  int count() const { return inputs.count; }
};

// The GPU memory of all cases, which is as much as the largest needs.
class Arena {
 public:
  explicit Arena(std::span<const Case> cases);
  // Returns as many pairs as the launches can use, over up to 512 MiB.
  Pairs pairs(const Case& subject, int launches) const;
  // Room for one more output of the case, beside its pairs.
  std::byte* expected(const Case& subject, int launches) const;

 private:
  GpuMemory memory_;
};

// Writes the same input to every pair.
void upload(const InputSpec& input, const Pairs& pairs, cudaStream_t stream);
void poison_outputs(const Pairs& pairs, cudaStream_t stream);

// The part of an output that the CPU checks.
enum class Coverage {
  parts,  // some parts of a long one, evenly spread, with the first and the last
  whole
};

// Compares a scan's output in GPU memory with the CPU's, and returns the first wrong item found.
std::optional<Mismatch> check_output(const Request& request, const Reference& reference, const std::byte* output,
                                     Coverage coverage);
// Compares only the part that the item lies in.
std::optional<Mismatch> check_around(u64 item, const Request& request, const Reference& reference,
                                     const std::byte* output);

struct DifferentItem {
  int pair;
  u64 index;
};

// Compares every output with the expected one, bit by bit, and returns the first item of the first output that differs.
std::optional<DifferentItem> first_difference(const Request& request, const std::byte* expected, const Pairs& pairs,
                                              cudaStream_t stream);

// The value that a reduction has written, whose bytes come first, and its index, which is poison where none was asked
// for.
struct WrittenResult {
  std::byte value[kMaxValueBytes];
  u64 index;
};
WrittenResult written_result(std::byte* output);

}  // namespace scantune::bench
