// What mutants of the kernels are run with.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "select/config/select.h"
#include "test_operator.h"

namespace scantune {

// A mutant has to be caught within this many schedules of one of the settings below. Each setting has schedules of its
// own, and some setting catches most mutants within the first few.
inline constexpr u64 kSeeds = 200;
inline constexpr u64 kSeedsOfManyTiles = 8;

struct Setting {
  const char* family;
  std::vector<std::pair<std::string, std::string>> values;
  bool wraps_epoch = false;                 // one of the launches uses the last epoch
  std::optional<TestOperator> custom = {};  // the operator; without one it is a sum of i32
  u64 tiles = 9;                            // full tiles
  u64 misaligned_input_bytes = 0;
  u64 misaligned_output_bytes = 0;
  u64 rows = 0;                           // into which the items are cut; 0: they are one sequence
  Operator op = Operator::sum;            // where the caller gives none
  bool reads_n = false;                   // memory says how many items there are, and more CTAs are launched
  u64 columns = 0;                        // into which the items are cut, where not into rows
  u64 segments = 0;                       // by offsets, likewise
  bool consumes_input = false;            // a sort
  Rejected rejected = Rejected::dropped;  // of a selection
  u64 tail_items = 79;                    // of a ragged tile that follows, which takes several lanes
  bool has_keys = false;                  // beside the items of a scan: each run of equal ones is a segment
  bool writes_totals = false;             // of these

  bool in_place() const { return misaligned_input_bytes == misaligned_output_bytes; }
  u64 seeds() const { return tiles < 1000 ? kSeeds : kSeedsOfManyTiles; }
};

extern const std::vector<Setting> kSettings;

// A mutant that cannot be caught here, and why.
struct Waiver {
  const char* path;
  const char* kind;
  int occurrence;
  const char* reason;
};
extern const std::vector<Waiver> kWaivers;

}  // namespace scantune
