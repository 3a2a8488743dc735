#include <string>

#include "c_api/head.h"
#include "c_api/offsets.h"
#include "c_api/payload.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_RESULTS_BY_KEY, ResultOrder::by_key) &&
              same(SCANTUNE_RESULTS_BY_INDEX, ResultOrder::by_index));
static_assert(same(SCANTUNE_NAN_TOTAL_ORDER, NanOrder::total_order) && same(SCANTUNE_NAN_LAST, NanOrder::last));

// Throws unless every row, if there are rows, has so many keys. The lengths of segments are in memory.
void check_results(const TopKRequest& request) {
  const u64 keys = row_items(request);
  if (request.segments == Segments::rows && request.rows == 0) return;
  if (request.n > 0 && request.k == 0) fail("k", "0; ask for 1 result at least");
  if (request.has_offsets()) return;
  if (request.k > keys)
    fail("k", std::to_string(request.k) + ", and " +
                  (request.segments == Segments::rows ? "a row has " : "there are ") + std::to_string(keys) +
                  " keys: ask for no more results");
}

void take_k_source(const scantune_top_k_request& said, TopKRequest& request) {
  if (said.device_k == nullptr) return refuse_type("k_type", said.k_type, "device_k is NULL");
  const IntegerWidth width = checked_width("k_type", said.k_type, "k", said.k);
  request.k_source = width == IntegerWidth::bits_32 ? CountSource::memory_32 : CountSource::memory;
}

}  // namespace

Asked checked_request(const scantune_top_k_request& said, Room&) {
  TopKRequest request;
  take_head(said.head, request);
  request.input_type = checked_type("input_type", said.input_type);
  if (request.input_type == ValueType::custom)
    fail("input_type",
         "SCANTUNE_CUSTOM_TYPE; keys are numbers: take a number that stands for each, and pass the items as values");
  request.sorted = checked<Sorted>("sorted", said.sorted);
  request.value_type = checked_payload(said, request);
  take_custom_type(said, request.value_type == ValueType::custom, request);
  request.order = checked<Order>("order", said.order);
  request.result_order = checked<ResultOrder>("result_order", said.result_order);
  request.nan_order = checked<NanOrder>("nan_order", said.nan_order);
  request.segments = checked<Segments>("segments", said.segments);
  request.rows = said.rows;
  check_count(request, Segments::rows, {"rows", "SCANTUNE_ROWS"}, said.rows);
  take_offsets(said, request);
  check_spare("spare", said.spare);
  request.k = said.k;
  take_k_source(said, request);
  check_results(request);
  if (request.rows == 1) {  // which all CTAs take
    request.segments = Segments::none;
    request.rows = 0;
  }
  check_supported(request);
  return {.request = request,
          .device_segment_count = said.device_segment_count,
          .device_k = said.device_k,
          .checks_offsets = said.check == 1};
}

}  // namespace scantune::c_api
