// Messages on a machine without CUDA, and the places where files are looked for.
#include <gtest/gtest.h>

#include <algorithm>

#include "device/cuda/driver.h"
#include "jit/nvrtc_compiler.h"
#include "jit_counting_compiler.h"
#include "scantune/error.hpp"
#include "support/log.h"
#include "support/paths.h"

namespace scantune {
namespace {

// Sets a variable of the environment, or unsets it, while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

template <class Body>
std::string device_error_of(Body body) {
  try {
    body();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no DeviceError";
}

void expect_parts(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(NvrtcCompiler, SaysWhatToInstallWhenThereIsNoNvrtc) {
  const Variable named("SCANTUNE_NVRTC", "/nowhere/libnvrtc.so.13");
  const std::string text = device_error_of([] { NvrtcCompiler().compile(instantiation_of("a"), "sm_90"); });
  expect_parts(text, {"/nowhere/libnvrtc.so.13", "pip install nvidia-cuda-nvrtc", "SCANTUNE_NVRTC"});
}

TEST(NvrtcCompiler, DoesNotTakeAnotherLibraryForNvrtc) {
  const Variable named("SCANTUNE_NVRTC", "libm.so.6");
  expect_parts(device_error_of([] { NvrtcCompiler().version(); }), {"libm.so.6 has no function nvrtcVersion"});
}

TEST(NvrtcCompiler, HasAFingerprintWithoutNvrtc) {
  const Variable named("SCANTUNE_NVRTC", "/nowhere/libnvrtc.so.13");
  expect_parts(NvrtcCompiler().fingerprint(), {"--std=c++20", "/nowhere/libnvrtc.so.13"});
}

TEST(NvrtcCandidates, AreAllTriedNamesInTheOrderOfTheDocument) {
  const Variable named("SCANTUNE_NVRTC", nullptr), home("CUDA_HOME", "/a"), path("CUDA_PATH", "/b"),
      conda("CONDA_PREFIX", "/c");
  const std::vector<std::string> candidates = nvrtc_candidates();
  const auto place = [&](const std::string& name) { return std::find(candidates.begin(), candidates.end(), name); };
  const auto end = candidates.end();
  EXPECT_EQ(place("libnvrtc.so.13"), candidates.begin());
  EXPECT_LT(place("libnvrtc.so"), place("/a/lib64/libnvrtc.so.13"));
  EXPECT_LT(place("/a/lib64/libnvrtc.so.13"), place("/b/lib64/libnvrtc.so.13"));
  EXPECT_LT(place("/b/lib64/libnvrtc.so.13"), place("/c/lib/libnvrtc.so.13"));
  EXPECT_LT(place("/c/lib/libnvrtc.so.13"), place("/usr/local/cuda/lib64/libnvrtc.so.13"));
  EXPECT_NE(place("/usr/local/cuda/lib64/libnvrtc.so.13"), end);
}

TEST(NvrtcCandidates, LieInTheFolderThatIsNamed) {
  const Variable named("SCANTUNE_NVRTC", "/usr/lib");
  EXPECT_EQ(nvrtc_candidates().front(), "/usr/lib/libnvrtc.so.13");
  for (const std::string& candidate : nvrtc_candidates()) EXPECT_TRUE(candidate.starts_with("/usr/lib/"));
}

TEST(Driver, SaysWhatToDoWhenThereIsNone) {
  const std::string text = device_error_of([] { Driver("libcuda_nowhere.so.1"); });
  expect_parts(text, {"libcuda_nowhere.so.1", "Install NVIDIA's driver", "SCANTUNE_DEVICE=host"});
  EXPECT_EQ(text.find("--arch"), std::string::npos) << "programs have no such option: " << text;
}

TEST(Driver, SaysWhenItIsTooOld) {
  expect_parts(device_error_of([] { Driver("libm.so.6"); }), {"libm.so.6 has no cuInit", "Update the driver"});
}

TEST(CacheDirectory, FollowsTheEnvironment) {
  struct Case {
    const char* cache;
    const char* xdg;
    const char* home;
    std::optional<std::filesystem::path> expected;
  };
  const Case cases[] = {
      {"/c", "/x", "/h", "/c"},
      {"", "/x", "/h", std::nullopt},
      {nullptr, "/x", "/h", "/x/scantune"},
      {nullptr, nullptr, "/h", "/h/.cache/scantune"},
      {nullptr, "", "/h", "/h/.cache/scantune"},
      {nullptr, "relative", "/h", "/h/.cache/scantune"},
      {nullptr, nullptr, nullptr, std::nullopt},
  };
  for (const Case& c : cases) {
    const Variable cache("SCANTUNE_CACHE", c.cache), xdg("XDG_CACHE_HOME", c.xdg), home("HOME", c.home);
    EXPECT_EQ(cache_directory(), c.expected);
  }
}

TEST(DataDirectory, FollowsTheEnvironment) {
  const Variable home("HOME", "/h");
  {
    const Variable xdg("XDG_DATA_HOME", "/x");
    EXPECT_EQ(data_directory(), "/x/scantune");
  }
  const Variable xdg("XDG_DATA_HOME", nullptr);
  EXPECT_EQ(data_directory(), "/h/.local/share/scantune");
}

TEST(LogOnce, WritesEachMessageOnce) {
  testing::internal::CaptureStderr();
  log_once("first remark of this test");
  log_once("second remark of this test");
  log_once("first remark of this test");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "scantune: first remark of this test\nscantune: second remark of this test\n");
}

}  // namespace
}  // namespace scantune
