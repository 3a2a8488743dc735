// Top-k by the public functions, C and C++: what reaches the device of their arguments, and which are refused.
// tests/structure checks that no argument is left out.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing::first_keys {
namespace {

using runtime::Order;
using runtime::ResultOrder;
using runtime::Segments;

template <class T>
T* memory(std::uintptr_t where) {
  return static_cast<T*>(address(where));
}

class TopKApi : public PublicApi {
 protected:
  std::string last_source() const { return device_->compiler().sources.back(); }
};

TEST_F(TopKApi, OptionsReachTheKernelAndTheStream) {
  const Stream stream = device_->make_stream();
  runtime::top_k(memory<int>(kInput), memory<int>(kOutput), kItems, kResults,
                 {.order = Order::ascending,
                  .result_order = ResultOrder::by_index,
                  .stream = stream,
                  .config = R"({"family":"top_k_rows","block_threads":256})"});
  EXPECT_EQ(last_launch().stream, stream);
  EXPECT_EQ(last_launch().launch.block_threads, 256);
  EXPECT_EQ(last_launch().arguments.extents[1], kResults);
  EXPECT_TRUE(contains(last_source(), "::ascending")) << last_source();
  EXPECT_TRUE(contains(last_source(), "::by_index")) << last_source();
  runtime::argtop_k_plan<float>(kItems, 7, {.nan_order = runtime::NanOrder::last});
  EXPECT_TRUE(contains(last_source(), "::last")) << last_source();
  const std::string described = runtime::top_k_plan<float>(kItems, 7, {.segments = Segments::rows(10, 50)}).describe();
  EXPECT_TRUE(described.starts_with("f32 ")) << described;
  EXPECT_TRUE(contains(described, "10 rows")) << described;
  EXPECT_TRUE(contains(described, "7 k")) << described;
  const auto* const k = memory<std::uint32_t>(kIndex);
  runtime::top_k(memory<int>(kInput), memory<int>(kOutput), kItems, kResults, {.device_k = k});
  EXPECT_EQ(last_launch().arguments.operand(OperandRole::n), k);
  EXPECT_EQ(last_launch().arguments.extents[1], kResults);
  EXPECT_TRUE(contains(last_source(), "::memory_32")) << last_source();
  // One row has all CTAs.
  EXPECT_EQ(runtime::top_k_plan<float>(kItems, 7, {.segments = Segments::rows(1, kItems)}).describe(),
            runtime::top_k_plan<float>(kItems, 7).describe());
}

// Values of one size share their kernels, whatever they are.
TEST_F(TopKApi, ValuesAreMovedAsBytes) {
  const auto source_of = [&]<class T>() {
    runtime::top_k_pairs_plan<std::int64_t, T>(kItems, kResults);
    return last_source();
  };
  EXPECT_EQ(source_of.operator()<std::int32_t>(), source_of.operator()<float>());
  EXPECT_NE(source_of.operator()<std::int64_t>(), source_of.operator()<float>());
}

TEST_F(TopKApi, OfNoKeysLaunchesNothing) {
  runtime::top_k<int>(nullptr, nullptr, 0, 0);
  runtime::top_k<int>(nullptr, nullptr, 0, 3, {.segments = Segments::rows(0, 5)});
  runtime::argtop_k<int, int>(nullptr, nullptr, 0, 0);
  runtime::segmented_top_k<int, int>(nullptr, memory<int>(kFlags), nullptr, 0, 3, 5);
  runtime::top_k_pairs_plan<int, int>(0, 0)(nullptr, nullptr, nullptr, nullptr);
  EXPECT_TRUE(device_->launched.empty());
}

// --- Wrong arguments.

// Calls with a wrong request.
Calls c_top_k(const std::function<void(scantune_top_k_request&)>& spoil,
              scantune_sorted sorted = SCANTUNE_SORTED_KEYS) {
  return c_request([=](Arguments& with) { spoil(with.top_k); }, of_top_k(sorted));
}

// The same options of all functions.
Calls top_k_options(const runtime::ArgtopKOptions& wrong, u64 n = kItems, u64 k = kResults) {
  runtime::TopKOptions now;
  now.order = wrong.order;
  now.result_order = wrong.result_order;
  now.nan_order = wrong.nan_order;
  now.segments = wrong.segments;
  now.device_k = wrong.device_k;
  now.latency = wrong.latency;
  now.captured_launches = wrong.captured_launches;
  now.device = wrong.device;
  now.config = wrong.config;
  return {cpp([=](Arguments& a) { runtime::top_k(a.in(), a.out(), n, k, now); }),
          cpp([=](Arguments& a) { runtime::argtop_k(a.in(), memory<std::uint64_t>(kIndex), n, k, wrong); }),
          cpp([=](Arguments&) { runtime::top_k_plan<int>(n, k, wrong); }),
          cpp([=](Arguments&) { runtime::top_k_pairs_plan<int, float>(n, k, wrong); }),
          cpp([=](Arguments&) { runtime::top_k_indices_plan<int>(n, k, wrong); }),
          cpp([=](Arguments&) { runtime::argtop_k_plan<int>(n, k, wrong); })};
}

// Calls with a wrong request for segments.
Calls c_segments(const std::function<void(scantune_top_k_request&)>& spoil,
                 scantune_sorted sorted = SCANTUNE_SORTED_KEYS) {
  return c_request([=](Arguments& with) { spoil(with.top_k); }, of_top_k_bounds(sorted));
}

// The same options of all functions for segments.
Calls segmented_options(const runtime::SegmentedArgtopKOptions& wrong, u64 n = kItems, u64 segments = 1,
                        u64 k = kResults) {
  runtime::SegmentedTopKOptions now;
  now.order = wrong.order;
  now.result_order = wrong.result_order;
  now.nan_order = wrong.nan_order;
  now.device_segment_count = wrong.device_segment_count;
  now.device_k = wrong.device_k;
  now.latency = wrong.latency;
  now.captured_launches = wrong.captured_launches;
  now.device = wrong.device;
  now.config = wrong.config;
  const auto begins = [] { return memory<int>(kFlags); };
  const auto ends = [] { return memory<int>(kValues); };
  const auto index = [] { return memory<std::uint64_t>(kIndex); };
  return {cpp([=](Arguments& a) { runtime::segmented_top_k(a.in(), begins(), a.out(), n, segments, k, now); }),
          cpp([=](Arguments& a) { runtime::segmented_top_k(a.in(), begins(), ends(), a.out(), n, segments, k, now); }),
          cpp([=](Arguments& a) { runtime::segmented_argtop_k(a.in(), begins(), index(), n, segments, k, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_top_k_plan<int, int>(n, segments, k, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_top_k_ranges_plan<int, int>(n, segments, k, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_top_k_pairs_plan<int, float, int>(n, segments, k, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_top_k_pairs_ranges_plan<int, float, int>(n, segments, k, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_top_k_indices_plan<int, u64, int>(n, segments, k, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_top_k_indices_ranges_plan<int, u64, int>(n, segments, k, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_argtop_k_plan<int, u64, int>(n, segments, k, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_argtop_k_ranges_plan<int, u64, int>(n, segments, k, wrong); })};
}

constexpr scantune_sorted kPairs = SCANTUNE_SORTED_PAIRS, kPlaces = SCANTUNE_SORTED_INDICES,
                          kBoth = SCANTUNE_SORTED_KEYS_AND_INDICES;

// clang-format off
const std::vector<BadInput> kBadTopKs = {
    {"scantune_top_k_request", "input_type", "a struct", c_top_k([](auto& r) { r.input_type = SCANTUNE_CUSTOM_TYPE; }), {"input_type is SCANTUNE_CUSTOM_TYPE", "keys are numbers", "pass the items as values"}},
    {"scantune_top_k_request", "value_type", "no type", c_top_k([](auto& r) { write(r.value_type, 99); }, kPairs), {"value_type is 99"}},
    {"scantune_top_k_request", "value_type", "of keys alone", c_top_k([](auto& r) { r.value_type = SCANTUNE_U32; }), {"value_type is given, and sorted is not SCANTUNE_SORTED_PAIRS: leave it SCANTUNE_DEFAULT_TYPE"}},
    {"scantune_top_k_request", "value_type", "left out, of values", c_top_k([](auto& r) { r.value_type = SCANTUNE_DEFAULT_TYPE; }, kPairs), {"value_type is SCANTUNE_DEFAULT_TYPE, and sorted is SCANTUNE_SORTED_PAIRS", "name the type"}},
    {"scantune_top_k_request", "custom_bytes", "too many", c_top_k([](auto& r) { r.value_type = SCANTUNE_CUSTOM_TYPE; r.custom_bytes = 33; r.custom_alignment = 1; }, kPairs), {"custom_bytes is 33"}},
    {"scantune_top_k_request", "custom_alignment", "no power of two", c_top_k([](auto& r) { r.value_type = SCANTUNE_CUSTOM_TYPE; r.custom_bytes = 12; r.custom_alignment = 3; }, kPairs), {"custom_alignment is 3"}},
    {"scantune_top_k_request", "index_type", "too narrow", c_top_k([](auto& r) { r.index_type = SCANTUNE_U16; }, kPlaces), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_top_k_request", "index_type", "too narrow for n", c_top_k([](auto& r) { r.head.n = (u64{1} << 32) + 1; }, kBoth), {"more items than indices of 32 bits can number: ask for indices of 64 bits"}},
    {"scantune_top_k_request", "index_type", "a struct", c_top_k([](auto& r) { r.index_type = SCANTUNE_CUSTOM_TYPE; r.custom_bytes = r.custom_alignment = 4; }, kPlaces), {"indices are numbers"}},
    {"scantune_top_k_request", "index_type", "without indices", c_top_k([](auto& r) { r.index_type = SCANTUNE_U32; }, kPairs), {"index_type is given, and sorted says that no indices are written"}},
    {"scantune_top_k_request", "sorted", "no choice", c_top_k([](auto& r) { write(r.sorted, 4); }), {"sorted is 4", "scantune_sorted", "0 to 3"}},
    {"scantune_top_k_request", "order", "no order", c_top_k([](auto& r) { write(r.order, 2); }), {"order is 2", "scantune_order", "0 to 1"}},
    {"scantune_top_k_request", "result_order", "no order", c_top_k([](auto& r) { write(r.result_order, 2); }), {"result_order is 2", "scantune_result_order", "0 to 1"}},
    {"scantune_top_k_request", "segments", "no kind", c_top_k([](auto& r) { write(r.segments, 7); }), {"segments is 7", "scantune_segments"}},
    {"scantune_top_k_request", "segments", "columns", c_top_k([](auto& r) { r.segments = SCANTUNE_COLUMNS; }), {"segments are none, rows or by offsets"}},
    {"scantune_top_k_request", "offset_type", "none of offsets", c_segments([](auto& r) { r.offset_type = SCANTUNE_F32; }), {"offset_type is 11; offsets are integers of 4 or 8 bytes"}},
    {"scantune_top_k_request", "offset_type", "without offsets", c_top_k([](auto& r) { r.offset_type = SCANTUNE_I64; }), {"offset_type is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_top_k_request", "offset_form", "none", c_segments([](auto& r) { write(r.offset_form, 2); }), {"offset_form is 2", "scantune_offset_form"}},
    {"scantune_top_k_request", "segment_count", "left out", c_segments([](auto& r) { r.segment_count = 0; }), {"there are items and no segments to hold them"}},
    {"scantune_top_k_request", "segment_count", "more than fit in memory", c_segments([](auto& r) { r.segment_count = u64{1} << 63; }), {"segment_count is ", "more items than fit in the address space"}},
    {"scantune_top_k_request", "device_segment_count", "without offsets", c_top_k([](auto& r) { r.device_segment_count = address(0x5000); }), {"device_segment_count is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_top_k_request", "segment_count_type", "without a count in memory", c_segments([](auto& r) { r.segment_count_type = SCANTUNE_U32; }), {"segment_count_type is given, and device_segment_count is NULL"}},
    {"scantune_top_k_request", "check", "no choice", c_segments([](auto& r) { r.check = 2; }), {"check is 2; it must be 0 or 1"}},
    {"scantune_top_k_request", "index_type", "too narrow for a segment of all keys", c_segments([](auto& r) { r.head.n = (u64{1} << 32) + 1; r.offset_type = SCANTUNE_I64; }, kPlaces), {"a segment may have more items than indices of 32 bits can number: ask for indices of 64 bits"}},
    {"scantune_top_k_request", "k", "0, of segments", c_segments([](auto& r) { r.k = 0; }), {"k is 0; ask for 1 result at least"}},
    {"scantune_top_k_request", "nan_order", "no order", c_top_k([](auto& r) { write(r.nan_order, 2); }), {"nan_order is 2"}},
    {"scantune_top_k_request", "nan_order", "of integers", c_top_k([](auto& r) { r.nan_order = SCANTUNE_NAN_LAST; }), {"nan_order is for floating-point keys"}},
    {"scantune_top_k_request", "rows", "without segments", c_top_k([](auto& r) { r.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_top_k_request", "rows", "none of some keys", c_top_k([](auto& r) { r.segments = SCANTUNE_ROWS; }), {"rows is 0, segments is SCANTUNE_ROWS, and n is 500"}},
    {"scantune_top_k_request", "k", "0", c_top_k([](auto& r) { r.k = 0; }), {"k is 0; ask for 1 result at least"}},
    {"scantune_top_k_request", "k", "more than there are keys", c_top_k([](auto& r) { r.k = kItems + 1; }), {"k is 501, and there are 500 keys: ask for no more results"}},
    {"scantune_top_k_request", "k", "more than a row has keys", c_top_k([](auto& r) { r.segments = SCANTUNE_ROWS; r.rows = 50; r.k = 11; }), {"k is 11, and a row has 10 keys"}},
    {"scantune_top_k_request", "k", "of no keys", c_top_k([](auto& r) { r.head.n = 0; }), {"k is 20, and there are 0 keys"}},
    {"scantune_top_k_request", "k", "more than there are keys, beside one in memory", c_top_k([](auto& r) { r.k = kItems + 1; r.device_k = address(0x5000); }), {"k is 501, and there are 500 keys"}},
    {"scantune_top_k_request", "device_k", "misaligned", {spoiled([](Arguments& a) { of_top_k(SCANTUNE_SORTED_KEYS)(a); a.top_k.device_k = address(0x5004); }, c_run), c_plan_run(of_nothing_else, [](Arguments& a) { of_top_k(SCANTUNE_SORTED_KEYS)(a); a.top_k.device_k = address(0x5004); })}, {"device_k is 0x5004", "multiple of the 8 bytes"}},
    {"scantune_top_k_request", "device_k", "in the output", {spoiled([](Arguments& a) { of_top_k(SCANTUNE_SORTED_KEYS)(a); a.top_k.device_k = address(kOutput + 4 * kResults - 8); }, c_run), c_plan_run(of_nothing_else, [](Arguments& a) { of_top_k(SCANTUNE_SORTED_KEYS)(a); a.top_k.device_k = address(kOutput + 4 * kResults - 8); })}, {"device_k [0x9000048, +8 bytes) is in the output [0x9000000, +80 bytes): it must be outside"}},
    {"scantune_top_k_request", "device_k", "memory of the host", c_segments([](auto& r) { r.device_k = address(kHost); }), {"device_k: ", "memory of the host"}},
    {"scantune_top_k_request", "k_type", "without a k in memory", c_top_k([](auto& r) { r.k_type = SCANTUNE_U32; }), {"k_type is given, and device_k is NULL: leave it SCANTUNE_DEFAULT_TYPE"}},
    {"scantune_top_k_request", "k_type", "too narrow", c_top_k([](auto& r) { r.device_k = address(0x5000); r.k_type = SCANTUNE_U16; }), {"k_type is u16; it must be an integer of 4 or 8 bytes"}},
    {"scantune_top_k_request", "k_type", "too narrow for k", c_top_k([](auto& r) { r.head.n = r.k = u64{1} << 31; r.device_k = address(0x5000); r.k_type = SCANTUNE_I32; }), {"k_type is i32, and k may reach 2147483648: ask for 8 bytes"}},
    {"scantune_top_k_request", "k", "more than one CTA puts in order", c_top_k([](auto& r) { r.head.n = r.k = u64{1} << 20; }), {"k is more than one CTA can put in order: sort, and take the first k"}},

    // Functions and options of C++.
    {"runtime::top_k runtime::argtop_k runtime::top_k_plan runtime::top_k_pairs_plan runtime::top_k_indices_plan runtime::argtop_k_plan", "n", "more keys than an address space", top_k_options({}, ~u64{0}), {"n is 18446744073709551615", "more items than fit"}},
    {"runtime::top_k runtime::argtop_k runtime::top_k_plan runtime::top_k_pairs_plan runtime::top_k_indices_plan runtime::argtop_k_plan", "k", "more than there are keys", top_k_options({}, kItems, kItems + 1), {"k is 501, and there are 500 keys"}},
    {"runtime::segmented_top_k runtime::segmented_argtop_k runtime::segmented_top_k_plan runtime::segmented_top_k_ranges_plan runtime::segmented_top_k_pairs_plan runtime::segmented_top_k_pairs_ranges_plan runtime::segmented_top_k_indices_plan runtime::segmented_top_k_indices_ranges_plan runtime::segmented_argtop_k_plan runtime::segmented_argtop_k_ranges_plan", "n", "more keys than an address space", segmented_options({}, ~u64{0}), {"n is 18446744073709551615, which offsets of that type cannot reach"}},
    {"runtime::segmented_top_k runtime::segmented_argtop_k runtime::segmented_top_k_plan runtime::segmented_top_k_ranges_plan runtime::segmented_top_k_pairs_plan runtime::segmented_top_k_pairs_ranges_plan runtime::segmented_top_k_indices_plan runtime::segmented_top_k_indices_ranges_plan runtime::segmented_argtop_k_plan runtime::segmented_argtop_k_ranges_plan", "segment_count", "none", segmented_options({}, kItems, 0), {"there are items and no segments to hold them"}},
    {"runtime::segmented_top_k runtime::segmented_argtop_k runtime::segmented_top_k_plan runtime::segmented_top_k_ranges_plan runtime::segmented_top_k_pairs_plan runtime::segmented_top_k_pairs_ranges_plan runtime::segmented_top_k_indices_plan runtime::segmented_top_k_indices_ranges_plan runtime::segmented_argtop_k_plan runtime::segmented_argtop_k_ranges_plan", "k", "0", segmented_options({}, kItems, 1, 0), {"k is 0; ask for 1 result at least"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "order", "no order", segmented_options({.order = static_cast<Order>(2)}), {"order is 2"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "result_order", "no order", segmented_options({.result_order = static_cast<ResultOrder>(2)}), {"result_order is 2"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "nan_order", "no order", segmented_options({.nan_order = static_cast<runtime::NanOrder>(3)}), {"nan_order is 3"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "device_segment_count", "memory of the host", segmented_options({.device_segment_count = memory<u64>(kHost)}), {"device_segment_count: ", "memory of the host"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "device_k", "memory of the host", segmented_options({.device_k = memory<u64>(kHost)}), {"device_k: ", "memory of the host"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "check stream", "of a plan, and its stream", {cpp([](Arguments& a) { runtime::segmented_top_k_plan<int, int>(kItems, 1, kResults, {.check = true, .stream = a.stream}); })}, {"stream is given, and a plan takes its stream with each call"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "latency", "no latency", segmented_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "captured_launches", "below 0", segmented_options({.captured_launches = -2}), {"captured_launches is -2"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "device", "none", segmented_options({.device = static_cast<runtime::Device>(3)}), {"device is 3"}},
    {"SegmentedTopKOptions SegmentedArgtopKOptions", "config", "of a scan's family", segmented_options({.config = "{\"family\": \"lookback\"}"}), {"config.family", "found \"lookback\""}},
    {"SegmentedTopKOptions", "values indices", "both", {cpp([](Arguments& a) { runtime::segmented_top_k(a.in(), memory<int>(kFlags), a.out(), kItems, 1, kResults, {.values = {a.beside(), a.beside_out()}, .indices = memory<int>(kIndex)}); })}, {"values and indices are both given"}},
    {"TopKOptions ArgtopKOptions", "order", "no order", top_k_options({.order = static_cast<Order>(2)}), {"order is 2"}},
    {"TopKOptions ArgtopKOptions", "result_order", "no order", top_k_options({.result_order = static_cast<ResultOrder>(2)}), {"result_order is 2"}},
    {"TopKOptions ArgtopKOptions", "nan_order", "no order", top_k_options({.nan_order = static_cast<runtime::NanOrder>(3)}), {"nan_order is 3"}},
    {"TopKOptions ArgtopKOptions", "segments", "of other keys", top_k_options({.segments = Segments::rows(10, 10)}), {"segments is Segments::rows(10, 10), which are 100 items, and n is 500"}},
    {"TopKOptions ArgtopKOptions", "segments", "with strides", top_k_options({.segments = Segments::rows({.count = 10, .length = 50, .row_stride = 200})}), {"segments is Segments::rows() with strides", "dense rows alone: copy them first"}},
    {"TopKOptions ArgtopKOptions", "device_k", "memory of the host", top_k_options({.device_k = memory<int>(kHost)}), {"device_k: ", "memory of the host"}},
    {"TopKOptions ArgtopKOptions", "latency", "no latency", top_k_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"TopKOptions ArgtopKOptions", "captured_launches", "below 0", top_k_options({.captured_launches = -2}), {"captured_launches is -2"}},
    {"TopKOptions ArgtopKOptions", "device", "no device", top_k_options({.device = static_cast<runtime::Device>(3)}), {"device is 3"}},
    {"TopKOptions ArgtopKOptions", "config", "of a sort's family", top_k_options({.config = "{\"family\": \"sort_block\"}"}), {"config.family", "found \"sort_block\""}},
    {"TopKOptions ArgtopKOptions", "stream", "of a plan", {cpp([](Arguments& a) { runtime::top_k_plan<int>(kItems, kResults, {.stream = a.stream}); })}, {"stream is given, and a plan takes its stream with each call"}},
    {"TopKOptions", "values indices", "both", {cpp([](Arguments& a) { runtime::top_k(a.in(), a.out(), kItems, kResults, {.values = {a.beside(), a.beside_out()}, .indices = memory<int>(kIndex)}); })}, {"values and indices are both given", "pass structs of a value and an index"}},
    {"TopKOptions", "values", "consumed", {cpp([](Arguments& a) { runtime::top_k(a.in(), a.out(), kItems, kResults, {.values = {runtime::Consumed(a.beside_out()), a.beside_out()}}); })}, {"values are Consumed(), and a top-k leaves its inputs: pass pointers"}},
    {"TopKOptions", "values", "with a load", {cpp([](Arguments& a) { runtime::top_k(a.in(), a.out(), kItems, kResults, {.values = {a.beside(), runtime::Map::source("float load(float)"), a.beside_out()}}); })}, {"values have a load, and a top-k takes none: pass pointers"}},
};
// clang-format on

class BadTopKs : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadTopKs, AreRefusedWithTheirNameBeforeAnythingIsLaunchedOrAllocated) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadTopKs, ::testing::ValuesIn(kBadTopKs));

TEST(SpoiledTopKs, AreRightUntilARowSpoilsThem) {
  const auto nothing_wrong = [](auto&) {};
  expect_right({c_top_k(nothing_wrong), c_top_k(nothing_wrong, kPairs), c_top_k(nothing_wrong, kPlaces),
                c_top_k(nothing_wrong, kBoth), top_k_options({}), c_segments(nothing_wrong),
                c_segments(nothing_wrong, kPairs), segmented_options({}),
                segmented_options({}, kItems, 3, kItems + 9)});
}

}  // namespace
}  // namespace scantune::testing::first_keys
