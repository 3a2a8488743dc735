#include "python/cumulative.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "python/determinism.h"
#include "python/documentation.h"
#include "python/own_operator.h"
#include "python/scan_arguments.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

using Axis = std::optional<std::int64_t>;

// The functions that take what NumPy's of the same names take.
constexpr Function kOfNumpy[] = {
#define SCANTUNE_OF_NUMPY(name, operation, results)                                                       \
  {name, operation, "def " name "(x, /, axis=None, dtype=None, out=None)",                                \
   "Return the cumulative " results " of an array along an axis.\n\n" SCANTUNE_ARRAYS                     \
   "axis: the axis, from the end if it is negative. None flattens x in C order, for which NumPy copies\n" \
   "arrays whose items are not evenly spaced.\n" SCANTUNE_DTYPE SCANTUNE_OUT                              \
   "\nReturns an array of the library of x, of the shape of x, or one-dimensional for axis=None.\n\n" SCANTUNE_ERRORS}
    SCANTUNE_OF_NUMPY("cumsum", "sum", "sums"),
    SCANTUNE_OF_NUMPY("cumprod", "product", "products"),
};

// The functions that the array API standard defines.
constexpr Function kOfStandard[] = {
#define SCANTUNE_OF_STANDARD(name, operation, results)                                                         \
  {name, operation, "def " name "(x, /, *, axis=None, dtype=None, include_initial=False)",                     \
   "Return the cumulative " results                                                                            \
   " of an array along an axis, as the array API standard defines them.\n\n" SCANTUNE_ARRAYS                   \
   "axis: the axis, from the end if it is negative. It may be None for one dimension alone.\n" SCANTUNE_DTYPE  \
   "include_initial: whether the results begin with the identity, so that there is one more along the axis.\n" \
   "\nReturns an array of the library of x.\n\n" SCANTUNE_ERRORS}
    SCANTUNE_OF_STANDARD("cumulative_sum", "sum", "sums"),
    SCANTUNE_OF_STANDARD("cumulative_prod", "product", "products"),
};

// The functions that return values and their places, as torch does.
struct FunctionWithPlaces {
  Function values;
  const char* places;
};
constexpr FunctionWithPlaces kWithPlaces[] = {
#define SCANTUNE_WITH_PLACES(name, operation, results)                                                          \
  {{name, operation, "def " name "(x, /, axis=-1)",                                                             \
    "Return the cumulative " results " of an array along an axis, and where each was last.\n\n" SCANTUNE_ARRAYS \
    "axis: the axis, from the end if it is negative.\n\n"                                                       \
    "Returns (values, indices), arrays of the library of x and of its shape: values of its dtype, and int64\n"  \
    "indices along the axis, of the last one among equals. A NaN counts as the " results                        \
    " from there on.\n\n" SCANTUNE_ERRORS},                                                                     \
   "last_" operation}
    SCANTUNE_WITH_PLACES("cummax", "max", "maximum"),
    SCANTUNE_WITH_PLACES("cummin", "min", "minimum"),
};

constexpr Function kOfFloats[] = {
    {"logcumsumexp", "logaddexp", "def logcumsumexp(x, /, axis=-1, *, out=None)",
     "Return the logarithms of the cumulative sums of the exponentials of an array along an axis.\n\n" SCANTUNE_ARRAYS
     "Its items must be floats. No exponential overflows.\n"
     "axis: the axis, from the end if it is negative.\n" SCANTUNE_OUT
     "\nReturns an array of the library, dtype and shape of x.\n\n" SCANTUNE_ERRORS},
};

constexpr Function kScan = {
    "scan", nullptr,
    "def scan(x, /, op=\"sum\", *, axis=-1, inclusive=True, reverse=False, init=None, dtype=None, out=None, "
    "stream=None, determinism=None)",
    "Return the scan of an array along an axis.\n\n" SCANTUNE_ARRAYS SCANTUNE_OP
    "axis: the axis, from the end if it is negative.\n"
    "inclusive: whether a result has its own item. An exclusive scan begins with init, or with the identity.\n"
    "reverse: whether items are combined from the last one to the first.\n"
    "init: a number that is combined before the first item.\n" SCANTUNE_DTYPE
    "Results of all operations but sum and product have the dtype of x by default.\n" SCANTUNE_OUT SCANTUNE_STREAM
    "determinism: \"run_to_run\" for equal bits on every run of one device and config.\n"
    "\nReturns an array of the library of x, of its shape.\n\n" SCANTUNE_ERRORS};

