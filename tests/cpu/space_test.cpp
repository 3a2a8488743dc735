#include "space/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <span>

#include "families_under_test.h"
#include "instantiation/instantiation.h"
#include "launch/loading.h"
#include "message_of.h"
#include "scan/config/scan_rows.h"
#include "scan/config/single_block.h"
#include "scantune/error.hpp"
#include "select_rows.h"
#include "space_under_test.h"

namespace scantune {
namespace {

// Requests with every triple of types that some operator supports, and with that operator. Custom types have every size
// and alignment.
std::vector<ScanRequest> all_types() {
  std::vector<ScanRequest> all;
  const auto add = [&](ScanRequest request) {
    if (unsupported_reason(request) == nullptr) all.push_back(request);
  };
  for (const ValueType input : kTypes)
    for (const ValueType accumulator : kTypes)
      for (const ValueType output : kTypes)
        if (input != ValueType::custom)
          add({.input_type = input, .accumulator_type = accumulator, .output_type = output});
  ScanRequest custom = request_of(ValueType::custom, 0);
  custom.op = Operator::custom_moderate;
  for (custom.custom_bytes = 1; custom.custom_bytes <= kMaxValueBytes; ++custom.custom_bytes)
    for (custom.custom_alignment = 1; custom.custom_alignment <= kVectorAlignmentBytes; custom.custom_alignment *= 2)
      add(custom);
  return all;
}

// Requests with every triple of types, every operator, and every guarantee.
std::vector<ScanRequest> all_requests() {
  std::vector<ScanRequest> all;
  for (ScanRequest request : all_types())
    for (std::size_t op = 0; op < std::size(Tokens<Operator>::kNames); ++op) {
      request.op = static_cast<Operator>(op);
      if (unsupported_reason(request) != nullptr) continue;
      for (const Determinism determinism : {Determinism::unconstrained, Determinism::run_to_run})
        for (const ForwardProgress progress : {ForwardProgress::in_order, ForwardProgress::documented}) {
          request.determinism = determinism;
          request.forward_progress = progress;
          all.push_back(request);
        }
    }
  return all;
}

// One request for each of those that families can tell apart: they know of types only their sizes and what the
// functions named here return.
std::vector<ScanRequest> distinct_requests() {
  std::map<std::array<int, 8>, ScanRequest> distinct;
  for (const ScanRequest& request : all_requests())
    if (request.forward_progress == ForwardProgress::in_order)
      distinct.try_emplace(
          {request.input_bytes(), request.accumulator_bytes(), request.output_bytes(), needs_fixed_association(request),
           request.custom_alignment, is_custom(request.op), packs_sums(request), packs_extremes(request)},
          request);
  std::vector<ScanRequest> all;
  for (const auto& [sizes, request] : distinct) all.push_back(request);
  return all;
}

TEST(Space, HasAtMostFourThousandSearchedConfigsPerFamilyAndProblem) {
  for (ScanRequest request : distinct_requests())
    for (const int sm : {kHostSm, 75, 90})
      for (const FamilyModel* family : scan_families()) {
        request.n = u64{1} << 16;
        if (family->unsupported_reason(request, sm) != nullptr) continue;
        const auto configs = searched_configs(*family, request, sm);
        EXPECT_GE(configs.size(), request.accumulator_bytes() <= 8 ? 100u : 10u)
            << family->name() << " for " << to_string(request) << " sm " << sm;
        EXPECT_LE(configs.size(), 4000u) << family->name() << " for " << to_string(request) << " sm " << sm;
      }
}

// Requests of an algorithm with each built-in type for all of its types, or for what is named first alone, with every
// option at each of its values, and by sum or max where it combines values.
std::vector<Request> plain_requests(const AlgorithmModel& algorithm) {
  std::vector<Request> all;
  for (const ValueType type : kTypes)
    for (const Operator op : {Operator::sum, Operator::max}) {
      if (type == ValueType::custom || (op == Operator::max && algorithm.operator_member() == nullptr)) continue;
      Request plain = algorithm.by_default();
      if (algorithm.operator_member() != nullptr) plain.set(*algorithm.operator_member(), static_cast<int>(op));
      for (const MemberModel& member : algorithm.members())
        if (member.spelling == Spelling::value_type) plain.set(member, static_cast<int>(type));
      all.push_back(plain);
      Request first = algorithm.by_default();
      first.set(algorithm.members().front(), static_cast<int>(type));
      all.push_back(first);
      for (const MemberModel& option : algorithm.members())
        for (int value = 0; option.is_option() && value < static_cast<int>(option.tokens.size()); ++value) {
          Request departed = plain;
          departed.set(option, value);
          for (const MemberModel& member : algorithm.members())  // what follows from others follows them here, too
            if (member.match == Match::per_call) departed.set(member, algorithm.default_of(member, departed));
          for (const ExtentModel& extent : algorithm.extents())
            if (departed.has(extent)) departed.set(extent, 16);
          all.push_back(departed);
        }
    }
  if (&algorithm == &algorithm_of<CopyRequest>()) all.push_back(copy_with_gaps(0));  // no option gives it strides
  return all;
}

TEST(Space, SearchesFewerThanFourThousandConfigsOfEveryFamilyOfEveryAlgorithm) {
  for (const AlgorithmModel* algorithm : algorithms()) {
    std::set<const FamilyModel*> searched;
    for (Request request : plain_requests(*algorithm))
      for (const u64 n : {u64{1} << 10, u64{1} << 20, u64{1} << 28}) {
        request.n = n;
        if (algorithm->unsupported_reason(request) != nullptr) continue;
        for (const FamilyModel* family : algorithm->families()) {
          if (family->unsupported_reason(request, 90) != nullptr) continue;
          const auto configs = searched_configs(*family, request, 90);
          EXPECT_LT(configs.size(), 4000u) << family->name() << ", " << to_string(request);
          if (!configs.empty()) searched.insert(family);
        }
      }
    EXPECT_EQ(searched.size(), algorithm->families().size()) << algorithm->name();
  }
}

TEST(Space, CombinesValuesThatTheDefaultAloneDepartsToWithNoOthers) {
  const ScanRequest request = request_of(ValueType::i32, 1u << 14);
  for (const FamilyModel* family : scan_families()) {
    const Config by_default = family->default_config(request, 90);
    const std::vector<Config> searched = searched_configs(*family, request, 90);
    for (int index = 0; index < static_cast<int>(family->parameters().size()); ++index) {
      const ParameterModel& parameter = family->parameters()[static_cast<std::size_t>(index)];
      for (const int value : parameter.from_default) {
        EXPECT_NE(std::ranges::find(parameter.values, value), parameter.values.end()) << parameter.name;
        if (value == by_default[index]) continue;  // each window may be that of some default
        Config departed = by_default;
        departed[index] = value;
        std::vector<Config> with_value;
        std::ranges::copy_if(searched, std::back_inserter(with_value),
                             [&](const Config& config) { return config[index] == value; });
        EXPECT_EQ(with_value, std::vector<Config>{departed}) << family->name() << "." << parameter.name << " " << value;
      }
    }
  }
}

TEST(Space, ListsNumbersInAscendingOrder) {
  for (const FamilyModel* family : families())
    for (const ParameterModel& parameter : family->parameters())
      if (parameter.tokens == nullptr) {
        EXPECT_TRUE(std::ranges::is_sorted(parameter.values)) << family->name() << "." << parameter.name;
      }
}

TEST(Space, SearchedConfigsAreLegalAndDistinct) {
  for (const FamilyModel* family : scan_families()) {
    const ScanRequest request = request_of(ValueType::i32, 1u << 16);
    std::set<std::string> seen;
    for (const Config& config : searched_configs(*family, request, 90)) {
      EXPECT_EQ(reject_reason(config, request, 90), nullptr) << to_string(config);
      EXPECT_TRUE(seen.insert(to_string(config)).second) << to_string(config);
    }
  }
}

// Why a family's default is illegal for a request that it supports; empty if it is not.
std::string fault_of_default(const FamilyModel& family, const Request& request, int sm) {
  if (family.unsupported_reason(request, sm) != nullptr) return {};
  const Config config = family.default_config(request, sm);
  const char* const reason = family.invalid_reason(config, request, sm);
  if (reason == nullptr) return {};
  return std::string(reason) + ": " + to_string(config) + " of " + to_string(request) + ", " +
         std::to_string(request.custom_alignment) + ", sm " + std::to_string(sm);
}

TEST(Space, EveryFamilyHasALegalDefaultForEveryRequestOnEveryArchitecture) {
  for (ScanRequest request : all_requests())
    for (const int sm : kArchs)
      for (const u64 n : kSizes)
        for (const FamilyModel* family : scan_families()) {
          request.n = n;
          ASSERT_EQ(fault_of_default(*family, request, sm), "");
        }
}

TEST(Space, EveryFamilyHasALegalDefaultForRowsOfEveryLength) {
  for (ScanRequest request : all_requests()) {
    request.segments = Segments::rows;
    for (const int sm : kArchs)
      for (const u64 length : {1, 33, 1000, 3072, 4096, 1 << 20})
        for (const u64 rows : {77, 200, 2000})
          for (const FamilyModel* family : row_families()) {
            request.rows = rows;
            request.n = rows * length;
            ASSERT_EQ(fault_of_default(*family, request, sm), "");
          }
  }
}

TEST(Space, EveryFamilyHasALegalDefaultForColumnsOfEveryLength) {
  for (ScanRequest request : all_requests()) {
    request.segments = Segments::columns;
    for (const int sm : kArchs)
      for (const u64 columns : {1, 2, 7, 33, 257, (1 << 14) + 1, 32772, 1 << 20, (1 << 20) + 1})
        for (const u64 lines : {1, 33, 129, 1000, 1 << 20})
          for (const FamilyModel* family : column_families()) {
            request.columns = columns;
            request.n = columns * lines;
            ASSERT_EQ(fault_of_default(*family, request, sm), "");
          }
  }
}

// Rows of two items with a gap take the most accesses.
TEST(Space, CopiesWithStridesHaveALegalDefaultForManyItems) {
  const FamilyModel& family = *find_family("copy_strided");
  constexpr Layout kLayouts[] = {{.input = {2, 3, 0, 0}, .output = {2, 3, 0, 0}, .plane_sequences = 1},
                                 {.input = {1, 3, 0, 0}, .output = {1, 3, 0, 0}, .plane_sequences = 1},
                                 {.input = {1, 1 << 20, 0, 0}, .output = {1 << 20, 1, 0, 0}, .plane_sequences = 1},
                                 {.input = {1, 9, 0, 0}, .output = {1, 10, 0, 0}, .plane_sequences = 1}};
  for (const ValueType type : kTypes)
    for (const u64 n : {u64{1} << 12, u64{1} << 24, u64{1} << 40})
      for (const u64 rows : {u64{2}, n / 8, n / 2})
        for (Layout layout : kLayouts) {
          layout.plane_sequences = rows;
          CopyRequest request{.input_type = type,
                              .output_type = type,
                              .segments = Segments::rows,
                              .n = n,
                              .rows = rows,
                              .layout = layout};
          if (type == ValueType::custom) {
            request.custom_bytes = kMaxValueBytes;
            request.custom_alignment = 1;
          }
          ASSERT_STREQ(family.unsupported_reason(request, 90), nullptr) << to_string(request);
          for (const int sm : kArchs) ASSERT_EQ(fault_of_default(family, request, sm), "");
          const Config config = family.default_config(request, 90);
          EXPECT_EQ(unlisted_parameter(config), "") << to_string(request);
          const LaunchList list = family.launches(config, request, Variant::any);
          EXPECT_GE(list.launches[0].grid_blocks * static_cast<u64>(family.tile_items(config, request)) * 16, n);
          EXPECT_LT(list.launches[0].grid_blocks, kMaxGridBlocks);
        }
}

TEST(Space, ShortRowsOfOneItemMayBeMoreThanAGridHasCtas) {
  const FamilyModel& family = *find_family("scan_short_rows");
  const ScanRequest request{.segments = Segments::rows, .n = u64{1} << 33, .rows = u64{1} << 33};
  EXPECT_STREQ(family.unsupported_reason(request, 90), nullptr);
}

TEST(Space, EveryRequestHasAFamilyThatSolvesItAtEverySize) {
  for (ScanRequest request : all_requests())
    for (const u64 n : kSizes) {
      request.n = n;
      ASSERT_NO_THROW(default_config(request, 75)) << to_string(request);
    }
}

TEST(Space, EveryDefaultIsSearchedOnEveryArchitecture) {
  for (ScanRequest request : distinct_requests())
    for (const int sm : {kHostSm, 75, 90})
      for (const u64 n : kSizes)
        for (const FamilyModel* family : scan_families()) {
          request.n = n;
          if (family->unsupported_reason(request, sm) != nullptr) continue;
          const Config config = family->default_config(request, sm);
          const auto searched = searched_configs(*family, request, sm);
          ASSERT_NE(std::find(searched.begin(), searched.end(), config), searched.end())
              << to_string(config) << " of " << to_string(request) << " sm " << sm;
        }
}

// A value of the table, a small integer, or any integer.
int drawn_value(const ParameterModel& parameter, std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      return parameter.values[random() % parameter.values.size()];
    case 1:
      return static_cast<int>(random());
    default:
      return static_cast<int>(random() % 33);
  }
}

// Legal configs from a walk that starts at the default and changes one or two parameters at each step. Configs with all
// parameters drawn would hardly ever be legal, and searched ones lie far from the bounds.
std::vector<Config> walked_configs(const FamilyModel& family, const ScanRequest& request, int sm, int steps) {
  std::mt19937 random(static_cast<unsigned>(sm));
  std::vector<Config> walked{family.default_config(request, sm)};
  for (int step = 0; step < steps; ++step) {
    Config next = walked.back();
    for (u32 changes = 1 + random() % 2; changes > 0; --changes) {
      const std::size_t index = random() % family.parameters().size();
      next[static_cast<int>(index)] = drawn_value(family.parameters()[index], random);
    }
    if (family.invalid_reason(next, request, sm) == nullptr) walked.push_back(next);
  }
  return walked;
}

// Configs that no search explores are tested too: they may come from a database or a caller.
TEST(Space, LaunchesOfLegalConfigsFitTheLimitsOfTheArchitecture) {
  constexpr int kSteps = 20'000;
  for (const ValueType type : {ValueType::i8, ValueType::i32, ValueType::f64})
    for (const int sm : kArchs)
      for (const FamilyModel* family : scan_families()) {
        const ScanRequest request = request_of(type, u64{1} << 16);
        if (family->unsupported_reason(request, sm) != nullptr) continue;
        const std::vector<Config> configs = walked_configs(*family, request, sm, kSteps);
        ASSERT_GT(configs.size(), kSteps / 50) << family->name() << ": hardly a step was legal";
        for (const Config& config : configs) {
          const LaunchList list = family->launches(config, request, Variant::any);
          for (const Launch& launch : std::span(list.launches, static_cast<std::size_t>(list.count))) {
            ASSERT_GT(launch.block_threads, 0) << to_string(config);
            ASSERT_LE(launch.block_threads, kMaxBlockThreads) << to_string(config);
            ASSERT_LE(launch.shared_bytes, limits_of(sm).shared_bytes_per_block) << to_string(config) << " sm " << sm;
          }
        }
      }
}

// Striped items are transposed in shared memory where their pointers do not allow vectors.
TEST(Space, RefusesTilesWhoseUnalignedKernelDoesNotFitSharedMemory) {
  const ScanRequest request{.input_type = ValueType::i16, .output_type = ValueType::i16, .n = u64{1} << 16};
  const SingleBlockConfig config{
      .block_threads = 1024, .items_per_thread = 32, .layout = TileLayout::striped, .pdl = 0};
  EXPECT_LE(shared_bytes(config, {request, Variant::aligned}), limits_of(75).shared_bytes_per_block);
  EXPECT_STREQ(Family<SingleBlockConfig>::invalid_reason(config, request, 75),
               "the tile does not fit in shared memory");
  EXPECT_EQ(Family<SingleBlockConfig>::invalid_reason(config, request, 80), nullptr);
}

TEST(Space, MoreRowsThanAGridHasCtasAreWalkedByAsManyAsItHas) {
  const ScanRequest request{.segments = Segments::rows, .n = u64{1} << 35, .rows = u64{1} << 34};
  const FamilyModel& family = *find_family("scan_rows");
  ASSERT_EQ(family.unsupported_reason(request, 90), nullptr);
  const Config config = family.default_config(request, 90);
  EXPECT_EQ(family.invalid_reason(config, request, 90), nullptr);
  const Launch launch = family.launches(config, request, Variant::aligned).launches[0];
  const ScanRowsConfig few{};
  EXPECT_STREQ(Family<ScanRowsConfig>::invalid_reason(few, request, 90),
               "more rows than a grid of so many rows_per_block walks");
  EXPECT_LE(launch.grid_blocks, kMaxGridBlocks);
  EXPECT_EQ(launch.grid_blocks * u64{16}, request.rows);
}

TEST(Space, FamiliesHaveNamesOfTheirOwnWhateverTheirAlgorithm) {
  std::set<std::string> names;
  for (const FamilyModel* family : families()) EXPECT_TRUE(names.insert(family->name()).second) << family->name();
}

TEST(Space, SpellingsRoundTrip) {
  for (const FamilyModel* family : scan_families())
    for (const ParameterModel& parameter : family->parameters())
      for (const int value : parameter.values)
        EXPECT_EQ(parse(parameter, spell(parameter, value)), value) << parameter.name;
}

TEST(Space, RefusesSpellingsThatAreNoValue) {
  const ParameterModel& layout = find_family("lookback")->parameters()[3];
  const ParameterModel& threads = find_family("lookback")->parameters()[0];
  for (const char* text : {"", "0", "diagonal", "direct "}) EXPECT_EQ(parse(layout, text), std::nullopt) << text;
  for (const char* text : {"", "12x", " 12", "99999999999"}) EXPECT_EQ(parse(threads, text), std::nullopt) << text;
}

TEST(Space, RefusesAnEnumeratorOutOfRange) {
  const ScanRequest request = request_of(ValueType::i32, 1u << 16);
  Config config = find_family("lookback")->default_config(request, 90);
  config[3] = 77;
  EXPECT_STREQ(reject_reason(config, request, 90), "an enumerator is out of range");
}

// A small input counts as 2 MiB.
TEST(Space, KeepsEveryWorkspaceUnderOnePercentOfTheInput) {
  for (ScanRequest request : distinct_requests())
    for (const u64 n : {u64{1} << 12, u64{1} << 24})
      for (const FamilyModel* family : scan_families()) {
        request.n = n;
        const u64 input_bytes = std::max<u64>(n * static_cast<u64>(request.input_bytes()), u64{2} << 20);
        for (const Config& config : searched_configs(*family, request, 90)) {
          const u64 bytes = family->workspace(config, request).bytes;
          ASSERT_LE(bytes * 100, input_bytes) << to_string(config) << " of " << to_string(request);
        }
      }
}

TEST(Space, SaysWhyNoFamilySupportsAProblem) {
  const std::string message = message_of<RequestError>([] { default_config(request_of(ValueType::i8, 100), 90); });
  EXPECT_NE(message.find("no kernel does i8 inclusive sum of 100 items"), std::string::npos) << message;
  EXPECT_NE(message.find("lookback: the accumulator type must be"), std::string::npos) << message;
}

// Verification scans sizes other than the one that a module was loaded for.
TEST(Space, ModulesHaveRoomForTheKernelsOfOtherSizesToo) {
  for (const u64 n : {1'000, 100'000}) {
    const ScanRequest request = request_of(ValueType::i32, n);
    const Config config = find_family("single_block")->default_config(request, 90);
    for (const int bytes : max_shared_bytes(config, request, Variant::aligned)) EXPECT_GT(bytes, 0) << n;
  }
}

// A kernel knows of the request what its source says, and finds its place in shared memory by that.
TEST(Space, RequestsWithTheSameKernelLaunchItWithTheSameSharedMemory) {
  std::map<std::string, std::vector<int>> shared_bytes_of;
  for (const FamilyModel* family : scan_families())
    for (const ValueType type : {ValueType::i8, ValueType::i32, ValueType::f32, ValueType::i64, ValueType::f64})
      for (const Variant variant : {Variant::any, Variant::aligned})
        for (const auto determinism : {Determinism::unconstrained, Determinism::run_to_run})
          for (const auto progress : {ForwardProgress::in_order, ForwardProgress::documented})
            for (const auto latency : {Latency::back_to_back, Latency::isolated}) {
              ScanRequest request = request_of(type, 100'000);
              request.determinism = determinism;
              request.forward_progress = progress;
              request.latency = latency;
              if (family->unsupported_reason(request, 90) != nullptr) continue;
              std::vector<Config> configs;
              std::ranges::sample(searched_configs(*family, request, 90), std::back_inserter(configs), 20,
                                  std::mt19937(1));
              configs.push_back(family->default_config(request, 90));
              for (const Config& config : configs) {
                std::vector<int> bytes;
                const LaunchList list = family->launches(config, request, variant);
                for (int index = 0; index < list.count; ++index) bytes.push_back(list.launches[index].shared_bytes);
                const auto [known, is_new] =
                    shared_bytes_of.emplace(instantiate(request, config, variant).source, bytes);
                EXPECT_EQ(known->second, bytes) << to_string(config) << " of " << to_string(request);
              }
            }
}

}  // namespace
}  // namespace scantune
