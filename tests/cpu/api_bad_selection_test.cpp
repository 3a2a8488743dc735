// Wrong arguments of selections and partitions, in C and in C++, and the message about each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

const std::uint8_t* flags_at(std::uintptr_t where) { return static_cast<const std::uint8_t*>(address(where)); }
std::uint64_t* count_at(std::uintptr_t where) { return static_cast<std::uint64_t*>(address(where)); }

void give_all(Arguments& with) {
  with.arrays.flags = flags_at(kFlags);
  with.arrays.values = address(kValues);
  with.arrays.values_output = address(kValuesOutput);
  with.arrays.indices = address(kIndex);
  with.arrays.rejected = address(kRejected);
  with.arrays.second = address(kSecond);
}

// Flagged items, with their values and indices.
void of_flags(Arguments& with) {
  give_all(with);
  with.arrays.rejected = with.arrays.second = nullptr;
  with.selection.criterion = SCANTUNE_FLAGGED;
  with.selection.constant = nullptr;
  with.selection.value_bytes = 4;
  with.selection.selected = SCANTUNE_ITEMS_AND_INDICES;
}

void of_indices(Arguments& with) {
  with.selection.selected = SCANTUNE_INDICES;
  with.arrays.indices = address(kIndex);
  with.arrays.output = nullptr;
}

void of_both(Arguments& with) {
  with.selection.rejected = SCANTUNE_APART;
  with.arrays.rejected = address(kRejected);
}

void of_behind(Arguments& with) { with.selection.rejected = SCANTUNE_BEHIND; }

int kPivot = 7;

// Three parts apart.
void of_three(Arguments& with) {
  of_both(with);
  with.selection.criterion = SCANTUNE_AROUND;
  with.selection.constant = &kPivot;
  with.arrays.second = address(kSecond);
}

void of_source(Arguments& with) {
  with.selection.criterion = SCANTUNE_PREDICATE;
  with.selection.constant = nullptr;
  with.selection.source = "bool keep(Value)";
}

Outcome c_select(Arguments& with) { return of_c(scantune_select(&with.selection, &with.arrays, with.on())); }

Outcome c_select_plan_create(Arguments& with) {
  scantune_plan* plan = nullptr;
  const Outcome outcome = of_c(scantune_select_plan_create(&with.selection, &plan));
  EXPECT_EQ(plan == nullptr, outcome.status != SCANTUNE_OK);
  scantune_plan_destroy(plan);
  return outcome;
}

// Calls with a wrong selection.
Calls c_selection(const std::function<void(scantune_selection&)>& spoil, const Spoil& prepare = of_nothing_else) {
  const Spoil in_arguments = after(prepare, [=](Arguments& with) { spoil(with.selection); });
  return {spoiled(in_arguments, c_select), spoiled(in_arguments, c_select_plan_create)};
}

// Calls and runs of plans with wrong arrays.
Calls c_arrays(const Spoil& spoil, const Spoil& prepare = of_nothing_else) {
  const auto run = [=](Arguments& with, auto call) {
    prepare(with);
    const PlanOwner plan = select_plan(with);
    spoil(with);
    return of_c(call(plan.get(), with));
  };
  return {spoiled(after(prepare, spoil), c_select),
          [=](Arguments& with) {
            return run(with, [](scantune_plan* plan, const Arguments& of) {
              return scantune_plan_run_select(plan, &of.arrays, of.on());
            });
          },
          [=](Arguments& with) {
            return run(with, [](scantune_plan* plan, const Arguments& of) {
              return scantune_plan_run_select_in(plan, &of.arrays, address(of.workspace), of.workspace_bytes, of.on());
            });
          }};
}

// The arrays as C++ has them.
const int* items_of(const Arguments& with) { return static_cast<const int*>(with.arrays.input); }
int* kept_of(const Arguments& with) { return static_cast<int*>(with.arrays.output); }
const float* values_of(const Arguments& with) { return static_cast<const float*>(with.arrays.values); }
float* values_output_of(const Arguments& with) { return static_cast<float*>(with.arrays.values_output); }
std::uint64_t* indices_of(const Arguments& with) { return static_cast<std::uint64_t*>(with.arrays.indices); }
int* rejected_of(const Arguments& with) { return static_cast<int*>(with.arrays.rejected); }
int* second_of(const Arguments& with) { return static_cast<int*>(with.arrays.second); }

// Calls with all arrays, of which one is spoiled.
template <class Now, class Make, class Run>
Calls selections(const Spoil& spoil, const Now& now, const Make& make, const Run& run) {
  return now_and_by_plan(after(give_all, spoil), now, make, run);
}

Calls cpp_select(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) { runtime::select(items_of(a), kept_of(a), a.arrays.count, kItems, {.stream = a.stream}); },
      [] { return runtime::select_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(items_of(a), kept_of(a), a.arrays.count, a.stream); });
}

Calls cpp_flagged(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        runtime::select_flagged(items_of(a), a.arrays.flags, kept_of(a), a.arrays.count, kItems, {.stream = a.stream});
      },
      [] { return runtime::select_flagged_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(items_of(a), a.arrays.flags, kept_of(a), a.arrays.count, a.stream); });
}

Calls cpp_unique(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        runtime::unique_consecutive(items_of(a), kept_of(a), a.arrays.count, kItems, {.stream = a.stream});
      },
      [] { return runtime::unique_consecutive_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(items_of(a), kept_of(a), a.arrays.count, a.stream); });
}

Calls cpp_by_key(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        runtime::unique_by_key(items_of(a), values_of(a), kept_of(a), values_output_of(a), a.arrays.count, kItems,
                               {.stream = a.stream});
      },
      [] { return runtime::unique_by_key_plan<int, float>(kItems); },
      [](const auto& plan, Arguments& a) {
        plan(items_of(a), values_of(a), kept_of(a), values_output_of(a), a.arrays.count, a.stream);
      });
}

Calls cpp_indices(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        runtime::select_indices(items_of(a), indices_of(a), a.arrays.count, kItems, {.stream = a.stream});
      },
      [] { return runtime::select_indices_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(items_of(a), indices_of(a), a.arrays.count, a.stream); });
}

Calls cpp_partition(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        runtime::partition(items_of(a), kept_of(a), rejected_of(a), a.arrays.count, kItems, {.stream = a.stream});
      },
      [] { return runtime::partition_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(items_of(a), kept_of(a), rejected_of(a), a.arrays.count, a.stream); });
}

const runtime::ThreeWayOptions<int> kAround{.parts = runtime::Parts::around(7)};

