// Shared memory through which the threads of a warp hand each other items or values. It is empty where there is no
// need.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

template <int kBytes>
struct alignas(16) ExchangeSpace {
  unsigned char exchange[kBytes];
  SCANTUNE_DEVICE unsigned char* at(u32 offset) { return exchange + offset; }
};
template <>
struct ExchangeSpace<0> {
  SCANTUNE_DEVICE unsigned char* at(u32) { return nullptr; }
};

}  // namespace scantune
