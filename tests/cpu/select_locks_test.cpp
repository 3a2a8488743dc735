// Databases on file systems that cannot lock, or that only claim to lock. A VFS of SQLite stands in for such locks, and
// a statfs() of this program for a network.
#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "select/database.h"
#include "select_database_file.h"
#include "support/file_system.h"

namespace {

std::atomic<long> file_system_type = 0;  // 0 stands for the real one

}  // namespace

// This takes the place of the C library's function in the whole program.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the system's begin with underscores.
extern "C" int statfs(const char* file, struct statfs* found) noexcept {
  const long result = syscall(SYS_statfs, file, found);
  if (result == 0 && file_system_type != 0) found->f_type = file_system_type;
  return static_cast<int>(result);
}

namespace scantune {
namespace {

namespace fs = std::filesystem;
using testing::row_of;

constexpr long kNfs = 0x6969, kExt4 = 0xEF53;

enum class Locks { work, fail, seem_busy, lie };
std::atomic<Locks> locks = Locks::work;
int (*really_lock)(sqlite3_file*, int) = nullptr;

int lock(sqlite3_file* file, int kind) {
  switch (locks.load()) {
    case Locks::fail:
      return SQLITE_IOERR_LOCK;
    case Locks::seem_busy:  // as SQLite reports ENOLCK
      return SQLITE_BUSY;
    case Locks::lie:
      return SQLITE_OK;
    case Locks::work:
      break;
  }
  return really_lock(file, kind);
}

int (*really_check)(sqlite3_file*, int*) = nullptr;
int check_reserved_lock(sqlite3_file* file, int* is_reserved) {
  if (locks != Locks::lie) return really_check(file, is_reserved);
  *is_reserved = 0;
  return SQLITE_OK;
}

sqlite3_io_methods methods;  // those of a real file, but for its locks

int open_with_such_locks(sqlite3_vfs* self, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* const unix_vfs = static_cast<sqlite3_vfs*>(self->pAppData);
  const int result = unix_vfs->xOpen(unix_vfs, name, file, flags, out_flags);
  if (result != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0 || locks == Locks::work) return result;
  methods = *file->pMethods;
  really_lock = methods.xLock;
  really_check = methods.xCheckReservedLock;
  methods.xLock = lock;
  methods.xCheckReservedLock = check_reserved_lock;
  file->pMethods = &methods;
  return result;
}

// Connections that name no VFS get such locks.
class Unlockable : public testing::DatabaseFile {
 protected:
  void SetUp() override {
    DatabaseFile::SetUp();
    unix_ = sqlite3_vfs_find("unix");
    vfs_ = *unix_;
    vfs_.zName = "unlockable";
    vfs_.pNext = nullptr;
    vfs_.pAppData = unix_;
    vfs_.xOpen = open_with_such_locks;
    ASSERT_EQ(sqlite3_vfs_register(&vfs_, 1), SQLITE_OK);
  }
  void TearDown() override {
    sqlite3_vfs_register(unix_, 1);
    sqlite3_vfs_unregister(&vfs_);
    locks = Locks::work;
    file_system_type = 0;
    DatabaseFile::TearDown();
  }

  static constexpr std::uintmax_t kRecords = 200;  // they fill several pages
  // Writes the records of one generation, whose number is their time.
  static void write_all(SQLite::Database& database, int generation) {
    database.exec("BEGIN");
    for (std::uintmax_t n = 1; n <= kRecords; ++n) {
      RecordRow row = row_of("lookback", static_cast<std::int64_t>(n));
      row.median_us = generation;
      insert(database, row);
    }
    database.exec("COMMIT");
  }

