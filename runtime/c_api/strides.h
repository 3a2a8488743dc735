// Rows with strides, as C names them.
#pragma once

#include "reduce/config/reduce.h"
#include "scan/config/scan.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

// Lets the request have rows with the strides of the caller's, who has some: dense columns where they are such, and
// columns where the rows lie closer than their items. Throws RequestError if the strides name no places, or name places
// of the output twice.
void take_given_strides(const scantune_scan_request& caller, ScanRequest& request);
// The same for a reduction, whose results are dense.
void take_given_strides(const scantune_reduce_request& caller, ReduceRequest& request);

// Every scan() asks this, so it compares once.
inline bool has_strides(const scantune_scan_request& caller) {
  const i64 strides = caller.row_stride | caller.item_stride | caller.plane_stride | caller.out_row_stride |
                      caller.out_item_stride | caller.out_plane_stride;
  return (static_cast<u64>(strides) | caller.planes) != 0;
}
inline bool has_strides(const scantune_reduce_request& caller) {
  return (static_cast<u64>(caller.row_stride | caller.item_stride | caller.plane_stride) | caller.planes) != 0;
}

// The same where there may be none.
template <class Caller, class Typed>
void take_strides(const Caller& caller, Typed& request) {
  if (has_strides(caller)) [[unlikely]]
    take_given_strides(caller, request);
}

}  // namespace scantune::c_api
