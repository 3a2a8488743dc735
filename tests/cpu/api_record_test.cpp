// Calls that SCANTUNE_RECORD has counted. It is read once, so every test here is recorded.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "api_current_device.h"
#include "scantune/runtime.hpp"
#include "select_database_file.h"
#include "support/log.h"
#include "support/sha256.h"

namespace scantune::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path folder() {
  static const fs::path made = [] {
    std::string pattern = (fs::temp_directory_path() / "scantune-record-XXXXXX").string();
    return fs::path(mkdtemp(pattern.data()));
  }();
  return made;
}
fs::path file() { return folder() / "calls.jsonl"; }

class RecordedProgram : public ::testing::Environment {
 public:
  void SetUp() override {
    setenv("SCANTUNE_RECORD", file().c_str(), 1);
    if (std::getenv("FOLDER_IS_GONE") == nullptr) return;  // of a program that a test here runs
    setenv("SCANTUNE_RECORD", "calls.jsonl", 1);
    fs::create_directory(folder() / "gone");
    fs::current_path(folder() / "gone");
    fs::remove(folder() / "gone");
  }
  void TearDown() override { fs::remove_all(folder()); }
};
[[maybe_unused]] const auto* const kRecorded = ::testing::AddGlobalTestEnvironment(new RecordedProgram);

class Recording : public DatabaseFile {
 protected:
  void SetUp() override {
    DatabaseFile::SetUp();
    set_current_device(device_);
    runtime::record_flush();
    fs::remove(file());
  }

  static std::vector<Json> lines() {
    std::ifstream stream(file());
    std::vector<Json> lines;
    for (std::string line; std::getline(stream, line);)
      if (!line.empty()) lines.push_back(Json::parse(line));
    return lines;
  }
  // How many calls the lines for n items tell of.
  static u64 calls_of(u64 n) {
    u64 calls = 0;
    for (const Json& line : lines())
      if (line.at("n") == n) calls += line.at("calls").get<u64>();
    return calls;
  }

  static void scan(u64 n, std::uintptr_t input = 0x1000000, const runtime::ScanOptions<int>& options = {}) {
    runtime::scan(static_cast<const int*>(address(input)), static_cast<int*>(address(0x9000000)), n, options);
  }

  // Waits for a child that ends as a program does, by exit().
  template <class Body>
  static void in_child(const Body& body) {
    const pid_t child = start_child(body);
    wait_for(child);
  }
  template <class Body>
  static pid_t start_child(const Body& body) {
    std::fflush(nullptr);  // else it would print again what waits to be printed
    const pid_t child = fork();
    if (child != 0) return child;
    body();
    std::exit(0);
  }
  // Ends a child that hangs.
  static void end_in(unsigned seconds) { alarm(seconds); }
  static void wait_for(pid_t child) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

 protected:
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
};

TEST_F(Recording, CountsTheCallsOfAProblemByScanAndByPlansOnOneLine) {
  const auto plan = runtime::plan<int>(1 << 20);
  for (int call = 0; call < 3; ++call)
    plan(static_cast<const int*>(address(0x1000000)), static_cast<int*>(address(0x9000000)));
  scan(1 << 20);
  scan(1 << 20);
  scan(77);
  runtime::record_flush();
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(calls_of(1 << 20), 5u);
  EXPECT_EQ(calls_of(77), 1u);
}

TEST_F(Recording, NamesTheProblemAsRecordsDoAndWhatServesIt) {
  scan(1 << 20);
  runtime::record_flush();
  ASSERT_EQ(lines().size(), 1u);
  const Json line = lines()[0];
  EXPECT_EQ(line.at("arch"), "sm_90");
  EXPECT_EQ(line.at("device_name"), "NVIDIA H200");
  EXPECT_EQ(line.at("sm_count"), 132);
  EXPECT_EQ(line.at("algorithm"), "scan");
  EXPECT_EQ(line.at("request").dump(), R"({"accumulator_type":"i32","input_type":"i32","output_type":"i32"})");
  EXPECT_EQ(line.at("shape"), "");
  const std::string description = runtime::describe<int>(1 << 20);
  EXPECT_TRUE(contains(description, line.at("reason").get<std::string>())) << line;
  EXPECT_TRUE(contains(description, line.at("origin").get<std::string>())) << line;
  EXPECT_TRUE(contains(description, line.at("family").get<std::string>())) << line;
  EXPECT_TRUE(line.at("config").is_object());
}

TEST_F(Recording, NamesExtentsByTheirNumbersBesideTheirClasses) {
  runtime::scan(static_cast<const int*>(address(0x1000000)), static_cast<int*>(address(0x9000000)), 1000 * 200,
                {.segments = runtime::Segments::rows(1000, 200)});
  runtime::record_flush();
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0].at("extents").at("row_items"), 200);
  EXPECT_EQ(lines()[0].at("shape").at("row_items"), 7.5);
}

