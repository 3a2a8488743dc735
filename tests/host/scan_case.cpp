#include "scan_case.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench.h"
#include "edge_sizes.h"
#include "families_under_test.h"
#include "scan_items.h"

namespace scantune {
namespace {

constexpr u64 kSomeColumns = 31;  // no power of two, and so many that no tile is nearly empty, which takes hours

// The request as the config's family takes it, in several columns if it does so.
ScanRequest taken_in_columns(const ScanCase& scan) {
  ScanRequest request = taken_by(scan.config.family(), scan.request);
  if (request.segments == Segments::columns && request.n >= kSomeColumns) request.columns = kSomeColumns;
  return request;
}

// Scans the items as `request`, which is that of the case or the same in columns.
void check(const ScanCase& scan, const ScanRequest& request, const Bytes& items, const Bytes& init,
           const Module& module, u64 first_item = 0) {
  if (is_rehearsal()) return;
  SCOPED_TRACE(to_string(scan));
  HostDevice& device = bench().device;
  const u64 output_bytes = request.n * static_cast<u64>(request.output_bytes());
  const GuardedMemory init_memory(device, init.size(),
                                  static_cast<u64>(request.alignment_of(request.accumulator_type)));
  std::copy(init.begin(), init.end(), init_memory.data());
  const bool aligned = scan.variant == Variant::aligned;
  const GuardedMemory input(device, items.size(),
                            aligned ? aligned_offset(request, items.size()) : scan.misaligned_input_bytes);
  const GuardedMemory output(device, output_bytes,
                             aligned ? aligned_offset(request, output_bytes) : scan.misaligned_output_bytes);
  std::copy(items.begin(), items.end(), input.data());
  const GuardedMemory& result = scan.in_place ? input : output;
  const Workspace workspace(device, scan.config.family().workspace(scan.config, request));
  const void* const init_argument = request.init == Init::memory ? init_memory.data() : init.data();
  const auto launches =
      scan_launches(module, scan.config, request, {input.data(), result.data(), workspace.data(), init_argument},
                    scan.variant, first_item);
  ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(scan.seed)));

  const Bytes expected = expected_scan(request, items, init.data(), scan.custom);
  ASSERT_EQ(difference(request, result.data(), expected, scan.custom), std::nullopt);
  EXPECT_TRUE(input.surroundings_intact() && output.surroundings_intact() && init_memory.surroundings_intact());
  EXPECT_TRUE(scan.in_place || std::equal(items.begin(), items.end(), input.data())) << "the input has changed";
}

}  // namespace

std::string to_string(const ScanCase& scan) {
  return scantune::to_string(scan.request) + ", " + scantune::to_string(scan.config) +
         (scan.in_place ? ", in place, " : ", ") + "input " + std::to_string(scan.misaligned_input_bytes) +
         " and output " + std::to_string(scan.misaligned_output_bytes) + " bytes from alignment, seed " +
         std::to_string(scan.seed);
}

std::vector<const FamilyModel*> families_of_long_scans() {
  std::vector<const FamilyModel*> families(all_scan_families().begin(), all_scan_families().end());
  const ScanRequest long_row{.segments = Segments::rows, .n = 1u << 17, .rows = 1};
  std::erase_if(families, [&](const FamilyModel* family) {
    return takes_only_offsets(*family) ||
           (takes_only_rows(*family) && family->unsupported_reason(long_row, kHostSm) != nullptr);
  });
  return families;
}

bool solves(const FamilyModel& family, ScanRequest request, u64 n) {
  request.n = n;
  return family.unsupported_reason(taken_by(family, request), kHostSm) == nullptr;
}

ScanRequest scan_of(ValueType input, ValueType output, Operator op) {
  return {.input_type = input, .accumulator_type = default_accumulator(input, output), .output_type = output, .op = op};
}
ScanRequest scan_of(ValueType type, Operator op) { return scan_of(type, type, op); }

void check(const ScanCase& scan, const Bytes& items, const Bytes& init, const Module& module, u64 first_item) {
  check(scan, taken_by(scan.config.family(), scan.request), items, init, module, first_item);
}

void check(const ScanCase& scan) {
  const CustomOperator* const custom = scan.custom != nullptr ? &scan.custom->custom : nullptr;
  const ScanRequest request = taken_in_columns(scan);
  const Module& module = bench().kernels.get(scan.request, scan.config, custom, scan.variant);
  if (is_rehearsal()) return;
  check(scan, request, scan_items(request, scan.seed, scan.custom), scan_init(scan.request, scan.custom), module);
}

u64 random_misalignment(const ScanRequest& request, ValueType type, Random& random) {
  return static_cast<u64>(request.alignment_of(type)) * random.below(kVectorAlignmentBytes);
}

void check_edge_sizes(ScanRequest request, const Config& config, Random& random, const TestOperator* custom,
                      const std::vector<bool>& alignments) {
  request.n = kSomeItems;
  request.direction = in_drawn_direction(config.family(), taken_by(config.family(), request), random).direction;
  for (const u64 n : edge_sizes(static_cast<u64>(config.family().tile_items(config, request)))) {
    if (!solves(config.family(), request, n)) continue;
    for (const bool aligned : alignments) {
      request.n = n;
      ScanCase scan{request, config, random.below(1u << 30), custom};
      if (!aligned) scan.variant = Variant::any;
      scan.in_place = request.input_bytes() == request.output_bytes() && random.chance(50);
      if (!aligned) {
        scan.misaligned_input_bytes = random_misalignment(request, request.input_type, random);
        scan.misaligned_output_bytes = random_misalignment(request, request.output_type, random);
      }
      check(scan);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace scantune
