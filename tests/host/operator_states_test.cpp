// Scans and reductions by operators of the caller's that take a state, compared with a plain loop: every family, states
// of several sizes, and kernels that serve one state after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>

#include "bench.h"
#include "cut_requests.h"
#include "edge_sizes.h"
#include "effort.h"
#include "families_under_test.h"
#include "scan_kernels.h"
#include "with_type.h"

namespace scantune::operator_states_test {
namespace {

constexpr int kMaxTileItems = 1024;
constexpr u64 kSomeItems = 1024;

using Value = std::array<unsigned char, 8>;  // holds any value that is tested

template <class T>
T as(const Value& value) {
  T result;
  std::memcpy(&result, value.data(), sizeof result);
  return result;
}
template <class T>
Value of(T value) {
  Value result{};
  std::memcpy(result.data(), &value, sizeof value);
  return result;
}

template <class State>
Bytes bytes_of(const State& state) {
  Bytes bytes(sizeof state);
  std::memcpy(bytes.data(), &state, sizeof state);
  return bytes;
}
template <class State>
State state_of(const Bytes& bytes) {
  State state;
  std::memcpy(&state, bytes.data(), sizeof state);
  return state;
}

struct Affine {
  u32 a, b;
};
struct Parts {
  u32 x, y, z;
};
struct Keys {
  u64 a, b, c, d;
};
// Where an operator tells that it was given what is no item.
struct Watched {
  u64 mask;
  u32* unreal;
};
u32 unreal_items = 0;

struct StateCase {
  const char* name;
  ScanRequest request;  // types, operator and load
  CustomOperator sources;
  std::array<Bytes, 2> states;
  std::array<Bytes, 2> load_states;
  std::function<Value(u32 bits)> draw;
  std::function<Value(const Value&, const Bytes& load_state)> loaded;
  std::function<Value(const Value&, const Value&, const Bytes& state)> combine;
};

const char* const kLastOfAMask =
    "struct State { unsigned char mask; };\n"
    "__device__ Value combine(Value earlier, Value later, State state) { return later & state.mask ? later : earlier; "
    "}\n";

ScanRequest request_of(ValueType type, Operator cost) {
  return {.input_type = type, .accumulator_type = type, .output_type = type, .op = cost};
}

// All are associative with each state, and all but the keyed sum do not commute.
std::vector<StateCase> state_cases() {
  const auto as_it_is = [](const Value& item, const Bytes&) { return item; };
  const auto last_of_a_mask = [](const Value& earlier, const Value& later, const Bytes& state) {
    return (as<i32>(later) & state[0]) != 0 ? later : earlier;
  };
  const auto draw_i32 = [](u32 bits) { return of(static_cast<i32>(bits % 2000)); };
  StateCase byte{.name = "byte",
                 .request = request_of(ValueType::i32, Operator::custom_cheap),
                 .sources = {.source = kLastOfAMask, .name = {}, .state_bytes = 1},
                 .states = {Bytes{5}, Bytes{64}},
                 .load_states = {},
                 .draw = draw_i32,
                 .loaded = as_it_is,
                 .combine = last_of_a_mask};
  StateCase loaded = byte;
  loaded.name = "beside_that_of_a_load";
  loaded.request.load = Load::source;
  loaded.sources.load = {
      "struct State { long long factor; int more; };\n"
      "__device__ int load(int x, State s) { return static_cast<int>(x * s.factor) + s.more; }",
      16};
  struct Load {
    i64 factor;
    i32 more, unused = 0;
  };
  loaded.load_states = {bytes_of(Load{3, 8}), bytes_of(Load{-1, 4})};
  loaded.loaded = [](const Value& item, const Bytes& bytes) {
    const auto state = state_of<Load>(bytes);
    return of(static_cast<i32>(as<i32>(item) * state.factor) + state.more);
  };
  StateCase three_words{
      .name = "three_words",
      .request = request_of(ValueType::custom, Operator::custom_moderate),
      .sources = {.source = "struct Value { unsigned a, b; };\n"
                            "struct State { unsigned x, y, z; };\n"
                            "__device__ Value combine(Value f, Value g, State s) {\n"
                            "  const unsigned long long modulus = s.x + s.y * 10 + s.z * 100, a = g.a;\n"
                            "  return {static_cast<unsigned>(a * f.a % modulus), "
                            "static_cast<unsigned>((a * f.b + g.b) % modulus)};\n"
                            "}\n",
                  .name = {},
                  .state_bytes = 12},
      .states = {bytes_of(Parts{7, 0, 10}), bytes_of(Parts{3, 1, 10})},  // 1007 and 1013
      .load_states = {},
      .draw = [](u32 bits) { return of(Affine{bits % 1000, bits / 1000 % 1000}); },
      .loaded = as_it_is,
      .combine =
          [](const Value& earlier, const Value& later, const Bytes& bytes) {
            const auto state = state_of<Parts>(bytes);
            const u64 modulus = state.x + state.y * 10 + state.z * 100;
            const auto f = as<Affine>(earlier), g = as<Affine>(later);
            return of(
                Affine{static_cast<u32>(u64{g.a} * f.a % modulus), static_cast<u32>((u64{g.a} * f.b + g.b) % modulus)});
          }};
  three_words.request.custom_bytes = sizeof(Affine);
  three_words.request.custom_alignment = alignof(Affine);
  StateCase largest{.name = "largest",
                    .request = request_of(ValueType::u64, Operator::custom_moderate),
                    .sources = {.source = "struct State { unsigned long long a, b, c, d; };\n"
                                          "__device__ Value combine(Value x, Value y, State s) {\n"
                                          "  const Value key = s.a + s.b * 3 + s.c * 5 + s.d * 7;\n"
                                          "  return ((x ^ key) + (y ^ key)) ^ key;\n"
                                          "}\n",
                                .name = {},
                                .state_bytes = 32},
                    .states = {bytes_of(Keys{1, 20, 300, 4000}), bytes_of(Keys{1, 20, 300, u64{1} << 40})},
                    .load_states = {},
                    .draw = [](u32 bits) { return of(u64{bits} << 20); },
                    .loaded = as_it_is,
                    .combine =
                        [](const Value& x, const Value& y, const Bytes& bytes) {
                          const auto state = state_of<Keys>(bytes);
                          const u64 key = state.a + state.b * 3 + state.c * 5 + state.d * 7;
                          return of(((as<u64>(x) ^ key) + (as<u64>(y) ^ key)) ^ key);
                        }};
  // Items and initial values leave 29 of 32, and what memory holds beside them hardly ever does.
  StateCase watched{
      .name = "watched",
      .request = request_of(ValueType::u64, Operator::custom_cheap),
      .sources = {.source = "struct State { unsigned long long mask; unsigned* unreal; };\n"
                            "__device__ Value combine(Value earlier, Value later, State state) {\n"
                            "  if (earlier % 32 != 29 || later % 32 != 29) *state.unreal = 1;\n"
                            "  return later & state.mask ? later : earlier;\n"
                            "}\n",
                  .name = {},
                  .state_bytes = sizeof(Watched)},
      .states = {bytes_of(Watched{u64{5} << 5, &unreal_items}), bytes_of(Watched{u64{1} << 20, &unreal_items})},
      .load_states = {},
      .draw = [](u32 bits) { return of(u64{bits} * 32 + 29); },
      .loaded = as_it_is,
      .combine =
          [](const Value& earlier, const Value& later, const Bytes& state) {
            return (as<u64>(later) & state_of<Watched>(state).mask) != 0 ? later : earlier;
          }};
  return {byte, loaded, three_words, largest, watched};
}

const std::vector<StateCase>& cases() {
  static const std::vector<StateCase> kCases = state_cases();
  return kCases;
}

template <class R>
R request_of(const StateCase& tested) {
  R request;
  request.input_type = tested.request.input_type;
  request.accumulator_type = tested.request.accumulator_type;
  request.output_type = tested.request.output_type;
  request.op = tested.request.op;
  request.custom_bytes = tested.request.custom_bytes;
  request.custom_alignment = tested.request.custom_alignment;
  request.load = tested.request.load;
  request.init = Init::none;
  request.n = kSomeItems;
  return request;
}

const Value kInit = of(u64{29});  // the low half of an Affine is its a

template <class R>
Bytes expected_of(const StateCase& tested, const R& request, const Bytes& items, Bytes output, std::size_t state) {
  constexpr bool kScans = std::is_same_v<R, ScanRequest>;
  const auto bytes = static_cast<u64>(request.input_bytes());
  const auto sequences = sequences_of(request);
  bool is_exclusive = false;
  if constexpr (kScans) is_exclusive = request.kind == Kind::exclusive;
  for (u64 sequence = 0; sequence < sequences.size(); ++sequence) {
    Value total = kInit;
    bool exists = request.has_init();
    for (const u64 index : sequences[sequence]) {
      Value item{};
      std::copy_n(&items[index * bytes], bytes, item.begin());
      item = tested.loaded(item, tested.load_states[state]);
      const Value before = total;
      total = exists ? tested.combine(before, item, tested.states[state]) : item;
      exists = true;
      if (kScans) std::copy_n((is_exclusive ? before : total).begin(), bytes, &output[index * bytes]);
    }
    if (!kScans && exists) std::copy_n(total.begin(), bytes, &output[sequence * bytes]);
  }
  return output;
}

// Runs the request with one state and at once with the other, by the same kernels: the first launch of the second may
// begin before the last of the first has ended. What `differ` counts is how often the state has made a difference.
template <class R>
void check(const StateCase& tested, const R& request, const Config& config, bool aligned, u64 seed, int& differ) {
  SCOPED_TRACE(std::string(tested.name) + ": " + to_string(Request(request)) + ", " + to_string(config) +
               (aligned ? "" : ", unaligned") + ", seed " + std::to_string(seed));
  const Variant variant = aligned ? Variant::aligned : Variant::any;
  const Module& module = bench().kernels.get(instantiate(request, config, variant, &tested.sources));
  if (is_rehearsal()) {
    ++differ;
    return;
  }
  HostDevice& device = bench().device;
  constexpr bool kScans = std::is_same_v<R, ScanRequest>;
  const auto bytes = static_cast<u64>(request.input_bytes());
  const u64 results = kScans ? request.n : sequences_of(request).size();
  const auto off = [&](u64 items) { return offset_of(request, aligned, request.input_type, items * bytes); };
  const GuardedMemory input(device, request.n * bytes, off(request.n));
  const GuardedMemory first(device, results * bytes, off(results)), second(device, results * bytes, off(results));
  const std::array outputs = {&first, &second};
  Random random(seed);
  for (u64 item = 0; item < request.n; ++item)
    std::copy_n(tested.draw(random.below(1u << 30)).begin(), bytes, input.data() + item * bytes);
  const Bytes items(input.data(), input.data() + input.size());

  const LaunchList list = config.family().launches(config, request, variant);
  const Workspace workspace(device, config.family().workspace(config, request));
  std::optional<OffsetsInMemory> offsets;
  if (request.has_offsets()) offsets.emplace(device, request);
  std::array<Bytes, 2> expected;
  std::vector<HostLaunch> launches;
  for (std::size_t state = 0; state < 2; ++state) {
    const GuardedMemory& output = *outputs[state];
    expected[state] = expected_of(tested, request, items, Bytes(output.data(), output.data() + output.size()), state);
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::input, input.data());
    arguments.set_operand(OperandRole::output, output.data());
    arguments.workspace = workspace.data();
    if (offsets) offsets->set(arguments);
    std::ranges::copy(kInit, arguments.init);
    std::ranges::copy(tested.states[state], arguments.states.combine);
    std::ranges::copy(tested.load_states[state], arguments.states.load);
    for (int index = 0; index < list.count; ++index) launches.push_back({&module, list.launches[index], arguments});
  }
  unreal_items = 0;
  ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(seed)));
  ASSERT_EQ(unreal_items, 0u) << "the operator was given what is no item";
  for (std::size_t state = 0; state < 2; ++state) {
    const GuardedMemory& output = *outputs[state];
    ASSERT_EQ(Bytes(output.data(), output.data() + output.size()), expected[state]) << "state " << state;
    ASSERT_TRUE(output.surroundings_intact());
  }
  ASSERT_EQ(Bytes(input.data(), input.data() + input.size()), items);
  if (expected[0] != expected[1]) ++differ;
}

