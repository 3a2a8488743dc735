// Every usable tuning record of this process, and every row that was refused. The table is immutable, so readers need
// no lock.
#pragma once

#include <span>
#include <vector>

#include "select/checked_rows.h"

namespace scantune {

class TuningTable {
 public:
  TuningTable() = default;
  explicit TuningTable(CheckedRows rows);
  explicit TuningTable(std::span<const RecordRow> rows);

  // The records of one architecture, for the request's algorithm, whose values are as wide as the request's; of custom
  // types if its own are.
  std::span<const TuningRecord> candidates(int sm, const Request& request) const;

  std::span<const TuningRecord> records() const { return rows_.records; }
  // The first refused rows: where there are very many, not all.
  std::span<const RejectedRow> rejected() const { return rows_.rejected; }
  std::size_t rejected_count() const { return rows_.rejected.size() + rows_.unlisted_rejections; }

 private:
  void apply_breakpoints();

  CheckedRows rows_;  // records sorted by architecture, algorithm and sizes
};

}  // namespace scantune
