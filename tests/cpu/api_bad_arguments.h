// Right arguments of the public functions, what spoils them, and the calls that must refuse them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "api_bad_input.h"

namespace scantune::testing {

inline constexpr std::uintptr_t kInput = 0x1000000, kOutput = 0x9000000, kIndex = 0xb000000, kHost = 0xdead0000,
                                kWorkspace = 0xd000000, kEnd = ~std::uintptr_t{0};
// What selections and sorts have beside input, output and indices.
inline constexpr std::uintptr_t kFlags = 0x2000000, kValues = 0x3000000, kValuesOutput = 0x4000000,
                                kRejected = 0x5000000, kSecond = 0xa000000, kCount = 0x6000000;
inline constexpr u64 kItems = 1000, kSegments = 10;
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
  scantune_head* request = &scan.head;                                         // the one that C functions get
  // Functions that are in no request yet: an operator on i32, maps, and what a selection has.
  scantune_function combine = SCANTUNE_FUNCTION_INIT, load = combine, store = combine, function = combine;
  // The arrays' addresses, by their roles; 0: none.
  std::uintptr_t input = kInput, output = kOutput, position = 0, flags = 0, values = 0, values_output = 0, second = 0,
                 rejected = 0, count = 0;
  std::uintptr_t workspace = kWorkspace;
  u64 workspace_bytes = u64{1} << 30;

  explicit Arguments(std::shared_ptr<FakeDevice> on) : device(std::move(on)), stream(device->make_stream()) {
    for (scantune_head* const head : {&scan.head, &reduce.head, &select.head, &balance.head, &sort.head})
      head->n = kItems;
    scan.input_type = scan.output_type = reduce.input_type = reduce.output_type = SCANTUNE_I32;
    select.input_type = sort.input_type = SCANTUNE_I32;
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
    return {SCANTUNE_ROLES,
            {address(input), address(output), address(position), address(flags), address(values),
             address(values_output), address(second), address(rejected), address(count)}};
  }
  scantune_workspace given() const { return {address(workspace), workspace_bytes}; }

  // The same as C++ has it.
  const int* in() const { return static_cast<const int*>(address(input)); }
  int* out() const { return static_cast<int*>(address(output)); }
  template <class T = std::uint64_t>
  T* at() const {
    return static_cast<T*>(address(position));
  }
  const std::uint8_t* flagged() const { return static_cast<const std::uint8_t*>(address(flags)); }
  const float* beside() const { return static_cast<const float*>(address(values)); }
  float* beside_out() const { return static_cast<float*>(address(values_output)); }
  int* rest() const { return static_cast<int*>(address(rejected)); }
  int* middle() const { return static_cast<int*>(address(second)); }
  std::uint64_t* counts() const { return static_cast<std::uint64_t*>(address(count)); }
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
inline Call cpp_spoiled(const Spoil& spoil, void (*call)(Arguments&)) { return spoiled(spoil, cpp(call)); }

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

// Lets arrays be so long, and so far from each other, that a call needs a workspace.
inline void far_away(Arguments& with) {
  with.request->n = kTiles;
  with.request->captured_launches = 0;
  int place = 40;
  for (std::uintptr_t* const array : {&with.input, &with.output, &with.position, &with.flags, &with.values,
                                      &with.values_output, &with.second, &with.rejected}) {
    if (*array != 0) *array = std::uintptr_t{1} << place;
    ++place;
  }
}

// A function, and a plan of it that is made from right arguments.
template <class Now, class Make, class Run>
Calls now_and_by_plan(const Spoil& spoil, const Now& now, const Make& make, const Run& run,
                      const Spoil& prepare = of_nothing_else) {
  return {cpp([=](Arguments& with) {
            prepare(with);
            spoil(with);
            now(with);
          }),
          cpp([=](Arguments& with) {
            prepare(with);
            const auto plan = make();
            spoil(with);
            run(plan, with);
          })};
}

// Runs of a plan of C++ in a workspace of the caller's, which it needs.
template <class Make, class Run>
Call cpp_in_workspace(const Spoil& spoil, const Spoil& prepare, const Make& make, const Run& run) {
  return cpp([=](Arguments& with) {
    prepare(with);
    far_away(with);
    const auto plan = make();
    EXPECT_GT(plan.workspace_bytes(), 0u);
    spoil(with);
    run(plan, with);
  });
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
