#include "jit/private_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace scantune::private_directory_test {
namespace {

namespace fs = std::filesystem;

void make_older(const fs::path& path) {
  const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_NOW}, {.tv_sec = time(nullptr) - 86'500, .tv_nsec = 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
}

// All temporary files of a test.
class PrivateDirectoryTest : public testing::Test {
 protected:
  PrivateDirectoryTest() {
    std::string pattern = (fs::temp_directory_path() / "scantune_test.XXXXXX").string();
    parent = mkdtemp(pattern.data());
    setenv("TMPDIR", parent.c_str(), 1);
  }
  ~PrivateDirectoryTest() override {
    unsetenv("TMPDIR");
    fs::remove_all(parent);
  }

  fs::path old_directory(const std::string& name) const {
    fs::create_directory(parent / name);
    std::ofstream(parent / name / "kernel.cpp") << "text";
    make_older(parent / name);
    return parent / name;
  }

  fs::path parent;
};

TEST_F(PrivateDirectoryTest, IsGoneWithTheObject) {
  fs::path path;
  {
    const PrivateDirectory directory;
    path = directory.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    std::ofstream(path / "kernel.cpp") << "text";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateDirectoryTest, OfAKilledProcessIsRemovedOnceItIsADayOld) {
  const pid_t child = fork();
  if (child == 0) {
    const PrivateDirectory directory;
    std::ofstream(directory.path() / "kernel.cpp") << "text";
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  ASSERT_EQ(std::distance(fs::directory_iterator(parent), fs::directory_iterator()), 1);
  const fs::path left = fs::directory_iterator(parent)->path();
  { const PrivateDirectory next; }
  EXPECT_TRUE(fs::exists(left)) << "it may be in use as far as anybody knows";
  make_older(left);
  { const PrivateDirectory next; }
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(PrivateDirectoryTest, OfALivingProcessStaysHoweverOldItIs) {
  const PrivateDirectory living;
  make_older(living.path());
  { const PrivateDirectory next; }
  EXPECT_TRUE(fs::exists(living.path()));
}

TEST_F(PrivateDirectoryTest, LeavesWhatIsNotOfItsMaking) {
  const fs::path own = old_directory("scantune-0.1"), elsewhere = old_directory("precious");
  fs::create_directory_symlink(elsewhere, parent / "scantune-kernel-linked");
  make_older(parent / "scantune-kernel-linked");
  std::ofstream(parent / "scantune-kernel-abcdef") << "text";
  make_older(parent / "scantune-kernel-abcdef");
  const fs::path removed = old_directory("scantune-kernel-removed");
  { const PrivateDirectory next; }
  EXPECT_FALSE(fs::exists(removed));
  EXPECT_TRUE(fs::exists(own / "kernel.cpp"));
  EXPECT_TRUE(fs::exists(elsewhere / "kernel.cpp"));
  EXPECT_TRUE(fs::exists(parent / "scantune-kernel-abcdef"));
}

}  // namespace
}  // namespace scantune::private_directory_test
