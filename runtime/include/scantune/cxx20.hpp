// The first include of every C++ header, so that a compiler of an older standard prints one sentence and not a page of
// errors: what follows in each is left out then.
#pragma once

#if __cplusplus >= 202002L
#define SCANTUNE_CXX20
#else
#error "scantune needs C++20: compile with -std=c++20, or set CMAKE_CXX_STANDARD (for .cu: CMAKE_CUDA_STANDARD) to 20"
#endif
