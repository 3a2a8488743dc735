#include "python/host_memory.h"

#include "scantune/status.hpp"

namespace scantune::python {

scantune_device device_of(const Array& array) {
  return array.place.is_host() ? SCANTUNE_HOST_DEVICE : SCANTUNE_CURRENT_GPU;
}

HostMemory::HostMemory(const Array& array) {
  if (!array.place.is_host()) return;
  const Span span = span_of(array);
  scantune_buffer* buffer = nullptr;
  runtime::detail::check(scantune_buffer_wrap(span.begin, static_cast<std::uint64_t>(span.end - span.begin),
                                              SCANTUNE_HOST_DEVICE, &buffer));
  buffer_.reset(buffer);
}

}  // namespace scantune::python
