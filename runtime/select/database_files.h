// The file of a tuning database and SQLite's side files. All are checked before any of them is opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "scantune/error.hpp"

namespace scantune {

// What is wrong with a tuning database, and what to do.
DatabaseError unusable(const std::filesystem::path& database, const std::string& fault, const std::string& remedy);

// What tells a database from what it was before it or its write-ahead log was written, replaced or removed. No file is
// opened for it, because who closes one gives up all locks that the process has on it.
struct DatabaseStamp {
  std::string text;      // sizes and times
  std::int64_t written;  // seconds since 1970
};
DatabaseStamp stamp_of(const std::filesystem::path& database);

class DatabaseFiles {
 public:
  // Throws DatabaseError unless the database is a regular file, or a link to one, and each of the others a regular file
  // or absent: who opens a FIFO waits until somebody else does.
  explicit DatabaseFiles(const std::filesystem::path& database);

  std::string uri() const;  // for SQLite
  // Whether other machines may write to it, by locks that may exclude nobody.
  bool is_on_network() const { return is_on_network_; }
  // Whether somebody beside the user and root may have written it or one of the others: a log holds pages, too.
  bool may_be_of_others() const;
  std::uintmax_t bytes() const;  // size of the database and its write-ahead log
  // Whether its write-ahead log has changes.
  bool has_log() const;
  // Whether a transaction that did not end left a journal.
  bool has_journal() const;
  // Whether it is written by way of a log.
  bool is_kept_with_log() const;
  // Counts the transactions written to the database itself; nullopt while one is being written, or is in a log.
  std::optional<std::uint32_t> change_counter() const;

 private:
  std::filesystem::path beside(const char* suffix) const { return file_.string() + suffix; }

  std::filesystem::path file_;  // links resolved: the side files are next to the target of a link
  bool is_on_network_ = false;
};

}  // namespace scantune
