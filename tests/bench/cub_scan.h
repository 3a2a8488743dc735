// CUB's inclusive scans behind plain functions, so that only one file needs nvcc.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "config/request.h"

namespace scantune::bench {

// As functions of CUB: with `temporary` null only sets temporary_bytes.
using CubScan = cudaError_t (*)(void* temporary, std::size_t& temporary_bytes, const void* input, void* output, u64 n,
                                cudaStream_t stream);

// CUB's scan of the same items into the same type, by the call that its users would write: InclusiveSum, or
// InclusiveScan for min and max. Only where that would add in a type too narrow for the outputs (i32 to i64, f16 to
// f32), InclusiveScanInit from a zero of the output's type. i8 and i16 it then adds in 32 bits, f16 and bf16 in
// themselves. Null for types and operators that are not built.
CubScan find_cub_scan(ValueType input, ValueType output, Operator op);

int cub_version();  // 100000 * major + 100 * minor + patch

}  // namespace scantune::bench
