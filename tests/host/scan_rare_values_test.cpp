// Values of parameters that are hardly ever drawn.
#include <gtest/gtest.h>

#include <optional>
#include <ostream>

#include "effort.h"
#include "families_under_test.h"
#include "scan_case.h"

namespace scantune::scan_rare_values_test {
namespace {

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
  for (const FamilyModel* family : families_of_long_scans())
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
    Config config = random_config(*rare.family, request, kMaxScanTileItems, random);
    config[rare.parameter] = rare.value;
    if (rare.family->invalid_reason(config, request, kHostSm) != nullptr) continue;
    if (!smallest || rare.family->tile_items(config, request) < rare.family->tile_items(*smallest, request))
      smallest = config;
    if (rare.family->tile_items(*smallest, request) <= kMaxScanTileItems / 2) break;
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
       std::vector<std::pair<ScanRequest, const TestOperator*>>{{scan_of(ValueType::i32), nullptr},
                                                                {scan_of(ValueType::i8), nullptr},
                                                                {scan_of(ValueType::u16, Operator::max), nullptr},
                                                                {scan_of(ValueType::f32), nullptr},
                                                                {scan_of(ValueType::f64), nullptr},
                                                                {maps.request, &maps},
                                                                {wide.request, &wide}}) {
    ScanCase scan{request, Config(*rare.family), random.below(1u << 30), custom};
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

}  // namespace
}  // namespace scantune::scan_rare_values_test
