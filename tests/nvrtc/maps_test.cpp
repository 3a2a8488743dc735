// What NVRTC says of mistakes in maps.
#include <gtest/gtest.h>

#include <string>

#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "message_of.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {
namespace {

constexpr u64 kManyItems = u64{1} << 24;

// NVRTC tells the caller's lines, as the host's compiler does.
TEST(NvrtcMap, MistakesCountTheCallersLines) {
  ScanRequest request;
  request.load = Load::source;
  request.n = kManyItems;
  const auto log_of = [&](const std::string& source) {
    CustomOperator sources;
    sources.load.source = source;
    return message_of<CompileError>([&] {
      compile_with_nvrtc(instantiate(request, default_config(request, 90), Variant::aligned, &sources), "sm_90");
    });
  };
  EXPECT_NE(log_of("__device__ int load(int x) {\n  return x * missing;\n}").find("load.cu(2)"), std::string::npos);
  EXPECT_NE(log_of("__device__ int load(int x, int y) { return x; }").find("define __device__ Result load(Value item)"),
            std::string::npos);
  EXPECT_NE(log_of("__device__ float load(int x) { return x; }").find("load must return its result"),
            std::string::npos);
}

// Kernels see structs that no criterion takes as bytes.
TEST(NvrtcMap, IsCompiledIntoSelections) {
  const std::string point = "struct Value { float x; int id; float y; };\n";
  SelectRequest structs{.input_type = ValueType::custom,
                        .criterion = Criterion::flagged,
                        .load = Load::generated,
                        .store = Store::source,
                        .custom_bytes = 12,
                        .custom_alignment = 4,
                        .n = kManyItems,
                        .memory = {.stored = ValueType::bf16}};
  SelectRequest halves{.input_type = ValueType::f16,
                       .criterion = Criterion::around,
                       .rejected = Rejected::behind,
                       .load = Load::indexed,
                       .store = Store::writing,
                       .n = kManyItems,
                       .memory = {.loaded = ValueType::u8}};
  const CustomOperator of_structs{
      .source = {},
      .name = {},
      .load = {.source = "struct Result { float x; int id; float y; };\n"
                         "__device__ Result load(unsigned long long i) { return {1, static_cast<int>(i), 2}; }"},
      .store = {.source = point + "__device__ float store(Value p) { return p.x; }"}};
  const CustomOperator of_halves{
      .source = {},
      .name = {},
      .load = {.source = "__device__ float load(unsigned char x, unsigned long long i) { return x + i % 2; }"},
      .store = {.source = "struct State { float* to; };\n"
                          "__device__ void store(float x, unsigned long long i, State s) { s.to[i] = x; }",
                .state_bytes = 8}};
  for (const Variant variant : {Variant::aligned, Variant::any}) {
    EXPECT_NO_THROW(
        compile_with_nvrtc(instantiate(structs, default_config(structs, 90), variant, &of_structs), "sm_90"));
    EXPECT_NO_THROW(compile_with_nvrtc(instantiate(halves, default_config(halves, 90), variant, &of_halves), "sm_90"));
  }
}

}  // namespace
}  // namespace scantune
