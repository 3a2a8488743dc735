// Rows with strides, as the structs of C have them.
#pragma once

#include "reduce/config/reduce.h"
#include "scan/config/scan.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

// Gives the request rows with the caller's strides: dense columns if they are dense columns, and columns if the rows
// are closer together than their items. Throws RequestError if the strides leave the address space, or if two results
// share a place.
void take_given_strides(const scantune_scan_request& caller, ScanRequest& request);
// The same for a reduction, whose results are dense.
void take_given_strides(const scantune_reduce_request& caller, ReduceRequest& request);

// Whether rows with strides are scanned as rows or as columns: several rows of a plane that are closer together than
// their items are columns, and so are few long rows that no family of rows cuts into tiles.
Segments strided_segments(const ScanRequest& request, u64 rows, u64 length);

// Every scan() calls this, so it compares once.
inline bool has_strides(const scantune_scan_request& caller) {
  const i64 strides = caller.row_stride | caller.item_stride | caller.plane_stride | caller.out_row_stride |
                      caller.out_item_stride | caller.out_plane_stride;
  return (static_cast<u64>(strides) | caller.planes) != 0;
}
inline bool has_strides(const scantune_reduce_request& caller) {
  return (static_cast<u64>(caller.row_stride | caller.item_stride | caller.plane_stride) | caller.planes) != 0;
}

// The same, for strides that may be absent.
template <class Caller, class Typed>
void take_strides(const Caller& caller, Typed& request) {
  if (has_strides(caller)) [[unlikely]]
    take_given_strides(caller, request);
}

}  // namespace scantune::c_api
