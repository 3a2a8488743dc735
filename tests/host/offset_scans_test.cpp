// Scans of segments by offsets: each segment is a scan of its own, wherever it is, and nothing else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "effort.h"
#include "offsets_in_memory.h"
#include "segmented_scan.h"

namespace scantune::offset_scans_test {
namespace {

constexpr const char* kNone = "none";  // of a family whose threads take all segments as one sequence

ScanRequest by_offsets(ScanRequest request, u64 segments = 1) {
  request.segments = Segments::offsets;
  request.segment_count = segments;
  return request;
}

ScanRequest by_offsets(const RowReader& row) {
  ScanRequest request = by_offsets(request_of(row));
  request.offset_type = row.token_of<OffsetType>("offsets");
  request.offset_form = row.token_of<OffsetForm>("form");
  request.count_source = row.token_of<CountSource>("count");
  return request;
}

// An initial value for each segment: of every second one that which all have otherwise, of others the first item.
Bytes inits_of(const SegmentedScan& scan, const Bytes& items, const Bytes& init) {
  ScanRequest one = scan.request;
  one.segments = Segments::none;
  one.output_type = one.accumulator_type;
  one.kind = Kind::inclusive;
  one.init = Init::none;
  const Bytes item = expected_scan(one, Bytes(items.begin(), items.begin() + one.input_bytes()), nullptr, scan.custom);
  Bytes inits;
  for (u64 segment = 0; segment < scan.request.segment_count; ++segment) {
    const Bytes& its = segment % 2 == 0 ? init : item;
    inits.insert(inits.end(), its.begin(), its.end());
  }
  return inits;
}

Bytes part_of(const Bytes& bytes, u64 first, u64 count, int item_bytes) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first) * item_bytes;
  return {begin, begin + static_cast<std::ptrdiff_t>(count) * item_bytes};
}

// What is in the output before, which items of no segment keep.
Bytes untouched(const SegmentedScan& scan, const Bytes& items) {
  if (scan.in_place) return items;
  return Bytes(scan.request.n * static_cast<u64>(scan.request.output_bytes()), GuardedMemory::kPoison);
}

void check(SegmentedScan scan) {
  SCOPED_TRACE(to_string(scan));
  const ScanRequest& request = scan.request;
  Bytes results;
  if (is_rehearsal()) return run(scan, {}, {}, results);
  HostDevice& device = bench().device;
  const Bytes items = scan_items(request, scan.seed, scan.custom), init = scan_init(request, scan.custom);
  const Bytes inits = inits_of(scan, items, init);
  const auto init_bytes = static_cast<u64>(request.accumulator_bytes());
  const GuardedMemory init_memory(device, inits.size(),
                                  static_cast<u64>(request.alignment_of(request.accumulator_type)));
  std::ranges::copy(inits, init_memory.data());
  const OffsetsInMemory offsets(device, request);
  KernelArguments arguments{};
  offsets.set(arguments);
  for (const OperandRole role : {OperandRole::begins, OperandRole::ends, OperandRole::segment_count})
    scan.written.emplace_back(role, arguments.operand(role));
  if (request.init == Init::each) scan.written.emplace_back(OperandRole::init, init_memory.data());
  run(scan, items, init, results);
  if (testing::Test::HasFatalFailure()) return;

  Bytes left = untouched(scan, items);
  const auto segments = segments_of(request);
  for (u64 segment = 0; segment < count_of_segments(request); ++segment) {
    const auto& [begin, end] = segments[segment];
    ScanRequest one = request;
    one.segments = Segments::none;
    one.n = end - begin;
    const Bytes its_init = request.init == Init::each ? part_of(inits, segment, 1, static_cast<int>(init_bytes)) : init;
    const Bytes expected =
        expected_scan(one, part_of(items, begin, one.n, request.input_bytes()), its_init.data(), scan.custom);
    const auto first = begin * static_cast<u64>(request.output_bytes());
    ASSERT_EQ(difference(one, results.data() + first, expected, scan.custom), std::nullopt)
        << "in segment " << segment << ", of the items from " << begin << " to " << end;
    std::copy_n(results.data() + first, expected.size(), left.data() + first);
  }
  EXPECT_EQ(left, results) << "items of no segment were written";
}

// ---- every pair of what such scans differ in ----

