#include "select/database_files.h"

#include <sys/stat.h>
#include <unistd.h>

namespace scantune {
namespace {

namespace fs = std::filesystem;

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

bool has_content(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  return !error && bytes > 0;
}

bool is_regular_or_absent(const fs::path& file) {
  std::error_code ignored;
  const auto type = fs::symlink_status(file, ignored).type();
  return type == fs::file_type::regular || type == fs::file_type::not_found;
}

}  // namespace

DatabaseError unusable(const fs::path& database, const std::string& problem, const std::string& remedy) {
  return DatabaseError("tuning database " + database.string() + ": " + problem + "; " + remedy);
}

DatabaseFiles::DatabaseFiles(const fs::path& database) {
  std::error_code error;
  const auto status = fs::status(database, error);
  if (status.type() == fs::file_type::not_found)
    throw unusable(database, "there is no such file", "check the path, or tune to make one");
  if (error) throw unusable(database, "it cannot be reached (" + error.message() + ")", "check its permissions");
  if (!fs::is_regular_file(status)) throw unusable(database, "it is not a file", "name the database itself");
  file_ = fs::canonical(database, error);
  if (error) throw unusable(database, "it cannot be reached (" + error.message() + ")", "check its permissions");
  for (const char* suffix : {"-journal", "-wal", "-shm"})
    if (!is_regular_or_absent(beside(suffix)))
      throw unusable(database, beside(suffix).string() + " is not a regular file, so SQLite did not make it",
                     "remove that");
}

std::string DatabaseFiles::uri() const { return "file:" + percent_encoded(file_.string()); }

bool DatabaseFiles::may_be_of_others() const {
  struct stat status;
  return ::stat(file_.c_str(), &status) != 0 || status.st_uid != ::geteuid() ||
         (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

bool DatabaseFiles::has_log() const { return has_content(beside("-wal")); }

bool DatabaseFiles::has_journal() const { return has_content(beside("-journal")); }

}  // namespace scantune
