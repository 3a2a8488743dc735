// Every family of reductions compared with a plain loop, at the edge sizes, under a few schedules each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "designed_rows.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "reduce_case.h"
#include "sampled_requests.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune::reduce_test {
namespace {

constexpr std::size_t kSampledProblems = 24 * kTestEffort;  // of each family
constexpr int kBuiltInOperators = static_cast<int>(Operator::custom_cheap);

struct Problem {
  const FamilyModel* family;
  ReduceRequest request;
  u64 seed;
};

std::string name_of(const Problem& problem) {
  const ReduceRequest& request = problem.request;
  return std::string(problem.family->name()) + "_" + token(request.input_type) + "_" + token(request.output_type) +
         "_" + token(request.op) + (request.has_position() ? "_position" : std::string("_init_") + token(request.init));
}

void PrintTo(const Problem& problem, std::ostream* out) { *out << name_of(problem); }

// ---- the design: every pair of what reductions differ in ----

constexpr const char* kStarts[] = {"no_init", "from_value", "from_memory", "with_position", "with_last_position"};

// Scans have the others, by the same operators.
constexpr TypePair kDesignedTypes[] = {
    {ValueType::i8, ValueType::i8},   {ValueType::u16, ValueType::u16},   {ValueType::i32, ValueType::i32},
    {ValueType::u32, ValueType::u32}, {ValueType::i64, ValueType::i64},   {ValueType::u64, ValueType::u64},
    {ValueType::f16, ValueType::f16}, {ValueType::bf16, ValueType::bf16}, {ValueType::f32, ValueType::f32},
    {ValueType::f64, ValueType::f64}, {ValueType::u8, ValueType::u32},    {ValueType::i16, ValueType::i64},
    {ValueType::f16, ValueType::f32}};

ReduceRequest designed_request(const DesignRow& row) {
  const TypePair& pair = kDesignedTypes[row[1]];
  const bool has_position = row[3] >= 3;
  ReduceRequest request = reduction_of(pair.input, pair.output, static_cast<Operator>(row[2]),
                                       has_position ? Init::none : static_cast<Init>(row[3]),
                                       !has_position ? Position::none
                                       : row[3] == 3 ? Position::first
                                                     : Position::last);
  if (has_position && request.op == Operator::max) request.index_width = IntegerWidth::bits_32;
  return request;
}

Design reduce_design() {
  std::vector<std::string> families, types, operators;
  for (const FamilyModel* family : reduce_families()) families.emplace_back(family->name());
  std::ranges::sort(families);
  for (const TypePair& pair : kDesignedTypes)
    types.push_back(std::string(token(pair.input)) + "_" + token(pair.output));
  for (int op = 0; op < kBuiltInOperators; ++op) operators.emplace_back(token(static_cast<Operator>(op)));
  return Design("reductions", 2, 1,
                {{"family", families},
                 {"types", types},
                 {"operator", operators},
                 {"start", {std::begin(kStarts), std::end(kStarts)}},
                 {"place", {"aligned", "unaligned"}, true}},
                [families](const DesignRow& row) {
                  return solves(*find_family(families[static_cast<std::size_t>(row[0])]), designed_request(row));
                });
}

TEST(ReduceDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (reduce_design().write_if_asked()) return;
  EXPECT_EQ(reduce_design().gaps(), std::vector<std::string>{});
}

// The rows, whose configs have between them every value of every parameter.
const std::vector<DesignedCase>& designed_reductions() {
  static const Design kDesign = reduce_design();
  static const std::vector<DesignedCase> kReductions = [] {
    CoveringConfigs configs(kMaxTileItems);
    return designed_cases(kDesign, rows_to_run(kDesign), [&](const DesignRow& values, const RowReader& row) {
      return configs.next(row.family(), asked_of(row.family(), designed_request(values), kSomeItems));
    });
  }();
  return kReductions;
}

class Reduce : public testing::TestWithParam<DesignedCase> {};

TEST_P(Reduce, IsRightAtEdgeSizes) {
  const auto& [design, row, config] = GetParam();
  SCOPED_TRACE(design->describe(row));
  Random random(GetParam().read().seed());
  check_edge_sizes(designed_request(row), config, random, nullptr, {row[4] == 0});
}

INSTANTIATE_TEST_SUITE_P(Designed, Reduce, testing::ValuesIn(designed_reductions()), kNameOfRow);

TEST(ReduceDesign, HasEveryValueOfEveryParameter) {
  needs_no_kernel();
  for (const FamilyModel* family : reduce_families()) {
    std::vector<std::string> missing = values_that_none_has(*family, designed_reductions());
    std::erase(missing, "band_lines 64");  // for columns that are no longer, of which no request above is
    std::erase(missing,
               "columns_per_thread 16");  // for bytes alone, of which there are few rows: ReducedColumns has it
    EXPECT_EQ(missing, std::vector<std::string>{}) << family->name();
  }
}

// ---- drawn problems ----

// What a sample must not miss.
std::vector<std::string> properties(const ReduceRequest& request) {
  const std::string op = token(request.op);
  return {std::string(token(request.input_type)) + " to " + token(request.output_type),
          op + (request.has_position() ? " and its position" : " of ") + std::to_string(request.accumulator_bytes()),
          std::string("init ") + token(request.init)};
}

std::vector<ReduceRequest> problems_of(const FamilyModel& family) {
  std::vector<ReduceRequest> all;
  for (const TypePair& pair : kTypePairs)
    for (int op = 0; op < kBuiltInOperators; ++op) {
      for (const Init init : {Init::none, Init::value, Init::memory})
        all.push_back(reduction_of(pair.input, pair.output, static_cast<Operator>(op), init));
      all.push_back(reduction_of(pair.input, pair.output, static_cast<Operator>(op), Init::none, Position::first));
    }
  std::erase_if(all, [&](const ReduceRequest& request) { return !solves(family, request); });
  return all;
}

// Each family has a sample of its own, in which problems that add a property come first.
std::vector<Problem> sampled_problems() {
  std::vector<Problem> sample;
  for (const FamilyModel* family : reduce_families()) {
    std::vector<ReduceRequest> all = problems_of(*family);
    Random random(1 + sample.size());
    for (std::size_t left = all.size(); left > 1; --left)
      std::swap(all[left - 1], all[random.below(static_cast<u32>(left))]);
    std::set<std::string> seen;
    const auto others = std::stable_partition(all.begin(), all.end(), [&](const ReduceRequest& request) {
      bool adds = false;
      for (const std::string& property : properties(request)) adds |= seen.insert(property).second;
      return adds;
    });
    const auto count = std::max<std::size_t>(static_cast<std::size_t>(others - all.begin()), kSampledProblems);
    for (std::size_t index = 0; index < std::min(count, all.size()); ++index)
      sample.push_back({family, all[index], 1000 + sample.size()});
  }
  return sample;
}

class SampledReduce : public testing::TestWithParam<Problem> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledReduce);

