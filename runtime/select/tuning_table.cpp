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
    if (auto* record = std::get_if<TuningRecord>(&result)) {
      records_.push_back(std::move(*record));
    } else {
      rejected_.push_back(std::move(std::get<RejectedRow>(result)));
    }
  }
  std::ranges::stable_sort(records_, {}, key_of_record);
}

std::span<const TuningRecord> TuningTable::candidates(int sm, const ScanRequest& request) const {
  const auto key = key_of(sm, request);
  const auto first = std::ranges::lower_bound(records_, key, {}, key_of_record);
  const auto last = std::ranges::upper_bound(records_, key, {}, key_of_record);
  return {first, last};
}

}  // namespace scantune
