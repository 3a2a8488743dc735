#include "select/tuning_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace scantune {
namespace {

// A key, which is equal where a record's types are as wide as a request's.
auto widths_of(int sm, const Request& request) {
  std::array<unsigned char, Request::kMaxMembers> widths{};
  for (const MemberModel& member : request.members())
    if (member.match == Match::width)
      widths[static_cast<std::size_t>(member.place)] =
          static_cast<unsigned char>(request.bytes_of(request.type(member)));
  return std::tuple(sm, std::string_view(request.algorithm().name()), widths, request.custom_bytes);
}

auto widths_of_record(const TuningRecord& record) { return widths_of(record.device.sm, record.request); }

CheckedRows rows_of(std::span<const RecordRow> rows) {
  CheckedRows all;
  for (const RecordRow& row : rows) all.add(row);
  return all;
}

}  // namespace

TuningTable::TuningTable(CheckedRows rows) : rows_(std::move(rows)) {
  std::ranges::stable_sort(rows_.records, {}, widths_of_record);
  apply_breakpoints();
}

TuningTable::TuningTable(std::span<const RecordRow> rows) : TuningTable(rows_of(rows)) {}

// A breakpoint splits what the upper record serves of the sizes between both N: the lower one, which was faster below
// it, takes the part below it. Where the upper one does not serve all of these sizes, it was no faster at the others
// than what runs untuned, or nobody measured whether it is: then both keep their ranges.
void TuningTable::apply_breakpoints() {
  const auto has_breakpoint = [](const TuningRecord& record) { return record.breakpoint.has_value(); };
  if (std::ranges::none_of(rows_.records, has_breakpoint)) return;
  // The places are sorted, so that searching a database of any size takes little time.
  std::map<std::pair<decltype(problem_of(rows_.records.front())), u64>, TuningRecord*> places;
  for (TuningRecord& record : rows_.records) places[{problem_of(record), record.request.n}] = &record;
  for (TuningRecord& record : rows_.records) {
    if (!record.breakpoint) continue;
    const auto [n_high, n_switch] = *std::exchange(record.breakpoint, std::nullopt);
    const auto high = places.find({problem_of(record), n_high});
    if (high == places.end())
      rows_.reject(
          rejected_breakpoint(record, "there is no usable record at its upper end, n = " + std::to_string(n_high)));
    else if (high->second->served_above <= record.request.n)
      record.served_up_to = high->second->served_above = n_switch - 1;
  }
}

std::span<const TuningRecord> TuningTable::candidates(int sm, const Request& request) const {
  const auto key = widths_of(sm, request);
  const auto first = std::ranges::lower_bound(rows_.records, key, {}, widths_of_record);
  const auto last = std::ranges::upper_bound(rows_.records, key, {}, widths_of_record);
  return {first, last};
}

}  // namespace scantune
