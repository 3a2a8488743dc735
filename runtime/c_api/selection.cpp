#include "c_api/selection.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "c_api/members.h"
#include "c_api/struct_version.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_LESS, Criterion::less) && same(SCANTUNE_LESS_EQUAL, Criterion::less_equal) &&
              same(SCANTUNE_GREATER, Criterion::greater) && same(SCANTUNE_GREATER_EQUAL, Criterion::greater_equal) &&
              same(SCANTUNE_EQUAL, Criterion::equal) && same(SCANTUNE_NOT_EQUAL, Criterion::not_equal) &&
              same(SCANTUNE_FLAGGED, Criterion::flagged) && same(SCANTUNE_UNIQUE, Criterion::unique) &&
              same(SCANTUNE_PREDICATE, Criterion::predicate) && same(SCANTUNE_UNIQUE_BY, Criterion::unique_by) &&
              same(SCANTUNE_PARTS, Criterion::parts) && same(SCANTUNE_AROUND, Criterion::around));
static_assert(same(SCANTUNE_ITEMS, Selected::items) && same(SCANTUNE_INDICES, Selected::indices) &&
              same(SCANTUNE_ITEMS_AND_INDICES, Selected::items_and_indices));
static_assert(same(SCANTUNE_DROPPED, Rejected::dropped) && same(SCANTUNE_APART, Rejected::apart) &&
              same(SCANTUNE_BEHIND, Rejected::behind));

// A member that fell into padding would not make its struct grow, and no size would show it.
static_assert(std::has_unique_object_representations_v<scantune_selection> &&
              std::has_unique_object_representations_v<scantune_selection_arrays>);

constexpr scantune_selection kDefaultSelection = SCANTUNE_SELECTION_INIT;
constexpr scantune_selection_arrays kNoSelectionArrays = SCANTUNE_SELECTION_ARRAYS_INIT;
constexpr StructVersion kSelectionVersion = {"struct_bytes", "scantune_selection", "start from SCANTUNE_SELECTION_INIT",
                                             sizeof(scantune_selection), sizeof(scantune_selection)};
constexpr StructVersion kSelectionArraysVersion = {
    "arrays.struct_bytes", "scantune_selection_arrays", "start from SCANTUNE_SELECTION_ARRAYS_INIT",
    offsetof(scantune_selection_arrays, second), sizeof(scantune_selection_arrays)};
static_assert(kSelectionVersion.oldest_bytes == 96 && kSelectionArraysVersion.oldest_bytes == 72);

std::string criterion_is(Criterion criterion) {
  constexpr const char* kConstants[] = {"SCANTUNE_LESS",          "SCANTUNE_LESS_EQUAL", "SCANTUNE_GREATER",
                                        "SCANTUNE_GREATER_EQUAL", "SCANTUNE_EQUAL",      "SCANTUNE_NOT_EQUAL",
                                        "SCANTUNE_FLAGGED",       "SCANTUNE_UNIQUE",     "SCANTUNE_PREDICATE",
                                        "SCANTUNE_UNIQUE_BY",     "SCANTUNE_PARTS",      "SCANTUNE_AROUND"};
  return std::string("criterion is ") + kConstants[static_cast<int>(criterion)];
}

// Throws where a criterion does not have what was given for it.
void refuse_given(const char* member, const void* given, Criterion criterion) {
  if (given != nullptr) fail(member, "given, and " + criterion_is(criterion) + ", which has none: leave it NULL");
}

Values checked_values(std::uint32_t bytes) {
  switch (bytes) {
    case 0:
      return Values::none;
    case 1:
      return Values::bytes_1;
    case 2:
      return Values::bytes_2;
    case 4:
      return Values::bytes_4;
    case 8:
      return Values::bytes_8;
    default:
      fail("value_bytes", std::to_string(bytes) + "; a value beside an item has 1, 2, 4 or 8 bytes, and 0 is for none");
  }
}

SelectRequest request_of(const scantune_selection& asked) {
  SelectRequest request;
  request.n = asked.n;
  request.input_type = checked_type("type", asked.type);
  check_custom_type({"item_bytes", "item_alignment"}, request.input_type, asked.item_bytes, asked.item_alignment);
  request.custom_bytes = static_cast<int>(asked.item_bytes);
  request.custom_alignment = static_cast<int>(asked.item_alignment);
  request.criterion =
      static_cast<Criterion>(checked_enum("criterion", "scantune_criterion", asked.criterion, 0, SCANTUNE_AROUND));
  request.selected = static_cast<Selected>(
      checked_enum("selected", "scantune_selected", asked.selected, 0, SCANTUNE_ITEMS_AND_INDICES));
  request.rejected =
      static_cast<Rejected>(checked_enum("rejected", "scantune_rejected", asked.rejected, 0, SCANTUNE_BEHIND));
  if (number_in(asked.index_type) != SCANTUNE_DEFAULT_TYPE)
    request.index_type = checked_type("index_type", asked.index_type);
  request.values = checked_values(asked.value_bytes);
  request.forward_progress = static_cast<ForwardProgress>(
      checked_enum("forward_progress", "scantune_forward_progress", asked.forward_progress, 0, SCANTUNE_DOCUMENTED));
  request.latency =
      static_cast<Latency>(checked_enum("latency", "scantune_latency", asked.latency, 0, SCANTUNE_ISOLATED));
  return request;
}

