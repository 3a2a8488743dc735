// Wrong arguments of load balances, in C and in C++, and the message about each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

void of_segments(Arguments& with) { with.request = &with.balance.head; }

void of_ranks(Arguments& with) {
  of_segments(with);
  with.balance.assigned = SCANTUNE_SEGMENT_AND_RANK;
  with.position = kIndex;
}

void of_values(Arguments& with) {
  of_segments(with);
  with.balance.assigned = SCANTUNE_VALUE_OF;
  with.values = kValues;
}

Outcome c_balance(Arguments& with) {
  of_segments(with);
  return c_run(with);
}

// Calls with a wrong load balance.
Calls c_balance_with(const std::function<void(scantune_load_balance_request&)>& spoil,
                     const Spoil& prepare = of_segments) {
  return c_request([=](Arguments& with) { spoil(with.balance); }, prepare);
}

// Calls and runs of plans with wrong arrays.
Calls c_balanced(const Spoil& spoil, const Spoil& prepare = of_segments) { return c_arrays(spoil, prepare); }

const std::uint32_t* offsets_of(const Arguments& with) {
  return static_cast<const std::uint32_t*>(address(with.input));
}
std::uint32_t* segment_of(const Arguments& with) { return static_cast<std::uint32_t*>(address(with.output)); }
std::uint32_t* rank_of(const Arguments& with) { return with.at<std::uint32_t>(); }

Calls cpp_balance(const Spoil& spoil) {
  return now_and_by_plan(
      spoil,
      [](Arguments& a) {
        runtime::load_balance(offsets_of(a), kSegments, segment_of(a), kItems,
                              {.rank_of = rank_of(a), .stream = a.stream});
      },
      [] { return runtime::segments_and_ranks_plan<std::uint32_t, std::uint32_t>(kSegments, kItems); },
      [](const auto& plan, Arguments& a) { plan(offsets_of(a), segment_of(a), rank_of(a), a.stream); }, of_ranks);
}

Calls cpp_expand(const Spoil& spoil) {
  return now_and_by_plan(
      spoil,
      [](Arguments& a) {
        runtime::expand(offsets_of(a), kSegments, static_cast<const int*>(address(a.values)), a.out(), kItems,
                        {.stream = a.stream});
      },
      [] { return runtime::expand_plan<std::uint32_t, int>(kSegments, kItems); },
      [](const auto& plan, Arguments& a) {
        plan(offsets_of(a), static_cast<const int*>(address(a.values)), a.out(), a.stream);
      },
      of_values);
}

Calls balancing(const Spoil& spoil) {
  return all_of({c_balanced(spoil), c_balanced(spoil, of_ranks), cpp_balance(spoil)});
}
Calls expanding(const Spoil& spoil) { return all_of({c_balanced(spoil, of_values), cpp_expand(spoil)}); }

