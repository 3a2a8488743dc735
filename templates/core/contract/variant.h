// The variants of a config's kernels. A plan holds both, and the pointers of a call decide which one runs.
#pragma once

#include "core/contract/types.h"

namespace scantune {

enum class Variant {
  any,     // pointers are multiples of what their types are aligned to
  aligned  // pointers are also multiples of 16 bytes
};
template <>
struct Tokens<Variant> {
  static constexpr const char* kNames[] = {"any", "aligned"};
};

}  // namespace scantune
