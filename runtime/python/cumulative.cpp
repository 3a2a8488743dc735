#include "python/cumulative.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "python/element_type.h"
#include "python/host_span.h"
#include "python/rows.h"
#include "scantune/scan.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

struct CumulativeFunction {
  const char* name;
  scantune_operator op;
  const char* signature;
  const char* documentation;
};

#define SCANTUNE_CUMULATIVE_DOCUMENTATION(results)                                                               \
  "Return the cumulative " results                                                                               \
  " of a NumPy array along an axis, computed by the host device.\n\n"                                            \
  "x: an array of bool, integers or floats, with any strides. It is copied to the host device. For axis=None\n"  \
  "NumPy flattens it first, which copies it once more unless its items are evenly spaced; so do strides of 0.\n" \
  "axis: the axis, from the end if it is negative; None flattens x in C order.\n"                                \
  "dtype: of the results. By default bool and signed integers become int64, unsigned ones uint64, and floats\n"  \
  "keep their type. Integers wrap; float16 is accumulated in float32.\n\n"                                       \
  "The result is a new array in C order, of the shape of x, or one-dimensional for axis=None.\n\n"               \
  "Raises TypeError if x is not such an array or dtype would make integers of floats, IndexError if there is\n"  \
  "no such axis, and RuntimeError if no kernel can be compiled, as without a C++ compiler."

constexpr CumulativeFunction kFunctions[] = {
    {"cumsum", SCANTUNE_SUM, "def cumsum(x, /, axis=None, dtype=None)", SCANTUNE_CUMULATIVE_DOCUMENTATION("sums")},
    {"cumprod", SCANTUNE_PRODUCT, "def cumprod(x, /, axis=None, dtype=None)",
     SCANTUNE_CUMULATIVE_DOCUMENTATION("products")},
};

using Array = nb::ndarray<nb::ro>;

using Exception = nb::builtin_exception (*)(const char* text);

[[noreturn]] void refuse(Exception exception, const CumulativeFunction& function, const std::string& because) {
  throw exception((function.name + (": " + because)).c_str());
}

nb::module_ numpy() { return nb::module_::import_("numpy"); }

