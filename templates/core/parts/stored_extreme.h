// A minimum or maximum with its position, as a store of the caller's takes both.
#pragma once

#include "core/contract/types.h"

namespace scantune {

template <class T>
struct StoredExtreme {
  T value;
  u64 position;  // all bits are set where there are no items
};

}  // namespace scantune
