#include "measure/copy_kernel.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace scantune {
namespace {

constexpr u64 kVectorBytes = 16;
constexpr int kBarrierBytes = 8;
constexpr VectorCopyShape kVectorCopies[] = {{256, 1, CacheHint::normal}, {256, 2, CacheHint::normal},
                                             {256, 4, CacheHint::normal}, {256, 8, CacheHint::normal},
                                             {512, 4, CacheHint::normal}, {256, 4, CacheHint::streaming}};
// All keep about 200 KiB of an SM's shared memory in flight; the smaller the stages, the sooner short copies end.
constexpr BulkCopyShape kBulkCopies[] = {{4096, 12, 4}, {8192, 12, 2}, {16384, 12, 1}, {32768, 6, 1}};

// A kernel, and how it is launched for n items.
struct Copy {
  Instantiation instantiation;
  int shared_bytes;
  std::function<Launch(u64 n)> launch_of;
};

Instantiation instantiate(const std::string& name, int block_threads, const std::string& call) {
  return {"#include \"kernels/copy.h\"\nSCANTUNE_KERNEL(" + name + ", " + std::to_string(block_threads) +
              ", 1) {\n  scantune::" + call + "(arguments);\n}\n",
          {"kernels/copy.h"},
          {name},
          "the copy kernel " + name};
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text = words.front();
  for (std::size_t word = 1; word < words.size(); ++word) text += separator + words[word];
  return text;
}

// One side of a copy by vectors: what it reads, or what it writes.
struct Side {
  u64 item_bytes;
  u64 vectors_per_block;

  u64 vectors(u64 items) const { return items * item_bytes / kVectorBytes; }
  u64 blocks(u64 items) const { return ceil_div(vectors(items), vectors_per_block); }
};

Copy prepared(const VectorCopyShape& shape, int input_bytes, int output_bytes) {
  const int common = std::gcd(input_bytes, output_bytes), reads = input_bytes / common, writes = output_bytes / common;
  int steps = 1;
  while ((steps + 1) * reads <= shape.unroll) ++steps;
  const std::vector<std::string> numbers = {std::to_string(shape.block_threads), std::to_string(steps * reads),
                                            std::to_string(steps * writes)};
  const auto side = [&](int item_bytes, int vectors) {
    return Side{static_cast<u64>(item_bytes), static_cast<u64>(steps * vectors * shape.block_threads)};
  };
  const Side read = side(input_bytes, reads), written = side(output_bytes, writes);
  return {instantiate("copy_vectors_" + joined(numbers, "_") + "_" + token(shape.hint), shape.block_threads,
                      "copy_vectors<" + joined(numbers, ", ") + ", scantune::CacheHint::" + token(shape.hint) + ">"),
          0, [=](u64 n) {
            return Launch{.grid_blocks = static_cast<u32>(std::max(read.blocks(n), written.blocks(n))),
                          .block_threads = shape.block_threads,
                          .n = written.vectors(n),
                          .source_offset = read.vectors(n)};
          }};
}

Copy prepared(const BulkCopyShape& shape, int item_bytes, int) {
  const std::vector<std::string> numbers = {std::to_string(shape.stage_bytes), std::to_string(shape.stages)};
  const int shared_bytes = shape.stages * (shape.stage_bytes + kBarrierBytes);
  const std::string name = "copy_bulk_" + joined(numbers, "_") + "_" + std::to_string(shape.ctas_per_sm);
  return {instantiate(name, kWarpThreads, "copy_bulk<" + joined(numbers, ", ") + ">"), shared_bytes, [=](u64 n) {
            const u64 bytes = n * static_cast<u64>(item_bytes) / kVectorBytes * kVectorBytes;
            return Launch{.grid_blocks = static_cast<u32>(ceil_div(bytes, static_cast<u64>(shape.stage_bytes))),
                          .block_threads = kWarpThreads,
                          .shared_bytes = shared_bytes,
                          .n = bytes,
                          .persistent_ctas_per_sm = shape.ctas_per_sm};
          }};
}

// On the host device a bulk copy is one memcpy, which says nothing about kernels that work item by item.
bool copies_in_bulk(int sm) { return sm != kHostSm && limits_of(sm).has_bulk_copy; }

bool fits(const BulkCopyShape& shape, int sm) {
  const ArchLimits limits = limits_of(sm);
  constexpr int kReservedBytes = 1024;  // of each CTA, by the system
  const int cta_bytes = shape.stages * (shape.stage_bytes + kBarrierBytes) + kReservedBytes;
  return shape.ctas_per_sm * cta_bytes <= limits.shared_bytes_per_block + kReservedBytes;
}

}  // namespace

std::vector<CopyShape> CopyKernel::shapes(int sm, int input_bytes, int output_bytes) {
  std::vector<CopyShape> shapes(std::begin(kVectorCopies), std::end(kVectorCopies));
  if (input_bytes == output_bytes && copies_in_bulk(sm))
    for (const BulkCopyShape& shape : kBulkCopies)
      if (fits(shape, sm)) shapes.emplace_back(shape);
  return shapes;
}

std::vector<CopyKernel> CopyKernel::all(Device& device, int input_bytes, int output_bytes) {
  std::vector<CopyKernel> kernels;
  for (const CopyShape& shape : shapes(device.identity().sm, input_bytes, output_bytes))
    kernels.emplace_back(device, shape, input_bytes, output_bytes);
  return kernels;
}

CopyKernel::CopyKernel(Device& device, const CopyShape& shape, int input_bytes, int output_bytes) : device_(device) {
  Copy copy = std::visit([&](const auto& one) { return prepared(one, input_bytes, output_bytes); }, shape);
  const Binary binary = device.compiler().compile(copy.instantiation, device.identity().arch);
  module_ = device.load(binary, copy.instantiation.kernels, std::array{copy.shared_bytes});
  name_ = copy.instantiation.kernels.front();
  launch_of_ = std::move(copy.launch_of);
}

void CopyKernel::enqueue(const void* input, void* output, u64 n, Stream stream) const {
  const Launch launch = launch_of_(n);
  if (launch.grid_blocks == 0) return;
  KernelArguments arguments{};
  arguments.input = input;
  arguments.output = output;
  device_.launch(*module_, launch, arguments, stream);
}

}  // namespace scantune