const Design& design() {
  static const Design kDesign(
      "offset_scans", 2, 1,
      factors_of_segmented_scans({find_family("scan_segments"), find_family("lookback_segments")},
                                 {{"offsets", all_tokens<OffsetType>()},
                                  {"form", all_tokens<OffsetForm>()},
                                  {"count", all_tokens<CountSource>()},
                                  {"threads", {"few", "warp", "cta", "sequence", kNone}}}),
      [](const DesignRow& values) {
        const RowReader row(design(), values);
        if (row.is("family", "lookback_segments") != row.is("threads", kNone)) return false;
        return row.family().unsupported_reason(by_offsets(row), kHostSm) == nullptr;
      });
  return kDesign;
}

TEST(OffsetScanDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (design().write_if_asked()) return;
  EXPECT_EQ(design().gaps(), std::vector<std::string>{});
}

void set(Config& config, std::string_view name, int value) {
  for (int index = 0; index < static_cast<int>(config.family().parameters().size()); ++index)
    if (name == config.family().parameters()[static_cast<std::size_t>(index)].name) config[index] = value;
}

// A config that is drawn, whose warps take few items before they leave them to others.
Config config_of(const RowReader& row, const ScanRequest& request, Random& random) {
  const FamilyModel& family = row.family();
  for (;;) {
    Config config = random_config(family, request, 2048, random);
    if (row.is("threads", kNone)) return config;
    set(config, "block_threads", random.chance(50) ? 32 : 64);
    set(config, "segment_threads",
        row.is("threads", "few") || row.is("threads", "sequence") ? 1 << random.below(5)
        : row.is("threads", "warp")                               ? 32
                                                                  : 1024);
    set(config, "warp_segments", row.is("threads", "sequence") ? 1 << random.below(8) : 0);
    set(config, "long_tiles", 1 + static_cast<int>(random.below(2)));
    if (family.invalid_reason(config, request, kHostSm) == nullptr) return config;
  }
}

class OffsetScans : public testing::TestWithParam<DesignRow> {};

