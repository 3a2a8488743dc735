// Sorts by the public functions, C and C++: what reaches the device of their arguments, and which are refused.
// tests/structure checks that no argument is left out.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "api_bad_input.h"
#include "api_counting_new.h"
#include "api_current_device.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

using runtime::Order;
using runtime::Segments;

constexpr u64 kSortedItems = 1000;
constexpr u64 kSortTiles = u64{1} << 20;  // keys of a sort that needs a workspace
constexpr std::uintptr_t kSortInput = 0x1000000, kSortOutput = 0x9000000, kValues = 0x3000000,
                         kValuesOutput = 0x4000000, kIndices = 0xb000000, kHost = 0xdead0000, kWorkspace = 0xd000000,
                         kEnd = ~std::uintptr_t{0};

template <class T>
T* at(std::uintptr_t where) {
  return static_cast<T*>(address(where));
}

// A sort in C: i32 keys and what is asked for beside them.
struct CSort {
  scantune_sorting sorting = SCANTUNE_SORTING_INIT;
  scantune_sorting_arrays arrays = SCANTUNE_SORTING_ARRAYS_INIT;

  explicit CSort(scantune_sorted sorted) {
    sorting.n = kSortedItems;
    sorting.key_type = SCANTUNE_I32;
    sorting.sorted = sorted;
    arrays.input = address(kSortInput);
    if (sorted != SCANTUNE_SORTED_INDICES) arrays.output = address(kSortOutput);
    if (sorted == SCANTUNE_SORTED_PAIRS) {
      sorting.value_type = SCANTUNE_F32;
      arrays.values = address(kValues);
      arrays.values_output = address(kValuesOutput);
    } else if (sorted != SCANTUNE_SORTED_KEYS) {
      sorting.value_type = SCANTUNE_U32;
      arrays.indices = address(kIndices);
    }
  }
};

class SortApi : public PublicApi {
 protected:
  std::string last_source() const { return device_->compiler().sources.back(); }
};

