// The first include of every C++ header, so that a compiler of an older standard prints one sentence and not a page of
// errors.
#pragma once

#if __cplusplus < 202002L
#error "scantune needs C++20: compile with -std=c++20, or set CMAKE_CXX_STANDARD (for .cu: CMAKE_CUDA_STANDARD) to 20"
#endif
