// The bytes of host memory that a strided array covers, copied to the host device: its kernels read its own memory
// alone.
#pragma once

#include <vector>

#include "python/rows.h"
#include "scantune/buffer.hpp"

namespace scantune::python {

class HostSpan {
 public:
  // `first` is the item at index 0 of every dimension.
  HostSpan(const void* first, std::size_t item_bytes, const std::vector<Dimension>& dimensions);

  // The copy of `first`.
  const std::byte* first() const { return buffer_.data() + bytes_before_; }

 private:
  struct Extent {
    std::uint64_t before, after;  // items of the span before and after the first
  };
  HostSpan(const void* first, std::size_t item_bytes, Extent extent);
  static Extent extent_of(const std::vector<Dimension>& dimensions);

  std::uint64_t bytes_before_;
  runtime::Buffer<std::byte> buffer_;
};

}  // namespace scantune::python
