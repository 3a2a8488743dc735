// Wrong arguments of selections and partitions, in C and in C++, and the message about each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

std::uint64_t* count_at(std::uintptr_t where) { return static_cast<std::uint64_t*>(address(where)); }

void of_selection(Arguments& with) {
  with.request = &with.select.head;
  with.count = kCount;
}

// For functions of C++, of which each takes those that it has.
void give_all(Arguments& with) {
  of_selection(with);
  with.flags = kFlags;
  with.values = kValues;
  with.values_output = kValuesOutput;
  with.position = kIndex;
  with.rejected = kRejected;
  with.second = kSecond;
}

// Flagged items, with their values and indices.
void of_flags(Arguments& with) {
  give_all(with);
  with.rejected = with.second = 0;
  with.select.criterion = SCANTUNE_FLAGGED;
  with.select.constant = nullptr;
  with.select.value_type = SCANTUNE_F32;
  with.select.selected = SCANTUNE_SELECTED_ITEMS_AND_INDICES;
}

void of_indices(Arguments& with) {
  of_selection(with);
  with.select.selected = SCANTUNE_SELECTED_INDICES;
}

void of_both(Arguments& with) {
  of_selection(with);
  with.select.rejected = SCANTUNE_APART;
  with.rejected = kRejected;
}

void of_behind(Arguments& with) {
  of_selection(with);
  with.select.rejected = SCANTUNE_AFTER;
}

int kPivot = 7;

// Three parts apart.
void of_three(Arguments& with) {
  of_both(with);
  with.select.criterion = SCANTUNE_AROUND;
  with.select.constant = &kPivot;
  with.second = kSecond;
}

void of_source(Arguments& with) {
  of_selection(with);
  with.select.criterion = SCANTUNE_PREDICATE;
  with.select.constant = nullptr;
  with.select.function = &with.function;
}

// Calls with a wrong selection, or with a wrong function of one.
Calls c_selection(const std::function<void(scantune_select_request&)>& spoil, const Spoil& prepare = of_selection) {
  return c_request([=](Arguments& with) { spoil(with.select); }, prepare);
}
Calls c_function(const std::function<void(scantune_function&)>& spoil) {
  return c_request([=](Arguments& with) { spoil(with.function); }, of_source);
}

// Calls with all arrays, of which one is spoiled.
template <class Now, class Make, class Run>
Calls selections(const Spoil& spoil, const Now& now, const Make& make, const Run& run) {
  return now_and_by_plan(spoil, now, make, run, give_all);
}

Calls cpp_select(const Spoil& spoil) {
  return selections(
      spoil, [](Arguments& a) { runtime::select(a.in(), a.out(), a.counts(), kItems, {.stream = a.stream}); },
      [] { return runtime::select_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.counts(), a.stream); });
}

Calls cpp_flagged(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        runtime::select_flagged(a.in(), a.flagged(), a.out(), a.counts(), kItems, {.stream = a.stream});
      },
      [] { return runtime::select_flagged_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.flagged(), a.out(), a.counts(), a.stream); });
}

Calls cpp_unique(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) { runtime::unique_consecutive(a.in(), a.out(), a.counts(), kItems, {.stream = a.stream}); },
      [] { return runtime::unique_consecutive_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.counts(), a.stream); });
}

Calls cpp_by_key(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        runtime::unique_by_key(a.in(), a.beside(), a.out(), a.beside_out(), a.counts(), kItems, {.stream = a.stream});
      },
      [] { return runtime::unique_by_key_plan<int, float>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.beside(), a.out(), a.beside_out(), a.counts(), a.stream); });
}

std::uint64_t* indices_out(const Arguments& with) { return static_cast<std::uint64_t*>(address(with.output)); }

Calls cpp_indices(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) { runtime::select_indices(a.in(), indices_out(a), a.counts(), kItems, {.stream = a.stream}); },
      [] { return runtime::select_indices_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), indices_out(a), a.counts(), a.stream); });
}

Calls cpp_partition(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) { runtime::partition(a.in(), a.out(), a.rest(), a.counts(), kItems, {.stream = a.stream}); },
      [] { return runtime::partition_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.rest(), a.counts(), a.stream); });
}

const runtime::ThreeWayOptions<int> kAround{.parts = runtime::Parts::around(7)};

Calls cpp_three_way(const Spoil& spoil) {
  return selections(
      spoil,
      [](Arguments& a) {
        auto options = kAround;
        options.stream = a.stream;
        runtime::three_way_partition(a.in(), a.out(), a.middle(), a.rest(), a.counts(), kItems, options);
      },
      [] { return runtime::three_way_partition_plan<int>(kItems, kAround); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.middle(), a.rest(), a.counts(), a.stream); });
}

