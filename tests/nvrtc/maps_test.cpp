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

}  // namespace
}  // namespace scantune
