// The tuning records of this process: all layers, read on first use, and again when a program asks for it.
#pragma once

#include <atomic>
#include <memory>

#include "select/tuning_table.h"

namespace scantune {

// The table over all layers. It stays as it is for those who have it, whatever is read later. A database that cannot be
// read is logged once and left out.
std::shared_ptr<const TuningTable> records_in_use();

// The same for a plan that is being made, from the databases as they are now: they are read again where one of them was
// written since, but at most every two seconds, and not while another thread reads them. Tables that were returned
// before stay as they are, and so does records_generation: threads go on with the plans that they remember. A database
// that cannot be read any more keeps its records of before.
std::shared_ptr<const TuningTable> records_for_a_plan();

// Reads all layers again. Throws std::bad_alloc, and the records stay as they were.
void reload_records();

// Moves on with the first reading and with every reload_records(); 0 before that.
inline std::atomic<u64> records_generation = 0;

}  // namespace scantune
