// Scans of columns: each column is a scan of its own, of any length, beside any number of others, wherever it begins.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "effort.h"
#include "families_under_test.h"
#include "sampled_requests.h"
#include "segmented_scan.h"

namespace scantune::columns_test {
namespace {

constexpr int kSampledProblems = 20 * kTestEffort;  // of each family
constexpr int kMaxTileItems = 2048;
constexpr u64 kColumns[] = {1, 2, 3, 4, 8, 31, 32, 33, 64, 100, 257};
constexpr u64 kMostItems = 30'000;  // of a scan: the host device takes a second for a few of them

// Whether the family takes lines of few columns as items of one sequence.
bool takes_few_columns_alone(const FamilyModel& family) { return !family.compiled_extents().empty(); }

// So many lines that a band of tiles is full: one more takes a second band.
u64 lines_of_band(const Config& config, ScanRequest request) {
  const auto tiles = [&](u64 lines) {
    request.n = lines * request.columns;
    return config.family().launches(config, request, Variant::aligned).launches[0].grid_blocks;
  };
  u64 lines = 1;
  while (tiles(lines + 1) == tiles(1)) ++lines;
  return lines;
}

// How many lines columns take: full bands, and lines beside them.
struct Height {
  u64 bands;
  u64 lines;
};
constexpr Height kHeights[] = {{0, 1}, {0, 2}, {0, 31}, {1, 0}, {1, 1}, {2, 0}, {3, 5}, {9, 3}};

// Every height, beside a number of others that is drawn. Short runs have every other one.
void check_heights(ScanRequest request, const Config& config, Random& random, const TestOperator* custom = nullptr,
                   const std::vector<bool>& alignments = {true, false}) {
  request.segments = Segments::columns;
  u32 turn = random.below(2);
  for (const Height& height : kHeights) {
    if (kTestEffort == 1 && turn++ % 2 != 0) continue;
    for (const bool aligned : alignments) {
      std::vector<ScanRequest> drawn_from;
      for (const u64 columns : kColumns) {
        request.columns = columns;
        request.n = 16 * columns;  // the fewest lines that every family takes
        if (reject_reason(config, request, kHostSm) != nullptr) continue;
        const u64 lines =
            height.bands == 0 ? height.lines : height.bands * lines_of_band(config, request) + height.lines;
        request.n = columns * lines;
        if (request.n <= kMostItems && reject_reason(config, request, kHostSm) == nullptr)
          drawn_from.push_back(request);
      }
      if (drawn_from.empty()) continue;
      request = drawn_from[random.below(static_cast<u32>(drawn_from.size()))];
      // The last line may be shorter, but lies there.
      if (random.chance(50) && !takes_few_columns_alone(config.family()))
        request.n -= random.below(static_cast<u32>(request.columns));
      SegmentedScan scan = drawn_scan(request, config, aligned, random, custom);
      scan.runs = 1 + static_cast<int>(random.below(3));
      scan.wraps_epoch = random.chance(30);
      check_segments(scan);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// A legal config for any number of columns, or for few of them.
Config config_for(const FamilyModel& family, ScanRequest request, Random& random) {
  request.segments = Segments::columns;
  request.columns = takes_few_columns_alone(family) ? 2 : random.chance(50) ? 1 : 257;
  request.n = kSomeItems;
  return random_config(family, request, kMaxTileItems, random);
}

ScanRequest columns_of(const RowReader& row) {
  ScanRequest request = request_of(row);
  request.forward_progress = row.token_of<ForwardProgress>("forward_progress");
  request.determinism = row.token_of<Determinism>("determinism");
  request.segments = Segments::columns;
  request.columns = 2;
  return request;
}

const Design& design() {
  static const Design kDesign(
      "columns", 2, 1,
      factors_of_segmented_scans(column_families(), {{"forward_progress", all_tokens<ForwardProgress>()},
                                                     {"determinism", all_tokens<Determinism>()}}),
      [](const DesignRow& values) {
        const RowReader row(design(), values);
        return row.family().unsupported_reason(columns_of(row), kHostSm) == nullptr;
      });
  return kDesign;
}

TEST(ColumnDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (design().write_if_asked()) return;
  EXPECT_EQ(design().gaps(), std::vector<std::string>{});
}

class Columns : public testing::TestWithParam<DesignRow> {};

TEST_P(Columns, AreRightOfEveryHeight) {
  const RowReader row(design(), GetParam());
  Random random(row.seed());
  const ScanRequest request = columns_of(row);
  check_heights(request, config_for(row.family(), request, random), random, custom_of(row), alignments_of(row));
}

INSTANTIATE_TEST_SUITE_P(Designed, Columns, testing::ValuesIn(rows_to_run(design())), kNameOf<design>);

class SampledColumns : public testing::TestWithParam<SampledProblem> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledColumns);

TEST_P(SampledColumns, AreRightOfEveryHeight) {
  const auto& [family, sampled, seed] = GetParam();
  Random random(seed);
  ScanRequest request = sampled;
  request.segments = Segments::columns;
  request.columns = 1;
  request.n = kSomeItems;
  if (random.chance(30)) request.determinism = Determinism::run_to_run;
  if (random.chance(30)) request.forward_progress = ForwardProgress::documented;
  request = in_drawn_direction(*family, request, random);
  check_heights(request, config_for(*family, request, random), random);
}

INSTANTIATE_TEST_SUITE_P(Sampled, SampledColumns,
                         testing::ValuesIn(drawn_in_long_runs(sampled_problems(column_families(), kSampledProblems, 79,
                                                                               900))),
                         kNameOfSampled);

class ColumnFamily : public testing::TestWithParam<const FamilyModel*> {};

// Also fewer items than columns, of which the last ones have none.
TEST_P(ColumnFamily, ScansAShorterLastLineOrRefusesIt) {
  const FamilyModel& family = *GetParam();
  if (takes_few_columns_alone(family)) needs_no_kernel();
  Random random(41);
  for (const auto& [n, columns] :
       {std::pair<u64, u64>{1000, 3}, {1001, 1000}, {10, 7}, {33, 32}, {777, 776}, {5, 7}, {70, 100}, {8191, 64}})
    for (const Kind kind : {Kind::inclusive, Kind::exclusive}) {
      const ScanRequest request{
          .kind = kind, .init = Init::value, .segments = Segments::columns, .n = n, .columns = columns};
      if (takes_few_columns_alone(family)) {
        EXPECT_NE(family.unsupported_reason(request, kHostSm), nullptr) << to_string(request);
        continue;
      }
      for (const Config& config :
           {family.default_config(request, kHostSm), random_config(family, request, kMaxTileItems, random)}) {
        check_segments({request, config, n});
        if (HasFatalFailure()) return;
      }
    }
}

TEST_P(ColumnFamily, ScansColumnsByItsDefaultWhateverTheirNumberIs) {
  const FamilyModel& family = *GetParam();
  Random random(43);
  for (const ValueType type : {ValueType::i8, ValueType::i32, ValueType::f64})
    for (const ForwardProgress progress : {ForwardProgress::in_order, ForwardProgress::documented})
      for (const u64 columns : kColumns) {
        ScanRequest request{
            .input_type = type, .accumulator_type = default_accumulator(type, type), .output_type = type};
        request.forward_progress = progress;
        request.segments = Segments::columns;
        request.columns = columns;
        request.n = kMostItems / columns * columns + columns / 2;
        if (takes_few_columns_alone(family)) request.n -= columns / 2;
        if (family.unsupported_reason(request, kHostSm) != nullptr) continue;
        check_segments(drawn_scan(request, family.default_config(request, kHostSm), random.chance(50), random));
        if (HasFatalFailure()) return;
      }
}

// Items of any sign and of magnitudes so different that every sum is rounded.
Bytes items_that_tell_orders_apart(u64 n) {
  constexpr u32 kSign = 1u << 31, kFraction = (1u << 23) - 1, kExponentOfOne = 127;
  Random random(11);
  std::vector<u32> words(n);
  for (u32& word : words)
    word = (static_cast<u32>(random.next()) & (kSign | kFraction)) | (kExponentOfOne + random.below(16)) << 23;
  Bytes items(n * sizeof(u32));
  std::memcpy(items.data(), words.data(), items.size());
  return items;
}

TEST_P(ColumnFamily, GivesEqualBitsOnEveryRunAndForAllPointersWhereThatIsAskedFor) {
  const FamilyModel& family = *GetParam();
  Random random(47);
  if (takes_few_columns_alone(family)) needs_no_kernel();  // its carries depend on timing
  for (const u64 columns : {1, 5, 33, 100}) {
    ScanRequest request{
        .input_type = ValueType::f32, .accumulator_type = ValueType::f32, .output_type = ValueType::f32};
    request.determinism = Determinism::run_to_run;
    request.segments = Segments::columns;
    request.columns = columns;
    request.n = 20'003;
    if (takes_few_columns_alone(family)) {
      request.columns = 2;
      request.n = 20'000;
      EXPECT_NE(family.unsupported_reason(request, kHostSm), nullptr);
      return;
    }
    const Bytes items = items_that_tell_orders_apart(request.n);
    for (const Config& config :
         {family.default_config(request, kHostSm), random_config(family, request, kMaxTileItems, random)}) {
      Bytes first;
      for (u64 seed = 1; seed <= 12; ++seed) {
        SegmentedScan scan{request, config, seed};
        if (seed % 3 != 1) scan.misaligned_input_bytes = 4 * random.below(4);
        if (seed % 3 == 2) scan.misaligned_output_bytes = 4 * random.below(4);
        SCOPED_TRACE(to_string(scan));
        Bytes results;
        run(scan, items, {}, results);
        if (HasFatalFailure()) return;
        if (is_rehearsal()) continue;
        if (first.empty()) first = results;
        ASSERT_EQ(difference(request, results.data(), first), std::nullopt);
      }
      // Otherwise every order would pass.
      if (is_rehearsal()) continue;
      EXPECT_NE(difference(request, first.data(), expected_scan(request, items, nullptr)), std::nullopt)
          << to_string(config) << ": one item after the other";
    }
  }
}

// So many bands that a carry lies farther back than all that are polled at once, under many schedules.
TEST(ScanColumns, FindsTheCarryBehindAFullWindow) {
  const FamilyModel& family = *find_family("scan_columns");
  Random random(53);
  for (const char* columns_per_block : {"0", "8", "16", "64"})
    for (const char* layout : {"packed", "split"})
      for (const char* order : {"block_index", "ticket"})
        for (const char* window : {"4", "32"}) {
          ScanRequest request{.kind = Kind::exclusive, .init = Init::value, .segments = Segments::columns};
          request.columns = 1 + random.below(9);
          request.n = request.columns;
          const Config config = config_of(family, request,
                                          {{"block_threads", "64"},
                                           {"items_per_thread", "1"},
                                           {"columns_per_thread", "1"},
                                           {"columns_per_block", columns_per_block},
                                           {"window", window},
                                           {"status_layout", layout},
                                           {"tile_order", order}});
          request.n = request.columns * (lines_of_band(config, request) * 90 + 1) - random.below(2);
          for (int time = 0; time < kTestEffort; ++time) {
            SegmentedScan scan{request, config, random.below(1u << 30)};
            scan.runs = 3;
            scan.wraps_epoch = time % 2 == 1;
            check_segments(scan);
            if (testing::Test::HasFatalFailure()) return;
          }
        }
}

// The last word of a line lacks columns unless there are a multiple of four.
TEST(ScanColumns, FindsTheCarryOfFourColumnsInOneWord) {
  const FamilyModel& family = *find_family("scan_columns");
  Random random(59);
  for (const u64 columns : {4, 7, 21})
    for (const Kind kind : {Kind::inclusive, Kind::exclusive})
      for (const char* layout : {"packed", "split"}) {
        ScanRequest request{.input_type = ValueType::u8,
                            .accumulator_type = ValueType::u32,
                            .output_type = ValueType::u8,
                            .kind = kind,
                            .init = Init::value,
                            .segments = Segments::columns};
        request.columns = columns;
        request.n = columns;
        const Config config = config_of(family, request,
                                        {{"block_threads", "64"},
                                         {"items_per_thread", "2"},
                                         {"columns_per_thread", "4"},
                                         {"columns_per_block", "8"},
                                         {"window", "4"},
                                         {"status_layout", layout}});
        request.n = columns * (lines_of_band(config, request) * 40 + 3) - random.below(3);
        for (int time = 0; time < kTestEffort; ++time) {
          SegmentedScan scan = drawn_scan(request, config, time % 2 == 0, random);
          scan.runs = 3;
          scan.wraps_epoch = time % 2 == 1;
          check_segments(scan);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
}

// Lines begin at any byte of a word, of which their neighbours, other tiles or the lines before have the rest. Tiles of
// 256 columns do not overlap.
TEST(ScanColumns, PutsWordsTogetherWhereverLinesBegin) {
  using enum ValueType;
  const FamilyModel& family = *find_family("scan_columns");
  Random random(61);
  for (const auto& [type, op, per_thread, per_block] : {std::tuple{u8, Operator::sum, "4", "32"},
                                                        {i8, Operator::max, "4", "256"},
                                                        {f16, Operator::sum, "2", "64"},
                                                        {i16, Operator::sum, "2", "8"}})
    for (const scantune::u64 columns : {1, 2, 3, 5, 33, 57, 131, 231, 515}) {
      ScanRequest request{
          .input_type = type, .accumulator_type = default_accumulator(type, type), .output_type = type, .op = op};
      if (random.chance(50)) request.direction = Direction::reverse;
      if (random.chance(50)) {
        request.kind = Kind::exclusive;
        request.init = Init::value;
      }
      request.segments = Segments::columns;
      request.columns = columns;
      request.n = columns;
      const Config config = config_of(family, request,
                                      {{"block_threads", "64"},
                                       {"items_per_thread", random.chance(50) ? "3" : "8"},
                                       {"columns_per_thread", per_thread},
                                       {"columns_per_block", per_block},
                                       {"shifted_words", "1"}});
      request.n = columns * (lines_of_band(config, request) * 2 + 4 * random.below(2));
      if (random.chance(50)) request.n -= random.below(static_cast<scantune::u32>(columns));
      for (int time = 0; time < 2; ++time) {
        check_segments(drawn_scan(request, config, time == 0, random));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, ColumnFamily, testing::ValuesIn(column_families()),
                         [](const auto& family) { return std::string(family.param->name()); });

}  // namespace
}  // namespace scantune::columns_test
