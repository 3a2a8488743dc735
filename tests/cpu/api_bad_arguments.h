// Right arguments of the public functions but sorts, what spoils them, and the calls that must refuse them.
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
// What selections have beside input, output and indices.
inline constexpr std::uintptr_t kFlags = 0x2000000, kValues = 0x3000000, kValuesOutput = 0x4000000,
                                kRejected = 0x5000000, kSecond = 0xa000000, kCount = 0x6000000;
inline constexpr u64 kItems = 1000, kSegments = 10;

// An operator's value.
struct Affine {
  float a, b, c;
};

// Right arguments, for a row to spoil one of them.
struct Arguments {
  std::shared_ptr<FakeDevice> device;
  Stream stream = nullptr;
  int identity[8] = {};
  scantune_problem problem = SCANTUNE_PROBLEM_INIT;                  // i32 inclusive sum
  scantune_custom_operator custom = SCANTUNE_CUSTOM_OPERATOR_INIT;   // an operator on i32, not yet in the problem
  scantune_map load = SCANTUNE_MAP_INIT, store = SCANTUNE_MAP_INIT;  // nor are these
  std::uintptr_t input = kInput;
  std::uintptr_t output = kOutput;
  std::uintptr_t index = kIndex;
  std::uintptr_t workspace = kWorkspace;
  u64 workspace_bytes = u64{1} << 20;
  scantune_selection selection = SCANTUNE_SELECTION_INIT;  // i32 items less than 0
  scantune_selection_arrays arrays = SCANTUNE_SELECTION_ARRAYS_INIT;
  scantune_balance balance = SCANTUNE_BALANCE_INIT;  // u32 segments by u32 offsets
  scantune_balance_arrays balanced = SCANTUNE_BALANCE_ARRAYS_INIT;

  explicit Arguments(std::shared_ptr<FakeDevice> on) : device(std::move(on)), stream(device->make_stream()) {
    problem.n = kItems;
    problem.input_type = problem.output_type = SCANTUNE_I32;
    custom.source = "Value combine";
    custom.identity = identity;
    custom.value_type = SCANTUNE_I32;
    selection.n = kItems;
    selection.type = SCANTUNE_I32;
    selection.constant = identity;
    arrays.input = address(kInput);
    arrays.output = address(kOutput);
    arrays.count = static_cast<std::uint64_t*>(address(kCount));
    balance.n = kItems;
    balance.segments = kSegments;
    balance.offset_type = balance.output_type = SCANTUNE_U32;
    balanced.offsets = address(kInput);
    balanced.segment_of = address(kOutput);
  }

  const void* in() const { return address(input); }
  void* out() const { return address(output); }
  std::uint64_t* at() const { return static_cast<std::uint64_t*>(address(index)); }
  runtime::Workspace room() const { return {address(workspace), workspace_bytes}; }
  scantune_stream on() const { return reinterpret_cast<scantune_stream>(stream); }
};

using Spoil = std::function<void(Arguments&)>;
using Call = std::function<Outcome(Arguments&)>;
using Calls = std::vector<Call>;
using BadInput = BadInputOf<Arguments>;

using PlanCreate = scantune_status (*)(const scantune_problem*, scantune_plan**);

inline PlanOwner made_plan(const Arguments& with, PlanCreate create) {
  scantune_plan* plan = nullptr;
  EXPECT_EQ(create(&with.problem, &plan), SCANTUNE_OK) << scantune_error_message();
  return {plan, &scantune_plan_destroy};
}

inline PlanOwner select_plan(const Arguments& with) {
  scantune_plan* plan = nullptr;
  EXPECT_EQ(scantune_select_plan_create(&with.selection, &plan), SCANTUNE_OK) << scantune_error_message();
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

inline Call cpp(const std::function<void(Arguments&)>& call) {
  return [=](Arguments& with) { return of_cpp([&] { call(with); }); };
}

inline Call spoiled(const Spoil& spoil, Outcome (*call)(Arguments&)) {
  return [=](Arguments& with) {
    spoil(with);
    return call(with);
  };
}

inline Calls both(const Calls& first, const Calls& second) { return all_of({first, second}); }

// A function, and a plan of it that is made from right arguments.
template <class Now, class Make, class Run>
Calls now_and_by_plan(const Spoil& spoil, const Now& now, const Make& make, const Run& run) {
  return {cpp([=](Arguments& with) {
            spoil(with);
            now(with);
          }),
          cpp([=](Arguments& with) {
            const auto plan = make();
            spoil(with);
            run(plan, with);
          })};
}

// A number that the caller wrote where an enumerator belongs.
template <class Enum>
void write(Enum& member, int value) {
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
