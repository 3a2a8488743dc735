#include "python/exchange.h"

namespace nb = nanobind;

namespace scantune::python {

const Exchange* exchange_of(nb::handle type) {
  const nb::object attributes = type.attr("__dict__");
  if (!nb::cast<bool>(attributes.attr("__contains__")("__dlpack_c_exchange_api__"))) return nullptr;
  const nb::object capsule = attributes["__dlpack_c_exchange_api__"];
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) return nullptr;
  const auto* header = static_cast<const Exchange::Header*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (header != nullptr && header->major != 1) header = header->previous;
  const auto* const exchange = reinterpret_cast<const Exchange*>(header);
  return exchange != nullptr && exchange->lend != nullptr && exchange->current_stream != nullptr ? exchange : nullptr;
}

}  // namespace scantune::python
