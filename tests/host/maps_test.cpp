// Scans and reductions whose items come or go through maps of the caller's, compared with a plain loop: every family
// that takes maps, every kind of map, at the edge sizes, in every order, in place and not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "bench.h"
#include "core/machine/half.h"
#include "cut_requests.h"
#include "edge_sizes.h"
#include "effort.h"
#include "families_under_test.h"
#include "scan_kernels.h"
#include "test_operator.h"
#include "with_type.h"

namespace scantune::maps_test {
namespace {

constexpr int kMaxTileItems = 512;
constexpr u64 kSomeItems = 1024;

// An accumulator of any type that is tested.
struct alignas(16) Accumulator {
  unsigned char bytes[16] = {};

  template <class T>
  static Accumulator of(T value) {
    Accumulator result;
    std::memcpy(result.bytes, &value, sizeof value);
    return result;
  }
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
};

struct Pair {
  u32 scale, offset;
};
struct Point {
  float x;
  i32 id;
  float y;
};

// Arrays that sources reach by their states.
struct Arrays {
  const i32* table;  // of kTableItems
  i32* written;      // one for each result
};
constexpr u64 kTableItems = 97;
constexpr i32 kUnwritten = -77777;  // a store that writes adds to it, so that a second call is noticed

struct MapCase {
  const char* name;
  ValueType input, accumulator, output;
  Load load;
  Store store;
  std::string load_source, store_source;
  std::function<Bytes(const Arrays&, u64 results)> load_state, store_state;
  std::function<void(void* item, u32 bits)> draw;                                 // makes an item of the input
  std::function<Accumulator(const void* item, u64 index, const Arrays&)> loaded;  // what load() makes of it
  // What store() makes of a result: an item, or the number that it writes.
  std::function<void(void* item, const Accumulator&, u64 index)> stored;
};

Bytes no_state(const Arrays&, u64) { return {}; }

template <class State>
Bytes bytes_of(const State& state) {
  Bytes bytes(sizeof state);
  std::memcpy(bytes.data(), &state, sizeof state);
  return bytes;
}

template <class T>
T at(const void* item) {
  T value;
  std::memcpy(&value, item, sizeof value);
  return value;
}
template <class T>
void put(void* item, T value) {
  std::memcpy(item, &value, sizeof value);
}

struct GatherState {
  const i32* table;
  u64 items;
  i64 factor;
};
struct ScatterState {
  i32* to;
  u64 results;
};

constexpr const char* kGather =
    "struct State { const int* table; unsigned long long items; long long factor; };\n"
    "__device__ long long load(unsigned long long i, State state) {\n"
    "  return state.table[i * 7 % state.items] * state.factor;\n"
    "}\n";
constexpr const char* kScatter =
    "struct State { int* to; unsigned long long results; };\n"
    "__device__ void store(int sum, unsigned long long i, State state) { state.to[state.results - 1 - i] += sum + "
    "1000; }\n";
Bytes gather_state(const Arrays& arrays, u64) { return bytes_of(GatherState{arrays.table, kTableItems, 3}); }
Bytes scatter_state(const Arrays& arrays, u64 results) { return bytes_of(ScatterState{arrays.written, results}); }
Accumulator gathered(const void*, u64 index, const Arrays& arrays) {
  return Accumulator::of(i64{arrays.table[index * 7 % kTableItems]} * 3);
}

std::vector<MapCase> map_cases() {
  const auto as_i32 = [](void* item, const Accumulator& sum, u64) { put(item, sum.as<i32>()); };
  const auto as_written = [](void* item, const Accumulator& sum, u64) { put(item, kUnwritten + sum.as<i32>() + 1000); };
  const auto draw_i32 = [](void* item, u32 bits) { put(item, static_cast<i32>(bits % 2001) - 1000); };
  const auto plain_i32 = [](const void* item, u64, const Arrays&) { return Accumulator::of(at<i32>(item)); };
  return {
      {"flags_of_bytes", ValueType::u8, ValueType::i32, ValueType::i32, Load::source, Store::none,
       "__device__ bool load(unsigned char x) { return x > 100; }", "", no_state, no_state,
       [](void* item, u32 bits) { put(item, static_cast<u8>(bits)); },
       [](const void* item, u64, const Arrays&) { return Accumulator::of(i32{at<u8>(item) > 100}); }, as_i32},
      {"indices_of_floats", ValueType::f32, ValueType::i32, ValueType::i32, Load::indexed, Store::none,
       "// Value and Result are declared.\n"
       "__device__ Result load(Value x, unsigned long long i) { return x > 0 ? static_cast<int>(i) : -1; }",
       "", no_state, no_state,
       [](void* item, u32 bits) { put(item, static_cast<float>(static_cast<i32>(bits % 17) - 8)); },
       [](const void* item, u64 index, const Arrays&) {
         return Accumulator::of(at<float>(item) > 0 ? static_cast<i32>(index) : -1);
       },
       as_i32},
      {"gather_into_narrower", ValueType::i64, ValueType::i64, ValueType::i16, Load::generated, Store::source, kGather,
       "__device__ short store(long long sum) { return static_cast<short>(sum * 3 + 1); }", gather_state, no_state,
       nullptr, gathered,
       [](void* item, const Accumulator& sum, u64) { put(item, static_cast<i16>(sum.as<i64>() * 3 + 1)); }},
      {"bytes_of_results", ValueType::i32, ValueType::i32, ValueType::u8, Load::none, Store::indexed, "",
       "struct State { int more; };\n"
       "__device__ unsigned char store(int sum, unsigned long long i, State state) {\n"
       "  return static_cast<unsigned char>(sum + static_cast<int>(i) + state.more);\n"
       "}\n",
       no_state, [](const Arrays&, u64) { return bytes_of(i32{41}); }, draw_i32, plain_i32,
       [](void* item, const Accumulator& sum, u64 index) {
         put(item, static_cast<u8>(sum.as<i32>() + static_cast<i32>(index) + 41));
       }},
      {"halves_as_floats", ValueType::f16, ValueType::f32, ValueType::bf16, Load::source, Store::source,
       "__device__ float load(float x) { return x * 2; }", "__device__ Result store(Value sum) { return sum + 1; }",
       no_state, no_state, [](void* item, u32 bits) { put(item, rounded_to<f16>(static_cast<i32>(bits % 9) - 4)); },
       [](const void* item, u64, const Arrays&) {
         return Accumulator::of(static_cast<f32>(exact_value_of(at<f16>(item)) * 2));
       },
       [](void* item, const Accumulator& sum, u64) { put(item, rounded_to<bf16>(f64{sum.as<f32>()} + 1)); }},
      {"member_of_struct", ValueType::custom, ValueType::i32, ValueType::i32, Load::source, Store::none,
       "struct Value { float x; int id; float y; };\n__device__ int load(Value point) { return point.id; }", "",
       no_state, no_state, [](void* item, u32 bits) { put(item, Point{1.5f, static_cast<i32>(bits % 1000), -2}); },
       [](const void* item, u64, const Arrays&) { return Accumulator::of(at<Point>(item).id); }, as_i32},
      {"struct_of_results", ValueType::i32, ValueType::i32, ValueType::custom, Load::none, Store::source, "",
       "struct Result { float x; int id; float y; };\n__device__ Result store(int sum) { return {0.5f, sum, 1.0f}; }",
       no_state, no_state, draw_i32, plain_i32,
       [](void* item, const Accumulator& sum, u64) { put(item, Point{0.5f, sum.as<i32>(), 1.0f}); }},
      {"own_operator", ValueType::i32, ValueType::custom, ValueType::u32, Load::source, Store::source,
       "struct State { unsigned scale; };\n"
       "__device__ Result load(Value x, State state) { return {state.scale, static_cast<unsigned>(x)}; }",
       "__device__ unsigned store(Value sum) { return sum.offset; }",
       [](const Arrays&, u64) { return bytes_of(u32{5}); }, no_state, draw_i32,
       [](const void* item, u64, const Arrays&) { return Accumulator::of(Pair{5, static_cast<u32>(at<i32>(item))}); },
       [](void* item, const Accumulator& sum, u64) { put(item, sum.as<Pair>().offset); }},
      {"scatter", ValueType::u8, ValueType::i32, ValueType::i32, Load::source, Store::writing,
       "__device__ int load(unsigned char x) { return x; }", kScatter, no_state, scatter_state,
       [](void* item, u32 bits) { put(item, static_cast<u8>(bits)); },
       [](const void* item, u64, const Arrays&) { return Accumulator::of(i32{at<u8>(item)}); }, as_written},
      {"no_arrays", ValueType::i32, ValueType::i32, ValueType::i32, Load::generated, Store::writing,
       "struct State { int step; };\n"
       "__device__ int load(unsigned long long i, State state) { return static_cast<int>(i % 5) + state.step; }",
       kScatter, [](const Arrays&, u64) { return bytes_of(i32{2}); }, scatter_state, nullptr,
       [](const void*, u64 index, const Arrays&) { return Accumulator::of(static_cast<i32>(index % 5) + 2); },
       as_written},
  };
}

// The operator of a case: affine maps for structs, else the sum.
const TestOperator* own_operator(const MapCase& tested) {
  static const TestOperator kAffine = affine_maps();
  return tested.accumulator == ValueType::custom ? &kAffine : nullptr;
}

Accumulator combined(const MapCase& tested, const Accumulator& a, const Accumulator& b) {
  Accumulator result;
  if (const TestOperator* own = own_operator(tested)) {
    own->combine(result.bytes, a.bytes, b.bytes);
    return result;
  }
  with_accumulator(tested.accumulator, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_arithmetic_v<T>) result = Accumulator::of(static_cast<T>(a.as<T>() + b.as<T>()));
  });
  return result;
}