TEST_P(OffsetScans, AreRightOfSegmentsOfEveryLength) {
  const RowReader row(design(), GetParam());
  Random random(row.seed());
  ScanRequest request = by_offsets(row);
  const bool takes_inits = !row.is("threads", "sequence") && !row.is("threads", kNone);
  if (request.init == Init::memory && takes_inits && random.chance(50)) request.init = Init::each;
  const Config config = config_of(row, request, random);
  const bool are_of_cta = row.is("threads", "cta") || row.is("threads", kNone);
  const auto of_warp =
      static_cast<u64>(32 * 2 * row.family().tile_items(config, request)) / static_cast<u64>(are_of_cta ? 64 : 1);
  for (const u64 n : {u64{1}, u64{33}, u64{1'001}, std::min<u64>(20'000, 3 * of_warp + 7), u64{30'002}}) {
    for (const u64 segments : {u64{1}, n / 400 + 2, n / 9 + 2}) {
      Random its(row.seed() + n + segments);  // what is drawn for one size must not hang on the others
      request.n = n;
      request.segment_count = segments;
      if (segments > 1 && n == 30'002 && segments > 1'000) continue;
      for (const bool aligned : alignments_of(row)) {
        SegmentedScan scan = drawn_scan(request, config, aligned, its, custom_of(row));
        scan.runs = 2;
        check(scan);
        if (HasFatalFailure() || is_rehearsal()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Designed, OffsetScans, testing::ValuesIn(rows_to_run(design())), kNameOf<design>);

// Which segments are on the list depends on the schedule where it has room for some of them alone.
TEST(OffsetScansOfRoundedSums, GiveTheSameBitsOnEverySchedule) {
  ScanRequest request = by_offsets({.input_type = ValueType::f32,
                                    .accumulator_type = ValueType::f32,
                                    .output_type = ValueType::f32,
                                    .determinism = Determinism::run_to_run,
                                    .n = 20'001},
                                   6);
  for (const auto& [threads, neighbours] : {std::pair{"4", "0"}, {"4", "2"}, {"32", "4"}, {"1024", "0"}}) {
    const Config config = scantune::config_of(*find_family("scan_segments"), request,
                                              {{"block_threads", "64"},
                                               {"segment_threads", threads},
                                               {"warp_segments", neighbours},
                                               {"items_per_thread", "2"},
                                               {"vector_bytes", "8"},
                                               {"long_tiles", "1"}});
    HostDevice& device = bench().device;
    Bytes items(request.n * sizeof(f32));
    Random random(7);
    for (u64 item = 0; item < request.n; ++item) {
      const f32 value = static_cast<f32>(random.below(1u << 20)) / 3;
      std::memcpy(&items[item * sizeof value], &value, sizeof value);
    }
    const OffsetsInMemory offsets(device, request);
    KernelArguments arguments{};
    offsets.set(arguments);
    Bytes first;
    for (u64 seed = 1; seed <= 24; ++seed) {
      SegmentedScan scan{request, config, seed};
      scan.written = {{OperandRole::begins, arguments.operand(OperandRole::begins)}};
      if (seed % 2 == 0) scan.misaligned_input_bytes = 4;
      Bytes results;
      run(scan, items, Bytes(sizeof(f32)), results);
      if (HasFatalFailure()) return;
      if (seed == 1) first = results;
      EXPECT_EQ(results, first) << "seed " << seed << ", " << threads << " threads, " << neighbours << " neighbours";
    }
  }
}

// ---- in one pass ----

// A request of about so many items whose bounds are as asked for.
ScanRequest with_bounds(ScanRequest request, u64 n, u64 segments, const auto& are_so) {
  request = by_offsets(request, segments);
  for (request.n = n;; ++request.n)
    if (const std::vector<i64> bounds = offsets_of(request).begins; std::ranges::is_sorted(bounds) && are_so(bounds))
      return request;
}

void check_in_one_pass(const ScanRequest& request, const TestOperator* custom = nullptr) {
  const Config config = config_of(*find_family("lookback_segments"), request,
                                  {{"block_threads", "128"}, {"items_per_thread", "4"}, {"vector_bytes", "16"}});
  for (u64 seed = 1; seed <= 4; ++seed) {
    SegmentedScan scan{request, config, seed, custom};
    scan.runs = 2;
    check(scan);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// The lanes of a warp note together, by vectors, which segment comes after so many runs of items without one.
TEST(OffsetScansInOnePass, TakeOneSegmentWithMostItemsAmongMany) {
  const ScanRequest request = with_bounds({}, 20'000, 60, [](const std::vector<i64>& bounds) {
    constexpr i64 kRunItems = 128, kRunsOfVector = 4;
    for (std::size_t bound = 1; bound + 1 < bounds.size(); ++bound)
      if (bounds[bound] - bounds[bound - 1] > 15'000 && bounds[bound + 1] > bounds[bound] &&
          bounds[bound] / kRunItems % kRunsOfVector == kRunsOfVector - 1)
        return true;
    return false;
  });
  check_in_one_pass(request);
}

// Items then ask whether a segment begins there.
TEST(OffsetScansInOnePass, TakeFarMoreEmptySegmentsThanItems) {
  for (const Direction direction : {Direction::forward, Direction::reverse}) {
    const ScanRequest request = with_bounds({.direction = direction}, 600, 20'000, [](const auto&) { return true; });
    check_in_one_pass(request);
    if (HasFatalFailure()) return;
  }
}

// An operator that ends the process for what no item of a segment is. Others are before the first segment.
TEST(OffsetScansInOnePass, CombineItemsOfSegmentsAlone) {
  struct Tagged {
    u32 tag, sum;
  };
  constexpr u32 kTag = 0x600d600d;
  ScanRequest request;
  request.input_type = request.accumulator_type = request.output_type = ValueType::custom;
  request.op = Operator::custom_cheap;
  request.custom_bytes = sizeof(Tagged);
  request.custom_alignment = alignof(Tagged);
  const TestOperator picky{
      .name = "picky",
      .request = request,
      .custom = {.source = "struct Value { unsigned tag, sum; };\n"
                           "__device__ Value combine(Value earlier, Value later) {\n"
                           "  if (earlier.tag != 0x600d600d || later.tag != 0x600d600d) __builtin_trap();\n"
                           "  return {earlier.tag, earlier.sum + later.sum};\n}\n",
                 .name = {}},
      .combine =
          [](void* result, const void* earlier, const void* later) {
            Tagged a, b;
            std::memcpy(&a, earlier, sizeof a);
            std::memcpy(&b, later, sizeof b);
            a.sum += b.sum;
            std::memcpy(result, &a, sizeof a);
          },
      .draw =
          [](void* item, Random& random) {
            const Tagged drawn{kTag, random.below(1000)};
            std::memcpy(item, &drawn, sizeof drawn);
          }};
  for (const Init init : {Init::none, Init::value}) {
    request.init = init;
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      request.direction = direction;
      const auto leave_items = [](const std::vector<i64>& bounds) {
        return bounds.front() % 512 > 100 && bounds.back() < 2'900;
      };
      check_in_one_pass(with_bounds(request, 3'000, 3, leave_items), &picky);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace scantune::offset_scans_test
