// Operators with a state compile for every architecture that a family claims to support, and keep it out of local
// memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "local_memory.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {
namespace {

constexpr int kSms[] = {75, 80, 90, 100};
constexpr u64 kManyItems = u64{1} << 24;

// A state as large as states may be.
constexpr int kStateBytes = kMaxValueBytes;
const CustomOperator kLargest = {.source =
                                     "struct State { long long a, b, c, d; };\n"
                                     "__device__ Value combine(Value x, Value y, State s) {\n"
                                     "  const Value key = static_cast<Value>(s.a + s.b * 3 + s.c * 5 + s.d * 7);\n"
                                     "  return ((x ^ key) + (y ^ key)) ^ key;\n}\n",
                                 .name = {},
                                 .state_bytes = kStateBytes};

template <class R>
R request_of() {
  R request;
  request.input_type = request.accumulator_type = request.output_type = ValueType::i32;
  request.op = Operator::custom_moderate;
  request.n = kManyItems;
  return request;
}

// Every cut of the items, and of scans every order and kind; and items of a map.
template <class R>
std::vector<std::pair<R, CustomOperator>> all_requests() {
  R flat = request_of<R>(), rows = flat, columns = flat, mapped = flat;
  rows.segments = Segments::rows;
  rows.rows = 1 << 12;
  columns.segments = Segments::columns;
  columns.columns = 1 << 10;
  mapped.load = Load::source;
  CustomOperator both = kLargest;
  both.load = {
      "struct State { long long a, b, c, d; };\n"
      "__device__ int load(int x, State s) { return static_cast<int>(x * s.a + s.b * s.c - s.d); }",
      kStateBytes};
  std::vector<std::pair<R, CustomOperator>> all = {
      {flat, kLargest}, {rows, kLargest}, {columns, kLargest}, {mapped, both}};
  if constexpr (std::is_same_v<R, ScanRequest>) {
    R reverse = flat, exclusive = flat;
    reverse.direction = Direction::reverse;
    exclusive.kind = Kind::exclusive;
    exclusive.init = Init::value;
    all.insert(all.end(), {{reverse, kLargest}, {exclusive, kLargest}});
  }
  return all;
}

template <class R>
void check(int sm) {
  for (const auto& [request, custom] : all_requests<R>()) expect_state_in_no_local_memory(request, custom, sm);
}

class NvrtcOperatorState : public testing::TestWithParam<int> {};
TEST_P(NvrtcOperatorState, OfScansIsNotInLocalMemory) { check<ScanRequest>(GetParam()); }
TEST_P(NvrtcOperatorState, OfReductionsIsNotInLocalMemory) { check<ReduceRequest>(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Of, NvrtcOperatorState, testing::ValuesIn(kSms),
                         [](const auto& tested) { return "sm_" + std::to_string(tested.param); });

// States of all sizes of words compile, and nothing of it stands in a kernel without one.
TEST(NvrtcOperatorStates, MayBeOfAnySize) {
  const auto request = request_of<ScanRequest>();
  const Config config = default_config(request, 90);
  for (const int bytes : {1, 3, 8, 9, 17, 25, 31}) {
    const CustomOperator custom{.source = "struct State { unsigned char bytes[" + std::to_string(bytes) + "]; };\n" +
                                          "__device__ Value combine(Value x, Value y, State s) { return y & s.bytes[" +
                                          std::to_string(bytes - 1) + "] ? y : x; }\n",
                                .name = {},
                                .state_bytes = bytes};
    EXPECT_FALSE(compile_with_nvrtc(instantiate(request, config, Variant::aligned, &custom), "sm_90").image.empty());
  }
  const CustomOperator stateless{"__device__ Value combine(Value x, Value y) { return x + y; }", ""};
  const std::string source = instantiate(request, config, Variant::aligned, &stateless).source;
  EXPECT_EQ(source.find("STATE"), std::string::npos) << source;
}

TEST(NvrtcOperatorStates, AreToldWhatIsWrongInCombine) {
  const auto request = request_of<ScanRequest>();
  const auto log_of = [&](const std::string& combine) -> std::string {
    const CustomOperator custom{.source = "struct State { int a; };\n" + combine, .name = {}, .state_bytes = 4};
    try {
      compile_with_nvrtc(instantiate(request, default_config(request, 90), Variant::aligned, &custom), "sm_90");
    } catch (const CompileError& error) {
      return error.what();
    }
    return "it compiled";
  };
  EXPECT_NE(log_of("__device__ Value combine(Value x, Value y) { return x + y; }").find("must take two Values and a"),
            std::string::npos);
  EXPECT_NE(
      log_of("__device__ Value combine(Value x, Value y, State& s) { return x + y + s.a; }").find("must take two"),
      std::string::npos);
  EXPECT_NE(log_of("__device__ bool combine(Value x, Value y, State s) { return x < y + s.a; }").find("return a Value"),
            std::string::npos);
}

}  // namespace
}  // namespace scantune
