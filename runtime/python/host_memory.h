// Memory of a NumPy array, or another in the CPU's memory, on which kernels of the host device work in place.
#pragma once

#include <memory>

#include "python/array.h"
#include "scantune/scantune.h"

namespace scantune::python {

// The device that runs requests on an array.
scantune_device device_of(const Array& array);

class HostMemory {
 public:
  // Nothing happens for arrays on GPUs. Throws as the library does.
  explicit HostMemory(const Array& array);

 private:
  struct Destroy {
    void operator()(scantune_buffer* buffer) const { scantune_buffer_destroy(buffer); }
  };
  std::unique_ptr<scantune_buffer, Destroy> buffer_;
};

}  // namespace scantune::python
