// Every family's kernels compared with a plain loop, at the edge sizes, under a few schedules each. Families get the
// problems that they solve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <tuple>

#include "bench.h"
#include "config/three_phase.h"
#include "designed_rows.h"
#include "edge_sizes.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "sampled_requests.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

constexpr int kSampledProblems = 30 * kTestEffort;  // problems for each family
constexpr int kMaxTileItems = 2048;

// Families that take no long rows are tested in rows_test.cpp.
std::vector<const FamilyModel*> all_families() {
  std::vector<const FamilyModel*> families(all_scan_families().begin(), all_scan_families().end());
  const ScanRequest long_row{.segments = Segments::rows, .n = 1u << 17, .rows = 1};
  std::erase_if(families, [&](const FamilyModel* family) {
    return takes_only_rows(*family) && family->unsupported_reason(long_row, kHostSm) != nullptr;
  });
  return families;
}

bool solves(const FamilyModel& family, ScanRequest request, u64 n = kSomeItems) {
  request.n = n;
  return family.unsupported_reason(taken_by(family, request), kHostSm) == nullptr;
}

struct Case {
  ScanRequest request;  // includes n
  Config config;
  u64 seed;
  const TestOperator* custom = nullptr;
  bool in_place = false;
  u64 misaligned_input_bytes = 0;
  u64 misaligned_output_bytes = 0;
  Variant variant = Variant::aligned;  // that of the kernels
};

std::string to_string(const Case& scan) {
  return scantune::to_string(scan.request) + ", " + scantune::to_string(scan.config) +
         (scan.in_place ? ", in place, " : ", ") + "input " + std::to_string(scan.misaligned_input_bytes) +
         " and output " + std::to_string(scan.misaligned_output_bytes) + " bytes from alignment, seed " +
         std::to_string(scan.seed);
}

constexpr u64 kSomeColumns = 31;  // no power of two, and so many that no tile is nearly empty, which takes hours

// The request as the config's family takes it, in several columns if it does so.
ScanRequest taken_in_columns(const Case& scan) {
  ScanRequest request = taken_by(scan.config.family(), scan.request);
  if (request.segments == Segments::columns && request.n >= kSomeColumns) request.columns = kSomeColumns;
  return request;
}

