// Both extremes at once, and orders of the caller's, compared with a plain loop, by every family of reductions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <set>

#include "bench.h"
#include "cut_requests.h"
#include "edge_sizes.h"
#include "families_under_test.h"
#include "scan_kernels.h"
#include "with_type.h"

namespace scantune::extremes_test {
namespace {

constexpr u64 kSequences = 3;
constexpr u64 kShortRowItems = 12;  // at most
constexpr u32 kMark = 0x5ca7;
constexpr unsigned char kUnwritten = 0x77;

// less() compares key / 4, so four keys in a row are equal. It tells if it is given what is no item.
struct Keyed {
  u32 key, mark;
};
struct Told {
  u32* unreal;
};
u32 unreal_items = 0;

const CustomOperator kLess{.source =
                               "struct Value { unsigned key, mark; };\n"
                               "struct State { unsigned* unreal; };\n"
                               "__device__ bool less(const Value& a, const Value& b, State told) {\n"
                               "  if (a.mark != 0x5ca7 || b.mark != 0x5ca7) *told.unreal = 1;\n"
                               "  return a.key / 4 < b.key / 4;\n"
                               "}\n",
                           .name = {},
                           .state_bytes = sizeof(Told)};

// What a store makes of an extreme.
struct Found {
  i64 value;
  u64 position, row;
};
constexpr const char* kFound = "{ long long value; unsigned long long position, row; };\n";

// A reduction under test. precedes: whether item a beats item b in the search for the one extreme that is requested, or
// for the least of both.
struct Order {
  const char* name;
  ReduceRequest request;
  const CustomOperator* functions;  // less() or maps
  std::function<void(Random& random, unsigned char* item)> draw;
  std::function<bool(const unsigned char* a, const unsigned char* b)> precedes;
  std::function<bool(const unsigned char* a, const unsigned char* b)> follows;         // in that for the greatest
  std::function<Bytes(const unsigned char* item, u64 position, u64 row)> stored = {};  // by a store
};

template <class T>
T at(const unsigned char* item) {
  T value;
  std::memcpy(&value, item, sizeof value);
  return value;
}

ReduceRequest request_of(ValueType type, Operator op, Position position, ExtremeSet extremes) {
  return {.input_type = type,
          .accumulator_type = type,
          .output_type = type,
          .op = op,
          .position = position,
          .extremes = extremes,
          .init = Init::none};
}

ReduceRequest request_of_structs(Operator op, Position position, ExtremeSet extremes) {
  ReduceRequest request = request_of(ValueType::custom, op, position, extremes);
  request.ordered_by = OrderedBy::less;
  request.init = Init::value;
  request.custom_bytes = sizeof(Keyed);
  request.custom_alignment = alignof(Keyed);
  return request;
}

std::vector<Order> orders() {
  const auto draw_keyed = [](Random& random, unsigned char* item) {
    const Keyed keyed{random.below(400), kMark};
    std::memcpy(item, &keyed, sizeof keyed);
  };
  const auto key_of = [](const unsigned char* item) { return at<Keyed>(item).key / 4; };
  const auto less_key = [=](const unsigned char* a, const unsigned char* b) { return key_of(a) < key_of(b); };
  const auto greater_key = [=](const unsigned char* a, const unsigned char* b) { return key_of(b) < key_of(a); };
  // A NaN precedes all numbers, and -0 precedes +0.
  const auto draw_f32 = [](Random& random, unsigned char* item) {
    const u32 kind = random.below(1'000);
    const f32 value = kind == 0 ? NAN : kind < 20 ? -0.0f : kind < 40 ? 0.0f : static_cast<f32>(random.below(9)) - 4;
    std::memcpy(item, &value, sizeof value);
  };
  const auto rank_of = [](f32 value) {
    return std::isnan(value) ? HUGE_VAL : 2.0 * value + (std::signbit(value) ? 0 : 1);
  };
  const auto less_f32 = [=](const unsigned char* a, const unsigned char* b) {
    const f32 first = at<f32>(a), second = at<f32>(b);
    return std::isnan(first) ? !std::isnan(second) : !std::isnan(second) && rank_of(first) < rank_of(second);
  };
  const auto greater_f32 = [=](const unsigned char* a, const unsigned char* b) {
    return rank_of(at<f32>(a)) > rank_of(at<f32>(b));
  };
  const auto draw_i64 = [](Random& random, unsigned char* item) {
    const i64 value = static_cast<i64>(random.below(64)) - 32;
    std::memcpy(item, &value, sizeof value);
  };
  const auto less_i64 = [](const unsigned char* a, const unsigned char* b) { return at<i64>(a) < at<i64>(b); };
  const auto greater_i64 = [](const unsigned char* a, const unsigned char* b) { return at<i64>(b) < at<i64>(a); };
  using enum Position;
  using enum ExtremeSet;
  static const CustomOperator kToStructs{
      .source = {},
      .name = {},
      .store = {.source =
                    std::string("struct Result ") + kFound +
                    "__device__ Result store(long long value, unsigned long long position, unsigned long long row) "
                    "{ return {value, position, row}; }\n"}};
  static const CustomOperator kWriting{
      .source = kLess.source,
      .name = {},
      .state_bytes = kLess.state_bytes,
      .store = {
          .source = std::string("struct Found ") + kFound +
                    "struct State { Found* to; };\n"
                    "__device__ void store(Value best, unsigned long long position, unsigned long long row, State "
                    "state) { state.to[row] = {best.key, position, row}; }\n",
          .state_bytes = sizeof(void*)}};
  static const CustomOperator kLoaded{
      .source = {},
      .name = {},
      .load = {.source = "__device__ float load(int x, unsigned long long i) { return x * 0.5f + 0 * i; }\n"},
      .store = {.source =
                    "__device__ double store(float x, unsigned long long position) { return x + 1000.0 * position; "
                    "}\n"}};
  const auto found = [](i64 value, u64 position, u64 row) {
    const Found made{value, position, row};
    Bytes bytes(sizeof made);
    std::memcpy(bytes.data(), &made, sizeof made);
    return bytes;
  };
  ReduceRequest to_structs = request_of(ValueType::i64, Operator::min, last, both);
  to_structs.output_type = ValueType::custom;
  to_structs.custom_bytes = sizeof(Found);
  to_structs.custom_alignment = alignof(Found);
  to_structs.store = Store::indexed;
  ReduceRequest writing = request_of_structs(Operator::max, first, one);
  writing.store = Store::writing;
  ReduceRequest loaded = request_of(ValueType::f32, Operator::min, first, one);
  loaded.input_type = ValueType::i32;
  loaded.output_type = ValueType::f64;
  loaded.load = Load::indexed;
  loaded.store = Store::source;
  const auto draw_i32 = [](Random& random, unsigned char* item) {
    const i32 value = static_cast<i32>(random.below(64)) - 32;
    std::memcpy(item, &value, sizeof value);
  };
  const auto less_i32 = [](const unsigned char* a, const unsigned char* b) { return at<i32>(a) < at<i32>(b); };
  return {{"stored_structs", to_structs, &kToStructs, draw_i64, less_i64, greater_i64,
           [=](const unsigned char* item, u64 position, u64 row) { return found(at<i64>(item), position, row); }},
          {"written_structs",
           writing,
           &kWriting,
           draw_keyed,
           greater_key,
           {},
           [=](const unsigned char* item, u64 position, u64 row) { return found(at<Keyed>(item).key, position, row); }},
          {"loaded_integers",
           loaded,
           &kLoaded,
           draw_i32,
           less_i32,
           {},
           [](const unsigned char* item, u64 position, u64) {
             const f64 value = 0.5 * at<i32>(item) + 1000.0 * static_cast<f64>(position);
             Bytes bytes(sizeof value);
             std::memcpy(bytes.data(), &value, sizeof value);
             return bytes;
           }},
          {"last_greatest_struct", request_of_structs(Operator::max, last, one), &kLess, draw_keyed, greater_key, {}},
          {"first_structs", request_of_structs(Operator::min, first, both), &kLess, draw_keyed, less_key, greater_key},
          {"first_floats", request_of(ValueType::f32, Operator::min, first, both), nullptr, draw_f32, less_f32,
           greater_f32},
          {"last_integers", request_of(ValueType::i64, Operator::min, last, both), nullptr, draw_i64, less_i64,
           greater_i64}};
}

struct Case {
  const FamilyModel* family;
  Order order;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.family->name() << " " << one.order.name; }

ReduceRequest cut(const FamilyModel& family, ReduceRequest request, u64 items) {
  request.n = items;
  if (family.name() == std::string_view("reduce_rows")) request.segments = Segments::rows;
  if (family.name() == std::string_view("reduce_columns")) request.segments = Segments::columns;
  if (family.name() == std::string_view("reduce_segments")) {
    request.segments = Segments::offsets;
    request.segment_count = kSequences;
    request.init = Init::value;
    return request;
  }
  if (family.name() == std::string_view("reduce_short_rows")) {
    request.segments = Segments::rows;
    request.n *= kSequences;
    request.rows = items == 0 ? kSequences : ceil_div(request.n, kShortRowItems);
    return request;
  }
  if (request.segments == Segments::none) return request;
  request.n *= kSequences;
  (request.segments == Segments::rows ? request.rows : request.columns) = kSequences;
  return request;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const FamilyModel* family : families_of<ReduceRequest>(Standing::library))
    for (const Order& order : orders())
      if (family->unsupported_reason(cut(*family, order.request, 1000), kHostSm) == nullptr)
        all.push_back({family, order});
  return all;
}

// Small CTAs, so that several meet.
Config config_of(const Case& one, const ReduceRequest& request) {
  Config config = one.family->default_config(request, kHostSm);
  for (const auto& [name, value] : {std::pair("block_threads", 64),
                                    {"unroll", 8},
                                    {"vectors_per_thread", 1},
                                    {"items_per_read", 1},
                                    {"columns_per_block", 2},
                                    {"columns_per_thread", 1},
                                    {"band_lines", 3'400},
                                    {"blocks_per_row", 3},
                                    {"cluster_blocks", 2}})
    for (int index = 0; index < static_cast<int>(one.family->parameters().size()); ++index)
      if (one.family->parameters()[static_cast<std::size_t>(index)].name == std::string_view(name))
        config[index] = value;
  return config;
}

// The index in the sequence of its extreme; nullopt if it is empty.
std::optional<u64> extreme_of(const std::vector<u64>& sequence, const Bytes& items, std::size_t bytes,
                              Position position,
                              const std::function<bool(const unsigned char*, const unsigned char*)>& precedes) {
  std::optional<u64> best;
  for (u64 index = 0; index < sequence.size(); ++index) {
    const unsigned char* const item = &items[sequence[index] * bytes];
    const unsigned char* const found = best ? &items[sequence[*best] * bytes] : nullptr;
    if (!best || precedes(item, found) || (position == Position::last && !precedes(found, item))) best = index;
  }
  return best;
}

void check(const Case& one, const ReduceRequest& request, const Config& config, Variant variant, u64 seed) {
  SCOPED_TRACE(to_string(Request(request)) + ", " + to_string(config) + ", seed " + std::to_string(seed));
  const Module& module = bench().kernels.get(instantiate(request, config, variant, one.order.functions));
  if (is_rehearsal()) return;
  HostDevice& device = bench().device;
  const auto bytes = static_cast<std::size_t>(request.input_bytes());
  const auto out_bytes =
      request.store == Store::writing ? sizeof(Found) : static_cast<std::size_t>(request.output_bytes());
  const auto sequences = sequences_of(request);
  const GuardedMemory input(device, request.n * bytes, variant == Variant::any ? bytes : 0);
  const GuardedMemory least(device, sequences.size() * out_bytes, out_bytes),
      greatest(device, sequences.size() * out_bytes, out_bytes);
  const GuardedMemory least_index(device, sequences.size() * 8, 8), greatest_index(device, sequences.size() * 8, 8);
  Random random(seed);
  for (u64 item = 0; item < request.n; ++item) one.order.draw(random, input.data() + item * bytes);
  const Bytes items(input.data(), input.data() + input.size());
  for (const GuardedMemory* values : {&least, &greatest}) std::fill_n(values->data(), values->size(), kUnwritten);

  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, input.data());
  if (request.store != Store::writing) arguments.set_operand(OperandRole::output, least.data());
  arguments.set_operand(OperandRole::second, greatest.data());
  if (request.writes_position()) {
    arguments.set_operand(OperandRole::indices, least_index.data());
    arguments.set_operand(OperandRole::second_indices, greatest_index.data());
  }
  void* const written = least.data();
  std::memcpy(arguments.states.store, &written, sizeof written);
  const Told told{&unreal_items};
  std::memcpy(arguments.states.combine, &told, sizeof told);
  std::optional<OffsetsInMemory> offsets;
  if (request.has_offsets()) offsets.emplace(device, request).set(arguments);
  const Workspace workspace(device, config.family().workspace(config, request));
  arguments.workspace = workspace.data();
  const LaunchList list = config.family().launches(config, request, variant);
  std::vector<HostLaunch> launches;
  for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
  unreal_items = 0;
  ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(seed)));
  ASSERT_EQ(unreal_items, 0u) << "less() was given what is no item";
  for (const GuardedMemory* memory : {&input, &least, &greatest, &least_index, &greatest_index})
    ASSERT_TRUE(memory->surroundings_intact());