TEST_P(SampledReduce, IsRightAtEdgeSizes) {
  const auto& [family, request, seed] = GetParam();
  Random random(seed);
  check_edge_sizes(request, drawn_config(*family, request, random), random);
}

INSTANTIATE_TEST_SUITE_P(Sampled, SampledReduce, testing::ValuesIn(drawn_in_long_runs(sampled_problems())),
                         [](const auto& tested) { return name_of(tested.param); });

// Each operator is for two of the families that take one, other two for the next.
struct CustomProblem {
  const FamilyModel* family;
  TestOperator custom;
};

void PrintTo(const CustomProblem& problem, std::ostream* out) {
  *out << problem.family->name() << " of " << problem.custom.name;
}

std::vector<CustomProblem> custom_problems() {
  std::vector<CustomProblem> all;
  std::vector<const FamilyModel*> takers;
  for (const FamilyModel* family : reduce_families())
    if (solves(*family, custom_reduction(affine_maps()))) takers.push_back(family);
  std::size_t turn = 0;
  for (const TestOperator& custom : test_operators())
    for (int time = 0; time < 2; ++time) all.push_back({takers[turn++ % takers.size()], custom});
  return all;
}

class CustomReduce : public testing::TestWithParam<CustomProblem> {};

TEST_P(CustomReduce, IsRightAtEdgeSizes) {
  const auto& [family, custom] = GetParam();
  Random random(static_cast<u64>(100 * custom.request.custom_bytes + custom.request.custom_alignment));
  const ReduceRequest request = custom_reduction(custom, static_cast<Init>(random.below(3)));
  check_edge_sizes(request, drawn_config(*family, request, random), random, &custom, {random.chance(50)});
}

