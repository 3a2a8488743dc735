#include "measure/copy_kernel.h"

#include <array>
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

Instantiation instantiate(const CopyShape& shape) {
  const std::string name = "copy_vectors_" + std::to_string(shape.unroll) + "_" + token(shape.hint);
  const std::string arguments = std::to_string(kBlockThreads) + ", " + std::to_string(shape.unroll) +
                                ", scantune::CacheHint::" + token(shape.hint);
  return {"#include \"kernels/copy.h\"\nSCANTUNE_KERNEL(" + name + ", " + std::to_string(kBlockThreads) +
              ", 1) {\n  scantune::copy_vectors<" + arguments + ">(arguments);\n}\n",
          {name},
          "the copy kernel " + name};
}

}  // namespace

std::span<const CopyShape> CopyKernel::shapes() { return kShapes; }

CopyKernel::CopyKernel(Device& device, const CopyShape& shape) : device_(device), shape_(shape) {
  const Instantiation instantiation = instantiate(shape);
  const Binary binary = device.compiler().compile(instantiation, device.identity().arch);
  module_ = device.load(binary, instantiation.kernels, std::array{0});
}

void CopyKernel::enqueue(const void* input, void* output, u64 bytes, Stream stream) const {
  const u64 vectors = bytes / kVectorBytes;
  if (vectors == 0) return;
  const u64 block_vectors = static_cast<u64>(kBlockThreads) * static_cast<u64>(shape_.unroll);
  const Launch launch{
      .grid_blocks = static_cast<u32>(ceil_div(vectors, block_vectors)), .block_threads = kBlockThreads, .n = vectors};
  KernelArguments arguments{};
  arguments.input = input;
  arguments.output = output;
  device_.launch(*module_, launch, arguments, stream);
}

}  // namespace scantune
