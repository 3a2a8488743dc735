// Records that are saved while a program runs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api_current_device.h"
#include "scantune/runtime.hpp"
#include "select_database_file.h"

namespace scantune::testing {
namespace {

constexpr u64 kReloadedItems = u64{1} << 20;

class Reload : public DatabaseFile {
 protected:
  void SetUp() override {
    DatabaseFile::SetUp();
    set_current_device(device_);
    setenv("SCANTUNE_DB", file_.c_str(), 1);
  }
  void TearDown() override {
    setenv("SCANTUNE_DB", "/dev/null/none.db", 1);
    runtime::reload();
    DatabaseFile::TearDown();
  }

  int threads_of_a_scan(u64 n = kReloadedItems) {
    runtime::scan(static_cast<const int*>(address(0x1000000)), static_cast<int*>(address(0x9000000)), n);
    return device_->launched.back().launch.block_threads;
  }

  // Backdates the database. What was written just now is read again in any case.
  void age() const {
    const auto an_hour_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    for (const char* suffix : {"", "-wal"})
      if (std::filesystem::exists(file_.string() + suffix))
        std::filesystem::last_write_time(file_.string() + suffix, an_hour_ago);
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
};

TEST_F(Reload, MakesCallsAndLaterPlansUseTheRecordsThatWereSavedSince) {
  SQLite::Database database = create(file_);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  runtime::reload();
  EXPECT_EQ(threads_of_a_scan(), 64);
  const auto before = runtime::plan<int>(kReloadedItems);
  database.exec("DELETE FROM record");
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 512));
  EXPECT_EQ(threads_of_a_scan(), 64) << "nothing was reloaded";

  runtime::reload();
  EXPECT_EQ(threads_of_a_scan(), 512);
  EXPECT_TRUE(contains(runtime::plan<int>(kReloadedItems).describe(), "block_threads=512"));
  EXPECT_TRUE(contains(before.describe(), "block_threads=64")) << "a plan keeps its config";
}

// The plan of before, and those that scan() remembers, keep their configs.
TEST_F(Reload, IsNotNeededForPlansThatAreMadeAfterARecordWasSaved) {
  SQLite::Database database = create(file_);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  age();
  runtime::reload();
  ASSERT_EQ(threads_of_a_scan(), 64);
  const auto before = runtime::plan<int>(kReloadedItems);
  database.exec("DELETE FROM record");
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 512));

  EXPECT_TRUE(contains(runtime::plan<int>(kReloadedItems).describe(), "block_threads=512"));
  EXPECT_TRUE(contains(before.describe(), "block_threads=64"));
  EXPECT_EQ(threads_of_a_scan(), 64) << "the problem is known to the thread";
  EXPECT_EQ(threads_of_a_scan(kReloadedItems - 1), 512) << "this one is not";
  std::jthread([&] { EXPECT_EQ(threads_of_a_scan(), 512) << "nor is the first one to another thread"; }).join();
}

TEST_F(Reload, IsNotNeededForRecordsThatAreInALog) {
  SQLite::Database database = create(file_);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  runtime::reload();
  for (const int threads : {128, 256, 512}) {
    age();
    runtime::reload();
    ASSERT_FALSE(contains(runtime::describe<int>(kReloadedItems), "block_threads=" + std::to_string(threads)));
    database.exec("UPDATE record SET config = json_set(config, '$.block_threads', " + std::to_string(threads) + ")");
    EXPECT_TRUE(contains(runtime::describe<int>(kReloadedItems), "block_threads=" + std::to_string(threads)));
  }
}

TEST_F(Reload, IsNotNeededForADatabaseThatIsMadeOrRemoved) {
  runtime::reload();
  ASSERT_FALSE(contains(runtime::describe<int>(kReloadedItems), file_.string()));
  {
    SQLite::Database database = create(file_);
    insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  }
  age();
  EXPECT_TRUE(contains(runtime::describe<int>(kReloadedItems), "block_threads=64"));
  runtime::reload();
  std::filesystem::remove(file_);
  EXPECT_FALSE(contains(runtime::describe<int>(kReloadedItems), file_.string()));
}

TEST_F(Reload, AloneReadsAgainWhereNoFileHasChanged) {
  {
    SQLite::Database database = create(file_);
    insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  }
  age();
  runtime::reload();
  const auto written = std::filesystem::last_write_time(file_);
  std::fstream(file_, std::ios::in | std::ios::out | std::ios::binary) << "not a database";
  std::filesystem::last_write_time(file_, written);
  std::vector<std::string> remarks;
  const runtime::Log log([&](std::string_view remark) { remarks.emplace_back(remark); });
  EXPECT_TRUE(contains(runtime::describe<int>(kReloadedItems), "block_threads=64"));
  EXPECT_TRUE(remarks.empty()) << remarks.front();
  runtime::reload();
  EXPECT_EQ(remarks.size(), 1u);
}

