#include "python/scan_arguments.h"

#include <utility>
#include <vector>

#include "python/initial_value.h"
#include "python/result_type.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

// An index of an array that takes from `first` to `last` along the axis, and all of the other dimensions.
nb::tuple along(std::size_t axis, nb::handle first, nb::handle last) {
  nb::list index;
  for (std::size_t i = 0; i < axis; ++i) index.append(nb::slice(nb::none(), nb::none(), nb::none()));
  index.append(nb::slice(nb::borrow(first), nb::borrow(last), nb::none()));
  index.append(nb::ellipsis());  // the standard wants it
  return nb::tuple(index);
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
  nb::object result = arguments.out;
  if (!out) {
    std::vector<std::uint64_t> shape = shape_of(x);
    if (arguments.includes_initial) {
      if (!call.library().makes_arrays())
        call.refuse(nb::type_error, "include_initial is for arrays of libraries whose arrays can be written");
      ++shape[*axis];
    }
    result = call.made(x, shape, type);
    nb::object place = result;
    if (arguments.includes_initial) {
      result[along(*axis, nb::int_(0), nb::int_(1))] = nb::int_(arguments.operation.op == SCANTUNE_PRODUCT ? 1 : 0);
      place = result[along(*axis, nb::int_(1), nb::none())];
    }
    out = call.output("out", place);
  }

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