std::optional<CustomOperatorView> checked_source_of(const scantune_selection& asked, Criterion criterion) {
  if (!has_source(criterion)) {
    refuse_given("source", asked.source, criterion);
    refuse_given("state", asked.state, criterion);
    if (asked.state_bytes != 0)
      fail("state_bytes", std::to_string(asked.state_bytes) + ", and " + criterion_is(criterion) +
                              ", which has no state: leave it at 0");
    return std::nullopt;
  }
  check_source("source", asked.source,
               criterion == Criterion::predicate   ? "bool keep(Value)"
               : criterion == Criterion::unique_by ? "bool equal(Value, Value)"
                                                   : "int part(Value)");
  check_state({"state", "state_bytes"}, asked.state, asked.state_bytes);
  return CustomOperatorView{.source = asked.source, .name = {}, .state_bytes = static_cast<int>(asked.state_bytes)};
}

// The bytes that kernels take as an initial value: the constant or the state.
InitialValue checked_init(const scantune_selection& asked, const Request& request, Criterion criterion) {
  InitialValue init;
  if (has_constant(criterion)) {
    if (asked.constant == nullptr)
      fail("constant", "NULL, and " + criterion_is(criterion) + ": point it to what items are compared with");
    return {request, asked.constant};
  }
  refuse_given("constant", asked.constant, criterion);
  if (asked.state_bytes > 0) std::memcpy(init.bytes, asked.state, asked.state_bytes);
  return init;
}

void refuse_unselected(const char* member, const void* given, const char* why) {
  if (given != nullptr) fail(member, std::string("given, and ") + why + ": leave it NULL");
}

}  // namespace

SelectionProblem checked_selection(const scantune_selection* caller) {
  if (caller == nullptr) fail("selection", "NULL; it must point to a scantune_selection");
  scantune_selection storage;
  const scantune_selection& asked = *as_known(kSelectionVersion, caller, kDefaultSelection, storage);
  const SelectRequest request = request_of(asked);
  check_supported(request);
  const Request erased(request);
  const std::optional<CustomOperatorView> source = checked_source_of(asked, request.criterion);
  const InitialValue init = checked_init(asked, erased, request.criterion);
  check_captured_launches(asked.captured_launches);
  return {.problem = {.request = erased,
                      .custom = source,
                      .init = init,
                      .captured_launches = asked.captured_launches,
                      .config = checked_config(asked.config)},
          .arrays = {.has_items = request.writes_items(),
                     .has_flags = request.criterion == Criterion::flagged,
                     .has_values = request.has_values(),
                     .has_indices = request.writes_indices(),
                     .has_rejected = request.rejected == Rejected::apart,
                     .has_second = request.rejected == Rejected::apart && request.parts() == 3}};
}

Pointers checked_arrays(const SelectionArrays& its, const scantune_selection_arrays* caller) {
  if (caller == nullptr) fail("arrays", "NULL; it must point to a scantune_selection_arrays");
  scantune_selection_arrays storage;
  const scantune_selection_arrays& given = *as_known(kSelectionArraysVersion, caller, kNoSelectionArrays, storage);
  if (!its.has_items)
    refuse_unselected("output", given.output, "selected is SCANTUNE_INDICES, so no items are written");
  if (!its.has_flags) refuse_unselected("flags", given.flags, "criterion is not SCANTUNE_FLAGGED");
  if (!its.has_values) {
    refuse_unselected("values", given.values, "value_bytes is 0");
    refuse_unselected("values_output", given.values_output, "value_bytes is 0");
  }
  if (!its.has_indices) refuse_unselected("indices", given.indices, "selected is SCANTUNE_ITEMS");
  if (!its.has_rejected)
    refuse_unselected("rejected", given.rejected, "rejected of the selection is not SCANTUNE_APART");
  if (!its.has_second) refuse_unselected("second", given.second, "the selection has no second part apart");

  Pointers pointers{given.input, its.has_items ? given.output : given.indices};
  std::size_t place = 2;
  if (its.has_flags) pointers[place++] = given.flags;
  if (its.has_values) {
    pointers[place++] = given.values;
    pointers[place++] = given.values_output;
  }
  if (its.has_items && its.has_indices) pointers[place++] = given.indices;
  if (its.has_second) pointers[place++] = given.second;
  if (its.has_rejected) pointers[place++] = given.rejected;
  pointers[place] = given.count;
  return pointers;
}

}  // namespace scantune::c_api
