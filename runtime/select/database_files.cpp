#include "select/database_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include "support/file_system.h"
#include "support/ownership.h"

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

constexpr const char* kLogSuffix = "-wal";
constexpr const char* kSuffixes[] = {"-journal", kLogSuffix, "-shm"};  // suffixes of the files beside the database

// 0 if it does not exist.
std::uintmax_t bytes_of(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  return error ? 0 : bytes;
}

// Whether somebody beside the user and root may change the file, if there is one.
bool is_changeable(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return errno != ENOENT;
  return !changeable_because(status, ::geteuid()).empty();
}

// The first bytes of an SQLite file; nullopt if it is shorter.
std::optional<std::array<unsigned char, 28>> header_of(const fs::path& file) {
  std::array<unsigned char, 28> header{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(header.data()), header.size());
  return stream ? std::optional(header) : std::nullopt;
}

bool is_regular_or_absent(const fs::path& file) {
  std::error_code ignored;
  const auto type = fs::symlink_status(file, ignored).type();
  return type == fs::file_type::regular || type == fs::file_type::not_found;
}

}  // namespace

DatabaseError unusable(const fs::path& database, const std::string& fault, const std::string& remedy) {
  return DatabaseError("tuning database " + database.string() + ": " + fault + "; " + remedy);
}

DatabaseStamp stamp_of(const fs::path& database) {
  std::error_code error;
  const fs::path target = fs::canonical(database, error);
  const std::string file = (error ? database : target).string();
  DatabaseStamp stamp{.text = file, .written = 0};
  for (const char* suffix : {"", kLogSuffix}) {
    struct stat status {};
    if (::stat((file + suffix).c_str(), &status) != 0) status = {};
    for (const std::intmax_t number : {static_cast<std::intmax_t>(status.st_ino), std::intmax_t{status.st_size},
                                       std::intmax_t{status.st_mtim.tv_sec}, std::intmax_t{status.st_mtim.tv_nsec}})
      stamp.text += ' ' + std::to_string(number);
    stamp.written = std::max(stamp.written, std::int64_t{status.st_mtim.tv_sec});
  }
  return stamp;
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
  is_on_network_ = scantune::is_on_network(file_);
  for (const char* suffix : kSuffixes)
    if (!is_regular_or_absent(beside(suffix)))
      throw unusable(database, beside(suffix).string() + " is not a regular file, so SQLite did not make it",
                     "remove that");
}

std::string DatabaseFiles::uri() const { return "file:" + percent_encoded(file_.string()); }

bool DatabaseFiles::may_be_of_others() const {
  return is_changeable(file_) ||
         std::ranges::any_of(kSuffixes, [this](const char* suffix) { return is_changeable(beside(suffix)); });
}

std::uintmax_t DatabaseFiles::bytes() const { return bytes_of(file_) + bytes_of(beside(kLogSuffix)); }

bool DatabaseFiles::has_log() const { return bytes_of(beside(kLogSuffix)) > 0; }

bool DatabaseFiles::has_journal() const { return bytes_of(beside("-journal")) > 0; }

bool DatabaseFiles::is_kept_with_log() const {
  constexpr std::size_t kPlace = 18;  // place of the version that readers need: 2 knows logs
  const auto header = header_of(file_);
  return header && (*header)[kPlace] == 2;
}

// Writers keep a journal from before the first page that they write until after the last.
std::optional<std::uint32_t> DatabaseFiles::change_counter() const {
  constexpr std::size_t kPlace = 24;  // big-endian
  const auto header = header_of(file_);
  if (!header || has_journal() || has_log()) return std::nullopt;
  std::uint32_t counter = 0;
  for (std::size_t place = kPlace; place < kPlace + 4; ++place) counter = counter << 8 | (*header)[place];
  return counter;
}

}  // namespace scantune
