#include <string>

#include "c_api/combining.h"
#include "c_api/offsets.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_INCLUSIVE, Kind::inclusive) && same(SCANTUNE_EXCLUSIVE, Kind::exclusive));
static_assert(same(SCANTUNE_RESULTS, Results::all) && same(SCANTUNE_TOTALS, Results::totals));
static_assert(same(SCANTUNE_FORWARD, Direction::forward) && same(SCANTUNE_REVERSE, Direction::reverse));

constexpr StructNames kKeyNames = {"key_bytes", "key_alignment"};

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

void take_n_source(const scantune_scan_request& caller, ScanRequest& request) {
  if (caller.device_n != nullptr) {
    request.n_source = NSource::memory;
    request.n_width = checked_width("n_type", caller.n_type, "n", request.n);
    return;
  }
  if (caller.device_clamped != nullptr)
    fail("device_clamped", "given, and device_n is NULL: only an n in memory is clamped, so pass both or neither");
  refuse_type("n_type", caller.n_type, "device_n is NULL");
}

// The keys that are as wide as the type, or nearly so.
Keys keys_as_wide_as(const ComparedType& type) {
  const int bytes = type.bytes();
  switch (type.type) {
    case ValueType::f16:
      return Keys::f16;
    case ValueType::bf16:
      return Keys::bf16;
    case ValueType::f32:
      return Keys::f32;
    case ValueType::f64:
      return Keys::f64;
    default:
      return bytes == 1 ? Keys::bytes_1 : bytes == 2 ? Keys::bytes_2 : bytes <= 4 ? Keys::bytes_4 : Keys::bytes_8;
  }
}

constexpr FunctionMember kEqual = {"equal", "equal->struct_bytes", roles_of(SCANTUNE_FUNCTION_EQUAL)};

// Takes the equality of keys. Its source and state go into the room.
void take_equality(const scantune_function* equal, Given<scantune_scan_request>& given, Room& room) {
  if (!room.views) room.views.emplace();
  if (given.states == nullptr) room.states = {};
  given.states = &room.states;
  checked_map(kEqual, equal, room.views->equal, room.states.equal);
  if (!given.custom) given.custom.emplace();
  given.custom->maps = &*room.views;
}

void take_keys(Given<scantune_scan_request>& given, ScanRequest& request, Room& room) {
  const scantune_scan_request& caller = given.request;
  const ValueType type = checked_type("key_type", caller.key_type);
  const bool is_struct = type == ValueType::custom;
  check_bytes_of("key_type", is_struct, caller.key_bytes, caller.key_alignment, kKeyNames);
  const ComparedType keys = {type, static_cast<short>(caller.key_bytes), static_cast<short>(caller.key_alignment)};
  request.keys = keys_as_wide_as(keys);
  if (caller.equal != nullptr) {
    request.equality = Equality::source;
    request.key_type = keys;
    take_equality(caller.equal, given, room);
  } else if (is_struct) {
    fail("equal",
         "NULL, and key_type is SCANTUNE_CUSTOM_TYPE: structs have no equality of their own, so point it to one");
  }
}

void refuse_keys(const scantune_scan_request& caller) {
  refuse_type("key_type", caller.key_type, "segments is not SCANTUNE_BY_KEYS");
  check_bytes_of("key_type", false, caller.key_bytes, caller.key_alignment, kKeyNames);
  if (caller.equal != nullptr) fail("equal", "given, and segments is not SCANTUNE_BY_KEYS: leave it NULL");
}

// Takes what only segments of any length have.
[[gnu::noinline]] void take_starts(Given<scantune_scan_request>& given, ScanRequest& request, Room& room) {
  const scantune_scan_request& caller = given.request;
  check_spare("spare", caller.spare);
  if (request.segments == Segments::keys)
    take_keys(given, request, room);
  else
    refuse_keys(caller);
  request.results = checked<Results>("results", caller.results);
  if (request.writes_totals()) {
    request.count_width = checked_width("count_type", caller.count_type, "totals", request.n);
    if (caller.capacity != nullptr && *caller.capacity < request.n) {
      request.room = OutputRoom::limited;
      request.capacity = *caller.capacity;
    }
  } else {
    refuse_type("count_type", caller.count_type, "results is not SCANTUNE_TOTALS");
    if (caller.capacity != nullptr) fail("capacity", "given, and results is not SCANTUNE_TOTALS: leave it NULL");
    if (counts_starts(request) && request.n <= UINT32_MAX) request.count_width = IntegerWidth::bits_32;
  }
  check_supported(request);
  if (const char* reason = invalid_starts_reason(request))
    throw RequestError(to_string(Request(request)) + ": " + reason);
}

}  // namespace

Asked checked_request(const scantune_scan_request& said, Room& room) {
  scantune_function storage;
  auto given = given_by(said, storage);
  ScanRequest request;
  take_items(given, request);
  request.kind = checked<Kind>("kind", said.kind);
  request.direction = checked<Direction>("direction", said.direction);
  take_maps_and_state(given, request, room);
  request.init = checked_init(said, request.kind);
  take_n_source(said, request);
  const int others = number_in(said.key_type) | number_in(said.results) | number_in(said.count_type);
  const auto pointers = reinterpret_cast<std::uintptr_t>(said.capacity) | reinterpret_cast<std::uintptr_t>(said.equal);
  if (has_starts(request.segments) || pointers != 0 ||
      (static_cast<std::uint32_t>(others) | said.spare | said.key_bytes | said.key_alignment) != 0) [[unlikely]]
    take_starts(given, request, room);
  const int of_offsets = number_in(said.offset_type) | number_in(said.offset_form) | number_in(said.segment_count_type);
  if (request.has_offsets() || (static_cast<std::uint32_t>(of_offsets) | said.check | said.segment_count) != 0 ||
      said.device_segment_count != nullptr) [[unlikely]]
    take_offsets(said, request);
  take_strides(said, request);
  check_supported(request);
  make_canonical(said.head, request);
  return {.request = request,
          .custom = given.custom,
          .init = initial_value(given, request),
          .device_init = said.device_inits != nullptr ? said.device_inits : said.device_init,
          .device_n = said.device_n,
          .device_clamped = said.device_clamped,
          .device_segment_count = said.device_segment_count,
          .states = given.states,
          .checks_offsets = said.check == 1,
          .refuses_overlap = true,
          .has_other_arrays = has_starts(request.segments) || request.has_offsets()};
}

Asked checked_scan(const scantune_scan_request* caller, Room& room) {
  if (caller == nullptr) fail("request", "NULL; it must point to a scantune_scan_request");
  if (number_in(caller->head.algorithm) != SCANTUNE_SCAN) [[unlikely]]
    fail("algorithm", std::to_string(number_in(caller->head.algorithm)) +
                          ", and this function scans: start from SCANTUNE_SCAN_REQUEST_INIT, or call scantune_run()");
  return checked_by_head<scantune_scan_request>(caller->head, room);
}

}  // namespace scantune::c_api
