// Wrong arguments of selections and partitions, in C and in C++, and the message about each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

std::uint64_t* count_at(std::uintptr_t where) { return static_cast<std::uint64_t*>(address(where)); }

// Calls with a wrong selection, or with a wrong function of one.
Calls c_selection(const std::function<void(scantune_select_request&)>& spoil, const Spoil& prepare = of_selection) {
  return c_request([=](Arguments& with) { spoil(with.select); }, prepare);
}
Calls c_function(const std::function<void(scantune_function&)>& spoil) {
  return c_request([=](Arguments& with) { spoil(with.function); }, of_source);
}

// A selection with a load and a store, of which one is spoiled.
Calls c_mapped(
    const std::function<void(scantune_select_request&, scantune_function& load, scantune_function& store)>& spoil,
    const Spoil& prepare = of_selection) {
  return c_request(
      [=](Arguments& with) {
        with.select.load = &with.load;
        with.select.store = &with.store;
        spoil(with.select, with.load, with.store);
      },
      prepare);
}

std::uint64_t* indices_out(const Arguments& with) { return static_cast<std::uint64_t*>(address(with.output)); }

const runtime::ThreeWayOptions<int> kAround{.parts = runtime::Parts::around(7)};

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

template <class Flag = std::uint8_t>
Calls flagged_options(const runtime::FlaggedOptions<Flag>& wrong, u64 n = kItems) {
  const auto* const flags = static_cast<const Flag*>(address(kFlags));
  return {
      cpp([=](Arguments& with) { runtime::select_flagged(with.in(), flags, with.out(), count_at(kCount), n, wrong); }),
      cpp([=](Arguments& with) {
        runtime::partition_flagged(with.in(), flags, with.out(), static_cast<int*>(address(kRejected)),
                                   count_at(kCount), n, wrong);
      }),
      cpp([=](Arguments& with) {
        runtime::partition_flagged_into_one(with.in(), flags, with.out(), count_at(kCount), n, wrong);
      }),
      cpp([=](Arguments&) { runtime::select_flagged_plan<int, std::uint64_t, Flag>(n, wrong); }),
      cpp([=](Arguments&) { runtime::partition_flagged_plan<int, std::uint64_t, Flag>(n, wrong); }),
      cpp([=](Arguments&) { runtime::partition_flagged_into_one_plan<int, std::uint64_t, Flag>(n, wrong); })};
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

Calls options_of_selections(const runtime::FlaggedOptions<>& wrong) {
  const auto with_these = [&](auto options) {
    options.forward_progress = wrong.forward_progress;
    options.latency = wrong.latency;
    options.captured_launches = wrong.captured_launches;
    options.config = wrong.config;
    return options;
  };
  return all_of({select_options(with_these(runtime::SelectOptions<int>())), flagged_options<>(wrong),
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
    {"scantune_select_request", "rejected", "behind indices", c_selection([](auto& s) { s.rejected = SCANTUNE_BEHIND; s.selected = SCANTUNE_SELECTED_INDICES; }), {"ask for items too"}},
    {"scantune_select_request", "rejected", "apart, of indices", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.selected = SCANTUNE_SELECTED_INDICES; }), {"ask for items too"}},
    {"scantune_select_request", "rejected", "apart, beside indices", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.selected = SCANTUNE_SELECTED_ITEMS_AND_INDICES; }), {"ask for neither values nor indices"}},
    {"scantune_select_request", "rejected", "apart, beside values", c_selection([](auto& s) { s.rejected = SCANTUNE_APART; s.value_type = SCANTUNE_U32; }), {"ask for neither values nor indices"}},
    {"scantune_select_request", "value_type", "no type", c_selection([](auto& s) { write(s.value_type, 14); }), {"value_type is 14", "1 to 13"}},
    {"scantune_select_request", "capacity", "less than all, of all items in one array", c_selection([](auto& s) { static const std::uint64_t room = 10; s.capacity = &room; }, of_behind), {"capacity is 10, n is 500, and rejected is SCANTUNE_BEHIND, whose output holds all items: leave it NULL"}},
    {"scantune_select_request", "second_capacity", "of two parts", c_selection([](auto& s) { static const std::uint64_t room = 10; s.second_capacity = &room; }, of_both), {"second_capacity is given, and rejected is SCANTUNE_APART, of two parts, so that there is no such output: leave it NULL"}},
    {"scantune_select_request", "rejected_capacity", "of dropped items", c_selection([](auto& s) { static const std::uint64_t room = 10; s.rejected_capacity = &room; }), {"rejected_capacity is given, and rejected is SCANTUNE_DROPPED, so that there is no such output: leave it NULL"}},
    {"scantune_arrays", "of", "null, with room for an item", c_arrays([](Arguments& a) { a.output = 0; }, after(of_selection, [](Arguments& a) { static const std::uint64_t room = 1; a.select.capacity = &room; })), {"output is null"}},
    {"scantune_arrays", "of", "overlapping where there is room", c_arrays([](Arguments& a) { a.count = a.output + 4 * 98; }, after(of_selection, [](Arguments& a) { static const std::uint64_t room = 100; a.select.capacity = &room; })), {"overlap"}},
    {"scantune_select_request", "value_bytes", "left out", c_selection([](auto& s) { s.value_type = SCANTUNE_CUSTOM_TYPE; }), {"value_bytes is 0; a custom type has 1 to 32 bytes"}},
    {"scantune_select_request", "value_bytes", "of a number", c_selection([](auto& s) { s.value_bytes = 4; }, of_flags), {"value_bytes is 4; it must be 0 unless value_type is SCANTUNE_CUSTOM_TYPE"}},
    {"scantune_select_request", "value_alignment", "of no values", c_selection([](auto& s) { s.value_alignment = 4; }), {"value_alignment is 4; it must be 0 unless value_type"}},
    {"scantune_select_request", "value_alignment", "that does not divide the size", c_selection([](auto& s) { s.value_type = SCANTUNE_CUSTOM_TYPE; s.value_bytes = 12; s.value_alignment = 8; }), {"value_alignment is 8; it must be 1, 2, 4, 8 or 16, and divide value_bytes, which is 12"}},
    {"scantune_select_request", "flag_type", "no type", c_selection([](auto& s) { write(s.flag_type, 14); }, of_flags), {"flag_type is 14", "1 to 13"}},
    {"scantune_select_request", "flag_type", "a struct", c_selection([](auto& s) { s.flag_type = SCANTUNE_CUSTOM_TYPE; }, of_flags), {"flag_type is SCANTUNE_CUSTOM_TYPE; flags are numbers"}},
    {"scantune_select_request", "flag_type", "without flags", c_selection([](auto& s) { s.flag_type = SCANTUNE_I32; }), {"flag_type is for selections by flags: leave it out"}},
    {"scantune_select_request", "subject", "no subject", c_selection([](auto& s) { write(s.subject, 2); }), {"subject is 2", "scantune_subject", "0 to 1"}},
    {"scantune_select_request", "subject", "a flag, of neighbours", c_selection([](auto& s) { s.subject = SCANTUNE_FLAG; s.criterion = SCANTUNE_UNIQUE; s.constant = nullptr; }), {"neighbours are compared by their items: leave subject out"}},
    {"scantune_select_request", "subject", "a flag, which says itself what is kept", c_selection([](auto& s) { s.subject = SCANTUNE_FLAG; }, of_flags), {"flagged looks at the flag alone: leave subject out"}},
    {"scantune_select_request", "subject", "a flag, and all arrays that a selection may have", c_selection([](auto& s) { s.subject = SCANTUNE_FLAG; s.criterion = SCANTUNE_AROUND; s.value_type = SCANTUNE_U32; s.selected = SCANTUNE_SELECTED_ITEMS_AND_INDICES; s.rejected = SCANTUNE_APART; }), {"of rejected items nothing else is written"}},
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
    {"scantune_select_request", "count_type", "too narrow", c_selection([](auto& s) { s.count_type = SCANTUNE_U16; }), {"count_type is u16; it must be an integer of 4 or 8 bytes"}},
    {"scantune_select_request", "count_type", "no integer", c_selection([](auto& s) { s.count_type = SCANTUNE_F32; }), {"count_type is f32; it must be an integer of 4 or 8 bytes"}},
    {"scantune_select_request", "count_type", "that does not hold all items", c_selection([](auto& s) { s.head.n = u64{1} << 31; s.count_type = SCANTUNE_I32; }), {"count_type is i32, and counts may reach 2147483648: ask for 8 bytes"}},
    {"scantune_select_request", "count_type", "unsigned, that does not hold all items", c_selection([](auto& s) { s.head.n = u64{1} << 32; s.count_type = SCANTUNE_U32; }), {"count_type is u32, and counts may reach 4294967296: ask for 8 bytes"}},
    {"scantune_select_request", "function", "left out, of neighbours", c_selection([](auto& s) { s.function = nullptr; s.criterion = SCANTUNE_UNIQUE_BY; }, of_source), {"function is NULL, and criterion is SCANTUNE_UNIQUE_BY: point it to the function"}},
    {"scantune_select_request", "function", "left out, of parts", c_selection([](auto& s) { s.function = nullptr; s.criterion = SCANTUNE_PARTS; s.rejected = SCANTUNE_BEHIND; }, of_source), {"function is NULL, and criterion is SCANTUNE_PARTS"}},
    {"scantune_function", "source", "empty", c_function([](auto& f) { f.source = ""; }), {"function->source is empty"}},
    {"scantune_select_request", "function", "of a criterion without one", c_request([](Arguments& a) { a.select.function = &a.function; }, of_selection), {"function is given, and criterion is SCANTUNE_LESS", "leave it NULL"}},
    {"scantune_function", "state", "left out", c_function([](auto& f) { f.state_bytes = 8; }), {"function->state is NULL, and state_bytes is 8"}},
    {"scantune_function", "state_bytes", "left out", c_function([](auto& f) { f.state = &f; }), {"function->state_bytes is 0, and state is given"}},
    {"scantune_function", "state_bytes", "too many", c_function([](auto& f) { f.state = &f; f.state_bytes = 33; }), {"function->state_bytes is 33", "at most 32", "memory of the device"}},
    {"scantune_select_request", "item_type", "no type", c_selection([](auto& s) { write(s.item_type, 99); }), {"item_type is 99"}},
    {"scantune_select_request", "item_type", "another, without a load", c_selection([](auto& s) { s.item_type = SCANTUNE_F32; }), {"item_type is f32, and load is NULL, which would make it of i32: pass the map, or leave the type out"}},
    {"scantune_select_request", "output_type", "no type", c_selection([](auto& s) { write(s.output_type, 99); }), {"output_type is 99"}},
    {"scantune_select_request", "output_type", "another, without a store", c_selection([](auto& s) { s.output_type = SCANTUNE_U8; }), {"output_type is u8, and store is NULL, which would make it of i32: pass the map, or leave the type out"}},
    {"scantune_select_request", "custom_bytes", "left out, of what a load takes", c_mapped([](auto& s, auto&, auto&) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.item_type = SCANTUNE_I32; s.custom_alignment = 4; }), {"custom_bytes is 0; a custom type has 1 to 32 bytes"}},
    {"scantune_select_request", "custom_bytes", "of what no load takes", c_mapped([](auto& s, auto& load, auto&) { load.role = SCANTUNE_FUNCTION_GENERATE; s.input_type = SCANTUNE_CUSTOM_TYPE; s.item_type = SCANTUNE_I32; s.custom_bytes = s.custom_alignment = 4; }), {"custom_bytes is 4; it must be 0 unless"}},
    {"scantune_select_request", "criterion", "an order of structs that a load makes", c_mapped([](auto& s, auto&, auto&) { s.item_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = s.custom_alignment = 4; }), {"items of a custom type have no order", "predicate of your own"}},
    {"scantune_select_request", "load", "in the place of the input", c_arrays(of_nothing_else, after(of_selection, [](Arguments& a) { a.select.load = &a.load; a.load.role = SCANTUNE_FUNCTION_GENERATE; })), {"input is given, and the request has output and count alone: leave SCANTUNE_INPUT NULL"}},
    {"scantune_select_request", "store", "in the place of the output", c_arrays(of_nothing_else, after(of_selection, [](Arguments& a) { a.select.store = &a.store; a.store.role = SCANTUNE_FUNCTION_WRITE; })), {"output is given, and the request has input and count alone: leave SCANTUNE_OUTPUT NULL"}},
    {"scantune_select_request", "store", "of indices", c_mapped([](auto&, auto&, auto&) {}, of_indices), {"select with maps, less criterion, indices selected of 500 items: store takes items, and only indices are written: ask for items, or leave store out"}},
    {"scantune_select_request", "store", "that writes, of two outputs", c_mapped([](auto&, auto&, auto& store) { store.role = SCANTUNE_FUNCTION_WRITE; }, of_both), {"a store that writes by itself is not told which output an item belongs to: let it return an item, or ask for the rejected items behind"}},
    {"scantune_function", "role", "of the other map", c_mapped([](auto&, auto& load, auto&) { load.role = SCANTUNE_FUNCTION_WRITE; }), {"load->role is SCANTUNE_FUNCTION_WRITE; it must be one that load takes: SCANTUNE_FUNCTION_MAP"}},
    {"scantune_function", "role", "of the other map, of a store", c_mapped([](auto&, auto&, auto& store) { store.role = SCANTUNE_FUNCTION_GENERATE; }), {"store->role is SCANTUNE_FUNCTION_GENERATE; it must be one that store takes: SCANTUNE_FUNCTION_MAP"}},
    {"scantune_function", "source", "left out, of a map", c_mapped([](auto&, auto& load, auto&) { load.source = nullptr; }), {"load->source is NULL; it must define Result load(Value)"}},
    {"scantune_arrays", "of", "in place, of neighbours with a map", c_arrays([](Arguments& a) { a.output = a.input; }, [](Arguments& a) { of_criterion(a, SCANTUNE_UNIQUE); a.select.store = &a.store; }), {"overlap: they must not overlap"}},
    {"scantune_arrays", "of", "in place, of wider results", c_arrays([](Arguments& a) { a.output = a.input; }, after(of_selection, [](Arguments& a) { a.select.store = &a.store; a.select.output_type = SCANTUNE_I64; })), {"overlap: they must not overlap"}},
    {"scantune_head", "config", "that is not legal, of no items", c_selection([](auto& s) { s.head.n = 0; s.head.config = "{\"family\": \"select_lookback\", \"block_threads\": 0}"; }), {"config: select_lookback{block_threads=0"}},

    {"scantune_arrays", "of", "a place of its own for indices alone", c_arrays([](Arguments& a) { a.position = kIndex; }, of_indices), {"indices is given, and the request has input, indices (SCANTUNE_OUTPUT) and count alone: leave SCANTUNE_INDICES NULL"}},
    {"scantune_arrays", "of", "null, of no items", c_arrays([](Arguments& a) { a.count = 0; }, after(of_selection, [](Arguments& a) { a.select.head.n = 0; })), {"count is null, and n is 0"}},

    // Functions of selections.

    // Options of selections.
    {"SelectOptions", "predicate", "a map", {cpp([](Arguments&) { runtime::select_plan<int>(kItems, {.predicate = runtime::Map::source("")}); })}, {"predicate is a function by Map::source(): pass one by Predicate::source()"}},
    {"FlaggedOptions", "predicate", "parts", {cpp([](Arguments&) { runtime::select_flagged_plan<int>(kItems, {.predicate = runtime::Parts::source("")}); })}, {"predicate is a function by Parts::source(): pass one by Predicate::source()"}},
    {"FlaggedOptions", "predicate", "with a constant wider than a flag", {cpp([](Arguments&) { runtime::partition_flagged_plan<int, int, std::int16_t>(kItems, {.predicate = runtime::Predicate::less(32768)}); })}, {"the predicate's constant is 32768, and a flag, i16, holds -32768 to 32767: pass a constant that it holds"}},
    {"ThreeWayOptions", "parts", "a predicate", {cpp([](Arguments&) { runtime::three_way_partition_plan<int>(kItems, {.parts = runtime::Predicate::source("")}); })}, {"parts is a function by Predicate::source(): pass one by Parts::source()"}},
    {"UniqueOptions", "equality", "parts", unique_options<int>({.equality = runtime::Parts::source("")}), {"equality is a function by Parts::source(): pass one by Equality::source()"}},
    {"SelectOptions", "load", "that is a store", select_options({.load = runtime::Map::writing("void store(int)")}), {"load is a function by Map::writing(): pass one by Map::source()"}},
    {"SelectOptions", "load", "left out, between types", {cpp([](Arguments& a) { runtime::select(a.beside(), a.out(), count_at(kCount), kItems); }), cpp([](Arguments& a) { runtime::partition(a.beside(), a.out(), a.out(), count_at(kCount), kItems); }), cpp([](Arguments&) { runtime::select_plan<float, std::uint64_t, int>(kItems); })}, {"the input is of f32, and the items that are looked at are of i32: pass arrays of one type, name that of the items, as in SelectOptions<int>{}, or pass a map as load"}},
    {"SelectOptions", "store", "left out, between types", {cpp([](Arguments& a) { runtime::select(a.in(), a.beside_out(), count_at(kCount), kItems, runtime::SelectOptions<int>{}); })}, {"the output is of f32, and the items that are looked at are of i32", "or pass a map as store"}},
    {"SelectOptions", "store", "of indices", {cpp([](Arguments& a) { runtime::select_indices(a.in(), indices_out(a), count_at(kCount), kItems, {.store = runtime::Map::source("int store(int)")}); })}, {"store takes items, and only indices are written"}},
    {"FlaggedOptions", "load", "a predicate", flagged_options({.load = runtime::Predicate::source("")}), {"load is a function by Predicate::source(): pass one by Map::source()"}},
    {"FlaggedOptions", "store", "that is a load", flagged_options({.store = runtime::Map::generated("int load(int)")}), {"store is a function by Map::generated(): pass one by "}},
    {"UniqueOptions", "load", "empty", unique_options({.load = runtime::Map::source("")}), {"load->source is empty; it must define Result load(Value)"}},
    {"UniqueOptions", "store", "an equality", unique_options({.store = runtime::Equality::source("")}), {"store is a function by Equality::source(): pass one by "}},
    {"ThreeWayOptions", "load", "that is a store", three_way_options({.parts = runtime::Parts::around(7), .load = runtime::Map::writing("")}), {"load is a function by Map::writing()"}},
    {"ThreeWayOptions", "store", "empty", three_way_options({.parts = runtime::Parts::around(7), .store = runtime::Map::source("")}), {"store->source is empty; it must define Result store(Value)"}},
    {"SelectOptions", "predicate", "left out, of structs", select_options<Affine>({}), {"items of a custom type have no order", "predicate of your own"}},
    {"UniqueOptions", "equality", "left out, of structs", unique_options<Affine>({}), {"items of a custom type cannot be compared", "equal() of your own"}},
    {"SelectOptions FlaggedOptions ThreeWayOptions", "capacity", "of a partition into one array", {cpp([](Arguments&) { runtime::partition_into_one_plan<int>(kItems, {.capacity = 5}); }), cpp([](Arguments&) { runtime::partition_flagged_into_one_plan<int>(kItems, {.capacity = 5}); }), cpp([](Arguments&) { runtime::three_way_partition_into_one_plan<int>(kItems, {.parts = runtime::Parts::around(7), .capacity = 5}); })}, {"capacity is 5, n is 500, and rejected is SCANTUNE_BEHIND"}},
    {"UniqueOptions", "capacity", "too little for a null array", {cpp([](Arguments& a) { runtime::unique_consecutive(a.in(), static_cast<int*>(nullptr), count_at(kCount), kItems, {.capacity = 1}); })}, {"output is null"}},
    {"SelectOptions FlaggedOptions", "rejected_capacity", "of dropped items", {cpp([](Arguments&) { runtime::select_plan<int>(kItems, {.rejected_capacity = 5}); }), cpp([](Arguments&) { runtime::select_flagged_plan<int>(kItems, {.rejected_capacity = 5}); })}, {"rejected_capacity is given, and rejected is SCANTUNE_DROPPED"}},
    {"SelectOptions FlaggedOptions", "rest", "reversed where it does not follow", {cpp([](Arguments&) { runtime::select_plan<int>(kItems, {.rest = runtime::Rest::reversed}); }), cpp([](Arguments&) { runtime::partition_flagged_plan<int>(kItems, {.rest = runtime::Rest::reversed}); })}, {"rest is reversed", "only a partition into one array"}},
    {"ThreeWayOptions", "second_capacity rejected_capacity", "of three parts in one array", {cpp([](Arguments&) { runtime::three_way_partition_into_one_plan<int>(kItems, {.parts = runtime::Parts::around(7), .second_capacity = 5}); }), cpp([](Arguments&) { runtime::three_way_partition_into_one_plan<int>(kItems, {.parts = runtime::Parts::around(7), .rejected_capacity = 5}); })}, {"_capacity is given, and rejected is SCANTUNE_BEHIND, so that there is no such output"}},
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
    {"runtime::select_flagged runtime::select_flagged_plan runtime::partition_flagged runtime::partition_flagged_plan runtime::partition_flagged_into_one runtime::partition_flagged_into_one_plan runtime::unique_consecutive runtime::unique_consecutive_plan runtime::unique_by_key runtime::unique_by_key_plan", "n", "more items than an address space", both(flagged_options<>({}, ~u64{0}), unique_options({}, ~u64{0})), {"more items than fit"}},
    {"runtime::select_indices runtime::select_indices_plan runtime::unique_indices runtime::unique_indices_plan", "n", "more items than an index counts", {cpp([](Arguments& a) { runtime::unique_indices(a.in(), a.out(), count_at(kCount), (u64{1} << 31) + 1); }), cpp([](Arguments&) { runtime::unique_indices_plan<int, int>((u64{1} << 31) + 1); }), cpp([](Arguments&) { runtime::select_indices_plan<int, int>((u64{1} << 31) + 1); })}, {"more items than index_type has indices for"}},
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
                c_selection([](auto&) {}, of_behind), c_selection([](auto&) {}, of_source), three_way_options(kAround),
                select_options({}), flagged_options<>({}),
                flagged_options<double>({.predicate = runtime::Predicate::less(0.5)}), unique_options({}),
                options_of_selections({}), compared<runtime::f16>(3)});
}

}  // namespace
}  // namespace scantune::testing
