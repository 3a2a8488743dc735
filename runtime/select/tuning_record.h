// A row of a tuning database, checked against this library's parameter space.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "device/device.h"
#include "select/record_origin.h"
#include "select/record_row.h"
#include "space/request.h"

namespace scantune {

// From n_switch items on, the record of n_high is used in place of the one that this belongs to.
struct Breakpoint {
  u64 n_high;
  u64 n_switch;  // above the n of its record, up to n_high
};

struct TuningRecord {
  DeviceIdentity device;
  Request request;
  RequestKey key;  // what requests share that it serves: the request's extents are near its own
  std::string shape;
  u64 served_above = 0;       // it serves more items than this,
  u64 served_up_to = 0;       // and no more than this: a range that holds its n
  std::string operator_name;  // that of a custom operator that was tuned by name; else empty
  Config config;
  std::string template_hash;  // that of the config's family
  double median_us = 0;
  std::optional<double> default_us;  // the default config's in the same round; nullopt if that one failed
  std::string finished_at;
  std::optional<Breakpoint> breakpoint;  // towards the record of the next larger n, until a table splits ranges by it
  Layer layer = Layer::user;
  std::string database;
  std::shared_ptr<const RecordOrigin> origin = nullptr;  // null where nothing is known

  // The hash of its kernels in this library.
  const std::string& current_template_hash() const {
    return scantune::template_hash(config.family(), request.has_custom_operator(), device.sm);
  }
  // Whether the kernels have changed since it was measured: it still runs, but may no longer be the best.
  bool is_stale() const { return template_hash != current_template_hash(); }
};

// 10 * major + minor of the compute capability, or kHostSm. Throws RequestError if it is neither "host" nor "sm_90" or
// the like.
int sm_of(const std::string& arch);

inline constexpr int kMostSms = 1 << 16;  // the most of any device

// A row that must not be used, and why.
struct RejectedRow {
  std::string row;  // database, config and problem, for messages
  std::string reason;
};

// The request that a row states, without n, for all records that name the same; null unless it is spelled as a tuner
// spells it.
std::shared_ptr<const StatedRequest> stated_by(const ProblemRow& row);

// The record, without its breakpoint.
std::variant<TuningRecord, RejectedRow> check(const RecordRow& row);
// The breakpoint of a row that has one.
std::variant<Breakpoint, RejectedRow> check_breakpoint(const RecordRow& row);
// The refusal of a breakpoint, whose record may still be used.
RejectedRow rejected_breakpoint(const TuningRecord& record, const std::string& reason);

// What records have in common that come from one database and differ in n and config alone. The tuple points into the
// record.
inline auto problem_of(const TuningRecord& record) {
  return std::tuple(std::string_view(record.database), record.device.sm, std::string_view(record.device.name),
                    record.device.sm_count, record.key, std::string_view(record.operator_name));
}

}  // namespace scantune
