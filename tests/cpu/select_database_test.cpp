#include "select/database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "scantune/error.hpp"
#include "select/layers.h"
#include "select/selector.h"
#include "select_database_file.h"
#include "select_rows.h"

namespace scantune {
namespace {

namespace fs = std::filesystem;
using testing::DatabaseFile;
using testing::kH200;
using testing::row_of;
using testing::sum_of;
using testing::value_of;

TEST_F(DatabaseFile, GivesBackTheBreakpointAboveARecord) {
  auto database = create(file_);
  insert(database, row_of("lookback", 1024));
  insert(database, row_of("lookback", 2000));
  database.exec("INSERT INTO breakpoint VALUES (1, 1, 1024, 2000, 1800, '[]', 0.02, 1, '2025-01-02T03:04:05Z')");
  const auto rows = read_records(file_, Layer::user);
  ASSERT_EQ(rows.records.size(), 2u);
  for (const TuningRecord& record : rows.records) EXPECT_EQ(record.breakpoint.has_value(), record.request.n == 1024);
  const TuningTable table(rows);
  EXPECT_EQ(select(table, kH200, sum_of(1799)).record->request.n, 1024u);
  EXPECT_EQ(select(table, kH200, sum_of(1800)).record->request.n, 2000u);
}

TEST_F(DatabaseFile, GivesBackTheRangeOfARecord) {
  auto database = create(file_);
  RecordRow row = row_of("lookback", 1000);
  row.served_above = 10;
  row.served_up_to = 5000;
  insert(database, row);
  const TuningTable table(read_records(file_, Layer::user));
  for (const u64 n : {11, 1000, 5000})
    EXPECT_TRUE(contains(select(table, kH200, sum_of(n)).reason, "which serves 11 to 5000 items")) << n;
  for (const u64 n : {10, 5001}) EXPECT_EQ(select(table, kH200, sum_of(n)).origin, ConfigOrigin::untuned) << n;
}

// A record of before there were ranges serves its octave, up to its own n.
TEST_F(DatabaseFile, OfAnOlderVersionServesFromThePowerOfTwoBelowItsRecordsN) {
  const std::pair<const char*, int> kSchemas[] = {
      {SCANTUNE_SCHEMA_VERSION_1, 1}, {SCANTUNE_SCHEMA_VERSION_2, 2}, {SCANTUNE_SCHEMA_VERSION_3, 3}};
  const std::pair<std::int64_t, u64> kRecords[] = {
      // n, and more than what it serves
      {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 4}, {1 << 16, 1 << 15}, {(1 << 16) + 1, 1 << 16}, {1'000'000, 1 << 19}};
  for (const auto& [schema, version] : kSchemas) {
    const fs::path file = directory_ / ("version" + std::to_string(version) + ".db");
    auto database = create(file, schema);
    ASSERT_EQ(database.execAndGet("PRAGMA user_version").getInt(), version);
    for (const auto& [n, above] : kRecords) insert(database, row_of("lookback", n));
    const TuningTable table(read_records(file, Layer::user));
    ASSERT_EQ(table.records().size(), std::size(kRecords)) << version;
    for (std::size_t place = 0; place < std::size(kRecords); ++place) {
      EXPECT_EQ(table.records()[place].served_above, kRecords[place].second) << version;
      EXPECT_EQ(table.records()[place].served_up_to, static_cast<u64>(kRecords[place].first)) << version;
      EXPECT_EQ(octave_begin(kRecords[place].first), static_cast<std::int64_t>(kRecords[place].second));
    }
    EXPECT_EQ(select(table, kH200, sum_of(524'288)).origin, ConfigOrigin::untuned) << version;
    EXPECT_EQ(select(table, kH200, sum_of(524'289)).record->request.n, 1'000'000u) << version;
    EXPECT_EQ(select(table, kH200, sum_of(1'000'000)).origin, ConfigOrigin::exact_n) << version;
    EXPECT_EQ(select(table, kH200, sum_of(1'000'001)).origin, ConfigOrigin::untuned) << version;
  }
}

TEST_F(DatabaseFile, OfVersion3KeepsItsBreakpoints) {
  auto database = create(file_, SCANTUNE_SCHEMA_VERSION_3);
  insert(database, row_of("lookback", 1024));
  insert(database, row_of("lookback", 2000));
  database.exec("INSERT INTO breakpoint VALUES (1, 1, 1024, 2000, 1800, '[]', 0.02, 1, '2025-01-02T03:04:05Z')");
  const TuningTable table(read_records(file_, Layer::user));
  EXPECT_EQ(select(table, kH200, sum_of(1799)).record->request.n, 1024u);
  EXPECT_EQ(select(table, kH200, sum_of(1800)).record->request.n, 2000u);
}

// A stranger's file may hold anything, whatever its schema promises.
TEST_F(DatabaseFile, WithARangeThatIsNoneLosesTheRecord) {
  auto database = create(file_);
  database.exec("PRAGMA ignore_check_constraints = ON");
  insert(database, row_of("lookback", 65536));
  const auto reason_with = [&](const std::string& values) {
    database.exec("UPDATE record SET " + values);
    const auto rows = read_records(file_, Layer::user);
    EXPECT_TRUE(rows.records.empty()) << values;
    return rows.rejected.empty() ? "" : rows.rejected.front().reason;
  };
  for (const char* above : {"65536", "-1", "'none'", "'32768 items'", "x'00'", "0.5", "1e300", "9223372036854775807"}) {
    const std::string reason = reason_with("served_above = " + std::string(above) + ", served_up_to = 65536");
    EXPECT_TRUE(contains(reason, "its range, ")) << above << ": " << reason;
  }
  for (const char* up_to : {"65535", "0", "-1", "'many'", "x'00'", "1e300", "65536.5", "281474976710657"}) {
    const std::string reason = reason_with("served_above = 32768, served_up_to = " + std::string(up_to));
    EXPECT_TRUE(contains(reason, "its range, ")) << up_to << ": " << reason;
  }
  database.exec("UPDATE record SET served_above = 32768, served_up_to = 281474976710656");
  EXPECT_EQ(read_records(file_, Layer::user).records.size(), 1u);
}

TEST_F(DatabaseFile, WithoutRangesIsNoneOfThisVersion) {
  auto database = create(file_, SCANTUNE_SCHEMA_VERSION_3);
  insert(database, row_of("lookback", 65536));
  database.exec("PRAGMA user_version = 4");
  EXPECT_TRUE(contains(message_of_reading(), "it cannot be read")) << message_of_reading();
  for (const char* column : {"served_above", "served_up_to"})
    database.exec("ALTER TABLE record ADD COLUMN " + std::string(column) + " INTEGER");
  const auto rows = read_records(file_, Layer::user);
  EXPECT_TRUE(rows.records.empty());
  ASSERT_EQ(rows.rejected.size(), 1u);
  EXPECT_TRUE(contains(rows.rejected[0].reason, "its range, ")) << rows.rejected[0].reason;
}

TEST_F(DatabaseFile, OfVersion1HoldsRecordsMeasuredBackToBackAndNoBreakpoints) {
  auto database = create(file_, SCANTUNE_SCHEMA_VERSION_1);
  insert(database, row_of("lookback", 65536));
  const auto rows = read_records(file_, Layer::user);
  ASSERT_EQ(rows.records.size(), 1u);
  EXPECT_EQ(rows.records[0].request.value<Latency>(), Latency::back_to_back);
  EXPECT_FALSE(rows.records[0].breakpoint.has_value());
  EXPECT_EQ(select(TuningTable(rows), kH200, sum_of(65536)).origin, ConfigOrigin::exact_n);
}

TEST_F(DatabaseFile, OfVersion2HoldsTheRequestsThatItsColumnsSpell) {
  auto database = create(file_, SCANTUNE_SCHEMA_VERSION_2);
  database.exec(
      "UPDATE problem SET op = 'custom_moderate:affine', kind = 'exclusive', latency = 'isolated', "
      "determinism = 'run_to_run', forward_progress = 'documented'");
  insert(database, testing::row_with("three_phase", 65536, "layout", static_cast<int>(TileLayout::warp_transposed)));
  const auto rows = read_records(file_, Layer::user);
  ASSERT_EQ(rows.records.size(), 1u) << rows.rejected.front().reason;
  const ScanRequest expected{.op = Operator::custom_moderate,
                             .kind = Kind::exclusive,
                             .init = Init::value,
                             .determinism = Determinism::run_to_run,
                             .forward_progress = ForwardProgress::documented,
                             .latency = Latency::isolated,
                             .n = 65536};
  EXPECT_EQ(rows.records[0].request, expected);
  EXPECT_EQ(rows.records[0].operator_name, "affine");
}

TEST_F(DatabaseFile, OfWhichARequestIsSpelledInAnotherWayLosesItsRecords) {
  // The second row of a problem could take the place of the first, which holds what was tuned here.
  auto database = create(file_);
  insert(database, row_of("lookback", 65536));
  for (const char* request :
       {R"({"input_type":"i32","accumulator_type":"i32","output_type":"i32","kind":"inclusive"})",
        R"({"accumulator_type":"i32","input_type":"i32","output_type":"i32"})",
        R"({"input_type":"i32", "accumulator_type":"i32","output_type":"i32"})", R"({"input_type":"i32"})"}) {
    SQLite::Statement statement(database, "UPDATE problem SET request = ?");
    statement.bind(1, request);
    statement.exec();
    const auto rows = read_records(file_, Layer::user);
    EXPECT_TRUE(rows.records.empty()) << request;
    ASSERT_EQ(rows.rejected.size(), 1u) << request;
    EXPECT_TRUE(contains(rows.rejected[0].reason, "not spelled as a tuner spells it")) << rows.rejected[0].reason;
  }
}

TEST_F(DatabaseFile, WithoutATableOfBreakpointsIsNoneOfThisVersion) {
  create(file_).exec("DROP TABLE breakpoint");
  EXPECT_TRUE(contains(message_of_reading(), "no table breakpoint")) << message_of_reading();
}

TEST_F(DatabaseFile, GivesBackTheRecordsThatWereStored) {
  auto database = create(file_);
  insert(database, row_of("lookback", 65536));
  insert(database, row_of("single_block", 1024));
  const TuningTable table(read_records(file_, Layer::project));
  ASSERT_EQ(table.records().size(), 2u);
  EXPECT_EQ(table.records()[0].request.n, 1024u);
  const TuningRecord& record = table.records()[1];
  EXPECT_EQ(record.config.family().name(), std::string("lookback"));
  EXPECT_EQ(canonical_parameters(record.config), row_of("lookback", 65536).config);
  EXPECT_EQ(record.database, file_.string());
  EXPECT_EQ(record.layer, Layer::project);
  EXPECT_FALSE(record.is_stale());
  EXPECT_TRUE(table.records()[0].is_stale()) << "the run is of lookback's templates";
  const auto selection = select(table, kH200, sum_of(65536));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(selection.record->finished_at, "2025-01-02T03:04:05Z");
}

TEST_F(DatabaseFile, OfBeforeParametersWereAddedSelectsAsOneThatSpellsThem) {
  RecordRow lookback = row_of("lookback", 65536), pipelined = row_of("pipelined", std::int64_t{1} << 26);
  lookback.config =
      R"({"block_threads":512,"items_per_thread":8,"vector_bytes":16,"layout":"striped","warp_scan":"kogge_stone",)"
      R"("window":32,"poll_delay_ns":0,"tile_order":"block_index","status_layout":"packed","load_hint":"normal",)"
      R"("store_hint":"normal","min_ctas_per_sm":1,"pdl":1})";
  pipelined.config =
      R"({"consumer_warps":8,"vectors_per_thread":5,"stages":10,"look_ahead":4,"refill_distance":0,"ctas_per_sm":1,)"
      R"("look_back_warps":2,"poll_distance":3,"poll_delay_ns":0,"status_layout":"packed","pdl":1})";
  auto database = create(file_);
  insert(database, lookback);
  insert(database, pipelined);
  const TuningTable table(read_records(file_, Layer::user));
  EXPECT_TRUE(table.rejected().empty());
  const Selection small = select(table, kH200, sum_of(65536)), large = select(table, kH200, sum_of(u64{1} << 26));
  EXPECT_EQ(small.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(small.config, "first_delay_ns"), 0);
  EXPECT_EQ(large.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(value_of(large.config, "prefetch_tiles"), 0);
  EXPECT_EQ(value_of(large.config, "store_path"), 0);
  EXPECT_EQ(canonical_parameters(small.config), lookback.config);
  EXPECT_EQ(canonical_parameters(large.config), pipelined.config);
  lookback.config.insert(1, R"("first_delay_ns":0,)");
  EXPECT_EQ(parse_config("lookback", lookback.config), small.config);
}

TEST_F(DatabaseFile, MayHoldAWinnerWhoseDefaultFailed) {
  auto database = create(file_);
  RecordRow row = row_of("lookback", 65536);
  row.default_us = std::nullopt;
  insert(database, row);
  const TuningTable table(read_records(file_, Layer::user));
  const auto selection = select(table, kH200, sum_of(65536));
  EXPECT_EQ(selection.origin, ConfigOrigin::exact_n);
  EXPECT_EQ(selection.record->default_us, std::nullopt);
}

TEST_F(DatabaseFile, IsReadWhileATunerWritesToItsLog) {
  auto database = create(file_);
  database.exec("PRAGMA journal_mode = WAL");
  insert(database, row_of("lookback", 65536));
  database.exec("BEGIN IMMEDIATE");
  insert(database, row_of("lookback", 131072));
  EXPECT_EQ(read_records(file_, Layer::user).records.size(), 1u);
}

TEST_F(DatabaseFile, IsReadFromAFolderThatCannotBeWritten) {
  {
    auto database = create(file_);
    insert(database, row_of("lookback", 65536));
    database.exec("PRAGMA journal_mode = WAL");
  }
  chmod(file_.c_str(), 0444);
  chmod(directory_.c_str(), 0555);
  const auto rows = read_records(file_, Layer::project);
  chmod(directory_.c_str(), 0755);
  EXPECT_EQ(rows.records.size(), 1u);
}

TEST_F(DatabaseFile, MayHaveCharactersInItsPathThatMeanSomethingInAUri) {
  file_ = directory_ / "a%20b?mode=rwc#c.db";
  auto database = create(file_);
  insert(database, row_of("lookback", 65536));
  EXPECT_EQ(read_records(file_, Layer::user).records.size(), 1u);
}

TEST_F(DatabaseFile, ThatIsMissingIsNamed) {
  EXPECT_TRUE(contains(message_of_reading(), file_.string() + ": there is no"));
}

TEST_F(DatabaseFile, OfANewerSchemaIsRefused) {
  create(file_).exec("PRAGMA user_version = 99");
  EXPECT_TRUE(contains(message_of_reading(), "schema version 99")) << message_of_reading();
}

TEST_F(DatabaseFile, OfAnotherProgramIsRefused) {
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE record (n)");
  EXPECT_TRUE(contains(message_of_reading(), "not a tuning database")) << message_of_reading();
}

TEST_F(DatabaseFile, ThatIsNoDatabaseIsRefused) {
  std::ofstream(file_) << std::string(5000, 'x');
  EXPECT_TRUE(contains(message_of_reading(), "not an SQLite file")) << message_of_reading();
}

TEST_F(DatabaseFile, ThatIsEmptyIsRefused) {
  std::ofstream{file_};
  EXPECT_TRUE(contains(message_of_reading(), "not a tuning database")) << message_of_reading();
}

TEST_F(DatabaseFile, ThatIsADirectoryIsRefused) {
  fs::create_directory(file_);
  EXPECT_TRUE(contains(message_of_reading(), "it is not a file")) << message_of_reading();
}

TEST_F(DatabaseFile, ThatWasTruncatedIsRefused) {
  {
    auto database = create(file_);
    for (int n = 1024; n < 1224; ++n) insert(database, row_of("lookback", n));
  }
  fs::resize_file(file_, fs::file_size(file_) / 2);
  EXPECT_TRUE(contains(message_of_reading(), "damaged")) << message_of_reading();
}

TEST_F(DatabaseFile, WithGarbageInAPageIsRefusedOrItsRowsAre) {
  {
    auto database = create(file_);
    for (int n = 1024; n < 1224; ++n) insert(database, row_of("lookback", n));
  }
  const auto bytes = fs::file_size(file_);
  for (std::uintmax_t offset = 4096; offset < bytes; offset += 4096) {
    const fs::path copy = directory_ / "copy.db";
    fs::copy_file(file_, copy, fs::copy_options::overwrite_existing);
    std::fstream stream(copy, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream << std::string(512, '\xa5');
    stream.close();
    try {
      const TuningTable table(read_records(copy, Layer::user));
      for (const TuningRecord& record : table.records())
        EXPECT_EQ(reject_reason(record.config, record.request, 90), nullptr);
    } catch (const DatabaseError& error) {
      EXPECT_TRUE(contains(error.what(), copy.string())) << error.what();
    }
  }
}

TEST_F(DatabaseFile, ThatIsLockedIsRefusedSoon) {
  auto database = create(file_);
  database.exec("BEGIN EXCLUSIVE");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(contains(message_of_reading(), "locked")) << message_of_reading();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(DatabaseFile, WithMoreRecordsThanAnyTunerStoresIsRefused) {
  auto database = create(file_);
  database.exec(
      "WITH RECURSIVE items(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM items LIMIT 100001) "
      "INSERT INTO record SELECT 1, 1, n, 'lookback', '{}', 1, 1.0, 0.0, 1.0, NULL, '', 0, n, '[]' FROM items");
  EXPECT_TRUE(contains(message_of_reading(), "more than 100000 records")) << message_of_reading();
}

TEST_F(DatabaseFile, WithWrongTypesOfValuesYieldsNoRecord) {
  auto database = create(file_);
  database.exec(
      "INSERT INTO record VALUES (1, 1, 65536, x'00ff', x'7b00', 1, 'soon' || 9, 0.0, 1.0, NULL, '', 0, 65536, "
      "'[]')");
  EXPECT_TRUE(TuningTable(read_records(file_, Layer::user)).records().empty());
}

TEST_F(DatabaseFile, OfSeveralAreLayeredInTheOrderGiven) {
  const fs::path shared = directory_ / "shared.db";
  auto mine = create(file_);
  auto theirs = create(shared);
  insert(mine, testing::row_with("lookback", 65536, "block_threads", 512));
  insert(theirs, testing::row_with("lookback", 65536, "block_threads", 128));
  const auto choose = [&](std::vector<fs::path> files) {
    return testing::value_of(select(table_of(files), kH200, sum_of(65536)).config, "block_threads");
  };
  EXPECT_EQ(choose({file_, shared}), 512);
  EXPECT_EQ(choose({shared, file_}), 128);
}

// Anybody may have written the name into a file that is read in place.
TEST_F(DatabaseFile, TellsSignersOnlyInOnesThatAreWrittenHere) {
  const fs::path layer = directory_ / "scantune" / "layers" / "team.db";
  fs::create_directories(layer.parent_path());
  for (const fs::path& file : {file_, layer}) {
    auto database = create(file);
    database.exec(R"(UPDATE run SET policy = '{"origin":{"by":"eve","file":"a.db","run":"1","signer":"alice"}}')");
    insert(database, testing::row_with("lookback", 65536, "block_threads", 512));
  }
  const auto reason = [&](const fs::path& file) {
    return select(table_of(std::vector{file}), kH200, sum_of(65536)).reason;
  };
  setenv("SCANTUNE_DB", "/no/such.db", 1);
  EXPECT_TRUE(contains(reason(file_), "exported by eve from a.db (run 1)")) << reason(file_);
  EXPECT_FALSE(contains(reason(file_), "signed")) << reason(file_);
  EXPECT_FALSE(contains(reason(layer), "signed")) << reason(layer);
  setenv("SCANTUNE_DB", file_.c_str(), 1);
  EXPECT_TRUE(contains(reason(file_), "signed by alice")) << reason(file_);
  setenv("XDG_DATA_HOME", directory_.c_str(), 1);
  EXPECT_TRUE(contains(reason(layer), "signed by alice")) << reason(layer);
  unsetenv("SCANTUNE_DB");
  unsetenv("XDG_DATA_HOME");
}

TEST(Layers, ReadThePathsOfProjectDatabasesFromTheEnvironment) {
  setenv("SCANTUNE_DB_PATH", "/a/one.db::/b/two.db:", 1);
  EXPECT_EQ(project_databases(), (std::vector<fs::path>{"/a/one.db", "/b/two.db"}));
  unsetenv("SCANTUNE_DB_PATH");
  EXPECT_TRUE(project_databases().empty());
}

TEST_F(DatabaseFile, TellsWhoExportedARecordByThePolicyOfItsRun) {
  auto database = create(file_);
  insert(database, row_of("lookback", 65536));
  database.exec(
      R"(UPDATE run SET policy = '{"trials":96,"origin":{"by":"alice","file":"a.db","run":"0123456789ab"}}')");
  const auto rows = read_records(file_, Layer::user);
  ASSERT_EQ(rows.records.size(), 1u);
  ASSERT_NE(rows.records[0].origin, nullptr);
  EXPECT_EQ(phrase(*rows.records[0].origin), "exported by alice from a.db (run 0123456789ab)");
}

TEST_F(DatabaseFile, OfADirectoryAreReadInTheOrderOfTheirNames) {
  for (const char* name : {"b.db", "a.db", ".hidden.db", "notes.txt", "c.db-wal"}) std::ofstream(directory_ / name);
  EXPECT_EQ(databases_in(directory_), (std::vector<fs::path>{directory_ / "a.db", directory_ / "b.db"}));
  EXPECT_TRUE(databases_in(directory_ / "absent").empty());
  EXPECT_TRUE(databases_in(directory_ / "notes.txt").empty());
}

TEST_F(DatabaseFile, OfASyncedLayerIsReadBehindTheProjects) {
  fs::create_directories(directory_ / "scantune/layers");
  create(directory_ / "scantune/layers/team.db");
  setenv("SCANTUNE_DB_PATH", "/a/project.db", 1);
  setenv("XDG_DATA_HOME", directory_.c_str(), 1);
  std::vector<std::string> remarks;
  const auto files = layered_files(remarks);
  unsetenv("SCANTUNE_DB_PATH");
  unsetenv("XDG_DATA_HOME");
  ASSERT_GE(files.size(), 2u);  // there may be more that this machine's administrator has installed
  EXPECT_EQ(files[0].layer, Layer::project);
  EXPECT_EQ(files[1].layer, Layer::synced);
  EXPECT_EQ(files[1].file, directory_ / "scantune/layers/team.db");
  for (std::size_t place = 2; place < files.size(); ++place) EXPECT_EQ(files[place].layer, Layer::system);
}

TEST(Layers, FindTheUsersDatabaseByTheEnvironmentOrTheDataHome) {
  setenv("SCANTUNE_DB", "/a/one.db", 1);
  EXPECT_EQ(user_database(), fs::path("/a/one.db"));
  unsetenv("SCANTUNE_DB");
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(user_database(), fs::path("/data/scantune/tuning.db"));
}

}  // namespace
}  // namespace scantune
