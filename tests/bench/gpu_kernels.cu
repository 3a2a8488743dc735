#include "gpu_kernels.h"

#include "cuda_check.h"

namespace scantune::bench {
namespace {

constexpr int kBlockThreads = 256;
constexpr int kComparingBlocks = 1056;
constexpr int kOrdinaryBlocks = 132;

__device__ u64 first_different;
__device__ u32 ordinary_words[kOrdinaryBlocks * kBlockThreads];

template <class Item>
__global__ void compare(const Item* left, const Item* right, u64 n) {
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 item = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; item < n; item += stride) {
    if (left[item] == right[item]) continue;
    atomicMin(&first_different, item);
    return;
  }
}

template <class Item>
void enqueue_compare(const void* left, const void* right, u64 n, cudaStream_t stream) {
  compare<<<kComparingBlocks, kBlockThreads, 0, stream>>>(static_cast<const Item*>(left),
                                                          static_cast<const Item*>(right), n);
  SCANTUNE_BENCH_CHECK(cudaGetLastError());
}

__global__ void ordinary() {
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  ordinary_words[thread] += thread;
}

}  // namespace

u64 first_difference(const void* left, const void* right, u64 n, int item_bytes, cudaStream_t stream) {
  u64 found = n;
  SCANTUNE_BENCH_CHECK(cudaMemcpyToSymbolAsync(first_different, &found, sizeof found, 0, cudaMemcpyDefault, stream));
  switch (item_bytes) {
    case 1:
      enqueue_compare<u8>(left, right, n, stream);
      break;
    case 2:
      enqueue_compare<u16>(left, right, n, stream);
      break;
    case 4:
      enqueue_compare<u32>(left, right, n, stream);
      break;
    case 8:
      enqueue_compare<u64>(left, right, n, stream);
      break;
    default:
      throw Error("items of " + std::to_string(item_bytes) + " bytes cannot be compared");
  }
  SCANTUNE_BENCH_CHECK(cudaMemcpyFromSymbolAsync(&found, first_different, sizeof found, 0, cudaMemcpyDefault, stream));
  SCANTUNE_BENCH_CHECK(cudaStreamSynchronize(stream));
  return found;
}

void enqueue_ordinary_kernel(cudaStream_t stream) {
  ordinary<<<kOrdinaryBlocks, kBlockThreads, 0, stream>>>();
  SCANTUNE_BENCH_CHECK(cudaGetLastError());
}

}  // namespace scantune::bench
