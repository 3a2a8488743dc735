// CUB's exclusive sum of flags that a transform iterator makes of items, behind one C function, for maps.py.
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include <thrust/iterator/transform_iterator.h>

namespace {

struct Less {
  int bound;
  __host__ __device__ int operator()(int item) const { return item < bound; }
};

}  // namespace

extern "C" int cub_version() { return CUB_VERSION; }

// output[i] = how many items before item i are less than the bound. temporary: null: only *bytes is written.
extern "C" int cub_offsets(void* temporary, size_t* bytes, const int* input, int* output, int n, int bound,
                           cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(temporary, *bytes, thrust::make_transform_iterator(input, Less{bound}), output,
                                       n, stream);
}