INSTANTIATE_TEST_SUITE_P(AllOperators, CustomReduce, testing::ValuesIn(custom_problems()), [](const auto& tested) {
  return std::string(tested.param.family->name()) + "_" + tested.param.custom.name;
});

TEST(ReduceSample, LeavesOutNoFamilyTypeOrOperator) {
  needs_no_kernel();
  std::set<std::string> families, found, all;
  for (const Problem& problem : sampled_problems()) {
    families.insert(problem.family->name());
    for (const std::string& property : properties(problem.request))
      found.insert(problem.family->name() + (": " + property));
  }
  for (const FamilyModel* family : reduce_families())
    for (const ReduceRequest& request : problems_of(*family))
      for (const std::string& property : properties(request)) all.insert(family->name() + (": " + property));
  EXPECT_EQ(found, all);
  EXPECT_EQ(families.size(), reduce_families().size());
}

// Small tiles, so that many CTAs meet.
struct Small {
  const char* family;
  std::vector<std::pair<std::string, std::string>> values;
};

void PrintTo(const Small& small, std::ostream* out) { *out << small.family; }

const std::vector<Small> kSmall = {
    {"reduce_block", {{"block_threads", "32"}, {"unroll", "1"}, {"cluster_blocks", "1"}}},
    {"reduce_block", {{"block_threads", "64"}, {"unroll", "2"}, {"cluster_blocks", "1"}}},
    {"reduce_block", {{"block_threads", "32"}, {"unroll", "2"}, {"cluster_blocks", "2"}}},
    {"reduce_block", {{"block_threads", "64"}, {"unroll", "1"}, {"cluster_blocks", "4"}, {"pdl", "0"}}},
    {"reduce_gather", {{"block_threads", "32"}, {"unroll", "8"}, {"ctas_per_sm", "8"}}},
    {"reduce_gather", {{"block_threads", "64"}, {"unroll", "4"}, {"ctas_per_sm", "1"}, {"deal", "tiles"}}},
    {"reduce_last_block", {{"block_threads", "32"}, {"unroll", "4"}, {"ctas_per_sm", "8"}}},
    {"reduce_last_block", {{"block_threads", "64"}, {"unroll", "2"}, {"ctas_per_sm", "1"}, {"deal", "tiles"}}},
    {"reduce_two_pass", {{"block_threads", "32"}, {"unroll", "4"}, {"ctas_per_sm", "8"}}},
    {"reduce_two_pass", {{"block_threads", "64"}, {"unroll", "2"}, {"ctas_per_sm", "2"}, {"deal", "tiles"}}},
    {"reduce_atomic", {{"block_threads", "32"}, {"unroll", "1"}, {"ctas_per_sm", "4"}}},
    {"reduce_atomic", {{"block_threads", "64"}, {"unroll", "2"}, {"ctas_per_sm", "1"}, {"deal", "tiles"}}},
    {"reduce_rows", {{"block_threads", "64"}, {"unroll", "1"}, {"rows_per_block", "2"}}},
    // A row is cut into all shares that are allowed, and into one for each of its tiles.
    {"reduce_rows", {{"block_threads", "64"}, {"unroll", "2"}, {"blocks_per_row", "4"}}},
    {"reduce_rows", {{"block_threads", "32"}, {"unroll", "4"}, {"blocks_per_row", "256"}}},
    // Groups of lanes, of which some have no row.
    {"reduce_rows", {{"block_threads", "64"}, {"threads_per_row", "32"}, {"unroll", "2"}, {"rows_per_block", "2"}}},
    {"reduce_rows", {{"block_threads", "32"}, {"threads_per_row", "2"}, {"unroll", "8"}}},
    {"reduce_rows", {{"block_threads", "64"}, {"threads_per_row", "1"}, {"unroll", "1"}}},
    {"reduce_short_rows",
     {{"block_threads", "64"}, {"vectors_per_thread", "1"}, {"threads_per_row", "4"}, {"items_per_read", "1"}}},
    // Vectors at once, which the kernel for any pointers puts on a boundary.
    {"reduce_short_rows", {{"block_threads", "64"}, {"vectors_per_thread", "2"}, {"threads_per_row", "2"}}},
    {"reduce_segments",
     {{"block_threads", "64"},
      {"segment_threads", "2"},
      {"segments_at_once", "2"},
      {"unroll", "1"},
      {"long_tiles", "1"}}},
    {"reduce_segments",
     {{"block_threads", "32"},
      {"segment_threads", "32"},
      {"segments_at_once", "1"},
      {"unroll", "2"},
      {"long_tiles", "2"}}},
    {"reduce_segments",
     {{"block_threads", "64"},
      {"segment_threads", "1024"},
      {"segments_at_once", "2"},
      {"unroll", "2"},
      {"long_tiles", "1"}}},
    {"reduce_columns",
     {{"block_threads", "64"},
      {"columns_per_block", "8"},
      {"columns_per_thread", "2"},
      {"unroll", "2"},
      {"band_lines", "1700"}}},
    {"reduce_columns",
     {{"block_threads", "64"},
      {"columns_per_block", "1"},
      {"columns_per_thread", "1"},
      {"unroll", "1"},
      {"band_lines", "1700"}}},
};

