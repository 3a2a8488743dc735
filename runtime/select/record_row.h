// One row of a tuning database as it was read: nothing about it has been checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scantune {

// Where a row comes from; an earlier layer overrides a later one.
enum class Layer { user, shared, built_in };

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
  std::int64_t n = 0;

  std::string family;
  std::string config;  // the parameters as JSON
  std::string template_hash;
  double median_us = 0;
  std::optional<double> default_us;  // null in the database when the default config failed
  std::string finished_at;
};

}  // namespace scantune
