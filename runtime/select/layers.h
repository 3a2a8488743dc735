// The layers of tuning databases: the user's, shared files, and the records that came with the library.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "select/tuning_table.h"
#include "support/embedded_file.h"

namespace scantune {

// SCANTUNE_DB, else $XDG_DATA_HOME/scantune/tuning.db, else ~/.local/share/scantune/tuning.db; nullopt without a home.
std::optional<std::filesystem::path> user_database();
// SCANTUNE_DB_PATH: files separated by colons, the first overriding those behind it.
std::vector<std::filesystem::path> shared_databases();

// Rows of text with one JSON object per line, whose members are the columns of db/queries/load_*.sql, without ids; what
// may be null may be left out. Throws DatabaseError naming the line.
std::vector<RecordRow> parse_built_in(std::string_view json_lines);
std::vector<RecordRow> built_in_records();
std::span<const EmbeddedFile> built_in_databases();  // their text: db/builtin/*.jsonl, put in by the build

// The table over the given files, the first overriding those behind it, and the built-in records. Throws DatabaseError.
TuningTable table_of(std::span<const std::filesystem::path> files);

// The table over all layers, loaded on first use and kept. A user database that does not exist yet is empty; one that
// cannot be read is logged once and left out.
const TuningTable& tuning_table();

}  // namespace scantune