TEST_F(Recording, SaysWhichRecordServed) {
  SQLite::Database database = create(file_);
  const RecordRow row = row_with("lookback", 1 << 20, "block_threads", 64);
  insert(database, row);
  setenv("SCANTUNE_DB", file_.c_str(), 1);
  runtime::reload();
  scan((1 << 20) - 5);
  setenv("SCANTUNE_DB", "/dev/null/none.db", 1);
  runtime::reload();
  runtime::record_flush();
  ASSERT_EQ(lines().size(), 1u);
  const Json line = lines()[0];
  EXPECT_EQ(line.at("origin"), "between_n");
  EXPECT_EQ(line.at("config").at("block_threads"), 64);
  EXPECT_EQ(line.at("record").at("n"), 1 << 20);
  EXPECT_EQ(line.at("record").at("median_us"), row.median_us);
  EXPECT_EQ(line.at("record").at("layer"), "user");
}

TEST_F(Recording, WritesWhatWasCalledSinceTheLastTimeAndNothingForNoCalls) {
  scan(100);
  scan(100);
  runtime::record_flush();
  scan(100);
  runtime::record_flush();
  runtime::record_flush();
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[0].at("calls"), 2);
  EXPECT_EQ(lines()[1].at("calls"), 1);
}

TEST_F(Recording, SaysTheLeastAlignmentOfTheArrays) {
  scan(100);
  runtime::record_flush();
  scan(100, 0x1000008);
  scan(100, 0x1000004);
  scan(100);
  runtime::record_flush();
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[0].at("alignment"), 256);
  EXPECT_EQ(lines()[1].at("alignment"), 4);
}

TEST_F(Recording, HoldsDigestsOfSourcesAndNoSource) {
  const std::string source = "__device__ Value combine(Value a, Value b) { return a + b; } // secret";
  const auto op = runtime::Op::custom(source, 0, {.name = "affine"});
  scan(100, 0x1000000, {.op = op});
  runtime::record_flush();
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0].at("sources").at("function"), Sha256().add(source).hex());
  EXPECT_EQ(lines()[0].at("request").at("op"), "custom_moderate:affine");
  EXPECT_FALSE(contains(lines()[0].dump(), "secret"));
}

TEST_F(Recording, CountsNoCallThatIsRefused) {
  scan(100);
  runtime::record_flush();
  EXPECT_NE(message_of<RequestError>([] { scan(100, 0x1000001); }), "");
  const auto plan = runtime::plan<int>(100);
  EXPECT_NE(message_of<RequestError>([&] { plan(nullptr, static_cast<int*>(address(0x9000000))); }), "");

  const Stream stream = device_->make_stream();
  const runtime::ScanOptions<int> not_captured{.stream = stream, .captured_launches = 0};
  scan(1 << 20, 0x1000000, not_captured);
  device_->begin_capture(stream, 1);
  EXPECT_TRUE(contains(message_of<RequestError>([&] { scan(1 << 20, 0x1000000, not_captured); }), "being captured"));
  device_->end_capture(stream);
  runtime::record_flush();
  EXPECT_EQ(calls_of(100), 1u);
  EXPECT_EQ(calls_of(1 << 20), 1u);
}

TEST_F(Recording, CountsEveryCallOfManyThreadsWithItsAlignment) {
  std::atomic<int> running = 2;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&] {
      for (int call = 0; call < 5'000; ++call) scan(100, 0x1000004);
      --running;
    });
  while (running > 0) runtime::record_flush();
  runtime::record_flush();
  EXPECT_EQ(calls_of(100), 10'000u);
  for (const Json& line : lines()) ASSERT_EQ(line.at("alignment"), 4);
}

