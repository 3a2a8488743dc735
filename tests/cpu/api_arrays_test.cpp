// The arrays of every function, in C and in C++: where kernels find them, and which are refused. What may be wrong with
// them follows from the operands of the request.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "api_counting_new.h"
#include "c_api/request.h"
#include "scantune/runtime.hpp"
#include "space/operands.h"

namespace scantune::testing {
namespace {

// A plan of C++, with its runs by the arrays of arguments.
struct CppPlan {
  Spoil run, run_in_workspace;
  std::string description;
};
// A function of C++ and its plan. Either may be left out.
struct Cpp {
  Spoil now;
  std::function<CppPlan(u64 n, int captured_launches)> plan;
};

struct Use {
  const char* entry;      // the function of C++, or the struct of C where there is none
  const char* arguments;  // its arrays
  const char* what;
  Spoil prepare;
  bool may_be_in_place;
  Cpp cpp = {};
};
void PrintTo(const Use& use, std::ostream* out) { *out << use.entry << ' ' << use.what; }

template <class T, std::uintptr_t Arguments::*kWhere>
constexpr auto kArray = [](const Arguments& with) { return static_cast<T*>(address(with.*kWhere)); };
constexpr auto in = kArray<const int, &Arguments::input>;
constexpr auto out = kArray<int, &Arguments::output>;
constexpr auto position = kArray<std::uint64_t, &Arguments::position>;
constexpr auto indices = kArray<std::uint64_t, &Arguments::output>;
constexpr auto flags = kArray<const std::uint8_t, &Arguments::flags>;
constexpr auto wide_flags = kArray<const int, &Arguments::flags>;
constexpr auto keys = kArray<const std::uint16_t, &Arguments::keys>;
constexpr auto keys_out = kArray<std::uint16_t, &Arguments::keys_output>;
constexpr auto bounds = kArray<const int, &Arguments::begins>;
constexpr auto ends = kArray<const int, &Arguments::ends>;
constexpr auto values = kArray<const float, &Arguments::values>;
constexpr auto values_out = kArray<float, &Arguments::values_output>;
constexpr auto second = kArray<int, &Arguments::second>;
constexpr auto second_indices = kArray<std::uint64_t, &Arguments::second_indices>;
constexpr auto rejected = kArray<int, &Arguments::rejected>;
constexpr auto count = kArray<std::uint64_t, &Arguments::count>;
constexpr auto offsets = kArray<const std::uint32_t, &Arguments::input>;
constexpr auto numbers = kArray<std::uint32_t, &Arguments::output>;
constexpr auto more_numbers = kArray<std::uint32_t, &Arguments::position>;
constexpr auto whole_values = kArray<const int, &Arguments::values>;

template <class Make, class... Arrays>
Cpp plan_alone(Make make, Arrays... arrays) {
  return {{}, [=](u64 n, int captured_launches) -> CppPlan {
            const auto plan = std::make_shared<decltype(make(n, captured_launches))>(make(n, captured_launches));
            return {[=](Arguments& a) { (*plan)(arrays(a)..., a.stream); },
                    [=](Arguments& a) { (*plan)(arrays(a)..., a.room(), a.stream); }, plan->describe()};
          }};
}
template <class Now, class Make, class... Arrays>
Cpp cpp_of(Now now, Make make, Arrays... arrays) {
  return {[=](Arguments& a) { now(a.stream, arrays(a)...); }, plan_alone(make, arrays...).plan};
}

const auto kParts = runtime::Parts::around(7);

void of_as_many_segments_as_offsets(Arguments& with) {
  of_segments(with);
  with.balance.segment_count = kItems - 1;
}
void of_runs(Arguments& with) {
  with.scan.segments = SCANTUNE_BY_KEYS;
  with.scan.key_type = SCANTUNE_I16;
  with.keys = kFlags;
}
void of_totals(Arguments& with) {
  of_runs(with);
  with.scan.results = SCANTUNE_TOTALS;
  with.scan.head.determinism = SCANTUNE_RUN_TO_RUN;
  with.keys_output = kSecond;
  with.count = kCount;
}
void of_narrow_items(Arguments& with) { with.scan.input_type = SCANTUNE_I8; }
void of_flags_alone(Arguments& with) {
  of_criterion(with, SCANTUNE_FLAGGED);
  with.flags = kFlags;
}
// Flags of type int, the others apart or after the items kept.
Spoil of_wide_flags(scantune_rejected others) {
  return [=](Arguments& with) {
    of_flags_alone(with);
    with.select.flag_type = SCANTUNE_I32;
    with.select.rejected = others;
    if (others == SCANTUNE_APART) with.rejected = kRejected;
  };
}
void of_compared_flags(Arguments& with) {
  of_selection(with);
  with.select.subject = SCANTUNE_FLAG;
  with.flags = kFlags;
}
void of_pairs(Arguments& with) {
  of_criterion(with, SCANTUNE_UNIQUE);
  of_values_beside(with);
}
void of_three_in_one(Arguments& with) {
  of_three(with);
  with.select.rejected = SCANTUNE_BEHIND;
  with.rejected = with.second = 0;
}
void of_minimum(Arguments& with) {
  of_maximum(with);
  with.reduce.op = SCANTUNE_MIN;
}

// clang-format off
const std::vector<Use> kUses = {
    {"runtime::scan", "input output", "", of_nothing_else, true, cpp_of([](auto stream, auto... of) { runtime::scan(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::plan<int>(n, {.captured_launches = launches}); }, in, out)},
    {"runtime::scan_by_key", "input keys output", "", of_runs, true, cpp_of([](auto stream, auto... of) { runtime::scan_by_key(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::scan_by_key_plan<int, std::uint16_t>(n, {.captured_launches = launches}); }, in, keys, out)},
    {"runtime::segmented_scan", "input flags output", "", [](Arguments& a) { a.scan.segments = SCANTUNE_BY_FLAGS; a.flags = kFlags; }, true, cpp_of([](auto stream, auto... of) { runtime::segmented_scan(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::flagged_scan_plan<int>(n, {.captured_launches = launches}); }, in, flags, out)},
    {"runtime::reduce_by_key", "input keys keys_output totals count", "", of_totals, false, cpp_of([](auto stream, auto... of) { runtime::reduce_by_key(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::reduce_by_key_plan<int, std::uint16_t>(n, {.captured_launches = launches}); }, in, keys, keys_out, out, count)},
    {"runtime::segmented_reduce", "input flags totals count", "", [](Arguments& a) { of_totals(a); a.scan.segments = SCANTUNE_BY_FLAGS; a.scan.key_type = SCANTUNE_DEFAULT_TYPE; a.flags = kFlags; a.keys = a.keys_output = 0; }, false, cpp_of([](auto stream, auto... of) { runtime::segmented_reduce(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::flagged_reduce_plan<int, std::uint8_t>(n, {.captured_launches = launches}); }, in, flags, out, count)},
    {"scantune_arrays", "of", "of a scan by bits", [](Arguments& a) { a.scan.segments = SCANTUNE_BY_BITS; a.flags = kFlags; }, true},
    {"scantune_arrays", "of", "of a scan whose items are not as wide as its results", of_narrow_items, false},
    {"runtime::reduce", "input output", "", of_sum, false, cpp_of([](auto stream, auto... of) { runtime::reduce(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::reduce_plan<int>(n, {.captured_launches = launches}); }, in, out)},
    {"runtime::segmented_scan", "input offsets output", "by bounds", of_scanned_bounds, true, cpp_of([](auto stream, auto... of) { runtime::segmented_scan(of..., kItems, kSegments, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_scan_plan<int, int>(n, kSegments, {.captured_launches = launches}); }, in, bounds, out)},
    {"runtime::segmented_scan", "input begins ends output", "of ranges", of_scanned_ranges, true, cpp_of([](auto stream, auto... of) { runtime::segmented_scan(of..., kItems, kSegments, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_scan_ranges_plan<int, int>(n, kSegments, {.captured_launches = launches}); }, in, bounds, ends, out)},
    {"runtime::segmented_reduce", "input offsets output", "", of_bounds, false, cpp_of([](auto stream, auto... of) { runtime::segmented_reduce(of..., kItems, kSegments, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_reduce_plan<int, int>(n, kSegments, {.captured_launches = launches}); }, in, bounds, out)},
    {"runtime::segmented_reduce", "input begins ends output", "of ranges", of_ranges, false, cpp_of([](auto stream, auto... of) { runtime::segmented_reduce(of..., kItems, kSegments, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_reduce_ranges_plan<int, int>(n, kSegments, {.captured_launches = launches}); }, in, bounds, ends, out)},
    {"runtime::argmin", "input value index", "", of_minimum, false, cpp_of([](auto stream, auto... of) { runtime::argmin(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::arg_plan<int>(n, runtime::Op::min, {.captured_launches = launches}); }, in, out, position)},
    {"runtime::argmax", "input value index", "", of_maximum, false, cpp_of([](auto stream, auto... of) { runtime::argmax(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::arg_plan<int>(n, runtime::Op::max, {.captured_launches = launches}); }, in, out, position)},
    {"runtime::arg_minmax", "input least least_index greatest greatest_index", "", of_extremes, false, cpp_of([](auto stream, auto... of) { runtime::arg_minmax(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::arg_minmax_plan<int>(n, {.captured_launches = launches}); }, in, out, position, second, second_indices)},

    {"runtime::select", "input output count", "", of_selection, true, cpp_of([](auto stream, auto... of) { runtime::select(of..., kItems, {.predicate = runtime::Predicate::less(0), .stream = stream}); }, [](u64 n, int launches) { return runtime::select_plan<int>(n, {.predicate = runtime::Predicate::less(0), .captured_launches = launches}); }, in, out, count)},
    {"runtime::select_flagged", "input flags output count", "", of_flags_alone, true, cpp_of([](auto stream, auto... of) { runtime::select_flagged(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::select_flagged_plan<int>(n, {.captured_launches = launches}); }, in, flags, out, count)},
    {"runtime::partition_flagged", "input flags kept rejected count", "", of_wide_flags(SCANTUNE_APART), true, cpp_of([](auto stream, auto... of) { runtime::partition_flagged(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::partition_flagged_plan<int, std::uint64_t, int>(n, {.captured_launches = launches}); }, in, wide_flags, out, rejected, count)},
    {"runtime::partition_flagged_into_one", "input flags output count", "", of_wide_flags(SCANTUNE_BEHIND), false, cpp_of([](auto stream, auto... of) { runtime::partition_flagged_into_one(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::partition_flagged_into_one_plan<int, std::uint64_t, int>(n, {.captured_launches = launches}); }, in, wide_flags, out, count)},
    {"scantune_arrays", "of", "of items whose flags are compared", of_compared_flags, true},
    {"runtime::unique_consecutive", "input output count", "", [](Arguments& a) { of_criterion(a, SCANTUNE_UNIQUE); }, true, cpp_of([](auto stream, auto... of) { runtime::unique_consecutive(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::unique_consecutive_plan<int>(n, {.captured_launches = launches}); }, in, out, count)},
    {"runtime::unique_by_key", "keys values keys_output values_output count", "", of_pairs, true, cpp_of([](auto stream, auto... of) { runtime::unique_by_key(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::unique_by_key_plan<int, float>(n, {.captured_launches = launches}); }, in, values, out, values_out, count)},
    {"runtime::select_indices", "input indices count", "", of_indices, false, cpp_of([](auto stream, auto... of) { runtime::select_indices(of..., kItems, {.predicate = runtime::Predicate::less(0), .stream = stream}); }, [](u64 n, int launches) { return runtime::select_indices_plan<int>(n, {.predicate = runtime::Predicate::less(0), .captured_launches = launches}); }, in, indices, count)},
    {"runtime::unique_indices", "input indices count", "", [](Arguments& a) { of_criterion(a, SCANTUNE_UNIQUE); a.select.selected = SCANTUNE_SELECTED_INDICES; }, false, cpp_of([](auto stream, auto... of) { runtime::unique_indices(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::unique_indices_plan<int>(n, {.captured_launches = launches}); }, in, indices, count)},
    {"runtime::partition", "input kept rejected count", "", of_both, true, cpp_of([](auto stream, auto... of) { runtime::partition(of..., kItems, {.predicate = runtime::Predicate::less(0), .stream = stream}); }, [](u64 n, int launches) { return runtime::partition_plan<int>(n, {.predicate = runtime::Predicate::less(0), .captured_launches = launches}); }, in, out, rejected, count)},
    {"runtime::partition_into_one", "input output count", "", of_behind, false, cpp_of([](auto stream, auto... of) { runtime::partition_into_one(of..., kItems, {.predicate = runtime::Predicate::less(0), .stream = stream}); }, [](u64 n, int launches) { return runtime::partition_into_one_plan<int>(n, {.predicate = runtime::Predicate::less(0), .captured_launches = launches}); }, in, out, count)},
    {"runtime::three_way_partition", "input first second rest counts", "", of_three, false, cpp_of([](auto stream, auto... of) { runtime::three_way_partition(of..., kItems, {.parts = kParts, .stream = stream}); }, [](u64 n, int launches) { return runtime::three_way_partition_plan<int>(n, {.parts = kParts, .captured_launches = launches}); }, in, out, second, rejected, count)},
    {"runtime::three_way_partition_into_one", "input output counts", "", of_three_in_one, false, cpp_of([](auto stream, auto... of) { runtime::three_way_partition_into_one(of..., kItems, {.parts = kParts, .stream = stream}); }, [](u64 n, int launches) { return runtime::three_way_partition_into_one_plan<int>(n, {.parts = kParts, .captured_launches = launches}); }, in, out, count)},
    {"scantune_arrays", "of", "of flagged items with their values and indices", of_flags, true},
    {"scantune_arrays", "of", "of a selection by source", of_source, true},

    {"runtime::load_balance", "offsets segment_of", "", of_segments, false, cpp_of([](auto stream, auto from, auto to) { runtime::load_balance(from, kSegments, to, kItems, {.stream = stream}); }, [](u64 n, int) { return runtime::load_balance_plan<std::uint32_t, std::uint32_t>(kSegments, n); }, offsets, numbers)},
    {"Plan::operator()", "arrays", "of ranks", [](Arguments& a) { of_segments(a); a.balance.assigned = SCANTUNE_RANK_OF; }, false, plan_alone([](u64 n, int) { return runtime::ranks_plan<std::uint32_t, std::uint32_t>(kSegments, n); }, offsets, numbers)},
    {"Plan::operator()", "arrays", "of segments and ranks", of_ranks, false, plan_alone([](u64 n, int) { return runtime::segments_and_ranks_plan<std::uint32_t, std::uint32_t>(kSegments, n); }, offsets, numbers, more_numbers)},
    {"runtime::expand", "offsets values output", "", of_values, false, cpp_of([](auto stream, auto from, auto of, auto to) { runtime::expand(from, kSegments, of, to, kItems, {.stream = stream}); }, [](u64 n, int) { return runtime::expand_plan<std::uint32_t, int>(kSegments, n); }, offsets, whole_values, out)},
    {"scantune_arrays", "of", "of as many segments as offsets", of_as_many_segments_as_offsets, false},

    {"runtime::sort", "input output", "", of_sort(SCANTUNE_SORTED_KEYS), false, cpp_of([](auto stream, auto... of) { runtime::sort(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::sort_plan<int>(n, {.captured_launches = launches}); }, in, out)},
    {"SortValues", "input output", "", of_sort(SCANTUNE_SORTED_PAIRS), false, cpp_of([](auto stream, auto keys, auto of, auto to, auto with) { runtime::sort(keys, to, kItems, {.values = {of, with}, .stream = stream}); }, [](u64 n, int launches) { return runtime::sort_pairs_plan<int, float>(n, {.captured_launches = launches}); }, in, values, out, values_out)},
    {"SortIndices", "output", "", of_sort(SCANTUNE_SORTED_KEYS_AND_INDICES), false, cpp_of([](auto stream, auto keys, auto to, auto places) { runtime::sort(keys, to, kItems, {.indices = places, .stream = stream}); }, [](u64 n, int launches) { return runtime::sort_indices_plan<int, std::uint32_t>(n, {.captured_launches = launches}); }, in, out, more_numbers)},
    {"runtime::argsort", "input indices", "", of_sort(SCANTUNE_SORTED_INDICES), false, cpp_of([](auto stream, auto... of) { runtime::argsort(of..., kItems, {.stream = stream}); }, [](u64 n, int launches) { return runtime::argsort_plan<int, std::uint32_t>(n, {.captured_launches = launches}); }, in, numbers)},
    {"runtime::top_k", "input output", "", of_top_k(SCANTUNE_SORTED_KEYS), false, cpp_of([](auto stream, auto... of) { runtime::top_k(of..., kItems, kResults, {.stream = stream}); }, [](u64 n, int launches) { return runtime::top_k_plan<int>(n, kResults, {.captured_launches = launches}); }, in, out)},
    {"SortValues", "input output", "of the first keys", of_top_k(SCANTUNE_SORTED_PAIRS), false, cpp_of([](auto stream, auto keys, auto of, auto to, auto with) { runtime::top_k(keys, to, kItems, kResults, {.values = {of, with}, .stream = stream}); }, [](u64 n, int launches) { return runtime::top_k_pairs_plan<int, float>(n, kResults, {.captured_launches = launches}); }, in, values, out, values_out)},
    {"SortIndices", "output", "of the first keys", of_top_k(SCANTUNE_SORTED_KEYS_AND_INDICES), false, cpp_of([](auto stream, auto keys, auto to, auto places) { runtime::top_k(keys, to, kItems, kResults, {.indices = places, .stream = stream}); }, [](u64 n, int launches) { return runtime::top_k_indices_plan<int, std::uint32_t>(n, kResults, {.captured_launches = launches}); }, in, out, more_numbers)},
    {"runtime::argtop_k", "input indices", "", of_top_k(SCANTUNE_SORTED_INDICES), false, cpp_of([](auto stream, auto... of) { runtime::argtop_k(of..., kItems, kResults, {.stream = stream}); }, [](u64 n, int launches) { return runtime::argtop_k_plan<int, std::uint32_t>(n, kResults, {.captured_launches = launches}); }, in, numbers)},
    {"runtime::segmented_sort", "input offsets output", "", of_sorted_bounds(SCANTUNE_SORTED_KEYS), false, cpp_of([](auto stream, auto... of) { runtime::segmented_sort(of..., kItems, 1, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_sort_plan<int, int>(n, 1, {.captured_launches = launches}); }, in, bounds, out)},
    {"runtime::segmented_sort", "input begins ends output", "of ranges", of_sorted_ranges(SCANTUNE_SORTED_KEYS), false, cpp_of([](auto stream, auto... of) { runtime::segmented_sort(of..., kItems, 1, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_sort_ranges_plan<int, int>(n, 1, {.captured_launches = launches}); }, in, bounds, ends, out)},
    {"SortValues", "input output", "of segments", of_sorted_bounds(SCANTUNE_SORTED_PAIRS), false, cpp_of([](auto stream, auto keys, auto of, auto where, auto to, auto with) { runtime::segmented_sort(keys, where, to, kItems, 1, {.values = {of, with}, .stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_sort_pairs_plan<int, float, int>(n, 1, {.captured_launches = launches}); }, in, values, bounds, out, values_out)},
    {"SortValues", "input output", "of segments by ranges", of_sorted_ranges(SCANTUNE_SORTED_PAIRS), false, cpp_of([](auto stream, auto keys, auto of, auto first, auto last, auto to, auto with) { runtime::segmented_sort(keys, first, last, to, kItems, 1, {.values = {of, with}, .stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_sort_pairs_ranges_plan<int, float, int>(n, 1, {.captured_launches = launches}); }, in, values, bounds, ends, out, values_out)},
    {"SortIndices", "output", "of segments", of_sorted_bounds(SCANTUNE_SORTED_KEYS_AND_INDICES), false, cpp_of([](auto stream, auto keys, auto where, auto to, auto places) { runtime::segmented_sort(keys, where, to, kItems, 1, {.indices = places, .stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_sort_indices_plan<int, std::uint32_t, int>(n, 1, {.captured_launches = launches}); }, in, bounds, out, more_numbers)},
    {"SortIndices", "output", "of segments by ranges", of_sorted_ranges(SCANTUNE_SORTED_KEYS_AND_INDICES), false, cpp_of([](auto stream, auto keys, auto first, auto last, auto to, auto places) { runtime::segmented_sort(keys, first, last, to, kItems, 1, {.indices = places, .stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_sort_indices_ranges_plan<int, std::uint32_t, int>(n, 1, {.captured_launches = launches}); }, in, bounds, ends, out, more_numbers)},
    {"runtime::segmented_argsort", "input offsets indices", "", of_sorted_bounds(SCANTUNE_SORTED_INDICES), false, cpp_of([](auto stream, auto... of) { runtime::segmented_argsort(of..., kItems, 1, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_argsort_plan<int, std::uint32_t, int>(n, 1, {.captured_launches = launches}); }, in, bounds, numbers)},
    {"runtime::segmented_argsort", "input begins ends indices", "of ranges", of_sorted_ranges(SCANTUNE_SORTED_INDICES), false, cpp_of([](auto stream, auto... of) { runtime::segmented_argsort(of..., kItems, 1, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_argsort_ranges_plan<int, std::uint32_t, int>(n, 1, {.captured_launches = launches}); }, in, bounds, ends, numbers)},
    {"runtime::segmented_top_k", "input offsets output", "", of_top_k_bounds(SCANTUNE_SORTED_KEYS), false, cpp_of([](auto stream, auto... of) { runtime::segmented_top_k(of..., kItems, 1, kResults, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_top_k_plan<int, int>(n, 1, kResults, {.captured_launches = launches}); }, in, bounds, out)},
    {"runtime::segmented_top_k", "input begins ends output", "of ranges", of_top_k_ranges(SCANTUNE_SORTED_KEYS), false, cpp_of([](auto stream, auto... of) { runtime::segmented_top_k(of..., kItems, 1, kResults, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_top_k_ranges_plan<int, int>(n, 1, kResults, {.captured_launches = launches}); }, in, bounds, ends, out)},
    {"SortValues", "input output", "of the first keys of segments", of_top_k_bounds(SCANTUNE_SORTED_PAIRS), false, cpp_of([](auto stream, auto keys, auto of, auto where, auto to, auto with) { runtime::segmented_top_k(keys, where, to, kItems, 1, kResults, {.values = {of, with}, .stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_top_k_pairs_plan<int, float, int>(n, 1, kResults, {.captured_launches = launches}); }, in, values, bounds, out, values_out)},
    {"SortValues", "input output", "of the first keys of ranges", of_top_k_ranges(SCANTUNE_SORTED_PAIRS), false, cpp_of([](auto stream, auto keys, auto of, auto first, auto last, auto to, auto with) { runtime::segmented_top_k(keys, first, last, to, kItems, 1, kResults, {.values = {of, with}, .stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_top_k_pairs_ranges_plan<int, float, int>(n, 1, kResults, {.captured_launches = launches}); }, in, values, bounds, ends, out, values_out)},
    {"SortIndices", "output", "of the first keys of segments", of_top_k_bounds(SCANTUNE_SORTED_KEYS_AND_INDICES), false, cpp_of([](auto stream, auto keys, auto where, auto to, auto places) { runtime::segmented_top_k(keys, where, to, kItems, 1, kResults, {.indices = places, .stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_top_k_indices_plan<int, std::uint32_t, int>(n, 1, kResults, {.captured_launches = launches}); }, in, bounds, out, more_numbers)},
    {"SortIndices", "output", "of the first keys of ranges", of_top_k_ranges(SCANTUNE_SORTED_KEYS_AND_INDICES), false, cpp_of([](auto stream, auto keys, auto first, auto last, auto to, auto places) { runtime::segmented_top_k(keys, first, last, to, kItems, 1, kResults, {.indices = places, .stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_top_k_indices_ranges_plan<int, std::uint32_t, int>(n, 1, kResults, {.captured_launches = launches}); }, in, bounds, ends, out, more_numbers)},
    {"runtime::segmented_argtop_k", "input offsets indices", "", of_top_k_bounds(SCANTUNE_SORTED_INDICES), false, cpp_of([](auto stream, auto... of) { runtime::segmented_argtop_k(of..., kItems, 1, kResults, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_argtop_k_plan<int, std::uint32_t, int>(n, 1, kResults, {.captured_launches = launches}); }, in, bounds, numbers)},
    {"runtime::segmented_argtop_k", "input begins ends indices", "of ranges", of_top_k_ranges(SCANTUNE_SORTED_INDICES), false, cpp_of([](auto stream, auto... of) { runtime::segmented_argtop_k(of..., kItems, 1, kResults, {.stream = stream}); }, [](u64 n, int launches) { return runtime::segmented_argtop_k_ranges_plan<int, std::uint32_t, int>(n, 1, kResults, {.captured_launches = launches}); }, in, bounds, ends, numbers)},
};
// clang-format on

bool works_in_workspace(const Use& use) {
  Arguments with(std::make_shared<FakeDevice>());
  use.prepare(with);
  const bool is_of_segments = with.top_k.segments == SCANTUNE_BY_OFFSETS;  // they need none
  return with.request != &with.balance.head && !is_of_segments;
}

// Calls that are made without a plan of the caller's. Those alone ask the driver about memory.
Calls calls_now(const Use& use, const Spoil& spoil) {
  const Spoil prepared = after(use.prepare, spoil);
  Calls calls = {spoiled(prepared, c_run), spoiled(prepared, [](Arguments& a) {
                   if (a.request != &a.scan.head || a.scan.segments > SCANTUNE_COLUMNS) return c_run(a);
                   return of_c(scantune_scan(&a.scan, address(a.input), address(a.output), a.on()));
                 })};
  if (use.cpp.now) calls.push_back(spoiled(prepared, cpp(use.cpp.now)));
  return calls;
}

// Runs of plans that are made before the arguments are spoiled.
Calls runs_of_plans(const Use& use, const Spoil& spoil, const Spoil& prepare, bool in_workspace) {
  const Spoil prepared = after(use.prepare, prepare);
  Calls calls = {in_workspace ? c_plan_run_in(spoil, prepared) : c_plan_run(spoil, prepared)};
  if (use.cpp.plan)
    calls.push_back(cpp([=](Arguments& with) {
      prepared(with);
      const CppPlan plan = use.cpp.plan(with.request->n, with.request->captured_launches);
      spoil(with);
      (in_workspace ? plan.run_in_workspace : plan.run)(with);
    }));
  return calls;
}

Calls all_calls(const Use& use, const Spoil& spoil) {
  return all_of({calls_now(use, spoil), runs_of_plans(use, spoil, of_nothing_else, false),
                 runs_of_plans(use, spoil, of_nothing_else, true)});
}

Calls calls_in_workspace(const Use& use, const Spoil& spoil) {
  return works_in_workspace(use) ? runs_of_plans(use, spoil, far_away, true) : Calls();
}
// Those that need more than what may lie between the last boundary and the end of memory.
Calls calls_in_wide_workspace(const Use& use, const Spoil& spoil) {
  Arguments with(std::make_shared<FakeDevice>());
  use.prepare(with);
  far_away(with);
  const bool is_wide = scantune_plan_workspace_bytes(made_plan(with).get()) > SCANTUNE_WORKSPACE_ALIGNMENT;
  return is_wide ? calls_in_workspace(use, spoil) : Calls();
}
Calls calls_that_lack_a_reserve(const Use& use, const Spoil& spoil) {
  return works_in_workspace(use) ? runs_of_plans(use, spoil, far_away, false) : Calls();
}

constexpr const char* kRoles[SCANTUNE_ROLES] = {"input",         "output",      "indices",  "flags", "values",
                                                "values_output", "second",      "rejected", "count", "second_indices",
                                                "keys",          "keys_output", "begins",   "ends"};
std::string constant_of(int role) {
  std::string constant = std::string("SCANTUNE_") + kRoles[role];
  for (char& letter : constant) letter = static_cast<char>(std::toupper(letter));
  return constant;
}

std::string hex(std::uintptr_t where) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(where));
  return text;
}

class ArraysOf : public ::testing::TestWithParam<Use> {
 protected:
  ArraysOf() {
    set_current_device(device_);
    GetParam().prepare(right_);
    Room room;
    const c_api::Asked asked = c_api::checked_request(right_.request, room);
    const Operands operands(asked.request);
    all_.assign(operands.list().begin(), operands.list().end());
  }

  using Room = c_api::Room;
  static std::uintptr_t& array(Arguments& with, const RequestOperand& of) {
    return with.*Arguments::kOfRole[static_cast<int>(of.role)];
  }
  std::uintptr_t right(const RequestOperand& of) { return array(right_, of); }

  // Expects calls to be refused with the texts if the array lies elsewhere.
  void expect_refused_at(const RequestOperand& of, std::uintptr_t where, const std::vector<std::string>& texts,
                         Calls (*calls)(const Use&, const Spoil&) = all_calls) {
    const auto move = [=](Arguments& with) { array(with, of) = where; };
    const std::string what = "at " + hex(where);
    SCOPED_TRACE(std::string(of.name) + ' ' + what);
    expect_refused(BadInput{GetParam().entry, of.name, what.c_str(), calls(GetParam(), move), texts});
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  Arguments right_{device_};
  std::vector<RequestOperand> all_;
};

TEST_P(ArraysOf, ArePutWhereKernelsFindThem) {
  for (const Call& call : all_calls(GetParam(), of_nothing_else)) {
    Arguments with(device_);
    EXPECT_EQ(call(with).text, "");
    ASSERT_FALSE(device_->launched.empty());
    const scantune_arrays passed = with.arrays();
    for (const auto& launched : device_->launched) {
      for (int role = 0; role < SCANTUNE_ROLES; ++role)
        EXPECT_EQ(launched.arguments.operand(static_cast<OperandRole>(role)), passed.of[role]) << "role " << role;
      EXPECT_EQ(launched.arguments.n, kItems);
    }
    device_->launched.clear();
  }
}

TEST_P(ArraysOf, AreAllNamedByTheFunction) {
  std::istringstream text(GetParam().arguments);
  const auto named = std::distance(std::istream_iterator<std::string>(text), {});
  if (std::string(GetParam().entry).starts_with("runtime::")) {
    EXPECT_EQ(static_cast<std::size_t>(named), all_.size());
  }
}

TEST_P(ArraysOf, AreOfOneRequestInBothLanguages) {
  if (!GetParam().cpp.plan) return;
  const PlanOwner plan = made_plan(right_);
  EXPECT_EQ(GetParam().cpp.plan(kItems, 1).description, scantune_plan_description(plan.get()));
}

TEST_P(ArraysOf, MayNotBeNull) {
  for (const RequestOperand& of : all_) {
    const std::string role = kRoles[static_cast<int>(of.role)];
    const std::string name = of.name == role ? role : of.name + (" (the " + role + ")");
    expect_refused_at(of, 0, {name + " is null, and n is 500: pass memory of the device"});
  }
}

TEST_P(ArraysOf, SuitTheirTypes) {
  for (const RequestOperand& of : all_) {
    if (of.alignment == 1) continue;
    for (const int off : {1, of.alignment / 2}) {
      const std::uintptr_t where = right(of) + static_cast<std::uintptr_t>(off);
      expect_refused_at(of, where,
                        {of.name + (" is " + hex(where)),
                         "which is not a multiple of the " + std::to_string(of.alignment) + " bytes"});
    }
  }
}

TEST_P(ArraysOf, EndBeforeTheAddressSpaceDoes) {
  for (const RequestOperand& of : all_) {
    const std::uintptr_t last = kEnd - of.bytes() + static_cast<std::uintptr_t>(of.alignment);
    for (const std::uintptr_t where : {last / 32 * 32 + 32, kEnd / 32 * 32})
      if (where > kEnd - of.bytes())
        expect_refused_at(of, where, {of.name + (" is " + hex(where)), "pass the end of the address space"});
  }
}

TEST_P(ArraysOf, AreMemoryOfTheDevice) {
  for (const RequestOperand& of : all_)
    expect_refused_at(of, kHost, {of.name + std::string(": "), "memory of the host"}, calls_now);
}

// An output that begins in the last item of another array, that ends in its first, and that takes its place.
TEST_P(ArraysOf, DoNotOverlap) {
  for (const RequestOperand& output : all_) {
    if (!is_written(output.role)) continue;
    for (const RequestOperand& other : all_) {
      if (&other == &output) continue;
      const std::uintptr_t there = right(other), alignment = static_cast<std::uintptr_t>(output.alignment);
      const bool is_pair = output.role == OperandRole::output && other.role == OperandRole::input;
      const bool may_coincide = is_pair && GetParam().may_be_in_place;
      const std::string how =
          may_coincide ? " overlap: they must be the same range or not overlap" : " overlap: they must not overlap";
      const std::uintptr_t last = there + (other.bytes() - 1) / alignment * alignment;
      for (const std::uintptr_t where : {last, there - static_cast<std::uintptr_t>(output.bytes()) + alignment, there})
        if (where != there || !may_coincide)
          expect_refused_at(output, where, {output.name + (" [" + hex(where)), other.name + (" [" + hex(there)), how});
      if (may_coincide) expect_right({all_calls(GetParam(), [&](Arguments& with) { array(with, output) = there; })});
    }
  }
}

TEST_P(ArraysOf, AreThoseOfTheRequestAlone) {
  const scantune_arrays passed = right_.arrays();
  for (int role = 0; role < SCANTUNE_ROLES; ++role) {
    if (passed.of[role] != nullptr) continue;
    const auto give = [=](Arguments& with) { with.*Arguments::kOfRole[role] = 0x70000000; };
    const std::string given = kRoles[role] + std::string(" is given, and the request has ");
    expect_refused(BadInput{"scantune_arrays",
                            "of",
                            kRoles[role],
                            c_arrays(give, GetParam().prepare),
                            {given, " alone: leave " + constant_of(role) + " NULL"}});
  }
}

// What is wrong beside the arrays.
struct Wrong {
  const char* entry;
  const char* argument;
  const char* what;
  Calls (*calls)(const Use&, const Spoil&);
  Spoil spoil;
  std::vector<std::string> texts;
};

void of_another_context(Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }
void overlapping(Arguments& a) {
  a.output = a.input + 8;
  of_another_context(a);
}
void captured(Arguments& a) { a.device->begin_capture(a.stream, 1); }

// clang-format off
const std::vector<Wrong> kWrong = {
    {"scantune_plan_run Plan::operator()", "workspace", "null", calls_in_workspace, [](Arguments& a) { a.workspace = 0; }, {" items", ": workspace.memory is null, and one run needs ", "pass memory of the device"}},
    {"scantune_workspace", "memory", "misaligned", calls_in_workspace, [](Arguments& a) { a.workspace += 8; }, {"workspace.memory is 0xd000008, which is not a multiple of 16 bytes: multiples of 256 are fastest"}},
    {"scantune_workspace", "memory", "at the end of memory", calls_in_wide_workspace, [](Arguments& a) { a.workspace = kEnd - 255; }, {"workspace [0xffffffffffffff00, +", "passes the end of the address space"}},
    {"scantune_workspace", "bytes", "too few", calls_in_workspace, [](Arguments& a) { a.workspace_bytes = 100; }, {"workspace.bytes is 100, and one run needs ", "ask the plan how many it needs"}},
    {"scantune_workspace", "bytes", "none", calls_in_workspace, [](Arguments& a) { a.workspace_bytes = 0; }, {"workspace.bytes is 0, and one run needs "}},
    {"scantune_workspace", "memory", "in the input", calls_in_workspace, [](Arguments& a) { a.workspace = a.input + 4096; }, {"workspace [0x10000001000, +", " and input [0x10000000000, +", " bytes) overlap: they must not overlap"}},
    {"scantune_workspace", "memory", "that ends in the input", calls_in_wide_workspace, [](Arguments& a) { a.workspace = a.input - 256; }, {" and input [0x10000000000, +", " bytes) overlap: they must not overlap"}},
    {"scantune_workspace", "memory", "around the output", calls_in_workspace, [](Arguments& a) { a.workspace = a.output; }, {"workspace [0x20000000000, +", " [0x20000000000, +", " bytes) overlap: they must not overlap"}},
    {"scantune_run scantune_scan ScanOptions ReduceOptions ArgOptions SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions LoadBalanceOptions ExpandOptions SortOptions ArgsortOptions", "stream", "of another context", calls_now, of_another_context, {"stream: it belongs to another context"}},
    {"scantune_run scantune_scan ScanOptions ReduceOptions ArgOptions SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions LoadBalanceOptions ExpandOptions SortOptions ArgsortOptions", "stream", "captured, of an unknown problem", calls_now, captured, {"being captured", "make a plan before"}},
    {"scantune_plan_run Plan::operator()", "stream", "of another context, beside an overlap", all_calls, overlapping, {"stream: it belongs to another context"}},
    {"scantune_plan_run Plan::operator()", "stream", "of another context, beside an overlap, in a workspace", calls_in_workspace, overlapping, {"stream: it belongs to another context"}},
    {"scantune_plan_run Plan::operator()", "stream", "captured without a reserve", calls_that_lack_a_reserve, captured, {"being captured", "captured_launches"}},
};
// clang-format on

TEST_P(ArraysOf, AreNotLookedAtWhereWorkspaceOrStreamAreWrong) {
  for (const Wrong& wrong : kWrong) {
    SCOPED_TRACE(std::string(wrong.argument) + ' ' + wrong.what);
    expect_refused(
        BadInput{wrong.entry, wrong.argument, wrong.what, wrong.calls(GetParam(), wrong.spoil), wrong.texts});
  }
}

TEST_P(ArraysOf, AreRightUntilARowSpoilsThem) { expect_right({calls_in_workspace(GetParam(), of_nothing_else)}); }

TEST_P(ArraysOf, OfWarmCallsNeedNoAllocation) {
  const PlanOwner plan = made_plan(right_);
  const scantune_arrays arrays = right_.arrays();
  device_->launched.reserve(100);
  const std::function<scantune_status()> calls[] = {
      [&] { return scantune_run(right_.request, &arrays, nullptr); },
      [&] { return scantune_plan_run(plan.get(), &arrays, nullptr, nullptr); }};
  for (const auto& call : calls) {
    ASSERT_EQ(call(), SCANTUNE_OK) << scantune_error_message();
    const long before = allocation_count;
    EXPECT_EQ(call(), SCANTUNE_OK) << scantune_error_message();
    EXPECT_EQ(allocation_count, before);
  }
}

// One captured launch has memory of its own, and a second one has none.
TEST_P(ArraysOf, MayBeCapturedAsOftenAsThePlanSays) {
  if (!works_in_workspace(GetParam()) || !GetParam().cpp.plan) return;
  far_away(right_);
  const CppPlan plan = GetParam().cpp.plan(kTiles, 1);
  plan.run(right_);
  captured(right_);
  const int calls = device_->driver_calls;
  plan.run(right_);
  EXPECT_EQ(device_->driver_calls, calls);
  EXPECT_THROW(plan.run(right_), RequestError);
  device_->destroy_graph(1);
}

TEST_P(ArraysOf, OfALaterHeaderAreServedUnlessItsRequestSetsWhatIsUnknown) {
  std::vector<std::uint64_t> later(right_.request->struct_bytes / sizeof(std::uint64_t) + 1);
  std::memcpy(later.data(), right_.request, right_.request->struct_bytes);
  right_.request = reinterpret_cast<scantune_head*>(later.data());
  right_.request->struct_bytes += sizeof(std::uint64_t);
  EXPECT_EQ(c_run(right_).text, "");
  later.back() = 1;
  EXPECT_TRUE(contains(c_run(right_).text, "newer header")) << scantune_error_message();
}

INSTANTIATE_TEST_SUITE_P(Calls, ArraysOf, ::testing::ValuesIn(kUses));

}  // namespace
}  // namespace scantune::testing
