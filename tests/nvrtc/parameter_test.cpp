// Every parameter changes what runs: one that does not would only make the search longer.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "cubin.h"
#include "effort.h"
#include "families_under_test.h"
#include "host/test_operator.h"
#include "instances.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "measure/stand_in.h"
#include "problems.h"

namespace scantune {
namespace {

constexpr int kParameterSm = 90;
constexpr int kTriedConfigs = 12;  // some values matter only beside others, such as a limit of registers that is tight

// A scan of numbers, or of wide structs with an operator of the caller's; a selection; a load balance; or a sort.
struct Problem {
  const char* name;
  Request request;
  CustomOperator custom = {};  // without a source the request's operator is built in
};

struct ScanProblem {
  const char* name;
  ScanRequest request;
  CustomOperator custom = {};
};

std::vector<ScanProblem> scan_problems() {
  const TestOperator maps = maps_of_bytes(12, 4);
  ScanRequest wide = maps.request;
  wide.n = kTestedItems;
  return {{"i32", request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems)},
          {"custom12", wide, maps.custom}};
}

// An odd number of columns of items that are smaller than a word, where a parameter matters that does so nowhere else.
ScanRequest in_small_columns(ScanRequest request) {
  request.input_type = request.output_type = ValueType::i16;
  request.segments = Segments::columns;
  request.columns = 99;
  return request;
}

struct Case {
  const FamilyModel* family;
  Problem problem;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.family->name() << " of " << c.problem.name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const ScanProblem& one : scan_problems()) {
    if (kTestEffort == 1 && !one.custom.source.empty()) continue;
    for (const FamilyModel* family : all_scan_families()) {
      ScanRequest request = taken_by(*family, one.request);
      if (request.has_offsets()) request.segment_count = 1000;  // so short that warps take neighbours
      const Problem problem{one.name, request, one.custom};
      if (family->unsupported_reason(problem.request, kParameterSm) != nullptr) continue;
      all.push_back({family, problem});
      if (takes_only_columns(*family) && one.custom.source.empty())
        all.push_back({family, {"i16", in_small_columns(one.request)}});
    }
  }
  // Families of the gallery, whose CTAs may hold one row each.
  for (const FamilyModel* family : families_of<ScanRequest>(Standing::gallery)) {
    ScanRequest request = scan_problems().front().request;
    request.n = 1000;
    request.segments = Segments::rows;
    request.rows = 50;
    if (family->unsupported_reason(request, kParameterSm) != nullptr) request.segments = Segments::none;
    all.push_back({family, {scan_problems().front().name, request}});
  }
  for (const FamilyModel* family : families_of<SelectRequest>(Standing::library))
    all.push_back({family, {"i32", taken_by(*family, SelectRequest{.n = kTestedItems})}});
  for (const FamilyModel* family : families_of<LoadBalanceRequest>(Standing::library))
    all.push_back({family, {"u32", LoadBalanceRequest{.n = kTestedItems, .segments = kTestedItems / 4}}});
  for (const FamilyModel* family : families_of<SortRequest>(Standing::library)) {
    // Those that sort in one launch hold as many keys as they must in CTAs of any size.
    SortRequest request = taken_by(*family, SortRequest{.sorted = Sorted::pairs, .n = 300});
    if (family->kernels().size() > 1) request.n = kTestedItems;
    all.push_back({family, {"keys", request, request.is_by_source() ? stand_in_for(request) : CustomOperator{}}});
  }
  for (const FamilyModel* family : families_of<TopKRequest>(Standing::library))
    all.push_back({family, {"u32", TopKRequest{.n = kTestedItems, .k = 100}}});
  return all;
}

