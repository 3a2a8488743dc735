// Sorts on the host device whose values are made by a load of the caller's, compared with a plain sort: every family,
// whole, in rows and in segments, by some bits and by none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "bench.h"
#include "core/machine/half.h"
#include "families_under_test.h"
#include "offsets_in_memory.h"
#include "plain_sort.h"
#include "scan_kernels.h"
#include "with_type.h"

namespace scantune::sort_maps_test {
namespace {

constexpr int kMostTileItems = 1024;
constexpr unsigned char kPoison = 0xa5;

struct Point {
  f32 x;
  i32 id;
  f32 y;
};

template <class T>
T at(const unsigned char* item) {
  T value;
  std::memcpy(&value, item, sizeof value);
  return value;
}
template <class T>
void put(unsigned char* item, T value) {
  std::memcpy(item, &value, sizeof value);
}

struct Values {
  const char* name;
  ValueType type, loaded;
  Load load;
  std::string source;
  int state;  // of which the source takes an int; 0: none
  std::function<void(unsigned char* value, const unsigned char* in_memory, u64 index)> expected;
};

std::vector<Values> value_cases() {
  constexpr ValueType kNone = ValueType::i32;
  return {
      {"counted", ValueType::u32, kNone, Load::generated,
       "struct State { int step; };\n"
       "__device__ unsigned load(unsigned long long i, State state) { return static_cast<unsigned>(i) * state.step; "
       "}\n",
       5, [](unsigned char* value, const unsigned char*, u64 index) { put(value, static_cast<u32>(index) * 5); }},
      {"counted_wide", ValueType::f64, kNone, Load::generated,
       "__device__ double load(unsigned long long i) { return i * 0.5; }\n", 0,
       [](unsigned char* value, const unsigned char*, u64 index) { put(value, static_cast<f64>(index) * 0.5); }},
      {"halves", ValueType::f16, ValueType::u8, Load::source,
       "__device__ float load(unsigned char x) { return x * 0.25f; }\n", 0,
       [](unsigned char* value, const unsigned char* from, u64) { put(value, rounded_to<f16>(at<u8>(from) * 0.25)); }},
      {"structs", ValueType::custom, ValueType::i32, Load::indexed,
       "struct Result { float x; int id; float y; };\n"
       "__device__ Result load(int x, unsigned long long i) { return {1.5f, x, static_cast<float>(i)}; }\n",
       0,
       [](unsigned char* value, const unsigned char* from, u64 index) {
         put(value, Point{1.5f, at<i32>(from), static_cast<f32>(index)});
       }},
      {"members", ValueType::i32, ValueType::custom, Load::source,
       "struct Value { float x; int id; float y; };\n__device__ int load(Value point) { return point.id; }\n", 0,
       [](unsigned char* value, const unsigned char* from, u64) { put(value, at<Point>(from).id); }},
  };
}

struct Case {
  const FamilyModel* family;
  Values values;
  Segments cut;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.family->name() << " " << one.values.name; }

SortRequest request_of(const Case& one, u64 row_items) {
  SortRequest request{.input_type = ValueType::u16,
                      .value_type = one.values.type,
                      .sorted = Sorted::pairs,
                      .load = one.values.load,
                      .n = row_items,
                      .memory = {.loaded = one.values.loaded}};
  if (one.values.type == ValueType::custom || one.values.loaded == ValueType::custom) {
    request.custom_bytes = sizeof(Point);
    request.custom_alignment = alignof(Point);
  }
  request.segments = one.cut;
  if (one.cut == Segments::none) return request;
  (one.cut == Segments::rows ? request.rows : request.segment_count) = 3;
  request.n *= 3;
  return request;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const FamilyModel* family : families_of<SortRequest>(Standing::library))
    for (const Values& values : value_cases())
      for (const Segments cut : {Segments::none, Segments::rows, Segments::offsets})
        if (const Case one{family, values, cut}; family->unsupported_reason(request_of(one, 100), kHostSm) == nullptr)
          all.push_back(one);
  return all;
}

void check(const Case& one, const SortRequest& request, const Config& config, Variant variant, Random& random) {
  SCOPED_TRACE(to_string(Request(request)) + ", " + to_string(config));
  CustomOperator sources;
  sources.load = {one.values.source, one.values.state == 0 ? 0 : static_cast<int>(sizeof one.values.state)};
  const Module& module = bench().kernels.get(instantiate(request, config, variant, &sources));
  if (is_rehearsal()) return;
  HostDevice& device = bench().device;
  const auto bytes = static_cast<u64>(request.value_bytes());
  const u64 loaded = converts(request.load) ? static_cast<u64>(request.bytes_of(request.memory.loaded)) : 0;
  const u64 off = variant == Variant::any ? 1 : 0;
  const GuardedMemory keys(device, request.n * sizeof(u16), off * sizeof(u16)), keys_out(device, keys.size());
  const GuardedMemory in_memory(device, request.n * loaded, off * loaded),
      values(device, request.n * bytes, off * bytes);
  for (const GuardedMemory* drawn : {&keys, &in_memory})
    for (u64 byte = 0; byte < drawn->size(); ++byte) drawn->data()[byte] = static_cast<unsigned char>(random.below(64));
  const Bytes loaded_bytes(in_memory.data(), in_memory.data() + in_memory.size());
  Bytes expected(values.size(), kPoison);
  const Sequences sequences = request.has_offsets() ? segments_of(request) : rows_of(request);
  const std::vector<u64> order = plain_order(request, keys.data(), sequences);
  for (const auto& [first, end] : sequences)
    for (u64 place = first; place < end; ++place)
      one.values.expected(&expected[place * bytes], loaded_bytes.data() + order[place] * loaded, order[place]);

  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, keys.data());
  arguments.set_operand(OperandRole::output, keys_out.data());
  if (loaded > 0) arguments.set_operand(OperandRole::values, in_memory.data());
  arguments.set_operand(OperandRole::values_output, values.data());
  std::memcpy(arguments.states.load, &one.values.state, sizeof one.values.state);
  std::optional<OffsetsInMemory> offsets;
  if (request.has_offsets()) offsets.emplace(device, request).set(arguments);
  const Workspace workspace(device, config.family().workspace(config, request));
  arguments.workspace = workspace.data();
  const LaunchList list = config.family().launches(config, request, variant);
  for (u64 time = 0; time < 2; ++time) {
    std::fill_n(values.data(), values.size(), kPoison);
    std::vector<HostLaunch> launches;
    for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
    ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(random.below(1u << 30))));
    ASSERT_EQ(Bytes(values.data(), values.data() + values.size()), expected);
    ASSERT_EQ(Bytes(in_memory.data(), in_memory.data() + in_memory.size()), loaded_bytes);
    ASSERT_TRUE(keys.surroundings_intact() && values.surroundings_intact() && in_memory.surroundings_intact());
  }
}

