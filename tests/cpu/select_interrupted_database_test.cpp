// Databases whose writer was killed in the middle of a change.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "select/database.h"
#include "select_database_file.h"

namespace scantune {
namespace {

using testing::row_of;

constexpr int kRecordsPerChange = 500;

class InterruptedDatabase : public testing::DatabaseFile {
 protected:
  // Makes a database with a rollback journal, as exports have, and so large that a change reaches the file before it is
  // committed.
  void SetUp() override {
    DatabaseFile::SetUp();
    auto database = create(file_);
    change(database, 1);
    database.exec("COMMIT");
  }

  // Begins to write many records, each n once, through a cache of a few pages.
  static void change(SQLite::Database& database, int first) {
    database.exec("PRAGMA cache_size = 5; BEGIN");
    for (int n = first; n < first + kRecordsPerChange; ++n) insert(database, row_of("lookback", n));
  }

  // Runs `write` in a process of its own, which is to be killed.
  template <class Write>
  pid_t started(const Write& write) {
    const pid_t child = fork();
    if (child != 0) return child;
    SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE, 1000);
    write(database);
    for (;;) pause();
  }
  static void kill_and_wait(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  bool has_journal() const { return std::filesystem::exists(file_.string() + "-journal"); }
  // Opens the database for writing, which repairs it.
  void repair() { SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).execAndGet("SELECT count(*) FROM record"); }
};

// The reader ignored the journal and said that the file was damaged.
TEST_F(InterruptedDatabase, WithAJournalSaysHowItIsRepairedAndThenHoldsTheStateBefore) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = started([&](SQLite::Database& database) {
    change(database, 100'000);
    [[maybe_unused]] const auto written = write(ends[1], "!", 1);
  });
  char sign;
  ASSERT_EQ(read(ends[0], &sign, 1), 1);
  kill_and_wait(child);
  ASSERT_TRUE(has_journal());
  EXPECT_TRUE(contains(message_of_reading(), "interrupted in the middle of a change; run scantune with it once"))
      << message_of_reading();
  EXPECT_TRUE(has_journal()) << "a reader changed the file";
  repair();
  EXPECT_EQ(read_records(file_, Layer::user).records.size(), static_cast<std::size_t>(kRecordsPerChange));
}

TEST_F(InterruptedDatabase, HoldsWholeChangesOrSaysHowItIsRepairedAfterTwentyKills) {
  std::mt19937 random(1);
  int first = 100'000, interrupted = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = started([&](SQLite::Database& database) {
      for (;; first += kRecordsPerChange) {
        change(database, first);
        database.exec("COMMIT");
      }
    });
    usleep(std::uniform_int_distribution<useconds_t>(1'000, 60'000)(random));
    kill_and_wait(child);
    const std::string message = message_of_reading();
    if (!message.empty()) {
      ASSERT_TRUE(contains(message, "run scantune with it once")) << message << " in round " << round;
      ++interrupted;
      repair();
    }
    const auto records = read_records(file_, Layer::user).records;
    EXPECT_EQ(records.size() % kRecordsPerChange, 0u) << "in round " << round;
    first = 100'000 + static_cast<int>(records.size());
  }
  EXPECT_GT(interrupted, 0) << "no kill met a change";
}

}  // namespace
}  // namespace scantune
