// The key of a binary in the caches.
#include <gtest/gtest.h>

#include <set>

#include "families_under_test.h"
#include "jit/binary_key.h"
#include "jit/nvrtc_compiler.h"
#include "jit_counting_compiler.h"
#include "support/sha256.h"

namespace scantune {
namespace {

std::string key_of(const ScanRequest& request, const Config& config, const std::string& arch = "sm_90",
                   Variant variant = Variant::aligned) {
  return binary_key(NvrtcCompiler(), instantiate(request, config, variant), arch);
}

TEST(BinaryKey, IsTheSameForEveryNThatTheModuleServes) {
  const ScanRequest small{.n = 1000};
  const Config config = default_config(small, 90);
  ScanRequest large = small;
  large.n = 100000;
  EXPECT_EQ(key_of(small, config), key_of(large, config));
  EXPECT_EQ(key_of(small, config).size(), 64u);
}

TEST(BinaryKey, DiffersWithEveryThingThatDecidesTheBinary) {
  const ScanRequest request{.n = 100000};
  ScanRequest maximum = request;
  maximum.op = Operator::max;
  std::set<std::string> keys;
  std::size_t made = 0;
  for (const FamilyModel* family : scan_families()) {
    const Config config = family->default_config(request, 90);
    for (const ScanRequest& other : {request, maximum})
      for (const char* arch : {"sm_80", "sm_90"})
        for (const Variant variant : {Variant::aligned, Variant::any}) {
          keys.insert(key_of(other, config, arch, variant));
          ++made;
        }
  }
  EXPECT_EQ(keys.size(), made);
}

TEST(BinaryKey, DiffersWithCompilerAndKernelNames) {
  std::atomic<int> compilations = 0;
  const Instantiation instantiation = instantiation_of("a");
  Instantiation renamed = instantiation;
  renamed.kernels = {"kern", "el"};
  const CountingCompiler counting(compilations);
  EXPECT_NE(binary_key(counting, instantiation, "sm_90"), binary_key(NvrtcCompiler(), instantiation, "sm_90"));
  EXPECT_NE(binary_key(counting, instantiation, "sm_90"), binary_key(counting, renamed, "sm_90"));
}

TEST(BinaryKey, DiffersForAnNvrtcThatTheUserNames) {
  const Instantiation instantiation = instantiation_of("a");
  unsetenv("SCANTUNE_NVRTC");
  const std::string usual = binary_key(NvrtcCompiler(), instantiation, "sm_90");
  setenv("SCANTUNE_NVRTC", "/somewhere/libnvrtc.so.13", 1);
  EXPECT_NE(binary_key(NvrtcCompiler(), instantiation, "sm_90"), usual);
  unsetenv("SCANTUNE_NVRTC");
}

TEST(Templates, AreEmbeddedWithTheirPathsUnderTemplates) {
  std::set<std::string> paths;
  for (const TemplateFile& file : template_files()) paths.insert(file.path);
  EXPECT_TRUE(paths.contains("scan/config/scan.h"));
  EXPECT_TRUE(paths.contains("core/machine/kernel.h"));
  for (const FamilyModel* family : families()) EXPECT_TRUE(paths.contains(family->header())) << family->header();
}

TEST(BinaryKey, DiffersWithTheTemplatesThatAreIncludedAlone) {
  std::atomic<int> compilations = 0;
  const CountingCompiler counting(compilations);
  Instantiation instantiation = instantiation_of("a");
  std::set<std::string> keys;
  for (const std::vector<std::string>& headers :
       {std::vector<std::string>{}, {"core/parts/ordinary_kernel.h"}, {"scan/kernels/lookback.h"}}) {
    instantiation.headers = headers;
    for (const char* arch : {"sm_90", "host"}) keys.insert(binary_key(counting, instantiation, arch));
  }
  EXPECT_EQ(keys.size(), 6u);
}

// The host device's kernels name files and lines, and a comment moves lines.
TEST(BinaryKey, OfTheHostDeviceIsOverTheTextOfTheTemplates) {
  std::atomic<int> compilations = 0;
  const CountingCompiler compiler(compilations);
  Instantiation instantiation = instantiation_of("a");
  instantiation.headers = {"scan/kernels/lookback.h"};
  const auto expected = [&](TemplateView view, Hashed hashed, const char* arch) {
    Sha256 hash;
    hash.add_field(TemplateHashes(template_files(), view, hashed).of(instantiation.headers));
    hash.add_field(compiler.fingerprint()).add_field(arch).add_field(instantiation.source);
    for (const std::string& kernel : instantiation.kernels) hash.add_field(kernel);
    return hash.hex();
  };
  EXPECT_EQ(binary_key(compiler, instantiation, "host"), expected(TemplateView::host, Hashed::text, "host"));
  EXPECT_EQ(binary_key(compiler, instantiation, "sm_90"), expected(TemplateView::cuda, Hashed::code, "sm_90"));
}

TEST(Instantiation, NamesTheHeadersThatItIncludes) {
  const ScanRequest request{.n = 100000};
  ScanRequest own = request;
  own.op = Operator::custom_cheap;
  const CustomOperator custom{.source = "__device__ Value combine(Value a, Value b) { return a; }", .name = ""};
  for (const FamilyModel* family : scan_families())
    for (const CustomOperator* op : {static_cast<const CustomOperator*>(nullptr), &custom}) {
      const Instantiation made =
          instantiate(op ? own : request, family->default_config(request, 90), Variant::aligned, op);
      EXPECT_EQ(template_text(made.source, TemplateView::cuda).includes, made.headers) << made.source;
    }
}

TEST(Instantiation, SaysTheSizeOfACustomTypeAlone) {
  const ScanRequest built_in{.n = 1000};
  EXPECT_EQ(instantiate(built_in, default_config(built_in, 90), Variant::aligned).source.find("custom_bytes"),
            std::string::npos);
  const CopyRequest custom{.input_type = ValueType::custom,
                           .output_type = ValueType::custom,
                           .custom_bytes = 12,
                           .custom_alignment = 4,
                           .n = 1000};
  EXPECT_NE(instantiate(custom, default_config(custom, 90), Variant::aligned)
                .source.find(", .custom_bytes = 12, .custom_alignment = 4}"),
            std::string::npos);
}

TEST(Sha256, MatchesTheStandardsExample) {
  EXPECT_EQ(Sha256().add("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, KeepsFieldsApart) {
  EXPECT_NE(Sha256().add_field("ab").add_field("c").hex(), Sha256().add_field("a").add_field("bc").hex());
}

}  // namespace
}  // namespace scantune