  const auto expect = [&](const GuardedMemory& value, const GuardedMemory& place, const auto& precedes) {
    for (std::size_t row = 0; row < sequences.size(); ++row) {
      const auto best = extreme_of(sequences[row], items, bytes, request.position, precedes);
      if (request.writes_position()) {
        ASSERT_EQ(at<u64>(place.data() + 8 * row), best.value_or(~u64{0})) << "row " << row;
      }
      const Bytes found(value.data() + row * out_bytes, value.data() + (row + 1) * out_bytes);
      if (!best) {  // orders of the caller's have no identity
        if (request.ordered_by == OrderedBy::less) {
          ASSERT_EQ(found, Bytes(out_bytes, kUnwritten));
        }
        continue;
      }
      const unsigned char* const item = &items[sequences[row][*best] * bytes];
      if (one.order.stored) {
        ASSERT_EQ(found, one.order.stored(item, *best, row)) << "row " << row;
        continue;
      }
      const bool is_nan = request.input_type == ValueType::f32 && std::isnan(at<f32>(item));
      if (is_nan)
        ASSERT_TRUE(std::isnan(at<f32>(found.data()))) << "row " << row;
      else
        ASSERT_EQ(found, Bytes(item, item + bytes)) << "row " << row;
    }
  };
  expect(least, least_index, one.order.precedes);
  if (request.extremes == ExtremeSet::both) expect(greatest, greatest_index, one.order.follows);
}

