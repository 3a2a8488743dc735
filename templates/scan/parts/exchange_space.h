// Shared memory through which the threads of a warp exchange items or values; empty if they need not.
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
