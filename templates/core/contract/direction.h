#pragma once

#include "core/contract/types.h"

namespace scantune {

// The order in which items are combined. reverse: from the last item to the first, so that results are those of
// forward for the items in the other order, themselves in the other order. Rows and columns, too, begin at the end.
enum class Direction { forward, reverse };
template <>
struct Tokens<Direction> {
  static constexpr const char* kNames[] = {"forward", "reverse"};
};

}  // namespace scantune
