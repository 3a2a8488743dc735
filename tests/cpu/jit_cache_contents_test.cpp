// The disk cache as a whole: what it holds, and that no process that uses it sees half of a file while it shrinks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <fstream>

#include "jit/binary_cache.h"
#include "jit/cache_contents.h"
#include "jit_temporary_directory.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;

class CacheContentsTest : public testing::Test {
 protected:
  static std::string key(char digit) { return std::string(64, digit); }
  fs::path file(char digit) const { return directory_ / (key(digit) + ".bin"); }

  void store(char digit, std::int64_t hours_ago, std::size_t image_bytes = 1000) const {
    cache_.store(key(digit), {std::vector<char>(image_bytes, 'x'), "NVRTC 13.0", "a log", 61});
    age(file(digit), hours_ago);
  }
  static void age(const fs::path& path, std::int64_t hours) {
    const timespec moment = {.tv_sec = std::time(nullptr) - hours * 3600, .tv_nsec = 0};
    const timespec times[] = {moment, moment};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  static void write(const fs::path& path) { std::ofstream(path) << "text"; }

  TemporaryDirectory root_;
  fs::path directory_ = root_.path() / "scantune";
  BinaryCache cache_{directory_};
};

TEST_F(CacheContentsTest, AreNoneWhereThereIsNoDirectory) {
  EXPECT_EQ(cache_contents(directory_).kernels(), 0u);
  EXPECT_EQ(evict(directory_, 0).kernels(), 0u);
}

TEST_F(CacheContentsTest, CountWhatTheCacheStored) {
  store('a', 1);
  store('b', 50, 5000);
  const CacheContents contents = cache_contents(directory_);
  ASSERT_EQ(contents.kernels(), 2u);
  EXPECT_EQ(contents.entries[0].file, file('b'));
  EXPECT_EQ(contents.bytes(), fs::file_size(file('a')) + fs::file_size(file('b')));
}

TEST_F(CacheContentsTest, LoseTheLeastRecentlyUsedFirst) {
  store('a', 30);
  store('b', 90);
  store('c', 60);
  const u64 one = fs::file_size(file('a'));
  EXPECT_EQ(evict(directory_, 3 * one).kernels(), 0u);
  const CacheContents gone = evict(directory_, 2 * one + 1);
  ASSERT_EQ(gone.kernels(), 1u);
  EXPECT_EQ(gone.entries[0].file, file('b'));
  ASSERT_TRUE(cache_.load(key('a')));  // this one was used now, so the other one goes next
  EXPECT_EQ(evict(directory_, one).entries.at(0).file, file('c'));
  EXPECT_TRUE(cache_.load(key('a')));
}

TEST_F(CacheContentsTest, AreMarkedAsUsedOnceADay) {
  store('a', 20);
  const auto before = cache_contents(directory_).entries.at(0).used_at;
  ASSERT_TRUE(cache_.load(key('a')));
  EXPECT_EQ(cache_contents(directory_).entries.at(0).used_at, before);
  age(file('a'), 30);
  ASSERT_TRUE(cache_.load(key('a')));
  EXPECT_GE(cache_contents(directory_).entries.at(0).used_at, before);
}

TEST_F(CacheContentsTest, LeaveFilesOfOtherNamesAndKindsAlone) {
  store('a', 1);
  write(directory_ / "notes.txt");
  write(directory_ / (key('g') + ".bin"));
  write(directory_ / (key('a') + ".bin.bak"));
  write(root_.path() / "elsewhere");
  fs::create_symlink(root_.path() / "elsewhere", file('c'));
  fs::create_directory(file('d'));
  EXPECT_EQ(cache_contents(directory_).kernels(), 1u);
  EXPECT_EQ(evict(directory_, 0).kernels(), 1u);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 5);
  EXPECT_TRUE(fs::exists(root_.path() / "elsewhere"));
}

TEST_F(CacheContentsTest, LoseWhatWasLeftHalfWrittenButNotWhatIsBeingWritten) {
  store('a', 1);
  const fs::path abandoned = file('b').string() + ".q1W2e3", written_now = file('c').string() + ".q1W2e3";
  write(abandoned);
  age(abandoned, 2);
  write(written_now);
  EXPECT_EQ(evict(directory_, 1 << 20).kernels(), 0u);
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(written_now));
}

}  // namespace
}  // namespace scantune
