// The space of reductions of rows: how many CTAs reduce one by default, and what their partial results take. Columns:
// what is loaded as vectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "space_under_test.h"

namespace scantune {
namespace {

ReduceRequest rows_of(ReduceRequest request, u64 rows, u64 length) {
  request.segments = Segments::rows;
  request.rows = rows;
  request.n = rows * length;
  return request;
}

// Numbers and structs, with the widest partial results that there are.
std::vector<ReduceRequest> requests() {
  std::vector<ReduceRequest> all;
  for (const ValueType type : kTypes) {
    if (type == ValueType::custom) continue;
    ReduceRequest request{.input_type = type,
                          .accumulator_type = default_accumulator(type, type),
                          .output_type = type,
                          .op = Operator::min};
    all.push_back(request);
    request.position = Position::first;
    request.extremes = ExtremeSet::both;
    request.init = Init::none;
    all.push_back(request);
  }
  for (const int bytes : {1, 3, 12, kMaxValueBytes}) {
    ReduceRequest structs{.input_type = ValueType::custom,
                          .accumulator_type = ValueType::custom,
                          .output_type = ValueType::custom,
                          .op = Operator::custom_cheap,
                          .custom_bytes = bytes,
                          .custom_alignment = 1};
    all.push_back(structs);
    structs.op = Operator::min;
    structs.position = Position::last;
    structs.extremes = ExtremeSet::both;
    structs.ordered_by = OrderedBy::less;
    all.push_back(structs);
  }
  return all;
}

TEST(Space, ReductionsOfRowsHaveALegalDefaultWhoseWorkspaceIsBelowAHundredthOfTheInput) {
  const FamilyModel& family = *find_family("reduce_rows");
  int folded = 0;
  for (const ReduceRequest& of : requests())
    for (const int sm : kArchs)
      for (const u64 rows : {1, 2, 3, 14, 132, 265, 5000})
        for (const u64 length : {1, 1000, 3072, 16'385, 99'991, 1 << 24}) {
          const ReduceRequest request = rows_of(of, rows, length);
          ASSERT_STREQ(family.unsupported_reason(request, sm), nullptr) << to_string(Request(request));
          const Config config = family.default_config(request, sm);
          ASSERT_STREQ(reject_reason(config, request, sm), nullptr) << to_string(config);
          ASSERT_EQ(unlisted_parameter(config), "") << to_string(config);
          ASSERT_LE(100 * family.workspace(config, request).bytes, request.n * static_cast<u64>(request.input_bytes()))
              << to_string(config) << " of " << to_string(Request(request));
          folded += family.launches(config, request, Variant::aligned).count - 1;
        }
  EXPECT_GT(folded, 1000);
}

TEST(Space, FewLongRowsHaveCtasForEverySmAndManyOrShortRowsHaveOneEach) {
  const FamilyModel& family = *find_family("reduce_rows");
  const auto ctas = [&](u64 rows, u64 length) {
    const ReduceRequest request = rows_of({}, rows, length);
    return family.launches(family.default_config(request, 90), request, Variant::aligned).launches[0].grid_blocks;
  };
  for (const u64 rows : {2, 3, 14, 21, 100, 132, 264}) {
    EXPECT_GT(ctas(rows, 10'000'000), 2u * 132u) << rows << " rows";
    EXPECT_LE(ctas(rows, 10'000'000), 4u * 132u) << rows << " rows";
  }
  for (const u64 rows : {265, 500, 10'000}) EXPECT_EQ(ctas(rows, 10'000'000), rows);
  EXPECT_EQ(ctas(3, 9'000), 3u);
  EXPECT_EQ(ctas(3, 60'000), 12u);
  EXPECT_EQ(ctas(3, 40'000), 3u) << "a second launch would take longer";
  EXPECT_EQ(ctas(80, 100'000), 80u) << "these read as fast as the memory gives";
}

TEST(Space, ManyRowsOfUpToSomeThousandItemsHaveAGroupOfLanesEach) {
  const FamilyModel& family = *find_family("reduce_rows");
  struct Rows {
    u64 count, length;
    u32 ctas;
    int row_items;  // that a group loads at once
  };
  for (const auto& [count, length, ctas, row_items] : std::vector<Rows>{{9'284, 915, 9'284 / 4, 1024},
                                                                        {100'000, 128, 100'000 / 32, 128},
                                                                        {1'024'000, 12, 1'024'000 / 128, 16},
                                                                        {300, 1000, 300 / 4, 1024},
                                                                        {5'000, 4000, 5'000 / 4, 1024},
                                                                        {1'000, 4000, 1'000, 4096},
                                                                        {5'000, 5000, 5'000, 8192},
                                                                        {200, 1000, 200, 1024}}) {
    const ReduceRequest request = rows_of({}, count, length);
    const Config config = family.default_config(request, 90);
    const Launch launch = family.launches(config, request, Variant::aligned).launches[0];
    EXPECT_EQ(launch.grid_blocks, ctas) << count << " rows of " << length;
    EXPECT_EQ(launch.shared_bytes == 0, ctas != count) << count << " rows of " << length;
    EXPECT_EQ(family.tile_items(config, request), row_items) << count << " rows of " << length;
  }
}

// A record of longer rows serves rows that have fewer tiles than it has CTAs.
TEST(Space, RowsHaveNoMoreSharesThanTiles) {
  ReduceRequest request = rows_of({}, 2, 1 << 24);
  const FamilyModel& family = *find_family("reduce_rows");
  const Config config = family.default_config(request, 90);
  const u64 tile = static_cast<u64>(family.tile_items(config, request));
  for (const u64 tiles : {1, 3, 200, 1000}) {
    request.n = 2 * (tiles + 1) * tile - 2;
    ASSERT_STREQ(reject_reason(config, request, 90), nullptr);
    const LaunchList list = family.launches(config, request, Variant::aligned);
    EXPECT_EQ(list.launches[0].grid_blocks, 2 * std::min<u64>(tiles, 256));
    EXPECT_EQ(list.count, tiles == 1 ? 1 : 2);
  }
}

// Lines that are whole vectors apart are cut at boundaries. The vectors of 1022 columns hold 1024 or, if the first
// three of one are of no column, 1028, which take a CTA more.
TEST(Space, ColumnsAreVectorsWhereverTheirLinesBegin) {
  const FamilyModel& family = *find_family("reduce_columns");
  const auto lines = [](i64 apart, i64 first) {
    ReduceRequest request{.input_type = ValueType::f32,
                          .accumulator_type = ValueType::f32,
                          .output_type = ValueType::f32,
                          .segments = Segments::columns,
                          .n = u64{1022} * 5'000,
                          .columns = 1022};
    request.layout = {.input = {.item = apart, .sequence = 1, .first = first}, .plane_sequences = 1022};
    return request;
  };
  const Config config = family.default_config(lines(1024, 0), 90);
  EXPECT_EQ(to_string(family.default_config(lines(1024, 3), 90)), to_string(config));
  EXPECT_NE(to_string(family.default_config(lines(1023, 0), 90)), to_string(config));

  const auto ctas = [&](i64 first, Variant variant) {
    return family.launches(config, lines(1024, first), variant).launches[0].grid_blocks;
  };
  EXPECT_EQ(ctas(2, Variant::aligned), ctas(0, Variant::aligned));
  EXPECT_EQ(ctas(4, Variant::aligned), ctas(0, Variant::aligned));
  EXPECT_GT(ctas(3, Variant::aligned), ctas(0, Variant::aligned));
  EXPECT_EQ(ctas(0, Variant::any), ctas(3, Variant::aligned));
}

}  // namespace
}  // namespace scantune
