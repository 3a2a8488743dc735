// Equalities of keys compile for GPUs and leave keys and states in registers, and what NVRTC says of mistakes in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiled_row.h"
#include "message_of.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune::key_equality_test {
namespace {

constexpr u64 kFewItems = 10'000, kManyItems = u64{1} << 24;  // not every family takes many

struct Compared {
  ComparedType type;
  MapSource equal;
};

const Compared kCompared[] = {
    {{ValueType::f16}, {"__device__ bool equal(float a, float b) { return a - b < 1 && b - a < 1; }"}},
    {{ValueType::i64},
     {"struct State { long long masks[4]; };\n"
      "__device__ bool equal(Value a, Value b, State s) { return ((a ^ b) & s.masks[3]) == 0; }",
      kMaxValueBytes}},
    {{ValueType::custom, 1, 1},
     {"struct Value { char code; };\n__device__ bool equal(Value a, Value b) { return a.code == b.code; }"}},
    {{ValueType::custom, 12, 4},
     {"struct State { float tolerance; };\nstruct Value { float x; int id; float y; };\n"
      "__device__ bool equal(Value a, Value b, State s) { return a.id == b.id && a.x - b.x < s.tolerance; }",
      4}},
    {{ValueType::custom, 32, 16},
     {"struct alignas(16) Value { long long parts[4]; };\n"
      "__device__ bool equal(const Value& a, const Value& b) { return a.parts[0] == b.parts[0]; }"}},
};

ScanRequest request_of(const Compared& compared) {
  return {.segments = Segments::keys, .equality = Equality::source, .n = kManyItems, .key_type = compared.type};
}

CustomOperator sources_of(const Compared& compared) {
  CustomOperator sources;
  sources.equal = compared.equal;
  return sources;
}

TEST(NvrtcKeyEquality, IsCompiledIntoEveryFamilyInRegisters) {
  std::size_t turn = 0;
  for (const FamilyModel* family : families_of<ScanRequest>(Standing::library))
    for (const Compared& compared : kCompared) {
      ScanRequest request = request_of(compared);
      if (turn % 2 == 0) request.results = Results::totals;
      if (turn % 4 == 1) request.direction = Direction::reverse;
      const int sm = std::stoi(kSmNames[turn++ * 5 % kSmNames.size()]);
      if (family->unsupported_reason(request, sm) != nullptr) continue;
      const auto default_of = [&] { return family->default_config(request, sm); };
      if (reject_reason(default_of(), request, sm) != nullptr) request.n = kFewItems;
      ASSERT_EQ(reject_reason(default_of(), request, sm), nullptr) << family->name();
      const CustomOperator sources = sources_of(compared);
      const Instantiation kernels =
          instantiate(request, default_of(), turn % 3 == 0 ? Variant::any : Variant::aligned, &sources);
      expect_registers_hold(compiled_whole(kernels, sm), 0, 1, kernels.label);
    }
}

std::string log_of(const ComparedType& type, const MapSource& equal) {
  const Compared compared = {type, equal};
  const ScanRequest request = request_of(compared);
  const CustomOperator sources = sources_of(compared);
  return message_of<CompileError>([&] {
    compile_with_nvrtc(instantiate(request, default_config(request, 90), Variant::aligned, &sources), "sm_90");
  });
}

void expect_log(const ComparedType& type, const MapSource& equal, const std::string& part) {
  const std::string log = log_of(type, equal);
  EXPECT_NE(log.find(part), std::string::npos) << part << " is not in: " << log;
}

TEST(NvrtcKeyEquality, MistakesCountTheCallersLines) {
  const ComparedType number = {ValueType::i32}, point = {ValueType::custom, 12, 4};
  expect_log(number, {"__device__ bool equal(int a, int b) {\n  return a == missing;\n}"}, "equal.cu(2)");
  expect_log(number, {"__device__ bool equal(int a) { return a == 0; }"},
             "define __device__ bool equal(Value before, Value item)");
  expect_log(number, {"struct State { int bits; };\n__device__ bool equal(int a, int b) { return a == b; }", 4},
             "define __device__ bool equal(Value before, Value item, State state)");
  expect_log(number, {"struct Value { int a; };\n__device__ bool equal(Value a, Value b) { return a.a == b.a; }"},
             "equal.cu:1: error: Value is declared already, as scantune::i32, the type of the keys");
  expect_log(point, {"__device__ bool equal(int a, int b) { return a == b; }"}, "equal.cu:2: error: no Value");
  expect_log(point, {"struct Value { int a; };\n__device__ bool equal(Value a, Value b) { return a.a == b.a; }"},
             "Value must have the size and the alignment");
}

}  // namespace
}  // namespace scantune::key_equality_test