// Partitions of two and of three parts.
Calls cpp_into_one(const Spoil& spoil) {
  const auto by_plan = [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.counts(), a.stream); };
  Calls calls = selections(
      spoil,
      [](Arguments& a) { runtime::partition_into_one(a.in(), a.out(), a.counts(), kItems, {.stream = a.stream}); },
      [] { return runtime::partition_into_one_plan<int>(kItems); }, by_plan);
  const Calls of_three = selections(
      spoil,
      [](Arguments& a) {
        auto options = kAround;
        options.stream = a.stream;
        runtime::three_way_partition_into_one(a.in(), a.out(), a.counts(), kItems, options);
      },
      [] { return runtime::three_way_partition_into_one_plan<int>(kItems, kAround); }, by_plan);
  calls.insert(calls.end(), of_three.begin(), of_three.end());
  return calls;
}

Calls three_way_options(const runtime::ThreeWayOptions<int>& wrong, u64 n = kItems) {
  const auto in = [](Arguments& with) { return with.in(); };
  const auto out = [](Arguments& with) { return with.out(); };
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
  return all_of({c_arrays(spoil, of_selection), c_arrays(spoil, of_flags), c_arrays(spoil, of_both), cpp_select(spoil),
                 cpp_flagged(spoil), cpp_unique(spoil), cpp_by_key(spoil), cpp_partition(spoil)});
}

// Those whose output lies apart from the input.
Calls partitioning_apart(const Spoil& spoil) {
  return all_of({c_arrays(spoil, of_behind), c_arrays(spoil, of_three), cpp_three_way(spoil), cpp_into_one(spoil)});
}

Calls selecting_indices(const Spoil& spoil) { return all_of({c_arrays(spoil, of_indices), cpp_indices(spoil)}); }

// Those that ask the driver about memory and stream.
Calls selecting_without_plan(const Spoil& spoil) {
  return {spoiled(after(of_selection, spoil), c_run),
          spoiled(after(of_flags, spoil), c_run),
          cpp_select(spoil)[0],
          cpp_flagged(spoil)[0],
          cpp_unique(spoil)[0],
          cpp_by_key(spoil)[0],
          cpp_indices(spoil)[0],
          cpp_partition(spoil)[0],
          cpp_three_way(spoil)[0],
          cpp_into_one(spoil)[0]};
}

// Runs of plans in a workspace that they need.
Calls selecting_in_workspace(const Spoil& spoil) {
  const auto run = [=](const auto& make, const auto& call) { return cpp_in_workspace(spoil, give_all, make, call); };
  return {
      c_plan_run_in(spoil, after(of_flags, far_away)),
      run([] { return runtime::select_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.counts(), a.room(), a.stream); }),
      run([] { return runtime::select_flagged_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(a.in(), a.flagged(), a.out(), a.counts(), a.room(), a.stream); }),
      run([] { return runtime::unique_by_key_plan<int, float>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) {
            plan(a.in(), a.beside(), a.out(), a.beside_out(), a.counts(), a.room(), a.stream);
          }),
      run([] { return runtime::select_indices_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(a.in(), indices_out(a), a.counts(), a.room(), a.stream); }),
      run([] { return runtime::partition_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.rest(), a.counts(), a.room(), a.stream); }),
      run([] { return runtime::partition_into_one_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.counts(), a.room(), a.stream); }),
      run(
          [] {
            return runtime::three_way_partition_plan<int>(kTiles,
                                                          {.parts = runtime::Parts::around(7), .captured_launches = 0});
          },
          [](const auto& plan, Arguments& a) {
            plan(a.in(), a.out(), a.middle(), a.rest(), a.counts(), a.room(), a.stream);
          })};
}

template <class T = int>
Calls select_options(const runtime::SelectOptions<T>& wrong, u64 n = kItems) {
  const auto in = [](Arguments& with) { return static_cast<const T*>(address(with.input)); };
  const auto out = [](Arguments& with) { return static_cast<T*>(address(with.output)); };
  return {
      cpp([=](Arguments& with) { runtime::select(in(with), out(with), count_at(kCount), n, wrong); }),
      cpp([=](Arguments& with) { runtime::select_indices(in(with), indices_out(with), count_at(kCount), n, wrong); }),
      cpp([=](Arguments& with) {
        runtime::partition(in(with), out(with), static_cast<T*>(address(kRejected)), count_at(kCount), n, wrong);
      }),
      cpp([=](Arguments&) { runtime::select_plan<T>(n, wrong); }),
      cpp([=](Arguments&) { runtime::select_indices_plan<T>(n, wrong); }),
      cpp([=](Arguments&) { runtime::partition_plan<T>(n, wrong); })};
}

