// Kernels of the benchmark itself.
#pragma once

#include <cuda_runtime_api.h>

#include "config/types.h"

namespace scantune::bench {

// The index of the first item whose bytes differ, or n. item_bytes: 1, 2, 4 or 8, to which both are aligned. Waits for
// everything before it in the stream.
u64 first_difference(const void* left, const void* right, u64 n, int item_bytes, cudaStream_t stream);

// A short kernel of 132 CTAs that knows nothing of programmatic dependent launch: what surrounds an isolated scan.
void enqueue_ordinary_kernel(cudaStream_t stream);

}  // namespace scantune::bench
