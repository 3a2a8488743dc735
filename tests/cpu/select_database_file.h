// A tuning database in a folder of its own, for the tests of reading one.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "message_of.h"
#include "scantune/error.hpp"
#include "select/database.h"
#include "select_rows.h"

namespace scantune::testing {

class DatabaseFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "scantune-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    file_ = directory_ / "tuning.db";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Creates a database as the tuner writes it, of the current schema or an older one.
  static SQLite::Database create(const std::filesystem::path& file, const char* schema = SCANTUNE_SCHEMA) {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    std::ifstream stream(schema);
    std::stringstream text;
    text << stream.rdbuf();
    const bool has_requests = text.str().find("request") != std::string::npos;
    const bool has_latency = text.str().find("latency") != std::string::npos;
    const std::string columns = std::string("'i32', 'i32', 'i32', 'sum', 'inclusive', 'unconstrained', 'in_order'") +
                                (has_latency ? ", 'back_to_back'" : "");
    database.exec(text.str());
    database.exec("INSERT INTO run VALUES (1, '2025-01-01T00:00:00Z', '0.1.0', '" +
                  template_hash(*find_family("lookback"), false, 90) +
                  "', 'NVRTC 13.0', '13.0', 'quick', 1, '{}');"
                  "INSERT INTO device VALUES (1, 'sm_90', 'NVIDIA H200', 132);"
                  "INSERT INTO problem VALUES (1, " +
                  (has_requests ? R"('scan', '{"input_type":"i32","accumulator_type":"i32","output_type":"i32"}', '')"
                                : columns) +
                  ")");
    return database;
  }

  static void insert(SQLite::Database& database, const RecordRow& row) {
    const bool has_range = database.execAndGet("PRAGMA user_version").getInt() > 3;
    SQLite::Statement statement(database, "INSERT INTO record VALUES (1, 1, ?, ?, ?, 1, ?, 0.01, ?, NULL, ?" +
                                              std::string(has_range ? ", ?, ?, '[]')" : ")"));
    statement.bind(1, row.n);
    statement.bind(2, row.family);
    statement.bind(3, row.config);
    statement.bind(4, row.median_us);
    if (row.default_us) statement.bind(5, *row.default_us);
    statement.bind(6, row.finished_at);
    if (has_range) {
      statement.bind(7, row.served_above);
      statement.bind(8, row.served_up_to);
    }
    statement.exec();
  }

  // The message of reading it; empty if it can be read.
  std::string message_of_reading() const {
    return message_of<DatabaseError>([&] { read_records(file_, Layer::user); });
  }

  std::filesystem::path directory_;
  std::filesystem::path file_;
};

}  // namespace scantune::testing
