// Writes which problems a program calls, and how often, to the file that SCANTUNE_RECORD names.
#pragma once

#include "launch/call_counter.h"

namespace scantune {

class Plan;

// Counts the calls of a plan. Null unless SCANTUNE_RECORD, which is read once, names a file. Plans of one problem that
// the same config serves share a counter, which is never destroyed.
CallCounter* counter_of(const Plan& plan) noexcept;

// Writes what was counted since the last time: a line of JSON for each counter, by one write() to the end of the file,
// so that processes may share it. A thread does so every 10 seconds, and the end of the process; a forked child begins
// with none of its parent's counts. Throws RequestError if the file cannot be written; the counts are then kept.
void write_calls();

}  // namespace scantune
