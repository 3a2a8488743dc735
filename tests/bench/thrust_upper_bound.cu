// Thrust's upper_bound behind a C function, for load_balances.py: the segment of each of n items, less one.
#include <thrust/binary_search.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/cuda/execution_policy.h>

// Writes to segment_of[0, n) how many of offsets[1, segments] are at most each index.
extern "C" int thrust_upper_bound(const unsigned* offsets, int segments, unsigned* segment_of, int n,
                                  cudaStream_t stream) {
  const thrust::counting_iterator<unsigned> first(0);
  thrust::upper_bound(thrust::cuda::par_nosync.on(stream), offsets + 1, offsets + 1 + segments, first, first + n,
                      segment_of);
  return cudaGetLastError();
}
