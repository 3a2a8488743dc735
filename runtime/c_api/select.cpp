#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <string>

#include "c_api/maps.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_LESS, Criterion::less) && same(SCANTUNE_LESS_EQUAL, Criterion::less_equal) &&
              same(SCANTUNE_GREATER, Criterion::greater) && same(SCANTUNE_GREATER_EQUAL, Criterion::greater_equal) &&
              same(SCANTUNE_EQUAL, Criterion::equal) && same(SCANTUNE_NOT_EQUAL, Criterion::not_equal) &&
              same(SCANTUNE_FLAGGED, Criterion::flagged) && same(SCANTUNE_UNIQUE, Criterion::unique) &&
              same(SCANTUNE_PREDICATE, Criterion::predicate) && same(SCANTUNE_UNIQUE_BY, Criterion::unique_by) &&
              same(SCANTUNE_PARTS, Criterion::parts) && same(SCANTUNE_AROUND, Criterion::around));
static_assert(same(SCANTUNE_SELECTED_ITEMS, Selected::items) && same(SCANTUNE_SELECTED_INDICES, Selected::indices) &&
              same(SCANTUNE_SELECTED_ITEMS_AND_INDICES, Selected::items_and_indices));
static_assert(same(SCANTUNE_DROPPED, Rejected::dropped) && same(SCANTUNE_APART, Rejected::apart) &&
              same(SCANTUNE_BEHIND, Rejected::behind) && same(SCANTUNE_BEHIND_REVERSED, Rejected::behind_reversed));

static_assert(same(SCANTUNE_ITEM, Subject::item) && same(SCANTUNE_FLAG, Subject::flag));

std::string criterion_is(Criterion criterion) { return "criterion is " + constant_of(token(criterion)); }

// Throws where a criterion does not have what was given for it.
void refuse_given(const char* member, const void* given, Criterion criterion) {
  if (given != nullptr)
    fail(member, "given, and " + criterion_is(criterion) + ", which does not use it: leave it NULL");
}

// Values are moved in units as wide as they are aligned.
void take_values(const scantune_select_request& said, SelectRequest& request) {
  constexpr StructNames kNames = {"value_bytes", "value_alignment"};
  const bool is_struct = number_in(said.value_type) == SCANTUNE_CUSTOM_TYPE;
  check_bytes_of("value_type", is_struct, said.value_bytes, said.value_alignment, kNames);
  if (number_in(said.value_type) == SCANTUNE_DEFAULT_TYPE) return;
  unsigned unit_bytes = said.value_alignment;
  if (!is_struct) unit_bytes = static_cast<unsigned>(size_of(checked_type("value_type", said.value_type)));
  request.values = static_cast<Values>(std::bit_width(unit_bytes));
  if (!is_struct || said.value_bytes == unit_bytes) return;
  request.value_units = ValueUnits::several;
  request.units = said.value_bytes / unit_bytes;
}
static_assert(static_cast<Values>(std::bit_width(16u)) == Values::bytes_16);

FlagType checked_flags(const scantune_type& type) {
  if (number_in(type) == SCANTUNE_DEFAULT_TYPE) return FlagType::u8;
  const ValueType its_type = checked_type("flag_type", type);
  for (int place = 0; place < static_cast<int>(std::size(Tokens<FlagType>::kNames)); ++place)
    if (value_type(static_cast<FlagType>(place)) == its_type) return static_cast<FlagType>(place);
  fail("flag_type", "SCANTUNE_CUSTOM_TYPE; flags are numbers: name their type");
}

// Where there is room for n items everywhere, the kernels and records are those without a capacity.
void take_room(const scantune_select_request& said, SelectRequest& request) {
  const auto room = [&](const char* member, const std::uint64_t* given, bool has_output) {
    if (given == nullptr) return request.n;
    if (!has_output)
      fail(member, "given, and rejected is " + constant_of(token(request.rejected)) +
                       (request.rejected == Rejected::apart ? ", of two parts" : "") +
                       ", so that there is no such output: leave it NULL");
    return std::min<u64>(*given, request.n);
  };
  const bool are_apart = request.rejected == Rejected::apart;
  request.capacity = room("capacity", said.capacity, true);
  request.second_capacity = room("second_capacity", said.second_capacity, are_apart && request.parts() == 3);
  request.rejected_capacity = room("rejected_capacity", said.rejected_capacity, are_apart);
  if (request.has_one_output() && request.capacity < request.n)
    fail("capacity", std::to_string(request.capacity) + ", n is " + std::to_string(request.n) + ", and rejected is " +
                         constant_of(token(request.rejected)) + ", whose output holds all items: leave it NULL");
  if (request.capacity < request.n || request.second_capacity < request.n || request.rejected_capacity < request.n)
    request.room = OutputRoom::limited;
  else
    request.capacity = request.second_capacity = request.rejected_capacity = 0;
}