Calls cpp_three_way(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        auto options = kAround;
        options.stream = a.stream;
        runtime::three_way_partition(items_of(a), kept_of(a), second_of(a), rejected_of(a), a.arrays.count, kItems,
                                     options);
      },
      [] { return runtime::three_way_partition_plan<int>(kItems, kAround); },
      [](const auto& plan, Arguments& a) {
        plan(items_of(a), kept_of(a), second_of(a), rejected_of(a), a.arrays.count, a.stream);
      });
}

// Partitions of two and of three parts.
Calls cpp_into_one(const Spoil& spoil) {
  const auto by_plan = [](const auto& plan, Arguments& a) { plan(items_of(a), kept_of(a), a.arrays.count, a.stream); };
  Calls calls = selections(
      spoil,
      [](Arguments& a) {
        runtime::partition_into_one(items_of(a), kept_of(a), a.arrays.count, kItems, {.stream = a.stream});
      },
      [] { return runtime::partition_into_one_plan<int>(kItems); }, by_plan);
  const Calls of_three = selections(
      spoil,
      [](Arguments& a) {
        auto options = kAround;
        options.stream = a.stream;
        runtime::three_way_partition_into_one(items_of(a), kept_of(a), a.arrays.count, kItems, options);
      },
      [] { return runtime::three_way_partition_into_one_plan<int>(kItems, kAround); }, by_plan);
  calls.insert(calls.end(), of_three.begin(), of_three.end());
  return calls;
}

Calls three_way_options(const runtime::ThreeWayOptions<int>& wrong, u64 n = kItems) {
  const auto in = [](Arguments& with) { return static_cast<const int*>(with.in()); };
  const auto out = [](Arguments& with) { return static_cast<int*>(with.out()); };
  const auto at = [](std::uintptr_t place) { return static_cast<int*>(address(place)); };
  return {cpp([=](Arguments& with) {
            runtime::three_way_partition(in(with), out(with), at(kSecond), at(kRejected), count_at(kCount), n, wrong);
          }),
          cpp([=](Arguments& with) {
            runtime::three_way_partition_into_one(in(with), out(with), count_at(kCount), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::three_way_partition_plan<int>(n, wrong); }),
          cpp([=](Arguments&) { runtime::three_way_partition_into_one_plan<int>(n, wrong); })};
}

Calls selecting(const Spoil& spoil) {
  return all_of({c_arrays(spoil), c_arrays(spoil, of_flags), c_arrays(spoil, of_both), cpp_select(spoil),
                 cpp_flagged(spoil), cpp_unique(spoil), cpp_by_key(spoil), cpp_partition(spoil)});
}

// Those whose output lies apart from the input.
Calls partitioning_apart(const Spoil& spoil) {
  return all_of({c_arrays(spoil, of_behind), c_arrays(spoil, of_three), cpp_three_way(spoil), cpp_into_one(spoil)});
}

Calls selecting_indices(const Spoil& spoil) { return all_of({c_arrays(spoil, of_indices), cpp_indices(spoil)}); }

// Those that ask the driver about memory and stream.
Calls selecting_without_plan(const Spoil& spoil) {
  return {spoiled(spoil, c_select), spoiled(after(of_flags, spoil), c_select),
          cpp_select(spoil)[0],     cpp_flagged(spoil)[0],
          cpp_unique(spoil)[0],     cpp_by_key(spoil)[0],
          cpp_indices(spoil)[0],    cpp_partition(spoil)[0],
          cpp_three_way(spoil)[0],  cpp_into_one(spoil)[0]};
}

// Runs of plans in a workspace that they need.
Calls selecting_in_workspace(const Spoil& spoil) {
  static constexpr u64 kTiles = u64{1} << 20;
  const Spoil far = [](Arguments& with) {
    std::uintptr_t next = std::uintptr_t{1} << 40;
    const auto place = [&] { return address(next += std::uintptr_t{1} << 36); };
    with.selection.n = kTiles;
    with.arrays.input = place();
    with.arrays.output = place();
    with.arrays.flags = static_cast<const std::uint8_t*>(place());
    with.arrays.values = place();
    with.arrays.values_output = place();
    with.arrays.indices = place();
    with.arrays.rejected = place();
    with.arrays.second = place();
  };
  const auto run = [=](const auto& make, const auto& call) {
    return cpp([=](Arguments& with) {
      const auto plan = make();
      EXPECT_GT(plan.workspace_bytes(), 0u);
      far(with);
      spoil(with);
      call(plan, with);
    });
  };
  return {
      [=](Arguments& with) {
        of_flags(with);
        far(with);
        with.arrays.rejected = with.arrays.second = nullptr;
        with.selection.captured_launches = 0;
        const PlanOwner plan = select_plan(with);
        EXPECT_GT(scantune_plan_workspace_bytes(plan.get()), 0u);
        spoil(with);
        return of_c(scantune_plan_run_select_in(plan.get(), &with.arrays, address(with.workspace), with.workspace_bytes,
                                                with.on()));
      },
      run([] { return runtime::select_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(items_of(a), kept_of(a), a.arrays.count, a.room(), a.stream); }),
      run([] { return runtime::select_flagged_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) {
            plan(items_of(a), a.arrays.flags, kept_of(a), a.arrays.count, a.room(), a.stream);
          }),
      run([] { return runtime::unique_by_key_plan<int, float>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) {
            plan(items_of(a), values_of(a), kept_of(a), values_output_of(a), a.arrays.count, a.room(), a.stream);
          }),
      run([] { return runtime::select_indices_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(items_of(a), indices_of(a), a.arrays.count, a.room(), a.stream); }),
      run([] { return runtime::partition_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) {
            plan(items_of(a), kept_of(a), rejected_of(a), a.arrays.count, a.room(), a.stream);
          }),
      run([] { return runtime::partition_into_one_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(items_of(a), kept_of(a), a.arrays.count, a.room(), a.stream); }),
      run(
          [] {
            return runtime::three_way_partition_plan<int>(kTiles,
                                                          {.parts = runtime::Parts::around(7), .captured_launches = 0});
          },
          [](const auto& plan, Arguments& a) {
            plan(items_of(a), kept_of(a), second_of(a), rejected_of(a), a.arrays.count, a.room(), a.stream);
          })};
}

template <class T = int>
Calls select_options(const runtime::SelectOptions<T>& wrong, u64 n = kItems) {
  const auto in = [](Arguments& with) { return static_cast<const T*>(with.in()); };
  const auto out = [](Arguments& with) { return static_cast<T*>(with.out()); };
  return {cpp([=](Arguments& with) { runtime::select(in(with), out(with), count_at(kCount), n, wrong); }),
          cpp([=](Arguments& with) { runtime::select_indices(in(with), with.at(), count_at(kCount), n, wrong); }),
          cpp([=](Arguments& with) {
            runtime::partition(in(with), out(with), static_cast<T*>(address(kRejected)), count_at(kCount), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::select_plan<T>(n, wrong); }),
          cpp([=](Arguments&) { runtime::select_indices_plan<T>(n, wrong); }),
          cpp([=](Arguments&) { runtime::partition_plan<T>(n, wrong); })};
}

Calls flagged_options(const runtime::FlaggedOptions& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::select_flagged(static_cast<const int*>(with.in()), flags_at(kFlags), static_cast<int*>(with.out()),
                                    count_at(kCount), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::select_flagged_plan<int>(n, wrong); })};
}

