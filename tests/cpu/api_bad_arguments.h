// Right arguments of the public functions, what spoils them, and the calls that must refuse them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api_bad_input.h"

namespace scantune::testing {

inline constexpr std::uintptr_t kInput = 0x1000000, kOutput = 0x9000000, kIndex = 0xb000000, kHost = 0xdead0000,
                                kWorkspace = 0xd000000, kEnd = ~std::uintptr_t{0};
// What selections and sorts have beside input, output and indices.
inline constexpr std::uintptr_t kFlags = 0x2000000, kValues = 0x3000000, kValuesOutput = 0x4000000,
                                kRejected = 0x5000000, kSecond = 0xa000000, kCount = 0x6000000;
inline constexpr u64 kItems = 500, kSegments = 10, kResults = 20;
inline constexpr u64 kTiles = u64{1} << 20;  // items of a call that needs a workspace

// An operator's value.
struct Affine {
  float a, b, c;
};

// Right arguments, for a row to spoil one of them.
struct Arguments {
  std::shared_ptr<FakeDevice> device;
  Stream stream = nullptr;
  int identity[8] = {};
  scantune_scan_request scan = SCANTUNE_SCAN_REQUEST_INIT;                     // i32 inclusive sum
  scantune_reduce_request reduce = SCANTUNE_REDUCE_REQUEST_INIT;               // i32 sum
  scantune_select_request select = SCANTUNE_SELECT_REQUEST_INIT;               // i32 items less than 0
  scantune_load_balance_request balance = SCANTUNE_LOAD_BALANCE_REQUEST_INIT;  // u32 segments by u32 offsets
  scantune_sort_request sort = SCANTUNE_SORT_REQUEST_INIT;                     // i32 keys
  scantune_top_k_request top_k = SCANTUNE_TOP_K_REQUEST_INIT;                  // the greatest i32 keys
  scantune_head* request = &scan.head;                                         // the one that C functions get
  // Functions that are in no request yet: an operator on i32, maps, and what a selection has.
  scantune_function combine = SCANTUNE_FUNCTION_INIT, load = combine, store = combine, function = combine;
  // The arrays' addresses, by their roles; 0: none.
  std::uintptr_t input = kInput, output = kOutput, position = 0, flags = 0, values = 0, values_output = 0, second = 0,
                 rejected = 0, count = 0, second_indices = 0, keys = 0, keys_output = 0, begins = 0, ends = 0;
  std::uintptr_t workspace = kWorkspace;
  u64 workspace_bytes = u64{1} << 30;

  static constexpr std::uintptr_t Arguments::*kOfRole[SCANTUNE_ROLES] = {
      &Arguments::input,          &Arguments::output,   &Arguments::position,
      &Arguments::flags,          &Arguments::values,   &Arguments::values_output,
      &Arguments::second,         &Arguments::rejected, &Arguments::count,
      &Arguments::second_indices, &Arguments::keys,     &Arguments::keys_output,
      &Arguments::begins,         &Arguments::ends};

