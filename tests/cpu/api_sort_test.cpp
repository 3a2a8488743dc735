// Sorts by the public functions, C and C++: what reaches the device of their arguments, and which are refused.
// tests/structure checks that no argument is left out.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "api_current_device.h"
#include "message_of.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

using runtime::Order;
using runtime::Segments;

template <class T>
T* memory(std::uintptr_t where) {
  return static_cast<T*>(address(where));
}

class SortApi : public PublicApi {
 protected:
  std::string last_source() const { return device_->compiler().sources.back(); }
};

TEST_F(SortApi, TypesOfKeysAndIndicesAreThoseOfThePointers) {
  const auto expect = [&](const auto& plan, const std::string& keys, const char* beside = "") {
    EXPECT_TRUE(plan.describe().starts_with(keys + ' ')) << plan.describe();
    EXPECT_TRUE(contains(plan.describe(), beside)) << plan.describe();
  };
  expect(runtime::sort_plan<std::int8_t>(kItems), "i8");
  expect(runtime::sort_plan<std::uint64_t>(kItems), "u64");
  expect(runtime::sort_plan<double>(kItems), "f64");
  expect(runtime::sort_plan<runtime::f16>(kItems), "f16");
  expect(runtime::sort_plan<runtime::bf16>(kItems), "bf16");
  expect(runtime::sort_plan<bool>(kItems), "u8");
  expect(runtime::argsort_plan<float, std::int32_t>(kItems), "f32", " i32 sort, indices");
  expect(runtime::argsort_plan<float>(kItems), "f32", " u64 sort, indices");
}

struct alignas(4) Wide {
  unsigned char bytes[12];
};
struct Unaligned {
  unsigned char bytes[4];
};

// Values of one size and alignment share their kernels, whatever they are.
TEST_F(SortApi, ValuesAreMovedAsBytes) {
  const auto source_of = [&]<class T>() {
    runtime::sort_pairs_plan<std::int64_t, T>(kItems);
    return last_source();
  };
  const std::string of_floats = source_of.operator()<float>();
  EXPECT_TRUE(contains(of_floats, ".value_type = decltype(scantune::SortRequest::value_type)::u32")) << of_floats;
  EXPECT_EQ(source_of.operator()<std::int32_t>(), of_floats);
  EXPECT_TRUE(contains(source_of.operator()<Wide>(), ".custom_bytes = 12, .custom_alignment = 4"));
  EXPECT_TRUE(contains(source_of.operator()<Unaligned>(), ".custom_bytes = 4, .custom_alignment = 1"));
  const runtime::SortValues now(memory<Wide>(kValues), memory<Wide>(kValuesOutput));
  EXPECT_EQ(now.bytes(), 12u);
  EXPECT_EQ(now.alignment(), 4u);
}

TEST_F(SortApi, OptionsReachTheKernelAndTheStream) {
  const Stream stream = device_->make_stream();
  runtime::sort(memory<int>(kInput), memory<int>(kOutput), kItems,
                {.order = Order::descending,
                 .stream = stream,
                 .latency = runtime::Latency::isolated,
                 .config = R"({"family":"sort_block","block_threads":512})"});
  EXPECT_EQ(last_launch().stream, stream);
  EXPECT_EQ(last_launch().launch.block_threads, 512);
  EXPECT_TRUE(contains(last_source(), "::descending")) << last_source();
  const std::string described =
      runtime::sort_plan<int>(kItems, {.bits = {8, 24}, .segments = Segments::rows(10, 50)}).describe();
  EXPECT_TRUE(contains(described, "10 rows")) << described;
  EXPECT_TRUE(contains(described, "24 end_bit")) << described;
  EXPECT_TRUE(contains(described, "16 bits")) << described;
}

// A request that names all bits would be another one, with records of its own.
TEST_F(SortApi, AllBitsByTheirNumbersAreAllBits) {
  const auto described = [](runtime::KeyBits bits) {
    return runtime::sort_plan<int>(kItems, {.bits = bits}).describe();
  };
  const std::string all = described({});
  EXPECT_EQ(described({0, 32}), all);
  EXPECT_EQ(described({0, runtime::KeyBits::all}), all);
  EXPECT_EQ(described({.begin_bit = 0}), all);
  EXPECT_NE(described({0, 31}), all);
  EXPECT_EQ(described({4, 32}), described({.begin_bit = 4}));
}

