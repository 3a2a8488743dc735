#include "python/scan_call.h"

#include <algorithm>
#include <vector>

#include "python/errors.h"
#include "python/host_memory.h"
#include "python/rows.h"
#include "scantune/status.hpp"

namespace nb = nanobind;

namespace scantune::python {
namespace {

std::vector<Dimension> dimensions_of(const Array& x, const Array& out) {
  std::vector<Dimension> dimensions;
  for (std::size_t i = 0; i < x.extents.size(); ++i)
    dimensions.push_back({x.extents[i].size, x.extents[i].stride, out.extents[i].stride});
  return dimensions;
}

scantune_scan_request request_for(const Rows& rows) {
  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
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

// Runs a request once for each place in some dimensions.
struct Calls {
  const scantune_scan_request& request;
  const std::vector<Dimension>& dimensions;
  std::int64_t item_bytes, out_bytes;
  scantune_stream stream;

  void run(std::size_t depth, const std::byte* input, std::byte* output) const {
    if (depth == dimensions.size()) return runtime::detail::check(scantune_scan(&request, input, output, stream));
    const Dimension& dimension = dimensions[depth];
    for (std::int64_t place = 0; place < static_cast<std::int64_t>(dimension.size); ++place)
      run(depth + 1, input + place * dimension.stride * item_bytes, output + place * dimension.out_stride * out_bytes);
  }
};

// Sufficient: each dimension steps over all that the ones with smaller strides reach.
bool is_injective(const Array& out) {
  std::vector<Extent> extents;
  for (const Extent& extent : out.extents)
    if (extent.size > 1) extents.push_back({extent.size, std::abs(extent.stride)});
  std::ranges::sort(extents, {}, &Extent::stride);
  std::int64_t reach = 0;
  for (const Extent& extent : extents) {
    if (extent.stride <= reach) return false;
    reach += static_cast<std::int64_t>(extent.size - 1) * extent.stride;
  }
  return true;
}

bool is_in_place(const Array& x, const Array& out) {
  return x.first == out.first && x.type->bytes() == out.type->bytes() &&
         std::ranges::equal(x.extents, out.extents, [](const Extent& a, const Extent& b) {
           return a.size == b.size && (a.size == 1 || a.stride == b.stride);
         });
}

}  // namespace

void check_places(const ScanCall& call) {
  const auto refuse_out = [&](const std::string& because) { refuse(nb::value_error, call.function, "out " + because); };
  if (call.out.is_read_only) refuse_out("is read-only");
  if (!std::ranges::equal(call.x.extents, call.out.extents, {}, &Extent::size, &Extent::size))
    refuse_out("has another shape than the results");
  if (call.out.place != call.x.place) refuse_out("is on another device than x");
  if (call.out.size() == 0) return;
  if (!is_injective(call.out)) refuse_out("has items that overlap each other");
  const Span from = span_of(call.x), to = span_of(call.out);
  if (from.begin < to.end && to.begin < from.end && !is_in_place(call.x, call.out))
    refuse_out("overlaps x in memory, and is not x itself with items of the same size: pass memory apart from it");
}

void run(const ScanCall& call) {
  if (call.x.size() == 0) return;
  const nb::gil_scoped_release others_may_run;
  const Rows rows = rows_along(call.axis, dimensions_of(call.x, call.out));
  scantune_scan_request request = request_for(rows);
  const Combination combination(call.operation, *call.x.type, *call.out.type);
  combination.put_into(request);
  request.head.device = call.x.place.is_host() ? SCANTUNE_HOST_DEVICE : SCANTUNE_CURRENT_GPU;
  request.head.determinism = call.determinism;
  request.kind = call.kind;
  request.direction = call.direction;
  request.init = call.init.empty() ? nullptr : call.init.data();
  const HostMemory input(call.x), output(call.out);
  Calls{request, rows.of_calls, static_cast<std::int64_t>(call.x.type->bytes()),
        static_cast<std::int64_t>(call.out.type->bytes()), reinterpret_cast<scantune_stream>(call.stream)}
      .run(0, call.x.first, call.out.first);
}

}  // namespace scantune::python
