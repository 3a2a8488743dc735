// A driver that stands in for CUDA's: it has one H200, runs nothing, and records its calls. A program that is linked
// with it gets it as libcuda.so.1, because the loader looks first among the libraries that are loaded already.
#pragma once

#include <span>
#include <string_view>

struct CUctx_st;
struct CUstream_st;

namespace scantune::testing::counting_driver {

// Names of the functions that were called since forget_calls(), in order, without the versions that cuda.h appends.
std::span<const std::string_view> calls();
void forget_calls();

// Another context of the same GPU, which is not current anywhere yet.
CUctx_st* make_context();

// How many clusters of any shape the GPU has room for.
void set_resident_clusters(int clusters);

// What launches return from now on, a CUresult.
void set_launch_result(int result);

// What the driver answers to questions about contexts from now on, a CUresult.
void set_context_result(int result);

void begin_capture(CUstream_st* stream);
void end_capture(CUstream_st* stream);

}  // namespace scantune::testing::counting_driver
