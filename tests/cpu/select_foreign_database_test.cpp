// Databases of a stranger, made to fill the memory, to take for ever, or to run something. Each is read or refused in a
// process of its own, whose time and memory are measured.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <string>

#include "measured_child.h"
#include "select/database.h"
#include "select/hardened_database.h"
#include "select/layers.h"
#include "select/records_in_use.h"
#include "select_database_file.h"
#include "worker/session.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;
using testing::row_of;
using testing::taken_by;

constexpr double kMostSeconds = 1;
constexpr long kMostMib = 100;

class ForeignDatabase : public testing::DatabaseFile {
 protected:
  // Creates one good record and `others` more of the same device and problem.
  void create_with_records(int others) {
    auto database = create(file_);
    insert(database, row_of("lookback", 65536));
    database.exec(
        "WITH RECURSIVE k(n) AS (SELECT 100000 UNION ALL SELECT n + 1 FROM k LIMIT " + std::to_string(others) +
        ") INSERT INTO record SELECT 1, 1, k.n, family, config, 1, median_us, spread, default_us, ceiling_us, "
        "finished_at, 0, k.n, '[]' FROM record, k WHERE record.n = 65536");
  }
  void alter(const std::string& sql) { SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec(sql); }
  // Puts into the schema what no statement would, as a writer of the file's bytes can.
  void forge(const std::string& table, const std::string& sql) {
    alter("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = " + sql + " WHERE name = '" + table + "'");
  }

  // Makes a file of 3.4 MB. The reader read the name of the device again for every record.
  void amplify() {
    create_with_records(5000);
    alter("UPDATE device SET name = hex(zeroblob(500000))");
  }
  // Makes a file of some KB. The reader evaluated a function for seconds for every record.
  void slow_down() {
    create_with_records(22);
    forge("device",
          "'CREATE TABLE device (id INTEGER PRIMARY KEY, arch TEXT, stored TEXT, sm_count INTEGER, name TEXT AS (instr("
          "replace(hex(zeroblob(500000)), ''0'', substr(arch, 2, 1)), replace(hex(zeroblob(250000)), ''0'', "
          "substr(arch, 2, 1)) || ''b'')), UNIQUE (arch, stored, sm_count))'");
  }

  // The result of loading it: the numbers of records and of refused rows, or why it is left out.
  std::string loaded(double most_seconds = kMostSeconds) {
    const auto taken = taken_by([this] {
      const TuningTable table(read_records(file_, Layer::user));
      return std::to_string(table.records().size()) + " records, " + std::to_string(table.rejected_count()) +
             " refused";
    });
    EXPECT_LT(taken.cpu_seconds, most_seconds) << taken.text;
    EXPECT_LT(taken.peak_mib, kMostMib) << taken.text;
    return taken.text;
  }
};

// Reading it took 41 s and 4.9 GB.
TEST_F(ForeignDatabase, WithADeviceNameOfAMegabyteIsRefusedAtOnce) {
  amplify();
  EXPECT_TRUE(contains(loaded(), "a value or a statement that is longer")) << loaded();
}

