// Every family compiles for every architecture it claims to support, with many configs and problems that are drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "compile_log.h"
#include "effort.h"
#include "families_under_test.h"
#include "host/sampled_requests.h"
#include "host/test_operator.h"
#include "instantiation/instantiation.h"
#include "jit/nvrtc_compiler.h"
#include "kept_compiler.h"
#include "problems.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr int kSampledProblems = 24 * kTestEffort;  // problems for each family
constexpr u64 kManyItems = 1 << 26;                 // defaults depend on n
constexpr int kSm = 90;                             // where one architecture is enough

struct Case {
  const FamilyModel* family;
  int sm;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.family->name() << " for sm_" << c.sm; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const FamilyModel* family : all_scan_families())
    for (const int sm : sms_of(*family)) all.push_back({family, sm});
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  return std::string(tested.param.family->name()) + "_sm" + std::to_string(tested.param.sm);
}

// The index of the case's architecture among those of its family. What is spread over the architectures takes turns by
// it; a long test has all of it.
std::size_t turn_of(const Case& c) {
  const std::vector<int> sms = sms_of(*c.family);
  return static_cast<std::size_t>(std::ranges::find(sms, c.sm) - sms.begin());
}
bool has_turn(const Case& c, std::size_t index) {
  return kTestEffort > 1 || index % sms_of(*c.family).size() == turn_of(c);
}

Binary compiled(const ScanRequest& request, const Config& config, int sm, Variant variant = Variant::aligned,
                const CustomOperator* custom = nullptr) {
  return compile_with_nvrtc(instantiate(request, config, variant, custom), "sm_" + std::to_string(sm));
}

Variant drawn_variant(std::mt19937& random) { return random() % 2 ? Variant::any : Variant::aligned; }

// One of the legal problems of these types, chosen by the index.
ScanRequest problem_of(const TypePair& types, std::size_t index) {
  std::vector<ScanRequest> legal;
  for (const ScanRequest& request : all_requests())
    if (request.input_type == types.input && request.output_type == types.output &&
        request.accumulator_type == default_accumulator(types.input, types.output))
      legal.push_back(request);
  return legal[index * 13 % legal.size()];  // neither operators nor kinds come in thirteens
}

class Compile : public testing::TestWithParam<Case> {};

TEST_P(Compile, DefaultConfigsOfBuiltInTypesCompileWithoutSpills) {
  const auto [family, sm] = GetParam();
  const std::size_t turn = turn_of(GetParam());
  std::set<std::string> sources;
  for (std::size_t index = 0; index < std::size(kTypePairs); ++index) {
    // All types are compiled for one architecture, every second one for the others.
    if (kTestEffort == 1 && sm != 90 && (index + turn) % 2 != 0) continue;
    for (const u64 n : {kTestedItems, kManyItems}) {
      ScanRequest request = problem_of(kTypePairs[index], index + turn);
      request.n = n;
      request = taken_by(*family, request);
      if (family->unsupported_reason(request, sm)) continue;
      const Config config = family->default_config(request, sm);
      if (!sources.insert(instantiate(request, config, Variant::aligned).source).second)
        continue;  // both requests have the same default
      const Binary binary = compiled(request, config, sm);
      EXPECT_GT(binary.image.size(), 0u);
      EXPECT_NE(binary.log.find("registers"), std::string::npos) << binary.log;
      EXPECT_EQ(reported_bytes(binary.log, "spill stores"), 0)
          << to_string(config) << " of " << to_string(request) << "\n"
          << binary.log;
    }
  }
  EXPECT_GT(sources.size(), 0u);
}

// A sample of the problems that the family solves, with every type and operator among them, each for one architecture.
TEST_P(Compile, DrawnConfigsOfSampledProblemsCompile) {
  const auto [family, sm] = GetParam();
  std::vector<ScanRequest> sample =
      sampled_requests(kSampledProblems, static_cast<u64>(family->name()[0]) + 100, requests_for(*family));
  for (ScanRequest& request : sample) {
    request = taken_by(*family, request);
    request.n = kTestedItems;
  }
  std::erase_if(sample, [&](const ScanRequest& request) { return family->unsupported_reason(request, sm) != nullptr; });
  std::mt19937 random(static_cast<unsigned>(sm));
  for (std::size_t index = 0; index < sample.size(); ++index) {
    if (!has_turn(GetParam(), index)) continue;
    const ScanRequest& request = sample[index];
    const Config config = drawn_config(*family, request, sm, random);
    EXPECT_NO_THROW(compiled(request, config, sm, drawn_variant(random)))
        << to_string(config) << " of " << to_string(request);
  }
}

TEST_P(Compile, KernelsThatReadNFromMemoryCompile) {
  const auto [family, sm] = GetParam();
  for (const ValueType type : {ValueType::i32, ValueType::u8})
    for (const Variant variant : {Variant::aligned, Variant::any}) {
      const ScanRequest request{.input_type = type,
                                .accumulator_type = default_accumulator(type, type),
                                .output_type = type,
                                .n_source = NSource::memory,
                                .n = kTestedItems};
      if (family->unsupported_reason(request, sm) != nullptr) continue;
      EXPECT_NO_THROW(compiled(request, family->default_config(request, sm), sm, variant))
          << to_string(Request(request));
    }
}

TEST_P(Compile, CustomOperatorsCompile) {
  const auto [family, sm] = GetParam();
  std::mt19937 random(static_cast<unsigned>(sm));
  const std::vector<TestOperator> operators = test_operators();
  for (std::size_t index = 0; index < operators.size(); ++index) {
    if (!has_turn(GetParam(), index)) continue;
    ScanRequest request = taken_by(*family, operators[index].request);
    request.n = kTestedItems;
    request.init = random() % 2 ? Init::value : Init::memory;
    request.kind = random() % 2 ? Kind::exclusive : Kind::inclusive;
    if (family->unsupported_reason(request, sm) != nullptr) continue;
    const CustomOperator& custom = operators[index].custom;
    const Variant variant = drawn_variant(random);
    EXPECT_NO_THROW(compiled(request, family->default_config(request, sm), sm, variant, &custom))
        << operators[index].name;
    if (kTestEffort == 1) continue;  // wide values in many registers take the compiler seconds
    const Config config = drawn_config(*family, request, sm, random);
    EXPECT_NO_THROW(compiled(request, config, sm, variant, &custom))
        << operators[index].name << " with " << to_string(config);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, Compile, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace scantune
