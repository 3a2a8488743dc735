// Every family compiles for every architecture it claims to support.
#include <gtest/gtest.h>

#include <regex>

#include "effort.h"
#include "instantiation/instantiation.h"
#include "jit/nvrtc_compiler.h"
#include "problems.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr int kDrawnConfigs = 4 * kTestEffort;
constexpr u64 kManyItems = 1 << 26;  // defaults depend on n

struct Case {
  const FamilyModel* family;
  ValueType type;
  int sm;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.family->name() << " of " << token(c.type) << " for sm_" << c.sm;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const FamilyModel* family : families())
    for (const ValueType type : kTypes)
      for (const int sm : kSms) all.push_back({family, type, sm});
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  const Case& c = tested.param;
  return std::string(c.family->name()) + "_" + token(c.type) + "_sm" + std::to_string(c.sm);
}

int spilled_bytes(const std::string& log) {
  static const std::regex kSpills(R"((\d+) bytes spill stores)");
  int bytes = 0;
  for (std::sregex_iterator match(log.begin(), log.end(), kSpills), end; match != end; ++match)
    bytes += std::stoi((*match)[1]);
  return bytes;
}

Binary compiled(const ScanRequest& request, const Config& config, int sm) {
  return NvrtcCompiler().compile(instantiate(request, config), "sm_" + std::to_string(sm));
}

class Compile : public testing::TestWithParam<Case> {};

TEST_P(Compile, DefaultConfigsCompileWithoutSpills) {
  const auto [family, type, sm] = GetParam();
  for (const ScanRequest& request : {request_of(type, Operator::sum, Kind::inclusive, kTestedItems),
                                     request_of(type, Operator::max, Kind::exclusive, kManyItems)}) {
    if (family->unsupported_reason(request, sm)) continue;
    const Config config = family->default_config(request, sm);
    const Binary binary = compiled(request, config, sm);
    EXPECT_GT(binary.image.size(), 0u);
    EXPECT_NE(binary.log.find("registers"), std::string::npos) << binary.log;
    EXPECT_EQ(spilled_bytes(binary.log), 0) << to_string(config) << " of " << to_string(request) << "\n" << binary.log;
  }
}

TEST_P(Compile, DrawnConfigsCompile) {
  const auto [family, type, sm] = GetParam();
  const auto seed = static_cast<unsigned>(sm) * 16 + static_cast<unsigned>(type);
  std::mt19937 random(seed);
  for (int draw = 0; draw < kDrawnConfigs; ++draw) {
    ScanRequest request = request_of(type, random() % 2 ? Operator::sum : Operator::max,
                                     random() % 2 ? Kind::inclusive : Kind::exclusive, kTestedItems);
    const Config config = drawn_config(*family, request, sm, random);
    if (random() % 2) request.alignment_bytes = size_of(type);
    EXPECT_NO_THROW(compiled(request, config, sm)) << "seed " << seed << " draw " << draw;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, Compile, testing::ValuesIn(cases()), name_of);

TEST(NvrtcCompiler, MakesTheSameCubinTwice) {
  const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
  const Config config = default_config(request, 90);
  EXPECT_EQ(compiled(request, config, 90).image, compiled(request, config, 90).image);
}

TEST(NvrtcCompiler, NamesItself) { EXPECT_EQ(NvrtcCompiler().version().substr(0, 6), "NVRTC "); }

TEST(NvrtcCompiler, ThrowsTheWholeLogWhenTheSourceIsWrong) {
  Instantiation broken;
  broken.source = "extern \"C\" __global__ void broken() { first_mistake(); second_mistake(); }";
  broken.kernels = {"broken"};
  broken.label = "a broken kernel";
  try {
    NvrtcCompiler().compile(broken, "sm_90");
    FAIL() << "compiled";
  } catch (const CompileError& error) {
    const std::string text = error.what();
    for (const char* part : {"a broken kernel for sm_90", "first_mistake", "second_mistake"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(NvrtcCompiler, SaysWhichArchitecturesItKnows) {
  try {
    NvrtcCompiler().compile({"", {}, "nothing"}, "sm_20");
    FAIL() << "compiled";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    for (const char* part : {"sm_20", "it knows", " sm_90"}) EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace scantune