TEST_F(ForeignDatabase, WithLongNamesForManyRecordsTakesNoMoreThanItsFile) {
  create_with_records(99'999);
  alter("UPDATE device SET name = hex(zeroblob(30000))");
  for (const char* column : {"algorithm", "request", "shape"})
    alter(std::string("UPDATE problem SET ") + column + " = hex(zeroblob(30000))");
  EXPECT_EQ(loaded(4 * kMostSeconds), "0 records, 100000 refused");  // 0.6 s, and 1.4 s beside other tests
}

TEST_F(ForeignDatabase, ListsTheFirstOfVeryManyRefusedRowsAndCountsTheOthers) {
  create_with_records(2999);
  alter("UPDATE device SET name = hex(zeroblob(1000))");
  const TuningTable table(read_records(file_, Layer::user));
  EXPECT_EQ(table.rejected().size(), 1000u);
  EXPECT_EQ(table.rejected_count(), 3000u);
  EXPECT_TRUE(contains(table.rejected().back().reason, "longer than 256 bytes")) << table.rejected().back().reason;
}

TEST_F(ForeignDatabase, WithMoreTextThanAnyTunerStoresIsRefused) {
  create_with_records(1100);
  alter("UPDATE record SET config = hex(zeroblob(32000))");
  EXPECT_TRUE(contains(loaded(), "more than 64 MiB of text")) << loaded();
}

// Reading 22 records took more than 120 s, and 2 records took 26 s.
TEST_F(ForeignDatabase, WithAGeneratedColumnThatCallsAFunctionIsRefusedBeforeItIsEvaluated) {
  slow_down();
  EXPECT_TRUE(contains(loaded(), "its schema calls a function")) << loaded();
}

// SQLite reads that table while it loads the schema, before the first statement: one row took 6 s.
TEST_F(ForeignDatabase, WithAGeneratedColumnInSqlitesOwnStatisticsIsRefusedBeforeItIsEvaluated) {
  create_with_records(22);
  alter("ANALYZE");
  forge("sqlite_stat1",
        "'CREATE TABLE sqlite_stat1(tbl, idx, stat AS (instr(replace(hex(zeroblob(500000)), ''0'', ''a''), "
        "replace(hex(zeroblob(250000)), ''0'', ''a'') || ''b'')))'");
  EXPECT_TRUE(contains(loaded(), "its schema calls a function")) << loaded();
}

struct Addition {
  const char* kind;
  const char* sql;
};

class ForeignSchema : public ForeignDatabase, public ::testing::WithParamInterface<Addition> {};

TEST_P(ForeignSchema, IsRefusedForWhatScantuneDoesNotMake) {
  create_with_records(22);
  alter(GetParam().sql);
  EXPECT_TRUE(contains(loaded(), std::string("its schema has a ") + GetParam().kind)) << loaded();
}

INSTANTIATE_TEST_SUITE_P(
    Additions, ForeignSchema,
    ::testing::Values(
        Addition{"view, extra,", "CREATE VIEW extra AS SELECT * FROM record"},
        Addition{"view, breakpoint,", "DROP TABLE breakpoint; CREATE VIEW breakpoint AS SELECT 1 AS device_id"},
        Addition{"trigger, extra,", "CREATE TRIGGER extra AFTER INSERT ON trial BEGIN DELETE FROM record; END"},
        Addition{"table, extra,", "CREATE TABLE extra (n)"}, Addition{"table, sqlite_stat1,", "ANALYZE"},
        Addition{"index, extra,", "CREATE INDEX extra ON record (n + 1)"},
        Addition{"index, extra,", "CREATE INDEX extra ON record (n) WHERE n > 1"},
        Addition{"generated column, device.extra,", "ALTER TABLE device ADD COLUMN extra AS (id || arch)"},
        Addition{"default of column, device.extra,", "ALTER TABLE device ADD COLUMN extra DEFAULT 'x'"},
        Addition{"constraint of table, record,",
                 "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'median_us > 0', "
                 "'median_us > -1') WHERE name = 'record'"},
        // Its row has a root page, as that of a table has.
        Addition{"virtual table, breakpoint,",
                 "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE breakpoint USING "
                 "fts5(n)' WHERE name = 'breakpoint'"},
        // SQLite does not check that the columns are there until it reads them.
        Addition{"table, problem,",
                 "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'TABLE problem', 'TABLE "
                 "[problem]') WHERE name = 'problem'"}));

TEST_F(ForeignDatabase, WithASchemaOfManyTablesIsRefusedBeforeItFillsTheMemory) {
  create_with_records(22);
  alter(
      "PRAGMA writable_schema = ON; WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k LIMIT 100000) "
      "INSERT "
      "INTO sqlite_master SELECT 'table', 'e' || k.n, 'e' || k.n, 2, 'CREATE TABLE e' || k.n || ' (n)' FROM k");
  EXPECT_TRUE(contains(loaded(0.3), "far longer than its records explain")) << loaded();
}

TEST_F(ForeignDatabase, OfANewerVersionIsRefusedForThatAndNotForItsSchema) {
  create_with_records(1);
  alter("CREATE VIEW extra AS SELECT abs(n) FROM record; PRAGMA user_version = 99");
  EXPECT_TRUE(contains(loaded(), "schema version 99")) << loaded();
}

TEST_F(ForeignDatabase, LeavesOutTheRowWhoseTextIsNotUtf8AndServesTheOthers) {
  create_with_records(3);
  alter("UPDATE record SET config = CAST(x'7bff7d' AS TEXT) WHERE n = 65536");
  EXPECT_EQ(loaded(), "3 records, 1 refused");
}

TEST_F(ForeignDatabase, LeavesOutRecordsWithoutADeviceAProblemOrARunAndSaysSo) {
  create_with_records(6);
  alter(
      "PRAGMA foreign_keys = OFF; UPDATE record SET device_id = 9 WHERE n = 65536;"
      "UPDATE record SET problem_id = 9 WHERE n = 100000; UPDATE record SET run_id = 9 WHERE n = 100001;"
      "UPDATE record SET run_id = 'one' WHERE n = 100002");
  EXPECT_EQ(loaded(), "3 records, 4 refused");
  const CheckedRows rows = read_records(file_, Layer::user);
  std::multiset<std::string> reasons;
  for (const RejectedRow& row : rows.rejected) reasons.insert(row.reason);
  EXPECT_EQ(reasons, (std::multiset<std::string>{"its device is not in the file", "its problem is not in the file",
                                                 "its run is not in the file", "its run is not in the file"}));
  EXPECT_TRUE(contains(rows.rejected.front().row, " items in " + file_.string())) << rows.rejected.front().row;
}

// A file in which two pointers of a table's root lead to one page. A mere read of the table reads that page twice.
class DamagedDatabase : public ForeignDatabase {
 protected:
  void SetUp() override {
    ForeignDatabase::SetUp();
    damage();
    chmod(file_.c_str(), 0644);
  }

 private:
  void damage();
};

void DamagedDatabase::damage() {
  create_with_records(2000);
  std::streamoff root = 0;
  {
    SQLite::Database database(file_.string(), SQLite::OPEN_READONLY);
    root = (database.execAndGet("SELECT rootpage FROM sqlite_master WHERE name = 'record'").getInt64() - 1) * 4096;
  }
  std::fstream stream(file_, std::ios::in | std::ios::out | std::ios::binary);
  unsigned char cell[2];
  char first_child[4];
  stream.seekg(root + 12).read(reinterpret_cast<char*>(cell), 2);
  stream.seekg(root + cell[0] * 256 + cell[1]).read(first_child, 4);
  stream.seekp(root + 8).write(first_child, 4);  // overwrites the pointer to the last child
}

TEST_F(DamagedDatabase, ThatOthersMayWriteIsCheckedPageByPage) {
  EXPECT_TRUE(contains(loaded(), "records, 0 refused")) << loaded();
  chmod(file_.c_str(), 0664);
  EXPECT_TRUE(contains(loaded(), "it is damaged")) << loaded();
}

// Where others may make files, one of them may have put a log beside the database.
TEST_F(DamagedDatabase, BesideALogThatOthersMayWriteIsCheckedPageByPage) {
  for (const char* suffix : {"-wal", "-journal"}) {
    const fs::path beside = file_.string() + suffix;
    std::ofstream(beside).close();
    chmod(beside.c_str(), 0644);
    EXPECT_TRUE(contains(loaded(), "records, 0 refused")) << loaded();
    std::ofstream(beside).close();
    chmod(beside.c_str(), 0666);
    EXPECT_TRUE(contains(loaded(), "it is damaged")) << loaded();
    fs::remove(beside);
  }
}

// The check of pages cannot be interrupted, so its size is limited instead of its time.
TEST_F(ForeignDatabase, ThatOthersMayWriteAndIsTooLargeForTheCheckIsRefused) {
  create_with_records(1);
  const fs::path log = file_.string() + "-wal";
  std::ofstream(log).close();
  for (const fs::path& large : {file_, log}) {
    const auto bytes = fs::file_size(large);
    fs::resize_file(large, (std::uintmax_t{1} << 30) + 4096);
    chmod(file_.c_str(), 0666);
    EXPECT_TRUE(contains(loaded(), "more than the 1 GiB that are checked")) << loaded();
    fs::resize_file(large, bytes);
  }
  EXPECT_EQ(loaded(), "2 records, 0 refused");
}

TEST_F(ForeignDatabase, IsReadUntilOneDeadlineHoweverOftenItIsOpened) {
  create_with_records(22);
  HardenedDatabase database("file:" + file_.string(), HardenedDatabase::Clock::now());
  database.load_schema();
  auto endless =
      database.statement("WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k) SELECT max(n) FROM k");
  EXPECT_THROW(endless.executeStep(), SQLite::Exception);
}

TEST_F(ForeignDatabase, ThatOthersMayWriteIsReadAfterTheCheck) {
  create_with_records(3999);
  chmod(file_.c_str(), 0666);
  EXPECT_EQ(loaded(), "4000 records, 0 refused");
}

TEST_F(ForeignDatabase, OfVersion1ThatOthersMayWriteIsReadAfterTheCheck) {
  {
    auto database = create(file_, SCANTUNE_SCHEMA_VERSION_1);
    insert(database, row_of("lookback", 65536));
  }
  chmod(file_.c_str(), 0666);
  EXPECT_EQ(loaded(), "1 records, 0 refused");
}

TEST_F(ForeignDatabase, ThatIsAFifoIsRefused) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_TRUE(contains(loaded(), "it is not a file")) << loaded();
}

