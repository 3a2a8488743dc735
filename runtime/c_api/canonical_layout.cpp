#include "c_api/canonical_layout.h"

#include <optional>
#include <utility>

#include "c_api/strides.h"
#include "space/strided.h"

namespace scantune::c_api {
namespace {

// How many items, rows or planes there are, and the strides from one to the next in input and output.
struct Axis {
  u64 count = 1;
  i64 in = 0, out = 0;

  bool has_strides(i64 stride) const { return count == 1 || (in == stride && out == stride); }
};

// The places of all items. Those of an axis of one are where it begins, so it has no strides.
struct Axes {
  Axis items, rows, planes;
  i64 in_first = 0, out_first = 0;  // from the caller's pointers to the first item of the first row

  u64 all_rows() const { return rows.count * planes.count; }
};

template <class Typed>
Axes axes_of(const Typed& request, const Strides& in, const Strides& out) {
  const u64 rows = request.rows + request.columns, plane_rows = request.layout.plane_sequences;
  return {.items = {request.n / rows, in.item, out.item},
          .rows = {plane_rows, in.sequence, out.sequence},
          .planes = {rows / plane_rows, in.plane, out.plane},
          .in_first = in.first,
          .out_first = out.first};
}

// Axes of one element vanish. A single item has a stride of 1, with which kernels take items without strides.
Axes without_single(Axes axes) {
  if (axes.rows.count == 1) axes.rows = std::exchange(axes.planes, {});
  if (axes.planes.count == 1) axes.planes = {};
  if (axes.rows.count == 1) axes.rows = {};
  if (axes.items.count == 1) axes.items = {1, 1, 1};
  return axes;
}

// Planes whose rows go on where those of the plane before end are rows.
Axes merged(Axes axes) {
  const i64 plane_rows = static_cast<i64>(axes.rows.count);
  if (axes.planes.count == 1 || axes.planes.in != plane_rows * axes.rows.in ||
      axes.planes.out != plane_rows * axes.rows.out)
    return axes;
  axes.rows.count *= axes.planes.count;
  axes.planes = {};
  return axes;
}

// Rows and planes change places if rows are closer together then, so that they may merge or be columns.
Axes swapped(Axes axes) {
  if (axes.planes.count > 1 && magnitude(axes.planes.in) < magnitude(axes.rows.in) &&
      magnitude(axes.planes.out) <= magnitude(axes.rows.out))
    std::swap(axes.rows, axes.planes);
  return axes;
}

// Turns an axis that descends in input and output, which then begins at its lowest address. Returns whether it did.
bool turn(Axes& axes, Axis& axis) {
  if (axis.in >= 0 || axis.out >= 0) return false;
  const i64 steps = static_cast<i64>(axis.count - 1);
  axes.in_first += steps * axis.in;
  axes.out_first += steps * axis.out;
  axis.in = -axis.in;
  axis.out = -axis.out;
  return true;
}

// How dense items are divided; nullopt if they are not dense.
std::optional<Segments> dense_segments(const Axes& axes) {
  if (axes.planes.count > 1) return std::nullopt;
  const i64 length = static_cast<i64>(axes.items.count), rows = static_cast<i64>(axes.rows.count);
  if (axes.items.has_strides(1)) {
    if (rows == 1) return Segments::none;
    if (axes.rows.has_strides(length)) return Segments::rows;
  }
  if (rows > 1 && axes.items.has_strides(rows) && axes.rows.has_strides(1)) return Segments::columns;
  return std::nullopt;
}

template <class Typed>
void divide(Typed& request, Segments segments, u64 count) {
  request.segments = segments;
  request.rows = segments == Segments::rows ? count : 0;
  request.columns = segments == Segments::columns ? count : 0;
  if (segments == Segments::none && request.init == Init::each) request.init = Init::memory;
}

Layout layout_of(const Axes& axes) {
  return {.input = {axes.items.in, axes.rows.in, axes.planes.in, axes.in_first},
          .output = {axes.items.out, axes.rows.out, axes.planes.out, axes.out_first},
          .plane_sequences = axes.rows.count};
}

Layout dense_layout(const Axes& axes) {
  return {.input = {.first = axes.in_first}, .output = {.first = axes.out_first}};
}

// Rows of fewer bytes than two vectors have hardly a whole one, wherever they begin.
bool are_many_tiny_rows(const Axes& axes, int item_bytes) {
  const u64 bytes = axes.items.count * static_cast<u64>(item_bytes);
  return bytes < 2 * kVectorAlignmentBytes && axes.all_rows() >= 1024;
}

// Whether the result is the same whatever the order of the items. Operators of the caller's own need not commute, and
// positions are counted from the first item.
bool commutes(const ReduceRequest& request) { return !is_custom(request.op) && !request.has_position(); }

}  // namespace

ScanRequest canonical(const ScanRequest& given) {
  ScanRequest request = given;
  if (!given.layout.is_strided()) {
    divide(request, Segments::none, 1);
    return request;
  }
  // Each row is a scan of its own, and only initial values of each are in their order.
  const bool has_order = given.init == Init::each;
  Axes axes = without_single(axes_of(given, given.layout.input, given.layout.output));
  if (!has_order) axes = swapped(axes);
  axes = merged(axes);

  Axes ascending = axes;
  const bool is_reverse = turn(ascending, ascending.items);
  if (!has_order) {
    turn(ascending, ascending.rows);
    turn(ascending, ascending.planes);
    ascending = merged(ascending);
  }
  if (const auto segments = dense_segments(ascending)) {
    request.direction = is_reverse ? Direction::reverse : Direction::forward;
    request.layout = dense_layout(ascending);
    divide(request, *segments, ascending.all_rows());
    return request;
  }
  request.layout = layout_of(axes);
  divide(request, strided_segments(request, axes.all_rows(), axes.items.count), axes.all_rows());
  return request;
}

ReduceRequest canonical(const ReduceRequest& given) {
  ReduceRequest request = given;
  if (!given.layout.is_strided()) {
    const u64 count = given.rows + given.columns;
    divide(request, count == 1 ? Segments::none : Segments::columns, count);
    return request;
  }
  if (given.layout.output != Strides{}) return given;  // columns in the order of memory
  // Results are dense, in the order of the rows.
  const Axes axes = merged(without_single(axes_of(given, given.layout.input, given.layout.input)));
  Axes ascending = axes;
  if (commutes(given)) turn(ascending, ascending.items);
  auto segments = dense_segments(ascending);
  if (segments == Segments::rows && axes.items.count == 1) segments = Segments::columns;
  // However far apart. Rows are read in vectors, columns of near items by each thread for itself.
  const bool are_rows = ascending.items.in == 1 && !are_many_tiny_rows(axes, given.input_bytes());
  const bool are_columns = !segments && !are_rows;
  const Axes in_memory = are_columns ? swapped(axes) : ascending;
  request.layout = segments ? dense_layout(ascending) : layout_of(in_memory);
  request.layout.output = {};
  // Neighbours in memory are read together, and say where their results are.
  if (are_columns && in_memory.rows.in != axes.rows.in)
    request.layout.output = {.sequence = static_cast<i64>(axes.rows.count), .plane = 1};
  divide(request, segments ? *segments : are_rows ? Segments::rows : Segments::columns, axes.all_rows());
  return request;
}

}  // namespace scantune::c_api