// A type that may be left out, where it is `other`, from which only a map leads to another.
ValueType type_after(const char* member, scantune_type type, const char* map, bool is_mapped, ValueType other) {
  if (number_in(type) == SCANTUNE_DEFAULT_TYPE) return other;
  const ValueType its_type = checked_type(member, type);
  if (!is_mapped && its_type != other)
    fail(member, type_name(its_type) + ", and " + map + " is NULL, which would make it of " + type_name(other) +
                     ": pass the map, or leave the type out");
  return its_type;
}

// Takes the types of the items in memory, and of what the criterion looks at.
void take_types(const scantune_select_request& said, SelectRequest& request) {
  const ValueType input = checked_type("input_type", said.input_type);
  request.input_type = type_after("item_type", said.item_type, "load", request.load != Load::none, input);
  const ValueType output =
      type_after("output_type", said.output_type, "store", request.store != Store::none, request.input_type);
  if (converts(request.load)) request.memory.loaded = input;
  if (converts(request.store)) request.memory.stored = output;
  const bool has_struct = request.input_type == ValueType::custom || request.memory.has(ValueType::custom);
  take_custom_type(said, has_struct, request);
}

SelectRequest request_of(const scantune_select_request& said, std::optional<CustomOperatorView>& custom, Room& room) {
  SelectRequest request;
  take_head(said.head, request);
  check_spare("spare", said.spare);
  if (has_maps(said)) {
    room.states = {};
    take_maps(said, request, custom, room);
  }
  take_types(said, request);
  request.criterion = checked<Criterion>("criterion", said.criterion);
  request.selected = checked<Selected>("selected", said.selected);
  request.rejected = checked<Rejected>("rejected", said.rejected);
  if (number_in(said.index_type) != SCANTUNE_DEFAULT_TYPE)
    request.index_type = checked_type("index_type", said.index_type);
  request.count_width = checked_width("count_type", said.count_type, "counts", request.n);
  take_values(said, request);
  request.subject = checked<Subject>("subject", said.subject);
  request.flag_type = checked_flags(said.flag_type);
  take_room(said, request);
  check_supported(request);
  return request;
}

// Sets the function, and the bytes that kernels take as an initial value: the constant or the function's state.
void take_criterion(const scantune_select_request& said, const SelectRequest& request, Asked& asked) {
  const Criterion criterion = request.criterion;
  if (has_constant(criterion)) {
    if (said.constant == nullptr)
      fail("constant", "NULL, and " + criterion_is(criterion) + ": point it to what items are compared with");
    std::memcpy(asked.init.bytes, said.constant, static_cast<std::size_t>(request.bytes_of(request.subject_type())));
  } else {
    refuse_given("constant", said.constant, criterion);
  }
  if (!has_source(criterion)) return refuse_given("function", said.function, criterion);
  if (said.function == nullptr) fail("function", "NULL, and " + criterion_is(criterion) + ": point it to the function");
  const int role = criterion == Criterion::predicate   ? SCANTUNE_FUNCTION_KEEP
                   : criterion == Criterion::unique_by ? SCANTUNE_FUNCTION_EQUAL
                                                       : SCANTUNE_FUNCTION_PART;
  scantune_function storage;
  const scantune_function& function =
      checked_function({"function", "function->struct_bytes", roles_of(role)}, said.function, storage);
  if (!asked.custom) asked.custom.emplace();
  asked.custom->source = function.source;
  asked.custom->state_bytes = static_cast<int>(function.state_bytes);
  if (function.state_bytes > 0) std::memcpy(asked.init.bytes, function.state, function.state_bytes);
}

}  // namespace

Asked checked_request(const scantune_select_request& said, Room& room) {
  std::optional<CustomOperatorView> custom;
  const SelectRequest request = request_of(said, custom, room);
  Asked asked{.request = request, .custom = custom, .states = has_maps(said) ? &room.states : nullptr};
  take_criterion(said, request, asked);
  return asked;
}

}  // namespace scantune::c_api
