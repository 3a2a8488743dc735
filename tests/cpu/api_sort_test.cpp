// Sorts by the public functions, C and C++: what reaches the device of their arguments, and which are refused.
// tests/structure checks that no argument is left out.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "api_counting_new.h"
#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

using runtime::Order;
using runtime::Segments;

template <class T>
T* memory(std::uintptr_t where) {
  return static_cast<T*>(address(where));
}

// Lets right arguments be those of a sort of i32 keys, with what is asked for beside them.
Spoil of_sort(scantune_sorted sorted) {
  return [=](Arguments& with) {
    with.request = &with.sort.head;
    with.sort.sorted = sorted;
    if (sorted == SCANTUNE_SORTED_PAIRS) {
      with.sort.value_type = SCANTUNE_F32;
      with.values = kValues;
      with.values_output = kValuesOutput;
    } else if (sorted != SCANTUNE_SORTED_KEYS) {
      with.sort.value_type = SCANTUNE_U32;
      if (sorted == SCANTUNE_SORTED_KEYS_AND_INDICES) with.position = kIndex;
    }
  };
}

class SortApi : public PublicApi {
 protected:
  std::string last_source() const { return device_->compiler().sources.back(); }
};

TEST_F(SortApi, PutsEveryArrayWhereKernelsFindIt) {
  for (const scantune_sorted sorted :
       {SCANTUNE_SORTED_KEYS, SCANTUNE_SORTED_PAIRS, SCANTUNE_SORTED_INDICES, SCANTUNE_SORTED_KEYS_AND_INDICES}) {
    Arguments with(device_);
    of_sort(sorted)(with);
    for (const Call& call : {Call(c_run), c_plan_run(of_nothing_else), c_plan_run_in(of_nothing_else)})
      EXPECT_EQ(call(with).text, "");
    ASSERT_EQ(device_->launched.size(), 3u);
    for (const FakeLaunch& launch : device_->launched) {
      EXPECT_EQ(launch.arguments.n, kItems);
      EXPECT_EQ(launch.arguments.input, address(with.input));
      EXPECT_EQ(launch.arguments.output, address(with.output));
      EXPECT_EQ(launch.arguments.values, address(with.values));
      EXPECT_EQ(launch.arguments.values_output, address(with.values_output));
      EXPECT_EQ(launch.arguments.position, address(with.position));
    }
    device_->launched.clear();
  }
}

TEST_F(SortApi, FunctionsOfCppDoSo) {
  const float *const keys = memory<float>(kInput), *const values = memory<float>(kValues);
  float *const output = memory<float>(kOutput), *const values_output = memory<float>(kValuesOutput);
  std::int64_t* const indices = memory<std::int64_t>(kIndex);
  const auto expect = [&](const void* written, const void* of_values, const void* to, const void* places) {
    EXPECT_EQ(last_launch().arguments.input, keys);
    EXPECT_EQ(last_launch().arguments.output, written);
    EXPECT_EQ(last_launch().arguments.values, of_values);
    EXPECT_EQ(last_launch().arguments.values_output, to);
    EXPECT_EQ(last_launch().arguments.position, places);
  };
  runtime::sort(keys, output, kItems);
  expect(output, nullptr, nullptr, nullptr);
  runtime::sort_plan<float>(kItems)(keys, output);
  expect(output, nullptr, nullptr, nullptr);
  runtime::sort(keys, output, kItems, {.values = {values, values_output}});
  expect(output, values, values_output, nullptr);
  runtime::sort_pairs_plan<float, float>(kItems)(keys, values, output, values_output);
  expect(output, values, values_output, nullptr);
  runtime::sort(keys, output, kItems, {.indices = indices});
  expect(output, nullptr, nullptr, indices);
  runtime::sort_indices_plan<float, std::int64_t>(kItems)(keys, output, indices);
  expect(output, nullptr, nullptr, indices);
  runtime::argsort(keys, indices, kItems);
  expect(indices, nullptr, nullptr, nullptr);
  runtime::argsort_plan<float, std::int64_t>(kItems)(keys, indices);
  expect(indices, nullptr, nullptr, nullptr);
}

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
      runtime::sort_plan<int>(kItems, {.bits = {8, 24}, .segments = Segments::rows(10, 100)}).describe();
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
  EXPECT_EQ(described({.begin_bit = 0}), all);
  EXPECT_NE(described({0, 31}), all);
  EXPECT_EQ(described({4, 32}), described({.begin_bit = 4}));
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

