// Makes files out of text: an input is a script that is run on a valid tuning database, line by line.
//
// A line is SQL, whose failure changes nothing, or a command about bytes:
//   .write OFFSET HEX   overwrites bytes of the file; OFFSET is taken modulo its size
//   .truncate BYTES     cuts the file off
//   .append HEX         goes on behind its end
//   .wal HEX            stands beside it as its write-ahead log
//   .journal HEX        is put beside it as its rollback journal
//   .shared             lets others write to it
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scantune::fuzz {

struct DatabaseFiles {
  std::string database;
  std::string wal;      // the log beside it; empty if there is none
  std::string journal;  // the journal beside it; empty if there is none
  bool shared = false;  // whether others may write to the database
};

// A database as the tuner writes it, with records of several problems and devices and breakpoints between them.
std::string seed_database();
std::vector<int> seed_exponents();  // the N of its records are 2 to these powers

struct TableColumns {
  std::string table;
  std::vector<std::string> columns;
};
// The columns that the library's queries read.
std::vector<TableColumns> read_columns();

// The files that a script makes of the database. An input that begins as an SQLite file does is that file itself.
DatabaseFiles run_script(std::string_view script, const std::string& database);

}  // namespace scantune::fuzz
