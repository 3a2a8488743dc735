// Selections from rows, for the tests of the selector.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "message_of.h"
#include "select/selector.h"
#include "select_rows.h"

namespace scantune::testing {

inline Selection select_from(std::vector<RecordRow> rows, const ScanRequest& request,
                             const DeviceIdentity& device = kH200) {
  return select(TuningTable(rows), device, request);
}

// Selects for a custom operator on 8 bytes, of moderate cost.
inline Selection select_custom(std::vector<RecordRow> rows, std::string_view name, u64 n = 1 << 16) {
  return select(TuningTable(rows), kH200, custom_of(8, Operator::custom_moderate, n), name);
}

// Gives a row another range: it serves more items than the first, and no more than the second.
inline RecordRow serving(std::int64_t above, std::int64_t up_to, RecordRow row) {
  row.served_above = above;
  row.served_up_to = up_to;
  return row;
}

// Gives it a range that holds every n of these tests.
inline RecordRow everywhere(RecordRow row) { return serving(0, std::int64_t{1} << 30, std::move(row)); }

inline ScanRequest isolated_sum_of(u64 n) {
  ScanRequest request = sum_of(n);
  request.latency = Latency::isolated;
  return request;
}

inline RecordRow isolated(RecordRow row) {
  state(row, {"latency"}, "isolated");
  return row;
}

inline RecordRow of_type(RecordRow row, const char* type) {
  state(row, {"input_type", "accumulator_type", "output_type"}, type);
  return row;
}

inline ScanRequest of_type(ScanRequest request, ValueType type) {
  request.input_type = request.accumulator_type = request.output_type = type;
  return request;
}

inline RecordRow built_in(RecordRow row) {
  row.layer = Layer::built_in;
  return row;
}

}  // namespace scantune::testing