std::string spelled(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

// The input as an array, and its type.
struct Input {
  nb::object object;
  Array array;
  const ElementType* type;
};

Input input_of(const CumulativeFunction& function, nb::object object) {
  Array array;
  if (!nb::isinstance(object, numpy().attr("ndarray")))
    refuse(nb::type_error, function,
           "takes a NumPy array, not an object of type " + spelled(object.type().attr("__name__")));
  const ElementType* type = nb::try_cast(object, array, false) ? element_type(array.dtype()) : nullptr;
  if (type == nullptr)
    refuse(nb::type_error, function,
           "takes arrays of bool, integers and floats of 16 to 64 bits, not of " + spelled(object.attr("dtype")));
  return {std::move(object), std::move(array), type};
}

const ElementType& result_type(const CumulativeFunction& function, const ElementType& input, nb::handle dtype) {
  if (dtype.is_none()) return *element_type(std::string_view(input.widened));
  const std::string name = spelled(numpy().attr("dtype")(dtype).attr("name"));
  const ElementType* type = element_type(std::string_view(name));
  if (type == nullptr || type->code == nb::dlpack::dtype_code::Bool)
    refuse(nb::type_error, function, "there are no results of dtype " + name);
  if (input.is_floating() && !type->is_floating())
    refuse(nb::type_error, function, input.name + (" does not become " + name) + ": convert the array or its results");
  return *type;
}

std::size_t checked_axis(const CumulativeFunction& function, std::int64_t axis, std::size_t dimensions) {
  const auto count = static_cast<std::int64_t>(dimensions);
  if (axis < -count || axis >= count)
    refuse(nb::index_error, function,
           "there is no axis " + std::to_string(axis) + " of an array with " + std::to_string(count) + " dimensions");
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

// Those of an array and of its results in C order.
std::vector<Dimension> dimensions_of(const Array& array) {
  std::vector<Dimension> dimensions(array.ndim());
  std::int64_t out_stride = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    dimensions[i] = {array.shape(i), array.stride(i), out_stride};
    out_stride *= static_cast<std::int64_t>(array.shape(i));
  }
  return dimensions;
}

// In a request a stride of 0 means dense.
bool repeats_items(const std::vector<Dimension>& dimensions) {
  return std::ranges::any_of(dimensions, [](const Dimension& one) { return one.size > 1 && one.stride == 0; });
}

scantune_scan_request request_for(const Rows& rows) {
  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.device = SCANTUNE_HOST_DEVICE;
  request.head.n = rows.items.size * rows.rows.size * rows.planes.size;
  if (rows.rows.size * rows.planes.size == 1 && rows.items.stride == 1 && rows.items.out_stride == 1) return request;
  request.segments = SCANTUNE_ROWS;
  request.rows = rows.rows.size * rows.planes.size;
  request.planes = rows.planes.size;
  request.item_stride = rows.items.stride;
  request.row_stride = rows.rows.stride;
  request.plane_stride = rows.planes.stride;
  request.out_item_stride = rows.items.out_stride;
  request.out_row_stride = rows.rows.out_stride;
  request.out_plane_stride = rows.planes.out_stride;
  return request;
}

// Runs a request once for each place in `dimensions`.
void run_each(const scantune_scan_request& request, const std::vector<Dimension>& dimensions, std::size_t depth,
              const std::byte* input, std::size_t input_bytes, std::byte* output, std::size_t output_bytes) {
  if (depth == dimensions.size()) {
    runtime::detail::check(scantune_scan(&request, input, output, nullptr));
    return;
  }
  const Dimension& dimension = dimensions[depth];
  for (std::int64_t place = 0; place < static_cast<std::int64_t>(dimension.size); ++place)
    run_each(request, dimensions, depth + 1, input + place * dimension.stride * static_cast<std::int64_t>(input_bytes),
             input_bytes, output + place * dimension.out_stride * static_cast<std::int64_t>(output_bytes),
             output_bytes);
}

void scan(const CumulativeFunction& function, const Input& input, const std::vector<Dimension>& dimensions,
          std::size_t axis, const ElementType& type, void* results) {
  const nb::gil_scoped_release others_may_run;
  const Rows rows = rows_along(axis, dimensions);
  scantune_scan_request request = request_for(rows);
  request.op = function.op;
  request.input_type = input.type->type;
  request.output_type = type.type;
  const HostSpan copy(input.array.data(), input.type->bytes(), dimensions);
  const runtime::Buffer<std::byte> output(input.array.size() * type.bytes(), runtime::Device::host);
  run_each(request, rows.of_calls, 0, copy.first(), input.type->bytes(), output.data(), type.bytes());
  output.download(static_cast<std::byte*>(results));
}

nb::object cumulative(const CumulativeFunction& function, nb::object x, std::optional<std::int64_t> axis,
                      nb::handle dtype) {
  Input input = input_of(function, std::move(x));
  if (!axis && input.array.ndim() != 1) {
    input = input_of(function, numpy().attr("ravel")(input.object));
    axis = 0;
  }
  const std::size_t place = checked_axis(function, axis.value_or(0), input.array.ndim());
  const ElementType& type = result_type(function, *input.type, dtype);
  if (repeats_items(dimensions_of(input.array)))
    input = input_of(function, numpy().attr("ascontiguousarray")(input.object));
  nb::object result = numpy().attr("empty")(input.object.attr("shape"), type.name);
  if (input.array.size() == 0) return result;
  const nb::ndarray<> results = nb::cast<nb::ndarray<>>(result);
  scan(function, input, dimensions_of(input.array), place, type, results.data());
  return result;
}

}  // namespace

void add_cumulative_functions(nb::module_& module) {
  for (const CumulativeFunction& function : kFunctions)
    module.def(
        function.name,
        [&function](nb::object x, std::optional<std::int64_t> axis, const nb::object& dtype) {
          return cumulative(function, std::move(x), axis, dtype);
        },
        nb::arg(), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::sig(function.signature),
        function.documentation);
}

}  // namespace scantune::python