// Those that ask the driver about memory and stream.
Calls balancing_without_plan(const Spoil& spoil) {
  return {spoiled(spoil, c_balance), spoiled(after(of_values, spoil), c_run), cpp_balance(spoil)[0],
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
  return {cpp([=](Arguments& a) { runtime::load_balance(offsets_of(a), segments, segment_of(a), n, now); }),
          cpp([=](Arguments& a) {
            runtime::expand(offsets_of(a), segments, static_cast<const int*>(address(kValues)),
                            static_cast<int*>(address(kRejected)), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::load_balance_plan<std::uint32_t, std::uint32_t>(segments, n, wrong); }),
          cpp([=](Arguments&) { runtime::ranks_plan<std::uint32_t, std::uint32_t>(segments, n, wrong); }),
          cpp([=](Arguments&) { runtime::segments_and_ranks_plan<std::uint32_t, std::uint32_t>(segments, n, wrong); }),
          cpp([=](Arguments&) { runtime::expand_plan<std::uint32_t, int>(segments, n, wrong); })};
}

// A check of a stream that is being captured, by functions and by plans that were made before.
Calls checking(const Spoil& spoil) {
  const auto check = [](Arguments& with) { with.balance.check = 1; };
  return {
      spoiled(after(check, spoil), c_balance),
      c_plan_run(spoil, after(of_segments, check)),
      cpp([=](Arguments& a) {
        spoil(a);
        runtime::load_balance(offsets_of(a), kSegments, segment_of(a), kItems, {.check = true, .stream = a.stream});
      }),
      cpp([=](Arguments& a) {
        const auto plan = runtime::load_balance_plan<std::uint32_t, std::uint32_t>(kSegments, kItems, {.check = true});
        spoil(a);
        plan(offsets_of(a), segment_of(a), a.stream);
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

// clang-format off
const std::vector<BadInput> kBadBalances = {
    // A load balance.
    {"scantune_head", "struct_bytes", "left out", c_balance_with([](auto& b) { b.head.struct_bytes = 0; }), {"struct_bytes is 0", "scantune_load_balance_request", "SCANTUNE_LOAD_BALANCE_REQUEST_INIT"}},
    {"scantune_head", "n", "more items than an address space", c_balance_with([](auto& b) { b.head.n = ~u64{0}; b.input_type = b.output_type = SCANTUNE_U64; }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_head", "n", "more items than offsets count", c_balance_with([](auto& b) { b.head.n = u64{1} << 32; b.output_type = SCANTUNE_U64; }), {"there are more items than the offsets' type counts: pass 64 bits"}},
    {"scantune_head", "n", "more items than signed offsets count", c_balance_with([](auto& b) { b.head.n = u64{1} << 31; b.input_type = SCANTUNE_I32; }), {"there are more items than the offsets' type counts"}},
    {"scantune_head", "n", "more items than ranks count", c_balance_with([](auto& b) { b.head.n = (u64{1} << 31) + 1; b.output_type = SCANTUNE_I32; }, of_ranks), {"a segment may hold more items than output_type has ranks for: ask for 64 bits"}},
    {"scantune_head", "n", "more items than a grid can have", {spoiled([](Arguments& a) { a.balance.head.n = u64{1} << 50; a.balance.input_type = SCANTUNE_U64; a.output = std::uintptr_t{1} << 60; }, c_balance)}, {"more tiles than a grid"}},
    {"scantune_load_balance_request", "segment_count", "none of some items", c_balance_with([](auto& b) { b.segment_count = 0; }), {"there are items and no segments to hold them"}},
    {"scantune_load_balance_request", "segment_count", "more than an address space", c_balance_with([](auto& b) { b.segment_count = ~u64{0}; b.output_type = SCANTUNE_U64; }), {"segments is 18446744073709551615", "more items than fit"}},
    {"scantune_load_balance_request", "segment_count", "more than there are numbers for", c_balance_with([](auto& b) { b.segment_count = (u64{1} << 32) + 1; }), {"there are more segments than output_type has numbers for: ask for 64 bits"}},
    {"scantune_load_balance_request", "input_type", "left out", c_balance_with([](auto& b) { b.input_type = SCANTUNE_DEFAULT_TYPE; }), {"input_type is 0", "scantune_type"}},
    {"scantune_load_balance_request", "input_type", "no type", c_balance_with([](auto& b) { write(b.input_type, 14); }), {"input_type is 14", "1 to 13"}},
    {"scantune_load_balance_request", "input_type", "too narrow", c_balance_with([](auto& b) { b.input_type = SCANTUNE_U16; }), {"offsets are integers of 4 or 8 bytes: i32, i64, u32 or u64"}},
    {"scantune_load_balance_request", "input_type", "a floating-point type", c_balance_with([](auto& b) { b.input_type = SCANTUNE_F32; }), {"offsets are integers of 4 or 8 bytes"}},
    {"scantune_load_balance_request", "input_type", "a struct", c_balance_with([](auto& b) { b.input_type = SCANTUNE_CUSTOM_TYPE; }), {"input_type is SCANTUNE_CUSTOM_TYPE", "integers of 4 or 8 bytes"}},
    {"scantune_load_balance_request", "assigned", "no choice", c_balance_with([](auto& b) { write(b.assigned, 4); }), {"assigned is 4", "scantune_assigned", "0 to 3"}},
    {"scantune_load_balance_request", "output_type", "no type", c_balance_with([](auto& b) { write(b.output_type, 99); }), {"output_type is 99"}},
    {"scantune_load_balance_request", "output_type", "too narrow", c_balance_with([](auto& b) { b.output_type = SCANTUNE_U8; }), {"segments and ranks are integers of 4 or 8 bytes"}},
    {"scantune_load_balance_request", "output_type", "a struct of segments", c_balance_with([](auto& b) { b.output_type = SCANTUNE_CUSTOM_TYPE; b.custom_bytes = b.custom_alignment = 4; }), {"segments and ranks are numbers"}},
    {"scantune_load_balance_request", "output_type", "left out, of values", c_balance_with([](auto& b) { b.output_type = SCANTUNE_DEFAULT_TYPE; }, of_values), {"output_type is SCANTUNE_DEFAULT_TYPE, and assigned is SCANTUNE_VALUE_OF", "name the type"}},
    {"scantune_load_balance_request", "custom_bytes", "of a built-in type", c_balance_with([](auto& b) { b.custom_bytes = 4; }, of_values), {"custom_bytes is 4", "must be 0"}},
    {"scantune_load_balance_request", "custom_bytes", "too many", c_balance_with([](auto& b) { b.output_type = SCANTUNE_CUSTOM_TYPE; b.custom_bytes = 33; b.custom_alignment = 1; }, of_values), {"custom_bytes is 33", "1 to 32"}},
    {"scantune_load_balance_request", "custom_alignment", "that does not divide the size", c_balance_with([](auto& b) { b.output_type = SCANTUNE_CUSTOM_TYPE; b.custom_bytes = 12; b.custom_alignment = 8; }, of_values), {"custom_alignment is 8", "divide custom_bytes, which is 12"}},
    {"scantune_load_balance_request", "custom_alignment", "of a built-in type", c_balance_with([](auto& b) { b.custom_alignment = 4; }), {"custom_alignment is 4", "must be 0"}},
    {"scantune_head", "latency", "no latency", c_balance_with([](auto& b) { write(b.head.latency, 2); }), {"latency is 2"}},
    {"scantune_load_balance_request", "segment_count", "too many to check", c_balance_with([](auto& b) { b.segment_count = u64{1} << 61; b.input_type = SCANTUNE_I64; b.output_type = SCANTUNE_U64; b.check = 1; }), {"more items than fit in the address space"}},
    {"scantune_load_balance_request", "check", "no choice", c_balance_with([](auto& b) { b.check = 2; }), {"check is 2", "0 or 1"}},
    {"scantune_load_balance_request LoadBalanceOptions ExpandOptions", "check", "of a stream that is captured", checking([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"check is set, and the stream is being captured", "leave it out"}},
    {"scantune_load_balance_request LoadBalanceOptions ExpandOptions", "check", "of no offsets", checking([](Arguments& a) { a.input = 0; }), {"offsets is null, and check reads 11 of them"}},
    {"scantune_load_balance_request", "check", "of misaligned offsets", checking([](Arguments& a) { a.input = kInput + 2; }), {"offsets is not a multiple of the 4 bytes"}},
    {"scantune_load_balance_request", "check", "of memory of the host", checking([](Arguments& a) { a.input = kHost; }), {"offsets: ", "memory of the host"}},
    {"scantune_head", "config", "empty", c_balance_with([](auto& b) { b.head.config = ""; }), {"config is empty", "NULL to have one chosen"}},
    {"scantune_head", "config", "of a scan's family", c_balance_with([](auto& b) { b.head.config = "{\"family\": \"lookback\"}"; }), {"config.family must name a family of load_balance", "found \"lookback\""}},
    {"scantune_head", "config", "that is not legal, of no items", c_balance_with([](auto& b) { b.head.n = 0; b.head.config = "{\"family\": \"load_balance_merge\", \"block_threads\": 0}"; }), {"config: load_balance_merge{block_threads=0"}},
    {"runtime::load_balance", "offsets", "null", balancing([](Arguments& a) { a.input = 0; }), {"offsets (the ", ") is null, and n is 1000"}},
    {"runtime::expand", "offsets", "null", expanding([](Arguments& a) { a.input = 0; }), {"offsets (the ", ") is null, and n is 1000"}},
    {"scantune_arrays", "of", "misaligned", balancing([](Arguments& a) { a.input = kInput + 2; }), {"offsets is 0x1000002", "multiple of the 4 bytes"}},
    {"scantune_arrays", "of", "at the end of memory", balancing([](Arguments& a) { a.input = kEnd - 4 * kSegments + 1; }), {"offsets", "end of the address space"}},
    {"scantune_arrays", "of", "memory of the host", balancing_without_plan([](Arguments& a) { a.input = kHost; }), {"offsets: ", "memory of the host"}},
    {"runtime::load_balance", "segment_of", "null", both(c_balanced([](Arguments& a) { a.output = 0; }), {cpp_balance([](Arguments& a) { a.output = 0; })[1], cpp([](Arguments& a) { runtime::load_balance(offsets_of(a), kSegments, static_cast<std::uint32_t*>(nullptr), kItems); })}), {"segment_of (the ", ") is null"}},
    {"scantune_arrays", "of", "misaligned", balancing([](Arguments& a) { a.output = kOutput + 1; }), {"segment_of is 0x9000001"}},
    {"scantune_arrays", "of", "the offsets", balancing([](Arguments& a) { a.output = kInput; }), {"offsets [0x1000000, +44 bytes) and segment_of [0x1000000, +4000 bytes) overlap: they must lie apart"}},
    {"scantune_arrays", "of", "before the last offset", balancing([](Arguments& a) { a.output = kInput + 4 * kSegments; }), {"offsets [0x1000000, +44 bytes) and segment_of [0x1000028", "overlap: they must lie apart"}},
    {"scantune_arrays", "of", "as long as the offsets, and these", c_balanced([](Arguments& a) { a.output = kInput; }, [](Arguments& a) { of_segments(a); a.balance.segment_count = kItems - 1; }), {"overlap: they must lie apart"}},
    {"scantune_arrays", "of", "null", both(c_balanced([](Arguments& a) { a.position = 0; }, of_ranks), {cpp_balance([](Arguments& a) { a.position = 0; })[1]}), {"rank_of (the ", ") is null"}},
    {"LoadBalanceOptions", "rank_of", "the segments", both(c_balanced([](Arguments& a) { a.position = a.output; }, of_ranks), cpp_balance([](Arguments& a) { a.position = a.output; })), {"rank_of [0x9000000, +4000 bytes)", "overlap: they must lie apart"}},
    {"LoadBalanceOptions", "rank_of", "misaligned", both(c_balanced([](Arguments& a) { a.position = kIndex + 2; }, of_ranks), cpp_balance([](Arguments& a) { a.position = kIndex + 2; })), {"rank_of is 0xb000002"}},
    {"scantune_arrays", "of", "of segments alone", c_balanced([](Arguments& a) { a.position = kIndex; }), {"position is given, and the request has offsets (SCANTUNE_INPUT) and segment_of (SCANTUNE_OUTPUT) alone: leave SCANTUNE_POSITION NULL"}},
    {"runtime::expand", "values", "null", expanding([](Arguments& a) { a.values = 0; }), {"values is null"}},
    {"runtime::expand", "values", "misaligned", expanding([](Arguments& a) { a.values = kValues + 2; }), {"values is 0x3000002"}},
    {"scantune_arrays", "of", "of segments", c_balanced([](Arguments& a) { a.values = kValues; }), {"values is given, and the request has offsets (SCANTUNE_INPUT) and segment_of (SCANTUNE_OUTPUT) alone: leave SCANTUNE_VALUES NULL"}},
    {"runtime::expand", "output", "null", expanding([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"runtime::expand", "output", "the values", expanding([](Arguments& a) { a.output = kValues; }), {"values [0x3000000, +40 bytes)", "output [0x3000000, +4000 bytes)", "overlap: they must lie apart"}},

    // Functions of load balances.
    {"scantune_run LoadBalanceOptions ExpandOptions", "stream", "of another context", balancing_without_plan([](Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: ", "another context"}},
    {"scantune_run LoadBalanceOptions ExpandOptions", "stream", "captured, of an unknown problem", balancing_without_plan([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"being captured", "make a plan before"}},
    {"scantune_plan_run Plan::operator()", "stream", "of another context, beside an overlap", both(balancing([](Arguments& a) { a.output = kInput; a.device->streams.at(a.stream).problem = "it belongs to another context"; }), expanding([](Arguments& a) { a.output = kInput; a.device->streams.at(a.stream).problem = "it belongs to another context"; })), {"stream: it belongs to another context"}},
    {"runtime::load_balance runtime::expand runtime::load_balance_plan runtime::ranks_plan runtime::segments_and_ranks_plan runtime::expand_plan", "segments", "none of some items", balance_options({}, 0), {"there are items and no segments to hold them"}},
    {"runtime::load_balance runtime::expand runtime::load_balance_plan runtime::ranks_plan runtime::segments_and_ranks_plan runtime::expand_plan", "n", "more items than offsets count", balance_options({}, kSegments, u64{1} << 32), {"there are more items than the offsets' type counts"}},
    {"LoadBalanceOptions ExpandOptions", "latency", "no latency", balance_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"LoadBalanceOptions ExpandOptions", "config", "with a null character", balance_options({.config = kWithNull}), {"config holds a null character"}},
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
