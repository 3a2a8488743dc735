// DLPack's C exchange API: how a library of arrays lends their memory without objects of Python. The layout is that of
// DLPack 1.3, whose Python types have the table as their attribute __dlpack_c_exchange_api__.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>

namespace scantune::python {

struct Exchange {
  struct Header {
    std::uint32_t major, minor;
    const Header* previous;  // a table of an older major version, or nullptr
  };
  using Tensor = nanobind::dlpack::dltensor;
  // 0, or -1 with an exception of Python's.
  using Lend = int (*)(void* array, Tensor* lent);
  using CurrentStream = int (*)(std::int32_t device_type, std::int32_t device, void** stream);

  Header header;
  void* of_managed_tensors[3];
  Lend lend;  // as long as the array lives; nullptr where the library cannot
  CurrentStream current_stream;
};

// The table of a type of its own, not of one that it inherits from; nullptr where it has no table of a known version.
const Exchange* exchange_of(nanobind::handle type);

}  // namespace scantune::python
