#include "select/hardened_database.h"

#include <limits>

namespace scantune {
namespace {

constexpr int kBusyTimeoutMs = 250;
constexpr int kStepsPerCheck = 1000;  // steps of SQLite's machine: some microseconds
// A schema of ours takes a few hundred steps. Statements that are longer, and more of them, would fill the memory.
constexpr int kMostSchemaChecks = 20;
constexpr int kLongestStatement = 8 << 10;  // bytes
constexpr int kMostColumns = 64;
constexpr int kMostFunctionArguments = 3;  // arguments of the functions in db/queries
constexpr const char* kCacheKib = "PRAGMA cache_size = -2000";

}  // namespace

HardenedDatabase::HardenedDatabase(const std::string& uri, Clock::time_point deadline)
    : connection_(uri, SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs),
      deadline_(deadline),
      checks_left_(kMostSchemaChecks) {
  limit();
  connection_.exec("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA ignore_check_constraints = ON; BEGIN");
}

void HardenedDatabase::limit() {
  sqlite3* const handle = connection_.getHandle();
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestStatement);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, kLongestStatement);
  sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, kMostColumns);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  // SQLite evaluates generated columns of sqlite_stat1 while it loads a schema, and nothing interrupts a function.
  sqlite3_limit(handle, SQLITE_LIMIT_FUNCTION_ARG, 0);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_progress_handler(
      handle, kStepsPerCheck,
      [](void* self) { return static_cast<int>(static_cast<HardenedDatabase*>(self)->is_over()); }, this);
}

void HardenedDatabase::load_schema() {
  connection_.exec("SELECT 1 FROM sqlite_master LIMIT 1");
  sqlite3* const handle = connection_.getHandle();
  sqlite3_limit(handle, SQLITE_LIMIT_FUNCTION_ARG, kMostFunctionArguments);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
  checks_left_ = std::numeric_limits<int>::max();
  connection_.exec(kCacheKib);  // the file may set any size
}

bool HardenedDatabase::is_over() { return --checks_left_ < 0 || Clock::now() > deadline_; }

}  // namespace scantune
