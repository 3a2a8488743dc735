// Scans of rows or of columns on the host device, for the tests of both.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench.h"
#include "designed_rows.h"
#include "expected_scan.h"
#include "sampled_requests.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune {

struct SegmentedScan {
  ScanRequest request;  // with n, and rows or columns
  Config config;
  u64 seed;
  const TestOperator* custom = nullptr;
  bool in_place = false;
  u64 misaligned_input_bytes = 0;
  u64 misaligned_output_bytes = 0;
  int runs = 1;              // on one workspace; a scan in place runs once
  bool wraps_epoch = false;  // the second run has the last epoch
  // What says where segments start, if they do so at any item.
  OperandRole beside = OperandRole::flags;
  const Bytes* entries = nullptr;
  u64 misaligned_entry_bytes = 0;
  std::vector<std::pair<OperandRole, void*>> written = {};  // beside the output
  const MapSource* equal = nullptr;                         // compares keys
  Bytes equal_state = {};

  Variant variant() const {
    return misaligned_input_bytes + misaligned_output_bytes == 0 ? Variant::aligned : Variant::any;
  }
};

inline std::string to_string(const SegmentedScan& scan) {
  return to_string(scan.request) + ", " + to_string(scan.config) + (scan.in_place ? ", in place" : "") + ", input " +
         std::to_string(scan.misaligned_input_bytes) + " and output " + std::to_string(scan.misaligned_output_bytes) +
         " bytes from alignment, " + std::to_string(scan.runs) + " runs" +
         (scan.wraps_epoch ? " of which the second has the last epoch" : "") + ", seed " + std::to_string(scan.seed);
}

// A scan whose seed and placement are drawn. Pointers that are not aligned are so by any number of items.
inline SegmentedScan drawn_scan(const ScanRequest& request, const Config& config, bool aligned, Random& random,
                                const TestOperator* custom = nullptr) {
  SegmentedScan scan{request, config, random.below(1u << 30), custom};
  scan.in_place = request.input_bytes() == request.output_bytes() && random.chance(50);
  if (aligned) return scan;
  const auto misalignment = [&](ValueType type) {
    return static_cast<u64>(request.alignment_of(type)) * (1 + random.below(kVectorAlignmentBytes - 1));
  };
  scan.misaligned_input_bytes = misalignment(request.input_type);
  scan.misaligned_output_bytes = scan.in_place ? scan.misaligned_input_bytes : misalignment(request.output_type);
  return scan;
}

// Runs a scan of these items and puts its results into `results`.
inline void run(const SegmentedScan& scan, const Bytes& items, const Bytes& init, Bytes& results) {
  const ScanRequest& request = scan.request;
  HostDevice& device = bench().device;
  CustomOperator sources = scan.custom ? scan.custom->custom : CustomOperator{};
  if (scan.equal != nullptr) sources.equal = *scan.equal;
  const bool has_sources = scan.custom != nullptr || scan.equal != nullptr;
  const Module& module = bench().kernels.get(request, scan.config, has_sources ? &sources : nullptr, scan.variant());
  if (is_rehearsal()) return;
  const GuardedMemory init_memory(device, init.size());
  std::copy(init.begin(), init.end(), init_memory.data());
  const u64 output_bytes = request.n * static_cast<u64>(request.output_bytes());
  const bool aligned = scan.variant() == Variant::aligned;
  const GuardedMemory input(device, items.size(),
                            aligned ? aligned_offset(request, items.size()) : scan.misaligned_input_bytes);
  std::copy(items.begin(), items.end(), input.data());
  const GuardedMemory output(device, output_bytes,
                             aligned ? aligned_offset(request, output_bytes) : scan.misaligned_output_bytes);
  const GuardedMemory& result = scan.in_place ? input : output;
  const WorkspaceNeed need = scan.config.family().workspace(scan.config, request);
  const Workspace workspace(device, need);
  const bool has_epoch = need.kind == WorkspaceKind::packed_status || need.kind == WorkspaceKind::split_status;
  if (scan.wraps_epoch && has_epoch) workspace.header().epoch = kLastEpoch - 2;
  const void* const init_argument = request.init >= Init::memory ? init_memory.data() : init.data();
  std::vector<HostLaunch> once = scan_launches(
      module, scan.config, request, {input.data(), result.data(), workspace.data(), init_argument}, scan.variant());
  const Bytes& entries = scan.entries != nullptr ? *scan.entries : init;
  const bool end_aligned = aligned && request.segments != Segments::bits;
  const GuardedMemory beside(device, entries.size(),
                             end_aligned ? aligned_offset(request, entries.size()) : scan.misaligned_entry_bytes);
  if (scan.entries != nullptr) {
    std::copy(entries.begin(), entries.end(), beside.data());
    for (HostLaunch& launch : once) launch.arguments.set_operand(scan.beside, beside.data());
  }
  for (HostLaunch& launch : once) std::ranges::copy(scan.equal_state, launch.arguments.states.equal);
  for (const auto& [role, memory] : scan.written)
    for (HostLaunch& launch : once) launch.arguments.set_operand(role, memory);
  std::vector<HostLaunch> launches;
  for (int time = 0; time < (scan.in_place ? 1 : scan.runs); ++time)
    launches.insert(launches.end(), once.begin(), once.end());
  ASSERT_NO_THROW(device.run(launches, Schedule::from_seed(scan.seed)));
  EXPECT_TRUE(input.surroundings_intact() && output.surroundings_intact());
  EXPECT_TRUE(scan.in_place || std::equal(items.begin(), items.end(), input.data())) << "the input has changed";
  results.assign(result.data(), result.data() + output.size());
}