// Kernels that are told how many keys a CTA counts, or how many runs it merges, are the same for all numbers.
bool is_launched_alike(const Problem& problem, const Config& one, const Config& other) {
  const auto launches_of = [&](const Config& config) {
    return config.family().launches(config, problem.request, Variant::aligned);
  };
  const LaunchList list = launches_of(one), its = launches_of(other);
  return std::ranges::equal(std::span(list.launches, static_cast<std::size_t>(list.count)),
                            std::span(its.launches, static_cast<std::size_t>(its.count)), {}, &Launch::grid_blocks,
                            &Launch::grid_blocks);
}

// A parameter and two values of it between which something must change.
struct Claim {
  int parameter;
  int one, other;
};

// The values that some legal config has: not every vector holds wide items, nor do registers hold many of them.
std::vector<int> values_in_use(const Case& c, int parameter, const std::vector<Config>& configs) {
  std::vector<int> values;
  for (const int value : c.family->parameters()[static_cast<std::size_t>(parameter)].values)
    if (std::ranges::any_of(configs, [&](const Config& config) { return config[parameter] == value; }))
      values.push_back(value);
  return values;
}

// What is searched with few items, of which the default has other values.
std::vector<Config> configs_of_few_items(const Case& c) {
  Request request = c.problem.request;
  request.n = kTestedItems / 32;
  if (c.family->unsupported_reason(request, kParameterSm) != nullptr) return {};
  return searched_configs(*c.family, request, kParameterSm);
}

// What is searched for the columns of the other problem of a family of columns.
std::vector<Config> configs_of_other_columns(const Case& c) {
  if (c.problem.request.has_custom_operator() || !takes_only_columns(*c.family)) return {};
  const ScanRequest request = scan_problems().front().request;
  std::vector<Config> configs;
  for (const ScanRequest& columns : {taken_by(*c.family, request), in_small_columns(request)})
    std::ranges::copy(searched_configs(*c.family, columns, kParameterSm), std::back_inserter(configs));
  return configs;
}

// Of each parameter its last two values; in a long test each value and the next.
std::vector<Claim> claims_of(const Case& c) {
  const std::vector<Config> configs = searched_configs(*c.family, c.problem.request, kParameterSm);
  std::vector<Config> all = configs_of_few_items(c);
  all.insert(all.end(), configs.begin(), configs.end());
  std::ranges::copy(configs_of_other_columns(c), std::back_inserter(all));
  std::vector<Claim> claims;
  for (int parameter = 0; parameter < static_cast<int>(c.family->parameters().size()); ++parameter) {
    const ParameterModel& model = c.family->parameters()[static_cast<std::size_t>(parameter)];
    const std::vector<int> values = values_in_use(c, parameter, configs);
    EXPECT_GE(values_in_use(c, parameter, all).size(),
              c.problem.request.has_custom_operator() ? 1 : model.values.size())
        << "no config of " << c.family->name() << " has the other values of " << model.name;
    if (kTestEffort == 1 && values.size() > 1) claims.push_back({parameter, values[values.size() - 2], values.back()});
    for (std::size_t index = 0; kTestEffort > 1 && index + 1 < values.size(); ++index)
      claims.push_back({parameter, values[index], values[index + 1]});
  }
  return claims;
}

// The config with either value of a claim, or nothing where one of them is illegal.
std::optional<std::pair<Config, Config>> both(const Case& c, Config config, const Claim& claim) {
  Config with_one = config, with_other = config;
  with_one[claim.parameter] = claim.one;
  with_other[claim.parameter] = claim.other;
  if (reject_reason(with_one, c.problem.request, kParameterSm) ||
      reject_reason(with_other, c.problem.request, kParameterSm))
    return std::nullopt;
  return std::pair(with_one, with_other);
}

