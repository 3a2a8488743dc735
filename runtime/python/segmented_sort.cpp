#include "python/segmented_sort.h"

#include <string>
#include <string_view>
#include <utility>

#include "python/documentation.h"
#include "python/flat_input.h"
#include "python/offsets.h"
#include "python/output.h"
#include "python/request_run.h"
#include "python/sort.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

constexpr SortFunction kFunctions[] = {
#define SCANTUNE_SEGMENTED_SORT(name, sorted, what, results)                                                       \
  {name, sorted, "def " name "(x, offsets, /, *, descending=False, out=None, stream=None)",                        \
   "Return " what ". Equal items keep their order.\n\n" SCANTUNE_ITEMS                                             \
   "Floats have the order of sort().\n" SCANTUNE_OFFSETS                                                           \
   "One GPU block sorts a segment, which is slow for very long ones: sort() is for these.\n"                       \
   "descending: whether the greatest comes first. Equal items keep their order then, too.\n"                       \
   "out: the contiguous array for the results, of the length of x, on its device, of " results                     \
   ". It must not\noverlap x or offsets.\n" SCANTUNE_STREAM                                                        \
   "\nReturns an array of the library and length of x, of " results                                                \
   ". Items of no segment have no results there, and\nit may hold anything; what out holds there stays. Segments " \
   "must not have items in common.\n\n" SCANTUNE_ERRORS}
    SCANTUNE_SEGMENTED_SORT("segmented_sort", SCANTUNE_SORTED_KEYS, "an array with each of its segments sorted",
                            "its dtype"),
    SCANTUNE_SEGMENTED_SORT("segmented_argsort", SCANTUNE_SORTED_INDICES,
                            "the indices that sort each segment of an array, which count from its beginning",
                            "dtype int64"),
};

struct SortArguments {
  const SortFunction& function;
  nb::object x, offsets;
  bool descending;
  nb::object out, stream;
};

nb::object sorted(const SortArguments& arguments) {
  const Call call(arguments.function.name, arguments.x, arguments.stream);
  const Array x = flat_input(call, "x", arguments.x);
  const Array offsets = offsets_of(call, arguments.offsets, x);
  const bool sorts_keys = arguments.function.sorted == SCANTUNE_SORTED_KEYS;
  const ElementType& type = sorts_keys ? *x.type : *element_type(std::string_view("int64"));
  const Library::Current current = call.current(x.place);
  const bool has_out = !arguments.out.is_none();
  const Array out = call.output("out", has_out ? arguments.out : call.made(x, shape_of(x), type));
  if (out.type != &type)
    call.refuse(nb::type_error, "out has items of " + std::string(out.type->name) + ", and results are " + type.name);
  check_output(call, "out", out, shape_of(x), x);
  if (!is_contiguous(out)) call.refuse(nb::value_error, "out is not contiguous: pass another");
  check_apart(call, "out", out, "x", x);
  check_apart(call, "out", out, "offsets", offsets);

  scantune_sort_request request = SCANTUNE_SORT_REQUEST_INIT;
  request.head.n = x.size();
  request.input_type = x.type->type;
  request.sorted = arguments.function.sorted;
  request.order = arguments.descending ? SCANTUNE_DESCENDING : SCANTUNE_ASCENDING;
  if (!sorts_keys) request.index_type = type.type;
  take_offsets(offsets, request);
  const std::uint64_t stream = call.stream_for(x);
  if (segments_of(offsets) > 0)
    run(request.head, {{SCANTUNE_INPUT, &x}, {SCANTUNE_BEGINS, &offsets}, {SCANTUNE_OUTPUT, &out}}, stream);
  return call.returned(out.object);
}

}  // namespace

void add_segmented_sorts(nb::module_& module) {
  for (const SortFunction& function : kFunctions)
    module.def(
        function.name,
        [&function](nb::object x, nb::object offsets, bool descending, nb::object out, nb::object stream) {
          return sorted({.function = function,
                         .x = std::move(x),
                         .offsets = std::move(offsets),
                         .descending = descending,
                         .out = std::move(out),
                         .stream = std::move(stream)});
        },
        nb::arg(), nb::arg(), nb::kw_only(), nb::arg("descending") = false, nb::arg("out") = nb::none(),
        nb::arg("stream") = nb::none(), nb::sig(function.signature), function.documentation);
}

}  // namespace scantune::python
