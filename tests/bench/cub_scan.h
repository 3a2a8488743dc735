// CUB's inclusive sum behind plain functions, so that only one file needs nvcc.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace scantune::bench {

// temporary null: only sets temporary_bytes. Type is int, long long, float or double.
template <class Type>
cudaError_t cub_inclusive_sum(void* temporary, std::size_t& temporary_bytes, const Type* input, Type* output,
                              unsigned long long n, cudaStream_t stream);

int cub_version();  // 100000 * major + 100 * minor + patch

}  // namespace scantune::bench