TEST_F(SortApi, WarmCallsAllocateNothing) {
  Arguments with(device_);
  of_sort(SCANTUNE_SORTED_PAIRS)(with);
  const PlanOwner plan = made_plan(with);
  const scantune_arrays arrays = with.arrays();
  device_->launched.reserve(100);
  const std::function<scantune_status()> calls[] = {
      [&] { return scantune_run(with.request, &arrays, nullptr); },
      [&] { return scantune_plan_run(plan.get(), &arrays, nullptr, nullptr); }};
  for (const auto& call : calls) {
    ASSERT_EQ(call(), SCANTUNE_OK) << scantune_error_message();
    const long before = allocation_count;
    EXPECT_EQ(call(), SCANTUNE_OK) << scantune_error_message();
    EXPECT_EQ(allocation_count, before);
  }
}

TEST_F(SortApi, PlansMayBeCaptured) {
  int* const far = memory<int>(std::uintptr_t{1} << 40);
  const auto plan = runtime::sort_plan<int>(kTiles, {.captured_launches = 1});
  const Stream stream = device_->make_stream();
  plan(memory<int>(kInput), far, stream);
  device_->begin_capture(stream, 1);
  const int calls = device_->driver_calls;
  plan(memory<int>(kInput), far, stream);
  EXPECT_EQ(device_->driver_calls, calls);
  EXPECT_THROW(plan(memory<int>(kInput), far, stream), RequestError);
  device_->destroy_graph(1);
}

TEST_F(SortApi, AProgramOfALaterHeaderIsServedUnlessItSetsWhatIsUnknown) {
  Arguments with(device_);
  struct Later {
    scantune_sort_request known;
    std::uint64_t unknown = 0;
  } later{with.sort};
  later.known.head.struct_bytes = sizeof later;
  with.request = &later.known.head;
  EXPECT_EQ(c_run(with).text, "");
  later.unknown = 1;
  EXPECT_TRUE(contains(c_run(with).text, "newer header")) << scantune_error_message();
}

// --- Wrong arguments.

// Where the indices go: the output's place where they are alone.
std::uintptr_t& indices_in(Arguments& with) {
  return with.sort.sorted == SCANTUNE_SORTED_INDICES ? with.output : with.position;
}
std::uint32_t* indices_of(Arguments& with) { return memory<std::uint32_t>(indices_in(with)); }

// Calls with a wrong sort.
Calls c_sorting(const std::function<void(scantune_sort_request&)>& spoil,
                scantune_sorted sorted = SCANTUNE_SORTED_KEYS) {
  return c_request([=](Arguments& with) { spoil(with.sort); }, of_sort(sorted));
}

Calls cpp_keys(const Spoil& spoil) {
  return now_and_by_plan(
      spoil, [](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.stream = a.stream}); },
      [] { return runtime::sort_plan<int>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.stream); }, of_sort(SCANTUNE_SORTED_KEYS));
}
Calls cpp_pairs(const Spoil& spoil) {
  return now_and_by_plan(
      spoil,
      [](Arguments& a) {
        runtime::sort(a.in(), a.out(), kItems, {.values = {a.beside(), a.beside_out()}, .stream = a.stream});
      },
      [] { return runtime::sort_pairs_plan<int, float>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.beside(), a.out(), a.beside_out(), a.stream); },
      of_sort(SCANTUNE_SORTED_PAIRS));
}
Calls cpp_keys_and_indices(const Spoil& spoil) {
  return now_and_by_plan(
      spoil,
      [](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.indices = indices_of(a), .stream = a.stream}); },
      [] { return runtime::sort_indices_plan<int, std::uint32_t>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), indices_of(a), a.stream); },
      of_sort(SCANTUNE_SORTED_KEYS_AND_INDICES));
}
Calls cpp_argsort(const Spoil& spoil) {
  return now_and_by_plan(
      spoil, [](Arguments& a) { runtime::argsort(a.in(), indices_of(a), kItems, {.stream = a.stream}); },
      [] { return runtime::argsort_plan<int, std::uint32_t>(kItems); },
      [](const auto& plan, Arguments& a) { plan(a.in(), indices_of(a), a.stream); }, of_sort(SCANTUNE_SORTED_INDICES));
}

