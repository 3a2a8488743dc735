#include "select/tuning_table.h"

#include <algorithm>
#include <tuple>

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
  for (TuningRecord& record : records_) {
    if (!record.breakpoint) continue;
    const u64 n_high = record.breakpoint->n_high;
    const bool has_end = std::ranges::any_of(candidates(record.device.sm, record.request), [&](const auto& other) {
      return other.request.n == n_high && are_of_one_problem(record, other);
    });
    if (has_end) continue;
    rejected_.push_back(
        rejected_breakpoint(record, "there is no usable record at its upper end, n = " + std::to_string(n_high)));
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
