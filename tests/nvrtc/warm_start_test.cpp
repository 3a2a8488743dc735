// A warm start never opens NVRTC, because that alone takes longer than many a scan. The one test has a program of its
// own, since a library stays open once it was opened.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "jit/cached_compiler.h"
#include "jit/nvrtc_compiler.h"
#include "problems.h"

namespace scantune {
namespace {

bool nvrtc_is_open() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libnvrtc") != std::string::npos) return true;
  return false;
}

TEST(WarmStart, TakesTheCubinFromTheDiskWithoutOpeningNvrtc) {
  std::string directory = (std::filesystem::temp_directory_path() / "scantune_test.XXXXXX").string();
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  CachedCompiler compiler(std::make_unique<NvrtcCompiler>(), BinaryCache(directory));
  const ScanRequest request = request_of(ValueType::f32, Operator::sum, Kind::inclusive, kTestedItems);
  const Instantiation instantiation = instantiate(request, default_config(request, 90), Variant::aligned);
  const pid_t earlier_process = fork();
  if (earlier_process == 0) {
    compiler.compile(instantiation, "sm_90");
    _exit(nvrtc_is_open() ? 0 : 1);
  }
  int status = 0;
  waitpid(earlier_process, &status, 0);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);

  const Binary warm = compiler.compile(instantiation, "sm_90");
  EXPECT_EQ(warm.compile_ms, 0);
  EXPECT_EQ(warm.compiler.substr(0, 6), "NVRTC ");
  EXPECT_NE(warm.log.find("registers"), std::string::npos);
  EXPECT_FALSE(nvrtc_is_open());
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace scantune
