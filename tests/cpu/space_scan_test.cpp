// What each family of scans chooses by default, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "families_under_test.h"
#include "scan/config/lookback.h"
#include "scan/config/one_shot.h"
#include "scan/config/pipelined.h"
#include "scan/config/scan_columns.h"
#include "scan/config/single_block.h"
#include "select_rows.h"
#include "space_under_test.h"

namespace scantune {
namespace {

// A warp that looked further could take the end of a phase for that of the next but one, and then wait for a tile that
// never comes.
TEST(Space, PipelinedWarpsLookNoFurtherAheadThanTheirRingReaches) {
  const ScanRequest request = request_of(ValueType::i32, u64{1} << 24);
  PipelinedConfig config{.stages = 4, .look_ahead = 3, .refill_distance = 0, .look_back_warps = 2, .poll_distance = 2};
  EXPECT_EQ(Family<PipelinedConfig>::invalid_reason(config, request, 90), nullptr);
  config.poll_distance = 3;
  EXPECT_NE(Family<PipelinedConfig>::invalid_reason(config, request, 90), nullptr);
}

// Whole runs of 32 bytes of items would take too many registers as wide accumulators.
TEST(Space, ShortRowsOfWideAccumulatorsHaveALegalDefault) {
  const ScanRequest request{.input_type = ValueType::u8,
                            .accumulator_type = ValueType::u64,
                            .output_type = ValueType::u8,
                            .segments = Segments::rows,
                            .n = u64{1} << 20,
                            .rows = u64{1} << 14};
  EXPECT_STREQ(find_family("scan_short_rows")->unsupported_reason(request, 90), nullptr);
}

// A CTA for each of many short rows takes longer than the GPU's memory, and a CTA of many rows leaves SMs idle.
TEST(Space, ManyShortRowsShareCtasOfWhichEverySmHasOne) {
  struct Case {
    ValueType type;
    u64 rows, length;
    const char* family;
    u64 least_ctas;
  };
  constexpr auto kI8 = ValueType::i8, kF32 = ValueType::f32, kF64 = ValueType::f64;
  constexpr const char *kShared = "scan_short_rows", *kOfEach = "scan_rows";
  for (const auto& [type, rows, length, family, least_ctas] :
       {Case{kF32, 9052, 21, kShared, 132}, Case{kF64, 1413, 15, kShared, 109}, Case{kF32, 256, 21, kShared, 29},
        Case{kI8, 12'928, 15, kShared, 132}, Case{kI8, 4096, 32, kShared, 128}, Case{kF32, 256, 512, kShared, 132},
        Case{kF32, 255, 21, kOfEach, 255}, Case{kF32, 256, 513, kOfEach, 256}, Case{kF32, 64, 1024, kOfEach, 64}}) {
    const ScanRequest request{.input_type = type,
                              .accumulator_type = default_accumulator(type, type),
                              .output_type = type,
                              .segments = Segments::rows,
                              .n = rows * length,
                              .rows = rows};
    const Config config = default_config(request, 90);
    EXPECT_STREQ(config.family().name(), family) << to_string(request);
    EXPECT_GE(config.family().launches(config, request, Variant::aligned).launches[0].grid_blocks, least_ctas)
        << to_string(config) << " of " << to_string(request);
  }
}

// Lines of few columns are items of one sequence, as far as that is faster.
TEST(Space, FewColumnsAreScannedAsOneSequenceOfLines) {
  struct Case {
    ValueType type;
    u64 columns, lines;
    const char* family;
    int sm = 90;
    Operator op = Operator::sum;
    Determinism determinism = Determinism::unconstrained;
    u64 lacking = 0;  // items of the last line
  };
  constexpr auto f16 = ValueType::f16, f32 = ValueType::f32, f64 = ValueType::f64, i8 = ValueType::i8,
                 u8 = ValueType::u8, i32 = ValueType::i32;
  constexpr u64 kMany = u64{1} << 26, kSome = u64{1} << 18, kFew = u64{1} << 16;
  constexpr const char *kRing = "pipelined", *kTiles = "lookback", *kColumns = "scan_columns";
  for (const Case& its : {Case{f32, 2, kMany, kRing},
                          Case{f32, 4, kMany, kRing},
                          Case{f32, 3, kMany, kTiles},
                          Case{f64, 2, kMany, kRing},
                          Case{f16, 2, kMany, kRing},
                          Case{i8, 2, kMany, kRing},
                          Case{i8, 16, kMany, kRing},
                          Case{u8, 12, kMany, kTiles},
                          Case{f32, 2, kMany, kTiles, 80},
                          Case{f32, 2, kSome, kTiles},
                          Case{f32, 2, kFew, kColumns},
                          Case{f32, 5, kMany, kColumns},
                          Case{i8, 3, kMany, kColumns},
                          Case{f32, 1, kMany, kColumns},
                          Case{f32, 2, kMany, kColumns, 90, Operator::sum, Determinism::unconstrained, 1},
                          Case{f32, 2, kMany, kColumns, 90, Operator::sum, Determinism::run_to_run},
                          Case{i32, 2, kMany, kRing, 90, Operator::sum, Determinism::run_to_run},
                          Case{i32, 2, kMany, kColumns, 90, Operator::custom_moderate},
                          Case{i32, 2, kMany, kRing, 90, Operator::custom_cheap},
                          Case{i8, 8, kMany, kColumns, 90, Operator::max}}) {
    ScanRequest request{.input_type = its.type,
                        .accumulator_type = default_accumulator(its.type, its.type),
                        .output_type = its.type,
                        .op = its.op,
                        .segments = Segments::columns,
                        .determinism = its.determinism,
                        .n = its.columns * its.lines - its.lacking,
                        .columns = its.columns};
    EXPECT_STREQ(default_config(request, its.sm).family().name(), its.family) << to_string(request);
    // Strides leave no lines.
    request.layout = {.input = {.item = 3 * static_cast<i64>(its.columns), .sequence = 3},
                      .output = {.item = static_cast<i64>(its.columns), .sequence = 1},
                      .plane_sequences = its.columns};
    if (its.lacking == 0) {
      EXPECT_STREQ(default_config(request, its.sm).family().name(), kColumns);
    }
  }
}

// Sums that are stored as bytes keep only their low bytes, so lines of them are combined as bytes.
TEST(Space, LinesOfSmallSumsTakeSmallDescriptors) {
  ScanRequest request{.input_type = ValueType::i8, .output_type = ValueType::i8, .segments = Segments::columns};
  request.columns = 4;
  request.n = u64{1} << 26;
  ASSERT_EQ(request.accumulator_type, ValueType::i32);
  EXPECT_EQ(behind_lines(request).accumulator_bytes(), 4);
  EXPECT_EQ(behind_lines(request).n, request.n / 4);
  request.op = Operator::max;
  EXPECT_EQ(behind_lines(request).accumulator_bytes(), 16);
  EXPECT_EQ(behind_lines(request).input_bytes(), 4);
  request.columns = 16;  // accumulators of 64 bytes
  EXPECT_EQ(behind_lines(request), request);
}

// To kernels it would be a sequence of lines, whose items are wider than the caller's.
TEST(Space, NoFamilyTakesColumnsOfOneSequence) {
  const ScanRequest request{.n = 1 << 20, .columns = 2};
  for (const FamilyModel* family : algorithm_of<ScanRequest>().families())
    EXPECT_NE(family->unsupported_reason(request, 90), nullptr) << family->name();
}

// Another would take them for one sequence.
TEST(Space, TwoFamiliesAloneTakeSegmentsByOffsets) {
  const ScanRequest request{.segments = Segments::offsets, .n = u64{1} << 20, .segment_count = 1000};
  for (const FamilyModel* family : algorithm_of<ScanRequest>().families())
    EXPECT_EQ(family->unsupported_reason(request, 90) == nullptr,
              std::string_view(family->name()).ends_with("_segments"))
        << family->name();
}

// One pass takes what two launches keep busy, and long segments, unless they may have gaps or an order of combining is
// fixed.
TEST(Space, LongSegmentsAreScannedInOnePass) {
  const auto family = [](u64 n, u64 average, ScanRequest request = {}) {
    request.segments = Segments::offsets;
    request.n = n;
    request.segment_count = n / average;
    return std::string(default_config(request, 90).family().name());
  };
  constexpr u64 kMany = u64{1} << 28;
  constexpr u64 kLong = u64{1} << 14;
  EXPECT_EQ(family(kMany, kLong), "lookback_segments");
  EXPECT_EQ(family(kMany, 4096), "scan_segments");
  EXPECT_EQ(family(u64{1} << 20, 16), "lookback_segments");
  EXPECT_EQ(family(u64{1} << 16, 16), "scan_segments");
  EXPECT_EQ(family(kMany, kLong, {.offset_form = OffsetForm::begins_and_ends}), "scan_segments");
  EXPECT_EQ(family(kMany, kLong, {.init = Init::each}), "scan_segments");
  ScanRequest fixed{.determinism = Determinism::run_to_run};
  fixed.input_type = fixed.accumulator_type = fixed.output_type = ValueType::f32;
  EXPECT_EQ(family(kMany, kLong, fixed), "scan_segments");
}

// A thread has as many columns as are vectors in every line, or as many as fill words that it shifts.
TEST(Space, ThreadsHaveColumnsThatAreVectorsInEveryLine) {
  struct Case {
    ValueType type;
    u64 columns, of_plane;  // of_plane: 0 where they are dense
    i64 pitch, plane;       // from a line to the next, and from a plane
    i64 column_stride;
    int columns_per_thread, shifted_words;
  };
  constexpr auto f16 = ValueType::f16, f32 = ValueType::f32, i8 = ValueType::i8;
  for (const Case& its :
       {Case{i8, 1024, 0, 0, 0, 1, 4, 0}, Case{i8, 1023, 0, 0, 0, 1, 4, 1}, Case{f16, 1022, 0, 0, 0, 1, 2, 0},
        Case{f16, 231, 0, 0, 0, 1, 2, 1}, Case{f32, 231, 0, 0, 0, 1, 1, 0},
        // One plane, whose last thread may lack columns.
        Case{i8, 1023, 1023, 1024, 0, 1, 4, 0}, Case{i8, 1024, 1024, 1027, 0, 1, 4, 1},
        // Several.
        Case{i8, 640, 64, 64, 6400, 1, 4, 0}, Case{i8, 630, 63, 64, 6400, 1, 4, 1},
        Case{f16, 640, 64, 64, 6401, 1, 2, 1},
        // Columns apart.
        Case{i8, 1024, 1024, 4096, 0, 2, 1, 0}}) {
    ScanRequest request{.input_type = its.type,
                        .accumulator_type = default_accumulator(its.type, its.type),
                        .output_type = its.type,
                        .segments = Segments::columns,
                        .n = its.columns * 10'000,
                        .columns = its.columns};
    if (its.of_plane != 0) {
      const Strides strides{.item = its.pitch, .sequence = its.column_stride, .plane = its.plane};
      request.layout = {.input = strides, .output = strides, .plane_sequences = its.of_plane};
    }
    const ScanColumnsConfig config = Family<ScanColumnsConfig>::default_config(request, 90);
    EXPECT_EQ(config.columns_per_thread, its.columns_per_thread) << its.columns << " columns, pitch " << its.pitch;
    EXPECT_EQ(config.shifted_words, its.shifted_words) << its.columns << " columns, pitch " << its.pitch;
    EXPECT_STREQ(Family<ScanColumnsConfig>::invalid_reason(config, request, 90), nullptr);
  }
}

// A row of 8192 values of 16 bytes would be 16 tiles of a CTA, one after another.
TEST(Space, SomeLongRowsHaveACtaEachIfItsTilesAreLarge) {
  const auto family = [](ScanRequest request, u64 length = 16384) {
    request.segments = Segments::rows;
    request.rows = 64;
    request.n = 64 * length;
    return std::string(default_config(request, 90).family().name());
  };
  EXPECT_EQ(family({}), "scan_rows");
  EXPECT_EQ(family({.direction = Direction::reverse}), "scan_rows");
  ScanRequest wide{.op = Operator::custom_cheap, .custom_bytes = 16, .custom_alignment = 16};
  wide.input_type = wide.accumulator_type = wide.output_type = ValueType::custom;
  EXPECT_NE(family(wide, 8192), "scan_rows");
  EXPECT_NE(family({.op = Operator::custom_cheap}), "scan_rows");
}

// In the first band of fewer lines, columns beside them have no item yet that the next band could begin with.
TEST(Space, TilesOfShiftedWordsHaveMoreLinesThanAThreadHasColumns) {
  const ScanRequest request{.input_type = ValueType::u8,
                            .accumulator_type = ValueType::u32,
                            .output_type = ValueType::u8,
                            .op = Operator::min,
                            .segments = Segments::columns,
                            .n = 37 * 1000,
                            .columns = 37};
  ScanColumnsConfig config = Family<ScanColumnsConfig>::default_config(request, 90);
  config.block_threads = 32;
  config.columns_per_thread = 4;
  config.columns_per_block = 128;
  config.shifted_words = 1;
  config.min_ctas_per_sm = 1;
  for (const int lines : {1, 4, 5, 8}) {
    config.items_per_thread = lines;
    EXPECT_EQ(Family<ScanColumnsConfig>::invalid_reason(config, request, 90) == nullptr, lines > 4) << lines;
  }
}

// Sums of four columns of bytes share a word, which the workspace holds once.
TEST(Space, PackedColumnsShareAStatusDescriptor) {
  ScanRequest request{.input_type = ValueType::u8,
                      .accumulator_type = ValueType::u32,
                      .output_type = ValueType::u8,
                      .segments = Segments::columns,
                      .n = u64{1} << 24,
                      .columns = 256};
  using Columns = Family<ScanColumnsConfig>;
  ScanColumnsConfig config = Columns::default_config(request, 90);
  config.columns_per_thread = 4;
  ASSERT_TRUE(packs_columns(config, request));
  const auto descriptors = [&] {
    return (Columns::workspace(config, request).bytes - sizeof(WorkspaceHeader)) /
           descriptor_bytes(config.status_layout, request.accumulator_bytes());
  };
  ASSERT_GT(Columns::bands(config, request), 1u);
  EXPECT_EQ(descriptors(), Columns::bands(config, request) * request.columns / 4);
  request.op = Operator::max;
  EXPECT_EQ(descriptors(), Columns::bands(config, request) * request.columns);
}

// Which layout is faster is for the search to find out.
TEST(Space, SearchesBothStatusLayoutsOf8ByteValues) {
  const ScanRequest request = request_of(ValueType::i64, u64{1} << 22);
  for (const char* name : {"one_shot", "lookback", "pipelined"})
    for (const char* layout : {"status_layout=packed", "status_layout=split"})
      EXPECT_TRUE(std::ranges::any_of(
          searched_configs(*find_family(name), request, 90),
          [&](const Config& config) { return to_string(config).find(layout) != std::string::npos; }))
          << name << ": " << layout;
}

TEST(Space, DeterministicFloatSumsGoToAFamilyWithAFixedAssociation) {
  ScanRequest request = request_of(ValueType::f32, 1u << 24);
  request.determinism = Determinism::run_to_run;
  EXPECT_STREQ(default_config(request, 90).family().name(), "three_phase");
  request.n = 1u << 20;
  EXPECT_STREQ(default_config(request, 90).family().name(), "one_shot");
}

TEST(Space, DeterministicExtremesGoToLookbackBecauseTheyAreExactInEveryOrder) {
  for (const Operator op : {Operator::min, Operator::max}) {
    ScanRequest request = request_of(ValueType::f32, 1u << 20);
    request.op = op;
    request.determinism = Determinism::run_to_run;
    EXPECT_STREQ(default_config(request, 75).family().name(), "lookback") << token(op);
  }
}

TEST(Space, DeterministicCustomOperatorsGoToAFamilyWithAFixedAssociation) {
  ScanRequest request = request_of(ValueType::i32, 1u << 24);
  request.op = Operator::custom_cheap;
  request.determinism = Determinism::run_to_run;
  EXPECT_STREQ(default_config(request, 90).family().name(), "three_phase");
}

TEST(Space, SmallScansStartEarlyByDefaultOnlyBetweenScansThatLetThem) {
  const auto pdl_of = [](const ScanRequest& request, int sm) {
    return testing::value_of(default_config(request, sm), "pdl");
  };
  const std::pair<u64, int> kCases[] = {
      {100, 2}, {5000, 2}, {u64{1} << 16, 2}, {u64{1} << 18, 1}};  // the last two: SMs
  for (const auto& [n, pdl] : kCases) {
    ScanRequest request = request_of(ValueType::i32, n);
    EXPECT_EQ(pdl_of(request, 90), pdl) << n;
    EXPECT_EQ(pdl_of(request, 80), 0) << n;
    request.latency = Latency::isolated;
    EXPECT_EQ(pdl_of(request, 90), 0) << n;
  }
}

// Measured: tests/bench/results/h200-one-shot-shapes.csv.
TEST(Space, OneShotHasShapesByDefaultThatWereFasterOverN) {
  struct Case {
    ValueType type;
    Operator op;
    u64 n;
    int threads, items, poll_warps, pdl;
  };
  constexpr Operator kSum = Operator::sum, kMax = Operator::max;
  const Case kCases[] = {
      {ValueType::i32, kSum, 50'000, 128, 4, 4, 2},      {ValueType::i32, kSum, 100'000, 128, 8, 4, 2},
      {ValueType::i32, kSum, 200'000, 256, 8, 4, 1},     {ValueType::i32, kSum, 500'000, 512, 8, 4, 1},
      {ValueType::i32, kSum, 1'000'000, 512, 16, 4, 1},  {ValueType::i32, kSum, 1'500'000, 512, 16, 4, 1},
      {ValueType::i32, kMax, 1'500'000, 1024, 16, 1, 2}, {ValueType::i32, kSum, 1'900'000, 1024, 16, 1, 2},
      {ValueType::i16, kSum, 100'000, 128, 8, 4, 2},     {ValueType::i16, kSum, 400'000, 256, 16, 4, 1},
      {ValueType::i16, kSum, 2'000'000, 512, 32, 4, 1},  {ValueType::i16, kSum, 3'600'000, 1024, 32, 1, 2},
      {ValueType::i8, kSum, 200'000, 128, 16, 4, 2},     {ValueType::i8, kSum, 900'000, 256, 32, 4, 1},
      {ValueType::i8, kSum, 1'500'000, 1024, 16, 1, 2},  {ValueType::f64, kSum, 30'000, 128, 4, 4, 1},
      {ValueType::f64, kSum, 100'000, 128, 8, 4, 1},     {ValueType::f64, kSum, 250'000, 128, 16, 4, 1},
      {ValueType::f64, kSum, 500'000, 256, 16, 4, 1},    {ValueType::f64, kSum, 900'000, 128, 16, 4, 2},
  };
  for (const Case& one : kCases) {
    ScanRequest request = request_of(one.type, one.n);
    request.op = one.op;
    const OneShotConfig config = Family<OneShotConfig>::default_config(request, 90);
    const auto told = std::tuple{config.block_threads, config.items_per_thread, config.poll_warps, config.pdl};
    EXPECT_EQ(told, (std::tuple{one.threads, one.items, one.poll_warps, one.pdl})) << to_string(Request(request));
  }
}

TEST(Space, DeterministicFloatSumsDoNotDependOnTheAlignmentOfPointers) {
  ScanRequest request = request_of(ValueType::f32, 1u << 16);
  request.determinism = Determinism::run_to_run;
  for (const FamilyModel* family : scan_families())
    for (const Config& config : searched_configs(*family, request, 90))
      EXPECT_EQ(to_string(config).find("layout=striped"), std::string::npos) << to_string(config);
}

TEST(Space, ShortScansTakeFewerStepsWhereTheyShuffleFewWords) {
  const auto radix = [](const auto& config, ValueType type, Operator op = Operator::sum) {
    ScanRequest request = request_of(type, 1000);
    request.op = op;
    return peeled_tile_shape(config, {request, Variant::aligned}).warp_scan == WarpScan::kogge_stone_4 ? 4 : 2;
  };
  const SingleBlockConfig rows_of_one{.block_threads = 512, .layout = TileLayout::direct};
  EXPECT_EQ(radix(rows_of_one, ValueType::i32), 4) << "16 warps of one row of words";
  EXPECT_EQ(radix(rows_of_one, ValueType::i64), 2) << "of two words each";
  EXPECT_EQ(radix(rows_of_one, ValueType::i32, Operator::custom_cheap), 2) << "combining may cost more than shuffling";
  const SingleBlockConfig rows_of_vectors{.block_threads = 256, .items_per_thread = 8, .layout = TileLayout::striped};
  EXPECT_EQ(radix(rows_of_vectors, ValueType::i32), 4) << "8 warps of two rows";
  EXPECT_EQ(radix(rows_of_vectors, ValueType::i64), 2) << "8 warps of four rows of two words";
  EXPECT_EQ(radix(OneShotConfig{.block_threads = 128, .cluster_blocks = 8}, ValueType::i32), 4);
  EXPECT_EQ(radix(OneShotConfig{.block_threads = 128}, ValueType::i32), 2) << "CTAs that poll";
  EXPECT_EQ(radix(LookbackConfig{.block_threads = 128}, ValueType::i32), 2) << "other tiles on the same SM";
}

TEST(Space, ScansByTheRadixThatAConfigNames) {
  const ScanRequest request = request_of(ValueType::i32, 1000);
  for (const WarpScan named : {WarpScan::kogge_stone_2, WarpScan::kogge_stone_4}) {
    const SingleBlockConfig alone{.warp_scan = named};
    EXPECT_EQ(peeled_tile_shape(alone, {request, Variant::aligned}).warp_scan, named);
    const LookbackConfig beside_others{.warp_scan = named};
    EXPECT_EQ(peeled_tile_shape(beside_others, {request, Variant::aligned}).warp_scan, named);
    EXPECT_EQ(warp_scan_method(PipelinedConfig{.warp_scan = named}), named);
  }
  EXPECT_EQ(warp_scan_method(PipelinedConfig{}), WarpScan::kogge_stone_2);
}

TEST(Space, PipelinedTakesSharedMemoryToScanOnlyForHillisSteele) {
  const ScanRequest request = request_of(ValueType::f64, 1000);
  const int without = shared_bytes(PipelinedConfig{}, request);
  EXPECT_EQ(shared_bytes(PipelinedConfig{.warp_scan = WarpScan::brent_kung}, request), without);
  EXPECT_EQ(shared_bytes(PipelinedConfig{.warp_scan = WarpScan::hillis_steele}, request),
            without + (8 + 1) * 2 * 32 * 8);
}

TEST(Space, ReadsByDefaultTheShareOfAPollingWarpAtOnceUpTo128) {
  std::set<int> windows;
  for (const ValueType type : {ValueType::i8, ValueType::i32, ValueType::i64})
    for (u64 half = 512; half <= u64{1} << 21; half *= 2)
      for (const u64 n : {2 * half, 3 * half}) {
        const ScanRequest request = request_of(type, n);
        const OneShotConfig config = Family<OneShotConfig>::default_config(request, 90);
        const u64 published = Family<OneShotConfig>::aggregates(config, request);
        if (published == 1) {
          EXPECT_EQ(config.window, 128) << "one cluster polls nothing: " << n;
          continue;
        }
        windows.insert(config.window);
        const u64 share = ceil_div(published - 1, static_cast<u64>(config.poll_warps) * 32) * 32;
        EXPECT_TRUE(config.window == 128 || static_cast<u64>(config.window) >= share) << n;
        EXPECT_TRUE(config.window == 32 || static_cast<u64>(config.window) / 2 < share) << n;
      }
  EXPECT_EQ(windows, (std::set<int>{32, 64, 128}));
}

TEST(Space, RefusesWindowsThatAreNoWholeWarpsOrTooManyRegisters) {
  const ScanRequest request = request_of(ValueType::i32, 1u << 20);
  for (const int window : {0, 16, 48, 512, -32}) {
    EXPECT_STREQ(Family<OneShotConfig>::invalid_reason({.window = window}, request, 90),
                 "window must be a multiple of 32 up to 256");
    EXPECT_STREQ(Family<PipelinedConfig>::invalid_reason({.window = window}, request, 90),
                 "window must be a multiple of 32 up to 256");
  }
}

TEST(Space, RefusesToScanForAnAggregateWhereThatIsDoneAnyway) {
  ScanRequest request = request_of(ValueType::i32, 1000);
  const OneShotConfig one_shot{.aggregate_from = AggregateFrom::scan};
  const SingleBlockConfig single_block{.aggregate_from = AggregateFrom::scan};
  EXPECT_EQ(Family<OneShotConfig>::invalid_reason(one_shot, request, 90), nullptr);
  EXPECT_EQ(Family<SingleBlockConfig>::invalid_reason(single_block, request, 90), nullptr);
  EXPECT_NE(Family<SingleBlockConfig>::invalid_reason({.aggregate_from = AggregateFrom::scan, .pdl = 0}, request, 75),
            nullptr);
  request.op = Operator::product;
  EXPECT_NE(Family<SingleBlockConfig>::invalid_reason(single_block, request, 90), nullptr);
  request.op = Operator::custom_cheap;
  EXPECT_NE(Family<OneShotConfig>::invalid_reason(one_shot, request, 90), nullptr);
  const ScanRequest floating = request_of(ValueType::f32, 1000);
  EXPECT_EQ(Family<OneShotConfig>::invalid_reason(one_shot, floating, 90), nullptr);
  EXPECT_NE(Family<SingleBlockConfig>::invalid_reason(single_block, floating, 90), nullptr);
}

TEST(Space, DeterministicScansTakeTheSameStepsAtEveryAlignment) {
  const auto check = [](const auto& config, const ScanRequest& request) {
    const WarpScan aligned = peeled_tile_shape(config, {request, Variant::aligned}).warp_scan;
    EXPECT_EQ(peeled_tile_shape(config, {request, Variant::any}).warp_scan, aligned) << config.block_threads;
  };
  for (const ValueType type : {ValueType::f16, ValueType::f32, ValueType::f64})
    for (const int threads : {32, 64, 128, 256, 512, 1024})
      for (const int items : {4, 8, 16})
        for (const TileLayout layout : {TileLayout::direct, TileLayout::warp_transposed}) {
          ScanRequest request = request_of(type, 1000);
          request.determinism = Determinism::run_to_run;
          check(SingleBlockConfig{.block_threads = threads, .items_per_thread = items, .layout = layout}, request);
          if (threads >= 64)
            check(
                OneShotConfig{
                    .block_threads = threads, .items_per_thread = items, .layout = layout, .cluster_blocks = 4},
                request);
        }
}

}  // namespace
}  // namespace scantune
