#include "python/comparison.h"

#include "python/errors.h"

namespace nb = nanobind;

namespace scantune::python {

Comparison::Comparison(const std::string& function, const nb::object& less) {
  if (less.is_none()) return;
  if (!nb::try_cast(less, source_))
    refuse(nb::type_error, function,
           "less is an object of type " + spelled(less.type().attr("__name__")) +
               "; it must be CUDA C++ that defines __device__ bool less(Value a, Value b)");
  function_.role = SCANTUNE_FUNCTION_LESS;
  function_.source = source_.c_str();
}

}  // namespace scantune::python
