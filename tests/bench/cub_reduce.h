// CUB's reductions behind plain functions, so that only cub_reduce.cu knows CUB.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cub_build.h"
#include "reduce/config/reduce.h"

namespace scantune::bench {

// A call as CUB has them: with `temporary` null it only sets temporary_bytes. `index` is written where a position is
// asked for.
using CubReduce = cudaError_t (*)(void* temporary, std::size_t& temporary_bytes, const void* input, void* output,
                                  u64* index, u64 n, cudaStream_t stream);

// What one object of cub_reduce.cu holds: the reductions of one input type.
struct CubReductions {
  int version;  // 100000 * major + 100 * minor + patch
  // Returns CUB's reduction by the call that its users would write: Sum, Min, Max, ArgMin or ArgMax of DeviceReduce.
  // Where Sum would add in a type too narrow for the output (i32 to i64, f16 to f32), it is Reduce from a zero of the
  // output's type. CUB then adds i8 and i16 in 32 bits, f16 and bf16 in themselves. Returns null for what is not built.
  CubReduce (*find)(const ReduceRequest& request);
};

template <CubBuild kBuild, ValueType kInput>
CubReductions cub_reductions();

}  // namespace scantune::bench
