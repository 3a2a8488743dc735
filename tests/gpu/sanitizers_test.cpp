// Scans for compute-sanitizer (CONTRIBUTING says how to run it). They are few, so that each of its tools ends in time.
#include "families_under_test.h"
#include "family_test.h"

namespace scantune {
namespace {

// The tools watch every access, which takes a hundred times as long.
constexpr std::chrono::seconds kLimit = std::chrono::minutes(9);

class SmallScansOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  SmallScansOnGpu() : FamiliesOnGpu(kLimit) {}

  // The config whose CTAs have the most tiles to process.
  Config config_of_the_smallest_tile(const ScanRequest& request) const {
    const std::vector<Config> all = searched_configs(*GetParam(), request, sm());
    return *std::ranges::min_element(all, {},
                                     [&](const Config& config) { return GetParam()->tile_items(config, request); });
  }

  // The number of items at which every CTA takes several tiles.
  u64 items_of_many_tiles(const Config& config, const ScanRequest& request) const {
    constexpr u64 kTilesOfAnSm = 12;
    return kTilesOfAnSm * static_cast<u64>(device_->identity().sm_count) *
               static_cast<u64>(GetParam()->tile_items(config, request)) +
           3;
  }
};

TEST_P(SmallScansOnGpu, RunUnderTheSanitizers) {
  const std::pair<Types, std::size_t> drawn_of[] = {{same("i32"), 2},          {same("f64"), 1}, {same("u8"), 1},
                                                    {from_to("i8", "i64"), 1}, {same("f16"), 1}, {custom(8), 1},
                                                    {custom(12), 1},           {custom(16), 1},  {custom(32), 1}};
  bool scanned = false;
  const char* unsupported = nullptr;
  for (const auto& [types, drawn] : drawn_of) {
    const ScanRequest request = taken_by(*GetParam(), types.request(operators_of(types).front(), 20'001));
    if (const char* reason = GetParam()->unsupported_reason(request, sm())) {
      unsupported = reason;
      continue;
    }
    verify(request, GetParam()->default_config(request, sm()), true);
    for (const Config& config : drawn_configs(*GetParam(), request, sm(), drawn)) verify(request, config, false);
    scanned = true;
  }
  if (!scanned) GTEST_SKIP() << unsupported;
}

// Persistent CTAs use each of their stages more than once.
TEST_P(SmallScansOnGpu, OfManyTilesForEachSmRunUnderTheSanitizers) {
  bool scanned = false;
  const char* unsupported = nullptr;
  for (const char* type : {"i32", "i8"}) {
    ScanRequest request = taken_by(*GetParam(), same(type).request(Operator::sum, 100'000));
    if (const char* reason = GetParam()->unsupported_reason(request, sm())) {
      unsupported = reason;
      continue;
    }
    const Config config = config_of_the_smallest_tile(request);
    request.n = items_of_many_tiles(config, request);
    if (const char* reason = reject_reason(config, request, sm())) {
      unsupported = reason;
      continue;
    }
    verify(request, config, false);
    scanned = true;
  }
  if (!scanned) GTEST_SKIP() << unsupported;
}

TEST_P(SmallScansOnGpu, OfSegmentsWithStartsRunUnderTheSanitizers) {
  const std::pair<Segments, Types> drawn_of[] = {
      {Segments::flags, same("f32")}, {Segments::bits, from_to("u8", "u32")}, {Segments::keys, custom(12)}};
  for (const Results results : {Results::all, Results::totals})
    for (const auto& [segments, types] : drawn_of) {
      ScanRequest request = types.request(operators_of(types).front(), 20'001);
      request.segments = segments;
      request.results = results;
      if (const char* reason = GetParam()->unsupported_reason(request, sm())) GTEST_SKIP() << reason;
      verify(request, GetParam()->default_config(request, sm()), segments == Segments::bits);
    }
}

class ClustersUnderTheSanitizersOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<int> {
 protected:
  ClustersUnderTheSanitizersOnGpu() : FamiliesOnGpu(kLimit) {}
};

// Ragged scans in one cluster, which needs no workspace, and in several, each of which publishes its sum.
TEST_P(ClustersUnderTheSanitizersOnGpu, ScanAloneAndBesideOthers) {
  if (GetParam() > limits_of(sm()).cluster_blocks) GTEST_SKIP() << "the GPU's clusters are smaller";
  for (const Types& types : {same("i32"), same("u8"), same("f64"), custom(12), custom(32)})
    for (const bool alone : {true, false}) {
      const auto [request, config] =
          scan_in_clusters(types, operators_of(types).front(), sm(), GetParam(), alone ? 1 : 9);
      verify(request, config, alone);
    }
}

INSTANTIATE_TEST_SUITE_P(OfCtas, ClustersUnderTheSanitizersOnGpu, testing::Values(2, 8, 16),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, SmallScansOnGpu, testing::ValuesIn(all_scan_families()), name_of_family);

}  // namespace
}  // namespace scantune
