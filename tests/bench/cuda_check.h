// Failed calls of the CUDA runtime as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "scantune/error.hpp"

namespace scantune::bench {

inline void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess) throw DeviceError(std::string(call) + ": " + cudaGetErrorString(error));
}
#define SCANTUNE_BENCH_CHECK(call) ::scantune::bench::check(call, #call)

}  // namespace scantune::bench