template <class T = int>
Calls unique_options(const runtime::UniqueOptions& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::unique_consecutive(static_cast<const T*>(with.in()), static_cast<T*>(with.out()), count_at(kCount),
                                        n, wrong);
          }),
          cpp([=](Arguments& with) {
            runtime::unique_by_key(static_cast<const T*>(with.in()), static_cast<const float*>(address(kValues)),
                                   static_cast<T*>(with.out()), static_cast<float*>(address(kValuesOutput)),
                                   count_at(kCount), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::unique_consecutive_plan<T>(n, wrong); }),
          cpp([=](Arguments&) { runtime::unique_by_key_plan<T, float>(n, wrong); })};
}

Calls options_of_selections(const runtime::FlaggedOptions& wrong) {
  const auto with_these = [&](auto options) {
    options.forward_progress = wrong.forward_progress;
    options.latency = wrong.latency;
    options.captured_launches = wrong.captured_launches;
    options.config = wrong.config;
    return options;
  };
  return all_of({select_options(with_these(runtime::SelectOptions<int>())), flagged_options(wrong),
                 unique_options(with_these(runtime::UniqueOptions())), three_way_options(with_these(kAround))});
}

// A selection by a comparison with a constant.
template <class T, class X>
Calls compared(X constant) {
  using runtime::Predicate;
  const auto call = [](auto predicate) {
    return cpp([=](Arguments&) { runtime::select_plan<T>(kItems, {.predicate = predicate(0)}); });
  };
  return {call([=](int) { return Predicate::less(constant); }),
          call([=](int) { return Predicate::less_equal(constant); }),
          call([=](int) { return Predicate::greater(constant); }),
          call([=](int) { return Predicate::greater_equal(constant); }),
          call([=](int) { return Predicate::equal(constant); }),
          call([=](int) { return Predicate::not_equal(constant); })};
}