const Operation& row_of(const char* name) { return *find_operation(name); }

void add_functions_of_numpy(nb::module_& module) {
  for (const Function& function : kOfNumpy)
    module.def(
        function.name,
        [&function](nb::object x, Axis axis, nb::object dtype, nb::object out) {
          return scanned({.function = function.name,
                          .operation = row_of(function.operation),
                          .x = std::move(x),
                          .axis = {axis, NoAxis::flattens},
                          .dtype = std::move(dtype),
                          .out = std::move(out)});
        },
        nb::arg(), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(),
        nb::sig(function.signature), function.documentation);
}

void add_functions_of_standard(nb::module_& module) {
  for (const Function& function : kOfStandard)
    module.def(
        function.name,
        [&function](nb::object x, Axis axis, nb::object dtype, bool include_initial) {
          return scanned({.function = function.name,
                          .operation = row_of(function.operation),
                          .x = std::move(x),
                          .axis = {axis},
                          .includes_initial = include_initial,
                          .dtype = std::move(dtype)});
        },
        nb::arg(), nb::kw_only(), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(),
        nb::arg("include_initial") = false, nb::sig(function.signature), function.documentation);
}

void add_functions_with_places(nb::module_& module) {
  for (const auto& [values, places] : kWithPlaces)
    module.def(
        values.name,
        [&values, &places](nb::object x, std::int64_t axis) {
          ScanArguments arguments{.function = values.name,
                                  .operation = row_of(values.operation),
                                  .x = x,
                                  .axis = {.axis = axis, .keeps_no_dimension = true}};
          nb::object greatest = scanned(arguments);
          return nb::make_tuple(greatest, scanned({.function = values.name,
                                                   .operation = row_of(places),
                                                   .x = std::move(x),
                                                   .axis = {.axis = axis, .keeps_no_dimension = true}}));
        },
        nb::arg(), nb::arg("axis") = -1, nb::sig(values.signature), values.documentation);
}

void add_functions_of_floats(nb::module_& module) {
  for (const Function& function : kOfFloats)
    module.def(
        function.name,
        [&function](nb::object x, std::int64_t axis, nb::object out) {
          return scanned({.function = function.name,
                          .operation = row_of(function.operation),
                          .x = std::move(x),
                          .axis = {.axis = axis, .keeps_no_dimension = true},
                          .out = std::move(out)});
        },
        nb::arg(), nb::arg("axis") = -1, nb::kw_only(), nb::arg("out") = nb::none(), nb::sig(function.signature),
        function.documentation);
}

void add_scan(nb::module_& module) {
  module.def(
      kScan.name,
      [](nb::object x, const nb::object& op, std::int64_t axis, bool inclusive, bool reverse, nb::object init,
         nb::object dtype, nb::object out, nb::object stream, const std::optional<std::string>& determinism) {
        return scanned({.function = kScan.name,
                        .operation = operation_of(kScan.name, op),
                        .x = std::move(x),
                        .axis = {.axis = axis, .keeps_no_dimension = true},
                        .dtype = std::move(dtype),
                        .out = std::move(out),
                        .stream = std::move(stream),
                        .init = std::move(init),
                        .kind = inclusive ? SCANTUNE_INCLUSIVE : SCANTUNE_EXCLUSIVE,
                        .direction = reverse ? SCANTUNE_REVERSE : SCANTUNE_FORWARD,
                        .determinism = named_determinism(kScan.name, determinism)});
      },
      nb::arg(), nb::arg("op") = "sum", nb::kw_only(), nb::arg("axis") = -1, nb::arg("inclusive") = true,
      nb::arg("reverse") = false, nb::arg("init") = nb::none(), nb::arg("dtype") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(), nb::arg("determinism") = nb::none(),
      nb::sig(kScan.signature), kScan.documentation);
}

}  // namespace

void add_cumulative_functions(nb::module_& module) {
  add_functions_of_numpy(module);
  add_functions_of_standard(module);
  add_functions_with_places(module);
  add_functions_of_floats(module);
  add_scan(module);
}

}  // namespace scantune::python
