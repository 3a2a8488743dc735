#include "c_api/problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "c_api/identity.h"
#include "c_api/members.h"
#include "c_api/strides.h"
#include "c_api/struct_version.h"
#include "scantune/error.hpp"
#include "space/spelling.h"

namespace scantune::c_api {
namespace {

static_assert(same(SCANTUNE_SUM, Operator::sum) && same(SCANTUNE_PRODUCT, Operator::product) &&
              same(SCANTUNE_MIN, Operator::min) && same(SCANTUNE_MAX, Operator::max) &&
              same(SCANTUNE_AND, Operator::bit_and) && same(SCANTUNE_OR, Operator::bit_or) &&
              same(SCANTUNE_XOR, Operator::bit_xor) && same(SCANTUNE_CUSTOM, Operator::custom_cheap));
static_assert(same(SCANTUNE_INCLUSIVE, Kind::inclusive) && same(SCANTUNE_EXCLUSIVE, Kind::exclusive));
static_assert(same(SCANTUNE_FORWARD, Direction::forward) && same(SCANTUNE_REVERSE, Direction::reverse));
static_assert(same(SCANTUNE_UNCONSTRAINED, Determinism::unconstrained) &&
              same(SCANTUNE_RUN_TO_RUN, Determinism::run_to_run));
static_assert(same(SCANTUNE_IN_ORDER, ForwardProgress::in_order) &&
              same(SCANTUNE_DOCUMENTED, ForwardProgress::documented));

constexpr int number_of(ValueType type) {
  int number = SCANTUNE_I8;
  while (type_of(number) != type) ++number;
  return number;
}

ValueType checked_accumulator(const scantune_problem& problem, ValueType input, ValueType output) {
  if (number_in(problem.accumulator_type) == SCANTUNE_DEFAULT_TYPE) return default_accumulator(input, output);
  return checked_type("accumulator_type", problem.accumulator_type);
}

// A member that fell into padding would not make its struct grow, and no size would show it.
static_assert(std::has_unique_object_representations_v<scantune_problem> &&
              std::has_unique_object_representations_v<scantune_custom_operator>);

constexpr scantune_problem kDefaultProblem = SCANTUNE_PROBLEM_INIT;
constexpr scantune_custom_operator kDefaultOperator = SCANTUNE_CUSTOM_OPERATOR_INIT;
constexpr StructVersion kProblemVersion = {"struct_bytes", "scantune_problem", "start from SCANTUNE_PROBLEM_INIT",
                                           offsetof(scantune_problem, captured_launches), sizeof(scantune_problem)};
constexpr StructVersion kOperatorVersion = {
    "custom.struct_bytes", "scantune_custom_operator", "start from SCANTUNE_CUSTOM_OPERATOR_INIT",
    offsetof(scantune_custom_operator, state), sizeof(scantune_custom_operator)};
// The reserved member is not read: to programs of an earlier header of the same size it is padding, and holds anything.
static_assert(kProblemVersion.oldest_bytes == 72 && kOperatorVersion.oldest_bytes == 48);

// A problem and its operator as this library knows them, whichever header the caller has.
struct Given {
  const scantune_problem& problem;
  const scantune_custom_operator* custom;  // null if none is given
};

// Room for structs that come from another header.
struct Storage {
  scantune_problem problem;
  scantune_custom_operator custom;
};

Given given_by(const scantune_problem* caller, Storage& storage) {
  if (caller == nullptr) fail("problem", "NULL; it must point to a scantune_problem");
  const scantune_problem& problem = *as_known(kProblemVersion, caller, kDefaultProblem, storage.problem);
  if (problem.custom == nullptr || number_in(problem.op) != SCANTUNE_CUSTOM) return {problem, problem.custom};
  return {problem, as_known(kOperatorVersion, problem.custom, kDefaultOperator, storage.custom)};
}

Operator operator_of(const scantune_custom_operator& custom) {
  constexpr Operator kByCost[] = {Operator::custom_moderate, Operator::custom_cheap, Operator::custom_expensive};
  static_assert(SCANTUNE_MODERATE == 0 && SCANTUNE_CHEAP == 1 && SCANTUNE_EXPENSIVE == 2);
  return kByCost[checked_enum("custom.cost", "scantune_cost", custom.cost, 0, SCANTUNE_EXPENSIVE)];
}

Operator checked_operator(const Given& given) {
  const int op = checked_enum("op", "scantune_operator", given.problem.op, SCANTUNE_SUM, SCANTUNE_CUSTOM);
  if (op != SCANTUNE_CUSTOM && given.custom != nullptr)
    fail("custom", "given, but op is " + std::string(token(static_cast<Operator>(op))) +
                       ": set op to SCANTUNE_CUSTOM, or custom to NULL");
  if (op != SCANTUNE_CUSTOM) return static_cast<Operator>(op);
  if (given.custom == nullptr) fail("custom", "NULL, and op is SCANTUNE_CUSTOM: point it to the operator");
  return operator_of(*given.custom);
}

void check_segments(const scantune_problem& problem, ScanRequest& request) {
  request.segments = checked_segments(problem.segments);
  request.rows = problem.rows;
  request.columns = problem.columns;
  if (request.segments == Segments::none && (problem.rows | problem.columns) == 0) return;
  check_count(request, Segments::rows, {"rows", "SCANTUNE_ROWS"}, problem.rows);
  check_count(request, Segments::columns, {"columns", "SCANTUNE_COLUMNS"}, problem.columns);
}

Init checked_init(const scantune_problem& problem, Kind kind) {
  if (problem.init != nullptr && problem.device_init != nullptr)
    throw RequestError(
        "init and device_init are both given; at most one of them can be combined before the first item");
  if (problem.device_inits != nullptr && (problem.init != nullptr || problem.device_init != nullptr))
    throw RequestError(std::string("device_inits and ") + (problem.init != nullptr ? "init" : "device_init") +
                       " are both given; at most one of them can be combined before the first item");
  if (problem.device_inits != nullptr && number_in(problem.segments) == SCANTUNE_NO_SEGMENTS)
    fail("device_inits",
         "given, and segments is SCANTUNE_NO_SEGMENTS: set segments, or pass one value in init or "
         "device_init");
  if (problem.device_inits != nullptr) return Init::each;
  if (problem.device_init != nullptr) return Init::memory;
  return problem.init != nullptr || kind == Kind::exclusive ? Init::value : Init::none;
}

NSource checked_n_source(const scantune_problem& problem) {
  if (problem.device_n != nullptr) return NSource::memory;
  if (problem.device_clamped != nullptr)
    fail("device_clamped", "given, and device_n is NULL: n is clamped only if it lies in memory, so pass both or none");
  return NSource::call;
}

// Checks that the source and the identity are written for the request's accumulator.
void check_value_type(const scantune_custom_operator& custom, ScanRequest& request) {
  const ValueType type = checked_type("custom.value_type", custom.value_type);
  if (type != request.accumulator_type)
    fail("custom.value_type", type_name(type) + ", and the accumulator is " + type_name(request.accumulator_type) +
                                  ": the operator must be written for the accumulator, or accumulator_type name " +
                                  "another");
  check_custom_type({"custom.value_bytes", "custom.value_alignment"}, type, custom.value_bytes, custom.value_alignment);
  if (type != ValueType::custom) return;
  request.custom_bytes = static_cast<int>(custom.value_bytes);
  request.custom_alignment = static_cast<int>(custom.value_alignment);
}

CustomOperatorView checked_custom(const scantune_custom_operator& custom) {
  check_source("custom.source", custom.source, "Value combine(Value, Value)");
  if (custom.name == nullptr) return {custom.source, {}};
  if (!is_operator_name(custom.name)) [[unlikely]]
    fail("custom.name",
         '\'' + std::string(custom.name) + "'; it must be " + std::string(kOperatorNameRule) + ", or NULL");
  return {custom.source, custom.name};
}

// One comparison, since every call makes it.
bool has_state(const Given& given) {
  return given.custom != nullptr &&
         (reinterpret_cast<std::uintptr_t>(given.custom->state) | given.custom->state_bytes) != 0;
}

bool has_maps(const scantune_problem& problem) {
  return (reinterpret_cast<std::uintptr_t>(problem.load) | reinterpret_cast<std::uintptr_t>(problem.store)) != 0;
}

InitialValue initial_value(const Given& given, const ScanRequest& request) {
  const scantune_problem& problem = given.problem;
  if (request.init != Init::value) return {};
  if (problem.init != nullptr) return {request, problem.init};
  if (given.custom == nullptr) return identity_of(request.load == Load::none ? request : behind_maps(request));
  if (given.custom->identity == nullptr)
    fail("custom.identity", "NULL, and an exclusive scan starts from it: pass it, or set init or device_init");
  return {request, given.custom->identity};
}

// What scans and reductions say alike: all but kind and init.
struct Stated {
  ScanRequest request;
  std::optional<CustomOperatorView> custom;
  const CallStates* states = nullptr;
};

Stated stated_by(const Given& given) {
  const scantune_problem& asked = given.problem;
  Stated stated;
  ScanRequest& request = stated.request;
  request.n = asked.n;
  request.input_type = checked_type("input_type", asked.input_type);
  request.output_type = checked_type("output_type", asked.output_type);
  request.accumulator_type = checked_accumulator(asked, request.input_type, request.output_type);
  request.op = checked_operator(given);
  request.kind = static_cast<Kind>(checked_enum("kind", "scantune_kind", asked.kind, 0, SCANTUNE_EXCLUSIVE));
  request.direction =
      static_cast<Direction>(checked_enum("direction", "scantune_direction", asked.direction, 0, SCANTUNE_REVERSE));
  request.determinism = static_cast<Determinism>(
      checked_enum("determinism", "scantune_determinism", asked.determinism, 0, SCANTUNE_RUN_TO_RUN));
  request.forward_progress = static_cast<ForwardProgress>(
      checked_enum("forward_progress", "scantune_forward_progress", asked.forward_progress, 0, SCANTUNE_DOCUMENTED));
  request.latency =
      static_cast<Latency>(checked_enum("latency", "scantune_latency", asked.latency, 0, SCANTUNE_ISOLATED));
  if (given.custom != nullptr) {
    check_value_type(*given.custom, request);
    stated.custom = checked_custom(*given.custom);
  }
  return stated;
}

// Apart from what every scan() does, so that it costs nothing where there are no maps and no state.
[[gnu::noinline]] void add_maps_and_state(const Given& given, Stated& stated, MapRoom& room) {
  stated.states = &room.states;
  room.states = {};
  if (has_maps(given.problem)) {
    take_maps(given.problem, stated.request, room);
    if (!stated.custom) stated.custom.emplace();
    stated.custom->maps = &*room.views;
  }
  if (!has_state(given)) return;
  const scantune_custom_operator& custom = *given.custom;
  check_state({"custom.state", "custom.state_bytes"}, custom.state, custom.state_bytes);
  stated.custom->state_bytes = static_cast<int>(custom.state_bytes);
  std::memcpy(room.states.combine, custom.state, custom.state_bytes);
}

// Whether anything stands for an empty input: a built-in operator's identity does.
bool has_identity(const Given& given) { return given.custom == nullptr || given.custom->identity != nullptr; }

ReduceRequest reduction_of(const ScanRequest& scan, Position position, Init init) {
  ReduceRequest request;
  request.input_type = scan.input_type;
  request.accumulator_type = scan.accumulator_type;
  request.output_type = scan.output_type;
  request.op = scan.op;
  request.position = position;
  request.init = init;
  request.latency = scan.latency;
  request.custom_bytes = scan.custom_bytes;
  request.custom_alignment = scan.custom_alignment;
  request.segments = scan.segments;
  request.rows = scan.rows;
  request.columns = scan.columns;
  request.layout = scan.layout;
  request.load = scan.load;
  request.store = scan.store;
  request.n = scan.n;
  return request;
}

}  // namespace

Pointers Problem::mapped_pointers(const void* input, const void* output, const void* position) const {
  Pointers pointers{};
  std::size_t place = 0;
  if (request.value<Load>() != Load::generated)
    pointers[place++] = input;
  else if (input != nullptr)
    fail("input", "given, and load makes items of their indices alone: pass NULL");
  if (request.value<Store>() != Store::writing)
    pointers[place++] = output;
  else if (output != nullptr)
    fail("output", "given, and store writes results by itself: pass NULL");
  if (request.value<Position>() == Position::first) pointers[place++] = position;
  if (device_init != nullptr) pointers[place++] = device_init;
  if (device_n != nullptr) {
    pointers[place++] = device_n;
    pointers[place] = device_clamped;
  }
  return pointers;
}

Problem checked_problem(const scantune_problem* caller, MapRoom& room) {
  Storage storage;
  const Given given = given_by(caller, storage);
  Stated stated = stated_by(given);
  if (has_maps(given.problem) || has_state(given)) [[unlikely]]
    add_maps_and_state(given, stated, room);
  stated.request.init = checked_init(given.problem, stated.request.kind);
  stated.request.n_source = checked_n_source(given.problem);
  check_segments(given.problem, stated.request);
  take_strides(given.problem, stated.request);
  check_supported(stated.request);
  const InitialValue init = initial_value(given, stated.request);
  check_captured_launches(given.problem.captured_launches);
  return {.request = stated.request,
          .custom = stated.custom,
          .init = init,
          .device_init = given.problem.device_inits != nullptr ? given.problem.device_inits : given.problem.device_init,
          .device_n = given.problem.device_n,
          .device_clamped = given.problem.device_clamped,
          .captured_launches = given.problem.captured_launches,
          .config = checked_config(given.problem.config),
          .states = stated.states};
}

Problem checked_reduction(const scantune_problem* caller, Position position, MapRoom& room) {
  Storage storage;
  const Given given = given_by(caller, storage);
  Stated stated = stated_by(given);
  if (has_maps(given.problem) || has_state(given)) [[unlikely]]
    add_maps_and_state(given, stated, room);
  if (given.problem.device_n != nullptr || given.problem.device_clamped != nullptr)
    fail(given.problem.device_n != nullptr ? "device_n" : "device_clamped",
         "given; a reduction takes its n from the call: leave it NULL, and pass n");
  if (stated.request.kind != Kind::inclusive)
    fail("kind", "SCANTUNE_EXCLUSIVE; a reduction has no kind: leave it SCANTUNE_INCLUSIVE");
  if (stated.request.direction != Direction::forward)
    fail("direction", "SCANTUNE_REVERSE; a reduction has no direction: leave it SCANTUNE_FORWARD");
  check_segments(given.problem, stated.request);
  take_strides_of_reduction(given.problem, stated.request);
  if (given.problem.device_inits != nullptr)
    fail("device_inits", "given; a reduction begins every row from the same value: leave it NULL, and set device_init");
  Init init = checked_init(given.problem, Kind::inclusive);
  if (init == Init::none && position == Position::none && has_identity(given)) init = Init::value;
  const ReduceRequest request = reduction_of(stated.request, position, init);
  check_supported(request);
  if (request.n == 0 && init == Init::none)
    fail("n", position != Position::none ? "0; nothing has a position there: pass at least one item"
                                         : "0, and the operator has no identity: pass it, or set init or device_init");
  stated.request.init = init;
  const InitialValue value = initial_value(given, stated.request);
  check_captured_launches(given.problem.captured_launches);
  return {.request = request,
          .custom = stated.custom,
          .init = value,
          .device_init = given.problem.device_init,
          .captured_launches = given.problem.captured_launches,
          .config = checked_config(given.problem.config),
          .states = stated.states};
}

void initialise(scantune_problem* problem, std::size_t struct_bytes) {
  check_struct_bytes(kProblemVersion, struct_bytes);
  std::memset(static_cast<void*>(problem), 0, struct_bytes);
  std::memcpy(static_cast<void*>(problem), &kDefaultProblem, std::min(struct_bytes, sizeof kDefaultProblem));
  problem->struct_bytes = struct_bytes;
}

scantune_type default_accumulator_of(const scantune_type& input, const scantune_type& output) {
  const auto is_type = [](int number) { return number >= SCANTUNE_I8 && number <= kLastType; };
  const int in = number_in(input), out = number_in(output);
  if (!is_type(in) || !is_type(out)) return SCANTUNE_DEFAULT_TYPE;
  return static_cast<scantune_type>(number_of(default_accumulator(type_of(in), type_of(out))));
}

}  // namespace scantune::c_api
