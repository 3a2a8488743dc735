// A row of a tuning database that has been checked against the parameter space this library was built with.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "device/device.h"
#include "select/record_row.h"

namespace scantune {

struct TuningRecord {
  DeviceIdentity device;
  ScanRequest request;
  std::string operator_name;  // of a custom operator that was tuned by name; else empty
  Config config;
  std::string template_hash;
  double median_us = 0;
  std::optional<double> default_us;  // of the default config in the same round; nullopt if that one failed
  std::string finished_at;
  Layer layer = Layer::user;
  std::string database;

  // Whether the kernels have changed since it was measured: it still runs, but may no longer be the best.
  bool is_stale() const { return template_hash != scantune::template_hash(); }
};

// A row that must not be used, and why.
struct RejectedRow {
  std::string row;  // database, config and problem, for people
  std::string reason;
};

std::variant<TuningRecord, RejectedRow> check(const RecordRow& row);

}  // namespace scantune
