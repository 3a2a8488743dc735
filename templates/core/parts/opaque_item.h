// Items that are moved as bytes.
#pragma once

#include "core/contract/types.h"

namespace scantune {

template <int kBytes>
struct OpaqueUnit {
  using Type = u32;
};
template <>
struct OpaqueUnit<1> {
  using Type = u8;
};
template <>
struct OpaqueUnit<2> {
  using Type = u16;
};
// An item that is moved and not looked into, in units as wide as its alignment allows: bytes would take a register
// each.
template <int kBytes, int kAlignment>
struct alignas(kAlignment) OpaqueItem {
  using Unit = typename OpaqueUnit<kAlignment>::Type;
  Unit units[kBytes / sizeof(Unit)];
};

}  // namespace scantune