Config config_of(const Small& small, const ReduceRequest& request) {
  const FamilyModel& family = *find_family(small.family);
  Config config = family.default_config(asked_of(family, request, kSomeItems), kHostSm);
  for (const auto& [name, spelling] : small.values)
    for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index)
      if (const auto& parameter = family.parameters()[static_cast<std::size_t>(index)]; name == parameter.name)
        if (!(is_custom(request.op) && name == "deal")) config[index] = parse(parameter, spelling).value();
  EXPECT_STREQ(family.invalid_reason(config, asked_of(family, request, kSomeItems), kHostSm), nullptr)
      << to_string(config);
  return config;
}

// One column has several bands.
u64 few_rows(const FamilyModel& family) { return is_of_columns(family) ? 1 : 3; }

class SmallReduce : public testing::TestWithParam<Small> {};

TEST_P(SmallReduce, IsRightAtEdgeSizes) {
  const TestOperator maps = affine_maps();
  Random random(23);
  for (const auto& [request, custom] : std::vector<std::pair<ReduceRequest, const TestOperator*>>{
           {reduction_of(ValueType::i32, ValueType::i32, Operator::sum, Init::value), nullptr},
           {reduction_of(ValueType::f32, ValueType::f32, Operator::min, Init::none, Position::first), nullptr},
           {custom_reduction(maps, Init::value), &maps}}) {
    if (!solves(*find_family(GetParam().family), request)) continue;
    const Config config = config_of(GetParam(), request);
    for (int time = 0; time < 2 * kTestEffort; ++time)
      check_edge_sizes(request, config, random, custom, {request.has_init() != is_custom(request.op)});
    if (HasFailure()) return;
  }
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(values.data());
  return {bytes, bytes + values.size() * sizeof(T)};
}

