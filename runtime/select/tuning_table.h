// Every usable tuning record of this process, and every row that was refused. Immutable: readers need no lock.
#pragma once

#include <span>
#include <vector>

#include "select/tuning_record.h"

namespace scantune {

class TuningTable {
 public:
  TuningTable() = default;
  explicit TuningTable(std::span<const RecordRow> rows);

  // The records of one architecture whose input, accumulator and output values are as wide as the request's; of custom
  // types if its own are.
  std::span<const TuningRecord> candidates(int sm, const ScanRequest& request) const;

  std::span<const TuningRecord> records() const { return records_; }
  std::span<const RejectedRow> rejected() const { return rejected_; }

 private:
  void drop_breakpoints_without_upper_end();

  std::vector<TuningRecord> records_;  // sorted by architecture and sizes
  std::vector<RejectedRow> rejected_;
};

}  // namespace scantune
