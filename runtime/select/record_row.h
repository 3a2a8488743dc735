// One row of a tuning database as it was read: nothing about it has been checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scantune {

// Where a row comes from; an earlier layer overrides a later one.
enum class Layer { user, shared, built_in };

// Where the record of the next larger N takes over: measured between the two, in the row of the smaller.
struct BreakpointRow {
  std::int64_t n_high = 0;
  std::int64_t n_switch = 0;
  double regret = 0;
  std::string template_hash;
};

struct RecordRow {
  Layer layer = Layer::user;
  std::string database;  // the file, or "built-in"

  std::string arch;
  std::string device_name;
  std::int64_t sm_count = 0;

  std::string input_type;
  std::string accumulator_type;
  std::string output_type;
  std::string op;
  std::string kind;
  std::string determinism;
  std::string forward_progress;
  std::string latency;
  std::int64_t n = 0;

  std::string family;
  std::string config;  // the parameters as JSON
  std::string template_hash;
  double median_us = 0;
  std::optional<double> default_us;  // null in the database when the default config failed
  std::string finished_at;
  std::optional<BreakpointRow> breakpoint = std::nullopt;
};

template <class Columns>
std::optional<BreakpointRow> breakpoint_of(const Columns& columns) {
  if (columns.is_null("next_n")) return std::nullopt;
  return BreakpointRow{columns.integer("next_n"), columns.integer("switch_n"), columns.real("switch_regret"),
                       columns.text("switch_template_hash")};
}

// The row of one result of db/queries/load_records.sql. Columns has text(name), integer(name), real(name) and
// is_null(name).
template <class Columns>
RecordRow row_of(const Columns& columns, Layer layer, const std::string& database) {
  return {.layer = layer,
          .database = database,
          .arch = columns.text("arch"),
          .device_name = columns.text("device_name"),
          .sm_count = columns.integer("sm_count"),
          .input_type = columns.text("input_type"),
          .accumulator_type = columns.text("accumulator_type"),
          .output_type = columns.text("output_type"),
          .op = columns.text("op"),
          .kind = columns.text("kind"),
          .determinism = columns.text("determinism"),
          .forward_progress = columns.text("forward_progress"),
          .latency = columns.text("latency"),
          .n = columns.integer("n"),
          .family = columns.text("family"),
          .config = columns.text("config"),
          .template_hash = columns.text("template_hash"),
          .median_us = columns.real("median_us"),
          .default_us = columns.is_null("default_us") ? std::nullopt : std::optional(columns.real("default_us")),
          .finished_at = columns.text("finished_at"),
          .breakpoint = breakpoint_of(columns)};
}

}  // namespace scantune