// Scans the items with the module, whose first tile is that of first_item, starting from `init`.
void check(const Case& scan, const ScanRequest& request, const Bytes& items, const Bytes& init, const Module& module,
           u64 first_item = 0) {
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

void check(const Case& scan, const Bytes& items, const Bytes& init, const Module& module, u64 first_item = 0) {
  check(scan, taken_by(scan.config.family(), scan.request), items, init, module, first_item);
}

void check(const Case& scan) {
  const CustomOperator* const custom = scan.custom != nullptr ? &scan.custom->custom : nullptr;
  const ScanRequest request = taken_in_columns(scan);
  const Module& module = bench().kernels.get(scan.request, scan.config, custom, scan.variant);
  if (is_rehearsal()) return;
  check(scan, request, scan_items(request, scan.seed, scan.custom), scan_init(scan.request, scan.custom), module);
}

// A pointer as badly aligned as the type allows, or better.
u64 random_misalignment(const ScanRequest& request, ValueType type, Random& random) {
  return static_cast<u64>(request.alignment_of(type)) * random.below(kVectorAlignmentBytes);
}

void check_edge_sizes(ScanRequest request, const Config& config, Random& random, const TestOperator* custom = nullptr,
                      const std::vector<bool>& alignments = {true, false}) {
  request.n = kSomeItems;
  request.direction = in_drawn_direction(config.family(), taken_by(config.family(), request), random).direction;
  for (const u64 n : edge_sizes(static_cast<u64>(config.family().tile_items(config, request)))) {
    if (!solves(config.family(), request, n)) continue;
    for (const bool aligned : alignments) {
      request.n = n;
      Case scan{request, config, random.below(1u << 30), custom};
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

ScanRequest request_of(ValueType input, ValueType output, Operator op = Operator::sum) {
  return {.input_type = input, .accumulator_type = default_accumulator(input, output), .output_type = output, .op = op};
}
ScanRequest request_of(ValueType type, Operator op = Operator::sum) { return request_of(type, type, op); }

// ---- the design: every pair of what scans differ in ----

constexpr const char* kStarts[] = {"inclusive", "inclusive_from_value", "inclusive_from_memory", "exclusive_from_value",
                                   "exclusive_from_memory"};
constexpr const char* kPlaces[] = {"aligned", "aligned_in_place", "unaligned", "unaligned_in_place"};
constexpr int kBuiltInOperators = static_cast<int>(Operator::custom_cheap);

// Input, accumulator and output: what callers combine most, and conversions of every sort.
const std::vector<ScanRequest>& designed_types() {
  using enum ValueType;
  static const std::vector<ScanRequest> kTypes = [] {
    std::vector<ScanRequest> all;
    for (const TypePair& pair : kTypePairs) all.push_back(request_of(pair.input, pair.output));
    for (const auto& [input, accumulator, output] :
         {std::array{i64, i32, i8}, {u8, f32, f32}, {u16, u64, u32}, {i32, f32, bf16}})
      all.push_back({.input_type = input, .accumulator_type = accumulator, .output_type = output});
    return all;
  }();
  return kTypes;
}

ScanRequest designed_request(const DesignRow& row) {
  ScanRequest request = designed_types()[static_cast<std::size_t>(row[1])];
  request.op = static_cast<Operator>(row[2]);
  const std::string_view start = kStarts[row[3]];
  if (start.starts_with("exclusive")) request.kind = Kind::exclusive;
  if (start.ends_with("value")) request.init = Init::value;
  if (start.ends_with("memory")) request.init = Init::memory;
  if (row[4] == 1) request.direction = Direction::reverse;
  return request;
}

Design scan_design() {
  std::vector<std::string> families, types, operators;
  for (const FamilyModel* family : all_families()) families.emplace_back(family->name());
  std::ranges::sort(families);
  for (const ScanRequest& request : designed_types())
    types.push_back(std::string(token(request.input_type)) + "_" + token(request.accumulator_type) + "_" +
                    token(request.output_type));
  for (int op = 0; op < kBuiltInOperators; ++op) operators.emplace_back(token(static_cast<Operator>(op)));
  return Design("scans", 2, 1,
                {{"family", families},
                 {"types", types},
                 {"operator", operators},
                 {"start", {std::begin(kStarts), std::end(kStarts)}},
                 {"direction", {"forward", "reverse"}},
                 {"place", {std::begin(kPlaces), std::end(kPlaces)}}},
                [families](const DesignRow& row) {
                  const ScanRequest request = designed_request(row);
                  const FamilyModel& family = *find_family(families[static_cast<std::size_t>(row[0])]);
                  const bool is_in_place = row[5] % 2 == 1;
                  return solves(family, request) && (!is_in_place || request.input_bytes() == request.output_bytes());
                });
}

TEST(ScanDesign, CoversEveryPairOfValues) {
  needs_no_kernel();
  if (scan_design().write_if_asked()) return;
  EXPECT_EQ(scan_design().gaps(), std::vector<std::string>{});
}

// The rows, whose configs have between them every value of every parameter.
const std::vector<DesignedCase>& designed_scans() {
  static const Design kDesign = scan_design();
  static const std::vector<DesignedCase> kScans = [] {
    CoveringConfigs configs(kMaxTileItems);
    return designed_cases(kDesign, rows_to_run(kDesign), [&](const DesignRow& values, const RowReader& row) {
      ScanRequest request = designed_request(values);
      request.n = kSomeItems;
      return configs.next(row.family(), request);
    });
  }();
  return kScans;
}

class Scan : public testing::TestWithParam<DesignedCase> {};

TEST_P(Scan, IsRightAtEdgeSizes) {
  const auto& [design, row, config] = GetParam();
  SCOPED_TRACE(design->describe(row));
  Random random(GetParam().read().seed());
  ScanRequest request = designed_request(row);
  // A value that needs large tiles takes no more items than any others: it takes fewer tiles.
  const u64 most = 19 * kMaxTileItems + 17;
  for (const u64 n : edge_sizes(static_cast<u64>(config.family().tile_items(config, request)))) {
    if (n > most || !solves(config.family(), request, n)) continue;
    request.n = n;
    Case scan{request, config, random.below(1u << 30)};
    scan.in_place = row[5] % 2 == 1;
    if (row[5] >= 2) {
      scan.variant = Variant::any;
      scan.misaligned_input_bytes = random_misalignment(request, request.input_type, random);
      scan.misaligned_output_bytes = random_misalignment(request, request.output_type, random);
    }
    check(scan);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Designed, Scan, testing::ValuesIn(designed_scans()), kNameOfRow);

TEST(ScanDesign, HasEveryValueOfEveryParameter) {
  needs_no_kernel();
  for (const FamilyModel* family : all_families())
    EXPECT_EQ(values_that_none_has(*family, designed_scans()), std::vector<std::string>{}) << family->name();
}

// ---- drawn problems ----

struct Problem {
  const FamilyModel* family;
  ScanRequest request;
  u64 seed;
};

void PrintTo(const Problem& problem, std::ostream* out) {
  *out << problem.family->name() << " of " << name_of(problem.request);
}

// Each family has a sample of its own.
std::vector<Problem> sampled_problems() {
  std::vector<Problem> all;
  for (const FamilyModel* family : all_families())
    for (const ScanRequest& request : sampled_requests(kSampledProblems, 1 + all.size(), requests_for(*family)))
      all.push_back({family, request, 1000 + all.size()});
  return all;
}

class SampledScan : public testing::TestWithParam<Problem> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledScan);

TEST_P(SampledScan, IsRightAtEdgeSizes) {
  const auto& [family, request, seed] = GetParam();
  Random random(seed);
  ScanRequest some = request;
  some.n = kSomeItems;
  check_edge_sizes(request, random_config(*family, some, kMaxTileItems, random), random);
}

INSTANTIATE_TEST_SUITE_P(Sampled, SampledScan, testing::ValuesIn(drawn_in_long_runs(sampled_problems())),
                         [](const auto& tested) {
                           return std::string(tested.param.family->name()) + "_" + name_of(tested.param.request);
                         });

std::set<std::string> properties_of_all(const std::vector<ScanRequest>& requests) {
  std::set<std::string> all;
  for (const ScanRequest& request : requests)
    for (const std::string& property : properties(request)) all.insert(property);
  return all;
}

TEST(Sample, HasEveryPropertyOfTheProblemsThatAFamilySolves) {
  needs_no_kernel();
  for (const FamilyModel* family : all_families()) {
    std::vector<ScanRequest> sample;
    for (const Problem& problem : sampled_problems())
      if (problem.family == family) sample.push_back(problem.request);
    EXPECT_EQ(properties_of_all(sample), properties_of_all(requests_for(*family))) << family->name();
  }
}

// Otherwise a family that refuses too many problems would pass by being tested too little.
TEST(Sample, IsOfAllProblemsUnlessAFamilyNeedsItemsOfOneSize) {
  needs_no_kernel();
  constexpr std::size_t kPacked = 4 * 3 + 5;  // operators on small integers, kinds and initial values of sums
  constexpr std::size_t kOthers =
      12 + 6 + 12 + 7 + 5 + kPacked;  // inputs, accumulators, outputs, operators, kinds and initial values
  const auto pairs = [](bool of_one_size) {
    return static_cast<std::size_t>(std::ranges::count_if(
        kTypePairs, [&](const TypePair& pair) { return !of_one_size || size_of(pair.input) == size_of(pair.output); }));
  };
  for (const FamilyModel* family : all_families()) {
    const bool of_one_size = family == find_family("pipelined");
    EXPECT_EQ(properties_of_all(requests_for(*family)).size(), kOthers + pairs(of_one_size)) << family->name();
  }
}

// A value that the search combines with no others, so that hardly any other test runs it.
struct RareValue {
  const FamilyModel* family;
  int parameter;
  int value;

  const ParameterModel& model() const { return family->parameters()[static_cast<std::size_t>(parameter)]; }
};

std::string name_of(const RareValue& rare) {
  return std::string(rare.family->name()) + "_" + rare.model().name + "_" + spell(rare.model(), rare.value);
}

void PrintTo(const RareValue& rare, std::ostream* out) { *out << name_of(rare); }

std::vector<RareValue> rare_values() {
  std::vector<RareValue> all;
  for (const FamilyModel* family : all_families())
    for (int index = 0; index < static_cast<int>(family->parameters().size()); ++index)
      for (const int value : family->parameters()[static_cast<std::size_t>(index)].from_default)
        all.push_back({family, index, value});
  return all;
}

// A legal config with the value, and the others drawn. It has small tiles if there is such a config; nullopt if there
// is no legal one.
std::optional<Config> random_config_with(const RareValue& rare, const ScanRequest& request, Random& random) {
  constexpr int kDraws = 100;
  std::optional<Config> smallest;
  for (int draw = 0; draw < kDraws; ++draw) {
    Config config = random_config(*rare.family, request, kMaxTileItems, random);
    config[rare.parameter] = rare.value;
    if (rare.family->invalid_reason(config, request, kHostSm) != nullptr) continue;
    if (!smallest || rare.family->tile_items(config, request) < rare.family->tile_items(*smallest, request))
      smallest = config;
    if (rare.family->tile_items(*smallest, request) <= kMaxTileItems / 2) break;
  }
  return smallest;
}

class Rare : public testing::TestWithParam<RareValue> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Rare);

TEST_P(Rare, IsRightForItemsOfEveryKind) {
  const RareValue& rare = GetParam();
  const TestOperator maps = affine_maps(), wide = maps_of_bytes(16, 4);
  Random random(19);
  int checked = 0;
  for (const auto& [request, custom] :
       std::vector<std::pair<ScanRequest, const TestOperator*>>{{request_of(ValueType::i32), nullptr},
                                                                {request_of(ValueType::i8), nullptr},
                                                                {request_of(ValueType::u16, Operator::max), nullptr},
                                                                {request_of(ValueType::f32), nullptr},
                                                                {request_of(ValueType::f64), nullptr},
                                                                {maps.request, &maps},
                                                                {wide.request, &wide}}) {
    Case scan{request, Config(*rare.family), random.below(1u << 30), custom};
    scan.request.kind = random.chance(50) ? Kind::exclusive : Kind::inclusive;
    scan.request.init = scan.request.kind == Kind::exclusive ? Init::value : Init::none;
    scan.request.n = kSomeItems;
    const std::optional<Config> config = random_config_with(rare, scan.request, random);
    if (!config) continue;
    scan.config = *config;
    // There are more tiles than are read at once, where as many CTAs may be under way; then there is a ragged one.
    const bool reads_window = rare.model().name == std::string("window") && rare.family == find_family("one_shot");
    const u64 tiles = reads_window ? 2 * static_cast<u64>(rare.value) + 3 : 3;
    const u64 tile = static_cast<u64>(rare.family->tile_items(scan.config, scan.request));
    scan.request.n = tiles * tile - 1 - random.below(static_cast<u32>(tile) / 2);
    if (!solves(*rare.family, scan.request, scan.request.n) ||
        rare.family->invalid_reason(scan.config, scan.request, kHostSm) != nullptr)
      scan.request.n = tile + 1;
    if (random.chance(50)) {
      scan.variant = Variant::any;
      scan.misaligned_input_bytes = random_misalignment(request, request.input_type, random);
      scan.misaligned_output_bytes = random_misalignment(request, request.output_type, random);
    }
    check(scan);
    if (HasFatalFailure()) return;
    ++checked;
  }
  EXPECT_GE(checked, 2);  // vectors of 16 bytes hold eight items of one or two bytes only
}

INSTANTIATE_TEST_SUITE_P(Values, Rare, testing::ValuesIn(drawn_in_long_runs(rare_values())),
                         [](const auto& tested) { return name_of(tested.param); });

using CustomProblem = std::tuple<const FamilyModel*, TestOperator>;

class CustomScan : public testing::TestWithParam<CustomProblem> {};

TEST_P(CustomScan, IsRightAtEdgeSizes) {
  const auto& [family, custom] = GetParam();
  Random random(static_cast<u64>(100 * custom.request.custom_bytes + custom.request.custom_alignment));
  ScanRequest request = custom.request;
  request.n = kSomeItems;
  request.kind = random.chance(50) ? Kind::exclusive : Kind::inclusive;
  request.init = static_cast<Init>(request.kind == Kind::exclusive ? 1 + random.below(2) : random.below(3));
  check_edge_sizes(request, random_config(*family, request, kMaxTileItems, random), random, &custom,
                   kTestEffort == 1 ? std::vector{random.chance(50)} : std::vector{true, false});
}

std::vector<CustomProblem> custom_problems() {
  std::vector<CustomProblem> all;
  std::size_t turn = 0;
  for (const TestOperator& custom : test_operators()) {
    std::vector<const FamilyModel*> able = all_families();
    std::erase_if(able, [&](const FamilyModel* family) { return !solves(*family, custom.request); });
    // Each operator is for two of the families, other two for the next.
    const std::size_t count = kTestEffort == 1 ? 2 : able.size();
    for (std::size_t index = 0; index < std::min(count, able.size()); ++index)
      all.emplace_back(able[turn++ % able.size()], custom);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllOperators, CustomScan, testing::ValuesIn(custom_problems()), [](const auto& tested) {
  return std::string(std::get<0>(tested.param)->name()) + "_" + std::get<1>(tested.param).name;
});

TEST(CustomProblems, AreAllOperatorsUnlessAFamilyNeedsItemsThatFillVectors) {
  needs_no_kernel();
  for (const FamilyModel* family : all_families()) {
    const bool fills_vectors = family == find_family("pipelined");
    for (const TestOperator& custom : test_operators()) {
      const ScanRequest& request = custom.request;
      const bool fitting = request.input_bytes() == request.output_bytes() && 16 % request.input_bytes() == 0;
      EXPECT_EQ(solves(*family, request), fitting || !fills_vectors) << family->name() << ", " << custom.name;
    }
  }
}

class Family : public testing::TestWithParam<const FamilyModel*> {};
// What the design has in fewer kernels.
class DrawnFamily : public testing::TestWithParam<const FamilyModel*> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DrawnFamily);

TEST_P(DrawnFamily, GoesFromTheLastItemToTheFirst) {
  const FamilyModel& family = *GetParam();
  Random random(71);
  const TestOperator maps = affine_maps(), odd = maps_of_bytes(3, 1);
  for (const auto& [asked, custom] :
       std::vector<std::pair<ScanRequest, const TestOperator*>>{{request_of(ValueType::i32), nullptr},
                                                                {request_of(ValueType::i8), nullptr},
                                                                {request_of(ValueType::u16, Operator::max), nullptr},
                                                                {request_of(ValueType::f16), nullptr},
                                                                {request_of(ValueType::f64), nullptr},
                                                                {maps.request, &maps},
                                                                {odd.request, &odd}}) {
    ScanRequest request = asked;
    request.direction = Direction::reverse;
    if (family.standing() == Standing::gallery) {
      EXPECT_FALSE(solves(family, request));
      continue;
    }
    request.kind = random.chance(50) ? Kind::exclusive : Kind::inclusive;
    request.init = request.kind == Kind::exclusive ? Init::value : Init::none;
    request.n = kSomeItems;
    if (!solves(family, request)) continue;
    check_edge_sizes(request, random_config(family, request, kMaxTileItems, random), random, custom);
    if (HasFatalFailure()) return;
  }
}

// Each value of each parameter is tested once; the others are those of a small config.
TEST_P(DrawnFamily, IsRightWithEveryValueOfEveryParameter) {
  const FamilyModel& family = *GetParam();
  Random random(7);
  for (int parameter = 0; parameter < static_cast<int>(family.parameters().size()); ++parameter) {
    for (const int value : family.parameters()[static_cast<std::size_t>(parameter)].values) {
      ScanRequest request{.kind = Kind::exclusive, .init = Init::value, .n = kSomeItems};
      Config config = random_config(family, request, 1 << 20, random);
      for (config[parameter] = value; family.invalid_reason(config, request, kHostSm) != nullptr;
           config[parameter] = value)
        config = random_config(family, request, 1 << 20, random);
      request.n = 2 * static_cast<u64>(family.tile_items(config, request)) + 100;
      Case scan{request, config, random.below(1u << 30)};
      scan.in_place = random.chance(50);
      check(scan);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Family, IsRightForAMillionItems) {
  const FamilyModel& family = *GetParam();
  ScanRequest request = request_of(ValueType::f32, Operator::sum);
  request.n = 1u << 20;
  if (!solves(family, request, request.n)) request.n = 1u << 17;  // single_block takes no more
  check({request, family.default_config(request, kHostSm), 0});
}

// Tiles of families that load vectors begin at the input's first vector boundary, behind the head. It has no item, one,
// or as many as there can be, which may be all items. What follows it is one item short of a tile more or less.
TEST_P(Family, IsRightBehindAHeadOfEveryKind) {
  const FamilyModel& family = *GetParam();
  Random random(17);
  int turn = 0;
  for (ScanRequest request :
       {request_of(ValueType::u8), request_of(ValueType::i16, Operator::max), request_of(ValueType::f32),
        request_of(ValueType::u64, Operator::min), request_of(ValueType::i8, ValueType::i32),
        request_of(ValueType::f16), request_of(ValueType::bf16, Operator::product)}) {
    if (!solves(family, request) || (kTestEffort == 1 && turn++ % 3 != 0)) continue;
    request.init = static_cast<Init>(packs_extremes(request) ? 0 : random.below(3));
    request.n = kSomeItems;
    const Config config = random_config(family, request, 1024, random);
    const u64 tile = static_cast<u64>(family.tile_items(config, request));
    const u64 item_bytes = static_cast<u64>(request.input_bytes()), most = kVectorAlignmentBytes / item_bytes - 1;
    for (const u64 head : {u64{0}, u64{1}, most}) {
      for (const u64 n : {u64{1}, head, head + 1, tile - 1, tile, tile + head, tile + head + 1, 3 * tile + head / 2}) {
        if (n == 0 || !solves(family, request, n)) continue;
        request.n = n;
        Case scan{request, config, random.below(1u << 30)};
        scan.variant = Variant::any;
        scan.in_place = request.input_bytes() == request.output_bytes() && random.chance(30);
        scan.misaligned_input_bytes = (kVectorAlignmentBytes - head * item_bytes) % kVectorAlignmentBytes;
        scan.misaligned_output_bytes = scan.misaligned_input_bytes;
        if (request.input_bytes() != request.output_bytes() || random.chance(70))
          scan.misaligned_output_bytes = random_misalignment(request, request.output_type, random);
        check(scan);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// There are more tiles than one tile of sums takes, so the sums themselves are reduced and scanned by tiles.
TEST(ThreePhase, ScansSumsOfSums) {
  const TestOperator maps = affine_maps();
  ScanRequest inclusive;
  ScanRequest exclusive{.kind = Kind::exclusive, .init = Init::value};
  ScanRequest from_memory{.init = Init::memory};
  ScanRequest custom = maps.request;
  for (ScanRequest request : {inclusive, exclusive, from_memory, custom}) {
    request.n = (1u << 20) + 5;
    const ThreePhaseConfig small_tiles{.block_threads = 128, .items_per_thread = 4};
    ASSERT_EQ(scantune::Family<ThreePhaseConfig>::levels(small_tiles, request).count, 2);
    const FamilyModel& family = *find_family(scantune::Family<ThreePhaseConfig>::kName);
    const Config config = config_of(family, request, {{"block_threads", "128"}, {"items_per_thread", "4"}});
    check({request, config, 5, is_custom(request.op) ? &maps : nullptr});
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Behind a head, the last tile but one may have to leave an item to the last. Padding must not enter its aggregate.
TEST(OneShot, AddsUpTheItemsAloneOfATileThatLeavesOneToTheLast) {
  const FamilyModel& family = *find_family("one_shot");
  for (ScanRequest request :
       {request_of(ValueType::u32, Operator::min), request_of(ValueType::f16, Operator::min),
        request_of(ValueType::bf16, Operator::product), request_of(ValueType::u16, Operator::bit_and)}) {
    request.n = 2 * 512 + 2;
    for (const char* blocks : {"1", "2"}) {
      const Config config = config_of(
          family, request,
          {{"block_threads", "64"}, {"items_per_thread", "8"}, {"vector_bytes", "16"}, {"cluster_blocks", blocks}});
      Case scan{request, config, 3};
      scan.variant = Variant::any;
      scan.misaligned_input_bytes = 4;
      check(scan);
    }
  }
}

// The kernels of a scan, for tiles from first_tile on.
Instantiation starting_at(u64 first_tile, const Case& scan) {
  const bool is_custom = scan.custom != nullptr;
  Instantiation result =
      instantiate(scan.request, scan.config, scan.variant, is_custom ? &scan.custom->custom : nullptr);
  const std::string before = is_custom ? ", 0, Operation" : ">;\n";
  const std::string number = ", " + std::to_string(first_tile);
  result.source.replace(result.source.find(before), before.size(),
                        is_custom ? number + ", Operation" : number + before);
  return result;
}

// The indices of items do not fit 32 bits: the buffers hold the last tiles of a scan that long.
TEST_P(Family, IsRightPastTwoToThe32Items) {
  const FamilyModel& family = *GetParam();
  const TestOperator wide = maps_of_bytes(12, 4);
  for (ScanRequest request : {request_of(ValueType::i32), request_of(ValueType::f64), request_of(ValueType::u8),
                              request_of(ValueType::i8, ValueType::i64), wide.request}) {
    if (!solves(family, request)) continue;
    const TestOperator* const custom = is_custom(request.op) ? &wide : nullptr;
    request.init = Init::value;
    request.n = kSomeItems;
    Random random(3);
    for (int sample = 0; sample < (kTestEffort == 1 ? 1 : 3); ++sample) {
      const Config config = random_config(family, request, kMaxTileItems, random);
      const u64 tile = static_cast<u64>(family.tile_items(config, request));
      const u64 first_tile = ((1ull << 32) - 2 * tile) / tile;
      request.n = 7 * tile + 5;
      const Case scan{request, config, random.below(1000), custom};
      check(scan, scan_items(request, scan.seed, custom), scan_init(request, custom),
            bench().kernels.get(starting_at(first_tile, scan)), first_tile * tile);
      if (HasFatalFailure()) return;
    }
  }
}

// An operator that does not commute and checks its operands: it joins half-open intervals that touch. If anything else
// is joined, such as an item that does not exist or two in the wrong order, it makes an access out of bounds.
TestOperator joined_intervals() {
  return {.name = "joined_intervals",
          .request = {.input_type = ValueType::i64,
                      .accumulator_type = ValueType::i64,
                      .output_type = ValueType::i64,
                      .op = Operator::custom_cheap},
          .custom = {.source = R"(__device__ Value combine(Value earlier, Value later) {
  if ((earlier & 0xffffffff) != (later >> 32)) scantune::store_relaxed(reinterpret_cast<unsigned*>(64), 0);
  return (earlier & ~0xffffffffll) | (later & 0xffffffff);
}
)",
                     .name = ""},
          .combine =
              [](void* result, const void* earlier, const void* later) {
                std::memcpy(result, later, sizeof(u32));  // the end of the interval
                std::memcpy(static_cast<u32*>(result) + 1, static_cast<const u32*>(earlier) + 1, sizeof(u32));
              },
          .draw = nullptr};
}

// Intervals of length 1, each of which begins where the one before ends.
Bytes intervals(u64 begin, u64 count) {
  Bytes items(count * sizeof(u64));
  for (u64 index = 0; index < count; ++index) {
    const u64 interval = (begin + index) << 32 | (begin + index + 1);
    std::memcpy(&items[index * sizeof interval], &interval, sizeof interval);
  }
  return items;
}

TEST_P(Family, ShowsTheOperatorOnlyRealItemsInOrder) {
  const FamilyModel& family = *GetParam();
  const TestOperator join = joined_intervals();
  Random random(11);
  for (const Kind kind : {Kind::inclusive, Kind::exclusive}) {
    for (const Init init : {Init::none, Init::value, Init::memory}) {
      ScanRequest request = join.request;
      request.kind = kind;
      request.init = init;
      request.n = kSomeItems;
      if (unsupported_reason(request) != nullptr) continue;
      const Config config = random_config(family, request, 1024, random);
      const Module& module = bench().kernels.get(request, config, &join.custom);
      for (const u64 n : edge_sizes(static_cast<u64>(family.tile_items(config, request)))) {
        if (!solves(family, request, n)) continue;
        request.n = n;
        check({request, config, random.below(1u << 30), &join, true}, intervals(1, n), intervals(0, 1), module);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// NaN propagates from where it stands, and -0 orders below +0, whatever the order of combining.
TEST_P(Family, TakesExtremesOfNaNInfinitiesAndZerosOfBothSigns) {
  const FamilyModel& family = *GetParam();
  Random random(13);
  std::size_t turn = std::string_view(family.name()).size();
  for (const ValueType type : {ValueType::f16, ValueType::bf16, ValueType::f32, ValueType::f64}) {
    for (const Operator op : {Operator::min, Operator::max}) {
      // In turn: all types have both operators in the families together.
      if (kTestEffort == 1 && turn++ % 2 != 0) continue;
      ScanRequest request = request_of(type, op);
      request.n = 3000;
      const Config config = random_config(family, request, 1024, random);
      for (u64 seed = 0; seed < 5 * kTestEffort; ++seed) {
        check({request, config, seed}, special_items(request, seed), {}, bench().kernels.get(request, config));
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, DrawnFamily, testing::ValuesIn(drawn_in_long_runs(all_families())),
                         [](const auto& family) { return std::string(family.param->name()); });
INSTANTIATE_TEST_SUITE_P(AllFamilies, Family, testing::ValuesIn(all_families()),
                         [](const auto& family) { return std::string(family.param->name()); });

}  // namespace
}  // namespace scantune
