#pragma once

#include "core/contract/types.h"

namespace scantune {

// The order in which items are combined. reverse: result i combines items n - 1 down to i, in that order; within a row
// or column likewise.
enum class Direction { forward, reverse };
template <>
struct Tokens<Direction> {
  static constexpr const char* kNames[] = {"forward", "reverse"};
};

}  // namespace scantune