TEST_F(Reload, AlonePassesOverADatabaseThatWasReadable) {
  SQLite::Database database = create(file_);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  runtime::reload();
  std::filesystem::resize_file(file_, 100);
  EXPECT_TRUE(contains(runtime::describe<int>(kReloadedItems), "block_threads=64")) << "somebody may be writing it";
  runtime::reload();
  EXPECT_FALSE(contains(runtime::describe<int>(kReloadedItems), "block_threads=64"));
}

// The first of the databases is the user's, the other the project's.
TEST_F(Reload, IsNotNeededForADatabaseBesideOneThatCannotBeReadAnyMore) {
  const std::filesystem::path other = file_.string() + "-other.db";
  SQLite::Database database = create(file_);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  {
    SQLite::Database broken = create(other);
    insert(broken, row_with("lookback", 4 * kReloadedItems, "block_threads", 128));
  }
  setenv("SCANTUNE_DB_PATH", other.c_str(), 1);
  runtime::reload();
  std::filesystem::resize_file(other, 100);
  database.exec("UPDATE record SET config = json_set(config, '$.block_threads', 512)");

  std::vector<std::string> remarks;
  const runtime::Log log([&](std::string_view remark) { remarks.emplace_back(remark); });
  EXPECT_TRUE(contains(runtime::describe<int>(kReloadedItems), "block_threads=512"));
  EXPECT_TRUE(contains(runtime::describe<int>(4 * kReloadedItems), "block_threads=128"));
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_TRUE(contains(remarks[0], "tuning database " + other.string() + ": ")) << remarks[0];
  EXPECT_TRUE(contains(remarks[0], ". Going on with its records of before.")) << remarks[0];

  runtime::reload();
  EXPECT_FALSE(contains(runtime::describe<int>(4 * kReloadedItems), "block_threads=128"));
  unsetenv("SCANTUNE_DB_PATH");
  std::filesystem::remove(other);
}

TEST_F(Reload, AloneReadsAgainWithinTwoSeconds) {
  SQLite::Database database = create(file_);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  runtime::reload();
  const auto save = [&](int threads) {
    database.exec("UPDATE record SET config = json_set(config, '$.block_threads', " + std::to_string(threads) + ")");
  };
  const auto uses = [](int threads) {
    return contains(runtime::describe<int>(kReloadedItems), "block_threads=" + std::to_string(threads));
  };
  save(128);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(uses(128));
  save(256);
  const bool is_used_at_once = uses(256);
  EXPECT_TRUE(!is_used_at_once || std::chrono::steady_clock::now() - begin > std::chrono::seconds(2));
  while (!uses(256) && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(uses(256));
  save(512);
  runtime::reload();
  EXPECT_TRUE(uses(512));
}

TEST_F(Reload, MayRunWhileThreadsScanAndMakePlansAndATunerSaves) {
  SQLite::Database database = create(file_);
  database.exec("PRAGMA journal_mode = WAL");  // as the tuner writes it
  database.setBusyTimeout(10'000);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  runtime::reload();
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&, thread] {
      for (u64 round = 0; round < 40; ++round) {
        const std::string described = runtime::describe<int>(kReloadedItems - round % 3);
        EXPECT_TRUE(contains(described, "block_threads=64") || contains(described, "block_threads=512")) << described;
        runtime::scan(static_cast<const int*>(address(0x1000000)), static_cast<int*>(address(0x9000000)),
                      kReloadedItems - round % 3);
        if (thread == 0) runtime::reload();
      }
    });
  for (int round = 0; round < 20; ++round) {
    const int block_threads = round % 2 == 0 ? 512 : 64;
    database.exec("UPDATE record SET config = json_set(config, '$.block_threads', " + std::to_string(block_threads) +
                  ")");
    runtime::reload();
    const std::string described = runtime::describe<int>(kReloadedItems);
    EXPECT_TRUE(contains(described, "block_threads=" + std::to_string(block_threads)))
        << "round " << round << ": " << described;
  }
}

TEST_F(Reload, MakesTheNextCallOfAProblemOneThatCannotBeCaptured) {
  runtime::reload();
  threads_of_a_scan();
  const Stream stream = device_->make_stream();
  const auto scan = [&] {
    runtime::scan(static_cast<const int*>(address(0x1000000)), static_cast<int*>(address(0x9000000)), kReloadedItems,
                  {.stream = stream});
  };
  scan();
  runtime::reload();
  device_->begin_capture(stream, 1);
  EXPECT_TRUE(contains(message_of<RequestError>(scan), "the stream is being captured, and a first call"));
  device_->end_capture(stream);
  scan();
  device_->begin_capture(stream, 1);
  EXPECT_EQ(message_of<RequestError>(scan), "");
  device_->end_capture(stream);
  device_->destroy_graph(1);
}

TEST_F(Reload, LeavesOutADatabaseThatCannotBeReadAnyMore) {
  SQLite::Database database = create(file_);
  insert(database, row_with("lookback", kReloadedItems, "block_threads", 64));
  runtime::reload();
  ASSERT_EQ(threads_of_a_scan(), 64);
  std::filesystem::resize_file(file_, 100);
  runtime::reload();
  EXPECT_FALSE(contains(runtime::describe<int>(kReloadedItems), file_.string()));
}

}  // namespace
}  // namespace scantune::testing
