// Keeps the numbers of a range with CUB: the functor's members are the range.
#include <cub/device/device_select.cuh>

#include <cstddef>
#include <cstdint>

struct InRange {
  float low, high;
  __device__ bool operator()(float x) const { return low <= x && x < high; }
};

cudaError_t keep(const float* in, float* out, std::uint64_t* count, std::int64_t n, InRange range,
                 cudaStream_t stream) {
  std::size_t bytes = 0;
  void* temporary = nullptr;
  cub::DeviceSelect::If(nullptr, bytes, in, out, count, n, range, stream);
  cudaMalloc(&temporary, bytes);
  const cudaError_t status = cub::DeviceSelect::If(temporary, bytes, in, out, count, n, range, stream);
  cudaFree(temporary);
  return status;
}
