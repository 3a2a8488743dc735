// One row of a tuning database as read, unchecked.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/contract/types.h"

namespace scantune {

struct RecordOrigin;
struct StatedRequest;

// The layer that a row comes from; an earlier layer overrides a later one.
enum class Layer {
  user,
  project,  // SCANTUNE_DB_PATH
  synced,   // what `scantune db sync` fetched
  system,   // what an administrator or a package installed
  built_in  // what came with the library
};
template <>
struct Tokens<Layer> {
  static constexpr const char* kNames[] = {"user", "project", "synced", "system", "built_in"};
};

// The device that records were measured on.
struct DeviceRow {
  std::string arch;
  std::string device_name;
  std::int64_t sm_count = 0;
};

inline constexpr std::size_t kLongestRequest = 1024;  // bytes of its JSON; a tuner writes none longer

// The problem that records solve, of any n.
struct ProblemRow {
  std::string algorithm;
  std::string request;  // JSON; its members at their default are left out
  std::string shape;    // classes of the extents beside n
  // The request that the row states, once it was read, which many records share; null before that.
  std::shared_ptr<const StatedRequest> stated;

  bool is_of_same_problem(const ProblemRow& other) const {
    return algorithm == other.algorithm && request == other.request && shape == other.shape;
  }
};

// Where the record of the next larger N takes over: measured between the two, in the row of the smaller.
struct BreakpointRow {
  std::int64_t n_high = 0;
  std::int64_t n_switch = 0;
};

// A row without a range serves its octave: more than this number of items, up to its own n.
constexpr std::int64_t octave_begin(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n) - 1));
}

struct RecordRow : DeviceRow, ProblemRow {
  Layer layer = Layer::user;
  std::string database;                                  // the file, or "built-in"
  std::shared_ptr<const RecordOrigin> origin = nullptr;  // what its run says of it; null where it says nothing

  std::int64_t n = 0;
  std::int64_t served_above = 0;  // the range: it serves more items than this,
  std::int64_t served_up_to = 0;  // and no more than this
  std::string family;
  std::string config;  // the parameters as JSON
  std::string template_hash;
  double median_us = 0;
  std::optional<double> default_us;  // null in the database when the default config failed
  std::string finished_at;
  std::optional<BreakpointRow> breakpoint = std::nullopt;
};

// The functions below read the columns of the queries db/queries/load_*.sql by name. Columns has text(name),
// integer(name), real(name) and is_null(name).

template <class Columns>
void read_row(const Columns& columns, DeviceRow& row) {
  row.arch = columns.text("arch");
  row.device_name = columns.text("device_name");
  row.sm_count = columns.integer("sm_count");
}

template <class Columns>
void read_row(const Columns& columns, ProblemRow& row) {
  row.algorithm = columns.text("algorithm");
  row.request = columns.text("request");
  row.shape = columns.is_null("shape") ? "" : columns.text("shape");
}

// The columns of the record itself, except its range. The template hash is that of its run.
template <class Columns>
void read_own_columns(const Columns& columns, RecordRow& row) {
  row.n = columns.integer("n");
  row.family = columns.text("family");
  row.config = columns.text("config");
  row.median_us = columns.real("median_us");
  row.default_us = columns.is_null("default_us") ? std::nullopt : std::optional(columns.real("default_us"));
  row.finished_at = columns.text("finished_at");
}

template <class Columns>
BreakpointRow read_breakpoint(const Columns& columns) {
  return {.n_high = columns.integer("n_high"), .n_switch = columns.integer("n_switch")};
}

}  // namespace scantune
