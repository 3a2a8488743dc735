// The variants of a config's kernels. A plan holds both, and takes one by the pointers of a call.
#pragma once

#include "config/types.h"

namespace scantune {

enum class Variant {
  any,     // pointers are multiples of what their types are aligned to
  aligned  // and of 16 bytes
};
template <>
struct Tokens<Variant> {
  static constexpr const char* kNames[] = {"any", "aligned"};
};

}  // namespace scantune
