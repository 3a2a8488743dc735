// What a buffer of the public API holds.
#pragma once

#include <vector>

#include "scantune/runtime.hpp"

namespace scantune {

template <class T>
std::vector<T> downloaded(const runtime::Buffer<T>& buffer) {
  std::vector<T> values(buffer.size());
  buffer.download(values.data());
  return values;
}

}  // namespace scantune
