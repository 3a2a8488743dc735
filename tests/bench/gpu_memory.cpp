#include "gpu_memory.h"

#include <algorithm>

#include "cuda_check.h"
#include "measure/parallel.h"

namespace scantune::bench {
namespace {

constexpr u64 kTransferBytes = u64{64} << 20;  // a multiple of a reference's chunk
constexpr u64 kFillBytes = u64{1} << 20;

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

u64 item_bytes_of(const InputSpec& input) { return static_cast<u64>(size_of(input.type)); }

}  // namespace

GpuMemory::GpuMemory(u64 bytes) {
  void* data = nullptr;
  SCANTUNE_BENCH_CHECK(cudaMalloc(&data, bytes));
  data_ = static_cast<std::byte*>(data);
}

GpuMemory::~GpuMemory() { cudaFree(data_); }

void upload(const InputSpec& input, const Pairs& pairs) {
  const u64 bytes = input.n * item_bytes_of(input);
  for (u64 done = 0; done < bytes; done += kTransferBytes) {
    const u64 transfer = std::min(kTransferBytes, bytes - done);
    parallel_for(ceil_div(transfer, kFillBytes), [&](u64 fill) {
      const u64 begin = fill * kFillBytes;
      fill_input(input, (done + begin) / item_bytes_of(input),
                 staging().part(begin, std::min(kFillBytes, transfer - begin)));
    });
    for (int pair = 0; pair < pairs.count; ++pair)
      SCANTUNE_BENCH_CHECK(cudaMemcpy(pairs.inputs + static_cast<u64>(pair) * pairs.stride_bytes + done,
                                      staging().data(), transfer, cudaMemcpyHostToDevice));
  }
}

void poison_outputs(const InputSpec& input, const Pairs& pairs) {
  for (int pair = 0; pair < pairs.count; ++pair)
    SCANTUNE_BENCH_CHECK(cudaMemset(pairs.output(pair), 0xa5, input.n * item_bytes_of(input)));
}

void check_outputs(const char* who, const Reference& reference, const InputSpec& input, const Pairs& pairs) {
  const u64 bytes = input.n * item_bytes_of(input);
  SCANTUNE_BENCH_CHECK(cudaDeviceSynchronize());
  for (int pair = 0; pair < pairs.count; ++pair) {
    for (u64 done = 0; done < bytes; done += kTransferBytes) {
      const u64 transfer = std::min(kTransferBytes, bytes - done);
      const std::byte* from = static_cast<const std::byte*>(pairs.output(pair)) + done;
      SCANTUNE_BENCH_CHECK(cudaMemcpy(staging().data(), from, transfer, cudaMemcpyDeviceToHost));
      const auto wrong = reference.check(done / item_bytes_of(input), staging().part(0, transfer));
      if (wrong)
        throw DeviceError(std::string(who) + " is wrong in buffer " + std::to_string(pair) + ": item " +
                          std::to_string(wrong->index) + " should be " + wrong->expected + ", found " + wrong->found);
    }
  }
}

}  // namespace scantune::bench
