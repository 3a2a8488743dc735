// Scans of rows: each row is a scan of its own, of any length, beside any number of others, wherever it begins.
#include <gtest/gtest.h>

#include "effort.h"
#include "families_under_test.h"
#include "sampled_requests.h"
#include "segmented_scan.h"

namespace scantune::rows_test {
namespace {

constexpr int kSampledProblems = 20 * kTestEffort;  // of each family
constexpr int kMaxTileItems = 2048;
constexpr u64 kRows[] = {1, 2, 33};

std::vector<u64> lengths(u64 tile) { return {1, 2, 3, 31, 32, 33, tile - 1, tile, tile + 1, tile + 9, 3 * tile + 5}; }

// Every length, of each number of rows in turn.
void check_lengths(ScanRequest request, const Config& config, Random& random, const TestOperator* custom = nullptr,
                   const std::vector<bool>& alignments = {true, false}) {
  request.segments = Segments::rows;
  request.n = kSomeItems;
  request.rows = 1;
  for (const u64 length : lengths(static_cast<u64>(config.family().tile_items(config, request)))) {
    for (const bool aligned : alignments) {
      request.rows = kRows[random.below(static_cast<u32>(std::size(kRows)))];
      request.n = request.rows * length;
      if (reject_reason(config, request, kHostSm) != nullptr) continue;
      check_segments(drawn_scan(request, config, aligned, random, custom));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

const Design& design() {
  static const Design kDesign("rows", 2, 1, factors_of_segmented_scans(row_families()), [](const DesignRow& values) {
    const RowReader row(design(), values);
    ScanRequest request = request_of(row);
    request.segments = Segments::rows;
    request.rows = 1;
    return row.family().unsupported_reason(request, kHostSm) == nullptr;
  });
  return kDesign;
}

TEST(RowDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (design().write_if_asked()) return;
  EXPECT_EQ(design().gaps(), std::vector<std::string>{});
}

class Rows : public testing::TestWithParam<DesignRow> {};

TEST_P(Rows, AreRightOfEveryLength) {
  const RowReader row(design(), GetParam());
  Random random(row.seed());
  const ScanRequest request = request_of(row);
  check_lengths(request, random_config(row.family(), request, kMaxTileItems, random), random, custom_of(row),
                alignments_of(row));
}

INSTANTIATE_TEST_SUITE_P(Designed, Rows, testing::ValuesIn(rows_to_run(design())), kNameOf<design>);

class SampledRows : public testing::TestWithParam<SampledProblem> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledRows);

TEST_P(SampledRows, AreRightOfEveryLength) {
  const auto& [family, sampled, seed] = GetParam();
  Random random(seed);
  ScanRequest request = sampled;
  request.segments = Segments::rows;
  request.n = kSomeItems;
  request.rows = 1;
  request = in_drawn_direction(*family, request, random);
  check_lengths(request, random_config(*family, request, kMaxTileItems, random), random);
}

INSTANTIATE_TEST_SUITE_P(
    Sampled, SampledRows,
    testing::ValuesIn(drawn_in_long_runs(sampled_problems(row_families(), kSampledProblems, 77, 500))), kNameOfSampled);

class RowFamily : public testing::TestWithParam<const FamilyModel*> {};

// Tuning asks for an n that is no multiple of the rows, whose last rows lack items.
TEST_P(RowFamily, ScansAShorterLastRowAndNoneBehindIt) {
  const FamilyModel& family = *GetParam();
  Random random(29);
  for (const auto& [n, rows] : {std::pair<u64, u64>{1000, 3}, {1001, 1000}, {10, 7}, {33, 32}, {777, 776}}) {
    const ScanRequest request{.init = Init::value, .segments = Segments::rows, .n = n, .rows = rows};
    if (family.unsupported_reason(request, kHostSm) != nullptr) continue;
    check_segments({request, random_config(family, request, kMaxTileItems, random), n});
    if (HasFatalFailure()) return;
  }
}

// An empty tile publishes nothing, so the next one must not wait for it.
TEST(TiledRows, MayLeaveTwoTilesOfTheLastOneEmpty) {
  struct Tiles {
    const char* family;
    std::vector<std::pair<std::string, std::string>> values;
  };
  for (const Tiles& its : {Tiles{"pipelined",
                                 {{"consumer_warps", "1"},
                                  {"vectors_per_thread", "5"},
                                  {"stages", "4"},
                                  {"look_ahead", "2"},
                                  {"refill_distance", "0"},
                                  {"poll_distance", "0"}}},
                           Tiles{"lookback", {{"block_threads", "64"}, {"items_per_thread", "8"}}}}) {
    const FamilyModel& family = *find_family(its.family);
    ScanRequest request{
        .input_type = ValueType::i64, .accumulator_type = ValueType::i64, .output_type = ValueType::i64};
    request.segments = Segments::rows;
    request.rows = 1000;
    request.n = 1000 * request.rows;
    const Config config = config_of(family, request, its.values);
    const u64 length = 2 * static_cast<u64>(family.tile_items(config, request)) + 1;
    request.rows = length - 1;
    request.n = (request.rows - 1) * length + 2;
    ASSERT_EQ(row_items(request), length);
    check_segments({request, config, 7});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ScanRows, WalksSeveralRowsByOneCta) {
  const FamilyModel& family = *find_family("scan_rows");
  Random random(31);
  for (const char* rows_per_block : {"2", "4", "16"}) {
    for (const u64 length : {5, 77, 300}) {
      const ScanRequest request{.segments = Segments::rows, .n = 41 * length, .rows = 41};
      const Config config = config_of(family, request, {{"block_threads", "64"}, {"rows_per_block", rows_per_block}});
      SegmentedScan scan{request, config, random.below(1u << 30)};
      scan.misaligned_input_bytes = 4 * random.below(3);
      check_segments(scan);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, RowFamily, testing::ValuesIn(row_families()),
                         [](const auto& family) { return std::string(family.param->name()); });

}  // namespace
}  // namespace scantune::rows_test