  explicit Arguments(std::shared_ptr<FakeDevice> on) : device(std::move(on)), stream(device->make_stream()) {
    for (scantune_head* const head : {&scan.head, &reduce.head, &select.head, &balance.head, &sort.head, &top_k.head})
      head->n = kItems;
    scan.input_type = scan.output_type = reduce.input_type = reduce.output_type = SCANTUNE_I32;
    select.input_type = sort.input_type = top_k.input_type = SCANTUNE_I32;
    top_k.k = kResults;
    select.constant = identity;
    balance.segment_count = kSegments;
    balance.input_type = balance.output_type = SCANTUNE_U32;
    combine.source = "Value combine";
    combine.identity = identity;
    combine.identity_type = SCANTUNE_I32;
    load.role = store.role = SCANTUNE_FUNCTION_MAP;
    load.source = "int load(int)";
    store.source = "int store(int)";
    function.role = SCANTUNE_FUNCTION_KEEP;
    function.source = "bool keep(Value)";
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  scantune_arrays arrays() const {
    scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
    for (int role = 0; role < SCANTUNE_ROLES; ++role) arrays.of[role] = address(this->*kOfRole[role]);
    return arrays;
  }
  scantune_workspace given() const { return {address(workspace), workspace_bytes}; }

  // The same as C++ has it.
  const int* in() const { return static_cast<const int*>(address(input)); }
  int* out() const { return static_cast<int*>(address(output)); }
  const float* beside() const { return static_cast<const float*>(address(values)); }
  float* beside_out() const { return static_cast<float*>(address(values_output)); }
  runtime::Workspace room() const { return {address(workspace), workspace_bytes}; }
  scantune_stream on() const { return reinterpret_cast<scantune_stream>(stream); }
};

using Spoil = std::function<void(Arguments&)>;
using Call = std::function<Outcome(Arguments&)>;
using Calls = std::vector<Call>;
using BadInput = BadInputOf<Arguments>;

inline PlanOwner made_plan(const Arguments& with) {
  scantune_plan* plan = nullptr;
  EXPECT_EQ(scantune_plan_create(with.request, &plan), SCANTUNE_OK) << scantune_error_message();
  return {plan, &scantune_plan_destroy};
}

inline void of_nothing_else(Arguments&) {}

// What lets right arguments be those of another request than the sum.
inline void of_sum(Arguments& with) { with.request = &with.reduce.head; }
// The place of a maximum.
inline void of_maximum(Arguments& with) {
  of_sum(with);
  with.reduce.op = SCANTUNE_MAX;
  with.reduce.position = SCANTUNE_FIRST_POSITION;
  with.position = kIndex;
}

// Sums of segments between bounds, or of ranges.
inline void of_bounds(Arguments& with) {
  of_sum(with);
  with.reduce.segments = SCANTUNE_BY_OFFSETS;
  with.reduce.segment_count = kSegments;
  with.begins = kFlags;
}
inline void of_ranges(Arguments& with) {
  of_bounds(with);
  with.reduce.offset_form = SCANTUNE_BEGINS_AND_ENDS;
  with.ends = kValues;
}

// The scan of these.
inline void of_scanned_bounds(Arguments& with) {
  with.scan.segments = SCANTUNE_BY_OFFSETS;
  with.scan.segment_count = kSegments;
  with.begins = kFlags;
}
inline void of_scanned_ranges(Arguments& with) {
  of_scanned_bounds(with);
  with.scan.offset_form = SCANTUNE_BEGINS_AND_ENDS;
  with.ends = kValues;
}

// Both extremes.
inline void of_extremes(Arguments& with) {
  of_maximum(with);
  with.reduce.op = SCANTUNE_MIN;
  with.reduce.extremes = SCANTUNE_BOTH_EXTREMES;
  with.second = kSecond;
  with.second_indices = kValues;
}

inline void of_selection(Arguments& with) {
  with.request = &with.select.head;
  with.count = kCount;
}
inline void of_criterion(Arguments& with, scantune_criterion criterion) {
  of_selection(with);
  with.select.criterion = criterion;
  with.select.constant = nullptr;
}
inline void of_values_beside(Arguments& with) {
  with.select.value_type = SCANTUNE_F32;
  with.values = kValues;
  with.values_output = kValuesOutput;
}
// Flagged items, with their values and indices.
inline void of_flags(Arguments& with) {
  of_criterion(with, SCANTUNE_FLAGGED);
  of_values_beside(with);
  with.flags = kFlags;
  with.position = kIndex;
  with.select.selected = SCANTUNE_SELECTED_ITEMS_AND_INDICES;
}
inline void of_indices(Arguments& with) {
  of_selection(with);
  with.select.selected = SCANTUNE_SELECTED_INDICES;
}
inline void of_both(Arguments& with) {
  of_selection(with);
  with.select.rejected = SCANTUNE_APART;
  with.rejected = kRejected;
}
inline void of_behind(Arguments& with) {
  of_selection(with);
  with.select.rejected = SCANTUNE_BEHIND;
}
// Three parts apart.
inline void of_three(Arguments& with) {
  static const int pivot = 7;
  of_both(with);
  with.select.criterion = SCANTUNE_AROUND;
  with.select.constant = &pivot;
  with.second = kSecond;
}
inline void of_source(Arguments& with) {
  of_criterion(with, SCANTUNE_PREDICATE);
  with.select.function = &with.function;
}

inline void of_segments(Arguments& with) { with.request = &with.balance.head; }
inline void of_ranks(Arguments& with) {
  of_segments(with);
  with.balance.assigned = SCANTUNE_SEGMENT_AND_RANK;
  with.position = kIndex;
}
inline void of_values(Arguments& with) {
  of_segments(with);
  with.balance.assigned = SCANTUNE_VALUE_OF;
  with.values = kValues;
}

// A sort of i32 keys, with what is asked for beside them.
template <auto Arguments::*kRequest>
std::function<void(Arguments&)> of_keys(scantune_sorted sorted) {
  return [=](Arguments& with) {
    auto& request = with.*kRequest;
    with.request = &request.head;
    request.sorted = sorted;
    if (sorted == SCANTUNE_SORTED_KEYS) return;
    (sorted == SCANTUNE_SORTED_PAIRS ? request.value_type : request.index_type) = SCANTUNE_U32;
    if (sorted == SCANTUNE_SORTED_PAIRS) {
      with.values = kValues;
      with.values_output = kValuesOutput;
    } else if (sorted == SCANTUNE_SORTED_KEYS_AND_INDICES) {
      with.position = kIndex;
    }
  };
}
inline std::function<void(Arguments&)> of_sort(scantune_sorted sorted) { return of_keys<&Arguments::sort>(sorted); }
inline std::function<void(Arguments&)> of_top_k(scantune_sorted sorted) { return of_keys<&Arguments::top_k>(sorted); }

// The same of a segment between bounds, or of a range: a sort of one holds few keys without a workspace.
template <auto Arguments::*kRequest>
std::function<void(Arguments&)> of_keys_in_bounds(scantune_sorted sorted) {
  return [=](Arguments& with) {
    of_keys<kRequest>(sorted)(with);
    (with.*kRequest).segments = SCANTUNE_BY_OFFSETS;
    (with.*kRequest).segment_count = 1;
    with.begins = kFlags;
  };
}
template <auto Arguments::*kRequest>
std::function<void(Arguments&)> of_keys_in_ranges(scantune_sorted sorted) {
  return [=](Arguments& with) {
    of_keys_in_bounds<kRequest>(sorted)(with);
    (with.*kRequest).offset_form = SCANTUNE_BEGINS_AND_ENDS;
    with.ends = kSecond;
  };
}
inline std::function<void(Arguments&)> of_sorted_bounds(scantune_sorted sorted) {
  return of_keys_in_bounds<&Arguments::sort>(sorted);
}
inline std::function<void(Arguments&)> of_sorted_ranges(scantune_sorted sorted) {
  return of_keys_in_ranges<&Arguments::sort>(sorted);
}
inline std::function<void(Arguments&)> of_top_k_bounds(scantune_sorted sorted) {
  return of_keys_in_bounds<&Arguments::top_k>(sorted);
}
inline std::function<void(Arguments&)> of_top_k_ranges(scantune_sorted sorted) {
  return of_keys_in_ranges<&Arguments::top_k>(sorted);
}

inline Spoil after(const Spoil& first, const Spoil& second) {
  return [=](Arguments& with) {
    first(with);
    second(with);
  };
}

inline Calls all_of(const std::vector<Calls>& lists) {
  Calls all;
  for (const Calls& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}
inline Calls both(const Calls& first, const Calls& second) { return all_of({first, second}); }

inline Call cpp(const std::function<void(Arguments&)>& call) {
  return [=](Arguments& with) { return of_cpp([&] { call(with); }); };
}

inline Call spoiled(const Spoil& spoil, const Call& call) {
  return [=](Arguments& with) {
    spoil(with);
    return call(with);
  };
}
inline Outcome c_run(Arguments& with) {
  const scantune_arrays arrays = with.arrays();
  return of_c(scantune_run(with.request, &arrays, with.on()));
}
inline Outcome c_plan_create(Arguments& with) {
  scantune_plan* plan = nullptr;
  const Outcome outcome = of_c(scantune_plan_create(with.request, &plan));
  EXPECT_EQ(plan == nullptr, outcome.status != SCANTUNE_OK);
  scantune_plan_destroy(plan);
  return outcome;
}
// Runs a plan that is made of right arguments before they are spoiled.
inline Call c_plan_run(const Spoil& spoil, const Spoil& prepare = of_nothing_else) {
  return [=](Arguments& with) {
    prepare(with);
    const PlanOwner plan = made_plan(with);
    spoil(with);
    const scantune_arrays arrays = with.arrays();
    return of_c(scantune_plan_run(plan.get(), &arrays, nullptr, with.on()));
  };
}
// The same in a workspace of the caller's, which it needs if its arrays are so far away that a million items fit.
inline Call c_plan_run_in(const Spoil& spoil, const Spoil& prepare = of_nothing_else) {
  return [=](Arguments& with) {
    prepare(with);
    const PlanOwner plan = made_plan(with);
    EXPECT_EQ(scantune_plan_workspace_bytes(plan.get()) > 0, with.request->n == kTiles);
    spoil(with);
    const scantune_arrays arrays = with.arrays();
    const scantune_workspace workspace = with.given();
    return of_c(scantune_plan_run(plan.get(), &arrays, &workspace, with.on()));
  };
}

// Calls with a wrong request.
inline Calls c_request(const Spoil& spoil, const Spoil& prepare) {
  return {spoiled(after(prepare, spoil), c_run), spoiled(after(prepare, spoil), c_plan_create)};
}
// Calls and runs of plans with wrong arrays.
inline Calls c_arrays(const Spoil& spoil, const Spoil& prepare) {
  return {spoiled(after(prepare, spoil), c_run), c_plan_run(spoil, prepare), c_plan_run_in(spoil, prepare)};
}

// A balance of as many items as 64 bits count.
inline void of_long_segments(Arguments& with) {
  of_segments(with);
  with.balance.input_type = with.balance.output_type = SCANTUNE_U64;
}

// Calls with a wrong head, of every algorithm.
inline Calls c_heads(const std::function<void(scantune_head&)>& spoil) {
  const Spoil in_head = [=](Arguments& with) { spoil(*with.request); };
  return all_of({c_request(in_head, of_nothing_else), c_request(in_head, of_sum), c_request(in_head, of_selection),
                 c_request(in_head, of_long_segments), c_request(in_head, of_sort(SCANTUNE_SORTED_KEYS)),
                 c_request(in_head, of_top_k(SCANTUNE_SORTED_KEYS))});
}

// Calls with requests of every algorithm of which a member is wrong that all of these have.
template <class Spoiled>
Calls c_requests(const Spoiled& spoil) {
  Calls calls;
  const auto add = [&](auto Arguments::*request, const Spoil& prepare) {
    if constexpr (std::is_invocable_v<Spoiled, decltype(std::declval<Arguments&>().*request)>)
      calls = both(calls, c_request([=](Arguments& with) { spoil(with.*request); }, prepare));
  };
  add(&Arguments::scan, of_nothing_else);
  add(&Arguments::reduce, of_sum);
  add(&Arguments::select, of_selection);
  add(&Arguments::balance, of_segments);
  add(&Arguments::sort, of_sort(SCANTUNE_SORTED_KEYS));
  add(&Arguments::top_k, of_top_k(SCANTUNE_SORTED_KEYS));
  return calls;
}

// Lets arrays be so long, and so far from each other, that a call needs a workspace.
inline void far_away(Arguments& with) {
  with.request->n = kTiles;
  with.request->captured_launches = 0;
  int place = 40;
  for (const auto array : Arguments::kOfRole) {
    if (with.*array != 0 && array != &Arguments::count) with.*array = std::uintptr_t{1} << place;
    ++place;
  }
}

// A number that the caller wrote where an enumerator belongs.
template <class Enum>
void write(Enum& member, int value) {
  static_assert(sizeof member == sizeof value);
  std::memcpy(&member, &value, sizeof value);
}

// Every call is right until a row spoils it.
inline void expect_right(const std::vector<Calls>& all) {
  const auto device = std::make_shared<FakeDevice>();
  set_current_device(device);
  for (const Calls& calls : all)
    for (const Call& call : calls) {
      Arguments arguments(device);
      const Outcome outcome = call(arguments);
      EXPECT_EQ(outcome.status, SCANTUNE_OK) << outcome.text;
    }
}

inline const std::string kWithNull("before\0after", 12);

}  // namespace scantune::testing
