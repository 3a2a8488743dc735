// The environment of a program: what is taken from it with the caller's rights, and what with more.
#include <gmock/gmock.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace scantune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr long kAtSecure = 23;  // AT_SECURE of the auxiliary vector

long word_at(pid_t process, unsigned long address) {
  errno = 0;
  const long word = ptrace(PTRACE_PEEKDATA, process, address, nullptr);
  EXPECT_EQ(errno, 0) << "a container that forbids ptrace must allow it for this test";
  return word;
}

// Where the system has put argc, before the process's first instruction.
unsigned long start_of_stack(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::stringstream text;
  text << file.rdbuf();
  std::istringstream fields(text.str().substr(text.str().rfind(')') + 1));
  constexpr int kStartOfStack = 28, kFirstBehindTheName = 3;
  std::string field;
  for (int number = kFirstBehindTheName; number <= kStartOfStack; ++number) fields >> field;
  return std::stoul(field);
}

// Tells a stopped process, at its start, what the system tells a set-uid program.
void say_that_it_has_more_rights(pid_t process) {
  unsigned long place = start_of_stack(process);
  place += sizeof(long) * (static_cast<unsigned long>(word_at(process, place)) + 2);  // skips arguments and their end
  while (word_at(process, place) != 0) place += sizeof(long);                         // skips the environment
  for (place += sizeof(long); word_at(process, place) != kAtSecure; place += 2 * sizeof(long))
    ASSERT_NE(word_at(process, place), 0) << "the system has not said whether the program is secure";
  ASSERT_EQ(ptrace(PTRACE_POKEDATA, process, place + sizeof(long), 1L), 0);
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t bytes; (bytes = read(file, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
  return text;
}

const std::vector<const char*> kEnvironment = {"SCANTUNE_NVRTC=/planted/libnvrtc.so",  "SCANTUNE_CXX=/bin/false",
                                               "SCANTUNE_CACHE=/planted/cache",        "SCANTUNE_DB=/planted/tuning.db",
                                               "SCANTUNE_DB_PATH=/planted/project.db", nullptr};

// What the probe prints in that environment, with its caller's rights or as though it had more.
std::string probed(const std::vector<const char*>& environment, bool has_more_rights) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    dup2(ends[1], 1);
    char name[] = "probe";
    char* const arguments[] = {name, nullptr};
    execve(SCANTUNE_PROBE, arguments, const_cast<char* const*>(environment.data()));
    _exit(127);
  }
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSTOPPED(status));
  if (has_more_rights) say_that_it_has_more_rights(child);
  ptrace(PTRACE_DETACH, child, nullptr, nullptr);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return text;
}

TEST(Environment, NamesCodeAndFilesToAProgramWithItsCallersRights) {
  EXPECT_THAT(
      probed(kEnvironment, false),
      AllOf(HasSubstr("NVRTC /planted/libnvrtc.so\n"), HasSubstr("compiler /bin/false"),
            HasSubstr("cache /planted/cache\n"), HasSubstr("\ndatabase /planted/tuning.db\n"),
            HasSubstr("project database /planted/project.db\n"), HasSubstr("layer project /planted/project.db\n")));
}

TEST(Environment, NamesNeitherCodeNorFilesToASetUidProgram) {
  EXPECT_THAT(probed(kEnvironment, true),
              AllOf(HasSubstr("NVRTC libnvrtc.so"), Not(HasSubstr("planted")), Not(HasSubstr("/bin/false"))));
}

TEST(Environment, NamesNoHomeAndNoToolkitToASetUidProgram) {
  const std::vector<const char*> kPlaces = {
      "HOME=/planted/home",      "XDG_CACHE_HOME=/planted/cache", "XDG_DATA_HOME=/planted", "CUDA_HOME=/planted/cuda",
      "CUDA_PATH=/planted/cuda", "CONDA_PREFIX=/planted/conda",   "PATH=/bin:/usr/bin",     nullptr};
  EXPECT_THAT(probed(kPlaces, false),
              AllOf(HasSubstr("cache /planted/cache/scantune\n"), HasSubstr("database /planted/scantune/tuning.db\n"),
                    HasSubstr("synced databases /planted/scantune/layers\n"), HasSubstr("NVRTC /planted/cuda/lib64/"),
                    HasSubstr("/bin/")));
  EXPECT_THAT(probed(kPlaces, true),
              AllOf(HasSubstr("NVRTC libnvrtc.so"), Not(HasSubstr("planted")), Not(HasSubstr("/bin/")),
                    Not(HasSubstr("cache")), Not(HasSubstr("database ")), Not(HasSubstr("databases "))));
}

}  // namespace
}  // namespace scantune
