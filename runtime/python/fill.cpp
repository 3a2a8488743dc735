#include "python/fill.h"

#include <cstring>

#include "python/driver.h"
#include "python/item_bytes.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

void fill_on_host(std::byte* first, const std::string& item, std::uint64_t items) {
  for (std::uint64_t i = 0; i < items; ++i) std::memcpy(first + i * item.size(), item.data(), item.size());
}

}  // namespace

void fill(const Call& call, const Array& made, const char* argument, const nb::object& number) {
  if (call.library().makes_arrays()) {
    nb::object(made.object)[nb::ellipsis()] = number;
    return;
  }
  const std::string item = item_bytes({call.function(), argument}, number, *made.type);
  if (made.place.is_host())
    fill_on_host(made.first, item, made.size());
  else
    fill_on_gpu(made.first, item, made.size(), call.stream_for(made));
}

}  // namespace scantune::python
