// A reduction on the host device, compared with a plain loop, at the edge sizes.
#pragma once

#include <span>
#include <vector>

#include "expected_scan.h"
#include "sampled_requests.h"
#include "scan_kernels.h"

namespace scantune::reduce_test {

inline constexpr int kMaxTileItems = 4096;

std::span<const FamilyModel* const> reduce_families();
bool is_of_rows(const FamilyModel& family);  // also of short ones
bool is_of_columns(const FamilyModel& family);
bool is_of_segments(const FamilyModel& family);

ReduceRequest reduction_of(ValueType input, ValueType output, Operator op = Operator::sum, Init init = Init::none,
                           Position position = Position::none);
ReduceRequest custom_reduction(const TestOperator& custom, Init init = Init::none);

// The inclusive scan whose last result is the reduction.
ScanRequest as_scan(const ReduceRequest& request);

// Returns a request that the family is for: a family of rows, columns or segments gets a few of them, and one of short
// rows as many as make them short. The types of offsets, their forms and where their count lies take turns.
ReduceRequest asked_of(const FamilyModel& family, ReduceRequest request, u64 n, u64 rows = 1);

bool solves(const FamilyModel& family, const ReduceRequest& request);

struct Case {
  ReduceRequest request;  // includes n and rows
  Config config;
  u64 seed;
  const TestOperator* custom = nullptr;
  u64 misaligned_bytes = 0;  // of the input
  Variant variant = Variant::aligned;
  u64 first_item = 0;  // index of the input's first item
};

// Reduces the items, which are given as they are in memory but for gaps between rows, from `init`.
void check(const Case& reduction, const Bytes& items, const Bytes& init);
// Reduces items that are drawn by the seed.
void check(const Case& reduction);

// What is read at once, and a tile, must suit the length of short rows. Other configs take any request here.
bool takes(const Config& config, const ReduceRequest& request);

// Reductions of every edge size, of input that is aligned or not.
void check_edge_sizes(const ReduceRequest& of, const Config& config, Random& random,
                      const TestOperator* custom = nullptr, const std::vector<bool>& alignments = {true, false});

// A legal config with small tiles, half of them of one or two warps, which no search tries.
Config drawn_config(const FamilyModel& family, const ReduceRequest& of, Random& random);

}  // namespace scantune::reduce_test
