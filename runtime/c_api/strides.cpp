#include "c_api/strides.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "scantune/error.hpp"
#include "space/strided.h"

namespace scantune::c_api {
namespace {

// A CTA for each of so few rows would leave SMs idle for as long as such a row takes.
constexpr u64 kFewRows = 128, kLongRow = u64{1} << 14;

[[noreturn]] void fail(const std::string& why) { throw RequestError(why); }

// The rows, without their strides.
struct Shape {
  u64 rows, length, planes;

  u64 plane_rows() const { return rows / planes; }
};

StridedAxes axes_of(const Strides& strides, const Shape& shape, bool is_output) {
  return {{is_output ? "out_item_stride" : "item_stride", strides.item, shape.length},
          {is_output ? "out_row_stride" : "row_stride", strides.sequence, shape.plane_rows()},
          {is_output ? "out_plane_stride" : "plane_stride", strides.plane, shape.planes}};
}

std::string numbers(const StridedAxis& a, const StridedAxis& b) {
  return std::string(a.name) + " is " + std::to_string(a.stride) + " and " + b.name + " " + std::to_string(b.stride);
}

// |stride| * count as the stride that follows where none is given.
i64 dense(i64 stride, u64 count, const char* name) {
  i64 result = 0;
  if (count > static_cast<u64>(std::numeric_limits<i64>::max()) || stride == std::numeric_limits<i64>::min() ||
      __builtin_mul_overflow(stride < 0 ? -stride : stride, static_cast<i64>(count), &result))
    fail(std::string(name) + " is left out, and would be " + std::to_string(stride) + " * " + std::to_string(count) +
         ", which overflows 64 bits: pass it");
  return result;
}

template <class Caller>
Strides input_strides(const Caller& caller, const Shape& shape) {
  Strides strides;
  strides.item = caller.item_stride != 0 ? caller.item_stride : 1;
  strides.sequence = caller.row_stride != 0 ? caller.row_stride : dense(strides.item, shape.length, "row_stride");
  if (shape.planes > 1)
    strides.plane = caller.plane_stride != 0 ? caller.plane_stride
                                             : std::max(dense(strides.sequence, shape.plane_rows(), "plane_stride"),
                                                        dense(strides.item, shape.length, "plane_stride"));
  return strides;
}

// Strides of the output are those of the input where none is given.
Strides output_strides(const scantune_scan_request& caller, const Strides& input, const Shape& shape) {
  Strides strides = input;
  if (caller.out_item_stride != 0) strides.item = caller.out_item_stride;
  if (caller.out_row_stride != 0) strides.sequence = caller.out_row_stride;
  if (caller.out_plane_stride != 0 && shape.planes > 1) strides.plane = caller.out_plane_stride;
  return strides;
}

void check_places(const StridedAxes& axes, i64 first) {
  if (range_of(axes, first)) return;
  const auto reach = [](const StridedAxis& axis) {
    return axis.items < 2 ? 0 : std::abs(static_cast<double>(axis.stride)) * static_cast<double>(axis.items - 1);
  };
  const StridedAxis* farthest = &axes.item;
  for (const StridedAxis* axis : {&axes.sequence, &axes.plane})
    if (reach(*axis) > reach(*farthest)) farthest = axis;
  fail(std::string(farthest->name) + " is " + std::to_string(farthest->stride) + ", and " +
       std::to_string(farthest->items) + " times as much is farther than 64 bits count bytes: pass a smaller one");
}

void check_apart(const StridedAxes& axes) {
  const auto names = coinciding(axes);
  if (!names) return;
  const auto named = [&](const std::string& name) {
    return name == axes.item.name ? axes.item : name == axes.sequence.name ? axes.sequence : axes.plane;
  };
  const StridedAxis one = named(names->first), other = named(names->second);
  fail(numbers(one, other) + ", with which two results of " + std::to_string(axes.sequence.items * axes.plane.items) +
       " rows of " + std::to_string(axes.item.items) + " items may share a place: pass strides that keep them apart");
}

bool is_dense(const Strides& strides, const Shape& shape, bool of_columns) {
  const i64 length = static_cast<i64>(shape.length), rows = static_cast<i64>(shape.plane_rows());
  const i64 item = of_columns ? rows : 1, sequence = of_columns ? 1 : length;
  const bool items = shape.length == 1 || strides.item == item;
  const bool sequences = rows == 1 || strides.sequence == sequence;
  const bool planes = shape.planes == 1 || (!of_columns && strides.plane == length * rows);
  return items && sequences && planes;
}

template <class Caller, class Typed>
Shape shape_of(const Caller& caller, const Typed& request) {
  if (request.segments != Segments::rows)
    fail(
        "strides are given, and segments is not SCANTUNE_ROWS: set it, or leave strides and planes at 0; columns are "
        "rows whose row_stride is 1");
  const Shape shape{request.rows, request.rows == 0 ? 0 : request.n / request.rows,
                    caller.planes != 0 ? caller.planes : 1};
  if (shape.rows % shape.planes != 0)
    fail("planes is " + std::to_string(shape.planes) + ", and rows " + std::to_string(shape.rows) +
         ", which is not a multiple: planes have equally many rows");
  return shape;
}

template <class Typed>
void make_columns(Typed& request) {
  request.segments = Segments::columns;
  request.columns = std::exchange(request.rows, 0);
}

}  // namespace

Segments strided_segments(const ScanRequest& request, u64 rows, u64 length) {
  const Layout& layout = request.layout;
  const bool lie_close =
      layout.plane_sequences > 1 && length > 1 && magnitude(layout.input.item) > magnitude(layout.input.sequence);
  const bool wait_for_one_cta = needs_fixed_association(request) && rows < kFewRows && length >= kLongRow;
  return lie_close || wait_for_one_cta ? Segments::columns : Segments::rows;
}

void take_given_strides(const scantune_scan_request& caller, ScanRequest& request) {
  const Shape shape = shape_of(caller, request);
  if (request.n == 0) return;
  Layout layout{.plane_sequences = shape.plane_rows()};
  layout.input = input_strides(caller, shape);
  layout.output = output_strides(caller, layout.input, shape);
  // Dense items are apart. Calls from Python give all strides, most often dense ones.
  if (is_dense(layout.input, shape, false) && is_dense(layout.output, shape, false)) return;
  if (is_dense(layout.input, shape, true) && is_dense(layout.output, shape, true)) return make_columns(request);
  const StridedAxes out = axes_of(layout.output, shape, true);
  check_places(axes_of(layout.input, shape, false), 0);
  check_places(out, 0);
  check_apart(out);
  if (request.direction == Direction::reverse) {
    request.direction = Direction::forward;
    if (shape.length > 1)
      for (Strides* const strides : {&layout.input, &layout.output}) {
        strides->first = static_cast<i64>(shape.length - 1) * strides->item;
        strides->item = -strides->item;
      }
  }
  request.layout = layout;
  if (strided_segments(request, shape.rows, shape.length) == Segments::columns) make_columns(request);
}

void take_given_strides(const scantune_reduce_request& caller, ReduceRequest& request) {
  const Shape shape = shape_of(caller, request);
  if (request.n == 0) return;
  Layout layout{.plane_sequences = shape.plane_rows()};
  layout.input = input_strides(caller, shape);
  check_places(axes_of(layout.input, shape, false), 0);
  if (is_dense(layout.input, shape, false)) return;
  if (is_dense(layout.input, shape, true)) return make_columns(request);
  request.layout = layout;
  if (layout.input.item != 1) make_columns(request);
}

}  // namespace scantune::c_api