class ExtremesOf : public testing::TestWithParam<Case> {};

TEST_P(ExtremesOf, AreRightAtEdgeSizes) {
  const Case& one = GetParam();
  const Config config = config_of(one, cut(*one.family, one.order.request, 1000));
  const auto tile = static_cast<u64>(one.family->tile_items(config, cut(*one.family, one.order.request, 1000)));
  std::vector<u64> sizes = edge_sizes(tile);
  if (one.order.request.has_init()) sizes.push_back(0);
  u64 seed = 0;
  for (const u64 n : sizes) {
    const ReduceRequest request = cut(*one.family, one.order.request, n);
    if (n > 40'000 || reject_reason(config, request, kHostSm) != nullptr) continue;
    for (const Variant variant : {Variant::aligned, Variant::any}) {
      check(one, request, config, variant, ++seed);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(seed, 20u);
}

INSTANTIATE_TEST_SUITE_P(All, ExtremesOf, testing::ValuesIn(cases()), [](const auto& tested) {
  return std::string(tested.param.family->name()) + "_" + tested.param.order.name;
});

TEST(ExtremesCases, AreOfEveryFamilyThatFindsExtremes) {
  needs_no_kernel();
  std::multiset<std::string> families;
  for (const Case& one : cases()) families.insert(one.family->name());
  for (const FamilyModel* family : families_of<ReduceRequest>(Standing::library)) {
    const bool adds_in_one_word = family->name() == std::string_view("reduce_atomic");
    EXPECT_EQ(families.count(family->name()), adds_in_one_word ? 0u : 7u) << family->name();
  }
}

}  // namespace
}  // namespace scantune::extremes_test
