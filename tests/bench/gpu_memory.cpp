#include "gpu_memory.h"

#include <algorithm>

#include "cuda_check.h"
#include "gpu_kernels.h"
#include "measure/parallel.h"
#include "measure/rotation.h"
#include "reduction_check.h"

namespace scantune::bench {
namespace {

constexpr u64 kTransferBytes = u64{64} << 20;
constexpr u64 kFillBytes = u64{1} << 20;
constexpr u64 kPlaceBytes = 256;                        // buffers start behind multiples of this
constexpr u64 kCheckedItems = u64{1} << 25;             // items of one output that the CPU checks
constexpr u64 kPartItems = 4 * Reference::kChunkItems;  // items that are checked at a time

constexpr int kPoison = 0xa5;

// Page-locked memory, so that copies run at the speed of the bus.
class Staging {
 public:
  Staging() { SCANTUNE_BENCH_CHECK(cudaMallocHost(&data_, kTransferBytes)); }
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::span<std::byte> part(u64 begin, u64 bytes) const { return {data() + begin, bytes}; }

 private:
  void* data_ = nullptr;
};

const Staging& staging() {
  static const Staging kStaging;  // lives as long as the process
  return kStaging;
}

// The room of what lies `offset` items behind a boundary. An index beside a single item has room there too.
u64 place_bytes(const RequestOperand& operand, u64 offset) {
  return round_up((operand.items + offset) * static_cast<u64>(operand.item_bytes), kPlaceBytes);
}

u64 input_place(const Case& subject) { return place_bytes(subject.input(), subject.input_offset); }
u64 output_place(const Case& subject) { return place_bytes(subject.output(), subject.output_offset); }
u64 pair_bytes(const Case& subject) { return input_place(subject) + output_place(subject); }

u64 pair_count(const Case& subject, int launches) {
  return std::clamp<u64>(kRotationBytes / pair_bytes(subject), 1, static_cast<u64>(launches));
}

u64 most_bytes(std::span<const Case> cases) {
  u64 most = 0;
  for (const Case& subject : cases)
    most = std::max(most, std::max(kRotationBytes, pair_bytes(subject)) + output_place(subject));
  return most;
}

}  // namespace

GpuMemory::GpuMemory(u64 bytes) {
  void* data = nullptr;
  SCANTUNE_BENCH_CHECK(cudaMalloc(&data, bytes));
  data_ = static_cast<std::byte*>(data);
}

GpuMemory::~GpuMemory() { cudaFree(data_); }

Arena::Arena(std::span<const Case> cases) : memory_(most_bytes(cases)) {}

Pairs Arena::pairs(const Case& subject, int launches) const {
  const u64 count = pair_count(subject, launches);
  const auto buffers = [&](std::byte* place, const RequestOperand& operand, u64 offset, u64 stride) {
    return Buffers{place + offset * static_cast<u64>(operand.item_bytes), operand.bytes(), stride,
                   static_cast<int>(count)};
  };
  std::byte* const outputs = memory_.data() + count * input_place(subject);
  return {buffers(memory_.data(), subject.input(), subject.input_offset, input_place(subject)),
          buffers(outputs, subject.output(), subject.output_offset, output_place(subject))};
}

std::byte* Arena::expected(const Case& subject, int launches) const {
  return memory_.data() + pair_count(subject, launches) * pair_bytes(subject);
}

void upload(const InputSpec& input, const Pairs& pairs, cudaStream_t stream) {
  const u64 bytes = pairs.inputs.bytes,
            item_bytes = static_cast<u64>(Operands(input.request).of(OperandRole::input).item_bytes);
  for (u64 done = 0; done < bytes; done += kTransferBytes) {
    const u64 transfer = std::min(kTransferBytes, bytes - done);
    parallel_for(ceil_div(transfer, kFillBytes), [&](u64 fill) {
      const u64 begin = fill * kFillBytes;
      fill_input(input, (done + begin) / item_bytes, staging().part(begin, std::min(kFillBytes, transfer - begin)));
    });
    SCANTUNE_BENCH_CHECK(cudaMemcpy(pairs.inputs[0] + done, staging().data(), transfer, cudaMemcpyHostToDevice));
  }
  for (int pair = 1; pair < pairs.count(); ++pair)
    SCANTUNE_BENCH_CHECK(cudaMemcpyAsync(pairs.inputs[pair], pairs.inputs[0], bytes, cudaMemcpyDeviceToDevice, stream));
}

void poison_outputs(const Pairs& pairs, cudaStream_t stream) {
  for (int pair = 0; pair < pairs.count(); ++pair) {
    SCANTUNE_BENCH_CHECK(cudaMemsetAsync(pairs.outputs[pair], kPoison, pairs.outputs.bytes, stream));
    if (pairs.outputs.bytes <= kVectorAlignmentBytes)  // it may be one value, with an index beside it
      SCANTUNE_BENCH_CHECK(cudaMemsetAsync(index_beside(pairs.outputs[pair]), kPoison, sizeof(u64), stream));
  }
}

std::optional<Mismatch> check_around(u64 item, const Request& request, const Reference& reference,
                                     const std::byte* output) {
  const u64 first = item / kPartItems * kPartItems, item_bytes = reference.item_bytes();
  const u64 bytes = std::min(kPartItems, request.n - first) * item_bytes;
  SCANTUNE_BENCH_CHECK(cudaMemcpy(staging().data(), output + first * item_bytes, bytes, cudaMemcpyDeviceToHost));
  return reference.check(first, staging().part(0, bytes));
}

std::optional<Mismatch> check_output(const Request& request, const Reference& reference, const std::byte* output,
                                     Coverage coverage) {
  const u64 parts = ceil_div(request.n, kPartItems);
  const u64 stride = coverage == Coverage::whole ? 1 : ceil_div(request.n, kCheckedItems);
  for (u64 part = 0; part < parts; part = part + 1 == parts ? parts : std::min(part + stride, parts - 1))
    if (auto wrong = check_around(part * kPartItems, request, reference, output)) return wrong;
  return std::nullopt;
}

std::optional<DifferentItem> first_difference(const Request& request, const std::byte* expected, const Pairs& pairs,
                                              cudaStream_t stream) {
  for (int pair = 0; pair < pairs.count(); ++pair) {
    const u64 index = first_difference(pairs.outputs[pair], expected, request.n,
                                       Operands(request).of(OperandRole::output).item_bytes, stream);
    if (index < request.n) return DifferentItem{pair, index};
  }
  return std::nullopt;
}

WrittenResult written_result(std::byte* output) {
  WrittenResult result{};
  const u64 before_index =
      reinterpret_cast<std::uintptr_t>(index_beside(output)) - reinterpret_cast<std::uintptr_t>(output);
  SCANTUNE_BENCH_CHECK(
      cudaMemcpy(result.value, output, std::min<u64>(before_index, sizeof result.value), cudaMemcpyDeviceToHost));
  SCANTUNE_BENCH_CHECK(cudaMemcpy(&result.index, index_beside(output), sizeof result.index, cudaMemcpyDeviceToHost));
  return result;
}

}  // namespace scantune::bench
