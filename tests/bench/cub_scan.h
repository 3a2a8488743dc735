// CUB's scans behind plain functions, so that only cub_scan.cu knows CUB.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "config/scan.h"

namespace scantune::bench {

// As functions of CUB: with `temporary` null only sets temporary_bytes. init: the initial value of an exclusive scan,
// an item of the input's type; may be null where only the bytes are asked for.
using CubScan = cudaError_t (*)(void* temporary, std::size_t& temporary_bytes, const void* input, void* output, u64 n,
                                const void* init, cudaStream_t stream);

// What cub_scan.cu is compiled against.
enum class CubBuild {
  toolkit,   // CUB of the CUDA toolkit
  newest,    // CUB of a newer CCCL
  lookahead  // the same, forced to the persistent algorithm that it chooses on newer architectures only
};

// What one object of cub_scan.cu holds: the scans of one input type.
struct CubScans {
  int version;  // 100000 * major + 100 * minor + patch
  // CUB's scan by the call that its users would write: InclusiveSum, or InclusiveScan for min and max, or ExclusiveScan
  // from an initial value of the items' type. Only where that would add in a type too narrow for the outputs (i32 to
  // i64, f16 to f32), InclusiveScanInit from a zero of the output's type. i8 and i16 it then adds in 32 bits, f16 and
  // bf16 in themselves. Null for what is not built.
  CubScan (*find)(const ScanRequest& request);
};

template <CubBuild kBuild, ValueType kInput>
CubScans cub_scans();

}  // namespace scantune::bench
