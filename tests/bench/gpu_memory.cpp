#include "gpu_memory.h"

#include <algorithm>

#include "cuda_check.h"
#include "measure/parallel.h"
#include "measure/rotation.h"

namespace scantune::bench {
namespace {

constexpr u64 kTransferBytes = u64{64} << 20;  // a multiple of a reference's chunk
constexpr u64 kFillBytes = u64{1} << 20;
constexpr u64 kPlaceBytes = 256;  // buffers start at multiples of this

// Page-locked, so that copies run at the speed of the bus.
class Staging {
 public:
  Staging() { SCANTUNE_BENCH_CHECK(cudaMallocHost(&data_, kTransferBytes)); }
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::span<std::byte> part(u64 begin, u64 bytes) const { return {data() + begin, bytes}; }

 private:
  void* data_ = nullptr;
};

const Staging& staging() {
  static const Staging kStaging;  // for the life of the process
  return kStaging;
}

u64 place_bytes(u64 items, int item_bytes) { return round_up(items * static_cast<u64>(item_bytes), kPlaceBytes); }

u64 pair_bytes(const ScanRequest& request) {
  return place_bytes(request.n, request.input_bytes()) + place_bytes(request.n, request.output_bytes());
}

u64 most_bytes(std::span<const ScanRequest> requests) {
  u64 most = kRotationBytes;
  for (const ScanRequest& request : requests) most = std::max(most, pair_bytes(request));
  return most;
}

}  // namespace

GpuMemory::GpuMemory(u64 bytes) {
  void* data = nullptr;
  SCANTUNE_BENCH_CHECK(cudaMalloc(&data, bytes));
  data_ = static_cast<std::byte*>(data);
}

GpuMemory::~GpuMemory() { cudaFree(data_); }

void upload(const InputSpec& input, const Pairs& pairs) {
  const u64 bytes = pairs.inputs.bytes, item_bytes = static_cast<u64>(input.request.input_bytes());
  for (u64 done = 0; done < bytes; done += kTransferBytes) {
    const u64 transfer = std::min(kTransferBytes, bytes - done);
    parallel_for(ceil_div(transfer, kFillBytes), [&](u64 fill) {
      const u64 begin = fill * kFillBytes;
      fill_input(input, (done + begin) / item_bytes, staging().part(begin, std::min(kFillBytes, transfer - begin)));
    });
    for (int pair = 0; pair < pairs.count(); ++pair)
      SCANTUNE_BENCH_CHECK(cudaMemcpy(pairs.inputs[pair] + done, staging().data(), transfer, cudaMemcpyHostToDevice));
  }
}

void poison_outputs(const Pairs& pairs) {
  for (int pair = 0; pair < pairs.count(); ++pair)
    SCANTUNE_BENCH_CHECK(cudaMemset(pairs.outputs[pair], 0xa5, pairs.outputs.bytes));
}

void check_outputs(const char* who, const Reference& reference, const Pairs& pairs) {
  SCANTUNE_BENCH_CHECK(cudaDeviceSynchronize());
  for (int pair = 0; pair < pairs.count(); ++pair) {
    for (u64 done = 0; done < pairs.outputs.bytes; done += kTransferBytes) {
      const u64 transfer = std::min(kTransferBytes, pairs.outputs.bytes - done);
      SCANTUNE_BENCH_CHECK(cudaMemcpy(staging().data(), pairs.outputs[pair] + done, transfer, cudaMemcpyDeviceToHost));
      const auto wrong = reference.check(done / reference.item_bytes(), staging().part(0, transfer));
      if (wrong)
        throw DeviceError(std::string(who) + " is wrong in buffer " + std::to_string(pair) + ": item " +
                          std::to_string(wrong->index) + " should be " + wrong->expected + ", found " + wrong->found);
    }
  }
}

Arena::Arena(std::span<const ScanRequest> requests) : memory_(most_bytes(requests)) {}

Pairs Arena::pairs(const ScanRequest& request, int launches) const {
  const u64 input_stride = place_bytes(request.n, request.input_bytes());
  const u64 output_stride = place_bytes(request.n, request.output_bytes());
  const u64 fitting = kRotationBytes / (input_stride + output_stride);
  const u64 count = std::clamp<u64>(fitting, 1, static_cast<u64>(launches));
  const auto buffers = [&](std::byte* first, int item_bytes, u64 stride) {
    return Buffers{first, request.n * static_cast<u64>(item_bytes), stride, static_cast<int>(count)};
  };
  return {buffers(memory_.data(), request.input_bytes(), input_stride),
          buffers(memory_.data() + count * input_stride, request.output_bytes(), output_stride)};
}

}  // namespace scantune::bench
