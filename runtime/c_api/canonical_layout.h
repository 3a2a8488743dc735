// Strides have a meaning before they have values: most requests with strides, and all of one row or column, are solved
// by a simpler request. Reductions of rows of one item are those of columns, whose threads store neighbours.
#pragma once

#include <type_traits>

#include "reduce/config/reduce.h"
#include "scan/config/scan.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

// The simplest request with the same results in the same places, of a supported one that may have a simpler one. Where
// its items are dense, layout.input.first and layout.output.first say where they begin, relative to the caller's
// pointers.
ScanRequest canonical(const ScanRequest& given);
ReduceRequest canonical(const ReduceRequest& given);

// Whether a checked request may have a simpler one.
template <class Typed>
bool may_be_simpler(const Typed& request) {
  return request.n != 0 && (request.layout.is_strided() || request.rows + request.columns == 1 ||
                            (std::is_same_v<Typed, ReduceRequest> && request.n == request.rows));
}

// Replaces a checked request by its canonical one, unless the caller gives a config, which is one for the request as it
// is written.
template <class Typed>
void make_canonical(const scantune_head& head, Typed& request) {
  if (request.segments == Segments::none) [[likely]]
    return;
  if (head.config == nullptr && may_be_simpler(request)) request = canonical(request);
}

}  // namespace scantune::c_api
