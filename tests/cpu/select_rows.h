// Rows of tuning databases for the tests of the selector.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "scantune/error.hpp"
#include "select/record_row.h"
#include "select/tuning_record.h"
#include "space/config_json.h"

namespace scantune::testing {

inline const DeviceIdentity kH200{"sm_90", 90, "NVIDIA H200", 132};

// A legal row: i32 inclusive sum of n items on an H200, with the default config of the named family.
inline RecordRow row_of(const char* family, std::int64_t n) {
  ScanRequest request;
  request.n = static_cast<u64>(n);
  const Config config = find_family(family)->default_config(request, 90);
  RecordRow row;
  static_cast<DeviceRow&>(row) = {.arch = "sm_90", .device_name = "NVIDIA H200", .sm_count = 132};
  static_cast<ProblemRow&>(row) = {.algorithm = "scan",
                                   .request = R"({"input_type":"i32","accumulator_type":"i32","output_type":"i32"})",
                                   .shape = {},
                                   .stated = {}};
  row.database = "test.db";
  row.n = n;
  row.served_above = octave_begin(n);
  row.served_up_to = n;
  row.family = family;
  row.config = canonical_parameters(config);
  row.template_hash = template_hash(config.family(), is_custom(request.op), 90);
  row.median_us = std::max(10.0, 5e-6 * static_cast<double>(n));  // no device takes 10 µs for any n
  row.default_us = 1.2 * row.median_us;
  row.finished_at = "2025-01-02T03:04:05Z";
  return row;
}

// Gives the named members of the row's request a value.
inline void state(RecordRow& row, std::initializer_list<const char*> members, const std::string& value) {
  Json request = Json::parse(row.request);
  for (const char* member : members) request[member] = value;
  row.request = request.dump();
  try {
    row.request = canonical_request(parse_request(algorithm_of<ScanRequest>(), row.request));
  } catch (const RequestError&) {  // the test expects the selector to refuse it
  }
}

// Such a row with one parameter changed, so that a test can tell configs apart.
inline RecordRow row_with(const char* family, std::int64_t n, const char* parameter, int value) {
  RecordRow row = row_of(family, n);
  Config config = parse_config(row.family, row.config);
  for (int index = 0; index < static_cast<int>(config.family().parameters().size()); ++index)
    if (std::string_view(config.family().parameters()[static_cast<std::size_t>(index)].name) == parameter)
      config[index] = value;
  row.config = canonical_parameters(config);
  return row;
}

// Such a row for a struct of that many bytes and a custom operator, spelled as in the column op.
inline RecordRow custom_row(int bytes, const char* op, std::int64_t n, int block_threads = 256) {
  RecordRow row = row_with("lookback", n, "block_threads", block_threads);
  state(row, {"input_type", "accumulator_type", "output_type"}, "custom" + std::to_string(bytes));
  state(row, {"op"}, op);
  return row;
}

inline ScanRequest custom_of(int bytes, Operator op, u64 n) {
  return {.input_type = ValueType::custom,
          .accumulator_type = ValueType::custom,
          .output_type = ValueType::custom,
          .op = op,
          .custom_bytes = bytes,
          .custom_alignment = bytes & -bytes,
          .n = n};
}

inline ScanRequest sum_of(u64 n) {
  ScanRequest request;
  request.n = n;
  return request;
}

inline int value_of(const Config& config, std::string_view parameter) {
  for (int index = 0; index < static_cast<int>(config.family().parameters().size()); ++index)
    if (parameter == config.family().parameters()[static_cast<std::size_t>(index)].name) return config[index];
  return -1;
}

}  // namespace scantune::testing
