// CUB's scans and reductions by keys behind one C function, for segments.py.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include "cub_segments.h"

namespace {

template <class Item, class Key>
cudaError_t by_keys(const CubSegments& call) {
  const auto* items = static_cast<const Item*>(call.input);
  const auto* keys = static_cast<const Key*>(call.keys);
  auto* output = static_cast<Item*>(call.output);
  size_t& bytes = *call.temporary_bytes;
  if (call.algorithm == kReduceByKey)
    return cub::DeviceReduce::ReduceByKey(call.temporary, bytes, keys, static_cast<Key*>(call.keys_output), items,
                                          output, call.count, ::cuda::std::plus<>{}, call.n, call.stream);
  if (call.exclusive != 0)
    return cub::DeviceScan::ExclusiveSumByKey(call.temporary, bytes, keys, items, output, call.n,
                                              ::cuda::std::equal_to<>{}, call.stream);
  return cub::DeviceScan::InclusiveSumByKey(call.temporary, bytes, keys, items, output, call.n,
                                            ::cuda::std::equal_to<>{}, call.stream);
}

}  // namespace

extern "C" int cub_version() { return CUB_VERSION; }

extern "C" int cub_run(const CubSegments* call) {
  if (call->algorithm == kRunLengths)
    return with_key(call->type, [&](auto* key) {
      using Key = std::remove_pointer_t<decltype(key)>;
      return cub::DeviceRunLengthEncode::Encode(
          call->temporary, *call->temporary_bytes, static_cast<const Key*>(call->keys),
          static_cast<Key*>(call->keys_output), static_cast<unsigned*>(call->output), call->count, call->n,
          call->stream);
    });
  if (call->algorithm != kScanByKey && call->algorithm != kReduceByKey) return cudaErrorNotSupported;
  return with_number(call->type, [&](auto* item) {
    return with_width(call->key_bytes, [&](auto* key) {
      return by_keys<std::remove_pointer_t<decltype(item)>, std::remove_pointer_t<decltype(key)>>(*call);
    });
  });
}
