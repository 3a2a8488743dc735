#include "measure/copy_kernel.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

namespace scantune {
namespace {

constexpr int kBlockThreads = 256;
constexpr u64 kVectorBytes = 16;
constexpr CopyShape kShapes[] = {{1, CacheHint::normal},
                                 {2, CacheHint::normal},
                                 {4, CacheHint::normal},
                                 {8, CacheHint::normal},
                                 {4, CacheHint::streaming}};

Instantiation instantiate(u64 reads, u64 writes, CacheHint hint) {
  const std::string name = "copy_vectors_" + std::to_string(reads) + "_" + std::to_string(writes) + "_" + token(hint);
  const std::string arguments = std::to_string(kBlockThreads) + ", " + std::to_string(reads) + ", " +
                                std::to_string(writes) + ", scantune::CacheHint::" + token(hint);
  return {"#include \"kernels/copy.h\"\nSCANTUNE_KERNEL(" + name + ", " + std::to_string(kBlockThreads) +
              ", 1) {\n  scantune::copy_vectors<" + arguments + ">(arguments);\n}\n",
          {name},
          "the copy kernel " + name};
}

}  // namespace

std::span<const CopyShape> CopyKernel::shapes() { return kShapes; }

std::vector<CopyKernel> CopyKernel::all(Device& device, int input_bytes, int output_bytes) {
  std::vector<CopyKernel> kernels;
  for (const CopyShape& shape : shapes()) kernels.emplace_back(device, shape, input_bytes, output_bytes);
  return kernels;
}

u64 CopyKernel::Side::vectors(u64 items) const { return items * item_bytes / kVectorBytes; }

u64 CopyKernel::Side::blocks(u64 items) const { return ceil_div(vectors(items), vectors_per_thread * kBlockThreads); }

CopyKernel::CopyKernel(Device& device, const CopyShape& shape, int input_bytes, int output_bytes) : device_(device) {
  const int common = std::gcd(input_bytes, output_bytes);
  const u64 reads = static_cast<u64>(input_bytes / common), writes = static_cast<u64>(output_bytes / common);
  u64 steps = 1;
  while ((steps + 1) * reads <= static_cast<u64>(shape.unroll)) ++steps;
  read_ = {static_cast<u64>(input_bytes), steps * reads};
  written_ = {static_cast<u64>(output_bytes), steps * writes};
  const Instantiation instantiation = instantiate(read_.vectors_per_thread, written_.vectors_per_thread, shape.hint);
  const Binary binary = device.compiler().compile(instantiation, device.identity().arch);
  module_ = device.load(binary, instantiation.kernels, std::array{0});
}

void CopyKernel::enqueue(const void* input, void* output, u64 n, Stream stream) const {
  const u64 blocks = std::max(read_.blocks(n), written_.blocks(n));
  if (blocks == 0) return;
  const Launch launch{.grid_blocks = static_cast<u32>(blocks),
                      .block_threads = kBlockThreads,
                      .n = written_.vectors(n),
                      .source_offset = read_.vectors(n)};
  KernelArguments arguments{};
  arguments.input = input;
  arguments.output = output;
  device_.launch(*module_, launch, arguments, stream);
}

}  // namespace scantune