// A window of no bits is one request wherever it lies, and takes no workspace.
TEST_F(SortApi, AWindowOfNoBitsComparesNothing) {
  const auto plan = [](runtime::KeyBits bits) { return runtime::sort_plan<int>(kTiles, {.bits = bits}); };
  const std::string none = plan({0, 0}).describe();
  EXPECT_TRUE(contains(none, "none key bits")) << none;
  EXPECT_EQ(plan({0, 0}).workspace_bytes(), 0u);
  for (const int bit : {1, 8, 32}) EXPECT_EQ(plan({bit, bit}).describe(), none) << bit;
  EXPECT_EQ(plan({.begin_bit = 32}).describe(), none);
}

// Twice the keys is what 80 GB hold of 2^33 of them: no copy of keys or values is left in the workspace.
TEST_F(SortApi, OfAConsumedInputTheWorkspaceHoldsCountsAlone) {
  constexpr u64 kMany = u64{1} << 33, kGibi = u64{1} << 30;
  const runtime::ArgsortOptions uncaptured{.captured_launches = 0};
  using Keys = runtime::Consumed<std::uint32_t>;
  EXPECT_GE(runtime::sort_plan<std::uint32_t>(kMany, uncaptured).workspace_bytes(), 32 * kGibi);
  EXPECT_LT(runtime::sort_plan<Keys>(kMany, uncaptured).workspace_bytes(), 3 * kGibi);
  EXPECT_LT((runtime::sort_pairs_plan<Keys, double>(kMany, uncaptured).workspace_bytes()), 3 * kGibi);
  // Indices have no input to be written over, and keys that are not written out no output.
  const u64 indices = (runtime::sort_indices_plan<Keys, u64>(kMany, uncaptured).workspace_bytes());
  EXPECT_GE(indices, 64 * kGibi);
  EXPECT_LT(indices, 67 * kGibi);
  const u64 alone = (runtime::argsort_plan<Keys, u64>(kMany, uncaptured).workspace_bytes());
  EXPECT_GE(alone, 96 * kGibi);
  EXPECT_LT(alone, 99 * kGibi);
}

// A consumed input is written to.
TEST_F(SortApi, ConsumedInputsOverlapNothing) {
  using runtime::Consumed;
  auto* const keys = memory<int>(kInput);
  auto* const values = memory<float>(kInput + 8);
  const auto sort = [&](const auto& in, const auto& with) {
    runtime::sort(in, memory<int>(kOutput), kItems, {.values = {with, memory<float>(kValuesOutput)}});
  };
  sort(static_cast<const int*>(keys), static_cast<const float*>(values));
  const std::string text = message_of<RequestError>([&] { sort(Consumed(keys), Consumed(values)); });
  EXPECT_TRUE(contains(text, "overlap: they must not overlap")) << text;
}

// Programs that were compiled before there were names for them say 0 for all bits from begin_bit on.
TEST_F(SortApi, InCAnEndOfZeroMeansAllBits) {
  const auto described = [](int begin, int end) {
    scantune_sort_request request = SCANTUNE_SORT_REQUEST_INIT;
    request.head.n = kItems;
    request.input_type = SCANTUNE_I32;
    request.begin_bit = begin;
    request.end_bit = end;
    scantune_plan* made = nullptr;
    EXPECT_EQ(scantune_plan_create(&request.head, &made), SCANTUNE_OK) << scantune_error_message();
    const PlanOwner plan(made, &scantune_plan_destroy);
    return std::string(scantune_plan_description(plan.get()));
  };
  const auto by_bits = [](runtime::KeyBits bits) { return runtime::sort_plan<int>(kItems, {.bits = bits}).describe(); };
  EXPECT_EQ(described(0, 0), by_bits({}));
  EXPECT_EQ(described(0, SCANTUNE_ALL_BITS), by_bits({}));
  EXPECT_EQ(described(0, SCANTUNE_NO_BITS), by_bits({0, 0}));
  EXPECT_EQ(described(8, 0), by_bits({8, 32}));
  EXPECT_EQ(described(8, SCANTUNE_ALL_BITS), by_bits({8, 32}));
  EXPECT_EQ(described(8, 8), by_bits({0, 0}));
}

TEST_F(SortApi, PlanesOfRowsAreRows) {
  const auto described = [](const runtime::Rows& rows) {
    return runtime::sort_plan<int>(1200, {.segments = Segments::rows(rows)}).describe();
  };
  EXPECT_EQ(described({.count = 4, .length = 100, .planes = 3}), described({.count = 12, .length = 100}));
}

