#include <string>

#include "c_api/head.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_SEGMENT_OF, Assigned::segments) && same(SCANTUNE_RANK_OF, Assigned::ranks) &&
              same(SCANTUNE_SEGMENT_AND_RANK, Assigned::segments_and_ranks) &&
              same(SCANTUNE_VALUE_OF, Assigned::values));
ValueType checked_output_type(const scantune_load_balance_request& said, Assigned assigned) {
  if (number_in(said.output_type) != SCANTUNE_DEFAULT_TYPE) return checked_type("output_type", said.output_type);
  if (assigned == Assigned::values)
    fail("output_type", "SCANTUNE_DEFAULT_TYPE, and assigned is SCANTUNE_VALUE_OF: name the type of the values");
  return ValueType::u64;
}

}  // namespace

Asked checked_request(const scantune_load_balance_request& said, Room&) {
  LoadBalanceRequest request;
  take_head(said.head, request);
  request.segments = said.segment_count;
  request.input_type = checked_type("input_type", said.input_type);
  if (request.input_type == ValueType::custom)
    fail("input_type", "SCANTUNE_CUSTOM_TYPE; offsets are integers of 4 or 8 bytes");
  request.assigned = checked<Assigned>("assigned", said.assigned);
  request.output_type = checked_output_type(said, request.assigned);
  take_custom_type(said, request.output_type == ValueType::custom, request);
  check_supported(request);
  if (said.check > 1) fail("check", std::to_string(said.check) + "; it must be 0 or 1");
  return {.request = request, .checks_offsets = said.check == 1};
}

}  // namespace scantune::c_api
