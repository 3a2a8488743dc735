#include "python/scan_arguments.h"

#include <utility>
#include <vector>

#include "python/errors.h"
#include "python/initial_value.h"
#include "python/library.h"
#include "python/scan_call.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

std::optional<std::size_t> checked_axis(const std::string& function, std::int64_t axis, std::size_t dimensions) {
  const auto count = static_cast<std::int64_t>(dimensions);
  if (count == 0 && (axis == 0 || axis == -1)) return std::nullopt;
  if (axis < -count || axis >= count)
    refuse(nb::index_error, function,
           "axis is " + std::to_string(axis) + ", and x has " + std::to_string(count) + " dimensions");
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

const ElementType& default_type(const ScanArguments& arguments, const ElementType& items, const Library& library) {
  if (arguments.operation.yields == Yields::places) return *element_type(std::string_view("int64"));
  if (arguments.operation.yields == Yields::items || items.is_floating()) return items;
  const bool is_unsigned = std::string_view(items.widened) == "uint64" && library.is_known();
  return *element_type(std::string_view(is_unsigned ? library.sums_of_unsigned() : items.widened));
}

const ElementType& named_type(const ScanArguments& arguments, const ElementType& items, const Library& library) {
  if (!library.is_known())
    refuse(nb::type_error, arguments.function,
           "dtype is of a library that scantune does not know: pass out of that type");
  const std::string name = library.dtype_name(arguments.dtype);
  const ElementType* type = element_type(std::string_view(name));
  if (type == nullptr)
    refuse(nb::type_error, arguments.function, "dtype is " + name + ", of which there are no results");
  if (type->is_bool() && (!items.is_bool() || arguments.operation.yields != Yields::items))
    refuse(nb::type_error, arguments.function, "dtype is bool, and results are numbers");
  return *type;
}

void check_types(const ScanArguments& arguments, const ElementType& items, const ElementType& results) {
  const std::string& function = arguments.function;
  if (arguments.operation.takes == Takes::integers && items.is_floating())
    refuse(nb::type_error, function,
           "x has items of " + std::string(items.name) + ", and " + arguments.operation.name + " is for integers");
  if (arguments.operation.takes == Takes::floats && !items.is_floating())
    refuse(nb::type_error, function,
           "x has items of " + std::string(items.name) + ", and the function is for floating-point numbers");
  if (items.is_floating() && !results.is_floating() && arguments.operation.yields != Yields::places)
    refuse(nb::type_error, function,
           "x has items of " + std::string(items.name) + ", which do not become " + results.name +
               ": convert the array or its results");
}

// An index of an array that takes from `first` to `last` along the axis, and all of the other dimensions.
nb::tuple along(std::size_t axis, nb::handle first, nb::handle last) {
  nb::list index;
  for (std::size_t i = 0; i < axis; ++i) index.append(nb::slice(nb::none(), nb::none(), nb::none()));
  index.append(nb::slice(nb::borrow(first), nb::borrow(last), nb::none()));
  index.append(nb::ellipsis());  // the standard wants it
  return nb::tuple(index);
}

// The array, as one dimension or with its axis.
std::pair<Array, std::optional<std::size_t>> array_and_axis(const ScanArguments& arguments,
                                                            std::int64_t waiting_stream) {
  Array x = array_of(arguments.function, "x", arguments.x, waiting_stream);
  if (!arguments.axis && arguments.no_axis == NoAxis::is_refused && x.extents.size() > 1)
    refuse(nb::value_error, arguments.function,
           "axis is None, and x has " + std::to_string(x.extents.size()) + " dimensions: name one");
  const auto axis = arguments.axis ? checked_axis(arguments.function, *arguments.axis, x.extents.size()) : std::nullopt;
  if ((axis && arguments.axis) || (arguments.keeps_no_dimension && x.extents.empty())) return {std::move(x), axis};
  if (x.extents.size() != 1) x = array_of(arguments.function, "x", x.object.attr("reshape")(-1), waiting_stream);
  return {std::move(x), 0};
}

// A scan of a known library's array runs in its current stream, or in one that the caller answers for.
std::int64_t waiting_stream(const ScanArguments& arguments, const Library& library) {
  if (library.is_known()) return kNoStreamWaits;
  const std::uint64_t stream = arguments.stream.is_none() ? 0 : stream_of(arguments.function, arguments.stream);
  return stream == 0 ? kLegacyStreamWaits : static_cast<std::int64_t>(stream);
}

std::uint64_t stream_for(const ScanArguments& arguments, const Array& x, const Library& library) {
  if (!arguments.stream.is_none()) {
    if (x.place.is_host())
      refuse(nb::value_error, arguments.function,
             "stream is given, and x is in the CPU's memory, which has no streams");
    return stream_of(arguments.function, arguments.stream);
  }
  if (x.place.is_host()) return 0;
  return library.is_known() ? library.current_stream(x.place.id) : x.stream.value_or(0);
}

}  // namespace

nb::object scanned(const ScanArguments& arguments) {
  const std::string& function = arguments.function;
  const Library library(arguments.x);
  const std::int64_t waits = waiting_stream(arguments, library);
  auto [x, axis] = array_and_axis(arguments, waits);
  if (axis && x.repeats_items_along(*axis)) {
    if (!library.is_known()) refuse(nb::value_error, function, "x repeats one item along the axis: pass a copy");
    x = array_of(function, "x", library.contiguous(x));
  }

  std::optional<Array> out;
  if (!arguments.out.is_none()) {
    out = array_of(function, "out", arguments.out, waits);
    if (never_changes(arguments.out)) out->is_read_only = true;
  }
  const ElementType& type = !arguments.dtype.is_none() ? named_type(arguments, *x.type, library)
                            : out                      ? *out->type
                                                       : default_type(arguments, *x.type, library);
  check_types(arguments, *x.type, type);
  if (out && out->type != &type)
    refuse(nb::type_error, function,
           "out has items of " + std::string(out->type->name) + ", and dtype is " + type.name);

  const Library::Current current(library, x.place);
  nb::object result = arguments.out;
  if (!out) {
    if (!library.is_known())
      refuse(nb::type_error, function,
             "x is of type " + spelled(x.object.type().attr("__name__")) +
                 ", of which scantune makes no arrays: pass out");
    std::vector<std::uint64_t> shape;
    shape.reserve(x.extents.size());
    for (const Extent& extent : x.extents) shape.push_back(extent.size);
    if (arguments.includes_initial) ++shape[*axis];
    result = library.empty(x, shape, type);
    nb::object place = result;
    if (arguments.includes_initial) {
      result[along(*axis, nb::int_(0), nb::int_(1))] = nb::int_(arguments.operation.op == SCANTUNE_PRODUCT ? 1 : 0);
      place = result[along(*axis, nb::int_(1), nb::none())];
    }
    out = array_of(function, "out", place);
  }

  std::string init = initial_value(arguments, *x.type, type);
  const std::uint64_t stream = stream_for(arguments, x, library);
  const ScanCall call{.function = function,
                      .operation = arguments.operation,
                      .x = std::move(x),
                      .out = *std::move(out),
                      .axis = axis,
                      .kind = arguments.kind,
                      .direction = arguments.direction,
                      .determinism = arguments.determinism,
                      .init = std::move(init),
                      .stream = stream};
  check_places(call);
  run(call);
  return result;
}

}  // namespace scantune::python
