// How many results there is room for where they are fewer than the items, and nobody knows how many beforehand.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// All of them, or numbers that come with the call.
enum class OutputRoom { for_all, limited };
template <>
struct Tokens<OutputRoom> {
  static constexpr const char* kNames[] = {"for_all", "limited"};
};

}  // namespace scantune
