// Reads the records of a database whose schema was checked.
#pragma once

#include <filesystem>

#include "select/checked_rows.h"
#include "select/hardened_database.h"

namespace scantune {

// Throws DatabaseError, which names the file, where there are more records or more text than any tuner stores, and
// SQLite::Exception.
CheckedRows read_records(HardenedDatabase& database, const std::filesystem::path& file, Layer layer,
                         int schema_version);

}  // namespace scantune
