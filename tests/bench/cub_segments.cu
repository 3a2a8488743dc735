// CUB's reductions and sorts of segments and its merge sorts behind one C function, for segments.py.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/version.cuh>

#include "cub_segments.h"

namespace {

struct Less {
  template <class Key>
  __device__ bool operator()(const Key& a, const Key& b) const {
    return a < b;
  }
};

template <class Item, class Offset>
cudaError_t sum(const CubSegments& call) {
  const auto* offsets = static_cast<const Offset*>(call.offsets);
  return cub::DeviceSegmentedReduce::Sum(call.temporary, *call.temporary_bytes, static_cast<const Item*>(call.input),
                                         static_cast<Item*>(call.output), call.segments, offsets, offsets + 1,
                                         call.stream);
}

template <class Key>
cudaError_t sort(const CubSegments& call) {
  const auto* keys = static_cast<const Key*>(call.input);
  auto* output = static_cast<Key*>(call.output);
  size_t& bytes = *call.temporary_bytes;
  if (call.algorithm == kSegmentedSort)
    return with_width(call.offset_bytes, [&](auto* offset) {
      const auto* offsets = static_cast<const std::remove_pointer_t<decltype(offset)>*>(call.offsets);
      return cub::DeviceSegmentedSort::SortKeys(call.temporary, bytes, keys, output, call.n, call.segments, offsets,
                                                offsets + 1, call.stream);
    });
  if (call.value_bytes == 0)
    return cub::DeviceMergeSort::StableSortKeysCopy(call.temporary, bytes, keys, output, call.n, Less{}, call.stream);
  return cub::DeviceMergeSort::SortPairsCopy(call.temporary, bytes, keys, static_cast<const unsigned*>(call.values),
                                             output, static_cast<unsigned*>(call.values_output), call.n, Less{},
                                             call.stream);
}

}  // namespace

extern "C" int cub_version() { return CUB_VERSION; }

extern "C" int cub_run(const CubSegments* call) {
  if (call->algorithm == kSegmentedReduce)
    return with_number(call->type, [&](auto* item) {
      return with_width(call->offset_bytes, [&](auto* offset) {
        return sum<std::remove_pointer_t<decltype(item)>, std::remove_pointer_t<decltype(offset)>>(*call);
      });
    });
  if (call->algorithm != kSegmentedSort && call->algorithm != kMergeSort) return cudaErrorNotSupported;
  return with_key(call->type, [&](auto* key) { return sort<std::remove_pointer_t<decltype(key)>>(*call); });
}
