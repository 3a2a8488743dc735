#include "table_checks.h"

#include <algorithm>
#include <cmath>

#include "examples.h"
#include "require.h"
#include "scantune/error.hpp"
#include "select/selector.h"

namespace scantune::fuzz {
namespace {

constexpr std::size_t kMostAsked = 4;  // problems of a table for which configs are selected

bool is_printable(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

void check_record(const TuningRecord& record) {
  require(reject_reason(record.config, record.request, record.device.sm) == nullptr, "a record's config is legal");
  require(record.request.n >= 1 && record.served_up_to <= kMostItems, "a record's n is a size");
  require(record.served_above < record.request.n && record.request.n <= record.served_up_to,
          "a record's range holds its n");
  require(record.device.sm_count >= 1, "a record's device has SMs");
  require(std::isfinite(record.median_us) && record.median_us > 0, "a record's time is positive");
  require(!record.default_us || (std::isfinite(*record.default_us) && *record.default_us > 0),
          "the default's time is positive");
  require(is_printable(record.device.name) && is_printable(record.finished_at), "a record's texts can be printed");
}

void check_selection(const TuningTable& table, const DeviceIdentity& device, const Request& request,
                     std::string_view operator_name) {
  try {
    const Selection selection = select(table, device, request, operator_name);
    require(reject_reason(selection.config, request, device.sm) == nullptr, "a selected config is legal");
    require(selection.record.has_value() == (selection.origin != ConfigOrigin::untuned),
            "what comes from a record says from which");
    require(!selection.record ||
                (selection.record->served_above < request.n && request.n <= selection.record->served_up_to),
            "a record serves its range alone");
  } catch (const RequestError&) {
    require(std::ranges::all_of(
                families(),
                [&](const FamilyModel* family) { return family->unsupported_reason(request, device.sm) != nullptr; }),
            "a request is refused only if no family supports it");
  }
}

// Checks selections at the n of a record, at the ends of its range, and beside them.
void check_around(const TuningTable& table, const TuningRecord& record) {
  const u64 own = record.request.n, above = record.served_above, up_to = record.served_up_to;
  for (const u64 n : {own, own + 1, own / 3 + 1, above, above + 1, up_to, up_to + 1}) {
    Request request = record.request;
    request.n = std::min(n, kMostItems);
    check_selection(table, record.device, request, record.operator_name);
  }
}

}  // namespace

void check_table(const TuningTable& table) {
  for (const RejectedRow& row : table.rejected()) require(!row.reason.empty(), "a row is refused for a reason");
  for (const TuningRecord& record : table.records()) check_record(record);
  if (table.records().empty()) return;
  for (const TuningRecord& record : table.records().first(std::min(kMostAsked, table.records().size())))
    check_around(table, record);
  static const auto kDevices = example_devices();
  static const auto kRequests = example_requests();
  std::size_t next = table.records().size() + table.rejected().size();
  for (const DeviceIdentity& device : kDevices) {
    const StatedRequest& stated = kRequests[next++ % kRequests.size()];
    check_selection(table, device, stated.request, stated.custom.name);
  }
}

}  // namespace scantune::fuzz
