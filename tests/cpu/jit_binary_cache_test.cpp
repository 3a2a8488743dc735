// The disk cache: what it keeps, and that nothing that goes wrong with it is an error.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "jit/binary_cache.h"
#include "jit/binary_key.h"
#include "jit/cached_compiler.h"
#include "jit_counting_compiler.h"
#include "jit_temporary_directory.h"
#include "support/ownership.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;

const std::string kKey(64, 'a');
const std::string kOtherKey(64, 'b');

Binary example(std::size_t image_bytes = 1000) {
  return {std::vector<char>(image_bytes, 'x'), "NVRTC 13.0", "a log", 61};
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void overwrite(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

// Runs the body in a process of its own; true if it returned true.
template <class Body>
bool succeeds_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class BinaryCacheTest : public testing::Test {
 protected:
  TemporaryDirectory root_;
  fs::path directory_ = root_.path() / "cache" / "scantune";
  BinaryCache cache_{directory_};
  fs::path file_ = directory_ / (kKey + ".bin");
  std::atomic<int> compilations_ = 0;
  CachedCompiler compiler_{std::make_unique<CountingCompiler>(compilations_), BinaryCache(directory_)};
};

TEST_F(BinaryCacheTest, ReturnsWhatWasStored) {
  cache_.store(kKey, example());
  const std::optional<Binary> found = cache_.load(kKey);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->image, example().image);
  EXPECT_EQ(found->compiler, "NVRTC 13.0");
  EXPECT_EQ(found->log, "a log");
  EXPECT_EQ(found->compile_ms, 0);
}

TEST_F(BinaryCacheTest, MissesWhatWasNotStored) {
  EXPECT_FALSE(cache_.load(kKey));
  cache_.store(kKey, example());
  EXPECT_FALSE(cache_.load(kOtherKey));
}

TEST_F(BinaryCacheTest, IsForItsOwnerOnly) {
  cache_.store(kKey, example());
  EXPECT_EQ(fs::status(directory_).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(BinaryCacheTest, LeavesNothingButTheFile) {
  cache_.store(kKey, example());
  cache_.store(kKey, example());
  EXPECT_EQ(files_in(directory_), 1u);
}

TEST_F(BinaryCacheTest, MissesAFileWithAnyByteChanged) {
  cache_.store(kKey, example(50));
  const std::string text = text_of(file_);
  for (std::size_t index = 0; index < text.size(); ++index) {
    std::string damaged = text;
    damaged[index] = static_cast<char>(damaged[index] ^ 1);
    overwrite(file_, damaged);
    EXPECT_FALSE(cache_.load(kKey)) << "byte " << index;
  }
  overwrite(file_, text);
  EXPECT_TRUE(cache_.load(kKey));
}

TEST_F(BinaryCacheTest, MissesATruncatedOrLengthenedFile) {
  cache_.store(kKey, example(50));
  const std::string text = text_of(file_);
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    overwrite(file_, text.substr(0, bytes));
    EXPECT_FALSE(cache_.load(kKey)) << bytes << " bytes left";
  }
  overwrite(file_, text + "x");
  EXPECT_FALSE(cache_.load(kKey));
}

TEST_F(BinaryCacheTest, MissesAFileUnderAnothersName) {
  cache_.store(kKey, example());
  fs::rename(file_, directory_ / (kOtherKey + ".bin"));
  EXPECT_FALSE(cache_.load(kOtherKey));
}

TEST_F(BinaryCacheTest, MissesADirectoryAndAPipeInPlaceOfTheFile) {
  fs::create_directories(file_);
  EXPECT_FALSE(cache_.load(kKey));
  fs::remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_FALSE(cache_.load(kKey));
}

TEST_F(BinaryCacheTest, DoesNotTrustAFileThatOthersMayWrite) {
  cache_.store(kKey, example());
  fs::permissions(file_, fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(cache_.load(kKey));
}

TEST_F(BinaryCacheTest, LeavesADirectoryAloneThatOthersMayWriteTo) {
  cache_.store(kKey, example());
  for (const mode_t mode : {0777, 0770, 01777}) {
    ASSERT_EQ(chmod(directory_.c_str(), mode), 0);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(cache_.load(kKey).has_value());
    cache_.store(kOtherKey, example());
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(files_in(directory_), 1u);
    if (mode != 0777) continue;  // the remark comes only once
    EXPECT_NE(said.find(directory_.string() + " is not used, because others than its owner may write"), said.npos)
        << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
  ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
  EXPECT_TRUE(cache_.load(kKey).has_value());
}

TEST(Ownership, IsTrustedOfTheUserAndOfRootAlone) {
  constexpr uid_t kUser = 1000;
  const auto reason = [](uid_t owner, mode_t mode) {
    struct stat status {};
    status.st_uid = owner;
    status.st_mode = S_IFDIR | mode;
    return changeable_because(status, kUser);
  };
  EXPECT_EQ(reason(kUser, 0755), "");
  EXPECT_EQ(reason(0, 0755), "");
  EXPECT_EQ(reason(1001, 0700), "it belongs to user 1001");
  EXPECT_EQ(reason(kUser, 0720), "others than its owner may write to it");
  EXPECT_EQ(reason(0, 01777), "others than its owner may write to it");
}

TEST_F(BinaryCacheTest, SavesTheSecondCompilation) {
  const Binary first = compiler_.compile(instantiation_of("a"), "sm_90");
  const Binary second = compiler_.compile(instantiation_of("a"), "sm_90");
  EXPECT_EQ(compilations_, 1);
  EXPECT_EQ(first.image, second.image);
  EXPECT_GT(first.compile_ms, 0);
  EXPECT_EQ(second.compile_ms, 0);
}

TEST_F(BinaryCacheTest, ReplacesADamagedFile) {
  const fs::path file = directory_ / (binary_key(compiler_, instantiation_of("a"), "sm_90") + ".bin");
  compiler_.compile(instantiation_of("a"), "sm_90");
  overwrite(file, "damaged");
  compiler_.compile(instantiation_of("a"), "sm_90");
  compiler_.compile(instantiation_of("a"), "sm_90");
  EXPECT_EQ(compilations_, 2);
}

TEST_F(BinaryCacheTest, KeepsNoFailure) {
  EXPECT_THROW(compiler_.compile(instantiation_of("wrong"), "sm_90"), CompileError);
  EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(BinaryCacheTest, CompilesWithoutACacheWhenItIsDisabled) {
  CachedCompiler compiler(std::make_unique<CountingCompiler>(compilations_), BinaryCache(std::nullopt));
  compiler.compile(instantiation_of("a"), "sm_90");
  compiler.compile(instantiation_of("a"), "sm_90");
  EXPECT_EQ(compilations_, 2);
  EXPECT_EQ(files_in(root_.path()), 0u);
}

TEST_F(BinaryCacheTest, CompilesAndSaysSoOnceWhenTheDirectoryCannotBeMade) {
  overwrite(root_.path() / "cache", "a file where the directory should be");
  testing::internal::CaptureStderr();
  for (const char* source : {"a", "b"})
    EXPECT_FALSE(compiler_.compile(instantiation_of(source), "sm_90").image.empty());
  const std::string remarks = testing::internal::GetCapturedStderr();
  EXPECT_EQ(compilations_, 2);
  EXPECT_NE(remarks.find(directory_.string() + " cannot be written"), std::string::npos) << remarks;
  EXPECT_EQ(std::count(remarks.begin(), remarks.end(), '\n'), 1) << remarks;
}

TEST_F(BinaryCacheTest, CompilesWhenTheDiskIsFull) {
  fs::create_directories(directory_);
  EXPECT_TRUE(succeeds_in_child([&] {
    if (std::freopen("/dev/null", "w", stderr) == nullptr)
      return false;                  // its remark may not end in a file of the tests' output
    const rlimit no_more{100, 100};  // bytes that a file may have; the signal of a larger one must not end the process
    setrlimit(RLIMIT_FSIZE, &no_more);
    cache_.store(kKey, example());
    return true;
  }));
  EXPECT_EQ(files_in(directory_), 0u);
  EXPECT_FALSE(cache_.load(kKey));
}

TEST_F(BinaryCacheTest, NeverShowsHalfAFileToRacingProcesses) {
  constexpr int kProcesses = 3, kRounds = 150;
  const Binary binary = example(200000);
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      bool whole = true;
      for (int round = 0; round < kRounds; ++round) {
        cache_.store(kKey, binary);
        const std::optional<Binary> found = cache_.load(kKey);  // it has been stored, so it is there for good
        whole = whole && found && found->image == binary.image;
      }
      _exit(whole ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(files_in(directory_), 1u);
}

}  // namespace
}  // namespace scantune