// The claims that these configs leave open: of each claim two, or none.
std::vector<Claim> open_after(const Case& c, const std::vector<Claim>& claims,
                              const std::vector<std::optional<std::pair<Config, Config>>>& configs) {
  const CustomOperator* const custom = c.problem.custom.source.empty() ? nullptr : &c.problem.custom;
  std::vector<Instantiation> instances;
  const auto number_of = [&](const Config& config) {
    Instantiation one = instantiate(c.problem.request, config, Variant::aligned, custom);
    const auto known = std::ranges::find(instances, one.source, &Instantiation::source);
    if (known != instances.end()) return static_cast<std::size_t>(known - instances.begin());
    instances.push_back(std::move(one));
    return instances.size() - 1;
  };
  std::vector<std::pair<std::size_t, std::size_t>> numbers;
  for (const auto& pair : configs)
    numbers.emplace_back(pair ? number_of(pair->first) : 0, pair ? number_of(pair->second) : 0);
  if (instances.empty()) return claims;
  const std::vector<std::string> codes = code_of_instances(instances, kParameterSm);
  std::vector<Claim> open;
  for (std::size_t index = 0; index < claims.size(); ++index) {
    const std::string_view name = c.family->parameters()[static_cast<std::size_t>(claims[index].parameter)].name;
    EXPECT_GT(codes[numbers[index].first].size(), 500u);
    const bool alike = codes[numbers[index].first] == codes[numbers[index].second];
    if (name == "count_items" || name == "local_doublings"
            ? !configs[index] || is_launched_alike(c.problem, configs[index]->first, configs[index]->second)
            : alike)
      open.push_back(claims[index]);
  }
  return open;
}

class EveryParameter : public testing::TestWithParam<Case> {};

// Some config runs differently when the parameter goes from one value to the other.
TEST_P(EveryParameter, ChangesWhatRuns) {
  const Case& c = GetParam();
  std::vector<Claim> open = claims_of(c);
  std::mt19937 random(1);
  for (int tried = 0; tried < kTriedConfigs && !open.empty(); ++tried) {
    std::vector<std::optional<std::pair<Config, Config>>> configs;
    for (const Claim& claim : open) {
      Config config = c.family->default_config(c.problem.request, kParameterSm);
      if (tried > 0) config = drawn_config(*c.family, c.problem.request, kParameterSm, random);
      configs.push_back(both(c, config, claim));
    }
    open = open_after(c, open, configs);
  }
  for (const Claim& claim : open) {
    const ParameterModel& model = c.family->parameters()[static_cast<std::size_t>(claim.parameter)];
    ADD_FAILURE() << c.family->name() << "." << model.name << ": " << spell(model, claim.one) << " and "
                  << spell(model, claim.other) << " run the same in every config that was tried";
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, EveryParameter, testing::ValuesIn(cases()), [](const auto& tested) {
  return std::string(tested.param.family->name()) + "_" + tested.param.problem.name;
});

// This checks the comparison itself: code that does the same is equal however it is written.
TEST(Cubin, OfTheSameKernelWrittenDifferentlyIsEqual) {
  const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
  Instantiation instantiation = instantiate(request, default_config(request, kParameterSm), Variant::aligned);
  const std::string code = code_of(compile_with_nvrtc(instantiation, "sm_90").image);
  EXPECT_GT(code.size(), 1000u);
  instantiation.source += "\n// A remark.\n";
  EXPECT_EQ(code_of(compile_with_nvrtc(instantiation, "sm_90").image), code);
}

TEST(Instances, OfOneKernelAreAlikeWhateverTheyAreCalledAndOthersAreNot) {
  const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
  const ScanRequest other = request_of(ValueType::i32, Operator::max, Kind::inclusive, kTestedItems);
  const Config config = default_config(request, kParameterSm);
  const auto of = [&](const ScanRequest& one) { return instantiate(one, config, Variant::aligned); };
  const std::vector<std::string> codes = code_of_instances({of(request), of(other), of(request)}, kParameterSm);
  EXPECT_GT(codes[0].size(), 1000u);
  EXPECT_EQ(codes[0], codes[2]);
  EXPECT_NE(codes[0], codes[1]);
}

}  // namespace
}  // namespace scantune
