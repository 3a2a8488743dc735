// Segments of an array that offsets say.
#pragma once

#include <nanobind/nanobind.h>

#include "python/call.h"
#include "scantune/scantune.h"

namespace scantune::python {

// Contiguous, on the device of x. Throws TypeError or ValueError that names what is wrong with it.
Array offsets_of(const Call& call, nanobind::object object, const Array& x);

inline std::uint64_t segments_of(const Array& offsets) { return offsets.size() - 1; }

// Request: a scan's, a reduction's or a sort's.
template <class Request>
void take_offsets(const Array& offsets, Request& request) {
  request.segments = SCANTUNE_BY_OFFSETS;
  request.offset_type = offsets.type->type;
  request.segment_count = segments_of(offsets);
}

}  // namespace scantune::python
