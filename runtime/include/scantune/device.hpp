// Where calls run.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include "scantune/scantune.h"

struct CUstream_st;

namespace scantune::runtime {

// The device that a call runs on and that has its memory.
enum class Device {
  current_gpu = SCANTUNE_CURRENT_GPU,  // of the thread's context; the host device if SCANTUNE_DEVICE is host
  host = SCANTUNE_HOST_DEVICE          // runs the kernels on the CPU before the call returns, and ignores streams
};

// A cudaStream_t or CUstream; null is the legacy default stream.
using Stream = CUstream_st*;

}  // namespace scantune::runtime

#endif
