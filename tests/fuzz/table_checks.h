// What holds for every table of tuning records, whatever the rows were made of.
#pragma once

#include "select/tuning_table.h"

namespace scantune::fuzz {

// Its records are legal, their breakpoints lie between records that are there, and what is selected from it, for
// problems of its own and others, is legal where it would run.
void check_table(const TuningTable& table);

}  // namespace scantune::fuzz
