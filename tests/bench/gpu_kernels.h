// Kernels of the benchmark itself.
#pragma once

#include <cuda_runtime_api.h>

#include "core/contract/types.h"

namespace scantune::bench {

// Returns the index of the first item whose bytes differ, or n. item_bytes is 1, 2, 4 or 8, and both pointers are
// aligned to it. Waits for everything before it in the stream.
u64 first_difference(const void* left, const void* right, u64 n, int item_bytes, cudaStream_t stream);

// Enqueues a short kernel of 132 CTAs without programmatic dependent launch, as it surrounds an isolated scan.
void enqueue_ordinary_kernel(cudaStream_t stream);

}  // namespace scantune::bench