// The reader waited for ever for a writer.
TEST_F(ForeignDatabase, WithAFifoInPlaceOfAFileBesideItIsRefused) {
  create_with_records(1);
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    const fs::path beside = file_.string() + suffix;
    ASSERT_EQ(mkfifo(beside.c_str(), 0600), 0);
    EXPECT_TRUE(contains(loaded(), beside.string() + " is not a regular file")) << loaded();
    fs::remove(beside);
    fs::create_symlink("elsewhere", beside);
    EXPECT_TRUE(contains(loaded(), beside.string() + " is not a regular file")) << loaded();
    fs::remove(beside);
  }
}

TEST_F(ForeignDatabase, ThatIsALinkIsJudgedByTheFilesBesideItsTarget) {
  create_with_records(1);
  const fs::path target = file_;
  file_ = directory_ / "link.db";
  fs::create_symlink(target, file_);
  EXPECT_EQ(loaded(), "2 records, 0 refused");
  ASSERT_EQ(mkfifo((target.string() + "-journal").c_str(), 0600), 0);
  EXPECT_TRUE(contains(loaded(), "is not a regular file")) << loaded();
}

// Limits the memory to too little for the records, but enough for a message.
void limit_memory(std::size_t more_mib) {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  const rlimit limit{pages * 4096 + (more_mib << 20), RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

TEST_F(ForeignDatabase, ForWhichThereIsTooLittleMemoryIsNamed) {
  create_with_records(19'999);
  const auto taken = taken_by([this] {
    limit_memory(4);
    return message_of_reading();
  });
  EXPECT_TRUE(contains(taken.text, file_.string() + ": there is too little memory to read it")) << taken.text;
}

// A scan loads the databases first; it ended with SCANTUNE_INTERNAL_ERROR.
TEST_F(ForeignDatabase, ForWhichThereIsTooLittleMemoryIsLeftOutAndTheOthersServe) {
  create_with_records(19'999);
  setenv("SCANTUNE_DB", file_.c_str(), 1);
  const auto taken = taken_by([] {
    close(STDERR_FILENO);
    const std::size_t built_in = built_in_records().size();
    limit_memory(4);
    return records_in_use()->records().size() == built_in ? std::string("went on") : std::string("has other records");
  });
  unsetenv("SCANTUNE_DB");
  EXPECT_EQ(taken.text, "went on");
}

TEST_F(ForeignDatabase, IsLeftOutOfWhatScansUseAndTheOthersServe) {
  const fs::path amplified = file_;
  amplify();
  file_ = directory_ / "slow.db";
  slow_down();
  setenv("SCANTUNE_DB", amplified.c_str(), 1);
  setenv("SCANTUNE_DB_PATH", file_.c_str(), 1);
  const auto taken = taken_by([] {
    close(STDERR_FILENO);
    return records_in_use()->records().size() == built_in_records().size() ? "went on" : "has other records";
  });
  unsetenv("SCANTUNE_DB");
  unsetenv("SCANTUNE_DB_PATH");
  EXPECT_EQ(taken.text, "went on");
  EXPECT_LT(taken.cpu_seconds, kMostSeconds);
  EXPECT_LT(taken.peak_mib, kMostMib);
}

TEST_F(ForeignDatabase, IsRefusedByTheWorkersSelect) {
  amplify();
  const auto taken = taken_by([this] {
    Session session([] { return host_device(); });
    return session.respond(
        R"({"id":1,"method":"select","params":{"request":{"input_type":"i32","n":256},"databases":[")" +
        file_.string() + R"("]}})");
  });
  EXPECT_TRUE(contains(taken.text, "a value or a statement that is longer")) << taken.text;
  EXPECT_LT(taken.cpu_seconds, kMostSeconds);
  EXPECT_LT(taken.peak_mib, kMostMib);
}

}  // namespace
}  // namespace scantune
