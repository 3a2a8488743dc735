#include <string>
#include <type_traits>

#include "c_api/combining.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_INCLUSIVE, Kind::inclusive) && same(SCANTUNE_EXCLUSIVE, Kind::exclusive));
static_assert(same(SCANTUNE_FORWARD, Direction::forward) && same(SCANTUNE_REVERSE, Direction::reverse));
// A member that fell into padding would not make its struct grow, and no size would show it.
static_assert(std::has_unique_object_representations_v<scantune_scan_request>);

constexpr scantune_scan_request kDefaultScan = SCANTUNE_SCAN_REQUEST_INIT;
constexpr StructVersion kScanVersion = request_version("scantune_scan_request", "start from SCANTUNE_SCAN_REQUEST_INIT",
                                                       256, sizeof(scantune_scan_request));

Init checked_init(const scantune_scan_request& caller, Kind kind) {
  refuse_two_inits(caller);
  if (caller.device_inits != nullptr) {
    if (caller.init != nullptr || caller.device_init != nullptr)
      fail_two_inits("device_inits", caller.init != nullptr ? "init" : "device_init");
    if (number_in(caller.segments) == SCANTUNE_NO_SEGMENTS)
      fail("device_inits",
           "given, and segments is SCANTUNE_NO_SEGMENTS: set segments, or pass one value in init or device_init");
    return Init::each;
  }
  if (caller.device_init != nullptr) return Init::memory;
  return caller.init != nullptr || kind == Kind::exclusive ? Init::value : Init::none;
}

NSource checked_n_source(const scantune_scan_request& caller) {
  if (caller.device_n != nullptr) {
    check_wide_type("n_type", caller.n_type);
    return NSource::memory;
  }
  if (caller.device_clamped != nullptr)
    fail("device_clamped", "given, and device_n is NULL: only an n in memory is clamped, so pass both or neither");
  refuse_type("n_type", caller.n_type, "device_n is NULL");
  return NSource::call;
}

Asked checked_scan_head(const scantune_head* head, Room& room) {
  return checked_scan(reinterpret_cast<const scantune_scan_request*>(head), room);
}

}  // namespace

constinit const Door k_scan_door = {kScanVersion, &kDefaultScan, &checked_scan_head};

Asked checked_scan(const scantune_scan_request* caller, Room& room) {
  if (caller == nullptr) fail("request", "NULL; it must point to a scantune_scan_request");
  if (number_in(caller->head.algorithm) != SCANTUNE_SCAN) [[unlikely]]
    fail("algorithm", std::to_string(number_in(caller->head.algorithm)) +
                          ", and this function scans: start from SCANTUNE_SCAN_REQUEST_INIT, or call scantune_run()");
  Storage<scantune_scan_request> storage;
  const auto given = given_by(kScanVersion, caller, kDefaultScan, storage);
  const scantune_scan_request& said = given.request;
  Beside beside;
  ScanRequest request;
  take_items(given, request, beside);
  request.kind = checked<Kind>("kind", said.kind);
  request.direction = checked<Direction>("direction", said.direction);
  take_maps_and_state(given, request, beside, room);
  request.init = checked_init(said, request.kind);
  request.n_source = checked_n_source(said);
  take_strides(said, request);
  check_supported(request);
  Asked asked{.request = request,
              .custom = beside.custom,
              .init = initial_value(given, request),
              .device_init = said.device_inits != nullptr ? said.device_inits : said.device_init,
              .device_n = said.device_n,
              .device_clamped = said.device_clamped,
              .states = beside.states};
  take_head(said.head, asked);
  return asked;
}

}  // namespace scantune::c_api
