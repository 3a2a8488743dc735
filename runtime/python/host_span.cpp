#include "python/host_span.h"

namespace scantune::python {

HostSpan::HostSpan(const void* first, std::size_t item_bytes, const std::vector<Dimension>& dimensions)
    : HostSpan(first, item_bytes, extent_of(dimensions)) {}

HostSpan::HostSpan(const void* first, std::size_t item_bytes, Extent extent)
    : bytes_before_(extent.before * item_bytes),
      buffer_((extent.before + extent.after + 1) * item_bytes, runtime::Device::host) {
  buffer_.upload(static_cast<const std::byte*>(first) - bytes_before_);
}

HostSpan::Extent HostSpan::extent_of(const std::vector<Dimension>& dimensions) {
  Extent extent{0, 0};
  for (const Dimension& dimension : dimensions) {
    const std::uint64_t steps = dimension.size - 1;
    if (dimension.stride < 0)
      extent.before += steps * static_cast<std::uint64_t>(-dimension.stride);
    else
      extent.after += steps * static_cast<std::uint64_t>(dimension.stride);
  }
  return extent;
}

}  // namespace scantune::python
