// The tuning records of this process: all layers, read on first use, and again when a program asks for it.
#pragma once

#include <atomic>
#include <memory>

#include "select/tuning_table.h"

namespace scantune {

// The table over all layers. It stays as it is for those who have it, whatever is read later. A database that cannot be
// read is logged once and left out.
std::shared_ptr<const TuningTable> records_in_use();

// Reads all layers again. Throws std::bad_alloc, and the records stay as they were.
void reload_records();

// Moves on whenever the records do; 0 before they are read.
inline std::atomic<u64> records_generation = 0;

}  // namespace scantune