TEST_F(SortApi, PutsEveryArrayWhereKernelsFindIt) {
  for (const scantune_sorted sorted :
       {SCANTUNE_SORTED_KEYS, SCANTUNE_SORTED_PAIRS, SCANTUNE_SORTED_INDICES, SCANTUNE_SORTED_KEYS_AND_INDICES}) {
    const CSort one(sorted);
    scantune_plan* plan = nullptr;
    ASSERT_EQ(scantune_sort(&one.sorting, &one.arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
    ASSERT_EQ(scantune_sort_plan_create(&one.sorting, &plan), SCANTUNE_OK) << scantune_error_message();
    ASSERT_EQ(scantune_plan_run_sort(plan, &one.arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
    ASSERT_EQ(scantune_plan_run_sort_in(plan, &one.arrays, nullptr, 0, nullptr), SCANTUNE_OK)
        << scantune_error_message();
    scantune_plan_destroy(plan);
    ASSERT_EQ(device_->launched.size(), 3u);
    for (const FakeLaunch& launch : device_->launched) {
      const bool only_indices = sorted == SCANTUNE_SORTED_INDICES;
      EXPECT_EQ(launch.arguments.n, kSortedItems);
      EXPECT_EQ(launch.arguments.operand(OperandRole::input), one.arrays.input);
      EXPECT_EQ(launch.arguments.operand(OperandRole::output), only_indices ? one.arrays.indices : one.arrays.output);
      EXPECT_EQ(launch.arguments.operand(OperandRole::values), one.arrays.values);
      EXPECT_EQ(launch.arguments.operand(OperandRole::values_output), one.arrays.values_output);
      EXPECT_EQ(launch.arguments.operand(OperandRole::position), only_indices ? nullptr : one.arrays.indices);
    }
    device_->launched.clear();
  }
}

TEST_F(SortApi, FunctionsOfCppDoSo) {
  const float *const keys = at<float>(kSortInput), *const values = at<float>(kValues);
  float *const output = at<float>(kSortOutput), *const values_output = at<float>(kValuesOutput);
  std::int64_t* const indices = at<std::int64_t>(kIndices);
  const auto expect = [&](const void* written, const void* of_values, const void* to, const void* places) {
    EXPECT_EQ(last_launch().arguments.operand(OperandRole::input), keys);
    EXPECT_EQ(last_launch().arguments.operand(OperandRole::output), written);
    EXPECT_EQ(last_launch().arguments.operand(OperandRole::values), of_values);
    EXPECT_EQ(last_launch().arguments.operand(OperandRole::values_output), to);
    EXPECT_EQ(last_launch().arguments.operand(OperandRole::position), places);
  };
  runtime::sort(keys, output, kSortedItems);
  expect(output, nullptr, nullptr, nullptr);
  runtime::sort_plan<float>(kSortedItems)(keys, output);
  expect(output, nullptr, nullptr, nullptr);
  runtime::sort(keys, output, kSortedItems, {.values = {values, values_output}});
  expect(output, values, values_output, nullptr);
  runtime::sort_pairs_plan<float, float>(kSortedItems)(keys, values, output, values_output);
  expect(output, values, values_output, nullptr);
  runtime::sort(keys, output, kSortedItems, {.indices = indices});
  expect(output, nullptr, nullptr, indices);
  runtime::sort_indices_plan<float, std::int64_t>(kSortedItems)(keys, output, indices);
  expect(output, nullptr, nullptr, indices);
  runtime::argsort(keys, indices, kSortedItems);
  expect(indices, nullptr, nullptr, nullptr);
  runtime::argsort_plan<float, std::int64_t>(kSortedItems)(keys, indices);
  expect(indices, nullptr, nullptr, nullptr);
}

TEST_F(SortApi, TypesOfKeysAndIndicesAreThoseOfThePointers) {
  const auto expect = [&](const auto& plan, const std::string& keys, const char* beside = "") {
    EXPECT_TRUE(plan.describe().starts_with(keys + ' ')) << plan.describe();
    EXPECT_TRUE(contains(plan.describe(), beside)) << plan.describe();
  };
  expect(runtime::sort_plan<std::int8_t>(kSortedItems), "i8");
  expect(runtime::sort_plan<std::uint64_t>(kSortedItems), "u64");
  expect(runtime::sort_plan<double>(kSortedItems), "f64");
  expect(runtime::sort_plan<runtime::f16>(kSortedItems), "f16");
  expect(runtime::sort_plan<runtime::bf16>(kSortedItems), "bf16");
  expect(runtime::sort_plan<bool>(kSortedItems), "u8");
  expect(runtime::argsort_plan<float, std::int32_t>(kSortedItems), "f32", " i32 sort, indices");
  expect(runtime::argsort_plan<float>(kSortedItems), "f32", " u64 sort, indices");
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
    runtime::sort_pairs_plan<std::int64_t, T>(kSortedItems);
    return last_source();
  };
  const std::string of_floats = source_of.operator()<float>();
  EXPECT_TRUE(contains(of_floats, ".value_type = decltype(scantune::SortRequest::value_type)::u32")) << of_floats;
  EXPECT_EQ(source_of.operator()<std::int32_t>(), of_floats);
  EXPECT_TRUE(contains(source_of.operator()<Wide>(), ".custom_bytes = 12, .custom_alignment = 4"));
  EXPECT_TRUE(contains(source_of.operator()<Unaligned>(), ".custom_bytes = 4, .custom_alignment = 1"));
  const runtime::SortValues now(at<Wide>(kValues), at<Wide>(kValuesOutput));
  EXPECT_EQ(now.bytes(), 12u);
  EXPECT_EQ(now.alignment(), 4u);
}

TEST_F(SortApi, OptionsReachTheKernelAndTheStream) {
  const Stream stream = device_->make_stream();
  runtime::sort(at<int>(kSortInput), at<int>(kSortOutput), kSortedItems,
                {.order = Order::descending,
                 .stream = stream,
                 .latency = runtime::Latency::isolated,
                 .config = R"({"family":"sort_block","block_threads":512})"});
  EXPECT_EQ(last_launch().stream, stream);
  EXPECT_EQ(last_launch().launch.block_threads, 512);
  EXPECT_TRUE(contains(last_source(), "::descending")) << last_source();
  const std::string described =
      runtime::sort_plan<int>(kSortedItems, {.bits = {8, 24}, .segments = Segments::rows(10, 100)}).describe();
  EXPECT_TRUE(contains(described, "10 rows")) << described;
  EXPECT_TRUE(contains(described, "24 end_bit")) << described;
  EXPECT_TRUE(contains(described, "16 bits")) << described;
}

// A request that names all bits would be another one, with records of its own.
TEST_F(SortApi, AllBitsByTheirNumbersAreAllBits) {
  const auto described = [](runtime::KeyBits bits) {
    return runtime::sort_plan<int>(kSortedItems, {.bits = bits}).describe();
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
  CSort one(SCANTUNE_SORTED_PAIRS);
  scantune_plan* plan = nullptr;
  ASSERT_EQ(scantune_sort_plan_create(&one.sorting, &plan), SCANTUNE_OK) << scantune_error_message();
  device_->launched.reserve(100);
  const std::function<scantune_status()> calls[] = {[&] { return scantune_sort(&one.sorting, &one.arrays, nullptr); },
                                                    [&] { return scantune_plan_run_sort(plan, &one.arrays, nullptr); }};
  for (const auto& call : calls) {
    ASSERT_EQ(call(), SCANTUNE_OK) << scantune_error_message();
    const long before = allocation_count;
    EXPECT_EQ(call(), SCANTUNE_OK) << scantune_error_message();
    EXPECT_EQ(allocation_count, before);
  }
  scantune_plan_destroy(plan);
}

TEST_F(SortApi, PlansMayBeCaptured) {
  int* const far = at<int>(std::uintptr_t{1} << 40);
  const auto plan = runtime::sort_plan<int>(kSortTiles, {.captured_launches = 1});
  const Stream stream = device_->make_stream();
  plan(at<int>(kSortInput), far, stream);
  device_->begin_capture(stream, 1);
  const int calls = device_->driver_calls;
  plan(at<int>(kSortInput), far, stream);
  EXPECT_EQ(device_->driver_calls, calls);
  EXPECT_THROW(plan(at<int>(kSortInput), far, stream), RequestError);
  device_->destroy_graph(1);
}

TEST_F(SortApi, AProgramOfALaterHeaderIsServedUnlessItSetsWhatIsUnknown) {
  const CSort caller(SCANTUNE_SORTED_KEYS);
  struct Later {
    scantune_sorting known = SCANTUNE_SORTING_INIT;
    std::uint64_t unknown = 0;
  } later;
  later.known = caller.sorting;
  later.known.struct_bytes = sizeof later;
  EXPECT_EQ(scantune_sort(&later.known, &caller.arrays, nullptr), SCANTUNE_OK) << scantune_error_message();
  later.unknown = 1;
  EXPECT_EQ(scantune_sort(&later.known, &caller.arrays, nullptr), SCANTUNE_REQUEST_ERROR);
  EXPECT_TRUE(contains(scantune_error_message(), "newer header")) << scantune_error_message();
}

// --- Wrong arguments.

// Right ones, for a row to spoil one of them.
struct Arguments {
  std::shared_ptr<FakeDevice> device;
  Stream stream = nullptr;
  CSort with{SCANTUNE_SORTED_KEYS};
  std::uintptr_t workspace = kWorkspace;
  u64 workspace_bytes = u64{1} << 30;

  explicit Arguments(std::shared_ptr<FakeDevice> on) : device(std::move(on)), stream(device->make_stream()) {}

  const int* keys() const { return static_cast<const int*>(with.arrays.input); }
  int* output() const { return static_cast<int*>(with.arrays.output); }
  const float* values() const { return static_cast<const float*>(with.arrays.values); }
  float* values_output() const { return static_cast<float*>(with.arrays.values_output); }
  std::uint32_t* indices() const { return static_cast<std::uint32_t*>(with.arrays.indices); }
  runtime::Workspace room() const { return {address(workspace), workspace_bytes}; }
  scantune_stream on() const { return reinterpret_cast<scantune_stream>(stream); }
};

using Spoil = std::function<void(Arguments&)>;
using Call = std::function<Outcome(Arguments&)>;
using Calls = std::vector<Call>;

Calls all_of(const std::vector<Calls>& some) {
  Calls all;
  for (const Calls& calls : some) all.insert(all.end(), calls.begin(), calls.end());
  return all;
}

Call cpp(const std::function<void(Arguments&)>& call) {
  return [=](Arguments& a) { return of_cpp([&] { call(a); }); };
}

Outcome c_sort(const Arguments& a) { return of_c(scantune_sort(&a.with.sorting, &a.with.arrays, a.on())); }

PlanOwner made_plan(const Arguments& a) {
  scantune_plan* plan = nullptr;
  EXPECT_EQ(scantune_sort_plan_create(&a.with.sorting, &plan), SCANTUNE_OK) << scantune_error_message();
  return {plan, &scantune_plan_destroy};
}

// Calls with a wrong sort.
Calls c_sorting(const std::function<void(scantune_sorting&)>& spoil, scantune_sorted sorted = SCANTUNE_SORTED_KEYS) {
  const auto prepare = [=](Arguments& a) {
    a.with = CSort(sorted);
    spoil(a.with.sorting);
  };
  return {[=](Arguments& a) {
            prepare(a);
            return c_sort(a);
          },
          [=](Arguments& a) {
            prepare(a);
            scantune_plan* plan = nullptr;
            const Outcome outcome = of_c(scantune_sort_plan_create(&a.with.sorting, &plan));
            EXPECT_EQ(plan == nullptr, outcome.status != SCANTUNE_OK);
            scantune_plan_destroy(plan);
            return outcome;
          }};
}

// Calls and runs of plans with wrong arrays.
Calls c_arrays(scantune_sorted sorted, const std::function<void(scantune_sorting_arrays&)>& spoil) {
  const auto by_plan = [=](const auto& run) {
    return [=](Arguments& a) {
      a.with = CSort(sorted);
      const PlanOwner plan = made_plan(a);
      spoil(a.with.arrays);
      return of_c(run(plan.get(), a));
    };
  };
  return {[=](Arguments& a) {
            a.with = CSort(sorted);
            spoil(a.with.arrays);
            return c_sort(a);
          },
          by_plan([](scantune_plan* plan, const Arguments& a) {
            return scantune_plan_run_sort(plan, &a.with.arrays, a.on());
          }),
          by_plan([](scantune_plan* plan, const Arguments& a) {
            return scantune_plan_run_sort_in(plan, &a.with.arrays, address(a.workspace), a.workspace_bytes, a.on());
          })};
}

template <class Now, class Make, class Run>
Calls now_and_by_plan(scantune_sorted sorted, const Spoil& spoil, const Now& now, const Make& make, const Run& run) {
  return {cpp([=](Arguments& a) {
            a.with = CSort(sorted);
            spoil(a);
            now(a);
          }),
          cpp([=](Arguments& a) {
            a.with = CSort(sorted);
            const auto plan = make();
            spoil(a);
            run(plan, a);
          })};
}

Calls cpp_keys(const Spoil& spoil) {
  return now_and_by_plan(
      SCANTUNE_SORTED_KEYS, spoil,
      [](Arguments& a) { runtime::sort(a.keys(), a.output(), kSortedItems, {.stream = a.stream}); },
      [] { return runtime::sort_plan<int>(kSortedItems); },
      [](const auto& plan, Arguments& a) { plan(a.keys(), a.output(), a.stream); });
}
Calls cpp_pairs(const Spoil& spoil) {
  return now_and_by_plan(
      SCANTUNE_SORTED_PAIRS, spoil,
      [](Arguments& a) {
        runtime::sort(a.keys(), a.output(), kSortedItems,
                      {.values = {a.values(), a.values_output()}, .stream = a.stream});
      },
      [] { return runtime::sort_pairs_plan<int, float>(kSortedItems); },
      [](const auto& plan, Arguments& a) { plan(a.keys(), a.values(), a.output(), a.values_output(), a.stream); });
}
Calls cpp_keys_and_indices(const Spoil& spoil) {
  return now_and_by_plan(
      SCANTUNE_SORTED_KEYS_AND_INDICES, spoil,
      [](Arguments& a) {
        runtime::sort(a.keys(), a.output(), kSortedItems, {.indices = a.indices(), .stream = a.stream});
      },
      [] { return runtime::sort_indices_plan<int, std::uint32_t>(kSortedItems); },
      [](const auto& plan, Arguments& a) { plan(a.keys(), a.output(), a.indices(), a.stream); });
}
Calls cpp_argsort(const Spoil& spoil) {
  return now_and_by_plan(
      SCANTUNE_SORTED_INDICES, spoil,
      [](Arguments& a) { runtime::argsort(a.keys(), a.indices(), kSortedItems, {.stream = a.stream}); },
      [] { return runtime::argsort_plan<int, std::uint32_t>(kSortedItems); },
      [](const auto& plan, Arguments& a) { plan(a.keys(), a.indices(), a.stream); });
}

using SpoilArrays = std::function<void(scantune_sorting_arrays&)>;

Spoil in_arrays(const SpoilArrays& spoil) {
  return [=](Arguments& a) { spoil(a.with.arrays); };
}

// Sorts that have an output of keys.
Calls sorting_keys(const SpoilArrays& spoil) {
  return all_of({c_arrays(SCANTUNE_SORTED_KEYS, spoil), c_arrays(SCANTUNE_SORTED_PAIRS, spoil),
                 c_arrays(SCANTUNE_SORTED_KEYS_AND_INDICES, spoil), cpp_keys(in_arrays(spoil)),
                 cpp_pairs(in_arrays(spoil)), cpp_keys_and_indices(in_arrays(spoil))});
}
Calls sorting_all(const SpoilArrays& spoil) {
  return all_of({sorting_keys(spoil), c_arrays(SCANTUNE_SORTED_INDICES, spoil), cpp_argsort(in_arrays(spoil))});
}
Calls sorting_pairs(const SpoilArrays& spoil) {
  return all_of({c_arrays(SCANTUNE_SORTED_PAIRS, spoil), cpp_pairs(in_arrays(spoil))});
}
Calls sorting_indices(const SpoilArrays& spoil) {
  return all_of({c_arrays(SCANTUNE_SORTED_INDICES, spoil), c_arrays(SCANTUNE_SORTED_KEYS_AND_INDICES, spoil),
                 cpp_argsort(in_arrays(spoil)), cpp_keys_and_indices(in_arrays(spoil))});
}

// Those that ask the driver about memory and stream.
Calls sorting_without_plan(const Spoil& spoil) {
  return {[=](Arguments& a) {
            spoil(a);
            return c_sort(a);
          },
          cpp_keys(spoil)[0], cpp_pairs(spoil)[0], cpp_keys_and_indices(spoil)[0], cpp_argsort(spoil)[0]};
}

// The same options of all functions.
Calls options(const runtime::SortPlanOptions& wrong, u64 n = kSortedItems) {
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
  const auto of_argsort = with_these(runtime::ArgsortOptions());
  return {cpp([=](Arguments& a) { runtime::sort(a.keys(), a.output(), n, now); }),
          cpp([=](Arguments& a) { runtime::argsort(a.keys(), at<std::uint64_t>(kIndices), n, of_argsort); }),
          cpp([=](Arguments&) { runtime::sort_plan<int>(n, wrong); }),
          cpp([=](Arguments&) { runtime::sort_pairs_plan<int, float>(n, wrong); }),
          cpp([=](Arguments&) { runtime::sort_indices_plan<int>(n, wrong); }),
          cpp([=](Arguments&) { runtime::argsort_plan<int>(n, wrong); })};
}

// Runs of plans in a workspace of the caller's, which they need.
Calls in_workspace(const Spoil& spoil) {
  const auto far = [](Arguments& a, scantune_sorted sorted) {
    a.with = CSort(sorted);
    a.with.sorting.n = kSortTiles;
    a.with.sorting.captured_launches = 0;
    const auto move = [](auto*& array, int place) {
      if (array != nullptr) array = address(std::uintptr_t{1} << place);
    };
    move(a.with.arrays.input, 40);
    move(a.with.arrays.output, 41);
    move(a.with.arrays.values, 42);
    move(a.with.arrays.values_output, 43);
    move(a.with.arrays.indices, 44);
  };
  const auto by_plan = [=](scantune_sorted sorted, const auto& make, const auto& run) {
    return cpp([=](Arguments& a) {
      far(a, sorted);
      const auto plan = make();
      EXPECT_GT(plan.workspace_bytes(), 0u);
      spoil(a);
      run(plan, a);
    });
  };
  return {[=](Arguments& a) {
            far(a, SCANTUNE_SORTED_KEYS);
            const PlanOwner plan = made_plan(a);
            EXPECT_GT(scantune_plan_workspace_bytes(plan.get()), 0u);
            spoil(a);
            return of_c(
                scantune_plan_run_sort_in(plan.get(), &a.with.arrays, address(a.workspace), a.workspace_bytes, a.on()));
          },
          by_plan(
              SCANTUNE_SORTED_KEYS, [] { return runtime::sort_plan<int>(kSortTiles, {.captured_launches = 0}); },
              [](const auto& plan, Arguments& a) { plan(a.keys(), a.output(), a.room(), a.stream); }),
          by_plan(
              SCANTUNE_SORTED_PAIRS,
              [] { return runtime::sort_pairs_plan<int, float>(kSortTiles, {.captured_launches = 0}); },
              [](const auto& plan, Arguments& a) {
                plan(a.keys(), a.values(), a.output(), a.values_output(), a.room(), a.stream);
              }),
          by_plan(
              SCANTUNE_SORTED_KEYS_AND_INDICES,
              [] { return runtime::sort_indices_plan<int, std::uint32_t>(kSortTiles, {.captured_launches = 0}); },
              [](const auto& plan, Arguments& a) { plan(a.keys(), a.output(), a.indices(), a.room(), a.stream); }),
          by_plan(
              SCANTUNE_SORTED_INDICES,
              [] { return runtime::argsort_plan<int, std::uint32_t>(kSortTiles, {.captured_launches = 0}); },
              [](const auto& plan, Arguments& a) { plan(a.keys(), a.indices(), a.room(), a.stream); })};
}

// A plan of a scan, and one of a selection.
Call with_other_plan(bool of_selection, const std::function<scantune_status(scantune_plan*, const Arguments&)>& run) {
  return [=](Arguments& a) {
    scantune_problem problem = SCANTUNE_PROBLEM_INIT;
    problem.input_type = problem.output_type = SCANTUNE_I32;
    scantune_selection selection = SCANTUNE_SELECTION_INIT;
    const int constant = 0;
    selection.constant = &constant;
    selection.type = SCANTUNE_I32;
    scantune_plan* plan = nullptr;
    EXPECT_EQ(of_selection ? scantune_select_plan_create(&selection, &plan) : scantune_plan_create(&problem, &plan),
              SCANTUNE_OK);
    const PlanOwner owner(plan, &scantune_plan_destroy);
    return of_c(run(plan, a));
  };
}

// A number that the caller wrote where an enumerator belongs.
template <class Enum>
void write(Enum& member, int value) {
  static_assert(sizeof member == sizeof value);
  std::memcpy(&member, &value, sizeof value);
}

void custom_value(scantune_sorting& sorting, std::uint32_t bytes, std::uint32_t alignment) {
  sorting.value_type = SCANTUNE_CUSTOM_TYPE;
  sorting.value_bytes = bytes;
  sorting.value_alignment = alignment;
}

using BadInput = BadInputOf<Arguments>;

constexpr scantune_sorted kPairs = SCANTUNE_SORTED_PAIRS, kPlaces = SCANTUNE_SORTED_INDICES,
                          kBoth = SCANTUNE_SORTED_KEYS_AND_INDICES, kKeys = SCANTUNE_SORTED_KEYS;
const std::string kWithNull("before\0after", 12);

// clang-format off
const std::vector<BadInput> kBadInput = {
    // The sort.
    {"scantune_sorting", "struct_bytes", "left out", c_sorting([](auto& s) { s.struct_bytes = 0; }), {"struct_bytes is 0", "scantune_sorting", "SCANTUNE_SORTING_INIT"}},
    {"scantune_sorting", "n", "more keys than an address space", c_sorting([](auto& s) { s.n = ~u64{0}; }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_sorting", "n", "more keys than 32 bits number", c_sorting([](auto& s) { s.n = (u64{1} << 32) + 1; }, kPlaces), {"a row has more keys than indices of 32 bits can number: ask for indices of 64 bits"}},
    {"scantune_sorting", "n", "more keys than 31 bits number", c_sorting([](auto& s) { s.n = (u64{1} << 31) + 1; s.value_type = SCANTUNE_I32; }, kBoth), {"a row has more keys than indices of 32 bits can number"}},
    {"scantune_sorting", "n", "no multiple of the rows", c_sorting([](auto& s) { s.segments = SCANTUNE_ROWS; s.rows = 7; }), {"n is 1000, which is no multiple of rows, which is 7", "equal length"}},
    {"scantune_sorting", "key_type", "left out", c_sorting([](auto& s) { s.key_type = SCANTUNE_DEFAULT_TYPE; }), {"key_type is 0", "scantune_type"}},
    {"scantune_sorting", "key_type", "no type", c_sorting([](auto& s) { write(s.key_type, 14); }), {"key_type is 14", "1 to 13"}},
    {"scantune_sorting", "key_type", "a struct", c_sorting([](auto& s) { s.key_type = SCANTUNE_CUSTOM_TYPE; }), {"key_type is SCANTUNE_CUSTOM_TYPE", "keys are numbers", "pass the items as values"}},
    {"scantune_sorting", "value_type", "no type", c_sorting([](auto& s) { write(s.value_type, 99); }, kPairs), {"value_type is 99"}},
    {"scantune_sorting", "value_type", "of keys alone", c_sorting([](auto& s) { s.value_type = SCANTUNE_U32; }), {"value_type is given, and sorted is SCANTUNE_SORTED_KEYS", "leave it SCANTUNE_DEFAULT_TYPE"}},
    {"scantune_sorting", "value_type", "left out, of values", c_sorting([](auto& s) { s.value_type = SCANTUNE_DEFAULT_TYPE; }, kPairs), {"value_type is SCANTUNE_DEFAULT_TYPE, and sorted is SCANTUNE_SORTED_PAIRS", "name the type"}},
    {"scantune_sorting", "value_type", "too narrow for indices", c_sorting([](auto& s) { s.value_type = SCANTUNE_U16; }, kPlaces), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_sorting", "value_type", "a floating-point type of indices", c_sorting([](auto& s) { s.value_type = SCANTUNE_F32; }, kBoth), {"indices are integers of 4 or 8 bytes"}},
    {"scantune_sorting", "value_type", "a struct of indices", c_sorting([](auto& s) { custom_value(s, 4, 4); }, kPlaces), {"indices are numbers"}},
    {"scantune_sorting", "value_bytes", "of a built-in type", c_sorting([](auto& s) { s.value_bytes = 4; }, kPairs), {"value_bytes is 4", "must be 0"}},
    {"scantune_sorting", "value_bytes", "too many", c_sorting([](auto& s) { custom_value(s, 33, 1); }, kPairs), {"value_bytes is 33", "1 to 32"}},
    {"scantune_sorting", "value_alignment", "that does not divide the size", c_sorting([](auto& s) { custom_value(s, 12, 8); }, kPairs), {"value_alignment is 8", "divide value_bytes, which is 12"}},
    {"scantune_sorting", "value_alignment", "of a built-in type", c_sorting([](auto& s) { s.value_alignment = 4; }), {"value_alignment is 4", "must be 0"}},
    {"scantune_sorting", "sorted", "no choice", c_sorting([](auto& s) { write(s.sorted, 4); }), {"sorted is 4", "scantune_sorted", "0 to 3"}},
    {"scantune_sorting", "order", "no order", c_sorting([](auto& s) { write(s.order, 2); }), {"order is 2", "scantune_order", "0 to 1"}},
    {"scantune_sorting", "begin_bit", "below 0", c_sorting([](auto& s) { s.begin_bit = -1; }), {"begin_bit is -1; the lowest bit has the number 0"}},
    {"scantune_sorting", "begin_bit", "where the bits end", c_sorting([](auto& s) { s.begin_bit = s.end_bit = 8; }), {"begin_bit is 8, and the bits that are compared end before bit 8", "there is a bit to compare"}},
    {"scantune_sorting", "begin_bit", "behind the key", c_sorting([](auto& s) { s.begin_bit = 32; }), {"begin_bit is 32, and the bits that are compared end before bit 32"}},
    {"scantune_sorting", "end_bit", "behind the key's", c_sorting([](auto& s) { s.end_bit = 33; }), {"end_bit is 33, and a key has 32 bits", "or 0 for all"}},
    {"scantune_sorting", "end_bit", "behind that of a narrow key", c_sorting([](auto& s) { s.key_type = SCANTUNE_BF16; s.end_bit = 17; }), {"end_bit is 17, and a key has 16 bits"}},
    {"scantune_sorting", "end_bit", "below 0", c_sorting([](auto& s) { s.end_bit = -8; }), {"end_bit is -8"}},
    {"scantune_sorting", "segments", "no kind", c_sorting([](auto& s) { write(s.segments, 3); }), {"segments is 3", "scantune_segments"}},
    {"scantune_sorting", "segments", "columns", c_sorting([](auto& s) { s.segments = SCANTUNE_COLUMNS; }), {"rows are sorted, and columns are not: transpose them"}},
    {"scantune_sorting", "rows", "without segments", c_sorting([](auto& s) { s.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_sorting", "rows", "none of some keys", c_sorting([](auto& s) { s.segments = SCANTUNE_ROWS; }), {"rows is 0, segments is SCANTUNE_ROWS, and n is 1000"}},
    {"scantune_sorting", "forward_progress", "no guarantee", c_sorting([](auto& s) { write(s.forward_progress, 2); }), {"forward_progress is 2"}},
    {"scantune_sorting", "latency", "no latency", c_sorting([](auto& s) { write(s.latency, 2); }), {"latency is 2"}},
    {"scantune_sorting", "captured_launches", "below 0", c_sorting([](auto& s) { s.captured_launches = -1; }), {"captured_launches is -1"}},
    {"scantune_sorting", "config", "empty", c_sorting([](auto& s) { s.config = ""; }), {"config is empty", "NULL to have one chosen"}},
    {"scantune_sorting", "config", "of a scan's family", c_sorting([](auto& s) { s.config = "{\"family\": \"lookback\"}"; }), {"config.family must name a family of sort", "found \"lookback\""}},
    {"scantune_sorting", "config", "that is not legal, of no keys", c_sorting([](auto& s) { s.n = 0; s.config = "{\"family\": \"sort_block\", \"block_threads\": 0}"; }), {"config: sort_block{block_threads=0"}},

    // Its arrays.
    {"scantune_sorting_arrays", "struct_bytes", "left out", c_arrays(kKeys, [](auto& a) { a.struct_bytes = 0; }), {"arrays.struct_bytes is 0", "SCANTUNE_SORTING_ARRAYS_INIT"}},
    {"scantune_sorting_arrays runtime::sort runtime::argsort SortPlan::operator() SortPairsPlan::operator() SortIndicesPlan::operator() ArgsortPlan::operator()", "input", "null", sorting_all([](auto& a) { a.input = nullptr; }), {"input is null, and n is 1000"}},
    {"scantune_sorting_arrays", "input", "misaligned", sorting_all([](auto& a) { a.input = address(kSortInput + 2); }), {"input is 0x1000002", "multiple of the 4 bytes"}},
    {"scantune_sorting_arrays", "input", "at the end of memory", sorting_all([](auto& a) { a.input = address(kEnd - 4 * kSortedItems + 1); }), {"input", "end of the address space"}},
    {"scantune_sorting_arrays", "input", "memory of the host", sorting_without_plan([](Arguments& a) { a.with.arrays.input = address(kHost); }), {"input: ", "memory of the host"}},
    {"scantune_sorting_arrays runtime::sort SortPlan::operator() SortPairsPlan::operator() SortIndicesPlan::operator()", "output", "null", sorting_keys([](auto& a) { a.output = nullptr; }), {"output is null"}},
    {"scantune_sorting_arrays", "output", "misaligned", sorting_keys([](auto& a) { a.output = address(kSortOutput + 1); }), {"output is 0x9000001"}},
    {"scantune_sorting_arrays", "output", "the input", sorting_keys([](auto& a) { a.output = address(kSortInput); }), {"input [0x1000000, +4000 bytes) and output [0x1000000, +4000 bytes) overlap: they must lie apart"}},
    {"scantune_sorting_arrays", "output", "in the input", sorting_keys([](auto& a) { a.output = address(kSortInput + 400); }), {"input [0x1000000, +4000 bytes) and output [0x1000190", "overlap: they must lie apart"}},
    {"scantune_sorting_arrays", "output", "of indices alone", c_arrays(kPlaces, [](auto& a) { a.output = address(kSortOutput); }), {"output is given, and sorted is SCANTUNE_SORTED_INDICES: leave it NULL"}},
    {"scantune_sorting_arrays SortPairsPlan::operator()", "values", "null", sorting_pairs([](auto& a) { a.values = nullptr; }), {"values is null"}},
    {"scantune_sorting_arrays", "values", "misaligned", sorting_pairs([](auto& a) { a.values = address(kValues + 2); }), {"values is 0x3000002"}},
    {"scantune_sorting_arrays", "values", "of keys alone", c_arrays(kKeys, [](auto& a) { a.values = address(kValues); }), {"values is given, and sorted is SCANTUNE_SORTED_KEYS: leave it NULL"}},
    {"scantune_sorting_arrays SortPairsPlan::operator()", "values_output", "null", sorting_pairs([](auto& a) { a.values_output = nullptr; }), {"values_output is null"}},
    {"scantune_sorting_arrays", "values_output", "the values", sorting_pairs([](auto& a) { a.values_output = address(kValues); }), {"values [0x3000000, +4000 bytes) and values_output [0x3000000, +4000 bytes) overlap: they must lie apart"}},
    {"scantune_sorting_arrays", "values_output", "the output", sorting_pairs([](auto& a) { a.values_output = address(kSortOutput); }), {"overlap: they must lie apart"}},
    {"scantune_sorting_arrays", "values_output", "of keys and indices", c_arrays(kBoth, [](auto& a) { a.values_output = address(kValuesOutput); }), {"values_output is given, and sorted is SCANTUNE_SORTED_KEYS_AND_INDICES: leave it NULL"}},
    {"SortValues", "input", "null", {cpp_pairs([](Arguments& a) { a.with.arrays.values = nullptr; })[0]}, {"values is null"}},
    {"SortValues", "output", "null", {cpp_pairs([](Arguments& a) { a.with.arrays.values_output = nullptr; })[0]}, {"values_output is null"}},
    {"SortIndices", "output", "null", {cpp_keys_and_indices([](Arguments& a) { a.with.arrays.indices = nullptr; })[0]}, {"indices is null"}},
    {"scantune_sorting_arrays runtime::argsort SortIndicesPlan::operator() ArgsortPlan::operator()", "indices", "null", sorting_indices([](auto& a) { a.indices = nullptr; }), {"indices is null"}},
    {"scantune_sorting_arrays", "indices", "misaligned", sorting_indices([](auto& a) { a.indices = address(kIndices + 2); }), {"indices is 0xb000002"}},
    {"scantune_sorting_arrays", "indices", "the keys", sorting_indices([](auto& a) { a.indices = address(kSortInput); }), {"indices [0x1000000, +4000 bytes)", "overlap: they must lie apart"}},
    {"scantune_sorting_arrays", "indices", "of pairs", c_arrays(kPairs, [](auto& a) { a.indices = address(kIndices); }), {"indices is given, and sorted is SCANTUNE_SORTED_PAIRS: leave it NULL"}},

    // Functions.
    {"scantune_sort scantune_sort_plan_create", "sorting", "null", {[](Arguments& a) { return of_c(scantune_sort(nullptr, &a.with.arrays, nullptr)); }, [](Arguments&) { scantune_plan* plan = nullptr; return of_c(scantune_sort_plan_create(nullptr, &plan)); }}, {"sorting is NULL"}},
    {"scantune_sort scantune_plan_run_sort scantune_plan_run_sort_in", "arrays", "null", {[](Arguments& a) { return of_c(scantune_sort(&a.with.sorting, nullptr, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_sort(made_plan(a).get(), nullptr, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_sort_in(made_plan(a).get(), nullptr, nullptr, 0, nullptr)); }}, {"arrays is NULL"}},
    {"scantune_sort_plan_create", "plan", "null", {[](Arguments& a) { return of_c(scantune_sort_plan_create(&a.with.sorting, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_sort scantune_plan_run_sort_in", "plan", "null", {[](Arguments& a) { return of_c(scantune_plan_run_sort(nullptr, &a.with.arrays, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_sort_in(nullptr, &a.with.arrays, nullptr, 0, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_sort", "plan", "of a scan", {with_other_plan(false, [](auto* plan, const Arguments& a) { return scantune_plan_run_sort(plan, &a.with.arrays, nullptr); })}, {"the plan is of no sort: run it by scantune_plan_run(), or make one by scantune_sort_plan_create()"}},
    {"scantune_plan_run_sort_in", "plan", "of a selection", {with_other_plan(true, [](auto* plan, const Arguments& a) { return scantune_plan_run_sort_in(plan, &a.with.arrays, nullptr, 0, nullptr); })}, {"the plan is of a selection: run it by scantune_plan_run_select_in()"}},
    {"scantune_plan_run", "plan", "of a sort", {[](Arguments& a) { return of_c(scantune_plan_run(made_plan(a).get(), a.keys(), a.output(), nullptr)); }, [](Arguments& a) { const scantune_selection_arrays none = SCANTUNE_SELECTION_ARRAYS_INIT; return of_c(scantune_plan_run_select(made_plan(a).get(), &none, nullptr)); }, [](Arguments& a) { const scantune_balance_arrays none = SCANTUNE_BALANCE_ARRAYS_INIT; return of_c(scantune_plan_run_load_balance(made_plan(a).get(), &none, nullptr)); }}, {"the plan is of a sort: run it by scantune_plan_run_sort()"}},
    {"scantune_plan_run_in", "plan", "of a sort", {[](Arguments& a) { return of_c(scantune_plan_run_in(made_plan(a).get(), a.keys(), a.output(), nullptr, 0, nullptr)); }}, {"the plan is of a sort: run it by scantune_plan_run_sort_in()"}},
    {"scantune_plan_run_sort_in SortPlan::operator() SortPairsPlan::operator() SortIndicesPlan::operator() ArgsortPlan::operator()", "workspace", "null", in_workspace([](Arguments& a) { a.workspace = 0; }), {"workspace is null", "pass memory of the device"}},
    {"scantune_plan_run_sort_in SortPlan::operator() SortPairsPlan::operator() SortIndicesPlan::operator() ArgsortPlan::operator()", "workspace", "too small", in_workspace([](Arguments& a) { a.workspace_bytes = 1; }), {"workspace_bytes is 1, and one run needs"}},
    {"scantune_plan_run_sort_in", "workspace_bytes", "too few", in_workspace([](Arguments& a) { a.workspace_bytes = 0; }), {"workspace_bytes is 0, and one run needs"}},
    {"scantune_plan_run_sort_in SortPlan::operator() SortPairsPlan::operator() SortIndicesPlan::operator() ArgsortPlan::operator()", "workspace", "misaligned", in_workspace([](Arguments& a) { a.workspace = kWorkspace + 128; }), {"workspace is 0xd000080", "multiple of 256 bytes"}},
    {"scantune_plan_run_sort_in SortPlan::operator() SortPairsPlan::operator() SortIndicesPlan::operator() ArgsortPlan::operator()", "workspace", "the keys", in_workspace([](Arguments& a) { a.workspace = std::uintptr_t{1} << 40; }), {"workspace [0x10000000000", "input [0x10000000000", "overlap: they must lie apart"}},
    {"scantune_sort SortOptions ArgsortOptions", "stream", "of another context", sorting_without_plan([](Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: ", "another context"}},
    {"scantune_sort SortOptions ArgsortOptions", "stream", "captured, of an unknown problem", sorting_without_plan([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"being captured", "make a plan before"}},
    {"scantune_plan_run_sort scantune_plan_run_sort_in SortPlan::operator() SortPairsPlan::operator() SortIndicesPlan::operator() ArgsortPlan::operator()", "stream", "of another context, beside an overlap", all_of({cpp_keys([](Arguments& a) { a.with.arrays.output = address(kSortInput); a.device->streams.at(a.stream).problem = "it belongs to another context"; }), cpp_argsort([](Arguments& a) { a.with.arrays.indices = address(kSortInput); a.device->streams.at(a.stream).problem = "it belongs to another context"; })}), {"stream: it belongs to another context"}},

    // Functions and options of C++.
    {"runtime::sort runtime::argsort runtime::sort_plan runtime::sort_pairs_plan runtime::sort_indices_plan runtime::argsort_plan", "n", "more keys than an address space", options({}, ~u64{0}), {"n is 18446744073709551615", "more items than fit"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "order", "no order", options({.order = static_cast<Order>(2)}), {"order is 2"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "bits", "none", options({.bits = {8, 8}}), {"begin_bit is 8"}},
    {"KeyBits", "begin_bit", "behind the last bit", options({.bits = {.begin_bit = 40}}), {"begin_bit is 40"}},
    {"KeyBits", "end_bit", "behind the key's", options({.bits = {.end_bit = 40}}), {"end_bit is 40"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "segments", "of other keys", options({.segments = Segments::rows(10, 10)}), {"segments is Segments::rows(10, 10), which are 100 items, and n is 1000"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "segments", "with strides", options({.segments = Segments::rows({.count = 10, .length = 100, .row_stride = 200})}), {"segments is Segments::rows() with strides", "one behind the other first"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "segments", "columns", options({.segments = Segments::columns(10, 100)}), {"rows are sorted, and columns are not"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "forward_progress", "no guarantee", options({.forward_progress = static_cast<runtime::ForwardProgress>(9)}), {"forward_progress is 9"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "latency", "no latency", options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "captured_launches", "below 0", options({.captured_launches = -2}), {"captured_launches is -2"}},
    {"SortOptions ArgsortOptions SortPlanOptions", "config", "with a null character", options({.config = kWithNull}), {"config holds a null character"}},
    {"SortOptions", "values", "beside indices", {cpp([](Arguments& a) { runtime::sort(a.keys(), a.output(), kSortedItems, {.values = {at<float>(kValues), at<float>(kValuesOutput)}, .indices = at<int>(kIndices)}); })}, {"values and indices are both given", "pass structs of a value and an index"}},
    {"SortOptions", "indices", "too narrow for n", {cpp([](Arguments& a) { runtime::sort(a.keys(), at<int>(std::uintptr_t{1} << 40), (u64{1} << 32) + 1, {.indices = at<std::uint32_t>(std::uintptr_t{1} << 50)}); })}, {"a row has more keys than indices of 32 bits can number: ask for indices of 64 bits"}},
};
// clang-format on

class BadSorts : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadSorts, AreRefusedWithTheirNameBeforeAnythingIsLaunchedOrAllocated) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadSorts, ::testing::ValuesIn(kBadInput));

TEST(SpoiledSorts, AreRightUntilARowSpoilsThem) {
  const auto device = std::make_shared<FakeDevice>();
  set_current_device(device);
  const auto nothing_wrong = [](auto&) {};
  for (const Calls& calls :
       {c_sorting(nothing_wrong), c_sorting(nothing_wrong, kPairs), c_sorting(nothing_wrong, kPlaces),
        c_sorting(nothing_wrong, kBoth), sorting_all(nothing_wrong), sorting_pairs(nothing_wrong),
        sorting_indices(nothing_wrong), sorting_without_plan(nothing_wrong), in_workspace(nothing_wrong), options({})})
    for (const Call& call : calls) {
      Arguments arguments(device);
      EXPECT_EQ(call(arguments).text, "");
    }
}

}  // namespace
}  // namespace scantune::testing
