#include "python/reduction.h"

#include <utility>
#include <vector>

#include "python/combination.h"
#include "python/description.h"
#include "python/host_memory.h"
#include "python/initial_value.h"
#include "python/output.h"
#include "python/request_run.h"
#include "python/result_type.h"
#include "python/rows.h"
#include "scantune/status.hpp"

namespace nb = nanobind;

namespace scantune::python {
namespace {

struct Reduction {
  const Combination& combination;
  bool yields_places;
  const Array& x;
  const Array& out;
  std::optional<std::size_t> axis;  // none: each item is a row
  bool keeps_dimensions;
  const std::string& init;  // the bytes of an accumulator, or none
  std::uint64_t stream;
};

// Strides of results along the axis are never used: there is one result.
std::vector<Dimension> dimensions_of(const Reduction& reduction) {
  std::vector<Dimension> dimensions;
  std::size_t result = 0;
  for (std::size_t i = 0; i < reduction.x.extents.size(); ++i) {
    const auto& [size, stride] = reduction.x.extents[i];
    const bool is_reduced = i == reduction.axis;
    dimensions.push_back({size, stride, is_reduced ? 0 : reduction.out.extents[result].stride});
    if (!is_reduced || reduction.keeps_dimensions) ++result;
  }
  return dimensions;
}

scantune_reduce_request request_for(const Rows& rows) {
  scantune_reduce_request request = SCANTUNE_REDUCE_REQUEST_INIT;
  request.segments = SCANTUNE_ROWS;
  request.rows = rows.rows.size * rows.planes.size;
  request.head.n = rows.items.size * request.rows;
  request.planes = rows.planes.size;
  request.item_stride = rows.items.stride;
  request.row_stride = rows.rows.stride;
  request.plane_stride = rows.planes.stride;
  return request;
}

void run(const Reduction& reduction) {
  if (reduction.out.size() == 0) return;
  const nb::gil_scoped_release others_may_run;
  const Rows rows = rows_of_results(reduction.axis, dimensions_of(reduction));
  scantune_reduce_request request = request_for(rows);
  reduction.combination.put_into(request);
  request.head.device = device_of(reduction.x);
  request.head.captured_launches = kCapturedLaunches;
  if (reduction.yields_places) request.position = SCANTUNE_FIRST_POSITION;
  request.init = reduction.init.empty() ? nullptr : reduction.init.data();
  const HostMemory input(reduction.x), output(reduction.out);
  describe(request.head);
  for_each_place(rows.of_calls, reduction.x.type->bytes(), reduction.out.type->bytes(), reduction.x.first,
                 reduction.out.first, [&](const std::byte* from, std::byte* to) {
                   scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
                   arrays.of[SCANTUNE_INPUT] = from;
                   arrays.of[SCANTUNE_OUTPUT] = to;
                   runtime::detail::check(
                       scantune_run(&request.head, &arrays, reinterpret_cast<scantune_stream>(reduction.stream)));
                 });
}

std::vector<std::uint64_t> shape_of_results(const Array& x, std::optional<std::size_t> axis, bool keeps_dimensions) {
  std::vector<std::uint64_t> shape = shape_of(x);
  if (!axis) return shape;
  const auto reduced = shape.begin() + static_cast<std::ptrdiff_t>(*axis);
  if (keeps_dimensions)
    *reduced = 1;
  else
    shape.erase(reduced);
  return shape;
}

}  // namespace

nb::object reduced(const ReductionArguments& arguments) {
  const Call call(arguments.function, arguments.x, arguments.stream);
  auto [x, axis] = array_and_axis(call, arguments.x,
                                  {.axis = arguments.axis, .no_axis = NoAxis::flattens, .keeps_no_dimension = true});
  x = without_repeats(call, std::move(x), axis);
  const bool is_extreme = arguments.operation.op == SCANTUNE_MIN || arguments.operation.op == SCANTUNE_MAX;
  if (is_extreme && axis && x.extents[*axis].size == 0 && arguments.init.is_none())
    call.refuse(nb::value_error,
                std::string("x has no items along the axis, so that none of them is the least or the greatest") +
                    (arguments.operation.yields == Yields::places ? "" : ": pass init"));
  std::optional<Array> out;
  if (!arguments.out.is_none()) out = call.output("out", arguments.out);
  const ElementType& type = result_type(call, arguments.operation, *x.type, arguments.dtype, out);

  const Library::Current current = call.current(x.place);
  // All items of an array keep all of its dimensions, or none.
  std::vector<std::uint64_t> shape = shape_of_results(x, axis, arguments.keeps_dimensions);
  if (arguments.keeps_dimensions && !arguments.axis) shape.assign(call.input("x", arguments.x).extents.size(), 1);
  const nb::object result = out ? arguments.out : call.made(x, shape, type);
  if (!out) out = call.output("out", result);
  check_output(call, "out", *out, shape, x);
  check_apart(call, "out", *out, "x", x);
  const Combination combination(arguments.function, arguments.operation, *x.type, type);
  run({.combination = combination,
       .yields_places = arguments.operation.yields == Yields::places,
       .x = x,
       .out = *out,
       .axis = axis,
       .keeps_dimensions = arguments.keeps_dimensions,
       .init = initial_value(arguments.function, arguments.operation, {.init = arguments.init, .is_written = true},
                             *x.type, type),
       .stream = call.stream_for(x)});
  return call.returned(result);
}

}  // namespace scantune::python