template <class R>
R request_of(const MapCase& tested) {
  R request;
  request.input_type = tested.input;
  request.accumulator_type = tested.accumulator;
  request.output_type = tested.output;
  request.load = tested.load;
  request.store = tested.store;
  request.init = Init::none;
  if (const TestOperator* own = own_operator(tested)) {
    request.op = own->request.op;
    request.custom_bytes = sizeof(Pair);
    request.custom_alignment = alignof(Pair);
  } else if (tested.input == ValueType::custom || tested.output == ValueType::custom) {
    request.custom_bytes = sizeof(Point);
    request.custom_alignment = alignof(Point);
  }
  request.n = kSomeItems;
  return request;
}

CustomOperator sources_of(const MapCase& tested) {
  const Arrays none{};
  CustomOperator sources;
  if (const TestOperator* own = own_operator(tested)) sources = own->custom;
  sources.load = {tested.load_source, static_cast<int>(tested.load_state(none, 0).size())};
  sources.store = {tested.store_source, static_cast<int>(tested.store_state(none, 0).size())};
  return sources;
}

struct Run {
  bool aligned = true;
  bool in_place = false;
  u64 n_in_memory = 0;  // of a request that reads it
  u64 seed = 1;
};

template <class R>
void check(const MapCase& tested, const R& request, const Config& config, const Run& run) {
  SCOPED_TRACE(std::string(tested.name) + ": " + to_string(Request(request)) + ", " + to_string(config) +
               (run.aligned ? "" : ", unaligned") + (run.in_place ? ", in place" : "") + ", seed " +
               std::to_string(run.seed));
  const Variant variant = run.aligned ? Variant::aligned : Variant::any;
  const CustomOperator sources = sources_of(tested);
  const Module& module = bench().kernels.get(instantiate(request, config, variant, &sources));
  if (is_rehearsal()) return;
  HostDevice& device = bench().device;
  constexpr bool kScans = std::is_same_v<R, ScanRequest>;
  const auto sequences = sequences_of(request);
  const u64 results = kScans ? request.n : sequences.size();
  const auto in_bytes = static_cast<u64>(request.input_bytes()), out_bytes = static_cast<u64>(request.output_bytes());
  const bool has_input = request.load != Load::generated, has_output = request.store != Store::writing;
  const GuardedMemory input(device, has_input ? request.n * in_bytes : 0,
                            offset_of(request, run.aligned, tested.input, request.n * in_bytes));
  const GuardedMemory output(device, has_output ? results * out_bytes : 0,
                             offset_of(request, run.aligned, tested.output, results * out_bytes));
  const GuardedMemory n_memory(device, sizeof(u64));
  std::vector<i32> table(kTableItems), written(results, kUnwritten);
  for (u64 item = 0; item < kTableItems; ++item) table[item] = static_cast<i32>(item * item % 1009) - 500;
  const Arrays arrays{table.data(), written.data()};

  Random random(run.seed);
  for (u64 item = 0; has_input && item < request.n; ++item)
    tested.draw(input.data() + item * in_bytes, random.below(1u << 30));
  const Bytes items(input.data(), input.data() + input.size());
  std::memcpy(n_memory.data(), &run.n_in_memory, sizeof run.n_in_memory);

  // The expected results, or the numbers that are written.
  Bytes expected(output.data(), output.data() + output.size());
  if (run.in_place) expected = items;
  std::vector<i32> expected_writes = written;
  const auto expect = [&](const Accumulator& result, u64 index) {
    if (has_output)
      tested.stored(&expected[index * out_bytes], result, index);
    else
      tested.stored(&expected_writes[results - 1 - index], result, index);
  };
  bool reads_n = false, is_exclusive = false;
  if constexpr (kScans) {
    reads_n = request.reads_n();
    is_exclusive = request.kind == Kind::exclusive;
  }
  const Accumulator init = Accumulator::of(i64{7});
  for (u64 sequence = 0; sequence < sequences.size(); ++sequence) {
    Accumulator total = init;
    bool exists = request.has_init();
    for (const u64 index : sequences[sequence]) {
      if (reads_n && index >= run.n_in_memory) continue;
      const Accumulator item = tested.loaded(has_input ? &items[index * in_bytes] : nullptr, index, arrays);
      const Accumulator before = total;
      total = exists ? combined(tested, before, item) : item;
      exists = true;
      if (kScans) expect(is_exclusive ? before : total, index);
    }
    if (!kScans && exists) expect(total, sequence);
  }

  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, has_input ? input.data() : nullptr);
  arguments.set_operand(OperandRole::output, !has_output ? nullptr : run.in_place ? input.data() : output.data());
  std::memcpy(arguments.init, init.bytes, sizeof init.bytes);
  arguments.set_operand(OperandRole::n, n_memory.data());
  std::ranges::copy(tested.load_state(arrays, results), arguments.states.load);
  std::ranges::copy(tested.store_state(arrays, results), arguments.states.store);
  std::optional<OffsetsInMemory> offsets;
  if (request.has_offsets()) offsets.emplace(device, request).set(arguments);
  const Workspace workspace(device, config.family().workspace(config, request));
  arguments.workspace = workspace.data();
  const LaunchList list = config.family().launches(config, request, variant);
  for (int time = 0; time < 2; ++time) {
    std::ranges::copy(items, input.data());
    std::ranges::fill(written, kUnwritten);
    std::vector<HostLaunch> launches;
    for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
    ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(run.seed + static_cast<u64>(time))));
    const GuardedMemory& found = run.in_place ? input : output;
    ASSERT_EQ(Bytes(found.data(), found.data() + found.size()), expected);
    if (!run.in_place) {
      ASSERT_EQ(Bytes(input.data(), input.data() + input.size()), items);
    }
    ASSERT_EQ(written, expected_writes);
    ASSERT_TRUE(input.surroundings_intact() && output.surroundings_intact());
  }
}

