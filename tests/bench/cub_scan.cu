#include <climits>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include "cub_scan.h"

namespace scantune::bench {

template <class Type>
cudaError_t cub_inclusive_sum(void* temporary, std::size_t& temporary_bytes, const Type* input, Type* output,
                              unsigned long long n, cudaStream_t stream) {
  // A 32-bit count wherever it suffices, as callers of CUB do: its kernels are faster with one.
  if (n <= INT_MAX)
    return cub::DeviceScan::InclusiveSum(temporary, temporary_bytes, input, output, static_cast<int>(n), stream);
  return cub::DeviceScan::InclusiveSum(temporary, temporary_bytes, input, output, static_cast<long long>(n), stream);
}

template cudaError_t cub_inclusive_sum(void*, std::size_t&, const int*, int*, unsigned long long, cudaStream_t);
template cudaError_t cub_inclusive_sum(void*, std::size_t&, const long long*, long long*, unsigned long long,
                                       cudaStream_t);
template cudaError_t cub_inclusive_sum(void*, std::size_t&, const float*, float*, unsigned long long, cudaStream_t);
template cudaError_t cub_inclusive_sum(void*, std::size_t&, const double*, double*, unsigned long long, cudaStream_t);

int cub_version() { return CUB_VERSION; }

}  // namespace scantune::bench
