#include "select/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <span>

#include "scantune/error.hpp"
#include "support/embedded_file.h"

namespace scantune {

std::span<const EmbeddedFile> database_queries();  // db/queries/*.sql, put in by the build

namespace {

constexpr int kApplicationId = 1935896180;  // db/schema.sql
constexpr int kSchemaVersion = 2;
constexpr int kBusyTimeoutMs = 250;
constexpr int kMostRows = 100'000;
constexpr int kLongestValue = 1 << 20;  // bytes; SQLite refuses anything longer
// A damaged or hostile file must not keep its reader busy: far more steps than the largest legal database takes.
constexpr int kStepsPerCheck = 100'000;
constexpr int kMostChecks = 2'000;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& problem, const std::string& remedy) {
  throw DatabaseError("tuning database " + file.string() + ": " + problem + "; " + remedy);
}

std::string query(std::string_view path) {
  for (const EmbeddedFile& file : database_queries())
    if (path == file.path) return file.text;
  throw DatabaseError("the library was built without db/queries/" + std::string(path));
}

std::string percent_encoded(const std::string& path) {
  std::string encoded;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr char kDigits[] = "0123456789ABCDEF";
      encoded += {'%', kDigits[(c >> 4) & 15], kDigits[c & 15]};
    } else {
      encoded += c;
    }
  }
  return encoded;
}

bool has_content(const std::filesystem::path& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  return !error && bytes > 0;
}

void harden(sqlite3* handle) {
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

int pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(std::string("PRAGMA ") + name).getInt();
}

// Ordinary tables only: a view or a virtual table of that name would run what somebody put into the file.
bool is_plain_table(SQLite::Database& database, const char* name) {
  SQLite::Statement statement(database,
                              "SELECT count(*) FROM sqlite_master WHERE name = ? AND type = 'table' AND rootpage > 0");
  statement.bind(1, name);
  return statement.executeStep() && statement.getColumn(0).getInt() == 1;
}

// Returns its version.
int check_schema(SQLite::Database& database, const std::filesystem::path& file) {
  if (pragma(database, "application_id") != kApplicationId)
    fail(file, "it is not a tuning database of scantune", "name another file or move this one away");
  const int version = pragma(database, "user_version");
  if (version > kSchemaVersion)
    fail(file,
         "it has schema version " + std::to_string(version) + ", and this library reads up to " +
             std::to_string(kSchemaVersion),
         "use a newer scantune");
  if (version < 1) fail(file, "its schema was never finished", "move it away and tune again");
  std::vector tables{"record", "device", "problem", "run"};
  if (version > 1) tables.push_back("breakpoint");
  for (const char* table : tables)
    if (!is_plain_table(database, table))
      fail(file, std::string("it has no table ") + table, "restore it from a copy, or move it away and tune again");
  return version;
}

struct SqlColumns {
  SQLite::Statement& statement;

  std::string text(const char* name) const { return statement.getColumn(name).getString(); }
  std::int64_t integer(const char* name) const { return statement.getColumn(name).getInt64(); }
  double real(const char* name) const { return statement.getColumn(name).getDouble(); }
  bool is_null(const char* name) const { return statement.isColumnNull(name); }
};

std::vector<RecordRow> read(SQLite::Database& database, const std::filesystem::path& file, Layer layer) {
  harden(database.getHandle());
  int checks = 0;
  sqlite3_progress_handler(
      database.getHandle(), kStepsPerCheck,
      [](void* count) { return static_cast<int>(++*static_cast<int*>(count) > kMostChecks); }, &checks);
  const int version = check_schema(database, file);
  const std::string as_of_now = version == 1 ? query("version_1_as_now.sql") : "";
  SQLite::Statement statement(database, as_of_now + query("load_records.sql"));
  statement.bind(1, kMostRows + 1);
  std::vector<RecordRow> rows;
  while (statement.executeStep()) {
    if (rows.size() == kMostRows)
      fail(file, "it has more than " + std::to_string(kMostRows) + " records", "export what you need from it");
    rows.push_back(row_of(SqlColumns{statement}, layer, file.string()));
  }
  return rows;
}

[[noreturn]] void fail_sqlite(const std::filesystem::path& file, const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      fail(file, "another process holds it locked", "wait for that process, or read a copy");
    case SQLITE_NOTADB:
      fail(file, "it is not an SQLite file, or damaged", "name another file, or move it away and tune again");
    case SQLITE_CORRUPT:
      fail(file, std::string("it is damaged (") + error.what() + ")",
           "restore it from a copy, or move it away and tune again");
    case SQLITE_INTERRUPT:
      fail(file, "reading it takes far longer than its records explain", "do not use it");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      fail(file, std::string("it cannot be opened (") + error.what() + ")", "check its permissions");
    default:
      fail(file, std::string("it cannot be read (") + error.what() + ")", "restore it from a copy");
  }
}

std::vector<RecordRow> open_and_read(const std::string& uri, const std::filesystem::path& file, Layer layer) {
  SQLite::Database database(uri, SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs);
  return read(database, file, layer);
}

}  // namespace

std::vector<RecordRow> read_records(const std::filesystem::path& file, Layer layer) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found)
    fail(file, "there is no such file", "check the path, or tune to make one");
  if (error) fail(file, "it cannot be reached (" + error.message() + ")", "check its permissions");
  if (!std::filesystem::is_regular_file(status)) fail(file, "it is not a file", "name the database itself");
  const std::string uri = "file:" + percent_encoded(std::filesystem::absolute(file).string());
  try {
    return open_and_read(uri, file, layer);
  } catch (const SQLite::Exception& failure) {
    // SQLite cannot read a WAL database in a folder where it may not write its -shm file. Without a log there is
    // nothing beside the file itself to read.
    const bool no_log = !has_content(file.string() + "-wal");
    const bool no_shm = failure.getErrorCode() == SQLITE_CANTOPEN || failure.getErrorCode() == SQLITE_READONLY;
    if (!no_shm || !no_log) fail_sqlite(file, failure);
  }
  try {
    return open_and_read(uri + "?immutable=1", file, layer);
  } catch (const SQLite::Exception& failure) {
    fail_sqlite(file, failure);
  }
}

}  // namespace scantune
