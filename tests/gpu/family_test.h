// Types, operators, configs and memory for the tests that loop over families.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu_test.h"
#include "measure/verify.h"
#include "space/space.h"
#include "space/spelling.h"

namespace scantune {

// The value types of a problem.
struct Types {
  ValueType input;
  ValueType accumulator;
  ValueType output;
  int custom_bytes = 0;

  ScanRequest request(Operator op, u64 n) const {
    return {.input_type = input,
            .accumulator_type = accumulator,
            .output_type = output,
            .op = op,
            .custom_bytes = custom_bytes,
            .custom_alignment = custom_bytes == 0 ? 0 : natural_alignment(custom_bytes),
            .n = n};
  }
};

inline Types through(std::string_view input, std::string_view accumulator, std::string_view output) {
  const auto type = [](std::string_view name) { return parse_token<ValueType>(name).value(); };
  return {type(input), type(accumulator), type(output)};
}
inline Types from_to(std::string_view input, std::string_view output) {
  Types types = through(input, input, output);
  types.accumulator = default_accumulator(types.input, types.output);
  return types;
}
inline Types same(std::string_view type) { return from_to(type, type); }
inline Types custom(int bytes) { return {ValueType::custom, ValueType::custom, ValueType::custom, bytes}; }

// The legal operators; for custom types these are the stand-ins of each cost class.
inline std::vector<Operator> operators_of(const Types& types) {
  std::vector<Operator> all;
  for (int index = 0; index < static_cast<int>(std::size(Tokens<Operator>::kNames)); ++index) {
    const auto op = static_cast<Operator>(index);
    if (is_custom(op) == (types.custom_bytes != 0) && unsupported_reason(types.request(op, 1)) == nullptr)
      all.push_back(op);
  }
  return all;
}

// The names of input, accumulator and output, as in names of tests.
inline std::string name_of(const Types& types) {
  const ScanRequest request = types.request(Operator::sum, 1);
  return spell_type(request, types.input) + "_" + spell_type(request, types.accumulator) + "_" +
         spell_type(request, types.output);
}

// Whether the family solves the problem on some GPU: sm_0 stands for the newest one's limits.
inline bool may_scan(const FamilyModel& family, const ScanRequest& request) {
  return family.unsupported_reason(request, kHostSm) == nullptr;
}

inline void PrintTo(const FamilyModel* family, std::ostream* out) { *out << family->name(); }

inline std::string name_of_family(const testing::TestParamInfo<const FamilyModel*>& tested) {
  return tested.param->name();
}

// Configs of the searched space; none if the family does not solve the problem.
inline std::vector<Config> drawn_configs(const FamilyModel& family, const Request& request, int sm, std::size_t count,
                                         unsigned seed = 20) {
  std::vector<Config> all = searched_configs(family, request, sm), drawn;
  std::mt19937 random(seed);
  std::ranges::sample(all, std::back_inserter(drawn), static_cast<std::ptrdiff_t>(count), random);
  return drawn;
}

// The smallest tiles that one_shot scans in clusters of that many CTAs.
inline Config config_with_clusters(const ScanRequest& request, int sm, int cluster_blocks) {
  const FamilyModel& family = *find_family("one_shot");
  std::vector<Config> all = searched_configs(family, request, sm);
  std::erase_if(all, [&](const Config& config) {
    return family.launches(config, request, Variant::aligned).launches[0].cluster_blocks != cluster_blocks;
  });
  return *std::ranges::min_element(all, {}, [&](const Config& config) { return family.tile_items(config, request); });
}

// A scan with these tiles, of so many items that the last cluster lacks a CTA and is ragged. One cluster needs no
// workspace; each of several publishes its sum.
inline std::pair<ScanRequest, Config> scan_in_clusters(const Types& types, Operator op, int sm, int cluster_blocks,
                                                       u64 clusters) {
  ScanRequest request = types.request(op, 1);
  const Config config = config_with_clusters(request, sm, cluster_blocks);
  const u64 items = static_cast<u64>(config.family().tile_items(config, request));
  request.n = items * (static_cast<u64>(cluster_blocks) * clusters - 1) - 3;
  return {request, config};
}

inline std::vector<Config> default_and_drawn(const FamilyModel& family, const ScanRequest& request, int sm,
                                             std::size_t count) {
  std::vector<Config> configs = drawn_configs(family, request, sm, count);
  if (family.unsupported_reason(request, sm) == nullptr) configs.push_back(family.default_config(request, sm));
  return configs;
}

// Tests that ask the CPU whether scans are right.
class FamiliesOnGpu : public GpuTest {
 protected:
  using GpuTest::GpuTest;

  void verify(const Request& request, const Config& config, bool all_kinds) {
    try {
      EXPECT_GT(verifier().verify(request, config, nullptr, {.all_kinds = all_kinds}), 0);
    } catch (const Error& error) {
      ADD_FAILURE() << to_string(config) << " of " << to_string(request) << ": " << error.what();
    }
  }

  int sm() const { return device_->identity().sm; }

 private:
  Verifier& verifier() {
    if (!verifier_) verifier_.emplace(*device_);
    return *verifier_;
  }
  std::optional<Verifier> verifier_;
};

}  // namespace scantune
