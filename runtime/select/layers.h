// The layers of tuning databases: the user's, the project's, synced ones, the system's, and the built-in records of the
// library.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "select/database_files.h"
#include "select/tuning_table.h"
#include "support/embedded_file.h"

namespace scantune {

// SCANTUNE_DB, else $XDG_DATA_HOME/scantune/tuning.db, else ~/.local/share/scantune/tuning.db; nullopt without a home.
std::optional<std::filesystem::path> user_database();
// SCANTUNE_DB_PATH: files separated by colons; earlier ones override later ones.
std::vector<std::filesystem::path> project_databases();
// $XDG_DATA_HOME/scantune/layers, or where that is by default: what `scantune db sync` fetched; nullopt without a home.
std::optional<std::filesystem::path> synced_directory();
// What an administrator and what packages installed, the first overriding the second. No variable names them, so that
// programs with more rights than their callers' read them too.
inline constexpr const char* kSystemDirectories[] = {"/etc/scantune", "/usr/share/scantune"};

// The files *.db of a directory, sorted by name; none where it does not exist. Throws DatabaseError where it cannot be
// read.
std::vector<std::filesystem::path> databases_in(const std::filesystem::path& directory);

struct LayeredFile {
  Layer layer;
  std::filesystem::path file;
};

// The databases of all layers except the built-in one; earlier ones override later ones. A user's database that does
// not exist yet is left out. A remark names each directory that cannot be read.
std::vector<LayeredFile> layered_files(std::vector<std::string>& remarks);

// Rows of text with one JSON object per line, as docs/sharing.md describes it, of which the library needs the columns
// of db/queries/load_*.sql; what may be null may be left out. Throws DatabaseError naming the line.
std::vector<RecordRow> parse_built_in(std::string_view json_lines);
std::vector<RecordRow> built_in_records();
std::span<const EmbeddedFile> built_in_databases();  // their text: db/builtin/*.jsonl, embedded by the build

// The table over the given files, of which earlier ones override later ones, and the built-in records. Throws
// DatabaseError.
TuningTable table_of(std::span<const std::filesystem::path> files);

struct LayersRead {
  TuningTable table;
  bool has_kept;  // whether records of a database that cannot be read are those of before
};
// The table over all layers. For a database that cannot be read, it has the records that the table of before has of it;
// a remark says why. Throws std::bad_alloc.
LayersRead read_all_layers(const TuningTable& before, std::vector<std::string>& remarks);

// What changes when a database of some layer is written, added or removed, and when one was written last.
DatabaseStamp stamp_of_all_layers();

}  // namespace scantune
