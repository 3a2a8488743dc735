// CUB's scans behind plain functions, so that only cub_scan.cu knows CUB.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cub_build.h"
#include "scan/config/scan.h"

namespace scantune::bench {

// A call as CUB has them: with `temporary` null it only sets temporary_bytes. `init` is the initial value of an
// exclusive scan, an item of the input's type; it may be null where only temporary_bytes is set.
using CubScan = cudaError_t (*)(void* temporary, std::size_t& temporary_bytes, const void* input, void* output, u64 n,
                                const void* init, cudaStream_t stream);

// What one object of cub_scan.cu holds: the scans of one input type.
struct CubScans {
  int version;  // 100000 * major + 100 * minor + patch
  // Returns CUB's scan by the call that its users would write: InclusiveSum, or InclusiveScan for min and max, or
  // ExclusiveScan from an initial value of the items' type. Where that would add in a type too narrow for the outputs
  // (i32 to i64, f16 to f32), it is InclusiveScanInit from a zero of the output's type. CUB then adds i8 and i16 in 32
  // bits, f16 and bf16 in themselves. Returns null for what is not built.
  CubScan (*find)(const ScanRequest& request);
};

template <CubBuild kBuild, ValueType kInput>
CubScans cub_scans();

}  // namespace scantune::bench
