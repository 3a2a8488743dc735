#include "space/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <span>

#include "config/lookback.h"
#include "config/one_shot.h"
#include "config/pipelined.h"
#include "config/scan_columns.h"
#include "config/scan_rows.h"
#include "config/single_block.h"
#include "families_under_test.h"
#include "instantiation/instantiation.h"
#include "launch/loading.h"
#include "scantune/error.hpp"
#include "select_rows.h"

namespace scantune {
namespace {

constexpr int kArchs[] = {kHostSm, 75, 80, 86, 90, 100, 120};

constexpr u64 kSizes[] = {1, u64{1} << 12, u64{1} << 16, u64{5} << 20, u64{1} << 24, u64{1} << 33};

// The name of the first parameter whose value is not among those that are searched; empty if all are.
std::string unlisted_parameter(const Config& config) {
  const auto parameters = config.family().parameters();
  for (std::size_t index = 0; index < parameters.size(); ++index)
    if (std::ranges::find(parameters[index].values, config[static_cast<int>(index)]) == parameters[index].values.end())
      return parameters[index].name;
  return {};
}

ScanRequest request_of(ValueType type, u64 n) {
  return {.input_type = type, .accumulator_type = type, .output_type = type, .n = n};
}

constexpr auto kTypes = [] {
  std::array<ValueType, std::size(Tokens<ValueType>::kNames)> all{};
  for (std::size_t type = 0; type < all.size(); ++type) all[type] = static_cast<ValueType>(type);
  return all;
}();

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

TEST(Space, EveryFamilyHasALegalDefaultForEveryRequestOnEveryArchitecture) {
  for (ScanRequest request : all_requests())
    for (const int sm : kArchs)
      for (const u64 n : kSizes)
        for (const FamilyModel* family : scan_families()) {
          request.n = n;
          if (family->unsupported_reason(request, sm) != nullptr) continue;
          const Config config = family->default_config(request, sm);
          const char* const reason = family->invalid_reason(config, request, sm);
          ASSERT_EQ(reason, nullptr) << reason << ": " << to_string(config) << " of " << to_string(request) << ", "
                                     << request.custom_alignment << ", sm " << sm;
        }
}

// A default is legal, and one of the searched values.
TEST(Space, EverySelectionHasALegalDefaultOfSearchedValuesOnEveryArchitecture) {
  std::vector<SelectRequest> types;
  for (const ValueType type : kTypes)
    for (const Criterion criterion : {Criterion::not_equal, Criterion::around})
      if (type != ValueType::custom) types.push_back({.input_type = type, .criterion = criterion});
  SelectRequest custom{.input_type = ValueType::custom};
  for (custom.custom_bytes = 1; custom.custom_bytes <= kMaxValueBytes; ++custom.custom_bytes)
    for (custom.custom_alignment = 1; custom.custom_alignment <= kVectorAlignmentBytes; custom.custom_alignment *= 2)
      for (const Criterion criterion : {Criterion::flagged, Criterion::parts}) {
        custom.criterion = criterion;
        if (invalid_custom_reason(custom.custom_bytes, custom.custom_alignment) == nullptr) types.push_back(custom);
      }
  for (SelectRequest request : types)
    for (const Selected selected : {Selected::items, Selected::indices, Selected::items_and_indices})
      for (const Rejected rejected : {Rejected::dropped, Rejected::apart, Rejected::behind})
        for (const Values values : {Values::none, Values::bytes_8})
          for (const ForwardProgress progress : {ForwardProgress::in_order, ForwardProgress::documented})
            for (const u64 n : kSizes) {
              request.selected = selected;
              request.rejected = rejected;
              request.values = values;
              request.forward_progress = progress;
              request.n = n;
              if (unsupported_reason(request) != nullptr) continue;
              for (const int sm : kArchs)
                for (const FamilyModel* family : algorithm_of<SelectRequest>().families()) {
                  if (family->unsupported_reason(request, sm) != nullptr) {
                    // One family counts items before it stores any, the other needs a place of its own for the output.
                    const bool counts_first =
                        request.rejected == Rejected::behind || (request.parts() == 3 && n >> 32 != 0);
                    ASSERT_EQ(family->name() == std::string_view("select_lookback"), counts_first)
                        << family->name() << " of " << to_string(Request(request));
                    continue;
                  }
                  const Config config = family->default_config(request, sm);
                  ASSERT_EQ(reject_reason(config, request, sm), nullptr)
                      << to_string(config) << " of " << to_string(Request(request)) << ", sm " << sm;
                  ASSERT_EQ(unlisted_parameter(config), "") << to_string(config);
                }
            }
}

TEST(Space, EveryLoadBalanceHasALegalDefaultOfSearchedValuesOnEveryArchitecture) {
  std::vector<LoadBalanceRequest> types;
  for (const ValueType offset : {ValueType::u32, ValueType::i32, ValueType::u64, ValueType::i64})
    for (const Assigned assigned :
         {Assigned::segments, Assigned::ranks, Assigned::segments_and_ranks, Assigned::values})
      for (const ValueType output : kTypes)
        if (output != ValueType::custom)
          types.push_back({.input_type = offset, .output_type = output, .assigned = assigned});
  LoadBalanceRequest custom{.output_type = ValueType::custom, .assigned = Assigned::values};
  for (custom.custom_bytes = 1; custom.custom_bytes <= kMaxValueBytes; ++custom.custom_bytes)
    for (custom.custom_alignment = 1; custom.custom_alignment <= kVectorAlignmentBytes; custom.custom_alignment *= 2)
      types.push_back(custom);
  int legal = 0;
  for (LoadBalanceRequest request : types)
    for (const u64 n : kSizes)
      for (const u64 segments : {u64{1}, n / 4 + 1, 3 * n, u64{1} << 33}) {
        request.n = n;
        request.segments = segments;
        if (unsupported_reason(request) != nullptr) continue;
        for (const int sm : kArchs)
          for (const FamilyModel* family : algorithm_of<LoadBalanceRequest>().families()) {
            const Config config = family->default_config(request, sm);
            ASSERT_EQ(reject_reason(config, request, sm), nullptr)
                << to_string(config) << " of " << to_string(Request(request)) << ", sm " << sm;
            ASSERT_EQ(unlisted_parameter(config), "") << to_string(config);
            ++legal;
          }
      }
  EXPECT_GT(legal, 1000);
}

// Numbers that do not fit their type, and types that are none of what they are to hold.
TEST(Space, LoadBalancesFitTheirTypes) {
  const auto reason = [](LoadBalanceRequest request) { return std::string(unsupported_reason(request)); };
  const LoadBalanceRequest fits{.n = 0xffffffff, .segments = u64{1} << 32};
  EXPECT_EQ(unsupported_reason(fits), nullptr);
  EXPECT_EQ(
      unsupported_reason(
          {.input_type = ValueType::i32, .output_type = ValueType::i32, .n = 0x7fffffff, .segments = u64{1} << 31}),
      nullptr);
  EXPECT_TRUE(reason({.n = u64{1} << 32, .segments = 1}).starts_with("there are more items than the offsets"));
  EXPECT_TRUE(
      reason({.input_type = ValueType::i32, .n = u64{1} << 31, .segments = 1}).starts_with("there are more it"));
  EXPECT_TRUE(reason({.n = 1, .segments = (u64{1} << 32) + 1}).starts_with("there are more segments than output_type"));
  EXPECT_TRUE(reason({.output_type = ValueType::i32, .n = 1, .segments = (u64{1} << 31) + 1}).starts_with("there are"));
  EXPECT_TRUE(
      reason({.input_type = ValueType::u64, .assigned = Assigned::ranks, .n = (u64{1} << 32) + 1, .segments = 1})
          .starts_with("a segment may hold more items"));
  EXPECT_TRUE(reason({.n = 1}).starts_with("there are items and no segments"));
  EXPECT_TRUE(reason({.input_type = ValueType::f32, .n = 1, .segments = 1}).starts_with("offsets are integers"));
  EXPECT_TRUE(reason({.output_type = ValueType::f32, .n = 1, .segments = 1}).starts_with("segments and ranks are"));
  EXPECT_EQ(unsupported_reason({.n = 0, .segments = 0}), nullptr);
}

TEST(Space, NoSortCountsMoreRowsThanAGridAddsUp) {
  for (const char* const name : {"sort_fill", "sort_onesweep"}) {
    const FamilyModel& family = *find_family(name);
    for (const u64 rows : {u64{1} << 20, u64{1} << 24, (u64{1} << 24) + 1, u64{1} << 29, u64{1} << 30}) {
      const SortRequest request{.input_type = ValueType::u8, .segments = Segments::rows, .n = rows, .rows = rows};
      if (family.unsupported_reason(request, 90) != nullptr) {
        EXPECT_GT(rows, u64{1} << 24) << name;
        continue;
      }
      const Launch adds = family.launches(family.default_config(request, 90), request, Variant::any).launches[1];
      EXPECT_EQ(adds.grid_blocks, 8 * rows) << name << " of " << rows << " rows";
    }
  }
}

TEST(Space, EverySortHasALegalDefaultOfSearchedValuesOnEveryArchitecture) {
  std::vector<SortRequest> types;
  for (const ValueType key : kTypes) {
    if (key == ValueType::custom) continue;
    types.push_back({.input_type = key});
    for (const ValueType value : kTypes)
      for (const Sorted sorted : {Sorted::pairs, Sorted::indices, Sorted::keys_and_indices})
        if (value != ValueType::custom) types.push_back({.input_type = key, .value_type = value, .sorted = sorted});
    if (key != ValueType::u8 && key != ValueType::f64) continue;
    SortRequest custom{.input_type = key, .value_type = ValueType::custom, .sorted = Sorted::pairs};
    for (custom.custom_bytes = 1; custom.custom_bytes <= kMaxValueBytes; ++custom.custom_bytes)
      for (custom.custom_alignment = 1; custom.custom_alignment <= kVectorAlignmentBytes; custom.custom_alignment *= 2)
        types.push_back(custom);
  }
  int legal = 0;
  for (SortRequest request : types)
    for (const u64 n : kSizes)
      for (const u64 rows : {u64{0}, u64{1}, n / 1000 + 1, n}) {
        request.n = n;
        request.rows = rows;
        request.segments = rows == 0 ? Segments::none : Segments::rows;
        for (const KeyBits key_bits : {KeyBits::all, KeyBits::some}) {
          request.key_bits = key_bits;
          request.end_bit = request.bits = key_bits == KeyBits::some ? 7 : 0;
          if (unsupported_reason(request) != nullptr) continue;
          for (const int sm : kArchs)
            for (const FamilyModel* family : algorithm_of<SortRequest>().families()) {
              if (family->unsupported_reason(request, sm) != nullptr) continue;
              const Config config = family->default_config(request, sm);
              const char* const reason = reject_reason(config, request, sm);
              ASSERT_EQ(reason, nullptr) << reason << ": " << to_string(config) << " of " << to_string(Request(request))
                                         << ", sm " << sm;
              ASSERT_EQ(unlisted_parameter(config), "") << to_string(config);
              ++legal;
            }
        }
      }
  EXPECT_GT(legal, 1000);
}

// Bits that no key has, and indices that do not fit.
TEST(Space, SortsFitTheirTypes) {
  const auto reason = [](SortRequest request) { return std::string(unsupported_reason(request)); };
  EXPECT_EQ(unsupported_reason(SortRequest{.input_type = ValueType::f64, .n = u64{1} << 40}), nullptr);
  EXPECT_TRUE(
      reason({.input_type = ValueType::custom, .custom_bytes = 4, .n = 1}).starts_with("keys of a custom type"));
  EXPECT_TRUE(reason({.segments = Segments::columns, .n = 1}).starts_with("rows are sorted, and columns are not"));
  EXPECT_TRUE(reason({.segments = Segments::rows, .n = 1}).starts_with("there are items and no rows"));
  EXPECT_TRUE(reason({.value_type = ValueType::u64, .n = 1}).starts_with("value_type is for sorts with values"));
  const SortRequest indices{.sorted = Sorted::indices, .n = u64{1} << 32};
  EXPECT_EQ(unsupported_reason(indices), nullptr);
  for (const ValueType type : {ValueType::u16, ValueType::f32}) {
    SortRequest of_no_index = indices;
    of_no_index.value_type = type;
    EXPECT_TRUE(reason(of_no_index).starts_with("indices are integers of 4 or 8 bytes"));
  }
  SortRequest in_rows = indices;
  in_rows.n += 2;
  EXPECT_TRUE(reason(in_rows).starts_with("a row has more keys than indices of 32 bits can number"));
  in_rows.segments = Segments::rows;
  in_rows.rows = 2;
  EXPECT_EQ(unsupported_reason(in_rows), nullptr);
  in_rows.value_type = ValueType::i32;
  EXPECT_TRUE(reason(in_rows).starts_with("a row has more keys than indices of 32 bits can number"));
  EXPECT_TRUE(reason({.key_bits = KeyBits::some, .n = 1, .end_bit = 33, .bits = 1}).starts_with("bits end behind"));
  EXPECT_TRUE(reason({.key_bits = KeyBits::some, .n = 1, .end_bit = 3, .bits = 4}).starts_with("bits begin before"));
  EXPECT_TRUE(
      reason({.key_bits = KeyBits::some, .n = 1, .end_bit = 32, .bits = 0}).starts_with("no bits are compared"));
}

// The product with the threads of a warp is 0 in 32 bits.
TEST(Space, RefusesMoreRowsThanACtaOfASortHasWarps) {
  const SortRequest request{.n = 100};
  const FamilyModel& family = *find_family("sort_block");
  Config config = family.default_config(request, 90);
  const auto parameters = family.parameters();
  const auto rows = std::ranges::find(parameters, std::string_view("rows_per_block"), &ParameterModel::name);
  config[static_cast<int>(rows - parameters.begin())] = 1 << 27;
  const char* const reason = reject_reason(config, request, 90);
  ASSERT_NE(reason, nullptr);
  EXPECT_TRUE(std::string_view(reason).starts_with("rows_per_block must be so few"));
}

TEST(Space, EveryFamilyHasALegalDefaultForRowsOfEveryLength) {
  for (ScanRequest request : all_requests()) {
    request.segments = Segments::rows;
    for (const int sm : kArchs)
      for (const u64 length : {1, 33, 1000, 3072, 4096, 1 << 20})
        for (const FamilyModel* family : row_families()) {
          request.rows = 77;
          request.n = request.rows * length;
          if (family->unsupported_reason(request, sm) != nullptr) continue;
          const Config config = family->default_config(request, sm);
          const char* const reason = family->invalid_reason(config, request, sm);
          ASSERT_EQ(reason, nullptr) << reason << ": " << to_string(config) << " of " << to_string(request) << ", "
                                     << request.custom_alignment << ", sm " << sm;
        }
  }
}

TEST(Space, EveryFamilyHasALegalDefaultForColumnsOfEveryLength) {
  for (ScanRequest request : all_requests()) {
    request.segments = Segments::columns;
    for (const int sm : kArchs)
      for (const u64 columns : {1, 2, 7, 33, 257, 1 << 20})
        for (const u64 lines : {1, 33, 1000, 1 << 20})
          for (const FamilyModel* family : column_families()) {
            request.columns = columns;
            request.n = columns * lines;
            if (family->unsupported_reason(request, sm) != nullptr) continue;
            const Config config = family->default_config(request, sm);
            const char* const reason = family->invalid_reason(config, request, sm);
            ASSERT_EQ(reason, nullptr) << reason << ": " << to_string(config) << " of " << to_string(request) << ", "
                                       << request.custom_alignment << ", sm " << sm;
          }
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

// A warp that looked further could take the end of a phase for that of the next but one, and then wait for a tile that
// never comes.
TEST(Space, PipelinedWarpsLookNoFurtherAheadThanTheirRingReaches) {
  const ScanRequest request = request_of(ValueType::i32, u64{1} << 24);
  PipelinedConfig config{.stages = 4, .look_ahead = 3, .refill_distance = 0, .look_back_warps = 2, .poll_distance = 2};
  EXPECT_EQ(Family<PipelinedConfig>::invalid_reason(config, request, 90), nullptr);
  config.poll_distance = 3;
  EXPECT_NE(Family<PipelinedConfig>::invalid_reason(config, request, 90), nullptr);
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

TEST(Space, SaysWhyNoFamilySupportsAProblem) {
  try {
    default_config(request_of(ValueType::i8, 100), 90);
    FAIL() << "no exception";
  } catch (const RequestError& error) {
    EXPECT_NE(std::string(error.what()).find("no kernel does i8 inclusive sum of 100 items"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("lookback: the accumulator type must be"), std::string::npos);
  }
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
  for (const u64 n : {u64{100}, u64{5000}, u64{1} << 18}) {  // single_block, one cluster, all SMs
    ScanRequest request = request_of(ValueType::i32, n);
    EXPECT_EQ(pdl_of(request, 90), 2) << n;
    EXPECT_EQ(pdl_of(request, 80), 0) << n;
    request.latency = Latency::isolated;
    EXPECT_EQ(pdl_of(request, 90), 0) << n;
  }
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
    for (int magnitude = 10; magnitude <= 22; ++magnitude) {
      const ScanRequest request = request_of(type, u64{1} << magnitude);
      const OneShotConfig config = Family<OneShotConfig>::default_config(request, 90);
      const u64 published = Family<OneShotConfig>::aggregates(config, request);
      if (published == 1) {
        EXPECT_EQ(config.window, 128) << "one cluster polls nothing: 2^" << magnitude;
        continue;
      }
      windows.insert(config.window);
      const u64 share = ceil_div(published - 1, static_cast<u64>(config.poll_warps) * 32) * 32;
      EXPECT_TRUE(config.window == 128 || static_cast<u64>(config.window) >= share) << "2^" << magnitude;
      EXPECT_TRUE(config.window == 32 || static_cast<u64>(config.window) / 2 < share) << "2^" << magnitude;
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
