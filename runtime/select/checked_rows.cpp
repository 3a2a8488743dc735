#include "select/checked_rows.h"

#include <iterator>
#include <utility>

namespace scantune {

void CheckedRows::add(const RecordRow& row) {
  auto result = check(row);
  if (auto* refused = std::get_if<RejectedRow>(&result)) return reject(std::move(*refused));
  records.push_back(std::move(std::get<TuningRecord>(result)));
  if (!row.breakpoint) return;
  auto breakpoint = check_breakpoint(row);
  if (auto* refused = std::get_if<RejectedRow>(&breakpoint)) return reject(std::move(*refused));
  records.back().breakpoint = std::get<Breakpoint>(breakpoint);
}

void CheckedRows::add(CheckedRows rows) {
  records.insert(records.end(), std::make_move_iterator(rows.records.begin()),
                 std::make_move_iterator(rows.records.end()));
  for (RejectedRow& row : rows.rejected) reject(std::move(row));
  unlisted_rejections += rows.unlisted_rejections;
}

void CheckedRows::reject(RejectedRow row) {
  if (rejected.size() < kMostListed)
    rejected.push_back(std::move(row));
  else
    ++unlisted_rejections;
}

}  // namespace scantune
