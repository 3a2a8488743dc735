// Measurements, selections and race exhibits as JSON of the protocol.
#pragma once

#include "measure/exhibits.h"
#include "measure/race.h"
#include "select/selector.h"
#include "worker/protocol.h"

namespace scantune {

Json failure_json(const WorkerError& error);
Json outcome_json(const MeasureOutcome& outcome, bool with_samples);
Json selection_json(const Selection& selection);
Json exhibit_json(const Exhibit& exhibit, const ExhibitRuns& runs);

}  // namespace scantune
