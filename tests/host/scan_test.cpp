// Every family's kernels compared with a plain loop: every pair of what scans differ in, at the edge sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "designed_rows.h"
#include "edge_sizes.h"
#include "effort.h"
#include "families_under_test.h"
#include "scan_case.h"

namespace scantune::scan_test {
namespace {

constexpr int kSampledProblems = 30 * kTestEffort;  // problems for each family

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
    for (const TypePair& pair : kTypePairs) all.push_back(scan_of(pair.input, pair.output));
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
  for (const FamilyModel* family : families_of_long_scans()) families.emplace_back(family->name());
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
    CoveringConfigs configs(kMaxScanTileItems);
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
  const u64 most = 19 * kMaxScanTileItems + 17;
  for (const u64 n : edge_sizes(static_cast<u64>(config.family().tile_items(config, request)))) {
    if (n > most || !solves(config.family(), request, n)) continue;
    request.n = n;
    ScanCase scan{request, config, random.below(1u << 30)};
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
  for (const FamilyModel* family : families_of_long_scans())
    EXPECT_EQ(values_that_none_has(*family, designed_scans()), std::vector<std::string>{}) << family->name();
}

// ---- drawn problems ----

std::vector<SampledProblem> sample() { return sampled_problems(families_of_long_scans(), kSampledProblems, 1, 1000); }

class SampledScan : public testing::TestWithParam<SampledProblem> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledScan);

TEST_P(SampledScan, IsRightAtEdgeSizes) {
  const auto& [family, request, seed] = GetParam();
  Random random(seed);
  ScanRequest some = request;
  some.n = kSomeItems;
  check_edge_sizes(request, random_config(*family, some, kMaxScanTileItems, random), random);
}

INSTANTIATE_TEST_SUITE_P(Sampled, SampledScan, testing::ValuesIn(drawn_in_long_runs(sample())), kNameOfSampled);

std::set<std::string> properties_of_all(const std::vector<ScanRequest>& requests) {
  std::set<std::string> all;
  for (const ScanRequest& request : requests)
    for (const std::string& property : properties(request)) all.insert(property);
  return all;
}

TEST(Sample, HasEveryPropertyOfTheProblemsThatAFamilySolves) {
  needs_no_kernel();
  for (const FamilyModel* family : families_of_long_scans()) {
    std::vector<ScanRequest> its;
    for (const SampledProblem& problem : sample())
      if (problem.family == family) its.push_back(problem.request);
    EXPECT_EQ(properties_of_all(its), properties_of_all(requests_for(*family))) << family->name();
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
  for (const FamilyModel* family : families_of_long_scans()) {
    const bool of_one_size = family == find_family("pipelined");
    EXPECT_EQ(properties_of_all(requests_for(*family)).size(), kOthers + pairs(of_one_size)) << family->name();
  }
}

using CustomProblem = std::tuple<const FamilyModel*, TestOperator>;

class CustomScan : public testing::TestWithParam<CustomProblem> {};

TEST_P(CustomScan, IsRightAtEdgeSizes) {
  const auto& [family, custom] = GetParam();
  Random random(static_cast<u64>(100 * custom.request.custom_bytes + custom.request.custom_alignment));
  ScanRequest request = custom.request;
  request.n = kSomeItems;
  request.kind = random.chance(50) ? Kind::exclusive : Kind::inclusive;
  request.init = static_cast<Init>(request.kind == Kind::exclusive ? 1 + random.below(2) : random.below(3));
  check_edge_sizes(request, random_config(*family, request, kMaxScanTileItems, random), random, &custom,
                   kTestEffort == 1 ? std::vector{random.chance(50)} : std::vector{true, false});
}

std::vector<CustomProblem> custom_problems() {
  std::vector<CustomProblem> all;
  std::size_t turn = 0;
  for (const TestOperator& custom : test_operators()) {
    std::vector<const FamilyModel*> able = families_of_long_scans();
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
  for (const FamilyModel* family : families_of_long_scans()) {
    const bool fills_vectors = family == find_family("pipelined");
    for (const TestOperator& custom : test_operators()) {
      const ScanRequest& request = custom.request;
      const bool fitting = request.input_bytes() == request.output_bytes() && 16 % request.input_bytes() == 0;
      EXPECT_EQ(solves(*family, request), fitting || !fills_vectors) << family->name() << ", " << custom.name;
    }
  }
}

}  // namespace
}  // namespace scantune::scan_test
