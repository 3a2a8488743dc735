// Every parameter changes what runs: one that does not would only make the search longer.
#include <gtest/gtest.h>

#include "cubin.h"
#include "instantiation/instantiation.h"
#include "jit/nvrtc_compiler.h"
#include "problems.h"

namespace scantune {
namespace {

constexpr int kSm = 90;
constexpr int kTriedConfigs = 12;  // some values differ only together with others: a register budget that is not tight

struct Case {
  const FamilyModel* family;
  int parameter;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.family->parameters()[static_cast<std::size_t>(c.parameter)].name << " of " << c.family->name();
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const FamilyModel* family : families())
    for (int index = 0; index < static_cast<int>(family->parameters().size()); ++index) all.push_back({family, index});
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  const Case& c = tested.param;
  return std::string(c.family->name()) + "_" + c.family->parameters()[static_cast<std::size_t>(c.parameter)].name;
}

std::string compiled_code(const ScanRequest& request, const Config& config) {
  return code_of(NvrtcCompiler().compile(instantiate(request, config), "sm_90").image);
}

bool runs_alike(const ScanRequest& request, const Config& one, const Config& other) {
  return compiled_code(request, one) == compiled_code(request, other);
}

// Whether some config runs differently when the parameter goes from one value to the other.
bool changes_what_runs(const ScanRequest& request, Config config, int parameter, int one, int other,
                       std::mt19937& random) {
  for (int tried = 0; tried < kTriedConfigs; ++tried) {
    Config with_one = config, with_other = config;
    with_one[parameter] = one;
    with_other[parameter] = other;
    const bool legal = !reject_reason(with_one, request, kSm) && !reject_reason(with_other, request, kSm);
    if (legal && !runs_alike(request, with_one, with_other)) return true;
    config = drawn_config(config.family(), request, kSm, random);
  }
  return false;
}

class EveryParameter : public testing::TestWithParam<Case> {};

TEST_P(EveryParameter, ChangesWhatRunsFromEachValueToTheNext) {
  const auto [family, parameter] = GetParam();
  const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
  const ParameterModel& model = family->parameters()[static_cast<std::size_t>(parameter)];
  std::mt19937 random(1);
  for (std::size_t index = 0; index + 1 < model.values.size(); ++index) {
    const int one = model.values[index], other = model.values[index + 1];
    EXPECT_TRUE(changes_what_runs(request, family->default_config(request, kSm), parameter, one, other, random))
        << family->name() << "." << model.name << ": " << spell(model, one) << " and " << spell(model, other)
        << " run the same in every config that was tried";
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, EveryParameter, testing::ValuesIn(cases()), name_of);

// The comparison itself: code that does the same is found equal however it is written.
TEST(Cubin, OfTheSameKernelWrittenDifferentlyIsEqual) {
  const ScanRequest request = request_of(ValueType::i32, Operator::sum, Kind::inclusive, kTestedItems);
  Instantiation instantiation = instantiate(request, default_config(request, kSm));
  const std::string code = code_of(NvrtcCompiler().compile(instantiation, "sm_90").image);
  EXPECT_GT(code.size(), 1000u);
  instantiation.source += "\n// A remark.\n";
  EXPECT_EQ(code_of(NvrtcCompiler().compile(instantiation, "sm_90").image), code);
}

}  // namespace
}  // namespace scantune
