#include "python/scan_call.h"

#include <algorithm>
#include <vector>

#include "python/description.h"
#include "python/host_memory.h"
#include "python/output.h"
#include "scantune/status.hpp"

namespace nb = nanobind;

namespace scantune::python {
namespace {

scantune_scan_request request_for(const Rows& rows) {
  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.n = rows.items.size * rows.rows.size * rows.planes.size;
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

bool is_in_place(const Array& x, const Array& out) {
  return x.first == out.first && x.type->bytes() == out.type->bytes() &&
         std::ranges::equal(x.extents, out.extents, [](const Extent& a, const Extent& b) {
           return a.size == b.size && (a.size == 1 || a.stride == b.stride);
         });
}

}  // namespace

void check_places(const Call& call, const Array& x, const Array& out) {
  check_output(call, "out", out, shape_of(x), x);
  if (overlap(x, out) && !is_in_place(x, out))
    call.refuse(nb::value_error,
                "out overlaps x in memory, and is not x itself with items of the same size: pass memory apart from it");
}

Rows rows_of(const ScanCall& scan) {
  std::vector<Dimension> dimensions;
  for (std::size_t i = 0; i < scan.x.extents.size(); ++i)
    dimensions.push_back({scan.x.extents[i].size, scan.x.extents[i].stride, scan.out.extents[i].stride});
  return rows_along(scan.axis, dimensions);
}

scantune_scan_request request_of(const ScanCall& scan, const Rows& rows) {
  scantune_scan_request request = request_for(rows);
  scan.combination.put_into(request);
  request.head.device = device_of(scan.x);
  request.head.captured_launches = scan.captured_launches;
  request.head.determinism = scan.determinism;
  request.kind = scan.kind;
  request.direction = scan.direction;
  request.init = scan.init.empty() ? nullptr : scan.init.data();
  return request;
}

void run(const ScanCall& scan) {
  if (scan.x.size() == 0) return;
  const nb::gil_scoped_release others_may_run;
  const Rows rows = rows_of(scan);
  const scantune_scan_request request = request_of(scan, rows);
  const HostMemory input(scan.x), output(scan.out);
  describe(request.head);
  for_each_place(
      rows.of_calls, scan.x.type->bytes(), scan.out.type->bytes(), scan.x.first, scan.out.first,
      [&](const std::byte* from, std::byte* to) {
        runtime::detail::check(scantune_scan(&request, from, to, reinterpret_cast<scantune_stream>(scan.stream)));
      });
}

}  // namespace scantune::python
