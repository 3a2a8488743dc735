#include "python/unique_counts.h"

#include <string_view>
#include <utility>

#include "python/counted_results.h"
#include "python/documentation.h"
#include "python/output.h"
#include "python/request_run.h"
#include "python/runs.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

constexpr const char* kUniqueCounts =
    "Return each value that is among the items of an array, in ascending order, and how many items have it. -0 equals\n"
    "+0, and a NaN equals nothing.\n\n" SCANTUNE_ANY_STRIDES
    "An array that is not contiguous is copied first. Items are copied to be sorted.\n" SCANTUNE_LENGTHS(
        "the values hold", ", and the counts 0")
    "\nReturns a named tuple (values, counts) of arrays of the library of x, of its dtype and of int64. out is such a\n"
    "tuple, too, named or not.\n\n" SCANTUNE_ERRORS;

nb::object unique_counts(const nb::object& type, const nb::object& object, const LengthArguments& lengths,
                         nb::object stream) {
  const Call call("unique_counts", object, std::move(stream));
  Array x = call.input("x", object);
  x = call.contiguous("x", x.extents.size() == 1 ? x : call.flattened(x));
  const Library::Current current = call.current(x.place);
  const CountedResults results(call, x, {x.type, element_type(std::string_view("int64"))}, lengths);
  results.check_apart_from("x", x);
  const Array sorted = temporary(call, x, shape_of(x), *x.type);
  scantune_sort_request request = SCANTUNE_SORT_REQUEST_INIT;
  request.head.n = x.size();
  request.input_type = x.type->type;
  run(request.head, {{SCANTUNE_INPUT, &x}, {SCANTUNE_OUTPUT, &sorted}}, results.stream());
  encode_runs(sorted, results, 1);
  const auto taken = results.taken();
  return type(taken[0], taken[1]);
}

}  // namespace

void add_unique_counts(nb::module_& module) {
  const nb::object type =
      nb::module_::import_("collections").attr("namedtuple")("UniqueCounts", nb::make_tuple("values", "counts"));
  module.def(
      "unique_counts",
      [type](const nb::object& x, const nb::object& size, const nb::object& fill_value, const nb::object& out,
             const nb::object& count,
             nb::object stream) { return unique_counts(type, x, {size, fill_value, out, count}, std::move(stream)); },
      nb::arg(), nb::kw_only(), nb::arg("size") = nb::none(), nb::arg("fill_value") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("count") = nb::none(), nb::arg("stream") = nb::none(),
      nb::sig("def unique_counts(x, /, *, size=None, fill_value=None, out=None, count=None, stream=None)"),
      kUniqueCounts);
}

}  // namespace scantune::python
