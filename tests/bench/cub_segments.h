// What segments.py asks of cub_by_keys.cu and cub_segments.cu, each a library of its own. Counts have 32 bits.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

enum CubAlgorithm { kScanByKey, kReduceByKey, kRunLengths, kSegmentedReduce, kSegmentedSort, kMergeSort };

struct CubSegments {
  int algorithm;  // a CubAlgorithm
  int type;       // of the items: 0: i8, 1: i32, 2: f32, 3: f64, 4: u32, 5: u64
  int key_bytes;  // of a run's keys
  int offset_bytes;
  int value_bytes;  // 4: moved with the keys of a merge sort; else 0
  int exclusive;
  int n;
  int segments;
  void* temporary;  // null: only *temporary_bytes is written
  size_t* temporary_bytes;
  const void* input;
  const void* keys;
  const void* offsets;  // where each segment begins, and where the last one ends
  const void* values;
  void* output;
  void* keys_output;
  void* values_output;
  int* count;
  cudaStream_t stream;
};

// Calls f with a null pointer to the type that a number of CubSegments::type says.
template <class F>
cudaError_t with_number(int type, F f) {
  switch (type) {
    case 0:
      return f(static_cast<signed char*>(nullptr));
    case 1:
      return f(static_cast<int*>(nullptr));
    case 2:
      return f(static_cast<float*>(nullptr));
    case 3:
      return f(static_cast<double*>(nullptr));
    default:
      return cudaErrorInvalidValue;
  }
}

template <class F>
cudaError_t with_key(int type, F f) {
  switch (type) {
    case 2:
      return f(static_cast<float*>(nullptr));
    case 4:
      return f(static_cast<unsigned*>(nullptr));
    case 5:
      return f(static_cast<unsigned long long*>(nullptr));
    default:
      return cudaErrorInvalidValue;
  }
}

template <class F>
cudaError_t with_width(int bytes, F f) {
  if (bytes == 4) return f(static_cast<unsigned*>(nullptr));
  return f(static_cast<unsigned long long*>(nullptr));
}
