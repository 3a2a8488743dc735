#include "python/sort.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "python/axis.h"
#include "python/comparison.h"
#include "python/documentation.h"
#include "python/last_axis.h"
#include "python/output.h"
#include "python/request_run.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

constexpr SortFunction kFunctions[] = {
#define SCANTUNE_SORT_FUNCTION(name, sorted, what, results)                                                            \
  {name, sorted, "def " name "(x, /, *, axis=-1, descending=False, stable=True, less=None, out=None, stream=None)",    \
   "Return " what " along an axis. Equal items keep their order.\n\n" SCANTUNE_ANY_STRIDES                             \
   "Sorts read items that are one after the other: an array that is not contiguous with the axis as its last one\n"    \
   "is copied first. Floats have a total order: NaNs whose sign bit is set come first, other NaNs last, and -0\n"      \
   "before +0. NumPy puts every NaN last, and takes zeros for equal.\n"                                                \
   "axis: the axis, from the end if it is negative.\n"                                                                 \
   "descending: whether the greatest comes first. Equal items keep their order then, too.\n"                           \
   "stable: sorts always are; False allows what is not needed.\n"                                                      \
   "less: an order of yours: CUDA C++ that defines __device__ bool less(Value a, Value b), whether a comes before b\n" \
   "if descending is not set. Value is the type of the items, float for 16-bit floats and unsigned char for bool.\n"   \
   "Results are unspecified unless it is a strict weak order. It sorts one row: x must have no other items than\n"     \
   "those along the axis. It is code: take it from people whom you trust alone.\n"                                     \
   "out: the array for the results, of the shape of x, on its device, of " results                                     \
   ". It must be contiguous with\n"                                                                                    \
   "the axis as its last one, and must not overlap x.\n"                                                               \
   "stream: of a GPU, a number or an object of its library; by default the library's current one.\n"                   \
   "\nReturns an array of the library and shape of x, of " results ".\n\n" SCANTUNE_ERRORS}
    SCANTUNE_SORT_FUNCTION("sort", SCANTUNE_SORTED_KEYS, "a sorted copy of an array", "its dtype"),
    SCANTUNE_SORT_FUNCTION("argsort", SCANTUNE_SORTED_INDICES, "the indices that sort an array", "dtype int64"),
};

struct SortArguments {
  const SortFunction& function;
  nb::object x;
  std::int64_t axis;
  bool descending;
  nb::object less;
  nb::object out;
  nb::object stream;
};

// Throws ValueError if there are several rows: a comparison puts all items in one order.
void check_single_row(const Call& call, const Array& x, std::optional<std::size_t> axis) {
  const std::uint64_t length = axis ? x.extents[*axis].size : 1;
  if (x.size() > length)
    call.refuse(nb::value_error, "less is given, and x has " + std::to_string(x.size() / length) +
                                     " rows along the axis; it sorts one: pass a row a call");
}

void run(const SortArguments& arguments, const Comparison& comparison, const Array& x, const Array& out,
         std::uint64_t stream) {
  if (x.size() == 0) return;
  scantune_sort_request request = SCANTUNE_SORT_REQUEST_INIT;
  request.input_type = x.type->type;
  request.sorted = arguments.function.sorted;
  request.order = arguments.descending ? SCANTUNE_DESCENDING : SCANTUNE_ASCENDING;
  if (request.sorted == SCANTUNE_SORTED_INDICES) request.index_type = out.type->type;
  take_rows(x, request);
  comparison.put_into(request);
  python::run(request.head, {{SCANTUNE_INPUT, &x}, {SCANTUNE_OUTPUT, &out}}, stream);
}

nb::object sorted(const SortArguments& arguments) {
  const Call call(arguments.function.name, arguments.x, arguments.stream);
  const auto [x, axis] = array_and_axis(call, arguments.x, {.axis = arguments.axis, .keeps_no_dimension = true});
  const Comparison comparison(call.function(), arguments.less);
  if (comparison.is_given()) check_single_row(call, x, axis);
  const bool sorts_keys = arguments.function.sorted == SCANTUNE_SORTED_KEYS;
  const ElementType& type = sorts_keys ? *x.type : *element_type(std::string_view("int64"));
  const LastAxis last(call, axis, x.extents.size());
  const Library::Current current = call.current(x.place);
  const std::uint64_t stream = call.stream_for(x);
  if (arguments.out.is_none()) {
    const Array keys = last.rows_of("x", x);
    const nb::object results = call.made(keys, shape_of(keys), type);
    run(arguments, comparison, keys, call.output("out", results), stream);
    return last.back(call.returned(results));
  }

  const Array out = call.output("out", arguments.out);
  if (out.type != &type)
    call.refuse(nb::type_error, "out has items of " + std::string(out.type->name) + ", and results are " + type.name);
  check_output(call, "out", out, shape_of(x), x);
  check_apart(call, "out", out, "x", x);
  const Array place = last.place_in("out", out);
  run(arguments, comparison, last.rows_of("x", x), place, stream);
  return arguments.out;
}

}  // namespace

void add_sorts(nb::module_& module) {
  for (const SortFunction& function : kFunctions)
    module.def(
        function.name,
        [&function](nb::object x, std::int64_t axis, bool descending, bool, nb::object less, nb::object out,
                    nb::object stream) {
          return sorted({.function = function,
                         .x = std::move(x),
                         .axis = axis,
                         .descending = descending,
                         .less = std::move(less),
                         .out = std::move(out),
                         .stream = std::move(stream)});
        },
        nb::arg(), nb::kw_only(), nb::arg("axis") = -1, nb::arg("descending") = false, nb::arg("stable") = true,
        nb::arg("less") = nb::none(), nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
        nb::sig(function.signature), function.documentation);
}

}  // namespace scantune::python
