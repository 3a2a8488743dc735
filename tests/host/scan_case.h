// Scans compared with a plain loop, at the edge sizes.
#pragma once

#include <string>
#include <vector>

#include "expected_scan.h"
#include "sampled_requests.h"
#include "scan_kernels.h"

namespace scantune {

inline constexpr int kMaxScanTileItems = 2048;

struct ScanCase {
  ScanRequest request;  // includes n
  Config config;
  u64 seed;
  const TestOperator* custom = nullptr;
  bool in_place = false;
  u64 misaligned_input_bytes = 0;
  u64 misaligned_output_bytes = 0;
  Variant variant = Variant::aligned;  // that of the kernels
};

std::string to_string(const ScanCase& scan);

// Families that take long sequences; rows_test.cpp and offset_scans_test.cpp have the others.
std::vector<const FamilyModel*> families_of_long_scans();

bool solves(const FamilyModel& family, ScanRequest request, u64 n = kSomeItems);

ScanRequest scan_of(ValueType input, ValueType output, Operator op = Operator::sum);
ScanRequest scan_of(ValueType type, Operator op = Operator::sum);

// Scans items that are drawn by the seed.
void check(const ScanCase& scan);
// Scans the items with the module, whose first tile is that of first_item, starting from `init`.
void check(const ScanCase& scan, const Bytes& items, const Bytes& init, const Module& module, u64 first_item = 0);

// A pointer as badly aligned as the type allows, or better.
u64 random_misalignment(const ScanRequest& request, ValueType type, Random& random);

// Scans of every edge size, in a direction and in places that are drawn, for pointers that are aligned or not.
void check_edge_sizes(ScanRequest request, const Config& config, Random& random, const TestOperator* custom = nullptr,
                      const std::vector<bool>& alignments = {true, false});

}  // namespace scantune