// Whether the operator saw items of two sequences shows in the results, which each depend on many items.
inline void check_segments(const SegmentedScan& scan) {
  SCOPED_TRACE(to_string(scan));
  Bytes items, init, results;
  if (!is_rehearsal()) {
    items = scan_items(scan.request, scan.seed, scan.custom);
    init = scan_init(scan.request, scan.custom);
  }
  run(scan, items, init, results);
  if (testing::Test::HasFatalFailure()) return;
  if (is_rehearsal()) return;
  ASSERT_EQ(difference(scan.request, results.data(), expected_scan(scan.request, items, init.data(), scan.custom),
                       scan.custom),
            std::nullopt);
}

// ---- designs: every pair of what such scans differ in ----

// Items with what combines them.
struct SegmentedItems {
  std::string name;
  ScanRequest request;
  std::optional<TestOperator> custom = {};
};

// Every input and every operator, packed sums and extremes, conversions, and operators of a caller's.
inline const std::vector<SegmentedItems>& all_segmented_items() {
  using enum ValueType;
  static const std::vector<SegmentedItems> kItems = [] {
    std::vector<SegmentedItems> all;
    for (const auto& [input, output, op] : {std::tuple{i32, i32, Operator::sum},
                                            {i8, i8, Operator::sum},
                                            {u8, u8, Operator::max},
                                            {u16, u16, Operator::min},
                                            {i16, i16, Operator::sum},
                                            {u32, u32, Operator::bit_and},
                                            {u8, u8, Operator::bit_or},
                                            {u64, u64, Operator::bit_xor},
                                            {i64, i64, Operator::product},
                                            {f16, f16, Operator::sum},
                                            {bf16, bf16, Operator::max},
                                            {f32, f32, Operator::product},
                                            {f64, f64, Operator::sum},
                                            {i8, i64, Operator::sum},
                                            {i64, i32, Operator::sum},
                                            {i32, f32, Operator::sum}})
      all.push_back({std::string(token(input)) + "_" + token(output) + "_" + token(op),
                     {.input_type = input,
                      .accumulator_type = default_accumulator(input, output),
                      .output_type = output,
                      .op = op}});
    for (const TestOperator& custom : {affine_maps(), maps_of_bytes(3, 1), maps_of_bytes(12, 4), maps_of_bytes(16, 4)})
      all.push_back({custom.name, custom.request, custom});
    return all;
  }();
  return kItems;
}

inline const SegmentedItems& items_of(const RowReader& row) {
  return *std::ranges::find(all_segmented_items(), row["items"], &SegmentedItems::name);
}

inline const TestOperator* custom_of(const RowReader& row) {
  const SegmentedItems& items = items_of(row);
  return items.custom ? &*items.custom : nullptr;
}

// Factors of a design, beside those of its own.
inline std::vector<Factor> factors_of_segmented_scans(const std::vector<const FamilyModel*>& families,
                                                      std::vector<Factor> others = {}) {
  std::vector<std::string> items;
  for (const SegmentedItems& of : all_segmented_items()) items.push_back(of.name);
  std::vector<Factor> all = {{"family", names_of(families)},         {"items", items},
                             {"kind", all_tokens<Kind>()},           {"init", {"none", "value", "memory"}},
                             {"direction", all_tokens<Direction>()}, {"pointers", {"aligned", "any"}}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

// The request of a row, for some items in one sequence.
inline ScanRequest request_of(const RowReader& row) {
  ScanRequest request = items_of(row).request;
  request.kind = row.token_of<Kind>("kind");
  request.init = row.token_of<Init>("init");
  request.direction = row.token_of<Direction>("direction");
  request.n = kSomeItems;
  return request;
}

// The pointers of a row.
inline std::vector<bool> alignments_of(const RowReader& row) { return {row.is("pointers", "aligned")}; }

}  // namespace scantune
