// The first include of every C++ header. A compiler for an older standard prints this one error instead of a page of
// them, since each header then leaves out its contents.
#pragma once

#if __cplusplus >= 202002L
#define SCANTUNE_CXX20
#else
#error "scantune needs C++20: compile with -std=c++20, or set CMAKE_CXX_STANDARD (for .cu: CMAKE_CUDA_STANDARD) to 20"
#endif
