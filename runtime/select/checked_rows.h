// The rows of tuning databases after their check: usable records, and why the others are refused.
#pragma once

#include <vector>

#include "select/tuning_record.h"

namespace scantune {

struct CheckedRows {
  static constexpr std::size_t kMostListed = 1000;

  std::vector<TuningRecord> records;
  std::vector<RejectedRow> rejected;    // the first kMostListed of them
  std::size_t unlisted_rejections = 0;  // those after them: a file may hold nothing else

  void add(const RecordRow& row);
  void add(CheckedRows rows);
  void reject(RejectedRow row);
};

}  // namespace scantune
