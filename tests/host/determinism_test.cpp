// Determinism::run_to_run on the host device: equal bits for all alignments of pointers, under another schedule in each
// run.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

#include "expected_scan.h"
#include "families_under_test.h"
#include "launch/loading.h"
#include "scan_kernels.h"

namespace scantune::determinism_test {
namespace {

constexpr u64 kItems = 7'003;  // several tiles, the last one ragged

struct Subject {
  std::string family;
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // parameters and their values
};

std::ostream& operator<<(std::ostream& out, const Subject& subject) {
  return out << subject.family << " " << subject.name;
}

Subject one_shot(const char* name, const char* layout, const char* cluster_blocks) {
  return {"one_shot",
          name,
          {{"block_threads", "128"},
           {"items_per_thread", "4"},
           {"vector_bytes", "16"},
           {"layout", layout},
           {"cluster_blocks", cluster_blocks}}};
}

const Subject kVariants[] = {
    one_shot("in_ctas", "warp_transposed", "1"),
    one_shot("in_ctas_direct", "direct", "1"),
    one_shot("in_clusters", "warp_transposed", "4"),
    one_shot("in_one_cluster", "warp_transposed", "16"),
    {"three_phase", "transposed", {{"block_threads", "128"}, {"items_per_thread", "4"}, {"layout", "warp_transposed"}}},
    {"three_phase", "direct", {{"block_threads", "128"}, {"items_per_thread", "4"}, {"layout", "direct"}}},
    {"single_block", "of_many_tiles", {{"block_threads", "128"}, {"items_per_thread", "4"}}},
    {"single_block", "of_one_tile", {{"block_threads", "1024"}, {"items_per_thread", "8"}}},
};

ScanRequest sums() {
  return {.input_type = ValueType::f32,
          .accumulator_type = ValueType::f32,
          .output_type = ValueType::f32,
          .determinism = Determinism::run_to_run,
          .n = kItems};
}

// Items of any sign and of magnitudes so different that every sum is rounded.
Bytes items_that_tell_orders_apart() {
  constexpr u32 kSign = 1u << 31, kFraction = (1u << 23) - 1, kExponentOfOne = 127;
  Random random(11);
  std::vector<u32> words(kItems);
  for (u32& word : words) {
    const auto bits = static_cast<u32>(random.next());
    word = (bits & (kSign | kFraction)) | (kExponentOfOne + random.below(16)) << 23;
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(words.data());
  return {bytes, bytes + kItems * sizeof(u32)};
}

class DeterminismOnHost : public testing::TestWithParam<Subject> {
 protected:
  Bytes results(const ScanRequest& request, u64 misaligned_input_bytes, u64 misaligned_output_bytes,
                Variant variant = Variant::aligned) {
    const Module& module = kernels_.get(request, config_, nullptr, variant);
    if (is_rehearsal()) return {};
    const GuardedMemory input(device_, items_.size(), misaligned_input_bytes);
    const GuardedMemory output(device_, items_.size(), misaligned_output_bytes);
    std::copy(items_.begin(), items_.end(), input.data());
    const Workspace workspace(device_, config_.family().workspace(config_, request));
    device_.run(
        scan_launches(module, config_, request, {input.data(), output.data(), workspace.data(), nullptr}, variant),
        Schedule::from_seed(++seed_));
    return {output.data(), output.data() + output.size()};
  }

  const Bytes items_ = items_that_tell_orders_apart();
  const Config config_ = config_of(*find_family(GetParam().family), sums(), GetParam().values);

 private:
  HostDevice device_;
  ScanKernels kernels_;
  u64 seed_ = 0;
};

TEST_P(DeterminismOnHost, GivesTheBitsOfAlignedPointersForAnyOthers) {
  const Bytes aligned = results(sums(), 0, 0);
  if (is_rehearsal()) {
    results(sums(), 0, 0, Variant::any);
    return;
  }
  const auto first_difference = [&](const Bytes& found) { return difference(sums(), found.data(), aligned); };
  // Otherwise every order would pass.
  ASSERT_NE(first_difference(expected_scan(sums(), items_, nullptr)), std::nullopt) << "one item after the other";
  ASSERT_EQ(first_difference(results(sums(), 0, 0)), std::nullopt) << "on the next run";
  constexpr u64 kItemBytes = sizeof(f32);
  for (u64 input_bytes = 0; input_bytes < kVectorAlignmentBytes; input_bytes += kItemBytes)
    for (u64 output_bytes = 0; output_bytes < kVectorAlignmentBytes; output_bytes += kItemBytes)
      ASSERT_EQ(first_difference(results(sums(), input_bytes, output_bytes, Variant::any)), std::nullopt)
          << to_string(config_) << ", input " << input_bytes << " and output " << output_bytes
          << " bytes from alignment";
}

INSTANTIATE_TEST_SUITE_P(OfSums, DeterminismOnHost, testing::ValuesIn(kVariants),
                         [](const auto& tested) { return tested.param.family + "_" + tested.param.name; });

TEST(DeterminismVariants, AreOfEveryFamilyThatKeepsTheGuarantee) {
  needs_no_kernel();
  std::set<std::string> promised, tested;
  for (const FamilyModel* family : scan_families())
    if (family->unsupported_reason(sums(), kHostSm) == nullptr) promised.insert(family->name());
  for (const Subject& subject : kVariants) tested.insert(subject.family);
  EXPECT_EQ(tested, promised);
}

// One cluster alone needs no workspace.
TEST(DeterminismVariants, AreInCtasInClustersAndInOneCluster) {
  needs_no_kernel();
  std::set<std::pair<bool, bool>> kinds;  // whether in clusters, and whether with a workspace
  for (const Subject& subject : kVariants) {
    if (subject.family != "one_shot") continue;
    const Config config = config_of(*find_family(subject.family), sums(), subject.values);
    kinds.emplace(config.family().launches(config, sums(), Variant::aligned).launches[0].cluster_blocks > 1,
                  config.family().workspace(config, sums()).kind != WorkspaceKind::none);
  }
  EXPECT_EQ(kinds, (std::set<std::pair<bool, bool>>{{false, true}, {true, true}, {true, false}}));
}

}  // namespace
}  // namespace scantune::determinism_test