TEST_F(SortApi, OfNoKeysLaunchesNothing) {
  runtime::sort<int>(nullptr, nullptr, 0);
  runtime::sort<int>(nullptr, nullptr, 0, {.segments = Segments::rows(0, 5)});
  runtime::sort<int>(nullptr, nullptr, 0, {.segments = Segments::rows(5, 0)});
  runtime::argsort<int, int>(nullptr, nullptr, 0);
  runtime::sort_pairs_plan<int, int>(0)(nullptr, nullptr, nullptr, nullptr);
  EXPECT_TRUE(device_->launched.empty());
}

// --- Wrong arguments.

// Calls with a wrong sort.
Calls c_sorting(const std::function<void(scantune_sort_request&)>& spoil,
                scantune_sorted sorted = SCANTUNE_SORTED_KEYS) {
  return c_request([=](Arguments& with) { spoil(with.sort); }, of_sort(sorted));
}

// Calls with a wrong sort of segments.
Calls c_segments(const std::function<void(scantune_sort_request&)>& spoil,
                 scantune_sorted sorted = SCANTUNE_SORTED_KEYS) {
  return c_request([=](Arguments& with) { spoil(with.sort); }, of_sorted_bounds(sorted));
}

// A sort with a load.
Calls c_loaded(const Spoil& spoil, scantune_sorted sorted) {
  return c_request(
      [=](Arguments& with) {
        with.sort.load = &with.load;
        spoil(with);
      },
      of_sort(sorted));
}

// A sort by a comparison.
Calls c_by_less(const Spoil& spoil, scantune_sorted sorted = SCANTUNE_SORTED_KEYS) {
  return c_request(
      [=](Arguments& with) {
        with.function.role = SCANTUNE_FUNCTION_LESS;
        with.function.source = "__device__ bool less(int a, int b) { return a < b; }";
        with.sort.less = &with.function;
        spoil(with);
      },
      of_sort(sorted));
}

struct Triple {
  int a, b, c;
};
const Triple* triples() { return memory<Triple>(kInput); }

