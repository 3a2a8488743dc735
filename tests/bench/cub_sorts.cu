// CUB's radix sorts behind one C function, for sorts.py. It is compiled once for every build of CUB into a library of
// its own. The count has 32 bits, as in programs that call CUB.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/version.cuh>

// What sorts.py asks for.
struct CubSort {
  int key_type;     // 0: u8, 1: u16, 2: u32, 3: u64, 4: f32, 5: i8, 6: f16, 7: bf16
  int value_bytes;  // 4, 8, 16 or 32; of the last three types 4 or 8; 0: there are no values
  int descending;   // 0 or 1
  int begin_bit;    // the bits from this one on
  int end_bit;      // and before this one are compared
  int form;         // a Form
  unsigned n;       // keys
  unsigned rows;    // of n / rows keys each, where rows are sorted by themselves; else 1
  void* temporary;  // null: only *temporary_bytes is written
  size_t* temporary_bytes;
  void* keys;  // kept but by the form with double buffers
  void* keys_output;
  void* values;
  void* values_output;
  int* current;  // receives which keys and values the result is in: 0 or 1, of the output
  cudaStream_t stream;
};

namespace {

enum Form { kPlain, kDoubleBuffer, kSegmentedSort, kSegmentedRadixSort };

template <int kBytes>
struct alignas(16) Item {
  unsigned words[kBytes / 4];
};

template <class Key>
cudaError_t sort_keys(const CubSort& call) {
  const auto* keys = static_cast<const Key*>(call.keys);
  auto* output = static_cast<Key*>(call.keys_output);
  size_t& bytes = *call.temporary_bytes;
  if (call.form == kPlain) {
    *call.current = 1;
    return call.descending ? cub::DeviceRadixSort::SortKeysDescending(call.temporary, bytes, keys, output, call.n,
                                                                      call.begin_bit, call.end_bit, call.stream)
                           : cub::DeviceRadixSort::SortKeys(call.temporary, bytes, keys, output, call.n, call.begin_bit,
                                                            call.end_bit, call.stream);
  }
  cub::DoubleBuffer<Key> both(static_cast<Key*>(call.keys), output);
  const cudaError_t status = call.descending
                                 ? cub::DeviceRadixSort::SortKeysDescending(call.temporary, bytes, both, call.n,
                                                                            call.begin_bit, call.end_bit, call.stream)
                                 : cub::DeviceRadixSort::SortKeys(call.temporary, bytes, both, call.n, call.begin_bit,
                                                                  call.end_bit, call.stream);
  *call.current = both.selector;
  return status;
}

template <class Key, class Value>
cudaError_t sort_pairs(const CubSort& call) {
  const auto* keys = static_cast<const Key*>(call.keys);
  const auto* values = static_cast<const Value*>(call.values);
  auto* output = static_cast<Key*>(call.keys_output);
  auto* values_output = static_cast<Value*>(call.values_output);
  size_t& bytes = *call.temporary_bytes;
  if (call.form == kPlain) {
    *call.current = 1;
    return call.descending
               ? cub::DeviceRadixSort::SortPairsDescending(call.temporary, bytes, keys, output, values, values_output,
                                                           call.n, call.begin_bit, call.end_bit, call.stream)
               : cub::DeviceRadixSort::SortPairs(call.temporary, bytes, keys, output, values, values_output, call.n,
                                                 call.begin_bit, call.end_bit, call.stream);
  }
  cub::DoubleBuffer<Key> both(static_cast<Key*>(call.keys), output);
  cub::DoubleBuffer<Value> both_values(static_cast<Value*>(call.values), values_output);
  const cudaError_t status =
      call.descending ? cub::DeviceRadixSort::SortPairsDescending(call.temporary, bytes, both, both_values, call.n,
                                                                  call.begin_bit, call.end_bit, call.stream)
                      : cub::DeviceRadixSort::SortPairs(call.temporary, bytes, both, both_values, call.n,
                                                        call.begin_bit, call.end_bit, call.stream);
  *call.current = both.selector;
  return status;
}

struct StartOfRow {
  unsigned length;
  __host__ __device__ unsigned operator()(unsigned row) const { return row * length; }
};

// Rows of u32 keys, in ascending order. Both are stable: the plain segmented sort of pairs need not be.
cudaError_t sort_rows(const CubSort& call) {
  const auto* keys = static_cast<const unsigned*>(call.keys);
  const auto* values = static_cast<const unsigned*>(call.values);
  auto* output = static_cast<unsigned*>(call.keys_output);
  auto* values_output = static_cast<unsigned*>(call.values_output);
  size_t& bytes = *call.temporary_bytes;
  const auto starts =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0u), StartOfRow{call.n / call.rows});
  const auto ends = starts + 1;
  *call.current = 1;
  if (call.form == kSegmentedSort)
    return call.value_bytes == 0
               ? cub::DeviceSegmentedSort::SortKeys(call.temporary, bytes, keys, output, call.n, call.rows, starts,
                                                    ends, call.stream)
               : cub::DeviceSegmentedSort::StableSortPairs(call.temporary, bytes, keys, output, values, values_output,
                                                           call.n, call.rows, starts, ends, call.stream);
  return call.value_bytes == 0
             ? cub::DeviceSegmentedRadixSort::SortKeys(call.temporary, bytes, keys, output, call.n, call.rows, starts,
                                                       ends, call.begin_bit, call.end_bit, call.stream)
             : cub::DeviceSegmentedRadixSort::SortPairs(call.temporary, bytes, keys, output, values, values_output,
                                                        call.n, call.rows, starts, ends, call.begin_bit, call.end_bit,
                                                        call.stream);
}

// Few values, since each kind takes long to compile.
template <class Key>
cudaError_t sort_narrow(const CubSort& call) {
  switch (call.value_bytes) {
    case 0:
      return sort_keys<Key>(call);
    case 4:
      return sort_pairs<Key, unsigned>(call);
    case 8:
      return sort_pairs<Key, unsigned long long>(call);
    default:
      return cudaErrorInvalidValue;
  }
}

template <class Key>
cudaError_t sort(const CubSort& call) {
  switch (call.value_bytes) {
    case 16:
      return sort_pairs<Key, Item<16>>(call);
    case 32:
      return sort_pairs<Key, Item<32>>(call);
    default:
      return sort_narrow<Key>(call);
  }
}

}  // namespace

extern "C" int cub_version() { return CUB_VERSION; }

extern "C" int cub_sort(const CubSort* call) {
  if (call->form == kSegmentedSort || call->form == kSegmentedRadixSort) {
    const bool is_known = call->key_type == 2 && call->value_bytes <= 4 && !call->descending;
    return is_known ? sort_rows(*call) : cudaErrorInvalidValue;
  }
  switch (call->key_type) {
    case 0:
      return sort<unsigned char>(*call);
    case 1:
      return sort<unsigned short>(*call);
    case 2:
      return sort<unsigned>(*call);
    case 3:
      return sort<unsigned long long>(*call);
    case 4:
      return sort<float>(*call);
    case 5:
      return sort_narrow<signed char>(*call);
    case 6:
      return sort_narrow<__half>(*call);
    case 7:
      return sort_narrow<__nv_bfloat16>(*call);
    default:
      return cudaErrorInvalidValue;
  }
}