Calls flagged_options(const runtime::FlaggedOptions& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::select_flagged(with.in(), static_cast<const bool*>(address(kFlags)), with.out(), count_at(kCount),
                                    n, wrong);
          }),
          cpp([=](Arguments&) { runtime::select_flagged_plan<int>(n, wrong); })};
}

template <class T = int>
Calls unique_options(const runtime::UniqueOptions& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::unique_consecutive(static_cast<const T*>(address(with.input)),
                                        static_cast<T*>(address(with.output)), count_at(kCount), n, wrong);
          }),
          cpp([=](Arguments& with) {
            runtime::unique_by_key(static_cast<const T*>(address(with.input)),
                                   static_cast<const float*>(address(kValues)), static_cast<T*>(address(with.output)),
                                   static_cast<float*>(address(kValuesOutput)), count_at(kCount), n, wrong);
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
    {"scantune_head", "struct_bytes", "left out", c_selection([](auto& s) { s.head.struct_bytes = 0; }), {"struct_bytes is 0", "scantune_select_request", "SCANTUNE_SELECT_REQUEST_INIT"}},
    {"scantune_head", "n", "more items than an address space", c_selection([](auto& s) { s.head.n = ~u64{0}; }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_head", "n", "more items than a grid can have", {spoiled([](Arguments& a) { of_selection(a); a.select.head.n = u64{1} << 50; a.output = std::uintptr_t{1} << 60; a.count = std::uintptr_t{1} << 61; }, c_run)}, {"more tiles than a grid"}},
    {"scantune_select_request", "input_type", "left out", c_selection([](auto& s) { s.input_type = SCANTUNE_DEFAULT_TYPE; }), {"input_type is 0", "scantune_type"}},
    {"scantune_select_request", "input_type", "no type", c_selection([](auto& s) { write(s.input_type, 14); }), {"input_type is 14", "1 to 13"}},
    {"scantune_select_request", "custom_bytes", "of a built-in type", c_selection([](auto& s) { s.custom_bytes = 4; }), {"custom_bytes is 4", "must be 0"}},
    {"scantune_select_request", "custom_bytes", "of a custom type, none", c_selection([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_alignment = 4; }), {"custom_bytes is 0", "1 to 32"}},
    {"scantune_select_request", "custom_bytes", "too many", c_selection([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = 33; s.custom_alignment = 1; }), {"custom_bytes is 33"}},
    {"scantune_select_request", "custom_alignment", "of a built-in type", c_selection([](auto& s) { s.custom_alignment = 4; }), {"custom_alignment is 4", "must be 0"}},
    {"scantune_select_request", "custom_alignment", "that does not divide the size", c_selection([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = 12; s.custom_alignment = 8; }), {"custom_alignment is 8", "divide custom_bytes, which is 12"}},
    {"scantune_select_request", "custom_alignment", "none", c_selection([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = 12; }), {"custom_alignment is 0", "1, 2, 4, 8 or 16"}},
    {"scantune_select_request", "index_type", "no type", c_selection([](auto& s) { write(s.index_type, 99); }), {"index_type is 99"}},
    {"scantune_select_request", "index_type", "a floating-point type", c_selection([](auto& s) { s.index_type = SCANTUNE_F32; }), {"indices are integers of 4 or 8 bytes: i32, i64, u32 or u64"}},
    {"scantune_select_request", "index_type", "a struct", c_selection([](auto& s) { s.index_type = SCANTUNE_CUSTOM_TYPE; }, of_indices), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_select_request", "index_type", "without indices", c_selection([](auto& s) { s.index_type = SCANTUNE_U32; }), {"index_type is for selections that write indices: leave it out"}},
    {"scantune_select_request", "index_type", "too narrow", c_selection([](auto& s) { s.index_type = SCANTUNE_U16; }), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_select_request", "index_type", "with fewer indices than items", c_selection([](auto& s) { s.head.n = (u64{1} << 31) + 1; s.selected = SCANTUNE_SELECTED_INDICES; s.index_type = SCANTUNE_I32; }), {"more items than index_type has indices for"}},
    {"scantune_select_request", "criterion", "no criterion", c_selection([](auto& s) { write(s.criterion, 12); }), {"criterion is 12", "scantune_criterion", "0 to 11"}},
    {"scantune_select_request", "criterion", "a pivot among structs", c_selection([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = 12; s.custom_alignment = 4; }, of_three), {"items of a custom type have no order", "part() of your own"}},
    {"scantune_select_request", "criterion", "of three parts, of which one is dropped", c_selection([](auto& s) { s.rejected = SCANTUNE_DROPPED; }, of_three), {"all of three parts are written", "apart or behind"}},
    {"scantune_select_request", "criterion", "an order of structs", c_selection([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = 12; s.custom_alignment = 4; }), {"items of a custom type have no order", "predicate of your own"}},
    {"scantune_select_request", "criterion", "equality of structs", c_selection([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = 12; s.custom_alignment = 4; s.criterion = SCANTUNE_UNIQUE; s.constant = nullptr; }), {"items of a custom type cannot be compared", "equal() of your own"}},
    {"scantune_select_request", "selected", "no choice", c_selection([](auto& s) { write(s.selected, 3); }), {"selected is 3", "scantune_selected", "0 to 2"}},
    {"scantune_select_request", "rejected", "no choice", c_selection([](auto& s) { write(s.rejected, -1); }), {"rejected is -1", "scantune_rejected"}},
    {"scantune_select_request", "rejected", "behind indices", c_selection([](auto& s) { s.rejected = SCANTUNE_AFTER; s.selected = SCANTUNE_SELECTED_INDICES; }), {"ask for items too"}},
    {"scantune_select_request", "rejected", "apart, of indices", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.selected = SCANTUNE_SELECTED_INDICES; }), {"ask for items too"}},
    {"scantune_select_request", "rejected", "apart, beside indices", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.selected = SCANTUNE_SELECTED_ITEMS_AND_INDICES; }), {"ask for neither values nor indices"}},
    {"scantune_select_request", "rejected", "apart, beside values", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.value_type = SCANTUNE_U32; }), {"ask for neither values nor indices"}},
    {"scantune_select_request", "value_type", "no type", c_selection([](auto& s) { write(s.value_type, 14); }), {"value_type is 14", "1 to 13"}},
    {"scantune_select_request", "value_type", "a struct", c_selection([](auto& s) { s.value_type = SCANTUNE_CUSTOM_TYPE; }), {"value_type is SCANTUNE_CUSTOM_TYPE", "1, 2, 4 or 8", "name the integer"}},
    {"scantune_head", "forward_progress", "no forward progress", c_selection([](auto& s) { write(s.head.forward_progress, 2); }), {"forward_progress is 2"}},
    {"scantune_head", "latency", "no latency", c_selection([](auto& s) { write(s.head.latency, 2); }), {"latency is 2"}},
    {"scantune_select_request", "constant", "left out", c_selection([](auto& s) { s.constant = nullptr; }), {"constant is NULL, and criterion is SCANTUNE_LESS", "point it to"}},
    {"scantune_select_request", "constant", "of a criterion without one, FLAGGED", c_selection([](auto& s) { s.criterion = SCANTUNE_FLAGGED; }), {"constant is given, and criterion is SCANTUNE_FLAGGED", "leave it NULL"}},
    {"scantune_select_request", "constant", "of a criterion without one, UNIQUE", c_selection([](auto& s) { s.criterion = SCANTUNE_UNIQUE; }), {"constant is given, and criterion is SCANTUNE_UNIQUE", "leave it NULL"}},
    {"scantune_select_request", "constant", "beside a source", c_selection([](auto& s) { s.constant = &s; }, of_source), {"constant is given, and criterion is SCANTUNE_PREDICATE"}},
    {"scantune_function", "source", "left out", c_function([](auto& f) { f.source = nullptr; }), {"function->source is NULL; it must define bool keep(Value)"}},
    {"scantune_function", "role", "of another criterion", both(c_selection([](auto& s) { s.criterion = SCANTUNE_UNIQUE_BY; }, of_source), c_function([](auto& f) { f.role = SCANTUNE_FUNCTION_PART; })), {"function->role is SCANTUNE_FUNCTION_", "it must be one that function takes: SCANTUNE_FUNCTION_"}},
    {"scantune_function", "identity", "of a predicate", c_function([](auto& f) { f.identity = &f; }), {"function->identity is set, and only an operator has one"}},
    {"scantune_function", "identity_type", "of a predicate", c_function([](auto& f) { f.identity_type = SCANTUNE_I32; }), {"function->identity_type is set"}},
    {"scantune_function", "cost", "of a predicate", c_function([](auto& f) { f.cost = SCANTUNE_CHEAP; }), {"function->cost is set"}},
    {"scantune_function", "name", "of a predicate", c_function([](auto& f) { f.name = "even"; }), {"function->name is set"}},
    {"scantune_select_request", "spare", "not 0", c_selection([](auto& s) { s.spare = 3; }), {"spare is 3", "must be 0"}},
    {"scantune_select_request", "count_type", "too narrow", c_selection([](auto& s) { s.count_type = SCANTUNE_U32; }), {"count_type is u32; it must be SCANTUNE_U64 or SCANTUNE_I64", "8 bytes"}},
    {"scantune_select_request", "function", "left out, of neighbours", c_selection([](auto& s) { s.function = nullptr; s.criterion = SCANTUNE_UNIQUE_BY; }, of_source), {"function is NULL, and criterion is SCANTUNE_UNIQUE_BY: point it to the function"}},
    {"scantune_select_request", "function", "left out, of parts", c_selection([](auto& s) { s.function = nullptr; s.criterion = SCANTUNE_PARTS; s.rejected = SCANTUNE_AFTER; }, of_source), {"function is NULL, and criterion is SCANTUNE_PARTS"}},
    {"scantune_function", "source", "empty", c_function([](auto& f) { f.source = ""; }), {"function->source is empty"}},
    {"scantune_select_request", "function", "of a criterion without one", c_request([](Arguments& a) { a.select.function = &a.function; }, of_selection), {"function is given, and criterion is SCANTUNE_LESS", "leave it NULL"}},
    {"scantune_function", "state", "left out", c_function([](auto& f) { f.state_bytes = 8; }), {"function->state is NULL, and state_bytes is 8"}},
    {"scantune_function", "state_bytes", "left out", c_function([](auto& f) { f.state = &f; }), {"function->state_bytes is 0, and state is given"}},
    {"scantune_function", "state_bytes", "too many", c_function([](auto& f) { f.state = &f; f.state_bytes = 33; }), {"function->state_bytes is 33", "at most 32", "memory of the device"}},
    {"scantune_head", "captured_launches", "negative", c_selection([](auto& s) { s.head.captured_launches = -1; }), {"captured_launches is -1", "between 0 and"}},
    {"scantune_head", "captured_launches", "negative, of no items", c_selection([](auto& s) { s.head.n = 0; s.head.captured_launches = -1; }), {"captured_launches is -1"}},
    {"scantune_head", "config", "empty", c_selection([](auto& s) { s.head.config = ""; }), {"config is empty", "NULL to have one chosen"}},
    {"scantune_head", "config", "of a scan's family", c_selection([](auto& s) { s.head.config = "{\"family\": \"lookback\"}"; }), {"config.family must name a family of select", "found \"lookback\""}},
    {"scantune_head", "config", "that is not legal", c_selection([](auto& s) { s.head.config = "{\"family\": \"select_lookback\", \"block_threads\": 0}"; }), {"config: select_lookback{block_threads=0", "cannot run"}},
    {"scantune_head", "config", "that is not legal, of no items", c_selection([](auto& s) { s.head.n = 0; s.head.config = "{\"family\": \"select_lookback\", \"block_threads\": 0}"; }), {"config: select_lookback{block_threads=0"}},

    {"runtime::select runtime::select_flagged runtime::unique_consecutive runtime::partition", "input", "null", selecting([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1000"}},
    {"runtime::unique_by_key", "keys", "null", cpp_by_key([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1000"}},
    {"runtime::select_indices", "input", "null", selecting_indices([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1000"}},
    {"runtime::select runtime::select_flagged runtime::unique_consecutive runtime::partition", "input", "misaligned", selecting([](Arguments& a) { a.input = kInput + 2; }), {"input is 0x1000002", "multiple of the 4 bytes"}},
    {"runtime::select runtime::select_flagged runtime::unique_consecutive", "output", "null", selecting([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"runtime::unique_by_key", "keys_output", "null", cpp_by_key([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"runtime::partition", "kept", "null", cpp_partition([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"scantune_arrays", "of", "misaligned", selecting([](Arguments& a) { a.output = kOutput + 1; }), {"output is 0x9000001"}},
    {"scantune_arrays", "of", "behind the start of the input", selecting([](Arguments& a) { a.output = kInput + 4; }), {"input [0x1000000, +4000 bytes) and output [0x1000004", "overlap: they must be the same range or lie apart"}},
    {"scantune_arrays", "of", "at the end of memory", selecting([](Arguments& a) { a.output = kEnd - 4 * kItems + 5; }), {"output", "end of the address space"}},
    {"scantune_arrays", "of", "a place of its own for indices alone", c_arrays([](Arguments& a) { a.position = kIndex; }, of_indices), {"position is given, and the request has input, indices (SCANTUNE_OUTPUT) and count alone: leave SCANTUNE_POSITION NULL"}},
    {"runtime::select runtime::select_flagged runtime::unique_consecutive runtime::partition", "count", "null", selecting([](Arguments& a) { a.count = 0; }), {"count is null"}},
    {"runtime::unique_by_key runtime::select_indices", "count", "null", both(selecting_indices([](Arguments& a) { a.count = 0; }), cpp_by_key([](Arguments& a) { a.count = 0; })), {"count is null"}},
    {"scantune_arrays", "of", "null, of indices alone", c_arrays([](Arguments& a) { a.output = 0; }, of_indices), {"indices (the output) is null, and n is 1000: pass memory of the device"}},
    {"scantune_arrays", "of", "null, of no items", c_arrays([](Arguments& a) { a.count = 0; }, after(of_selection, [](Arguments& a) { a.select.head.n = 0; })), {"count is null, and n is 0"}},
    {"scantune_arrays", "of", "misaligned", selecting([](Arguments& a) { a.count = kCount + 4; }), {"count is 0x6000004", "multiple of the 8 bytes"}},
    {"scantune_arrays", "of", "in the output", selecting([](Arguments& a) { a.count = kOutput + 8; }), {"count [0x9000008, +8 bytes)", "output [0x9000000, +4000 bytes)", "overlap: they must lie apart"}},
    {"scantune_arrays", "of", "in the input", selecting([](Arguments& a) { a.count = kInput + 8; }), {"input [0x1000000, +4000 bytes) and count [0x1000008, +8 bytes) overlap: they must lie apart"}},
    {"runtime::select_flagged", "flags", "null", both(c_arrays([](Arguments& a) { a.flags = 0; }, of_flags), cpp_flagged([](Arguments& a) { a.flags = 0; })), {"flags is null"}},
    {"runtime::select_flagged", "flags", "in the output", both(c_arrays([](Arguments& a) { a.flags = kOutput + 8; }, of_flags), cpp_flagged([](Arguments& a) { a.flags = kOutput + 8; })), {"flags [0x9000008, +1000 bytes)", "overlap: they must lie apart"}},
    {"scantune_arrays", "of", "of another criterion", c_arrays([](Arguments& a) { a.flags = kFlags; }, of_selection), {"flags is given, and the request has ", "leave SCANTUNE_FLAGS NULL"}},
    {"runtime::unique_by_key", "values", "null", both(c_arrays([](Arguments& a) { a.values = 0; }, of_flags), cpp_by_key([](Arguments& a) { a.values = 0; })), {"values is null"}},
    {"runtime::unique_by_key", "values", "misaligned", both(c_arrays([](Arguments& a) { a.values = kValues + 2; }, of_flags), cpp_by_key([](Arguments& a) { a.values = kValues + 2; })), {"values is 0x3000002"}},
    {"scantune_arrays", "of", "of a selection without values", c_arrays([](Arguments& a) { a.values = kValues; }, of_selection), {"values is given, and the request has ", "leave SCANTUNE_VALUES NULL"}},
    {"runtime::unique_by_key", "values_output", "null", both(c_arrays([](Arguments& a) { a.values_output = 0; }, of_flags), cpp_by_key([](Arguments& a) { a.values_output = 0; })), {"values_output is null"}},
    {"runtime::unique_by_key", "values_output", "misaligned", both(c_arrays([](Arguments& a) { a.values_output = kValuesOutput + 2; }, of_flags), cpp_by_key([](Arguments& a) { a.values_output = kValuesOutput + 2; })), {"values_output is 0x4000002"}},
    {"scantune_arrays", "of", "of a selection without values", c_arrays([](Arguments& a) { a.values_output = kValues; }, of_selection), {"values_output is given, and the request has ", "leave SCANTUNE_VALUES_OUTPUT NULL"}},
    {"runtime::unique_by_key", "values_output", "the values", both(c_arrays([](Arguments& a) { a.values_output = kValues; }, of_flags), cpp_by_key([](Arguments& a) { a.values_output = kValues; })), {"values [0x3000000, +4000 bytes) and values_output [0x3000000", "must lie apart"}},
    {"runtime::select_indices", "indices", "null", selecting_indices([](Arguments& a) { a.output = 0; }), {"indices (the ", ") is null"}},
    {"runtime::select_indices", "indices", "misaligned", selecting_indices([](Arguments& a) { a.output = kOutput + 4; }), {"indices is 0x9000004", "multiple of the 8 bytes"}},
    {"runtime::select_indices", "indices", "the input", selecting_indices([](Arguments& a) { a.output = kInput; }), {"input [0x1000000, +4000 bytes) and indices [0x1000000, +8000 bytes) overlap: they must lie apart"}},
    {"runtime::select_indices", "indices", "in the input", selecting_indices([](Arguments& a) { a.output = kInput + 8; }), {"input [0x1000000, +4000 bytes) and indices [0x1000008", "overlap"}},
    {"scantune_arrays", "of", "the input, beside items", c_arrays([](Arguments& a) { a.position = kInput; }, of_flags), {"input [0x1000000, +4000 bytes) and indices [0x1000000, +8000 bytes) overlap", "must lie apart"}},
    {"scantune_arrays", "of", "null, beside items", c_arrays([](Arguments& a) { a.position = 0; }, of_flags), {"indices (the ", ") is null"}},
    {"scantune_arrays", "of", "of items alone", c_arrays([](Arguments& a) { a.position = kIndex; }, of_selection), {"position is given, and the request has ", "leave SCANTUNE_POSITION NULL"}},
    {"runtime::partition", "rejected", "null", both(c_arrays([](Arguments& a) { a.rejected = 0; }, of_both), cpp_partition([](Arguments& a) { a.rejected = 0; })), {"rejected is null"}},
    {"runtime::partition", "rejected", "the input", both(c_arrays([](Arguments& a) { a.rejected = kInput; }, of_both), cpp_partition([](Arguments& a) { a.rejected = kInput; })), {"input [0x1000000, +4000 bytes) and rejected [0x1000000", "must lie apart"}},
    {"runtime::partition", "rejected", "the output", both(c_arrays([](Arguments& a) { a.rejected = kOutput; }, of_both), cpp_partition([](Arguments& a) { a.rejected = kOutput; })), {"rejected [0x9000000, +4000 bytes)", "must lie apart"}},
    {"scantune_arrays", "of", "dropped", c_arrays([](Arguments& a) { a.rejected = kRejected; }, of_selection), {"rejected is given, and the request has ", "leave SCANTUNE_REJECTED NULL"}},
    {"scantune_arrays", "of", "behind", c_arrays([](Arguments& a) { a.rejected = kRejected; }, of_behind), {"rejected is given, and the request has ", "leave SCANTUNE_REJECTED NULL"}},
    {"scantune_arrays", "of", "of two parts", c_arrays([](Arguments& a) { a.second = kSecond; }, of_both), {"second is given, and the request has ", "leave SCANTUNE_SECOND NULL"}},
    {"runtime::three_way_partition", "second", "null", both(c_arrays([](Arguments& a) { a.second = 0; }, of_three), cpp_three_way([](Arguments& a) { a.second = 0; })), {"second is null"}},
    {"runtime::three_way_partition", "second", "the output", both(c_arrays([](Arguments& a) { a.second = kOutput; }, of_three), cpp_three_way([](Arguments& a) { a.second = kOutput; })), {"second [0x9000000, +4000 bytes)", "must lie apart"}},
    {"runtime::three_way_partition", "rest", "null", cpp_three_way([](Arguments& a) { a.rejected = 0; }), {"rejected is null"}},
    {"runtime::three_way_partition", "first", "null", cpp_three_way([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"runtime::partition_into_one runtime::three_way_partition runtime::three_way_partition_into_one", "input", "null", partitioning_apart([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1000"}},
    {"runtime::partition_into_one runtime::three_way_partition_into_one", "output", "null", partitioning_apart([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"runtime::partition_into_one runtime::three_way_partition_into_one", "output", "the input, where items are written behind the kept ones or of three parts", partitioning_apart([](Arguments& a) { a.output = kInput; }), {"input [0x1000000, +4000 bytes) and output [0x1000000, +4000 bytes) overlap: they must lie apart"}},
    {"runtime::partition_into_one", "count", "null", partitioning_apart([](Arguments& a) { a.count = 0; }), {"count is null"}},
    {"scantune_arrays", "of", "of three parts, before the input", c_arrays([](Arguments& a) { a.count = kInput - 8; }, of_three), {"input [0x1000000, +4000 bytes) and count [0xfffff8, +16 bytes) overlap: they must lie apart"}},
    {"runtime::three_way_partition runtime::three_way_partition_into_one", "counts", "null", both(cpp_three_way([](Arguments& a) { a.count = 0; }), cpp_into_one([](Arguments& a) { a.count = 0; })), {"count is null"}},

    // Functions of selections.
    {"scantune_plan_run Plan::operator()", "workspace", "null", selecting_in_workspace([](Arguments& a) { a.workspace = 0; }), {"workspace is null, and one run needs "}},
    {"scantune_plan_run Plan::operator()", "workspace", "misaligned", selecting_in_workspace([](Arguments& a) { a.workspace += 128; }), {"workspace is 0xd000080, which is not a multiple of 256 bytes"}},
    {"scantune_plan_run Plan::operator()", "workspace", "in the input", selecting_in_workspace([](Arguments& a) { a.workspace = a.input + 4096; }), {" and input [0x10000000000, +4194304 bytes) overlap: they must lie apart"}},
    {"scantune_workspace", "bytes", "too few", selecting_in_workspace([](Arguments& a) { a.workspace_bytes = 100; }), {"workspace_bytes is 100, and one run needs "}},
    {"scantune_run SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "stream", "of another context", selecting_without_plan([](Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: ", "another context"}},
    {"scantune_run SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions", "stream", "captured, of an unknown problem", selecting_without_plan([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"being captured", "make a plan before"}},
    {"scantune_arrays", "of", "memory of the host", selecting_without_plan([](Arguments& a) { a.input = kHost; }), {"input: ", "memory of the host"}},
    {"scantune_arrays", "of", "memory of the host", selecting_without_plan([](Arguments& a) { a.count = kHost; }), {"count: ", "memory of the host"}},
    {"scantune_plan_run Plan::operator()", "stream", "of another context, beside an overlap", all_of({selecting([](Arguments& a) { a.count = kInput + 8; a.device->streams.at(a.stream).problem = "it belongs to another context"; }), partitioning_apart([](Arguments& a) { a.count = kInput + 8; a.device->streams.at(a.stream).problem = "it belongs to another context"; }), selecting_indices([](Arguments& a) { a.count = kInput + 8; a.device->streams.at(a.stream).problem = "it belongs to another context"; })}), {"stream: it belongs to another context"}},
    {"scantune_plan_run", "stream", "of another context, beside an overlap", selecting_in_workspace([](Arguments& a) { a.output = a.input + 8; a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: it belongs to another context"}},

    // Options of selections.
    {"SelectOptions", "predicate", "a map", {cpp([](Arguments&) { runtime::select_plan<int>(kItems, {.predicate = runtime::Map::source("")}); })}, {"predicate is a function by Map::source(): pass one by Predicate::source()"}},
    {"ThreeWayOptions", "parts", "a predicate", {cpp([](Arguments&) { runtime::three_way_partition_plan<int>(kItems, {.parts = runtime::Predicate::source("")}); })}, {"parts is a function by Predicate::source(): pass one by Parts::source()"}},
    {"UniqueOptions", "equality", "parts", unique_options<int>({.equality = runtime::Parts::source("")}), {"equality is a function by Parts::source(): pass one by Equality::source()"}},
    {"SelectOptions", "predicate", "left out, of structs", select_options<Affine>({}), {"items of a custom type have no order", "predicate of your own"}},
    {"UniqueOptions", "equality", "left out, of structs", unique_options<Affine>({}), {"items of a custom type cannot be compared", "equal() of your own"}},
    {"Predicate::source", "source", "empty", select_options({.predicate = runtime::Predicate::source("")}), {"function->source is empty", "bool keep(Value)"}},
    {"Predicate::source", "source", "with a null character", {cpp([](Arguments&) { runtime::Predicate::source(kWithNull); }), cpp([](Arguments&) { runtime::Predicate::source(kWithNull, 1); })}, {"the source of a function", "null character at position 6"}},
    {"Equality::source", "source", "empty", unique_options({.equality = runtime::Equality::source("")}), {"function->source is empty", "bool equal(Value, Value)"}},
    {"Equality::source", "source", "with a null character", {cpp([](Arguments&) { runtime::Equality::source(kWithNull); }), cpp([](Arguments&) { runtime::Equality::source(kWithNull, 1); })}, {"the source of a function", "null character at position 6"}},
    {"Parts::source", "source", "empty", three_way_options({.parts = runtime::Parts::source("")}), {"function->source is empty", "int part(Value)"}},
    {"Parts::source", "source", "with a null character", {cpp([](Arguments&) { runtime::Parts::source(kWithNull); }), cpp([](Arguments&) { runtime::Parts::source(kWithNull, 1); })}, {"the source of a function", "null character at position 6"}},
    {"Parts::around", "pivot", "wider than an item", {cpp([](Arguments&) { runtime::three_way_partition_plan<std::uint8_t>(kItems, {.parts = runtime::Parts::around(256)}); })}, {"the pivot is 256, and an item, u8, holds 0 to 255: pass a pivot that it holds"}},
    {"ThreeWayOptions", "parts", "a pivot among structs, in C", c_selection([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = 8; s.custom_alignment = 4; }, of_three), {"items of a custom type have no order"}},
    {"runtime::three_way_partition runtime::three_way_partition_plan runtime::three_way_partition_into_one runtime::three_way_partition_into_one_plan", "n", "more items than an address space", three_way_options(kAround, ~u64{0}), {"more items than fit"}},
    {"runtime::partition_into_one runtime::partition_into_one_plan", "n", "more items than an address space", {cpp([](Arguments& a) { runtime::partition_into_one(a.in(), a.out(), count_at(kCount), ~u64{0}); }), cpp([](Arguments&) { runtime::partition_into_one_plan<int>(~u64{0}); })}, {"more items than fit"}},
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