TEST_F(Recording, CountsTenThousandProblemsAndSaysThatThereAreMore) {
  ::testing::internal::CaptureStderr();
  in_child([] {
    unsetenv("SCANTUNE_LOG");
    for (u64 n = 1; n <= 10'050; ++n) scan(n);
  });
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_LE(lines().size(), 10'000u);
  EXPECT_GT(lines().size(), 9'900u) << "other tests have counted some";
  EXPECT_TRUE(contains(printed, "scantune: SCANTUNE_RECORD: the program has called 10000 problems")) << printed;
}

TEST_F(Recording, WritesAtTheEndOfTheProcess) {
  in_child([] { scan(100); });
  EXPECT_EQ(calls_of(100), 1u);
}

// A child's thread is its own: that of its parent has begun long before. Another child's log ends it on that thread.
TEST_F(Recording, IsWrittenEveryTenSecondsAlsoInAForkedChild) {
  const pid_t ended_by_log = start_child([] {
    static const runtime::Log log([](std::string_view) { std::exit(0); });
    signal(SIGXFSZ, SIG_IGN);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    scan(300);
    std::this_thread::sleep_for(std::chrono::seconds(30));
    std::_Exit(3);
  });
  scan(100);
  const pid_t child = start_child([] {
    scan(200);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while ((calls_of(100) == 0 || calls_of(200) == 0) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(calls_of(100), 1u);
  EXPECT_EQ(calls_of(200), 1u);
  wait_for(ended_by_log);
}

TEST_F(Recording, EndsWithARemarkWhereTheFileCannotBeWritten) {
  ::testing::internal::CaptureStderr();
  in_child([] {
    unsetenv("SCANTUNE_LOG");
    scan(100);
    fs::remove_all(folder());
  });
  const std::string printed = ::testing::internal::GetCapturedStderr();
  fs::create_directory(folder());
  EXPECT_TRUE(contains(printed, "scantune: SCANTUNE_RECORD is " + file().string() + ", which cannot be written"))
      << printed;
}

TEST_F(Recording, OfAForkedChildHasNoneOfItsParentsCalls) {
  scan(100);
  scan(100);
  in_child([] { scan(100); });
  EXPECT_EQ(calls_of(100), 1u);
  runtime::record_flush();
  EXPECT_EQ(calls_of(100), 3u);
}

TEST_F(Recording, OfAForkedChildGoesOnWhileItsParentWrites) {
  std::atomic<bool> done = false;
  std::thread writer([&] {
    while (!done) runtime::record_flush();
  });
  for (int child = 0; child < 50; ++child) {
    scan(100);
    in_child([] { scan(200); });
  }
  done = true;
  writer.join();
  runtime::record_flush();
  EXPECT_EQ(calls_of(100), 50u);
  EXPECT_EQ(calls_of(200), 50u);
}

TEST_F(Recording, OfAForkedChildEndsThoughALogOfItsParentIsRunning) {
  std::promise<void> begun, released;
  const runtime::Log log([&](std::string_view) {
    begun.set_value();
    released.get_future().wait();
  });
  std::jthread logging([] { log_once("a remark of another thread"); });
  begun.get_future().wait();
  in_child([] {
    end_in(30);
    scan(100);
  });
  released.set_value();
  EXPECT_EQ(calls_of(100), 1u);
}

TEST_F(Recording, OfAProcessFollowsALineThatAnotherOneDidNotFinish) {
  std::ofstream(file()) << "{\"arch\":";
  scan(100);
  runtime::record_flush();
  std::ifstream stream(file());
  std::string unfinished, line;
  std::getline(stream, unfinished);
  EXPECT_EQ(unfinished, "{\"arch\":");
  std::getline(stream, line);
  EXPECT_EQ(Json::parse(line).at("calls"), 1);
}

TEST_F(Recording, SaysWhyThereIsNoneWhereItsFolderIsGone) {
  if (std::getenv("FOLDER_IS_GONE") != nullptr) return scan(100);
  const std::string command = "env -u SCANTUNE_LOG FOLDER_IS_GONE=1 " + fs::read_symlink("/proc/self/exe").string() +
                              " --gtest_filter=Recording.SaysWhyThereIsNoneWhereItsFolderIsGone 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::string printed;
  for (int c; (c = std::fgetc(pipe)) != EOF;) printed += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << printed;
  EXPECT_TRUE(contains(printed,
                       "scantune: SCANTUNE_RECORD is calls.jsonl, and calls are not counted (no current "
                       "folder: No such file or directory)"))
      << printed;
}

TEST_F(Recording, OfSeveralProcessesIsOneFileOfWholeLines) {
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child)
    children.push_back(start_child([] {
      for (int call = 0; call < 200; ++call) {
        scan(100);
        runtime::record_flush();
      }
    }));
  for (const pid_t child : children) wait_for(child);
  EXPECT_EQ(lines().size(), 600u);
  EXPECT_EQ(calls_of(100), 600u);
}

TEST_F(Recording, GoesOnWhereTheFileCannotBeWrittenAndKeepsWhatItCounted) {
  fs::remove_all(folder());
  scan(100);
  const std::string message = message_of<RequestError>([] { runtime::record_flush(); });
  EXPECT_EQ(message, "SCANTUNE_RECORD is " + file().string() +
                         ", which cannot be written (No such file or directory): name a file in a folder that exists "
                         "and has room");
  scan(100);
  fs::create_directory(folder());
  runtime::record_flush();
  EXPECT_EQ(calls_of(100), 2u);
  EXPECT_EQ(lines().at(0).at("alignment"), 256);
}

TEST_F(Recording, WaitsForNobodyWhoOpensAFifo) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  scan(100);
  EXPECT_TRUE(contains(message_of<RequestError>([] { runtime::record_flush(); }), "which cannot be written"));
  fs::remove(file());
  runtime::record_flush();
}

}  // namespace
}  // namespace scantune::testing
