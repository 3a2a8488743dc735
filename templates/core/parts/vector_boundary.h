// Where vectors begin among items, for every kind of item access.
#pragma once

#include "core/parts/mapped_items.h"

namespace scantune {

// The bytes of items before the first vector boundary.
template <class Items>
SCANTUNE_DEVICE u32 bytes_before_boundary(Items items) {
  return static_cast<u32>(-scantune::edge(items) % kVectorAlignmentBytes);
}

}  // namespace scantune