// clang-format off
const std::vector<BadInput> kBadSelections = {
    // A selection.
    {"scantune_selection", "struct_bytes", "left out", c_selection([](auto& s) { s.struct_bytes = 0; }), {"struct_bytes is 0", "scantune_selection", "SCANTUNE_SELECTION_INIT"}},
    {"scantune_selection", "n", "more items than an address space", c_selection([](auto& s) { s.n = ~u64{0}; }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_selection", "n", "more items than a grid can have", {spoiled([](Arguments& a) { a.selection.n = u64{1} << 50; a.arrays.output = address(std::uintptr_t{1} << 60); a.arrays.count = count_at(std::uintptr_t{1} << 61); }, c_select)}, {"more tiles than a grid"}},
    {"scantune_selection", "type", "left out", c_selection([](auto& s) { s.type = SCANTUNE_DEFAULT_TYPE; }), {"type is 0", "scantune_type"}},
    {"scantune_selection", "type", "no type", c_selection([](auto& s) { write(s.type, 14); }), {"type is 14", "1 to 13"}},
    {"scantune_selection", "item_bytes", "of a built-in type", c_selection([](auto& s) { s.item_bytes = 4; }), {"item_bytes is 4", "must be 0"}},
    {"scantune_selection", "item_bytes", "of a custom type, none", c_selection([](auto& s) { s.type = SCANTUNE_CUSTOM_TYPE; s.item_alignment = 4; }), {"item_bytes is 0", "1 to 32"}},
    {"scantune_selection", "item_bytes", "too many", c_selection([](auto& s) { s.type = SCANTUNE_CUSTOM_TYPE; s.item_bytes = 33; s.item_alignment = 1; }), {"item_bytes is 33"}},
    {"scantune_selection", "item_alignment", "of a built-in type", c_selection([](auto& s) { s.item_alignment = 4; }), {"item_alignment is 4", "must be 0"}},
    {"scantune_selection", "item_alignment", "that does not divide the size", c_selection([](auto& s) { s.type = SCANTUNE_CUSTOM_TYPE; s.item_bytes = 12; s.item_alignment = 8; }), {"item_alignment is 8", "divide item_bytes, which is 12"}},
    {"scantune_selection", "item_alignment", "none", c_selection([](auto& s) { s.type = SCANTUNE_CUSTOM_TYPE; s.item_bytes = 12; }), {"item_alignment is 0", "1, 2, 4, 8 or 16"}},
    {"scantune_selection", "index_type", "no type", c_selection([](auto& s) { write(s.index_type, 99); }), {"index_type is 99"}},
    {"scantune_selection", "index_type", "a floating-point type", c_selection([](auto& s) { s.index_type = SCANTUNE_F32; }), {"indices are integers of 4 or 8 bytes: i32, i64, u32 or u64"}},
    {"scantune_selection", "index_type", "a struct", c_selection([](auto& s) { s.index_type = SCANTUNE_CUSTOM_TYPE; }, of_indices), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_selection", "index_type", "without indices", c_selection([](auto& s) { s.index_type = SCANTUNE_U32; }), {"index_type is for selections that write indices: leave it out"}},
    {"scantune_selection", "index_type", "too narrow", c_selection([](auto& s) { s.index_type = SCANTUNE_U16; }), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_selection", "index_type", "with fewer indices than items", c_selection([](auto& s) { s.n = (u64{1} << 31) + 1; s.selected = SCANTUNE_INDICES; s.index_type = SCANTUNE_I32; }), {"more items than index_type has indices for"}},
    {"scantune_selection", "criterion", "no criterion", c_selection([](auto& s) { write(s.criterion, 12); }), {"criterion is 12", "scantune_criterion", "0 to 11"}},
    {"scantune_selection", "criterion", "a pivot among structs", c_selection([](auto& s) { s.type = SCANTUNE_CUSTOM_TYPE; s.item_bytes = 12; s.item_alignment = 4; }, of_three), {"items of a custom type have no order", "part() of your own"}},
    {"scantune_selection", "criterion", "of three parts, of which one is dropped", c_selection([](auto& s) { s.rejected = SCANTUNE_DROPPED; }, of_three), {"all of three parts are written", "apart or behind"}},
    {"scantune_selection", "criterion", "an order of structs", c_selection([](auto& s) { s.type = SCANTUNE_CUSTOM_TYPE; s.item_bytes = 12; s.item_alignment = 4; }), {"items of a custom type have no order", "predicate of your own"}},
    {"scantune_selection", "criterion", "equality of structs", c_selection([](auto& s) { s.type = SCANTUNE_CUSTOM_TYPE; s.item_bytes = 12; s.item_alignment = 4; s.criterion = SCANTUNE_UNIQUE; s.constant = nullptr; }), {"items of a custom type cannot be compared", "equal() of your own"}},
    {"scantune_selection", "selected", "no choice", c_selection([](auto& s) { write(s.selected, 3); }), {"selected is 3", "scantune_selected", "0 to 2"}},
    {"scantune_selection", "rejected", "no choice", c_selection([](auto& s) { write(s.rejected, -1); }), {"rejected is -1", "scantune_rejected"}},
    {"scantune_selection", "rejected", "behind indices", c_selection([](auto& s) { s.rejected = SCANTUNE_BEHIND; s.selected = SCANTUNE_INDICES; }), {"ask for items too"}},
    {"scantune_selection", "rejected", "apart, of indices", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.selected = SCANTUNE_INDICES; }), {"ask for items too"}},
    {"scantune_selection", "rejected", "apart, beside indices", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.selected = SCANTUNE_ITEMS_AND_INDICES; }), {"ask for neither values nor indices"}},
    {"scantune_selection", "rejected", "apart, beside values", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.value_bytes = 4; }), {"ask for neither values nor indices"}},
    {"scantune_selection", "value_bytes", "3", c_selection([](auto& s) { s.value_bytes = 3; }), {"value_bytes is 3", "1, 2, 4 or 8"}},
    {"scantune_selection", "value_bytes", "16", c_selection([](auto& s) { s.value_bytes = 16; }), {"value_bytes is 16"}},
    {"scantune_selection", "forward_progress", "no forward progress", c_selection([](auto& s) { write(s.forward_progress, 2); }), {"forward_progress is 2"}},
    {"scantune_selection", "latency", "no latency", c_selection([](auto& s) { write(s.latency, 2); }), {"latency is 2"}},
    {"scantune_selection", "constant", "left out", c_selection([](auto& s) { s.constant = nullptr; }), {"constant is NULL, and criterion is SCANTUNE_LESS", "point it to"}},
    {"scantune_selection", "constant", "of a criterion without one, FLAGGED", c_selection([](auto& s) { s.criterion = SCANTUNE_FLAGGED; }), {"constant is given, and criterion is SCANTUNE_FLAGGED", "leave it NULL"}},
    {"scantune_selection", "constant", "of a criterion without one, UNIQUE", c_selection([](auto& s) { s.criterion = SCANTUNE_UNIQUE; }), {"constant is given, and criterion is SCANTUNE_UNIQUE", "leave it NULL"}},
    {"scantune_selection", "constant", "beside a source", c_selection([](auto& s) { s.constant = &s; }, of_source), {"constant is given, and criterion is SCANTUNE_PREDICATE"}},
    {"scantune_selection", "source", "left out", c_selection([](auto& s) { s.source = nullptr; }, of_source), {"source is NULL", "bool keep(Value)"}},
    {"scantune_selection", "source", "left out, of neighbours", c_selection([](auto& s) { s.source = nullptr; s.criterion = SCANTUNE_UNIQUE_BY; }, of_source), {"source is NULL", "bool equal(Value, Value)"}},
    {"scantune_selection", "source", "left out, of parts", c_selection([](auto& s) { s.source = nullptr; s.criterion = SCANTUNE_PARTS; s.rejected = SCANTUNE_BEHIND; }, of_source), {"source is NULL", "int part(Value)"}},
    {"scantune_selection", "source", "empty", c_selection([](auto& s) { s.source = ""; }, of_source), {"source is empty"}},
    {"scantune_selection", "source", "of a criterion without one", c_selection([](auto& s) { s.source = "bool keep(Value)"; }), {"source is given, and criterion is SCANTUNE_LESS", "leave it NULL"}},
    {"scantune_selection", "state", "left out", c_selection([](auto& s) { s.state_bytes = 8; }, of_source), {"state is NULL, and state_bytes is 8"}},
    {"scantune_selection", "state", "without a source", c_selection([](auto& s) { s.state = &s; }), {"state is given, and criterion is SCANTUNE_LESS"}},
    {"scantune_selection", "state_bytes", "left out", c_selection([](auto& s) { s.state = &s; }, of_source), {"state_bytes is 0, and state is given"}},
    {"scantune_selection", "state_bytes", "too many", c_selection([](auto& s) { s.state = &s; s.state_bytes = 33; }, of_source), {"state_bytes is 33", "at most 32", "memory of the device"}},
    {"scantune_selection", "state_bytes", "without a source", c_selection([](auto& s) { s.state_bytes = 4; }), {"state_bytes is 4, and criterion is SCANTUNE_LESS", "leave it at 0"}},
    {"scantune_selection", "captured_launches", "negative", c_selection([](auto& s) { s.captured_launches = -1; }), {"captured_launches is -1", "between 0 and"}},
    {"scantune_selection", "captured_launches", "negative, of no items", c_selection([](auto& s) { s.n = 0; s.captured_launches = -1; }), {"captured_launches is -1"}},
    {"scantune_selection", "config", "empty", c_selection([](auto& s) { s.config = ""; }), {"config is empty", "NULL to have one chosen"}},
    {"scantune_selection", "config", "of a scan's family", c_selection([](auto& s) { s.config = "{\"family\": \"lookback\"}"; }), {"config.family must name a family of select", "found \"lookback\""}},
    {"scantune_selection", "config", "that is not legal", c_selection([](auto& s) { s.config = "{\"family\": \"select_lookback\", \"block_threads\": 0}"; }), {"config: select_lookback{block_threads=0", "cannot run"}},
    {"scantune_selection", "config", "that is not legal, of no items", c_selection([](auto& s) { s.n = 0; s.config = "{\"family\": \"select_lookback\", \"block_threads\": 0}"; }), {"config: select_lookback{block_threads=0"}},

    {"scantune_selection_arrays", "struct_bytes", "left out", c_arrays([](Arguments& a) { a.arrays.struct_bytes = 0; }), {"arrays.struct_bytes is 0", "SCANTUNE_SELECTION_ARRAYS_INIT"}},
    {"scantune_selection_arrays", "struct_bytes", "of a header that sets what is not known", c_arrays([](Arguments& a) { a.arrays.struct_bytes = 64; }), {"arrays.struct_bytes is 64"}},
    {"scantune_selection_arrays runtime::select runtime::select_flagged runtime::unique_consecutive runtime::partition SelectPlan::operator() FlaggedPlan::operator() PartitionPlan::operator()", "input", "null", selecting([](Arguments& a) { a.arrays.input = nullptr; }), {"input is null, and n is 1000"}},
    {"runtime::unique_by_key UniqueByKeyPlan::operator()", "keys", "null", cpp_by_key([](Arguments& a) { a.arrays.input = nullptr; }), {"input is null, and n is 1000"}},
    {"scantune_selection_arrays runtime::select_indices IndicesPlan::operator()", "input", "null", selecting_indices([](Arguments& a) { a.arrays.input = nullptr; }), {"input is null, and n is 1000"}},
    {"scantune_selection_arrays runtime::select runtime::select_flagged runtime::unique_consecutive runtime::partition SelectPlan::operator() FlaggedPlan::operator() PartitionPlan::operator()", "input", "misaligned", selecting([](Arguments& a) { a.arrays.input = address(kInput + 2); }), {"input is 0x1000002", "multiple of the 4 bytes"}},
    {"scantune_selection_arrays runtime::select runtime::select_flagged runtime::unique_consecutive SelectPlan::operator() FlaggedPlan::operator()", "output", "null", selecting([](Arguments& a) { a.arrays.output = nullptr; }), {"output is null"}},
    {"runtime::unique_by_key UniqueByKeyPlan::operator()", "keys_output", "null", cpp_by_key([](Arguments& a) { a.arrays.output = nullptr; }), {"output is null"}},
    {"runtime::partition PartitionPlan::operator()", "kept", "null", cpp_partition([](Arguments& a) { a.arrays.output = nullptr; }), {"output is null"}},
    {"scantune_selection_arrays", "output", "misaligned", selecting([](Arguments& a) { a.arrays.output = address(kOutput + 1); }), {"output is 0x9000001"}},
    {"scantune_selection_arrays", "output", "behind the start of the input", selecting([](Arguments& a) { a.arrays.output = address(kInput + 4); }), {"input [0x1000000, +4000 bytes) and output [0x1000004", "overlap: they must be the same range or lie apart"}},
    {"scantune_selection_arrays", "output", "at the end of memory", selecting([](Arguments& a) { a.arrays.output = address(kEnd - 4 * kItems + 5); }), {"output", "end of the address space"}},
    {"scantune_selection_arrays", "output", "beside indices alone", c_arrays([](Arguments& a) { a.arrays.output = address(kOutput); }, of_indices), {"output is given, and selected is SCANTUNE_INDICES", "leave it NULL"}},
    {"scantune_selection_arrays runtime::select runtime::select_flagged runtime::unique_consecutive runtime::partition SelectPlan::operator() FlaggedPlan::operator() PartitionPlan::operator()", "count", "null", selecting([](Arguments& a) { a.arrays.count = nullptr; }), {"count is null"}},
    {"runtime::unique_by_key UniqueByKeyPlan::operator() scantune_selection_arrays runtime::select_indices IndicesPlan::operator()", "count", "null", both(selecting_indices([](Arguments& a) { a.arrays.count = nullptr; }), cpp_by_key([](Arguments& a) { a.arrays.count = nullptr; })), {"count is null"}},
    {"scantune_selection_arrays", "count", "null, of no items", c_arrays([](Arguments& a) { a.arrays.count = nullptr; }, [](Arguments& a) { a.selection.n = 0; }), {"count is null, and n is 0"}},
    {"scantune_selection_arrays", "count", "misaligned", selecting([](Arguments& a) { a.arrays.count = count_at(kCount + 4); }), {"count is 0x6000004", "multiple of the 8 bytes"}},
    {"scantune_selection_arrays", "count", "in the output", selecting([](Arguments& a) { a.arrays.count = count_at(kOutput + 8); }), {"count [0x9000008, +8 bytes)", "output [0x9000000, +4000 bytes)", "overlap: they must lie apart"}},
    {"scantune_selection_arrays", "count", "in the input", selecting([](Arguments& a) { a.arrays.count = count_at(kInput + 8); }), {"input [0x1000000, +4000 bytes) and count [0x1000008, +8 bytes) overlap: they must lie apart"}},
    {"scantune_selection_arrays runtime::select_flagged FlaggedPlan::operator()", "flags", "null", both(c_arrays([](Arguments& a) { a.arrays.flags = nullptr; }, of_flags), cpp_flagged([](Arguments& a) { a.arrays.flags = nullptr; })), {"flags is null"}},
    {"scantune_selection_arrays runtime::select_flagged FlaggedPlan::operator()", "flags", "in the output", both(c_arrays([](Arguments& a) { a.arrays.flags = flags_at(kOutput + 8); }, of_flags), cpp_flagged([](Arguments& a) { a.arrays.flags = flags_at(kOutput + 8); })), {"flags [0x9000008, +1000 bytes)", "overlap: they must lie apart"}},
    {"scantune_selection_arrays", "flags", "of another criterion", c_arrays([](Arguments& a) { a.arrays.flags = flags_at(kFlags); }), {"flags is given, and criterion is not SCANTUNE_FLAGGED", "leave it NULL"}},
    {"scantune_selection_arrays runtime::unique_by_key UniqueByKeyPlan::operator()", "values", "null", both(c_arrays([](Arguments& a) { a.arrays.values = nullptr; }, of_flags), cpp_by_key([](Arguments& a) { a.arrays.values = nullptr; })), {"values is null"}},
    {"scantune_selection_arrays runtime::unique_by_key UniqueByKeyPlan::operator()", "values", "misaligned", both(c_arrays([](Arguments& a) { a.arrays.values = address(kValues + 2); }, of_flags), cpp_by_key([](Arguments& a) { a.arrays.values = address(kValues + 2); })), {"values is 0x3000002"}},
    {"scantune_selection_arrays", "values", "of a selection without values", c_arrays([](Arguments& a) { a.arrays.values = address(kValues); }), {"values is given, and value_bytes is 0"}},
    {"scantune_selection_arrays runtime::unique_by_key UniqueByKeyPlan::operator()", "values_output", "null", both(c_arrays([](Arguments& a) { a.arrays.values_output = nullptr; }, of_flags), cpp_by_key([](Arguments& a) { a.arrays.values_output = nullptr; })), {"values_output is null"}},
    {"scantune_selection_arrays runtime::unique_by_key UniqueByKeyPlan::operator()", "values_output", "misaligned", both(c_arrays([](Arguments& a) { a.arrays.values_output = address(kValuesOutput + 2); }, of_flags), cpp_by_key([](Arguments& a) { a.arrays.values_output = address(kValuesOutput + 2); })), {"values_output is 0x4000002"}},
    {"scantune_selection_arrays", "values_output", "of a selection without values", c_arrays([](Arguments& a) { a.arrays.values_output = address(kValues); }), {"values_output is given, and value_bytes is 0"}},
    {"scantune_selection_arrays runtime::unique_by_key UniqueByKeyPlan::operator()", "values_output", "the values", both(c_arrays([](Arguments& a) { a.arrays.values_output = address(kValues); }, of_flags), cpp_by_key([](Arguments& a) { a.arrays.values_output = address(kValues); })), {"values [0x3000000, +4000 bytes) and values_output [0x3000000", "must lie apart"}},
    {"scantune_selection_arrays runtime::select_indices IndicesPlan::operator()", "indices", "null", selecting_indices([](Arguments& a) { a.arrays.indices = nullptr; }), {"indices is null"}},
    {"scantune_selection_arrays runtime::select_indices IndicesPlan::operator()", "indices", "misaligned", selecting_indices([](Arguments& a) { a.arrays.indices = address(kIndex + 4); }), {"indices is 0xb000004", "multiple of the 8 bytes"}},
    {"scantune_selection_arrays runtime::select_indices IndicesPlan::operator()", "indices", "the input", selecting_indices([](Arguments& a) { a.arrays.indices = address(kInput); }), {"input [0x1000000, +4000 bytes) and indices [0x1000000, +8000 bytes) overlap: they must lie apart"}},
    {"scantune_selection_arrays runtime::select_indices IndicesPlan::operator()", "indices", "in the input", selecting_indices([](Arguments& a) { a.arrays.indices = address(kInput + 8); }), {"input [0x1000000, +4000 bytes) and indices [0x1000008", "overlap"}},
    {"scantune_selection_arrays", "indices", "the input, beside items", c_arrays([](Arguments& a) { a.arrays.indices = address(kInput); }, of_flags), {"input [0x1000000, +4000 bytes) and indices [0x1000000, +8000 bytes) overlap", "must lie apart"}},
    {"scantune_selection_arrays", "indices", "null, beside items", c_arrays([](Arguments& a) { a.arrays.indices = nullptr; }, of_flags), {"indices is null"}},
    {"scantune_selection_arrays", "indices", "of items alone", c_arrays([](Arguments& a) { a.arrays.indices = address(kIndex); }), {"indices is given, and selected is SCANTUNE_ITEMS"}},
    {"scantune_selection_arrays runtime::partition PartitionPlan::operator()", "rejected", "null", both(c_arrays([](Arguments& a) { a.arrays.rejected = nullptr; }, of_both), cpp_partition([](Arguments& a) { a.arrays.rejected = nullptr; })), {"rejected is null"}},
    {"scantune_selection_arrays runtime::partition PartitionPlan::operator()", "rejected", "the input", both(c_arrays([](Arguments& a) { a.arrays.rejected = address(kInput); }, of_both), cpp_partition([](Arguments& a) { a.arrays.rejected = address(kInput); })), {"input [0x1000000, +4000 bytes) and rejected [0x1000000", "must lie apart"}},
    {"scantune_selection_arrays runtime::partition PartitionPlan::operator()", "rejected", "the output", both(c_arrays([](Arguments& a) { a.arrays.rejected = address(kOutput); }, of_both), cpp_partition([](Arguments& a) { a.arrays.rejected = address(kOutput); })), {"rejected [0x9000000, +4000 bytes)", "must lie apart"}},
    {"scantune_selection_arrays", "rejected", "dropped", c_arrays([](Arguments& a) { a.arrays.rejected = address(kRejected); }), {"rejected is given, and rejected of the selection is not SCANTUNE_APART"}},
    {"scantune_selection_arrays", "rejected", "behind", c_arrays([](Arguments& a) { a.arrays.rejected = address(kRejected); }, of_behind), {"rejected is given, and rejected of the selection is not SCANTUNE_APART"}},
    {"scantune_selection_arrays", "second", "of two parts", c_arrays([](Arguments& a) { a.arrays.second = address(kSecond); }, of_both), {"second is given, and the selection has no second part apart"}},
    {"scantune_selection_arrays runtime::three_way_partition ThreeWayPlan::operator()", "second", "null", both(c_arrays([](Arguments& a) { a.arrays.second = nullptr; }, of_three), cpp_three_way([](Arguments& a) { a.arrays.second = nullptr; })), {"second is null"}},
    {"scantune_selection_arrays runtime::three_way_partition ThreeWayPlan::operator()", "second", "the output", both(c_arrays([](Arguments& a) { a.arrays.second = address(kOutput); }, of_three), cpp_three_way([](Arguments& a) { a.arrays.second = address(kOutput); })), {"second [0x9000000, +4000 bytes)", "must lie apart"}},
    {"runtime::three_way_partition ThreeWayPlan::operator()", "rest", "null", cpp_three_way([](Arguments& a) { a.arrays.rejected = nullptr; }), {"rejected is null"}},
    {"runtime::three_way_partition ThreeWayPlan::operator()", "first", "null", cpp_three_way([](Arguments& a) { a.arrays.output = nullptr; }), {"output is null"}},
    {"runtime::partition_into_one runtime::three_way_partition runtime::three_way_partition_into_one ThreeWayPlan::operator()", "input", "null", partitioning_apart([](Arguments& a) { a.arrays.input = nullptr; }), {"input is null, and n is 1000"}},
    {"runtime::partition_into_one runtime::three_way_partition_into_one", "output", "null", partitioning_apart([](Arguments& a) { a.arrays.output = nullptr; }), {"output is null"}},
    {"scantune_selection_arrays runtime::partition_into_one runtime::three_way_partition_into_one", "output", "the input, where items are written behind the kept ones or of three parts", partitioning_apart([](Arguments& a) { a.arrays.output = address(kInput); }), {"input [0x1000000, +4000 bytes) and output [0x1000000, +4000 bytes) overlap: they must lie apart"}},
    {"scantune_selection_arrays runtime::partition_into_one", "count", "null", partitioning_apart([](Arguments& a) { a.arrays.count = nullptr; }), {"count is null"}},
    {"scantune_selection_arrays", "count", "of three parts, before the input", c_arrays([](Arguments& a) { a.arrays.count = count_at(kInput - 8); }, of_three), {"input [0x1000000, +4000 bytes) and count [0xfffff8, +16 bytes) overlap: they must lie apart"}},
    {"runtime::three_way_partition runtime::three_way_partition_into_one ThreeWayPlan::operator()", "counts", "null", both(cpp_three_way([](Arguments& a) { a.arrays.count = nullptr; }), cpp_into_one([](Arguments& a) { a.arrays.count = nullptr; })), {"count is null"}},

    // Functions of selections.
    {"scantune_select scantune_select_plan_create", "selection", "null", {[](Arguments& a) { return of_c(scantune_select(nullptr, &a.arrays, nullptr)); }, [](Arguments&) { scantune_plan* plan = nullptr; return of_c(scantune_select_plan_create(nullptr, &plan)); }}, {"selection is NULL"}},
    {"scantune_select scantune_plan_run_select scantune_plan_run_select_in", "arrays", "null", {[](Arguments& a) { return of_c(scantune_select(&a.selection, nullptr, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_select(select_plan(a).get(), nullptr, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_select_in(select_plan(a).get(), nullptr, nullptr, 0, nullptr)); }}, {"arrays is NULL"}},
    {"scantune_select_plan_create", "plan", "null", {[](Arguments& a) { return of_c(scantune_select_plan_create(&a.selection, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_select scantune_plan_run_select_in", "plan", "null", {[](Arguments& a) { return of_c(scantune_plan_run_select(nullptr, &a.arrays, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_select_in(nullptr, &a.arrays, nullptr, 0, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_select", "plan", "of a scan or a reduction", {[](Arguments& a) { return of_c(scantune_plan_run_select(made_plan(a, scantune_plan_create).get(), &a.arrays, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_select(made_plan(a, scantune_reduce_plan_create).get(), &a.arrays, nullptr)); }}, {"the plan is of no selection: run it by scantune_plan_run(), or make one by scantune_select_plan_create()"}},
    {"scantune_plan_run_select", "plan", "with an index", {[](Arguments& a) { a.problem.op = SCANTUNE_MAX; return of_c(scantune_plan_run_select(made_plan(a, scantune_arg_reduce_plan_create).get(), &a.arrays, nullptr)); }}, {"run it by scantune_plan_run_arg()"}},
    {"scantune_plan_run_select_in", "plan", "of a scan", {[](Arguments& a) { return of_c(scantune_plan_run_select_in(made_plan(a, scantune_plan_create).get(), &a.arrays, nullptr, 0, nullptr)); }}, {"run it by scantune_plan_run_in()"}},
    {"scantune_plan_run scantune_plan_run_arg", "plan", "of a selection", {[](Arguments& a) { return of_c(scantune_plan_run(select_plan(a).get(), a.in(), a.out(), nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_arg(select_plan(a).get(), a.in(), a.out(), a.at(), nullptr)); }}, {"the plan is of a selection: run it by scantune_plan_run_select()"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in", "plan", "of a selection", {[](Arguments& a) { return of_c(scantune_plan_run_in(select_plan(a).get(), a.in(), a.out(), nullptr, 0, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_arg_in(select_plan(a).get(), a.in(), a.out(), a.at(), nullptr, 0, nullptr)); }}, {"run it by scantune_plan_run_select_in()"}},
    {"scantune_plan_run_select_in SelectPlan::operator() FlaggedPlan::operator() UniqueByKeyPlan::operator() IndicesPlan::operator() PartitionPlan::operator() ThreeWayPlan::operator()", "workspace", "null", selecting_in_workspace([](Arguments& a) { a.workspace = 0; }), {"workspace is null, and one run needs "}},
    {"scantune_plan_run_select_in SelectPlan::operator() FlaggedPlan::operator() UniqueByKeyPlan::operator() IndicesPlan::operator() PartitionPlan::operator() ThreeWayPlan::operator()", "workspace", "misaligned", selecting_in_workspace([](Arguments& a) { a.workspace += 128; }), {"workspace is 0xd000080, which is not a multiple of 256 bytes"}},
    {"scantune_plan_run_select_in SelectPlan::operator() FlaggedPlan::operator() UniqueByKeyPlan::operator() IndicesPlan::operator() PartitionPlan::operator() ThreeWayPlan::operator()", "workspace", "in the input", selecting_in_workspace([](Arguments& a) { a.workspace = reinterpret_cast<std::uintptr_t>(a.arrays.input) + 4096; }), {" and input [0x11000000000, +4194304 bytes) overlap: they must lie apart"}},
    {"scantune_plan_run_select_in", "workspace_bytes", "too few", selecting_in_workspace([](Arguments& a) { a.workspace_bytes = 100; }), {"workspace_bytes is 100, and one run needs "}},
    {"scantune_select SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "stream", "of another context", selecting_without_plan([](Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: ", "another context"}},
    {"scantune_select SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "stream", "captured, of an unknown problem", selecting_without_plan([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"being captured", "make a plan before"}},
    {"scantune_selection_arrays", "input", "memory of the host", selecting_without_plan([](Arguments& a) { a.arrays.input = address(kHost); }), {"input: ", "memory of the host"}},
    {"scantune_selection_arrays", "count", "memory of the host", selecting_without_plan([](Arguments& a) { a.arrays.count = count_at(kHost); }), {"count: ", "memory of the host"}},
    {"scantune_plan_run_select SelectPlan::operator() FlaggedPlan::operator() UniqueByKeyPlan::operator() IndicesPlan::operator() PartitionPlan::operator() ThreeWayPlan::operator()", "stream", "of another context, beside an overlap", all_of({selecting([](Arguments& a) { a.arrays.count = count_at(kInput + 8); a.device->streams.at(a.stream).problem = "it belongs to another context"; }), partitioning_apart([](Arguments& a) { a.arrays.count = count_at(kInput + 8); a.device->streams.at(a.stream).problem = "it belongs to another context"; }), selecting_indices([](Arguments& a) { a.arrays.count = count_at(kInput + 8); a.device->streams.at(a.stream).problem = "it belongs to another context"; })}), {"stream: it belongs to another context"}},
    {"scantune_plan_run_select_in", "stream", "of another context, beside an overlap", selecting_in_workspace([](Arguments& a) { a.arrays.count = static_cast<std::uint64_t*>(a.arrays.indices); a.arrays.output = const_cast<char*>(static_cast<const char*>(a.arrays.input)) + 4; a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: it belongs to another context"}},

    // Options of selections.
    {"SelectOptions", "predicate", "left out, of structs", select_options<Affine>({}), {"items of a custom type have no order", "predicate of your own"}},
    {"UniqueOptions", "equality", "left out, of structs", unique_options<Affine>({}), {"items of a custom type cannot be compared", "equal() of your own"}},
    {"Predicate::source", "source", "empty", select_options({.predicate = runtime::Predicate::source("")}), {"source is empty", "bool keep(Value)"}},
    {"Predicate::source", "source", "with a null character", {cpp([](Arguments&) { runtime::Predicate::source(kWithNull); }), cpp([](Arguments&) { runtime::Predicate::source(kWithNull, 1); })}, {"the source of a selection", "null character at position 6"}},
    {"Equality::source", "source", "empty", unique_options({.equality = runtime::Equality::source("")}), {"source is empty", "bool equal(Value, Value)"}},
    {"Equality::source", "source", "with a null character", {cpp([](Arguments&) { runtime::Equality::source(kWithNull); }), cpp([](Arguments&) { runtime::Equality::source(kWithNull, 1); })}, {"the source of a selection", "null character at position 6"}},
    {"Parts::source", "source", "empty", three_way_options({.parts = runtime::Parts::source("")}), {"source is empty", "int part(Value)"}},
    {"Parts::source", "source", "with a null character", {cpp([](Arguments&) { runtime::Parts::source(kWithNull); }), cpp([](Arguments&) { runtime::Parts::source(kWithNull, 1); })}, {"the source of a selection", "null character at position 6"}},
    {"Parts::around", "pivot", "wider than an item", {cpp([](Arguments&) { runtime::three_way_partition_plan<std::uint8_t>(kItems, {.parts = runtime::Parts::around(256)}); })}, {"the pivot is 256, and an item, u8, holds 0 to 255: pass a pivot that it holds"}},
    {"ThreeWayOptions", "parts", "a pivot among structs, in C", c_selection([](auto& s) { s.type = SCANTUNE_CUSTOM_TYPE; s.item_bytes = 8; s.item_alignment = 4; }, of_three), {"items of a custom type have no order"}},
    {"runtime::three_way_partition runtime::three_way_partition_plan runtime::three_way_partition_into_one runtime::three_way_partition_into_one_plan", "n", "more items than an address space", three_way_options(kAround, ~u64{0}), {"more items than fit"}},
    {"runtime::partition_into_one runtime::partition_into_one_plan", "n", "more items than an address space", {cpp([](Arguments& a) { runtime::partition_into_one(static_cast<const int*>(a.in()), static_cast<int*>(a.out()), count_at(kCount), ~u64{0}); }), cpp([](Arguments&) { runtime::partition_into_one_plan<int>(~u64{0}); })}, {"more items than fit"}},
    {"Predicate::less Predicate::less_equal Predicate::greater Predicate::greater_equal Predicate::equal Predicate::not_equal", "constant", "wider than an item", compared<std::uint8_t>(256), {"the predicate's constant is 256, and an item, u8, holds 0 to 255: pass a constant that it holds"}},
    {"Predicate::less Predicate::less_equal Predicate::greater Predicate::greater_equal Predicate::equal Predicate::not_equal", "constant", "negative, of unsigned items", compared<unsigned>(-1), {"the predicate's constant is -1, and an item, u32, holds 0 to 4294967295"}},
    {"Predicate::less Predicate::less_equal Predicate::greater Predicate::greater_equal Predicate::equal Predicate::not_equal", "constant", "an integer that a float rounds", compared<float>((1 << 24) + 1), {"constant is 16777217, and an item, f32, holds integers of 24 bits"}},
    {"Predicate::less Predicate::less_equal Predicate::greater Predicate::greater_equal Predicate::equal Predicate::not_equal", "constant", "a double that a float would turn into infinity", compared<float>(1e300), {"constant is 1e+300, and an item, f32, holds numbers up to 3.40282e+38"}},
    {"Predicate::less Predicate::less_equal Predicate::greater Predicate::greater_equal Predicate::equal Predicate::not_equal", "constant", "a number that a half would turn into infinity", compared<runtime::f16>(65520), {"constant is 65520, and an item, f16, holds numbers up to 65504"}},
    {"Predicate::less Predicate::less_equal Predicate::greater Predicate::greater_equal Predicate::equal Predicate::not_equal", "constant", "an integer that a half rounds", compared<runtime::bf16>(257), {"constant is 257, and an item, bf16, holds integers of 8 bits"}},
    {"Predicate::less Predicate::less_equal Predicate::greater Predicate::greater_equal Predicate::equal Predicate::not_equal", "constant", "an integer that becomes one of few bits as a double", compared<runtime::bf16>(-(std::int64_t{1} << 53) - 1), {"constant is -9007199254740993, and an item, bf16, holds integers of 8 bits"}},
    {"runtime::select runtime::select_indices runtime::partition runtime::select_plan runtime::select_indices_plan runtime::partition_plan", "n", "more items than an address space", select_options({}, ~u64{0}), {"more items than fit"}},
    {"runtime::select_flagged runtime::select_flagged_plan runtime::unique_consecutive runtime::unique_consecutive_plan runtime::unique_by_key runtime::unique_by_key_plan", "n", "more items than an address space", both(flagged_options({}, ~u64{0}), unique_options({}, ~u64{0})), {"more items than fit"}},
    {"runtime::select_indices runtime::select_indices_plan", "n", "more items than an index counts", {cpp([](Arguments&) { runtime::select_indices_plan<int, int>((u64{1} << 31) + 1); })}, {"more items than index_type has indices for"}},
    {"SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "forward_progress", "no forward progress", options_of_selections({.forward_progress = static_cast<runtime::ForwardProgress>(9)}), {"forward_progress is 9"}},
    {"SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "latency", "no latency", options_of_selections({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "captured_launches", "negative", options_of_selections({.captured_launches = -1}), {"captured_launches is -1"}},
    {"SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "config", "with a null character", options_of_selections({.config = kWithNull}), {"config holds a null character"}},
    {"SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "config", "of a scan's family", options_of_selections({.config = "{\"family\": \"lookback\"}"}), {"config.family must name a family of select", "found \"lookback\""}},
};
// clang-format on

class BadSelections : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadSelections, AreRefusedWithTheirNameBeforeAnythingIsLaunchedOrAllocated) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadSelections, ::testing::ValuesIn(kBadSelections));

TEST(SpoiledSelections, AreRightUntilARowSpoilsThem) {
  expect_right({c_selection([](auto&) {}), c_selection([](auto&) {}, of_flags), c_selection([](auto&) {}, of_both),
                c_selection([](auto&) {}, of_indices), c_selection([](auto&) {}, of_three),
                c_selection([](auto&) {}, of_behind), partitioning_apart([](Arguments&) {}), three_way_options(kAround),
                c_selection([](auto&) {}, of_source), selecting([](Arguments&) {}),
                selecting_indices([](Arguments&) {}), selecting_without_plan([](Arguments&) {}),
                selecting_in_workspace([](Arguments&) {}), select_options({}), flagged_options({}), unique_options({}),
                options_of_selections({}), compared<runtime::f16>(3)});
}

}  // namespace
}  // namespace scantune::testing
