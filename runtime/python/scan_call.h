// A scan of an array along one axis into another.
#pragma once

#include <optional>
#include <string>

#include "python/call.h"
#include "python/combination.h"
#include "python/request_run.h"
#include "python/rows.h"

namespace scantune::python {

struct ScanCall {
  const Combination& combination;
  Array x;
  Array out;
  std::optional<std::size_t> axis;  // none: each item is a row
  scantune_kind kind = SCANTUNE_INCLUSIVE;
  scantune_direction direction = SCANTUNE_FORWARD;
  scantune_determinism determinism = SCANTUNE_UNCONSTRAINED;
  std::string init;  // the bytes of an accumulator, or none
  std::uint64_t stream = 0;
  std::int32_t captured_launches = kCapturedLaunches;
};

// Throws ValueError that names what is wrong with `out` as a place for results, or with both arrays together.
void check_places(const Call& call, const Array& x, const Array& out);

// The rows that are scanned, and their request, which points into the scan.
Rows rows_of(const ScanCall& scan);
scantune_scan_request request_of(const ScanCall& scan, const Rows& rows);

// Runs it without the GIL. Errors are the library's.
void run(const ScanCall& scan);

}  // namespace scantune::python
