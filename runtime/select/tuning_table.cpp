#include "select/tuning_table.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace scantune {
namespace {

auto key_of(int sm, const ScanRequest& request) {
  return std::tuple(sm, request.input_bytes(), request.accumulator_bytes(), request.output_bytes(),
                    request.custom_bytes);
}

auto key_of_record(const TuningRecord& record) { return key_of(record.device.sm, record.request); }

}  // namespace

TuningTable::TuningTable(std::span<const RecordRow> rows) {
  for (const RecordRow& row : rows) {
    auto result = check(row);
    if (auto* rejected = std::get_if<RejectedRow>(&result)) {
      rejected_.push_back(std::move(*rejected));
      continue;
    }
    records_.push_back(std::move(std::get<TuningRecord>(result)));
    if (!row.breakpoint) continue;
    auto breakpoint = check_breakpoint(row);
    if (auto* rejected = std::get_if<RejectedRow>(&breakpoint))
      rejected_.push_back(std::move(*rejected));
    else
      records_.back().breakpoint = std::get<Breakpoint>(breakpoint);
  }
  std::ranges::stable_sort(records_, {}, key_of_record);
  drop_breakpoints_without_upper_end();
}

void TuningTable::drop_breakpoints_without_upper_end() {
  // Sorted: a database of any size is searched in no time.
  std::set<std::pair<decltype(problem_of(records_.front())), u64>> places;
  for (const TuningRecord& record : records_) places.emplace(problem_of(record), record.request.n);
  for (TuningRecord& record : records_) {
    if (!record.breakpoint || places.contains({problem_of(record), record.breakpoint->n_high})) continue;
    rejected_.push_back(rejected_breakpoint(
        record, "there is no usable record at its upper end, n = " + std::to_string(record.breakpoint->n_high)));
    record.breakpoint.reset();
  }
}

std::span<const TuningRecord> TuningTable::candidates(int sm, const ScanRequest& request) const {
  const auto key = key_of(sm, request);
  const auto first = std::ranges::lower_bound(records_, key, {}, key_of_record);
  const auto last = std::ranges::upper_bound(records_, key, {}, key_of_record);
  return {first, last};
}

}  // namespace scantune
