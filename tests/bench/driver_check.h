// Failed calls of CUDA's driver as exceptions.
#pragma once

#include <string>

#include "device/cuda/driver.h"
#include "scantune/error.hpp"

namespace scantune::bench {

inline void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "unknown error";
  Driver::instance().cuGetErrorString(result, &text);
  throw DeviceError(std::string(call) + ": " + text);
}
#define SCANTUNE_BENCH_DRIVER(call) ::scantune::bench::check(::scantune::Driver::instance().call, #call)

}  // namespace scantune::bench
