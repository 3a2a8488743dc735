// Operators with states of all sizes, and what NVRTC says of mistakes in them.
#include <gtest/gtest.h>

#include <string>

#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "message_of.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {
namespace {

constexpr u64 kManyOperands = u64{1} << 24;

ScanRequest request_of_source() {
  ScanRequest request;
  request.input_type = request.accumulator_type = request.output_type = ValueType::i32;
  request.op = Operator::custom_moderate;
  request.n = kManyOperands;
  return request;
}

// States of all sizes of words compile, and nothing of it stands in a kernel without one.
TEST(NvrtcOperatorStates, MayBeOfAnySize) {
  const auto request = request_of_source();
  const Config config = default_config(request, 90);
  for (const int bytes : {1, 9, 31}) {
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
  const auto request = request_of_source();
  const auto log_of = [&](const std::string& combine) {
    const CustomOperator custom{.source = "struct State { int a; };\n" + combine, .name = {}, .state_bytes = 4};
    return message_of<CompileError>([&] {
      compile_with_nvrtc(instantiate(request, default_config(request, 90), Variant::aligned, &custom), "sm_90");
    });
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