// ---- the designs: every pair of a state and what scans and reductions differ in ----

template <class R>
const Design& design() {
  static const Design kDesign =
      design_of_cuts<R>(std::is_same_v<R, ScanRequest> ? "states_of_scans" : "states_of_reductions", "state", cases(),
                        design<R>, request_of<R>);
  return kDesign;
}

template <class R>
void check_sizes(const RowReader& row) {
  const StateCase& state = case_of(row, "state", cases());
  Random random(row.seed());
  int differ = 0;
  for (int draw = 0; draw < kTestEffort; ++draw) {
    const Config config = random_config(row.family(), cut(row, request_of<R>(state), random), kMaxTileItems, random);
    u64 seed = random.below(1u << 20);
    for (const u64 n : edge_sizes(static_cast<u64>(row.family().tile_items(config, request_of<R>(state))))) {
      R some = request_of<R>(state);
      some.n = n;
      const std::optional<R> request = cut(row, config, some, random);
      if (!request) continue;
      check(state, *request, config, row.is("pointers", "aligned"), ++seed, differ);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(differ, 0);
}

class ScanWithState : public testing::TestWithParam<DesignRow> {};
TEST_P(ScanWithState, IsRightOfEverySize) { check_sizes<ScanRequest>({design<ScanRequest>(), GetParam()}); }
INSTANTIATE_TEST_SUITE_P(Designed, ScanWithState, testing::ValuesIn(rows_to_run(design<ScanRequest>())),
                         kNameOf<design<ScanRequest>>);

class ReductionWithState : public testing::TestWithParam<DesignRow> {};
TEST_P(ReductionWithState, IsRightOfEverySize) { check_sizes<ReduceRequest>({design<ReduceRequest>(), GetParam()}); }
INSTANTIATE_TEST_SUITE_P(Designed, ReductionWithState, testing::ValuesIn(rows_to_run(design<ReduceRequest>())),
                         kNameOf<design<ReduceRequest>>);

TEST(OperatorStateDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (design<ScanRequest>().write_if_asked() && design<ReduceRequest>().write_if_asked()) return;
  EXPECT_EQ(design<ScanRequest>().gaps(), std::vector<std::string>{});
  EXPECT_EQ(design<ReduceRequest>().gaps(), std::vector<std::string>{});
}

TEST(OperatorStates, HaveAFamilyOfEveryCut) {
  needs_no_kernel();
  expect_families_of_every_cut(cases(), request_of<ScanRequest>);
  expect_families_of_every_cut(cases(), request_of<ReduceRequest>);
}

}  // namespace
}  // namespace scantune::operator_states_test