// Of some that are drawn the one with the fewest threads, whose meetings the host device takes long for.
Config config_of(const Case& one, Random& random) {
  constexpr int kDraws = 24;
  const SortRequest request = request_of(one, 1000);
  const auto threads = [&](const Config& config) {
    const LaunchList list = config.family().launches(config, request, Variant::any);
    const Launch& last = list.launches[list.count - 1];
    return u64{last.grid_blocks} * static_cast<u64>(last.block_threads);
  };
  Config fewest = random_config(*one.family, request, kMostTileItems, random);
  for (int draw = 1; draw < kDraws; ++draw)
    if (const Config drawn = random_config(*one.family, request, kMostTileItems, random);
        threads(drawn) < threads(fewest))
      fewest = drawn;
  return fewest;
}

class MappedSorts : public testing::TestWithParam<Case> {};

TEST_P(MappedSorts, MoveWhatLoadMakes) {
  const Case& one = GetParam();
  Random random(31);
  const Config config = config_of(one, random);
  const auto tile = static_cast<u64>(one.family->tile_items(config, request_of(one, 100)));
  int sizes = 0;
  for (const u64 items : {u64{1}, u64{33}, tile - 1, tile, tile + 1, 2 * tile + 5})
    for (const KeyBits bits : {KeyBits::all, KeyBits::some, KeyBits::none}) {
      SortRequest request = request_of(one, items);
      request.key_bits = bits;
      if (bits == KeyBits::some) request.bits = request.end_bit = 9;
      if ((bits != KeyBits::all && items != 33 && items <= tile) || reject_reason(config, request, kHostSm) != nullptr)
        continue;
      ++sizes;
      check(one, request, config, items % 2 == 0 ? Variant::aligned : Variant::any, random);
      if (HasFatalFailure()) return;
    }
  EXPECT_GE(sizes, 4);
}

INSTANTIATE_TEST_SUITE_P(All, MappedSorts, testing::ValuesIn(cases()), [](const auto& tested) {
  return std::string(tested.param.family->name()) + "_" + tested.param.values.name +
         (tested.param.cut == Segments::none ? "" : std::string("_in_") + token(tested.param.cut));
});

TEST(MappedSortCases, AreOfEveryFamilyThatMovesValues) {
  needs_no_kernel();
  std::set<std::string> families;
  for (const Case& one : cases()) families.insert(one.family->name());
  const SortRequest pairs{.sorted = Sorted::pairs, .n = 100};
  for (const FamilyModel* family : families_of<SortRequest>(Standing::library)) {
    const SortRequest taken = taken_by(*family, pairs);
    EXPECT_EQ(families.contains(family->name()), taken.has_values() && !taken.is_by_source()) << family->name();
  }
}

}  // namespace
}  // namespace scantune::sort_maps_test
