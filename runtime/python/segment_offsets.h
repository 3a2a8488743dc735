// Where the segments of an array begin and end, by two arrays of offsets.
#pragma once

#include "python/first_items.h"
#include "scantune/scantune.h"

namespace scantune::python {

struct SegmentArguments {
  nanobind::object number, begins, ends;
};

class SegmentOffsets {
 public:
  // Throws TypeError or ValueError that names num_segments, start_offsets_in or end_offsets_in.
  SegmentOffsets(FirstItems& items, const SegmentArguments& arguments);

  std::uint64_t number() const { return begins_->size(); }
  const Array& begins() const { return *begins_; }
  const Array& ends() const { return *ends_; }

  // Request: a reduction's or a sort's.
  template <class Request>
  void put_into(Request& request) const {
    request.segments = SCANTUNE_BY_OFFSETS;
    request.offset_type = begins_->type->type;
    request.offset_form = SCANTUNE_BEGINS_AND_ENDS;
    request.segment_count = number();
  }

 private:
  const Array* begins_;
  const Array* ends_;
};

}  // namespace scantune::python