// Sorts that have an output of keys.
Calls sorting_keys(const Spoil& spoil) {
  return all_of({c_arrays(spoil, of_sort(SCANTUNE_SORTED_KEYS)), c_arrays(spoil, of_sort(SCANTUNE_SORTED_PAIRS)),
                 c_arrays(spoil, of_sort(SCANTUNE_SORTED_KEYS_AND_INDICES)), cpp_keys(spoil), cpp_pairs(spoil),
                 cpp_keys_and_indices(spoil)});
}
Calls sorting_all(const Spoil& spoil) {
  return all_of({sorting_keys(spoil), c_arrays(spoil, of_sort(SCANTUNE_SORTED_INDICES)), cpp_argsort(spoil)});
}
Calls sorting_pairs(const Spoil& spoil) {
  return both(c_arrays(spoil, of_sort(SCANTUNE_SORTED_PAIRS)), cpp_pairs(spoil));
}
Calls sorting_indices(const Spoil& spoil) {
  return all_of({c_arrays(spoil, of_sort(SCANTUNE_SORTED_INDICES)),
                 c_arrays(spoil, of_sort(SCANTUNE_SORTED_KEYS_AND_INDICES)), cpp_argsort(spoil),
                 cpp_keys_and_indices(spoil)});
}

// Those that ask the driver about memory and stream.
Calls sorting_without_plan(const Spoil& spoil) {
  return {spoiled(after(of_sort(SCANTUNE_SORTED_KEYS), spoil), c_run), cpp_keys(spoil)[0], cpp_pairs(spoil)[0],
          cpp_keys_and_indices(spoil)[0], cpp_argsort(spoil)[0]};
}

// The same options of all functions.
Calls sort_options(const runtime::ArgsortOptions& wrong, u64 n = kItems) {
  const auto with_these = [&](auto now) {
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

// Runs of plans in a workspace of the caller's, which they need.
Calls sorting_in_workspace(const Spoil& spoil) {
  const auto by_plan = [=](scantune_sorted sorted, const auto& make, const auto& run) {
    return cpp_in_workspace(spoil, of_sort(sorted), make, run);
  };
  return {
      c_plan_run_in(spoil, after(of_sort(SCANTUNE_SORTED_KEYS), far_away)),
      by_plan(
          SCANTUNE_SORTED_KEYS, [] { return runtime::sort_plan<int>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), a.room(), a.stream); }),
      by_plan(
          SCANTUNE_SORTED_PAIRS, [] { return runtime::sort_pairs_plan<int, float>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) {
            plan(a.in(), a.beside(), a.out(), a.beside_out(), a.room(), a.stream);
          }),
      by_plan(
          SCANTUNE_SORTED_KEYS_AND_INDICES,
          [] { return runtime::sort_indices_plan<int, std::uint32_t>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(a.in(), a.out(), indices_of(a), a.room(), a.stream); }),
      by_plan(
          SCANTUNE_SORTED_INDICES,
          [] { return runtime::argsort_plan<int, std::uint32_t>(kTiles, {.captured_launches = 0}); },
          [](const auto& plan, Arguments& a) { plan(a.in(), indices_of(a), a.room(), a.stream); })};
}

void custom_value(scantune_sort_request& sorting, std::uint32_t bytes, std::uint32_t alignment) {
  sorting.value_type = SCANTUNE_CUSTOM_TYPE;
  sorting.custom_bytes = bytes;
  sorting.custom_alignment = alignment;
}

constexpr scantune_sorted kPairs = SCANTUNE_SORTED_PAIRS, kPlaces = SCANTUNE_SORTED_INDICES,
                          kBoth = SCANTUNE_SORTED_KEYS_AND_INDICES, kKeys = SCANTUNE_SORTED_KEYS;

