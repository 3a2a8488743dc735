#include "select/database.h"

#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "select/database_files.h"
#include "select/hardened_database.h"
#include "select/printable.h"
#include "select/queries.h"
#include "select/record_reader.h"

namespace scantune {
namespace {

constexpr int kApplicationId = 1935896180;  // db/schema.sql
constexpr int kSchemaVersion = 3;
constexpr std::uintmax_t kMostCheckedBytes = std::uintmax_t{1} << 30;

// Returns its version.
int check_version(HardenedDatabase& database, const std::filesystem::path& file) {
  if (database.integer("PRAGMA application_id") != kApplicationId)
    throw unusable(file, "it is not a tuning database of scantune", "name another file or move this one away");
  const int version = database.integer("PRAGMA user_version");
  if (version > kSchemaVersion)
    throw unusable(file,
                   "it has schema version " + std::to_string(version) + ", and this library reads up to " +
                       std::to_string(kSchemaVersion),
                   "use a newer scantune");
  if (version < 1) throw unusable(file, "its schema was never finished", "move it away and tune again");
  return version;
}

std::vector<std::string> tables_of(int version) {
  std::vector<std::string> tables{"record", "device", "problem", "run"};
  if (version > 1) tables.emplace_back("breakpoint");
  return tables;
}

void check_schema(HardenedDatabase& database, const std::filesystem::path& file, int version) {
  database.load_schema();
  auto refused = database.statement(query("refused_schema.sql"));
  if (refused.executeStep())
    throw unusable(file,
                   "its schema has a " + printable(refused.getColumn(0).getString()) + ", " +
                       printable(refused.getColumn(1).getString()) + ", which scantune does not make",
                   "drop that, or name another file");
  auto is_there = database.statement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1");
  for (const std::string& table : tables_of(version)) {
    is_there.reset();
    is_there.bind(1, table);
    if (!is_there.executeStep())
      throw unusable(file, "it has no table " + table, "restore it from a copy, or move it away and tune again");
  }
}

// Whether the pages of the tables that are read hang together.
void check_pages(HardenedDatabase& database, const std::filesystem::path& file, int version) {
  for (const std::string& table : tables_of(version)) {
    auto finding = database.statement("PRAGMA quick_check(" + table + ")");
    if (finding.executeStep() && finding.getColumn(0).getString() != "ok")
      throw unusable(file, "it is damaged (" + printable(finding.getColumn(0).getString()) + ")",
                     "restore it from a copy, or move it away and tune again");
  }
}

DatabaseError unusable_for(const std::filesystem::path& file, const SQLite::Exception& error) {
  const std::string said = printable(error.what());
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return unusable(file, "another process holds it locked", "wait for that process, or read a copy");
    case SQLITE_NOTADB:
      return unusable(file, "it is not an SQLite file, or damaged",
                      "name another file, or move it away and tune again");
    case SQLITE_CORRUPT:
      if (said.find("too many arguments on function") != std::string::npos)
        return unusable(file, "its schema calls a function, which none of scantune's does (" + said + ")",
                        "do not use it");
      return unusable(file, "it is damaged (" + said + ")", "restore it from a copy, or move it away and tune again");
    case SQLITE_INTERRUPT:
      return unusable(file, "reading it takes far longer than its records explain", "do not use it");
    case SQLITE_TOOBIG:
      return unusable(file, "it holds a value or a statement that is longer than any that a tuner writes",
                      "do not use it");
    case SQLITE_NOMEM:
      throw std::bad_alloc();  // as where the memory ends in the library itself
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return unusable(file, "it cannot be opened (" + said + ")", "check its permissions");
    default:
      return unusable(file, "it cannot be read (" + said + ")", "restore it from a copy");
  }
}

// SQLite reads logs and checks pages without a look at the time.
void check_bytes(const DatabaseFiles& files, const std::filesystem::path& file) {
  if (files.bytes() > kMostCheckedBytes)
    throw unusable(file,
                   "others than its user may have written it, and it has more than the " +
                       std::to_string(kMostCheckedBytes >> 30) + " GiB that are checked",
                   "export what you need from it");
}

struct Reading {
  const std::filesystem::path& file;  // as messages name it
  Layer layer;
  bool checks_pages;
  HardenedDatabase::Clock::time_point deadline = HardenedDatabase::Clock::now() + HardenedDatabase::kMostTime;
};

CheckedRows open_and_read(const std::string& uri, const Reading& reading) {
  const std::filesystem::path& file = reading.file;
  HardenedDatabase database(uri, reading.deadline);
  const int version = check_version(database, file);
  check_schema(database, file, version);
  if (reading.checks_pages) check_pages(database, file, version);
  return read_records(database, file, reading.layer, version);
}

CheckedRows read(const DatabaseFiles& files, const std::filesystem::path& file, Layer layer) {
  const Reading reading{.file = file, .layer = layer, .checks_pages = files.may_be_of_others()};
  if (reading.checks_pages) check_bytes(files, file);
  try {
    return open_and_read(files.uri(), reading);
  } catch (const SQLite::Exception& error) {
    const bool is_denied = error.getErrorCode() == SQLITE_CANTOPEN || error.getErrorCode() == SQLITE_READONLY;
    // Only who may write to the file can undo what was not finished, and the library does not write.
    if (is_denied && files.has_journal())
      throw unusable(file, "the process that wrote to it was interrupted in the middle of a change",
                     "run scantune with it once, which undoes that change");
    // SQLite cannot read a WAL database in a folder where it may not write its -shm file. Without a log there is
    // nothing beside the file itself to read.
    if (!is_denied || files.has_log()) throw unusable_for(file, error);
  }
  try {
    return open_and_read(files.uri() + "?immutable=1", reading);
  } catch (const SQLite::Exception& error) {
    throw unusable_for(file, error);
  }
}

}  // namespace

CheckedRows read_records(const std::filesystem::path& file, Layer layer) {
  try {
    return read(DatabaseFiles(file), file, layer);
  } catch (const std::bad_alloc&) {
    throw unusable(file, "there is too little memory to read it", "free some, or use a smaller file");
  }
}

}  // namespace scantune
