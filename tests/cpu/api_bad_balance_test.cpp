// Wrong arguments of load balances, in C and in C++, and the message about each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

Outcome c_balance(Arguments& with) {
  of_segments(with);
  return c_run(with);
}

// Calls with a wrong load balance.
Calls c_balance_with(const std::function<void(scantune_load_balance_request&)>& spoil,
                     const Spoil& prepare = of_segments) {
  return c_request([=](Arguments& with) { spoil(with.balance); }, prepare);
}

const std::uint32_t* offsets_of(const Arguments& with) {
  return static_cast<const std::uint32_t*>(address(with.input));
}
std::uint32_t* segment_of(const Arguments& with) { return static_cast<std::uint32_t*>(address(with.output)); }
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
    {"scantune_head", "n", "more items than offsets count", c_balance_with([](auto& b) { b.head.n = u64{1} << 32; b.output_type = SCANTUNE_U64; }), {"there are more items than the offsets' type counts: pass 64 bits"}},
    {"scantune_head", "n", "more items than signed offsets count", c_balance_with([](auto& b) { b.head.n = u64{1} << 31; b.input_type = SCANTUNE_I32; }), {"there are more items than the offsets' type counts"}},
    {"scantune_head", "n", "more items than ranks count", c_balance_with([](auto& b) { b.head.n = (u64{1} << 31) + 1; b.output_type = SCANTUNE_I32; }, of_ranks), {"a segment may hold more items than output_type has ranks for: ask for 64 bits"}},
    {"scantune_load_balance_request", "segment_count", "none of some items", c_balance_with([](auto& b) { b.segment_count = 0; }), {"there are items and no segments to hold them"}},
    {"scantune_load_balance_request", "segment_count", "more than an address space", c_balance_with([](auto& b) { b.segment_count = ~u64{0}; b.output_type = SCANTUNE_U64; }), {"segments is 18446744073709551615", "more items than fit"}},
    {"scantune_load_balance_request", "segment_count", "more than there are numbers for", c_balance_with([](auto& b) { b.segment_count = (u64{1} << 32) + 1; }), {"there are more segments than output_type has numbers for: ask for 64 bits"}},
    {"scantune_load_balance_request", "input_type", "too narrow", c_balance_with([](auto& b) { b.input_type = SCANTUNE_U16; }), {"offsets are integers of 4 or 8 bytes: i32, i64, u32 or u64"}},
    {"scantune_load_balance_request", "input_type", "a floating-point type", c_balance_with([](auto& b) { b.input_type = SCANTUNE_F32; }), {"offsets are integers of 4 or 8 bytes"}},
    {"scantune_load_balance_request", "input_type", "a struct", c_balance_with([](auto& b) { b.input_type = SCANTUNE_CUSTOM_TYPE; }), {"input_type is SCANTUNE_CUSTOM_TYPE", "integers of 4 or 8 bytes"}},
    {"scantune_load_balance_request", "assigned", "no choice", c_balance_with([](auto& b) { write(b.assigned, 4); }), {"assigned is 4", "scantune_assigned", "0 to 3"}},
    {"scantune_load_balance_request", "output_type", "no type", c_balance_with([](auto& b) { write(b.output_type, 99); }), {"output_type is 99"}},
    {"scantune_load_balance_request", "output_type", "too narrow", c_balance_with([](auto& b) { b.output_type = SCANTUNE_U8; }), {"segments and ranks are integers of 4 or 8 bytes"}},
    {"scantune_load_balance_request", "output_type", "a struct of segments", c_balance_with([](auto& b) { b.output_type = SCANTUNE_CUSTOM_TYPE; b.custom_bytes = b.custom_alignment = 4; }), {"segments and ranks are numbers"}},
    {"scantune_load_balance_request", "output_type", "left out, of values", c_balance_with([](auto& b) { b.output_type = SCANTUNE_DEFAULT_TYPE; }, of_values), {"output_type is SCANTUNE_DEFAULT_TYPE, and assigned is SCANTUNE_VALUE_OF", "name the type"}},
    {"scantune_load_balance_request", "segment_count", "too many to check", c_balance_with([](auto& b) { b.segment_count = u64{1} << 61; b.input_type = SCANTUNE_I64; b.output_type = SCANTUNE_U64; b.check = 1; }), {"more items than fit in the address space"}},
    {"scantune_load_balance_request", "check", "no choice", c_balance_with([](auto& b) { b.check = 2; }), {"check is 2", "0 or 1"}},
    {"scantune_load_balance_request LoadBalanceOptions ExpandOptions", "check", "of a stream that is captured", checking([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"check is set, and the stream is being captured", "leave it out"}},
    {"scantune_load_balance_request LoadBalanceOptions ExpandOptions", "check", "of no offsets", checking([](Arguments& a) { a.input = 0; }), {"offsets is null, and check reads 11 of them"}},
    {"scantune_load_balance_request", "check", "of misaligned offsets", checking([](Arguments& a) { a.input = kInput + 2; }), {"offsets is not a multiple of the 4 bytes"}},
    {"scantune_load_balance_request", "check", "of memory of the host", checking([](Arguments& a) { a.input = kHost; }), {"offsets: ", "memory of the host"}},
    {"scantune_head", "config", "that is not legal, of no items", c_balance_with([](auto& b) { b.head.n = 0; b.head.config = "{\"family\": \"load_balance_merge\", \"block_threads\": 0}"; }), {"config: load_balance_merge{block_threads=0"}},

    {"LoadBalanceOptions", "rank_of", "the segments", {cpp([](Arguments& a) { runtime::load_balance(offsets_of(a), kSegments, segment_of(a), kItems, {.rank_of = segment_of(a)}); })}, {"rank_of [0x9000000, +2000 bytes)", "overlap: they must not overlap"}},

    // Functions of load balances.
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
                c_balance_with([](auto&) {}, of_values), balance_options({}), checking([](Arguments&) {})});
}

}  // namespace
}  // namespace scantune::testing
