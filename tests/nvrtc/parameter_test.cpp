// Every parameter changes what runs: one that does not would only make the search longer.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "cubin.h"
#include "families_under_test.h"
#include "host/test_operator.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "problems.h"

namespace scantune {
namespace {

constexpr int kSm = 90;
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

struct Case {
  const FamilyModel* family;
  int parameter;
  Problem problem;

  const ParameterModel& model() const { return family->parameters()[static_cast<std::size_t>(parameter)]; }
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.model().name << " of " << c.family->name() << " of " << c.problem.name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const ScanProblem& one : scan_problems())
    for (const FamilyModel* family : all_scan_families()) {
      const Problem problem{one.name, taken_by(*family, one.request), one.custom};
      if (family->unsupported_reason(problem.request, kSm) != nullptr) continue;
      for (int index = 0; index < static_cast<int>(family->parameters().size()); ++index)
        all.push_back({family, index, problem});
    }
  // Families of the gallery, whose CTAs may hold one row each.
  for (const FamilyModel* family : families_of<ScanRequest>(Standing::gallery)) {
    ScanRequest request = scan_problems().front().request;
    request.n = 1000;
    request.segments = Segments::rows;
    request.rows = 50;
    if (family->unsupported_reason(request, kSm) != nullptr) request.segments = Segments::none;
    for (int index = 0; index < static_cast<int>(family->parameters().size()); ++index)
      all.push_back({family, index, {scan_problems().front().name, request}});
  }
  for (const FamilyModel* family : families_of<SelectRequest>(Standing::library))
    for (int index = 0; index < static_cast<int>(family->parameters().size()); ++index)
      all.push_back({family, index, {"i32", taken_by(*family, SelectRequest{.n = kTestedItems})}});
  for (const FamilyModel* family : families_of<LoadBalanceRequest>(Standing::library))
    for (int index = 0; index < static_cast<int>(family->parameters().size()); ++index)
      all.push_back({family, index, {"u32", LoadBalanceRequest{.n = kTestedItems, .segments = kTestedItems / 4}}});
  for (const FamilyModel* family : families_of<SortRequest>(Standing::library)) {
    // Those that sort in one launch hold as many keys as they must in CTAs of any size.
    SortRequest request = taken_by(*family, SortRequest{.sorted = Sorted::pairs, .n = 300});
    if (family->kernels().size() > 1) request.n = kTestedItems;
    for (int index = 0; index < static_cast<int>(family->parameters().size()); ++index)
      all.push_back({family, index, {"keys", request}});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  const Case& c = tested.param;
  return std::string(c.family->name()) + "_" + c.model().name + "_" + c.problem.name;
}

std::string compiled_code(const Problem& problem, const Config& config) {
  const CustomOperator* const custom = problem.custom.source.empty() ? nullptr : &problem.custom;
  return code_of(compile_with_nvrtc(instantiate(problem.request, config, Variant::aligned, custom), "sm_90").image);
}

bool runs_alike(const Problem& problem, const Config& one, const Config& other) {
  return compiled_code(problem, one) == compiled_code(problem, other);
}

// Kernels that are told how many keys a CTA counts are the same for all numbers.
bool is_launched_alike(const Problem& problem, const Config& one, const Config& other) {
  const auto launches_of = [&](const Config& config) {
    return config.family().launches(config, problem.request, Variant::aligned);
  };
  const LaunchList list = launches_of(one), its = launches_of(other);
  return std::ranges::equal(std::span(list.launches, static_cast<std::size_t>(list.count)),
                            std::span(its.launches, static_cast<std::size_t>(its.count)), {}, &Launch::grid_blocks,
                            &Launch::grid_blocks);
}

// The values that some legal config has: not every vector holds wide items, nor do registers hold many of them.
std::vector<int> values_in_use(const Case& c) {
  const std::vector<Config> configs = searched_configs(*c.family, c.problem.request, kSm);
  std::vector<int> values;
  for (const int value : c.model().values)
    if (std::ranges::any_of(configs, [&](const Config& config) { return config[c.parameter] == value; }))
      values.push_back(value);
  return values;
}

// Whether some config runs differently when the parameter goes from one value to the other.
bool changes_what_runs(const Problem& problem, Config config, int parameter, int one, int other, std::mt19937& random) {
  const Request& request = problem.request;
  for (int tried = 0; tried < kTriedConfigs; ++tried) {
    Config with_one = config, with_other = config;
    with_one[parameter] = one;
    with_other[parameter] = other;
    const bool legal = !reject_reason(with_one, request, kSm) && !reject_reason(with_other, request, kSm);
    const std::string_view name = config.family().parameters()[static_cast<std::size_t>(parameter)].name;
    const auto& alike = name == "count_items" ? is_launched_alike : runs_alike;
    if (legal && !alike(problem, with_one, with_other)) return true;
    config = drawn_config(config.family(), request, kSm, random);
  }
  return false;
}

class EveryParameter : public testing::TestWithParam<Case> {};

TEST_P(EveryParameter, ChangesWhatRunsFromEachValueToTheNext) {
  const Case& c = GetParam();
  const Config start = c.family->default_config(c.problem.request, kSm);
  const std::vector<int> values = values_in_use(c);
  ASSERT_GE(values.size(), c.problem.request.has_custom_operator() ? 1 : c.model().values.size())
      << "no config has the others";
  std::mt19937 random(1);
  for (std::size_t index = 0; index + 1 < values.size(); ++index) {
    const int one = values[index], other = values[index + 1];
    EXPECT_TRUE(changes_what_runs(c.problem, start, c.parameter, one, other, random))
        << c.family->name() << "." << c.model().name << ": " << spell(c.model(), one) << " and "
        << spell(c.model(), other) << " run the same in every config that was tried";
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, EveryParameter, testing::ValuesIn(cases()), name_of);

// This checks the comparison itself: code that does the same is equal however it is written.
TEST(Cubin, OfTheSameKernelWrittenDifferentlyIsEqual) {
  const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
  Instantiation instantiation = instantiate(request, default_config(request, kSm), Variant::aligned);
  const std::string code = code_of(compile_with_nvrtc(instantiation, "sm_90").image);
  EXPECT_GT(code.size(), 1000u);
  instantiation.source += "\n// A remark.\n";
  EXPECT_EQ(code_of(compile_with_nvrtc(instantiation, "sm_90").image), code);
}

}  // namespace
}  // namespace scantune