// Inputs in which values alike stand at several places, the first of them in another CTA than most.
template <class T>
std::vector<std::vector<T>> treacherous(T sign) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity(), kNan = std::numeric_limits<T>::quiet_NaN();
  constexpr std::size_t kItems = 4'001;
  const auto among = [&](T others, const std::vector<std::pair<std::size_t, T>>& placed) {
    std::vector<T> items(kItems, others);
    for (const auto& [index, value] : placed) items[index] = value;
    return items;
  };
  return {among(7, {}),
          among(sign * kInfinity, {}),  // what an accumulator starts from
          among(-sign * kInfinity, {}),
          among(kNan, {}),
          among(T{0}, {{2'900, -T{0}}, {3'500, -T{0}}}),
          among(-T{0}, {{700, T{0}}, {701, T{0}}}),
          among(1, {{kItems - 1, -sign}, {kItems - 2, -sign}}),
          among(1, {{1'999, -sign * kInfinity}, {3'000, kNan}, {3'777, -kNan}}),
          among(kNan, {{0, -sign * kInfinity}}),
          among(sign * kInfinity, {{kItems - 1, kNan}})};
}

template <class T>
void check_extremes(const Small& small, ValueType type, std::initializer_list<Operator> operators, Position position) {
  const FamilyModel& family = *find_family(small.family);
  for (const Operator op : operators) {
    const ReduceRequest of = reduction_of(type, type, op, Init::none, position);
    if (!solves(family, of)) GTEST_SKIP() << "the family takes no such reduction";
    u64 seed = 0;
    for (const std::vector<T>& items : treacherous(op == Operator::min ? T{1} : T{-1}))
      for (const Variant variant : {type == ValueType::f32 ? Variant::aligned : Variant::any}) {
        const ReduceRequest request = asked_of(family, of, items.size(), few_rows(family));
        Case reduction{request, config_of(small, of), ++seed};
        reduction.variant = variant;
        reduction.misaligned_bytes = variant == Variant::any ? sizeof(T) : 0;
        check(reduction, bytes_of(items), {});
        if (testing::Test::HasFailure()) return;
      }
  }
}

TEST_P(SmallReduce, TellsWhereAnExtremeFirstStands) {
  check_extremes<f32>(GetParam(), ValueType::f32, {Operator::min}, Position::first);
  check_extremes<f64>(GetParam(), ValueType::f64, {Operator::max}, Position::first);
}

TEST_P(SmallReduce, TellsWhereAnExtremeLastStands) {
  check_extremes<f32>(GetParam(), ValueType::f32, {Operator::max}, Position::last);
}

TEST_P(SmallReduce, TellsWhereAnExtremeFirstStandsAmongIntegersAndHalves) {
  const FamilyModel& family = *find_family(GetParam().family);
  u64 seed = 100;
  for (const auto& [type, op] : {std::pair(ValueType::u8, Operator::min),
                                 {ValueType::i64, Operator::max},
                                 {ValueType::u64, Operator::max},
                                 {ValueType::bf16, Operator::min}}) {
    const ReduceRequest of = reduction_of(type, type, op, Init::none, Position::first);
    if (!solves(family, of)) GTEST_SKIP() << "the family takes no such reduction";
    Case reduction{asked_of(family, of, 5'003, is_of_columns(family) ? 1 : 2), config_of(GetParam(), of), ++seed};
    reduction.variant = Variant::any;
    reduction.misaligned_bytes = static_cast<u64>(size_of(type));
    const auto bytes = static_cast<std::size_t>(size_of(type));
    // All items are the operator's neutral one, which must not be taken for the absence of any.
    const bool least = op == Operator::max;
    Bytes items(5'003 * bytes, least ? 0x00 : 0xff);
    if (type == ValueType::i64)
      for (std::size_t last = bytes - 1; last < items.size(); last += bytes) items[last] = least ? 0x80 : 0x7f;
    check(reduction, items, {});
    check(reduction,
          is_floating(type) ? special_items(as_scan(reduction.request), seed)
                            : scan_items(as_scan(reduction.request), seed),
          {});
    if (HasFailure()) return;
  }
}

// Items of magnitudes so different that every sum is rounded.
Bytes items_that_tell_orders_apart(u64 n) {
  Random random(11);
  std::vector<u32> words(n);
  for (u32& word : words) word = (static_cast<u32>(random.next()) & 0x807f'ffff) | (127 + random.below(16)) << 23;
  return bytes_of(words);
}

// Rows of many tiles that begin anywhere: one after another with gaps, and in planes.
TEST_P(SmallReduce, IsRightOfLongRowsWithGaps) {
  const FamilyModel& family = *find_family(GetParam().family);
  const TestOperator maps = affine_maps_among_common_names();  // whose zero is no identity
  u64 seed = 200;
  for (const auto& [of, custom] : std::vector<std::pair<ReduceRequest, const TestOperator*>>{
           {reduction_of(ValueType::i16, ValueType::i64, Operator::sum, Init::value), nullptr},
           {reduction_of(ValueType::u8, ValueType::u8, Operator::max, Init::none, Position::last), nullptr},
           {custom_reduction(maps, Init::value), &maps}})
    for (const u64 rows : {1, 2, 3, 4}) {
      constexpr u64 kLength = 9'001;
      ReduceRequest request = of;
      request.segments = Segments::rows;
      request.rows = rows;
      request.n = rows * kLength;
      const i64 apart = kLength + 3;
      request.layout = {.input = {.item = 1, .sequence = apart, .first = 1}, .plane_sequences = rows};
      if (rows == 4)
        request.layout = {.input = {.item = 1, .sequence = 2 * apart, .plane = apart}, .plane_sequences = 2};
      if (family.unsupported_reason(request, kHostSm) != nullptr) GTEST_SKIP() << "the family takes no rows with gaps";
      Case reduction{request, config_of(GetParam(), of), ++seed, custom};
      reduction.variant = Variant::any;
      reduction.misaligned_bytes = static_cast<u64>(request.alignment_of(request.input_type)) * (seed % 5);
      check(reduction);
      if (HasFailure()) return;
    }
}

// Rows around the length of a vector and of several, more of them than a CTA has groups, one after another and in
// planes that descend.
TEST_P(SmallReduce, IsRightOfShortRowsWithGaps) {
  const FamilyModel& family = *find_family(GetParam().family);
  const TestOperator maps = affine_maps_among_common_names();  // whose zero is no identity
  u64 seed = 300;
  for (const auto& [of, custom] : std::vector<std::pair<ReduceRequest, const TestOperator*>>{
           {reduction_of(ValueType::bf16, ValueType::f32, Operator::sum, Init::value), nullptr},
           {reduction_of(ValueType::u8, ValueType::u8, Operator::max, Init::none, Position::last), nullptr},
           {custom_reduction(maps, Init::value), &maps}})
    for (const u64 length : {1, 3, 8, 17, 31, 48, 131, 600}) {
      constexpr u64 kRows = 70, kPlaneRows = 35;
      ReduceRequest request = of;
      request.segments = Segments::rows;
      request.rows = kRows;
      request.n = kRows * length;
      const i64 apart = static_cast<i64>(length) + 1 + static_cast<i64>(length % 4);
      request.layout = {.input = {.item = 1, .sequence = apart, .first = 2}, .plane_sequences = kRows};
      if (++seed % 2 == 0)
        request.layout = {.input = {.item = 1, .sequence = 2 * apart, .plane = -apart, .first = apart},
                          .plane_sequences = kPlaneRows};
      if (family.unsupported_reason(request, kHostSm) != nullptr) GTEST_SKIP() << "the family takes no rows with gaps";
      for (const Variant variant : {Variant::aligned, Variant::any}) {
        Case reduction{request, config_of(GetParam(), of), seed, custom};
        reduction.variant = variant;
        if (variant == Variant::any)
          reduction.misaligned_bytes = static_cast<u64>(request.alignment_of(request.input_type)) * (seed % 5);
        check(reduction);
        if (HasFailure()) return;
      }
    }
}

TEST_P(SmallReduce, GivesTheSameBitsOnEverySchedule) {
  const FamilyModel& family = *find_family(GetParam().family);
  const ReduceRequest of = reduction_of(ValueType::f32, ValueType::f32);
  if (!solves(family, of)) GTEST_SKIP() << "the family takes no such reduction";
  constexpr u64 kItems = 7'003;
  const Bytes items = items_that_tell_orders_apart(kItems);
  Case reduction{asked_of(family, of, kItems, few_rows(family)), config_of(GetParam(), of), 0};
  const Bytes aligned = reduced(reduction, items, {}).output;
  // Otherwise every order would pass.
  if (!is_of_rows(family) && !is_of_segments(family) && !is_rehearsal()) {
    ASSERT_NE(aligned, expected_total(as_scan(reduction.request), items, nullptr));
  }
  for (u64 seed = 1; seed <= 24; ++seed) {
    reduction.seed = seed;
    reduction.variant = seed % 6 < 2 ? Variant::aligned : Variant::any;
    reduction.misaligned_bytes = reduction.variant == Variant::any ? 4 * (seed % 4) : 0;
    ASSERT_EQ(reduced(reduction, items, {}).output, aligned) << to_string(reduction);
  }
}

// Rows and columns without items, and a whole without any, have the identity of the items' type and no index.
TEST_P(SmallReduce, TellsThatNothingHasNoPlace) {
  const FamilyModel& family = *find_family(GetParam().family);
  ReduceRequest of = reduction_of(ValueType::i8, ValueType::i8, Operator::min, Init::value, Position::first);
  if (!solves(family, of)) GTEST_SKIP() << "the family takes no such reduction";
  const Config config = config_of(GetParam(), of);
  const bool has_rows = is_of_rows(family) || is_of_columns(family);  // those of segments have empty ones anyway
  for (const u64 n : {u64{0}, u64{1}, u64{10}, u64{2'003}}) {
    const Case reduction{asked_of(family, of, n, n == 10 ? 12 : 3), config, 40 + n};
    if (n == 10 && has_rows && !is_rehearsal()) {
      ASSERT_GT(reduction.request.rows + reduction.request.columns, n);
    }
    if (!takes(config, reduction.request)) continue;
    check(reduction, Bytes(n, 0x7f), {0});  // which are the identity themselves
    if (HasFailure()) return;
  }
}

TEST(SmallReduces, AreOfEveryFamily) {
  needs_no_kernel();
  std::set<std::string> tested, all;
  for (const Small& small : kSmall) tested.insert(small.family);
  for (const FamilyModel* family : reduce_families()) all.insert(family->name());
  EXPECT_EQ(tested, all);
}

INSTANTIATE_TEST_SUITE_P(Configs, SmallReduce, testing::ValuesIn(kSmall), [](const auto& tested) {
  return std::string(tested.param.family) + "_" + std::to_string(tested.index);
});

// So many rows of two shares that the last one is empty.
TEST(ReduceRows, GiveAnEmptyRowTheInitialValueAmongSharedOutOnes) {
  const TestOperator maps = affine_maps_among_common_names();  // whose zero is no identity
  const ReduceRequest of = custom_reduction(maps, Init::value);
  const Config config =
      config_of({"reduce_rows", {{"block_threads", "32"}, {"unroll", "2"}, {"blocks_per_row", "2"}}}, of);
  ReduceRequest request = asked_of(config.family(), of, kSomeItems);
  const u64 length = 2 * static_cast<u64>(config.family().tile_items(config, request));
  request.rows = length + 1;
  request.n = request.rows * (length - 1) + 1;
  ASSERT_EQ(row_items(request) * (request.rows - 1), request.n);
  ASSERT_EQ(config.family().launches(config, request, Variant::aligned).count, 2);
  check({request, config, 1, &maps});
}

// Where the index does not fit 32 bits, no half of it is lost on the way.
TEST(ReducePosition, PassesTheItemAt2To32) {
  for (const FamilyModel* family : reduce_families()) {
    const ReduceRequest of = reduction_of(ValueType::i32, ValueType::i32, Operator::min, Init::none, Position::first);
    if (!solves(*family, of)) continue;
    const ReduceRequest request = asked_of(*family, of, 3'000);
    Case reduction{request, family->default_config(request, kHostSm), 4};
    reduction.first_item = (u64{1} << 32) - 1'000;
    check(reduction);
    reduction.request.position = Position::last;
    check(reduction);
  }
}

}  // namespace
}  // namespace scantune::reduce_test
