// The reading side of a tuning database, and the only file of the library that knows SQLite.
#pragma once

#include <filesystem>
#include <vector>

#include "select/record_row.h"

namespace scantune {

// Every record of a tuning database, unchecked. The file is opened for reading only and nothing stored in it is
// executed. Throws DatabaseError, naming the file and what to do, when it is missing, locked, damaged, not a tuning
// database, or written by a newer version.
std::vector<RecordRow> read_records(const std::filesystem::path& file, Layer layer);

}  // namespace scantune
