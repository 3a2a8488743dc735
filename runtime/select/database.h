// The reading side of a tuning database.
#pragma once

#include <filesystem>

#include "select/checked_rows.h"

namespace scantune {

// Every record of a tuning database, which may come from anyone. The file is opened for reading only, nothing stored in
// it is executed, and its size and time have limits. Throws DatabaseError, naming the file and what to do, when it is
// missing, locked, damaged, not a tuning database, written by a newer version, or more than the machine's memory holds.
CheckedRows read_records(const std::filesystem::path& file, Layer layer);

}  // namespace scantune
