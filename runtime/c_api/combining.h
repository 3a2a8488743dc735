// The members that requests of scans and of reductions share, under the same names.
#pragma once

#include <cstring>
#include <string>

#include "c_api/canonical_layout.h"
#include "c_api/identity.h"
#include "c_api/maps.h"
#include "c_api/strides.h"

namespace scantune::c_api {

inline constexpr FunctionMember kCombine = {"combine", "combine->struct_bytes", roles_of(SCANTUNE_FUNCTION_COMBINE)};
static_assert(same(SCANTUNE_SUM, Operator::sum) && same(SCANTUNE_PRODUCT, Operator::product) &&
              same(SCANTUNE_MIN, Operator::min) && same(SCANTUNE_MAX, Operator::max) &&
              same(SCANTUNE_AND, Operator::bit_and) && same(SCANTUNE_OR, Operator::bit_or) &&
              same(SCANTUNE_XOR, Operator::bit_xor) && same(SCANTUNE_CUSTOM, Operator::custom_cheap));

// A request, its operator in this library's version of the struct, and its identity, maps and states.
template <class Caller>
struct Given {
  const Caller& request;
  const scantune_function* combine;  // null if none is given
  std::optional<CustomOperatorView> custom = std::nullopt;
  const CallStates* states = nullptr;
};

template <class Caller>
Given<Caller> given_by(const Caller& said, scantune_function& storage) {
  if (said.combine == nullptr || number_in(said.op) != SCANTUNE_CUSTOM) return {said, said.combine};
  return {said, &checked_function(kCombine, said.combine, storage)};
}

template <class Caller>
[[gnu::always_inline]] inline Operator checked_operator(const Given<Caller>& given) {
  const int op = checked_enum("op", "operator", given.request.op, SCANTUNE_SUM, SCANTUNE_CUSTOM);
  if (op != SCANTUNE_CUSTOM) {
    if (given.combine != nullptr)
      fail("combine", "given, but op is " + std::string(token(static_cast<Operator>(op))) +
                          ": set op to SCANTUNE_CUSTOM, or combine to NULL");
    return static_cast<Operator>(op);
  }
  if (given.combine == nullptr) fail("combine", "NULL, and op is SCANTUNE_CUSTOM: point it to the operator");
  constexpr Operator kByCost[] = {Operator::custom_moderate, Operator::custom_cheap, Operator::custom_expensive};
  static_assert(SCANTUNE_MODERATE == 0 && SCANTUNE_CHEAP == 1 && SCANTUNE_EXPENSIVE == 2);
  return kByCost[number_in(given.combine->cost)];
}

// Throws unless the identity has the type of the request's accumulator.
template <class Typed>
[[gnu::noinline]] void check_identity(const scantune_function& combine, const Typed& request) {
  const int given = number_in(combine.identity_type);
  if (combine.identity == nullptr) {
    if (given != SCANTUNE_DEFAULT_TYPE)
      fail("combine->identity_type", std::to_string(given) + ", and combine->identity is NULL: pass both or none");
    return;
  }
  const ValueType type = checked_type("combine->identity_type", combine.identity_type);
  if (type != request.accumulator_type)
    fail("combine->identity_type",
         type_name(type) + ", and the accumulator is " + type_name(request.accumulator_type) +
             ": the operator must be written for the accumulator, or accumulator_type name another");
}

// Sets the members that both have, except init and strides. Inlined, since a test counts the instructions of a warm
// scan().
template <class Caller, class Typed>
[[gnu::always_inline]] inline void take_items(Given<Caller>& given, Typed& request) {
  const Caller& caller = given.request;
  take_head(caller.head, request);
  request.input_type = checked_type("input_type", caller.input_type);
  request.output_type = checked_type("output_type", caller.output_type);
  request.accumulator_type = number_in(caller.accumulator_type) == SCANTUNE_DEFAULT_TYPE
                                 ? default_accumulator(request.input_type, request.output_type)
                                 : checked_type("accumulator_type", caller.accumulator_type);
  request.op = checked_operator(given);
  const bool has_struct = request.input_type == ValueType::custom || request.accumulator_type == ValueType::custom ||
                          request.output_type == ValueType::custom;
  take_custom_type(caller, has_struct, request);
  request.segments = checked<Segments>("segments", caller.segments);
  request.rows = caller.rows;
  request.columns = caller.columns;
  if (request.segments != Segments::none || (caller.rows | caller.columns) != 0) {
    check_count(request, Segments::rows, {"rows", "SCANTUNE_ROWS"}, caller.rows);
    check_count(request, Segments::columns, {"columns", "SCANTUNE_COLUMNS"}, caller.columns);
  }
  if (given.combine == nullptr) return;
  if (number_in(given.combine->identity_type) != number_in(caller.accumulator_type) ||
      number_in(caller.accumulator_type) == SCANTUNE_DEFAULT_TYPE || given.combine->identity == nullptr)
    check_identity(*given.combine, request);
  given.custom = CustomOperatorView{.source = given.combine->source, .name = {}};
  if (given.combine->name != nullptr) given.custom->name = given.combine->name;
}

// Separate from the path of every scan(), so that it costs nothing without maps and state.
template <class Caller, class Typed>
[[gnu::noinline]] void add_maps_and_state(Given<Caller>& given, Typed& request, Room& room) {
  given.states = &room.states;
  room.states = {};
  if (has_maps(given.request)) take_maps(given.request, request, given.custom, room);
  if (given.combine == nullptr || !has_state(*given.combine)) return;
  given.custom->state_bytes = static_cast<int>(given.combine->state_bytes);
  std::memcpy(room.states.combine, given.combine->state, given.combine->state_bytes);
}

template <class Caller, class Typed>
void take_maps_and_state(Given<Caller>& given, Typed& request, Room& room) {
  if (has_maps(given.request) || (given.combine != nullptr && has_state(*given.combine))) [[unlikely]]
    add_maps_and_state(given, request, room);
}

[[noreturn, gnu::noinline]] inline void fail_two_inits(const char* one, const char* other) {
  throw RequestError(
      std::string(one) + " and " + other +
      " are both given; at most one of them can be combined before the first item: leave the other NULL");
}

template <class Caller>
void refuse_two_inits(const Caller& caller) {
  if (caller.init != nullptr && caller.device_init != nullptr) [[unlikely]]
    fail_two_inits("init", "device_init");
}

template <class Caller, class Typed>
[[gnu::always_inline]] inline InitialValue initial_value(const Given<Caller>& given, const Typed& request) {
  if (request.init != Init::value) return {};
  if (given.request.init != nullptr) return {request, given.request.init};
  if (given.combine == nullptr)
    return identity_of(request.load == Load::none ? request.input_type : request.accumulator_type,
                       request.accumulator_type, request.op);
  if (given.combine->identity == nullptr)
    fail("combine->identity", "NULL, and the first result starts from it: pass it, or set init or device_init");
  return {request, given.combine->identity};
}

}  // namespace scantune::c_api
