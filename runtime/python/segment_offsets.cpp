#include "python/segment_offsets.h"

#include <string>

namespace scantune::python {

SegmentOffsets::SegmentOffsets(FirstItems& items, const SegmentArguments& arguments) {
  const std::uint64_t number = number_of(items.call().function(), "num_segments", arguments.number);
  begins_ = &items.input("start_offsets_in", arguments.begins, number);
  ends_ = &items.input("end_offsets_in", arguments.ends, number);
  items.call().check_counts("start_offsets_in", *begins_);
  items.check_type("end_offsets_in", *ends_, "start_offsets_in", *begins_->type);
}

}  // namespace scantune::python