// clang-format off
const std::vector<BadInput> kBadSorts = {
    // The sort.
    {"scantune_head", "struct_bytes", "left out", c_sorting([](auto& s) { s.head.struct_bytes = 0; }), {"struct_bytes is 0", "scantune_sort_request", "SCANTUNE_SORT_REQUEST_INIT"}},
    {"scantune_head", "n", "more keys than an address space", c_sorting([](auto& s) { s.head.n = ~u64{0}; }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_head", "n", "more keys than 32 bits number", c_sorting([](auto& s) { s.head.n = (u64{1} << 32) + 1; }, kPlaces), {"a row has more keys than indices of 32 bits can number: ask for indices of 64 bits"}},
    {"scantune_head", "n", "more keys than 31 bits number", c_sorting([](auto& s) { s.head.n = (u64{1} << 31) + 1; s.value_type = SCANTUNE_I32; }, kBoth), {"a row has more keys than indices of 32 bits can number"}},
    {"scantune_head", "n", "no multiple of the rows", c_sorting([](auto& s) { s.segments = SCANTUNE_ROWS; s.rows = 7; }), {"n is 1000, which is no multiple of rows, which is 7", "equal length"}},
    {"scantune_sort_request", "input_type", "left out", c_sorting([](auto& s) { s.input_type = SCANTUNE_DEFAULT_TYPE; }), {"input_type is 0", "scantune_type"}},
    {"scantune_sort_request", "input_type", "no type", c_sorting([](auto& s) { write(s.input_type, 14); }), {"input_type is 14", "1 to 13"}},
    {"scantune_sort_request", "input_type", "a struct", c_sorting([](auto& s) { s.input_type = SCANTUNE_CUSTOM_TYPE; }), {"input_type is SCANTUNE_CUSTOM_TYPE", "keys are numbers", "pass the items as values"}},
    {"scantune_sort_request", "value_type", "no type", c_sorting([](auto& s) { write(s.value_type, 99); }, kPairs), {"value_type is 99"}},
    {"scantune_sort_request", "value_type", "of keys alone", c_sorting([](auto& s) { s.value_type = SCANTUNE_U32; }), {"value_type is given, and sorted is SCANTUNE_SORTED_KEYS", "leave it SCANTUNE_DEFAULT_TYPE"}},
    {"scantune_sort_request", "value_type", "left out, of values", c_sorting([](auto& s) { s.value_type = SCANTUNE_DEFAULT_TYPE; }, kPairs), {"value_type is SCANTUNE_DEFAULT_TYPE, and sorted is SCANTUNE_SORTED_PAIRS", "name the type"}},
    {"scantune_sort_request", "value_type", "too narrow for indices", c_sorting([](auto& s) { s.value_type = SCANTUNE_U16; }, kPlaces), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_sort_request", "value_type", "a floating-point type of indices", c_sorting([](auto& s) { s.value_type = SCANTUNE_F32; }, kBoth), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_sort_request", "value_type", "a struct of indices", c_sorting([](auto& s) { custom_value(s, 4, 4); }, kPlaces), {"indices are numbers"}},
    {"scantune_sort_request", "custom_bytes", "of a built-in type", c_sorting([](auto& s) { s.custom_bytes = 4; }, kPairs), {"custom_bytes is 4", "must be 0"}},
    {"scantune_sort_request", "custom_bytes", "too many", c_sorting([](auto& s) { custom_value(s, 33, 1); }, kPairs), {"custom_bytes is 33", "1 to 32"}},
    {"scantune_sort_request", "custom_alignment", "that does not divide the size", c_sorting([](auto& s) { custom_value(s, 12, 8); }, kPairs), {"custom_alignment is 8", "divide custom_bytes, which is 12"}},
    {"scantune_sort_request", "custom_alignment", "of a built-in type", c_sorting([](auto& s) { s.custom_alignment = 4; }), {"custom_alignment is 4", "must be 0"}},
    {"scantune_sort_request", "sorted", "no choice", c_sorting([](auto& s) { write(s.sorted, 4); }), {"sorted is 4", "scantune_sorted", "0 to 3"}},
    {"scantune_sort_request", "order", "no order", c_sorting([](auto& s) { write(s.order, 2); }), {"order is 2", "scantune_order", "0 to 1"}},
    {"scantune_sort_request", "begin_bit", "below 0", c_sorting([](auto& s) { s.begin_bit = -1; }), {"begin_bit is -1; the lowest bit has the number 0"}},
    {"scantune_sort_request", "begin_bit", "where the bits end", c_sorting([](auto& s) { s.begin_bit = s.end_bit = 8; }), {"begin_bit is 8, and the bits that are compared end before bit 8", "there is a bit to compare"}},
    {"scantune_sort_request", "begin_bit", "behind the key", c_sorting([](auto& s) { s.begin_bit = 32; }), {"begin_bit is 32, and the bits that are compared end before bit 32"}},
    {"scantune_sort_request", "end_bit", "behind the key's", c_sorting([](auto& s) { s.end_bit = 33; }), {"end_bit is 33, and a key has 32 bits", "or 0 for all"}},
    {"scantune_sort_request", "end_bit", "behind that of a narrow key", c_sorting([](auto& s) { s.input_type = SCANTUNE_BF16; s.end_bit = 17; }), {"end_bit is 17, and a key has 16 bits"}},
    {"scantune_sort_request", "end_bit", "below 0", c_sorting([](auto& s) { s.end_bit = -8; }), {"end_bit is -8"}},
    {"scantune_sort_request", "segments", "no kind", c_sorting([](auto& s) { write(s.segments, 3); }), {"segments is 3", "scantune_segments"}},
    {"scantune_sort_request", "segments", "columns", c_sorting([](auto& s) { s.segments = SCANTUNE_COLUMNS; }), {"rows are sorted, and columns are not: transpose them"}},
    {"scantune_sort_request", "rows", "without segments", c_sorting([](auto& s) { s.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_sort_request", "rows", "none of some keys", c_sorting([](auto& s) { s.segments = SCANTUNE_ROWS; }), {"rows is 0, segments is SCANTUNE_ROWS, and n is 1000"}},
    {"scantune_head", "forward_progress", "no guarantee", c_sorting([](auto& s) { write(s.head.forward_progress, 2); }), {"forward_progress is 2"}},
    {"scantune_head", "latency", "no latency", c_sorting([](auto& s) { write(s.head.latency, 2); }), {"latency is 2"}},
    {"scantune_head", "captured_launches", "below 0", c_sorting([](auto& s) { s.head.captured_launches = -1; }), {"captured_launches is -1"}},
    {"scantune_head", "config", "empty", c_sorting([](auto& s) { s.head.config = ""; }), {"config is empty", "NULL to have one chosen"}},
    {"scantune_head", "config", "of a scan's family", c_sorting([](auto& s) { s.head.config = "{\"family\": \"lookback\"}"; }), {"config.family must name a family of sort", "found \"lookback\""}},
    {"scantune_head", "config", "that is not legal, of no keys", c_sorting([](auto& s) { s.head.n = 0; s.head.config = "{\"family\": \"sort_block\", \"block_threads\": 0}"; }), {"config: sort_block{block_threads=0"}},

    {"scantune_sort_request", "spare", "not 0", c_sorting([](auto& s) { s.spare = 5; }), {"spare is 5", "must be 0"}},

    // Its arrays.
    {"runtime::sort runtime::argsort", "input", "null", sorting_all([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1000"}},
    {"scantune_arrays", "of", "misaligned", sorting_all([](Arguments& a) { a.input = kInput + 2; }), {"input is 0x1000002", "multiple of the 4 bytes"}},
    {"scantune_arrays", "of", "at the end of memory", sorting_all([](Arguments& a) { a.input = kEnd - 4 * kItems + 1; }), {"input", "end of the address space"}},
    {"scantune_arrays", "of", "memory of the host", sorting_without_plan([](Arguments& a) { a.input = kHost; }), {"input: ", "memory of the host"}},
    {"runtime::sort", "output", "null", sorting_keys([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"scantune_arrays", "of", "misaligned", sorting_keys([](Arguments& a) { a.output = kOutput + 1; }), {"output is 0x9000001"}},
    {"scantune_arrays", "of", "the input", sorting_keys([](Arguments& a) { a.output = kInput; }), {"input [0x1000000, +4000 bytes) and output [0x1000000, +4000 bytes) overlap: they must lie apart"}},
    {"scantune_arrays", "of", "in the input", sorting_keys([](Arguments& a) { a.output = kInput + 400; }), {"input [0x1000000, +4000 bytes) and output [0x1000190", "overlap: they must lie apart"}},
    {"scantune_arrays", "of", "null", sorting_pairs([](Arguments& a) { a.values = 0; }), {"values is null"}},
    {"scantune_arrays", "of", "misaligned", sorting_pairs([](Arguments& a) { a.values = kValues + 2; }), {"values is 0x3000002"}},
    {"scantune_arrays", "of", "of keys alone", c_arrays([](Arguments& a) { a.values = kValues; }, of_sort(kKeys)), {"values is given, and the request has input", "leave SCANTUNE_VALUES NULL"}},
    {"scantune_arrays", "of", "null", sorting_pairs([](Arguments& a) { a.values_output = 0; }), {"values_output is null"}},
    {"scantune_arrays", "of", "the values", sorting_pairs([](Arguments& a) { a.values_output = kValues; }), {"values [0x3000000, +4000 bytes) and values_output [0x3000000, +4000 bytes) overlap: they must lie apart"}},
    {"scantune_arrays", "of", "the output", sorting_pairs([](Arguments& a) { a.values_output = kOutput; }), {"overlap: they must lie apart"}},
    {"scantune_arrays", "of", "of keys and indices", c_arrays([](Arguments& a) { a.values_output = kValuesOutput; }, of_sort(kBoth)), {"values_output is given, and the request has input", "leave SCANTUNE_VALUES_OUTPUT NULL"}},
    {"SortValues", "input", "null", {cpp_pairs([](Arguments& a) { a.values = 0; })[0]}, {"values is null"}},
    {"SortValues", "output", "null", {cpp_pairs([](Arguments& a) { a.values_output = 0; })[0]}, {"values_output is null"}},
    {"SortIndices", "output", "null", {cpp_keys_and_indices([](Arguments& a) { indices_in(a) = 0; })[0]}, {"indices (the ", ") is null"}},
    {"runtime::argsort", "indices", "null", sorting_indices([](Arguments& a) { indices_in(a) = 0; }), {"indices (the ", ") is null"}},
    {"scantune_arrays", "of", "misaligned", sorting_indices([](Arguments& a) { indices_in(a) = kIndex + 2; }), {"indices is 0xb000002"}},
    {"scantune_arrays", "of", "the keys", sorting_indices([](Arguments& a) { indices_in(a) = kInput; }), {"indices [0x1000000, +4000 bytes)", "overlap: they must lie apart"}},
    {"scantune_arrays", "of", "of pairs", c_arrays([](Arguments& a) { a.position = kIndex; }, of_sort(kPairs)), {"position is given, and the request has input", "leave SCANTUNE_POSITION NULL"}},

    // Functions.
    {"scantune_plan_run Plan::operator()", "workspace", "null", sorting_in_workspace([](Arguments& a) { a.workspace = 0; }), {"workspace is null", "pass memory of the device"}},
    {"scantune_plan_run Plan::operator()", "workspace", "too small", sorting_in_workspace([](Arguments& a) { a.workspace_bytes = 1; }), {"workspace_bytes is 1, and one run needs"}},
    {"scantune_workspace", "bytes", "too few", sorting_in_workspace([](Arguments& a) { a.workspace_bytes = 0; }), {"workspace_bytes is 0, and one run needs"}},
    {"scantune_plan_run Plan::operator()", "workspace", "misaligned", sorting_in_workspace([](Arguments& a) { a.workspace = kWorkspace + 128; }), {"workspace is 0xd000080", "multiple of 256 bytes"}},
    {"scantune_plan_run Plan::operator()", "workspace", "the keys", sorting_in_workspace([](Arguments& a) { a.workspace = std::uintptr_t{1} << 40; }), {"workspace [0x10000000000", "input [0x10000000000", "overlap: they must lie apart"}},
    {"scantune_run SortOptions ArgsortOptions", "stream", "of another context", sorting_without_plan([](Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: ", "another context"}},
    {"scantune_run SortOptions ArgsortOptions", "stream", "captured, of an unknown problem", sorting_without_plan([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"being captured", "make a plan before"}},
    {"scantune_plan_run Plan::operator()", "stream", "of another context, beside an overlap", all_of({cpp_keys([](Arguments& a) { a.output = kInput; a.device->streams.at(a.stream).problem = "it belongs to another context"; }), cpp_argsort([](Arguments& a) { indices_in(a) = kInput; a.device->streams.at(a.stream).problem = "it belongs to another context"; })}), {"stream: it belongs to another context"}},

    // Functions and options of C++.
    {"runtime::sort runtime::argsort runtime::sort_plan runtime::sort_pairs_plan runtime::sort_indices_plan runtime::argsort_plan", "n", "more keys than an address space", sort_options({}, ~u64{0}), {"n is 18446744073709551615", "more items than fit"}},
    {"SortOptions ArgsortOptions", "order", "no order", sort_options({.order = static_cast<Order>(2)}), {"order is 2"}},
    {"SortOptions ArgsortOptions", "bits", "none", sort_options({.bits = {8, 8}}), {"begin_bit is 8"}},
    {"KeyBits", "begin_bit", "behind the last bit", sort_options({.bits = {.begin_bit = 40}}), {"begin_bit is 40"}},
    {"KeyBits", "end_bit", "behind the key's", sort_options({.bits = {.end_bit = 40}}), {"end_bit is 40"}},
    {"SortOptions ArgsortOptions", "segments", "of other keys", sort_options({.segments = Segments::rows(10, 10)}), {"segments is Segments::rows(10, 10), which are 100 items, and n is 1000"}},
    {"SortOptions ArgsortOptions", "segments", "with strides", sort_options({.segments = Segments::rows({.count = 10, .length = 100, .row_stride = 200})}), {"segments is Segments::rows() with strides", "dense rows alone: copy them first"}},
    {"SortOptions ArgsortOptions", "segments", "columns", sort_options({.segments = Segments::columns(10, 100)}), {"rows are sorted, and columns are not"}},
    {"SortOptions ArgsortOptions", "forward_progress", "no guarantee", sort_options({.forward_progress = static_cast<runtime::ForwardProgress>(9)}), {"forward_progress is 9"}},
    {"SortOptions ArgsortOptions", "latency", "no latency", sort_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"SortOptions ArgsortOptions", "captured_launches", "below 0", sort_options({.captured_launches = -2}), {"captured_launches is -2"}},
    {"SortOptions ArgsortOptions", "config", "with a null character", sort_options({.config = kWithNull}), {"config holds a null character"}},
    {"SortOptions", "values", "beside indices", {cpp([](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.values = {a.beside(), a.beside_out()}, .indices = memory<int>(kIndex)}); })}, {"values and indices are both given", "pass structs of a value and an index"}},
    {"SortOptions", "indices", "too narrow for n", {cpp([](Arguments& a) { runtime::sort(a.in(), memory<int>(std::uintptr_t{1} << 40), (u64{1} << 32) + 1, {.indices = memory<std::uint32_t>(std::uintptr_t{1} << 50)}); })}, {"a row has more keys than indices of 32 bits can number: ask for indices of 64 bits"}},
};
// clang-format on

class BadSorts : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadSorts, AreRefusedWithTheirNameBeforeAnythingIsLaunchedOrAllocated) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadSorts, ::testing::ValuesIn(kBadSorts));

TEST(SpoiledSorts, AreRightUntilARowSpoilsThem) {
  const auto nothing_wrong = [](auto&) {};
  expect_right({c_sorting(nothing_wrong), c_sorting(nothing_wrong, kPairs), c_sorting(nothing_wrong, kPlaces),
                c_sorting(nothing_wrong, kBoth), sorting_all(nothing_wrong), sorting_pairs(nothing_wrong),
                sorting_indices(nothing_wrong), sorting_without_plan(nothing_wrong),
                sorting_in_workspace(nothing_wrong), sort_options({})});
}

}  // namespace
}  // namespace scantune::testing
