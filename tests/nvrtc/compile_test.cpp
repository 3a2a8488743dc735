// The gallery compiles for every architecture, and what NVRTC itself says and does.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compile_log.h"
#include "families_under_test.h"
#include "host/test_operator.h"
#include "instances.h"
#include "instantiation/instantiation.h"
#include "jit/nvrtc_compiler.h"
#include "kept_compiler.h"
#include "message_of.h"
#include "problems.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr int kSm = 90;  // where one architecture is enough

std::vector<const FamilyModel*> gallery() {
  const auto scans = families_of<ScanRequest>(Standing::gallery), sums = families_of<ReduceRequest>(Standing::gallery);
  std::vector<const FamilyModel*> all(scans.begin(), scans.end());
  all.insert(all.end(), sums.begin(), sums.end());
  return all;
}

// In as few programs as hold no two kernels of one name.
std::vector<Instantiation> programs_of(const std::vector<Instantiation>& all) {
  std::vector<std::vector<Instantiation>> programs;
  const auto clashes = [](const std::vector<Instantiation>& program, const Instantiation& one) {
    return std::ranges::any_of(program, [&](const Instantiation& other) {
      return std::ranges::any_of(one.kernels,
                                 [&](const std::string& name) { return std::ranges::count(other.kernels, name) > 0; });
    });
  };
  for (const Instantiation& one : all) {
    const auto program = std::ranges::find_if(programs, [&](const auto& other) { return !clashes(other, one); });
    if (program == programs.end())
      programs.push_back({one});
    else
      program->push_back(one);
  }
  std::vector<Instantiation> sources;
  for (const auto& program : programs) sources.push_back(merged(program));
  return sources;
}

// Kernels of many families in one program, which says of each by name what it spills.
TEST(Gallery, CompilesForEveryArchitectureWithoutSpills) {
  for (const int sm : kSms) {
    std::vector<Instantiation> all;
    for (const FamilyModel* family : gallery()) {
      const Request request = plain_request(*family, 1000);
      const Config config = family->default_config(request, sm);
      ASSERT_EQ(reject_reason(config, request, sm), nullptr);
      all.push_back(instantiate(request, config, Variant::aligned));
    }
    for (const Instantiation& program : programs_of(all)) {
      const Binary binary = compile_with_nvrtc(program, "sm_" + std::to_string(sm));
      EXPECT_FALSE(binary.image.empty());
      EXPECT_EQ(reported_bytes(binary.log, "spill stores"), 0) << binary.log;
    }
  }
}

TEST(Gallery, CompilesForOtherProblems) {
  const auto compiled = [](ScanRequest request, const CustomOperator* custom) {
    request.accumulator_type = default_accumulator(request.input_type, request.output_type);
    std::vector<Instantiation> all;
    for (const FamilyModel* family : families_of<ScanRequest>(Standing::gallery)) {
      if (family->unsupported_reason(request, kSm) != nullptr) continue;
      all.push_back(instantiate(request, family->default_config(request, kSm), Variant::any, custom));
    }
    EXPECT_GT(all.size(), 5u) << to_string(Request(request));
    for (const std::string& code : code_of_instances(all, kSm)) EXPECT_GT(code.size(), 500u);
  };
  compiled(request_of(ValueType::i8, Operator::max, Kind::exclusive, 1000), nullptr);
  compiled(request_of(ValueType::f16, Operator::sum, Kind::inclusive, 1000), nullptr);
  compiled(request_of(ValueType::f64, Operator::product, Kind::exclusive, 1000), nullptr);
  for (const TestOperator& custom : {affine_maps(), maps_of_bytes(20, 4)}) {
    ScanRequest request = custom.request;
    request.n = 100;
    compiled(request, &custom.custom);
  }
}

// Templates of each operator are instantiated for each type; the designs compile pairs of classes of them in full.
TEST(EveryOperator, IsCompiledForEveryType) {
  const FamilyModel& family = *find_family("single_block");
  for (int op = 0; op < static_cast<int>(Operator::custom_cheap); ++op) {
    std::vector<Instantiation> all;
    for (int type = 0; type < static_cast<int>(ValueType::custom); ++type) {
      ScanRequest request = request_of(static_cast<ValueType>(type), static_cast<Operator>(op), Kind::exclusive, 1000);
      request.accumulator_type = default_accumulator(request.input_type, request.output_type);
      if (family.unsupported_reason(request, kSm) != nullptr) continue;
      all.push_back(instantiate(request, family.default_config(request, kSm), Variant::any));
    }
    EXPECT_GE(all.size(), 8u);
    for (const std::string& code : code_of_instances(all, kSm)) EXPECT_GT(code.size(), 500u);
  }
}

TEST(EveryFamily, IsCompiledForTheNewestArchitectures) {
  for (const FamilyModel* family : all_scan_families()) {
    const std::vector<int> sms = sms_of(*family);
    for (const int sm : {90, 100, 120}) EXPECT_EQ(std::ranges::count(sms, sm), 1) << family->name() << " for sm_" << sm;
  }
}

TEST(NvrtcCompiler, MakesTheSameCubinTwice) {
  const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
  const Config config = default_config(request, 90);
  const Instantiation instantiation = instantiate(request, config, Variant::aligned);
  EXPECT_EQ(NvrtcCompiler().compile(instantiation, "sm_90").image,
            NvrtcCompiler().compile(instantiation, "sm_90").image);
}

TEST(NvrtcCompiler, NamesItself) { EXPECT_EQ(NvrtcCompiler().version().substr(0, 6), "NVRTC "); }

TEST(NvrtcCompiler, ThrowsTheWholeLogWhenTheSourceIsWrong) {
  Instantiation broken;
  broken.source = "extern \"C\" __global__ void broken() { first_mistake(); second_mistake(); }";
  broken.kernels = {"broken"};
  broken.label = "a broken kernel";
  const std::string text = message_of<CompileError>([&] { NvrtcCompiler().compile(broken, "sm_90"); });
  for (const char* part : {"a broken kernel for sm_90", "first_mistake", "second_mistake"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(NvrtcCompiler, SaysWhichArchitecturesItKnowsAndWhatToDoAboutOthers) {
  const std::string too_old = "they need compute capability 7.0 or newer. SCANTUNE_DEVICE=host";
  const std::string old = "pip install 'nvidia-cuda-nvrtc-cu12==12.9.*', and set SCANTUNE_NVRTC";
  const std::pair<std::string, std::vector<std::string>> kUnknown[] = {
      {"sm_20", {too_old}},
      {"sm_61", {too_old}},
      {"sm_70", {"it knows", " sm_90", old}},
      {"sm_72", {"it knows", " sm_90", old}},
      {"sm_999", {"it knows", " sm_90", "NVRTC of a newer CUDA release, and set SCANTUNE_NVRTC"}}};
  for (const auto& [arch, parts] : kUnknown) try {
      NvrtcCompiler().compile({"", {}, {}, "nothing"}, arch);
      EXPECT_TRUE(NvrtcCompiler().version() < "NVRTC 13" && (arch == "sm_70" || arch == "sm_72"))
          << "compiled for " << arch;
    } catch (const DeviceError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(arch), std::string::npos) << text;
      for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace scantune
