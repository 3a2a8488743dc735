#include "python/reductions.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "python/determinism.h"
#include "python/documentation.h"
#include "python/own_operator.h"
#include "python/reduction.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

using Axis = std::optional<std::int64_t>;

constexpr Function kReduce = {
    "reduce", nullptr,
    "def reduce(x, /, op=\"sum\", *, axis=-1, init=None, dtype=None, out=None, stream=None, determinism=None)",
    "Return the reduction of an array along an axis.\n\n" SCANTUNE_ARRAYS SCANTUNE_OP
    "axis: the axis, from the end if it is negative. None reduces all items, in C order, for which arrays whose\n"
    "items are not evenly spaced are copied.\n"
    "init: a number that is combined before the first item. An empty row yields init, or the identity; min and max\n"
    "take empty rows with init alone.\n" SCANTUNE_DTYPE
    "Results of all operations but sum and product have the dtype of x by default.\n" SCANTUNE_OUT_APART SCANTUNE_STREAM
    "determinism: None or \"run_to_run\"; reductions always give equal bits on every run of one device and config.\n"
    "\nReturns an array of the library of x, of its shape without the axis.\n\n" SCANTUNE_ERRORS};

// argmin and argmax take the arguments that NumPy and the array API standard give them.
constexpr Function kWithPositions[] = {
#define SCANTUNE_WITH_POSITION(name, operation, result)                                                                \
  {name, operation, "def " name "(x, /, axis=None, *, keepdims=False, out=None, stream=None)",                         \
   "Return where the first " result " of an array is, along an axis.\n\n" SCANTUNE_ARRAYS                              \
   "axis: the axis, from the end if it is negative. None takes all items, in C order, for which arrays whose\n"        \
   "items are not evenly spaced are copied.\n"                                                                         \
   "keepdims: whether results keep the dimensions of x, with one item along the axis.\n"                               \
   "out: the int64 array for the results, of their shape and on the device of x. It must not overlap x.\n"             \
   "stream: of a GPU, a number or an object of its library; by default the library's current one.\n"                   \
   "\nReturns an int64 array of the library of x: positions along the axis, of equal items that of the first one. A\n" \
   "NaN counts as the " result ". ValueError if there are no items along the axis.\n\n" SCANTUNE_ERRORS}
    SCANTUNE_WITH_POSITION("argmin", "first_min", "minimum"),
    SCANTUNE_WITH_POSITION("argmax", "first_max", "maximum"),
};

}  // namespace

void add_reductions(nb::module_& module) {
  module.def(
      kReduce.name,
      [](nb::object x, const nb::object& op, Axis axis, nb::object init, nb::object dtype, nb::object out,
         nb::object stream, const std::optional<std::string>& determinism) {
        named_determinism(kReduce.name, determinism);
        return reduced({.function = kReduce.name,
                        .operation = operation_of(kReduce.name, op),
                        .x = std::move(x),
                        .axis = axis,
                        .dtype = std::move(dtype),
                        .out = std::move(out),
                        .stream = std::move(stream),
                        .init = std::move(init)});
      },
      nb::arg(), nb::arg("op") = "sum", nb::kw_only(), nb::arg("axis") = -1, nb::arg("init") = nb::none(),
      nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
      nb::arg("determinism") = nb::none(), nb::sig(kReduce.signature), kReduce.documentation);
  for (const Function& function : kWithPositions)
    module.def(
        function.name,
        [&function](nb::object x, Axis axis, bool keepdims, nb::object out, nb::object stream) {
          return reduced({.function = function.name,
                          .operation = *find_operation(function.operation),
                          .x = std::move(x),
                          .axis = axis,
                          .keeps_dimensions = keepdims,
                          .out = std::move(out),
                          .stream = std::move(stream)});
        },
        nb::arg(), nb::arg("axis") = nb::none(), nb::kw_only(), nb::arg("keepdims") = false,
        nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(), nb::sig(function.signature),
        function.documentation);
}

}  // namespace scantune::python
