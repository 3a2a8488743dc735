// Wrong arguments of load balances, in C and in C++, and the message about each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

void of_ranks(Arguments& with) {
  with.balance.assigned = SCANTUNE_SEGMENT_AND_RANK;
  with.balanced.rank_of = address(kIndex);
}

void of_values(Arguments& with) {
  with.balance.assigned = SCANTUNE_VALUE_OF;
  with.balanced.segment_of = nullptr;
  with.balanced.values = address(kValues);
  with.balanced.output = address(kOutput);
}

Outcome c_balance(Arguments& with) { return of_c(scantune_load_balance(&with.balance, &with.balanced, with.on())); }

Outcome c_balance_plan_create(Arguments& with) {
  scantune_plan* plan = nullptr;
  const Outcome outcome = of_c(scantune_load_balance_plan_create(&with.balance, &plan));
  EXPECT_EQ(plan == nullptr, outcome.status != SCANTUNE_OK);
  scantune_plan_destroy(plan);
  return outcome;
}

PlanOwner balance_plan(const Arguments& with) {
  scantune_plan* plan = nullptr;
  EXPECT_EQ(scantune_load_balance_plan_create(&with.balance, &plan), SCANTUNE_OK) << scantune_error_message();
  return {plan, &scantune_plan_destroy};
}

// Calls with a wrong load balance.
Calls c_balance_with(const std::function<void(scantune_balance&)>& spoil, const Spoil& prepare = of_nothing_else) {
  const Spoil in_arguments = after(prepare, [=](Arguments& with) { spoil(with.balance); });
  return {spoiled(in_arguments, c_balance), spoiled(in_arguments, c_balance_plan_create)};
}

// Calls and runs of plans with wrong arrays.
Calls c_balanced(const Spoil& spoil, const Spoil& prepare = of_nothing_else) {
  return {spoiled(after(prepare, spoil), c_balance), [=](Arguments& with) {
            prepare(with);
            const PlanOwner plan = balance_plan(with);
            spoil(with);
            return of_c(scantune_plan_run_load_balance(plan.get(), &with.balanced, with.on()));
          }};
}

const std::uint32_t* offsets_of(const Arguments& with) {
  return static_cast<const std::uint32_t*>(with.balanced.offsets);
}
std::uint32_t* segment_of(const Arguments& with) { return static_cast<std::uint32_t*>(with.balanced.segment_of); }
std::uint32_t* rank_of(const Arguments& with) { return static_cast<std::uint32_t*>(with.balanced.rank_of); }

Calls cpp_balance(const Spoil& spoil) {
  return now_and_by_plan(
      after(of_ranks, spoil),
      [](Arguments& a) {
        runtime::load_balance(offsets_of(a), kSegments, segment_of(a), kItems,
                              {.rank_of = rank_of(a), .stream = a.stream});
      },
      [] {
        return runtime::load_balance_plan<std::uint32_t, std::uint32_t>(
            kSegments, kItems, {.assigned = runtime::Assigned::segments_and_ranks});
      },
      [](const auto& plan, Arguments& a) { plan(offsets_of(a), segment_of(a), rank_of(a), a.stream); });
}

Calls cpp_expand(const Spoil& spoil) {
  return now_and_by_plan(
      after(of_values, spoil),
      [](Arguments& a) {
        runtime::expand(offsets_of(a), kSegments, static_cast<const int*>(a.balanced.values),
                        static_cast<int*>(a.balanced.output), kItems, {.stream = a.stream});
      },
      [] { return runtime::expand_plan<std::uint32_t, int>(kSegments, kItems); },
      [](const auto& plan, Arguments& a) {
        plan(offsets_of(a), static_cast<const int*>(a.balanced.values), static_cast<int*>(a.balanced.output), a.stream);
      });
}

Calls balancing(const Spoil& spoil) {
  return all_of({c_balanced(spoil), c_balanced(spoil, of_ranks), cpp_balance(spoil)});
}
Calls expanding(const Spoil& spoil) { return all_of({c_balanced(spoil, of_values), cpp_expand(spoil)}); }

