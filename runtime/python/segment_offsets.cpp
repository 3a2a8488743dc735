#include "python/segment_offsets.h"

#include <string>

namespace nb = nanobind;

namespace scantune::python {

SegmentOffsets::SegmentOffsets(FirstItems& items, const SegmentArguments& arguments) {
  const std::uint64_t number = number_of(items.call().function(), "num_segments", arguments.number);
  begins_ = &items.input("start_offsets_in", arguments.begins, number);
  ends_ = &items.input("end_offsets_in", arguments.ends, number);
  if (begins_->type->is_floating() || begins_->type->bits < 32)
    items.call().refuse(nb::type_error, "start_offsets_in has items of " + std::string(begins_->type->name) +
                                            "; they must be integers of 32 or 64 bits");
  items.check_type("end_offsets_in", *ends_, "start_offsets_in", *begins_->type);
}

}  // namespace scantune::python
