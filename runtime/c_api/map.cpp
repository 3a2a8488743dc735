#include "c_api/map.h"

#include <cstring>
#include <string>
#include <type_traits>

#include "c_api/members.h"
#include "c_api/struct_version.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_MAP_ITEM, 0) && SCANTUNE_MAP_INDEXED == 1 && SCANTUNE_MAP_GENERATED == 2 &&
              SCANTUNE_MAP_WRITING == 3);
static_assert(std::has_unique_object_representations_v<scantune_map>);

constexpr scantune_map kDefaultMap = SCANTUNE_MAP_INIT;

// How messages name what one of the two maps has.
struct Names {
  const char *map, *struct_bytes, *kind, *source;
  StateNames state;
  const char *function, *other;  // what the source defines; the kind that is for the other map
};
constexpr Names kLoad = {"load",
                         "load->struct_bytes",
                         "load->kind",
                         "load->source",
                         {"load->state", "load->state_bytes"},
                         "Result load(Value)",
                         "SCANTUNE_MAP_WRITING, which is for store"};
constexpr Names kStore = {"store",
                          "store->struct_bytes",
                          "store->kind",
                          "store->source",
                          {"store->state", "store->state_bytes"},
                          "Result store(Value)",
                          "SCANTUNE_MAP_GENERATED, which is for load"};

// The kind, after all that does not depend on it. other: the kind that this map cannot have.
int checked_map(const Names& names, const scantune_map* caller, int other, MapView& view, unsigned char* state) {
  const StructVersion version = {names.struct_bytes, "scantune_map", "start from SCANTUNE_MAP_INIT",
                                 sizeof(scantune_map), sizeof(scantune_map)};
  scantune_map storage;
  const scantune_map& map = *as_known(version, caller, kDefaultMap, storage);
  const int kind = checked_enum(names.kind, "scantune_map_kind", map.kind, 0, SCANTUNE_MAP_WRITING);
  if (kind == other) fail(names.kind, names.other);
  check_source(names.source, map.source, names.function);
  check_state(names.state, map.state, map.state_bytes);
  view = {map.source, static_cast<int>(map.state_bytes)};
  if (map.state_bytes > 0) std::memcpy(state, map.state, map.state_bytes);
  return kind;
}

// Throws unless the struct that only maps know is given where there is one, and not where there is none.
void take_struct(const scantune_problem& problem, ScanRequest& request) {
  const auto is_mapped_struct = [&](bool is_mapped, ValueType type) {
    return is_mapped && type == ValueType::custom && request.accumulator_type != ValueType::custom;
  };
  const bool has_struct = is_mapped_struct(request.load != Load::none, request.input_type) ||
                          is_mapped_struct(request.store != Store::none, request.output_type);
  constexpr CustomTypeNames kNames = {"item_bytes", "item_alignment"};
  if (!has_struct) {
    if ((problem.item_bytes | problem.item_alignment) != 0)
      fail(problem.item_bytes != 0 ? kNames.bytes : kNames.alignment,
           std::to_string(problem.item_bytes != 0 ? problem.item_bytes : problem.item_alignment) +
               "; it must be 0 unless a map takes or makes a struct that is not the accumulator");
    return;
  }
  check_custom_bytes(kNames, problem.item_bytes, problem.item_alignment);
  request.custom_bytes = static_cast<int>(problem.item_bytes);
  request.custom_alignment = static_cast<int>(problem.item_alignment);
}

}  // namespace

void take_maps(const scantune_problem& problem, ScanRequest& request, MapRoom& room) {
  MapViews& views = room.views.emplace();
  if (problem.load != nullptr) {
    constexpr Load kKinds[] = {Load::source, Load::indexed, Load::generated};
    request.load = kKinds[checked_map(kLoad, problem.load, SCANTUNE_MAP_WRITING, views.load, room.states.load)];
  }
  if (problem.store != nullptr) {
    constexpr Store kKinds[] = {Store::source, Store::indexed, Store::none, Store::writing};
    request.store = kKinds[checked_map(kStore, problem.store, SCANTUNE_MAP_GENERATED, views.store, room.states.store)];
  }
  take_struct(problem, request);
}

}  // namespace scantune::c_api