// Those that ask the driver about memory and stream.
Calls balancing_without_plan(const Spoil& spoil) {
  return {spoiled(spoil, c_balance), spoiled(after(of_values, spoil), c_balance), cpp_balance(spoil)[0],
          cpp_expand(spoil)[0]};
}

// The same options of all functions.
Calls balance_options(const runtime::ExpandOptions& wrong, u64 segments = kSegments, u64 n = kItems) {
  const auto with_these = [&](auto options) {
    options.check = wrong.check;
    options.latency = wrong.latency;
    options.config = wrong.config;
    return options;
  };
  const auto now = with_these(runtime::LoadBalanceOptions<std::uint32_t>());
  const auto by_plan = with_these(runtime::LoadBalancePlanOptions());
  return {cpp([=](Arguments& a) { runtime::load_balance(offsets_of(a), segments, segment_of(a), n, now); }),
          cpp([=](Arguments& a) {
            runtime::expand(offsets_of(a), segments, static_cast<const int*>(address(kValues)),
                            static_cast<int*>(address(kRejected)), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::load_balance_plan<std::uint32_t, std::uint32_t>(segments, n, by_plan); }),
          cpp([=](Arguments&) { runtime::expand_plan<std::uint32_t, int>(segments, n, wrong); })};
}

// A check of a stream that is being captured, by functions and by plans that were made before.
Calls checking(const Spoil& spoil) {
  const auto check = [](Arguments& with) { with.balance.check = 1; };
  return {
      spoiled(after(check, spoil), c_balance),
      [=](Arguments& with) {
        check(with);
        const PlanOwner plan = balance_plan(with);
        spoil(with);
        return of_c(scantune_plan_run_load_balance(plan.get(), &with.balanced, with.on()));
      },
      cpp([=](Arguments& a) {
        spoil(a);
        runtime::load_balance(offsets_of(a), kSegments, segment_of(a), kItems, {.check = true, .stream = a.stream});
      }),
      cpp([=](Arguments& a) {
        const auto plan = runtime::load_balance_plan<std::uint32_t, std::uint32_t>(kSegments, kItems, {.check = true});
        spoil(a);
        plan(offsets_of(a), segment_of(a), nullptr, a.stream);
      }),
      cpp([=](Arguments& a) {
        spoil(a);
        runtime::expand(offsets_of(a), kSegments, static_cast<const int*>(address(kValues)),
                        static_cast<int*>(address(kRejected)), kItems, {.check = true, .stream = a.stream});
      }),
      cpp([=](Arguments& a) {
        const auto plan = runtime::expand_plan<std::uint32_t, int>(kSegments, kItems, {.check = true});
        spoil(a);
        plan(offsets_of(a), static_cast<const int*>(address(kValues)), static_cast<int*>(address(kRejected)), a.stream);
      })};
}

using BadInput = BadInputOf<Arguments>;

// clang-format off
const std::vector<BadInput> kBadBalances = {
    // A load balance.
    {"scantune_balance", "struct_bytes", "left out", c_balance_with([](auto& b) { b.struct_bytes = 0; }), {"struct_bytes is 0", "scantune_balance", "SCANTUNE_BALANCE_INIT"}},
    {"scantune_balance", "n", "more items than an address space", c_balance_with([](auto& b) { b.n = ~u64{0}; b.offset_type = b.output_type = SCANTUNE_U64; }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_balance", "n", "more items than offsets count", c_balance_with([](auto& b) { b.n = u64{1} << 32; b.output_type = SCANTUNE_U64; }), {"there are more items than the offsets' type counts: pass 64 bits"}},
    {"scantune_balance", "n", "more items than signed offsets count", c_balance_with([](auto& b) { b.n = u64{1} << 31; b.offset_type = SCANTUNE_I32; }), {"there are more items than the offsets' type counts"}},
    {"scantune_balance", "n", "more items than ranks count", c_balance_with([](auto& b) { b.n = (u64{1} << 31) + 1; b.output_type = SCANTUNE_I32; }, of_ranks), {"a segment may hold more items than output_type has ranks for: ask for 64 bits"}},
    {"scantune_balance", "n", "more items than a grid can have", {spoiled([](Arguments& a) { a.balance.n = u64{1} << 50; a.balance.offset_type = SCANTUNE_U64; a.balanced.segment_of = address(std::uintptr_t{1} << 60); }, c_balance)}, {"more tiles than a grid"}},
    {"scantune_balance", "segments", "none of some items", c_balance_with([](auto& b) { b.segments = 0; }), {"there are items and no segments to hold them"}},
    {"scantune_balance", "segments", "more than an address space", c_balance_with([](auto& b) { b.segments = ~u64{0}; b.output_type = SCANTUNE_U64; }), {"segments is 18446744073709551615", "more items than fit"}},
    {"scantune_balance", "segments", "more than there are numbers for", c_balance_with([](auto& b) { b.segments = (u64{1} << 32) + 1; }), {"there are more segments than output_type has numbers for: ask for 64 bits"}},
    {"scantune_balance", "offset_type", "left out", c_balance_with([](auto& b) { b.offset_type = SCANTUNE_DEFAULT_TYPE; }), {"offset_type is 0", "scantune_type"}},
    {"scantune_balance", "offset_type", "no type", c_balance_with([](auto& b) { write(b.offset_type, 14); }), {"offset_type is 14", "1 to 13"}},
    {"scantune_balance", "offset_type", "too narrow", c_balance_with([](auto& b) { b.offset_type = SCANTUNE_U16; }), {"offsets are integers of 4 or 8 bytes: i32, i64, u32 or u64"}},
    {"scantune_balance", "offset_type", "a floating-point type", c_balance_with([](auto& b) { b.offset_type = SCANTUNE_F32; }), {"offsets are integers of 4 or 8 bytes"}},
    {"scantune_balance", "offset_type", "a struct", c_balance_with([](auto& b) { b.offset_type = SCANTUNE_CUSTOM_TYPE; }), {"offset_type is SCANTUNE_CUSTOM_TYPE", "integers of 4 or 8 bytes"}},
    {"scantune_balance", "assigned", "no choice", c_balance_with([](auto& b) { write(b.assigned, 4); }), {"assigned is 4", "scantune_assigned", "0 to 3"}},
    {"scantune_balance", "output_type", "no type", c_balance_with([](auto& b) { write(b.output_type, 99); }), {"output_type is 99"}},
    {"scantune_balance", "output_type", "too narrow", c_balance_with([](auto& b) { b.output_type = SCANTUNE_U8; }), {"segments and ranks are integers of 4 or 8 bytes"}},
    {"scantune_balance", "output_type", "a struct of segments", c_balance_with([](auto& b) { b.output_type = SCANTUNE_CUSTOM_TYPE; b.value_bytes = b.value_alignment = 4; }), {"segments and ranks are numbers"}},
    {"scantune_balance", "output_type", "left out, of values", c_balance_with([](auto& b) { b.output_type = SCANTUNE_DEFAULT_TYPE; }, of_values), {"output_type is SCANTUNE_DEFAULT_TYPE, and assigned is SCANTUNE_VALUE_OF", "name the type"}},
    {"scantune_balance", "value_bytes", "of a built-in type", c_balance_with([](auto& b) { b.value_bytes = 4; }, of_values), {"value_bytes is 4", "must be 0"}},
    {"scantune_balance", "value_bytes", "too many", c_balance_with([](auto& b) { b.output_type = SCANTUNE_CUSTOM_TYPE; b.value_bytes = 33; b.value_alignment = 1; }, of_values), {"value_bytes is 33", "1 to 32"}},
    {"scantune_balance", "value_alignment", "that does not divide the size", c_balance_with([](auto& b) { b.output_type = SCANTUNE_CUSTOM_TYPE; b.value_bytes = 12; b.value_alignment = 8; }, of_values), {"value_alignment is 8", "divide value_bytes, which is 12"}},
    {"scantune_balance", "value_alignment", "of a built-in type", c_balance_with([](auto& b) { b.value_alignment = 4; }), {"value_alignment is 4", "must be 0"}},
    {"scantune_balance", "latency", "no latency", c_balance_with([](auto& b) { write(b.latency, 2); }), {"latency is 2"}},
    {"scantune_balance", "segments", "too many to check", c_balance_with([](auto& b) { b.segments = u64{1} << 61; b.offset_type = SCANTUNE_I64; b.output_type = SCANTUNE_U64; b.check = 1; }), {"more items than fit in the address space"}},
    {"scantune_balance", "check", "no choice", c_balance_with([](auto& b) { b.check = 2; }), {"check is 2", "0 or 1"}},
    {"scantune_balance LoadBalanceOptions LoadBalancePlanOptions ExpandOptions", "check", "of a stream that is captured", checking([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"check is set, and the stream is being captured", "leave it out"}},
    {"scantune_balance LoadBalanceOptions LoadBalancePlanOptions ExpandOptions", "check", "of no offsets", checking([](Arguments& a) { a.balanced.offsets = nullptr; }), {"offsets is null, and check reads 11 of them"}},
    {"scantune_balance", "check", "of misaligned offsets", checking([](Arguments& a) { a.balanced.offsets = address(kInput + 2); }), {"offsets is not a multiple of the 4 bytes"}},
    {"scantune_balance", "check", "of memory of the host", checking([](Arguments& a) { a.balanced.offsets = address(kHost); }), {"offsets: ", "memory of the host"}},
    {"scantune_balance", "config", "empty", c_balance_with([](auto& b) { b.config = ""; }), {"config is empty", "NULL to have one chosen"}},
    {"scantune_balance", "config", "of a scan's family", c_balance_with([](auto& b) { b.config = "{\"family\": \"lookback\"}"; }), {"config.family must name a family of load_balance", "found \"lookback\""}},
    {"scantune_balance", "config", "that is not legal, of no items", c_balance_with([](auto& b) { b.n = 0; b.config = "{\"family\": \"load_balance_merge\", \"block_threads\": 0}"; }), {"config: load_balance_merge{block_threads=0"}},
    {"scantune_balance_arrays", "struct_bytes", "left out", c_balanced([](Arguments& a) { a.balanced.struct_bytes = 0; }), {"arrays.struct_bytes is 0", "SCANTUNE_BALANCE_ARRAYS_INIT"}},
    {"scantune_balance_arrays runtime::load_balance LoadBalancePlan::operator()", "offsets", "null", balancing([](Arguments& a) { a.balanced.offsets = nullptr; }), {"offsets is null, and n is 1000"}},
    {"scantune_balance_arrays runtime::expand ExpandPlan::operator()", "offsets", "null", expanding([](Arguments& a) { a.balanced.offsets = nullptr; }), {"offsets is null, and n is 1000"}},
    {"scantune_balance_arrays", "offsets", "misaligned", balancing([](Arguments& a) { a.balanced.offsets = address(kInput + 2); }), {"offsets is 0x1000002", "multiple of the 4 bytes"}},
    {"scantune_balance_arrays", "offsets", "at the end of memory", balancing([](Arguments& a) { a.balanced.offsets = address(kEnd - 4 * kSegments + 1); }), {"offsets", "end of the address space"}},
    {"scantune_balance_arrays", "offsets", "memory of the host", balancing_without_plan([](Arguments& a) { a.balanced.offsets = address(kHost); }), {"offsets: ", "memory of the host"}},
    {"scantune_balance_arrays runtime::load_balance LoadBalancePlan::operator()", "segment_of", "null", both(c_balanced([](Arguments& a) { a.balanced.segment_of = nullptr; }), {cpp_balance([](Arguments& a) { a.balanced.segment_of = nullptr; })[1], cpp([](Arguments& a) { runtime::load_balance(offsets_of(a), kSegments, static_cast<std::uint32_t*>(nullptr), kItems); })}), {"segment_of is null"}},
    {"scantune_balance_arrays", "segment_of", "misaligned", balancing([](Arguments& a) { a.balanced.segment_of = address(kOutput + 1); }), {"segment_of is 0x9000001"}},
    {"scantune_balance_arrays", "segment_of", "the offsets", balancing([](Arguments& a) { a.balanced.segment_of = address(kInput); }), {"offsets [0x1000000, +44 bytes) and segment_of [0x1000000, +4000 bytes) overlap: they must lie apart"}},
    {"scantune_balance_arrays", "segment_of", "before the last offset", balancing([](Arguments& a) { a.balanced.segment_of = address(kInput + 4 * kSegments); }), {"offsets [0x1000000, +44 bytes) and segment_of [0x1000028", "overlap: they must lie apart"}},
    {"scantune_balance_arrays", "segment_of", "as long as the offsets, and these", c_balanced([](Arguments& a) { a.balanced.segment_of = address(kInput); }, [](Arguments& a) { a.balance.segments = kItems - 1; }), {"overlap: they must lie apart"}},
    {"scantune_balance_arrays", "segment_of", "of ranks alone", c_balanced([](Arguments& a) { a.balanced.segment_of = address(kOutput); }, [](Arguments& a) { a.balance.assigned = SCANTUNE_RANK_OF; a.balanced.rank_of = address(kIndex); a.balanced.segment_of = nullptr; }), {"segment_of is given, and assigned is SCANTUNE_RANK_OF: leave it NULL"}},
    {"scantune_balance_arrays LoadBalancePlan::operator()", "rank_of", "null", both(c_balanced([](Arguments& a) { a.balanced.rank_of = nullptr; }, of_ranks), {cpp_balance([](Arguments& a) { a.balanced.rank_of = nullptr; })[1]}), {"rank_of is null"}},
    {"scantune_balance_arrays LoadBalanceOptions LoadBalancePlan::operator()", "rank_of", "the segments", both(c_balanced([](Arguments& a) { a.balanced.rank_of = a.balanced.segment_of; }, of_ranks), cpp_balance([](Arguments& a) { a.balanced.rank_of = a.balanced.segment_of; })), {"rank_of [0x9000000, +4000 bytes)", "overlap: they must lie apart"}},
    {"scantune_balance_arrays LoadBalanceOptions LoadBalancePlan::operator()", "rank_of", "misaligned", both(c_balanced([](Arguments& a) { a.balanced.rank_of = address(kIndex + 2); }, of_ranks), cpp_balance([](Arguments& a) { a.balanced.rank_of = address(kIndex + 2); })), {"rank_of is 0xb000002"}},
    {"scantune_balance_arrays", "rank_of", "of segments alone", c_balanced([](Arguments& a) { a.balanced.rank_of = address(kIndex); }), {"rank_of is given, and assigned is SCANTUNE_SEGMENT_OF: leave it NULL"}},
    {"scantune_balance_arrays runtime::expand ExpandPlan::operator()", "values", "null", expanding([](Arguments& a) { a.balanced.values = nullptr; }), {"values is null"}},
    {"scantune_balance_arrays runtime::expand ExpandPlan::operator()", "values", "misaligned", expanding([](Arguments& a) { a.balanced.values = address(kValues + 2); }), {"values is 0x3000002"}},
    {"scantune_balance_arrays", "values", "of segments", c_balanced([](Arguments& a) { a.balanced.values = address(kValues); }), {"values is given, and assigned is SCANTUNE_SEGMENT_OF: leave it NULL"}},
    {"scantune_balance_arrays runtime::expand ExpandPlan::operator()", "output", "null", expanding([](Arguments& a) { a.balanced.output = nullptr; }), {"output is null"}},
    {"scantune_balance_arrays runtime::expand ExpandPlan::operator()", "output", "the values", expanding([](Arguments& a) { a.balanced.output = address(kValues); }), {"values [0x3000000, +40 bytes)", "output [0x3000000, +4000 bytes)", "overlap: they must lie apart"}},
    {"scantune_balance_arrays", "output", "of segments", c_balanced([](Arguments& a) { a.balanced.output = address(kOutput); }), {"output is given, and assigned is SCANTUNE_SEGMENT_OF: leave it NULL"}},

    // Functions of load balances.
    {"scantune_load_balance scantune_load_balance_plan_create", "balance", "null", {[](Arguments& a) { return of_c(scantune_load_balance(nullptr, &a.balanced, nullptr)); }, [](Arguments&) { scantune_plan* plan = nullptr; return of_c(scantune_load_balance_plan_create(nullptr, &plan)); }}, {"balance is NULL"}},
    {"scantune_load_balance scantune_plan_run_load_balance", "arrays", "null", {[](Arguments& a) { return of_c(scantune_load_balance(&a.balance, nullptr, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_load_balance(balance_plan(a).get(), nullptr, nullptr)); }}, {"arrays is NULL"}},
    {"scantune_load_balance_plan_create", "plan", "null", {[](Arguments& a) { return of_c(scantune_load_balance_plan_create(&a.balance, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_load_balance", "plan", "null", {[](Arguments& a) { return of_c(scantune_plan_run_load_balance(nullptr, &a.balanced, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_load_balance", "plan", "of a scan or a selection", {[](Arguments& a) { return of_c(scantune_plan_run_load_balance(made_plan(a, scantune_plan_create).get(), &a.balanced, nullptr)); }}, {"the plan is of no load balance: run it by scantune_plan_run(), or make one by scantune_load_balance_plan_create()"}},
    {"scantune_plan_run_load_balance", "plan", "of a selection", {[](Arguments& a) { return of_c(scantune_plan_run_load_balance(select_plan(a).get(), &a.balanced, nullptr)); }}, {"the plan is of a selection: run it by scantune_plan_run_select()"}},
    {"scantune_plan_run scantune_plan_run_select", "plan", "of a load balance", {[](Arguments& a) { return of_c(scantune_plan_run(balance_plan(a).get(), a.in(), a.out(), nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_select(balance_plan(a).get(), &a.arrays, nullptr)); }}, {"the plan is of a load balance: run it by scantune_plan_run_load_balance()"}},
    {"scantune_plan_run_in scantune_plan_run_select_in", "plan", "of a load balance", {[](Arguments& a) { return of_c(scantune_plan_run_in(balance_plan(a).get(), a.in(), a.out(), nullptr, 0, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_select_in(balance_plan(a).get(), &a.arrays, nullptr, 0, nullptr)); }}, {"run it by scantune_plan_run_load_balance(), for it needs no workspace"}},
    {"scantune_load_balance LoadBalanceOptions ExpandOptions", "stream", "of another context", balancing_without_plan([](Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: ", "another context"}},
    {"scantune_load_balance LoadBalanceOptions ExpandOptions", "stream", "captured, of an unknown problem", balancing_without_plan([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"being captured", "make a plan before"}},
    {"scantune_plan_run_load_balance LoadBalancePlan::operator() ExpandPlan::operator()", "stream", "of another context, beside an overlap", both(balancing([](Arguments& a) { a.balanced.segment_of = address(kInput); a.device->streams.at(a.stream).problem = "it belongs to another context"; }), expanding([](Arguments& a) { a.balanced.output = address(kInput); a.device->streams.at(a.stream).problem = "it belongs to another context"; })), {"stream: it belongs to another context"}},
    {"runtime::load_balance runtime::expand runtime::load_balance_plan runtime::expand_plan", "segments", "none of some items", balance_options({}, 0), {"there are items and no segments to hold them"}},
    {"runtime::load_balance runtime::expand runtime::load_balance_plan runtime::expand_plan", "n", "more items than offsets count", balance_options({}, kSegments, u64{1} << 32), {"there are more items than the offsets' type counts"}},
    {"LoadBalanceOptions LoadBalancePlanOptions ExpandOptions", "latency", "no latency", balance_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"LoadBalanceOptions LoadBalancePlanOptions ExpandOptions", "config", "with a null character", balance_options({.config = kWithNull}), {"config holds a null character"}},
    {"LoadBalancePlanOptions", "assigned", "no choice", {cpp([](Arguments&) { runtime::load_balance_plan<std::uint32_t, std::uint32_t>(kSegments, kItems, {.assigned = static_cast<runtime::Assigned>(9)}); })}, {"assigned is 9"}},
};
// clang-format on

class BadBalances : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadBalances, AreRefusedWithTheirNameBeforeAnythingIsLaunchedOrAllocated) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadBalances, ::testing::ValuesIn(kBadBalances));

TEST(SpoiledBalances, AreRightUntilARowSpoilsThem) {
  expect_right({c_balance_with([](auto&) {}), c_balance_with([](auto&) {}, of_ranks),
                c_balance_with([](auto&) {}, of_values), balancing([](Arguments&) {}), expanding([](Arguments&) {}),
                balancing_without_plan([](Arguments&) {}), balance_options({}), checking([](Arguments&) {})});
}

}  // namespace
}  // namespace scantune::testing