// The same options of all functions.
Calls segmented_options(const runtime::SegmentedArgsortOptions& wrong, u64 n = kItems, u64 segments = 1) {
  const auto with_these = [&](auto now) {
    now.order = wrong.order;
    now.bits = wrong.bits;
    now.device_segment_count = wrong.device_segment_count;
    now.forward_progress = wrong.forward_progress;
    now.latency = wrong.latency;
    now.captured_launches = wrong.captured_launches;
    now.device = wrong.device;
    now.config = wrong.config;
    return now;
  };
  const auto now = with_these(runtime::SegmentedSortOptions());
  const auto begins = [] { return memory<int>(kFlags); };
  const auto ends = [] { return memory<int>(kValues); };
  const auto index = [] { return memory<std::uint64_t>(kIndex); };
  return {cpp([=](Arguments& a) { runtime::segmented_sort(a.in(), begins(), a.out(), n, segments, now); }),
          cpp([=](Arguments& a) { runtime::segmented_sort(a.in(), begins(), ends(), a.out(), n, segments, now); }),
          cpp([=](Arguments& a) { runtime::segmented_argsort(a.in(), begins(), index(), n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_sort_plan<int, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_sort_ranges_plan<int, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_sort_pairs_plan<int, float, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_sort_pairs_ranges_plan<int, float, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_sort_indices_plan<int, u64, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_sort_indices_ranges_plan<int, u64, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_argsort_plan<int, u64, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_argsort_ranges_plan<int, u64, int>(n, segments, wrong); })};
}

Calls sort_options(const runtime::ArgsortOptions& wrong, u64 n = kItems) {
  const auto with_these = [&](auto now) {
    now.less = wrong.less;
    now.order = wrong.order;
    now.bits = wrong.bits;
    now.segments = wrong.segments;
    now.forward_progress = wrong.forward_progress;
    now.latency = wrong.latency;
    now.captured_launches = wrong.captured_launches;
    now.config = wrong.config;
    return now;
  };
  const auto now = with_these(runtime::SortOptions());
  return {cpp([=](Arguments& a) { runtime::sort(a.in(), a.out(), n, now); }),
          cpp([=](Arguments& a) { runtime::argsort(a.in(), memory<std::uint64_t>(kIndex), n, wrong); }),
          cpp([=](Arguments&) { runtime::sort_plan<int>(n, wrong); }),
          cpp([=](Arguments&) { runtime::sort_pairs_plan<int, float>(n, wrong); }),
          cpp([=](Arguments&) { runtime::sort_indices_plan<int>(n, wrong); }),
          cpp([=](Arguments&) { runtime::argsort_plan<int>(n, wrong); })};
}

constexpr scantune_sorted kPairs = SCANTUNE_SORTED_PAIRS, kPlaces = SCANTUNE_SORTED_INDICES,
                          kBoth = SCANTUNE_SORTED_KEYS_AND_INDICES, kKeys = SCANTUNE_SORTED_KEYS;

// clang-format off
const std::vector<BadInput> kBadSorts = {
    // The sort.
    {"scantune_head", "n", "more keys than 32 bits number", c_sorting([](auto& s) { s.head.n = (u64{1} << 32) + 1; }, kPlaces), {"a row has more keys than indices of 32 bits can number: ask for indices of 64 bits"}},
    {"scantune_head", "n", "more keys than 31 bits number", c_sorting([](auto& s) { s.head.n = (u64{1} << 31) + 1; s.index_type = SCANTUNE_I32; }, kBoth), {"a row has more keys than indices of 32 bits can number"}},
    {"scantune_head", "n", "no multiple of the rows", c_sorting([](auto& s) { s.segments = SCANTUNE_ROWS; s.rows = 7; }), {"n is 500, which is not a multiple of rows, which is 7", "equal length"}},
    {"scantune_sort_request", "less", "left out, of structs", c_sorting([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = s.custom_alignment = 4; }), {"less is NULL, and input_type is SCANTUNE_CUSTOM_TYPE", "pass the structs as values"}},
    {"scantune_sort_request", "less", "of another role", c_by_less([](Arguments& a) { a.function.role = SCANTUNE_FUNCTION_KEEP; }), {"less->role is SCANTUNE_FUNCTION_KEEP; it must be one that less takes: SCANTUNE_FUNCTION_LESS"}},
    {"scantune_sort_request", "less", "without a source", c_by_less([](Arguments& a) { a.function.source = ""; }), {"less->source is empty; it must define bool less(Value, Value)"}},
    {"scantune_function", "state_bytes", "of a less, too many", c_by_less([](Arguments& a) { a.function.state = a.request; a.function.state_bytes = 40; }), {"less->state_bytes is 40"}},
    {"scantune_sort_request", "less", "of some bits", c_by_less([](Arguments& a) { a.sort.end_bit = 8; }), {"source comparison", "less compares whole keys: leave the bits out"}},
    {"scantune_sort_request", "less", "of rows", c_by_less([](Arguments& a) { a.sort.segments = SCANTUNE_ROWS; a.sort.rows = 10; }), {"less puts all keys in one order"}},
    {"scantune_sort_request", "less", "beside a load", c_by_less([](Arguments& a) { a.sort.load = &a.load; a.load.role = SCANTUNE_FUNCTION_MAP; }, SCANTUNE_SORTED_PAIRS), {"values are moved as they are where less compares keys: leave load out"}},
    {"scantune_sort_request", "custom_bytes", "of no struct", c_by_less([](Arguments& a) { a.sort.custom_bytes = a.sort.custom_alignment = 4; }), {"custom_bytes is 4", "must be 0"}},
    {"scantune_sort_request", "value_type", "no type", c_sorting([](auto& s) { write(s.value_type, 99); }, kPairs), {"value_type is 99"}},
    {"scantune_sort_request", "value_type", "of keys alone", c_sorting([](auto& s) { s.value_type = SCANTUNE_U32; }), {"value_type is given, and sorted is not SCANTUNE_SORTED_PAIRS: leave it SCANTUNE_DEFAULT_TYPE"}},
    {"scantune_sort_request", "value_type", "left out, of values", c_sorting([](auto& s) { s.value_type = SCANTUNE_DEFAULT_TYPE; }, kPairs), {"value_type is SCANTUNE_DEFAULT_TYPE, and sorted is SCANTUNE_SORTED_PAIRS", "name the type"}},
    {"scantune_sort_request", "index_type", "too narrow", c_sorting([](auto& s) { s.index_type = SCANTUNE_U16; }, kPlaces), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_sort_request", "index_type", "a floating-point type", c_sorting([](auto& s) { s.index_type = SCANTUNE_F32; }, kBoth), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_sort_request", "index_type", "a struct", c_sorting([](auto& s) { s.index_type = SCANTUNE_CUSTOM_TYPE; s.custom_bytes = s.custom_alignment = 4; }, kPlaces), {"indices are numbers"}},
    {"scantune_sort_request", "index_type", "no type", c_sorting([](auto& s) { write(s.index_type, 99); }, kBoth), {"index_type is 99"}},
    {"scantune_sort_request", "index_type", "without indices", c_sorting([](auto& s) { s.index_type = SCANTUNE_U32; }, kPairs), {"index_type is given, and sorted says that no indices are written"}},
    {"scantune_sort_request", "sorted", "no choice", c_sorting([](auto& s) { write(s.sorted, 4); }), {"sorted is 4", "scantune_sorted", "0 to 3"}},
    {"scantune_sort_request", "order", "no order", c_sorting([](auto& s) { write(s.order, 2); }), {"order is 2", "scantune_order", "0 to 1"}},
    {"scantune_sort_request", "begin_bit", "below 0", c_sorting([](auto& s) { s.begin_bit = -1; }), {"begin_bit is -1; the lowest bit has the number 0"}},
    {"scantune_sort_request", "begin_bit", "after the bits' end", c_sorting([](auto& s) { s.begin_bit = 9; s.end_bit = 8; }), {"begin_bit is 9, and the bits that are compared end before bit 8", "or this number to compare no bit"}},
    {"scantune_sort_request", "begin_bit", "after the key", c_sorting([](auto& s) { s.begin_bit = 33; }), {"begin_bit is 33, and the bits that are compared end before bit 32"}},
    {"scantune_sort_request", "begin_bit", "of no bits", c_sorting([](auto& s) { s.begin_bit = 8; s.end_bit = SCANTUNE_NO_BITS; }), {"begin_bit is 8, and the bits that are compared end before bit 0"}},
    {"scantune_sort_request", "end_bit", "behind the key's", c_sorting([](auto& s) { s.end_bit = 33; }), {"end_bit is 33, and a key has 32 bits", "or SCANTUNE_ALL_BITS"}},
    {"scantune_sort_request", "end_bit", "behind that of a narrow key", c_sorting([](auto& s) { s.input_type = SCANTUNE_BF16; s.end_bit = 17; }), {"end_bit is 17, and a key has 16 bits"}},
    {"scantune_sort_request", "end_bit", "below 0", c_sorting([](auto& s) { s.end_bit = -8; }), {"end_bit is -8"}},
    {"scantune_sort_request", "input_use", "no use", c_sorting([](auto& s) { write(s.input_use, 2); }), {"input_use is 2", "scantune_input_use", "0 to 1"}},
    {"scantune_sort_request", "loaded_type", "no type", c_sorting([](auto& s) { write(s.loaded_type, 99); }, kPairs), {"loaded_type is 99"}},
    {"scantune_sort_request", "loaded_type", "without a load", c_sorting([](auto& s) { s.loaded_type = SCANTUNE_U32; }, kPairs), {"loaded_type is given, and load takes no values: leave it out"}},
    {"scantune_sort_request", "load", "of no values", c_loaded([](Arguments&) {}, kKeys), {"with maps of 500 items: load makes values, and none are sorted: ask for pairs, or leave load out"}},
    {"scantune_sort_request", "load", "of values that are consumed", c_loaded([](Arguments& a) { a.sort.input_use = SCANTUNE_CONSUME_INPUT; }, kPairs), {"values that load takes are not of the type that is moved", "keep the input"}},
    {"scantune_sort_request", "load", "in the place of the values", c_arrays(of_nothing_else, after(of_sort(kPairs), [](Arguments& a) { a.sort.load = &a.load; a.load.role = SCANTUNE_FUNCTION_GENERATE; })), {"values is given, and the request has input, output and values_output alone: leave SCANTUNE_VALUES NULL"}},
    {"scantune_function", "role", "of a store", c_loaded([](Arguments& a) { a.load.role = SCANTUNE_FUNCTION_WRITE; }, kPairs), {"load->role is SCANTUNE_FUNCTION_WRITE; it must be one that load takes"}},
    {"scantune_sort_request", "segments", "no kind", c_sorting([](auto& s) { write(s.segments, 7); }), {"segments is 7", "scantune_segments"}},
    {"scantune_sort_request", "segments", "columns", c_sorting([](auto& s) { s.segments = SCANTUNE_COLUMNS; }), {"rows are sorted, and columns are not: transpose them"}},
    {"scantune_sort_request", "offset_type", "none of offsets", c_segments([](auto& s) { s.offset_type = SCANTUNE_F32; }), {"offset_type is 11; offsets are integers of 4 or 8 bytes"}},
    {"scantune_sort_request", "offset_type", "too narrow for n", c_segments([](auto& s) { s.head.n = (u64{1} << 31); }), {"offset_type is i32, and n is 2147483648, which offsets of that type cannot reach: pass 64 bits"}},
    {"scantune_sort_request", "offset_type", "without offsets", c_sorting([](auto& s) { s.offset_type = SCANTUNE_I64; }), {"offset_type is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_sort_request", "offset_form", "none", c_segments([](auto& s) { write(s.offset_form, 2); }), {"offset_form is 2", "scantune_offset_form"}},
    {"scantune_sort_request", "offset_form", "without offsets", c_sorting([](auto& s) { s.offset_form = SCANTUNE_BEGINS_AND_ENDS; }), {"offset_form is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_sort_request", "segment_count", "left out", c_segments([](auto& s) { s.segment_count = 0; }), {"there are items and no segments to hold them"}},
    {"scantune_sort_request", "segment_count", "without offsets", c_sorting([](auto& s) { s.segment_count = 4; }), {"segment_count is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_sort_request", "segment_count", "more than fit in memory", c_segments([](auto& s) { s.segment_count = u64{1} << 63; }), {"segment_count is ", "more items than fit in the address space"}},
    {"scantune_sort_request", "device_segment_count", "without offsets", c_sorting([](auto& s) { s.device_segment_count = address(0x5000); }), {"device_segment_count is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_sort_request", "device_segment_count", "in the output", {spoiled([](Arguments& a) { of_sorted_bounds(kKeys)(a); a.sort.device_segment_count = address(kOutput); }, c_run), c_plan_run(of_nothing_else, [](Arguments& a) { of_sorted_bounds(kKeys)(a); a.sort.device_segment_count = address(kOutput); })}, {"device_segment_count [0x9000000, +8 bytes) is in the output"}},
    {"scantune_sort_request", "segment_count_type", "without a count in memory", c_segments([](auto& s) { s.segment_count_type = SCANTUNE_U32; }), {"segment_count_type is given, and device_segment_count is NULL"}},
    {"scantune_sort_request", "segment_count_type", "too narrow", c_segments([](auto& s) { s.device_segment_count = address(0x5000); s.segment_count_type = SCANTUNE_I16; }), {"segment_count_type is i16; it must be an integer of 4 or 8 bytes"}},
    {"scantune_sort_request", "check", "no choice", c_segments([](auto& s) { s.check = 2; }), {"check is 2; it must be 0 or 1"}},
    {"scantune_sort_request", "check", "without offsets", c_sorting([](auto& s) { s.check = 1; }), {"check is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_sort_request", "rows", "beside offsets", c_segments([](auto& s) { s.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_sort_request", "index_type", "too narrow for a segment of all keys", c_segments([](auto& s) { s.head.n = (u64{1} << 32) + 1; s.offset_type = SCANTUNE_I64; }, kPlaces), {"a segment may have more keys than indices of 32 bits can number: ask for indices of 64 bits"}},
    {"scantune_sort_request", "segments", "by flags", c_sorting([](auto& s) { s.segments = SCANTUNE_BY_FLAGS; }), {"segments are none, rows or by offsets"}},
    {"scantune_sort_request", "rows", "without segments", c_sorting([](auto& s) { s.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_sort_request", "rows", "none of some keys", c_sorting([](auto& s) { s.segments = SCANTUNE_ROWS; }), {"rows is 0, segments is SCANTUNE_ROWS, and n is 500"}},
    {"scantune_head", "config", "that is not legal, of no keys", c_sorting([](auto& s) { s.head.n = 0; s.head.config = "{\"family\": \"sort_block\", \"block_threads\": 0}"; }), {"config: sort_block{block_threads=0"}},


    // Its arrays.

    // Functions.

    // Functions and options of C++.
    {"runtime::sort runtime::argsort runtime::sort_plan runtime::sort_pairs_plan runtime::sort_indices_plan runtime::argsort_plan", "n", "more keys than an address space", sort_options({}, ~u64{0}), {"n is 18446744073709551615", "more items than fit"}},
    {"runtime::segmented_sort runtime::segmented_argsort runtime::segmented_sort_plan runtime::segmented_sort_ranges_plan runtime::segmented_sort_pairs_plan runtime::segmented_sort_pairs_ranges_plan runtime::segmented_sort_indices_plan runtime::segmented_sort_indices_ranges_plan runtime::segmented_argsort_plan runtime::segmented_argsort_ranges_plan", "n", "more keys than an address space", segmented_options({}, ~u64{0}), {"n is 18446744073709551615, which offsets of that type cannot reach"}},
    {"runtime::segmented_sort runtime::segmented_argsort runtime::segmented_sort_plan runtime::segmented_sort_ranges_plan runtime::segmented_sort_pairs_plan runtime::segmented_sort_pairs_ranges_plan runtime::segmented_sort_indices_plan runtime::segmented_sort_indices_ranges_plan runtime::segmented_argsort_plan runtime::segmented_argsort_ranges_plan", "segment_count", "none", segmented_options({}, kItems, 0), {"there are items and no segments to hold them"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "order", "no order", segmented_options({.order = static_cast<Order>(2)}), {"order is 2"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "bits", "that end before they begin", segmented_options({.bits = {9, 8}}), {"begin_bit is 9"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "device_segment_count", "memory of the host", segmented_options({.device_segment_count = memory<u64>(kHost)}), {"device_segment_count: ", "memory of the host"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "check stream", "of a plan, and its stream", {cpp([](Arguments& a) { runtime::segmented_sort_plan<int, int>(kItems, 1, {.check = true, .stream = a.stream}); })}, {"stream is given, and a plan takes its stream with each call"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "forward_progress", "no guarantee", segmented_options({.forward_progress = static_cast<runtime::ForwardProgress>(9)}), {"forward_progress is 9"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "latency", "no latency", segmented_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "captured_launches", "below 0", segmented_options({.captured_launches = -2}), {"captured_launches is -2"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "device", "none", segmented_options({.device = static_cast<runtime::Device>(3)}), {"device is 3"}},
    {"SegmentedSortOptions SegmentedArgsortOptions", "config", "of a scan's family", segmented_options({.config = "{\"family\": \"lookback\"}"}), {"config.family", "found \"lookback\""}},
    {"SegmentedSortOptions", "values indices", "both", {cpp([](Arguments& a) { runtime::segmented_sort(a.in(), memory<int>(kFlags), a.out(), kItems, 1, {.values = {a.beside(), a.beside_out()}, .indices = memory<int>(kIndex)}); })}, {"values and indices are both given"}},
    {"SortOptions ArgsortOptions", "less", "a predicate", sort_options({.less = runtime::Predicate::source("bool keep")}), {"less is a function by Predicate::source(): pass one by Less::source()"}},
    {"SortOptions ArgsortOptions", "less", "of some bits", sort_options({.less = runtime::Less::source("bool less"), .bits = {0, 8}}), {"less compares whole keys"}},
    {"SortOptions ArgsortOptions", "less", "none, of structs", {cpp([](Arguments& a) { runtime::sort(triples(), memory<Triple>(a.output), kItems); }), cpp([](Arguments&) { runtime::argsort(triples(), memory<u64>(kIndex), kItems); }), cpp([](Arguments&) { runtime::sort_plan<Triple>(kItems); })}, {"less is NULL, and input_type is SCANTUNE_CUSTOM_TYPE"}},
    {"SortOptions", "values", "structs of another size than the keys", {cpp([](Arguments& a) { struct Two { int a, b; }; runtime::sort(triples(), memory<Triple>(a.output), kItems, {.less = runtime::Less::source("bool less"), .values = {memory<Two>(kValues), memory<Two>(kIndex)}}); })}, {"values are a struct of 8 bytes aligned to 4, and keys a struct of 12 bytes aligned to 4", "sort the keys with their indices"}},
    {"SortOptions ArgsortOptions", "order", "no order", sort_options({.order = static_cast<Order>(2)}), {"order is 2"}},
    {"SortOptions ArgsortOptions", "bits", "that end before they begin", sort_options({.bits = {9, 8}}), {"begin_bit is 9"}},
    {"KeyBits", "end_bit", "before the first", sort_options({.bits = {8, 0}}), {"begin_bit is 8, and the bits that are compared end before bit 0"}},
    {"KeyBits", "begin_bit", "behind the last bit", sort_options({.bits = {.begin_bit = 40}}), {"begin_bit is 40"}},
    {"KeyBits", "end_bit", "behind the key's", sort_options({.bits = {.end_bit = 40}}), {"end_bit is 40"}},
    {"KeyBits", "end_bit", "SCANTUNE_NO_BITS", sort_options({.bits = {.end_bit = SCANTUNE_NO_BITS}}), {"bits.end_bit is -2", "KeyBits::all"}},
    {"SortOptions ArgsortOptions", "segments", "of other keys", sort_options({.segments = Segments::rows(10, 10)}), {"segments is Segments::rows(10, 10), which are 100 items, and n is 500"}},
    {"SortOptions ArgsortOptions", "segments", "with strides", sort_options({.segments = Segments::rows({.count = 10, .length = 50, .row_stride = 200})}), {"segments is Segments::rows() with strides", "dense rows alone: copy them first"}},
    {"SortOptions ArgsortOptions", "segments", "columns", sort_options({.segments = Segments::columns(10, 50)}), {"rows are sorted, and columns are not"}},
    {"SortOptions ArgsortOptions", "forward_progress", "no guarantee", sort_options({.forward_progress = static_cast<runtime::ForwardProgress>(9)}), {"forward_progress is 9"}},
    {"SortOptions ArgsortOptions", "latency", "no latency", sort_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"SortOptions ArgsortOptions", "captured_launches", "below 0", sort_options({.captured_launches = -2}), {"captured_launches is -2"}},
    {"SortOptions ArgsortOptions", "config", "with a null character", sort_options({.config = kWithNull}), {"config holds a null character"}},
    {"SortOptions", "values", "beside indices", {cpp([](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.values = {a.beside(), a.beside_out()}, .indices = memory<int>(kIndex)}); })}, {"values and indices are both given", "pass structs of a value and an index"}},
    {"SortValues", "load", "another function", {cpp([](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.values = {a.beside(), runtime::Map::generated(""), a.beside_out()}}); }), cpp([](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.values = {runtime::Map::source(""), a.beside_out()}}); })}, {"the load of values is a function by Map::", "pass one by Map::"}},
    {"SortValues", "load", "empty", {cpp([](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.values = {runtime::UserFunction(), a.beside_out()}}); })}, {"the load of values is an empty function: pass one of Map's"}},
    {"Consumed", "input", "null", {cpp([](Arguments& a) { runtime::sort(runtime::Consumed<int>(nullptr), a.out(), kItems); }), cpp([](Arguments& a) { runtime::sort_plan<runtime::Consumed<int>>(kItems)(nullptr, a.out()); })}, {"input is null, and n is 500"}},
    {"SortOptions", "values", "consumed, of keys that are not", {cpp([](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.values = {runtime::Consumed(a.beside_out()), a.beside_out()}}); }), cpp([](Arguments& a) { runtime::sort(runtime::Consumed(memory<int>(kInput)), a.out(), kItems, {.values = {a.beside(), a.beside_out()}}); })}, {"values are consumed and keys are not, or keys and not values", "pass Consumed() of both"}},
    {"SortOptions", "indices", "too narrow for n", {cpp([](Arguments& a) { runtime::sort(a.in(), memory<int>(std::uintptr_t{1} << 40), (u64{1} << 32) + 1, {.indices = memory<std::uint32_t>(std::uintptr_t{1} << 50)}); })}, {"a row has more keys than indices of 32 bits can number: ask for indices of 64 bits"}},
};
// clang-format on

class BadSorts : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadSorts, AreRefusedWithTheirNameBeforeAnythingIsLaunchedOrAllocated) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadSorts, ::testing::ValuesIn(kBadSorts));

TEST(SpoiledSorts, AreRightUntilARowSpoilsThem) {
  const auto nothing_wrong = [](auto&) {};
  expect_right({c_sorting(nothing_wrong), c_sorting(nothing_wrong, kPairs), c_sorting(nothing_wrong, kPlaces),
                c_sorting(nothing_wrong, kBoth), c_segments(nothing_wrong), c_segments(nothing_wrong, kPairs),
                c_by_less(nothing_wrong), c_by_less(nothing_wrong, kPairs), sort_options({})});
}

}  // namespace
}  // namespace scantune::testing