const std::vector<MapCase>& cases() {
  static const std::vector<MapCase> kCases = map_cases();
  return kCases;
}

// ---- the designs: every pair of a map and what scans and reductions differ in ----

template <class R>
const Design& design() {
  static const Design kDesign =
      design_of_cuts<R>(std::is_same_v<R, ScanRequest> ? "maps_of_scans" : "maps_of_reductions", "map", cases(),
                        design<R>, request_of<R>);
  return kDesign;
}

// A row has every fourth of the edge sizes, others than the next row; long runs have all.
template <class R>
void check_sizes(const RowReader& row) {
  const MapCase& map = case_of(row, "map", cases());
  Random random(row.seed());
  for (int draw = 0; draw < kTestEffort; ++draw) {
    const Config config = random_config(row.family(), cut(row, request_of<R>(map), random), kMaxTileItems, random);
    Run run{.aligned = row.is("pointers", "aligned"), .seed = random.below(1u << 20)};
    u64 turn = row.seed();
    for (const u64 n : edge_sizes(static_cast<u64>(row.family().tile_items(config, request_of<R>(map))))) {
      R some = request_of<R>(map);
      some.n = n;
      const std::optional<R> request = cut(row, config, some, random);
      if (!request || (kTestEffort == 1 && turn++ % 4 != 0)) continue;
      run.in_place = std::is_same_v<R, ScanRequest> && map.input != ValueType::custom && map.load != Load::generated &&
                     map.store != Store::writing && request->input_bytes() == request->output_bytes() &&
                     random.chance(50);
      ++run.seed;
      check(map, *request, config, run);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class MappedScan : public testing::TestWithParam<DesignRow> {};
TEST_P(MappedScan, IsRightOfEverySize) { check_sizes<ScanRequest>({design<ScanRequest>(), GetParam()}); }
INSTANTIATE_TEST_SUITE_P(Designed, MappedScan, testing::ValuesIn(rows_to_run(design<ScanRequest>())),
                         kNameOf<design<ScanRequest>>);

class MappedReduction : public testing::TestWithParam<DesignRow> {};
TEST_P(MappedReduction, IsRightOfEverySize) { check_sizes<ReduceRequest>({design<ReduceRequest>(), GetParam()}); }
INSTANTIATE_TEST_SUITE_P(Designed, MappedReduction, testing::ValuesIn(rows_to_run(design<ReduceRequest>())),
                         kNameOf<design<ReduceRequest>>);

TEST(MapDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (design<ScanRequest>().write_if_asked() && design<ReduceRequest>().write_if_asked()) return;
  EXPECT_EQ(design<ScanRequest>().gaps(), std::vector<std::string>{});
  EXPECT_EQ(design<ReduceRequest>().gaps(), std::vector<std::string>{});
}

// Where memory says how many items there are, no map is called for others.
TEST(Maps, TakeNoItemBehindNInMemory) {
  for (const FamilyModel* family : scan_families())
    for (const MapCase& map : cases()) {
      ScanRequest request = request_of<ScanRequest>(map);
      request.n_source = NSource::memory;
      request.n = 3000;
      if (family->unsupported_reason(request, kHostSm) != nullptr) continue;
      if (map.name != std::string_view("scatter") && map.name != std::string_view("gather_into_narrower")) continue;
      const Config config = family->default_config(request, kHostSm);
      for (const u64 n : {u64{0}, u64{1}, u64{777}, u64{3000}})
        ASSERT_NO_FATAL_FAILURE(check(map, request, config, {.n_in_memory = n, .seed = n + 1}));
    }
}

// Those that move bytes as they are say so.
TEST(Maps, HaveAFamilyOfEveryCut) {
  needs_no_kernel();
  expect_families_of_every_cut(cases(), request_of<ScanRequest>);
  expect_families_of_every_cut(cases(), request_of<ReduceRequest>);
  const ScanRequest mapped{.load = Load::source, .n = 1 << 20};
  EXPECT_STREQ(find_family("pipelined")->unsupported_reason(mapped, 90),
               "its kernels take items as they lie in memory, without maps");
}

}  // namespace
}  // namespace scantune::maps_test
