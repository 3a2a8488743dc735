#include "python/scan_arguments.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "python/fill.h"
#include "python/initial_value.h"
#include "python/result_type.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

// An index of an array that takes its first plane along an axis.
nb::tuple first_along(std::size_t axis) {
  nb::list index;
  for (std::size_t i = 0; i < axis; ++i) index.append(nb::slice(nb::none(), nb::none(), nb::none()));
  index.append(nb::slice(nb::int_(0), nb::int_(1), nb::none()));
  index.append(nb::ellipsis());  // the standard wants it
  return nb::tuple(index);
}

// The first plane of an array of ours along an axis, if it is contiguous, else the array.
Array filled_part(Array made, std::size_t axis) {
  const auto outer = made.extents.begin() + static_cast<std::ptrdiff_t>(axis);
  if (std::all_of(made.extents.begin(), outer, [](const Extent& extent) { return extent.size == 1; })) outer->size = 1;
  return made;
}

// Writes the identity before the results along the axis.
void write_initial(const Call& call, const ScanArguments& arguments, const Array& made, std::size_t axis) {
  const nb::int_ identity(arguments.operation.op == SCANTUNE_PRODUCT ? 1 : 0);
  if (call.library().makes_arrays())
    nb::object(made.object)[first_along(axis)] = identity;
  else
    fill(call, filled_part(made, axis), "include_initial", identity);
}

// The array without its first plane along an axis.
Array without_first(Array array, std::size_t axis) {
  Extent& along = array.extents[axis];
  array.first += along.stride * static_cast<std::int64_t>(array.type->bytes());
  --along.size;
  return array;
}

// Where the results go, in an array that is made for them.
Array made_results(const Call& call, const ScanArguments& arguments, const Array& x, std::optional<std::size_t> axis,
                   const ElementType& type) {
  if (!arguments.includes_initial)
    return call.output("out", arguments.is_planned ? call.made(x, shape_of(x), type) : call.made_like(x, type));
  std::vector<std::uint64_t> shape = shape_of(x);
  ++shape[*axis];
  Array made = call.output("out", call.made(x, shape, type));
  write_initial(call, arguments, made, *axis);
  return without_first(std::move(made), *axis);
}

}  // namespace

nb::object with_scan(const ScanArguments& arguments, const std::function<void(const ScanCall&)>& use) {
  const Call call(arguments.function, arguments.x, arguments.stream);
  if (arguments.is_planned && call.library().is_known() && !call.library().makes_arrays())
    call.refuse(nb::type_error, "x is of a library whose arrays cannot be written, as a plan's results are");
  auto [x, axis] = array_and_axis(call, arguments.x, arguments.axis);
  x = without_repeats(call, std::move(x), axis);

  std::optional<Array> out;
  if (!arguments.out.is_none()) out = call.output("out", arguments.out);
  const ElementType& type = result_type(call, arguments.operation, *x.type, arguments.dtype, out);

  const Library::Current current = call.current(x.place);
  if (!out) out = made_results(call, arguments, x, axis, type);
  const nb::object result = out->object;

  std::string init =
      initial_value(arguments.function, arguments.operation,
                    {.init = arguments.init, .is_written = arguments.kind == SCANTUNE_EXCLUSIVE}, *x.type, type);
  const std::uint64_t stream = call.stream_for(x);
  const Combination combination(arguments.function, arguments.operation, *x.type, type);
  const ScanCall scan{.combination = combination,
                      .x = std::move(x),
                      .out = *std::move(out),
                      .axis = axis,
                      .kind = arguments.kind,
                      .direction = arguments.direction,
                      .determinism = arguments.determinism,
                      .init = std::move(init),
                      .stream = stream,
                      .captured_launches = arguments.captured_launches};
  check_places(call, scan.x, scan.out);
  use(scan);
  return call.returned(result);
}

nb::object scanned(const ScanArguments& arguments) {
  return with_scan(arguments, [](const ScanCall& scan) { run(scan); });
}

}  // namespace scantune::python
