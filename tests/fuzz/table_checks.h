// Checks that hold for every table of tuning records, whatever its rows were.
#pragma once

#include "select/tuning_table.h"

namespace scantune::fuzz {

// Checks that the table's records are legal, that each serves its range alone, which holds its n, and that the
// configs selected from it, for its own problems and others, are legal where they would run.
void check_table(const TuningTable& table);

}  // namespace scantune::fuzz
