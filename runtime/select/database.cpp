#include "select/database.h"

#include <chrono>
#include <cstdint>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "select/database_files.h"
#include "select/hardened_database.h"
#include "select/printable.h"
#include "select/queries.h"
#include "select/record_reader.h"

namespace scantune {
namespace {

constexpr int kApplicationId = 1935896180;  // db/schema.sql
constexpr int kSchemaVersion = 4;
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

// Throws unless the pages of the tables that are read are consistent.
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
      throw std::bad_alloc();  // the caller treats it like a lack of memory in the library itself
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return unusable(file, "it cannot be opened (" + said + ")", "check its permissions");
    default:
      return unusable(file, "it cannot be read (" + said + ")", "restore it from a copy");
  }
}

// SQLite reads logs and checks pages without heed of the deadline.
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

// The time begins to count here.
Reading reading_of(const DatabaseFiles& files, const std::filesystem::path& file, Layer layer) {
  const bool checks_pages = files.may_be_of_others();
  if (checks_pages) check_bytes(files, file);
  return {.file = file, .layer = layer, .checks_pages = checks_pages};
}

CheckedRows open_and_read(const std::string& uri, const Reading& reading) {
  const std::filesystem::path& file = reading.file;
  HardenedDatabase database(uri, reading.deadline);
  const int version = check_version(database, file);
  check_schema(database, file, version);
  if (reading.checks_pages) check_pages(database, file, version);
  return read_records(database, file, reading.layer, version);
}

// Whether the file system cannot lock at all. SQLite calls a lock that network file systems refuse busy.
bool do_locks_fail(const SQLite::Exception& error, const DatabaseFiles& files) {
  switch (error.getExtendedErrorCode()) {
    case SQLITE_IOERR_LOCK:
    case SQLITE_IOERR_RDLOCK:
    case SQLITE_IOERR_CHECKRESERVEDLOCK:
    case SQLITE_IOERR_SHMLOCK:
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS:
      return true;
    case SQLITE_BUSY:
      return files.is_on_network();
    default:
      return false;
  }
}

CheckedRows read_without_locks(const DatabaseFiles& files, const Reading& reading) {
  try {
    return open_and_read(files.uri() + "?immutable=1", reading);
  } catch (const SQLite::Exception& error) {
    throw unusable_for(reading.file, error);
  }
}

// Where locks may exclude nobody, what was read counts only if nothing was written meanwhile.
template <class Read>
CheckedRows read_undisturbed(const DatabaseFiles& files, const std::filesystem::path& file, const Read& read) {
  constexpr int kMostAttempts = 5;
  constexpr std::chrono::milliseconds kPause{20};
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kPause);
    const auto before = files.change_counter();
    const auto is_undisturbed = [&] { return before && files.change_counter() == before; };
    try {
      CheckedRows rows = read();
      if (is_undisturbed()) return rows;
    } catch (const DatabaseError&) {
      if (is_undisturbed()) throw;
    }
  }
  if (files.has_journal())
    throw unusable(file, "another process writes to it, or was interrupted while it did",
                   "read it later, or run scantune with it once");
  throw unusable(file, "it was written each time that it was read, and its locks do not exclude that",
                 "read a copy, or keep it on a local disk");
}

CheckedRows read(const DatabaseFiles& files, const std::filesystem::path& file, Layer layer) {
  const Reading reading = reading_of(files, file, layer);
  try {
    // A machine that maps the index of a log on a network sees what others write to it late or never, so it must not
    // write to it.
    return open_and_read(files.uri() + (files.is_on_network() ? "?readonly_shm=1" : ""), reading);
  } catch (const SQLite::Exception& error) {
    const bool is_denied = error.getErrorCode() == SQLITE_CANTOPEN || error.getErrorCode() == SQLITE_READONLY;
    // Only who may write to the file can undo what was not finished, and the library does not write.
    if (is_denied && files.has_journal())
      throw unusable(file, "the process that wrote to it was interrupted in the middle of a change",
                     "run scantune with it once, which undoes that change");
    if (do_locks_fail(error, files)) {
      if (files.has_log() || files.has_journal())
        throw unusable(file,
                       "its file system cannot lock it (" + printable(error.what()) + "), and it is being changed",
                       "read it once no tuner runs, or keep it on a local disk");
      return read_undisturbed(files, file, [&] { return read_without_locks(files, reading); });
    }
    // SQLite cannot read a WAL database in a folder where it may not write its -shm file. Without a log there is
    // nothing beside the file itself to read.
    if (!is_denied || files.has_log()) throw unusable_for(file, error);
  }
  return read_without_locks(files, reading);
}

CheckedRows read_on_network(const DatabaseFiles& files, const std::filesystem::path& file, Layer layer) {
  return read_undisturbed(files, file, [&] {
    // SQLite would make the files of a log to read one that is not there.
    if (!files.is_kept_with_log()) return read(files, file, layer);
    const Reading reading = reading_of(files, file, layer);
    return read_without_locks(files, reading);
  });
}

}  // namespace

CheckedRows read_records(const std::filesystem::path& file, Layer layer) {
  try {
    const DatabaseFiles files(file);
    return files.is_on_network() && !files.has_log() ? read_on_network(files, file, layer) : read(files, file, layer);
  } catch (const std::bad_alloc&) {
    throw unusable(file, "there is too little memory to read it", "free some, or use a smaller file");
  }
}

}  // namespace scantune
