#include <string>

#include "c_api/combining.h"
#include "c_api/offsets.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_ONE_EXTREME, ExtremeSet::one) && same(SCANTUNE_BOTH_EXTREMES, ExtremeSet::both));
static_assert(same(SCANTUNE_NO_POSITION, Position::none) && same(SCANTUNE_FIRST_POSITION, Position::first) &&
              same(SCANTUNE_LAST_POSITION, Position::last));

// Whether an empty input has a result: a built-in operator's identity is one.
bool has_identity(const Given<scantune_reduce_request>& given) {
  return given.combine == nullptr || given.combine->identity != nullptr;
}

Init checked_init(const Given<scantune_reduce_request>& given, const ReduceRequest& request) {
  refuse_two_inits(given.request);
  if (given.request.device_inits != nullptr) {
    if (given.request.init != nullptr || given.request.device_init != nullptr)
      fail_two_inits("device_inits", given.request.init != nullptr ? "init" : "device_init");
    return Init::each;
  }
  if (given.request.device_init != nullptr) return Init::memory;
  if (request.has_position()) {
    if (given.request.init != nullptr)
      fail("init", "given, and an initial value has no position among the items: leave it NULL");
    return request.n == 0 || request.has_offsets() ? Init::value : Init::none;
  }
  return given.request.init != nullptr || has_identity(given) ? Init::value : Init::none;
}

// The greatest position, which counts from the start of its row or column.
u64 last_index(const ReduceRequest& request) {
  const u64 items = request.segments == Segments::columns ? column_items(request) : row_items(request);
  return items == 0 ? 0 : items - 1;
}

// Takes the order of the items. Its state goes the way of an operator's.
void take_less(Given<scantune_reduce_request>& given, ReduceRequest& request, scantune_function& storage) {
  if (!request.has_position())
    fail("less",
         "given, and position is SCANTUNE_NO_POSITION: only extremes with a position have an order of their own");
  given.combine = &checked_in_full(kLess, given.request.less, storage);
  given.custom = CustomOperatorView{.source = given.combine->source, .name = {}};
  request.ordered_by = OrderedBy::less;
}

}  // namespace

Asked checked_request(const scantune_reduce_request& said, Room& room) {
  scantune_function storage, less_storage;
  auto given = given_by(said, storage);
  ReduceRequest request;
  take_items(given, request);
  request.position = checked<Position>("position", said.position);
  if (request.has_position() && said.store == nullptr)
    request.index_width = checked_width("index_type", said.index_type, "indices", last_index(request));
  else
    refuse_type("index_type", said.index_type,
                request.has_position() ? "store takes the positions" : "position is SCANTUNE_NO_POSITION");
  request.extremes = checked<ExtremeSet>("extremes", said.extremes);
  if (said.less != nullptr) take_less(given, request, less_storage);
  take_maps_and_state(given, request, room);
  take_strides(said, request);
  take_offsets(said, request);
  if (said.device_inits != nullptr && !request.has_offsets())
    fail("device_inits", "given, and segments is not SCANTUNE_BY_OFFSETS: set it, or leave device_inits NULL");
  request.init = checked_init(given, request);
  check_supported(request);
  const bool has_results =
      request.segments == Segments::none || (request.rows | request.columns | request.segment_count) != 0;
  if (request.n == 0 && has_results && request.init == Init::none)
    fail("n", "0, and the operator has no identity: pass it, or set init or device_init");
  make_canonical(said.head, request);
  return {.request = request,
          .custom = given.custom,
          .init = request.has_position() ? InitialValue() : initial_value(given, request),
          .device_init = said.device_inits != nullptr ? said.device_inits : said.device_init,
          .device_segment_count = said.device_segment_count,
          .states = given.states,
          .checks_offsets = said.check == 1};
}

}  // namespace scantune::c_api