 private:
  sqlite3_vfs* unix_ = nullptr;
  sqlite3_vfs vfs_{};
};

TEST(FileSystem, OfANetworkIsKnownByItsType) {
  for (const long type : {kNfs, 0xFF534D42L, 0x65735546L, 0x0BD00BD0L}) {
    file_system_type = type;
    EXPECT_TRUE(is_on_network("/")) << type;
  }
  file_system_type = kExt4;
  EXPECT_FALSE(is_on_network("/"));
  file_system_type = 0;
  EXPECT_FALSE(is_on_network("/no/such/file"));
}

TEST_F(Unlockable, DatabaseThatNobodyChangesIsRead) {
  auto database = create(file_);
  write_all(database, 1);
  locks = Locks::fail;
  EXPECT_EQ(read_records(file_, Layer::user).records.size(), kRecords);
}

TEST_F(Unlockable, DatabaseOnANetworkWhoseLocksSeemBusyForEverIsRead) {
  auto database = create(file_);
  write_all(database, 1);
  locks = Locks::seem_busy;
  file_system_type = kExt4;
  EXPECT_TRUE(contains(message_of_reading(), "another process holds it locked")) << message_of_reading();
  file_system_type = kNfs;
  EXPECT_EQ(read_records(file_, Layer::user).records.size(), kRecords);
}

TEST_F(Unlockable, DatabaseThatIsBeingChangedIsRefusedAndSaysThatLocksFail) {
  auto database = create(file_);
  database.exec("PRAGMA journal_mode = WAL");
  write_all(database, 1);
  ASSERT_TRUE(fs::exists(file_.string() + "-wal"));
  locks = Locks::fail;
  EXPECT_TRUE(contains(message_of_reading(), "its file system cannot lock it")) << message_of_reading();
  EXPECT_TRUE(contains(message_of_reading(), "keep it on a local disk")) << message_of_reading();
}

TEST_F(Unlockable, DatabaseOnANetworkIsReadWithoutAFileBesideIt) {
  {
    auto database = create(file_);
    database.exec("PRAGMA journal_mode = WAL");
    write_all(database, 1);
  }
  file_system_type = kNfs;
  EXPECT_EQ(read_records(file_, Layer::user).records.size(), kRecords);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1) << "a reader has made an index of a log";
}

TEST_F(Unlockable, DatabaseOnANetworkIsReadWithTheLogOfAWriterOnThisMachine) {
  auto database = create(file_);
  database.exec("PRAGMA journal_mode = WAL");
  write_all(database, 1);
  file_system_type = kNfs;
  EXPECT_EQ(read_records(file_, Layer::user).records.size(), kRecords);
}

// Writes generations of all records, one after the other. Its locks exclude nobody else.
class Writer {
 public:
  explicit Writer(const fs::path& file, void (*write)(SQLite::Database&, int)) {
    thread_ = std::thread([this, file, write] {
      SQLite::Database database(file.string(), SQLite::OPEN_READWRITE, 1000, "unix");
      database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = 5");
      for (int generation = 2; !is_over_; ++generation) {
        write(database, generation);
        std::this_thread::sleep_for(std::chrono::milliseconds(generation % 8));
      }
    });
  }
  ~Writer() {
    is_over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

void replace_all(SQLite::Database& database, int generation) {
  SQLite::Statement statement(database, "UPDATE record SET median_us = ?1");
  statement.bind(1, generation);
  statement.exec();
}

TEST_F(Unlockable, DatabaseOnANetworkWhoseLocksLieIsReadInOneStateOrRefused) {
  {
    auto database = create(file_);
    write_all(database, 1);
  }
  file_system_type = kNfs;
  int read = 0;
  const Writer writer(file_, replace_all);
  locks = Locks::lie;
  for (int attempt = 0; attempt < 50; ++attempt) {
    try {
      std::set<double> generations;
      const auto rows = read_records(file_, Layer::user);
      for (const TuningRecord& record : rows.records) generations.insert(record.median_us);
      EXPECT_EQ(rows.records.size(), kRecords);
      EXPECT_EQ(generations.size(), 1u) << "half of one state and half of another";
      ++read;
    } catch (const DatabaseError& error) {
      EXPECT_TRUE(contains(error.what(), file_.string())) << error.what();
    }
  }
  EXPECT_GT(read, 0);
}

TEST_F(Unlockable, DatabaseWhoseLocksLieUnnoticedGivesLegalRecordsOrIsRefused) {
  {
    auto database = create(file_);
    write_all(database, 1);
  }
  file_system_type = kExt4;
  const Writer writer(file_, replace_all);
  locks = Locks::lie;
  for (int attempt = 0; attempt < 50; ++attempt) {
    try {
      for (const TuningRecord& record : read_records(file_, Layer::user).records)
        EXPECT_EQ(reject_reason(record.config, record.request, 90), nullptr);
    } catch (const DatabaseError& error) {
      EXPECT_TRUE(contains(error.what(), file_.string())) << error.what();
    }
  }
}

}  // namespace
}  // namespace scantune
