// A connection to an SQLite file that may come from anyone: it reads one state of the file, evaluates no expression
// that is stored in it, and gives up in time. Nothing else includes SQLite.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <chrono>
#include <string>

namespace scantune {

class HardenedDatabase {
 public:
  // Limits that no tuner comes near. SQLite refuses a longer value.
  static constexpr int kLongestValue = 64 << 10;  // bytes
  static constexpr std::chrono::seconds kMostTime{3};
  using Clock = std::chrono::steady_clock;

  // Opens the file and begins to read. Everything throws SQLite::Exception, with SQLITE_INTERRUPT after the deadline.
  HardenedDatabase(const std::string& uri, Clock::time_point deadline);
  HardenedDatabase(const HardenedDatabase&) = delete;  // SQLite holds its address
  HardenedDatabase& operator=(const HardenedDatabase&) = delete;

  // It is called before any statement but PRAGMA application_id and user_version. A schema with a function in it does
  // not load.
  void load_schema();

  SQLite::Statement statement(const std::string& sql) { return {connection_, sql}; }
  // The first value of the first row.
  int integer(const char* sql) { return connection_.execAndGet(sql).getInt(); }

 private:
  void limit();
  bool is_over();

  SQLite::Database connection_;
  const Clock::time_point deadline_;
  int checks_left_;  // until the schema is loaded
};

}  // namespace scantune
