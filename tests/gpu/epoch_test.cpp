// Workspaces whose epoch is about to wrap: the launch of the last epoch zeroes every word that any launch has used.
#include <cstddef>
#include <span>

#include "families_under_test.h"
#include "family_test.h"
#include "known_sums.h"
#include "measure/upload_input.h"
#include "test_scan.h"

namespace scantune {
namespace {

constexpr u32 kLaunchesToTheWrap = 5;  // the last of them uses the last epoch
constexpr u32 kEpochsAgain = 7;        // epochs that are used before the wrap and after it

bool has_epoch(const WorkspaceNeed& need) {
  return need.kind == WorkspaceKind::packed_status || need.kind == WorkspaceKind::split_status;
}

class WrapsOnGpu : public FamiliesOnGpu {
 protected:
  // Each run_once(n) works on n new items. Words of the first epochs, whose runs are longer than what follows, are
  // still there when these epochs come again, unless the wrap zeroes them. workspace: memory of the device.
  template <class RunOnce>
  void wrap(const Config& config, std::span<std::byte> workspace, u64 most_words, u64 word_items,
            RunOnce run_once) const {
    for (u64 epochs_left = kEpochsAgain; epochs_left > 0; --epochs_left)
      run_once(epochs_left * (most_words / kEpochsAgain) * word_items - 1);
    device_->synchronize();
    const u32 epoch = kLastEpoch - kLaunchesToTheWrap;
    device_->upload(workspace.data() + offsetof(WorkspaceHeader, epoch), &epoch, sizeof epoch);
    for (u32 launch = 0; launch < kLaunchesToTheWrap; ++launch) run_once(2 * word_items);
    EXPECT_TRUE(is_zero(workspace)) << "the wrap of " << to_string(config) << " left words behind";
    for (u32 launch = 0; launch < kEpochsAgain; ++launch) run_once(most_words * word_items);

    WorkspaceHeader header;
    device_->download(&header, workspace.data(), sizeof header);
    EXPECT_EQ(header.epoch, kEpochsAgain) << to_string(config);
    EXPECT_EQ(header.ticket, 0u) << to_string(config);
    EXPECT_EQ(header.finished, 0u) << to_string(config);
  }

 private:
  bool is_zero(std::span<std::byte> workspace) const {
    std::vector<std::byte> found(workspace.size());
    device_->download(found.data(), workspace.data(), found.size());
    return std::ranges::all_of(found, [](std::byte byte) { return byte == std::byte{0}; });
  }
};

class EpochsOnGpu : public WrapsOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  // The default, and a searched config for each other layout of status words.
  std::vector<Config> config_of_each_layout(const ScanRequest& request) const {
    std::vector<Config> chosen = default_and_drawn(*GetParam(), request, sm(), 0);
    const auto kind_of = [&](const Config& config) { return GetParam()->workspace(config, request).kind; };
    for (const Config& config : searched_configs(*GetParam(), request, sm()))
      if (std::ranges::find(chosen, kind_of(config), kind_of) == chosen.end()) chosen.push_back(config);
    std::erase_if(chosen, [&](const Config& config) { return !has_epoch(GetParam()->workspace(config, request)); });
    return chosen;
  }

  // Items for which one status word is published; the CTAs of a cluster share one.
  u64 items_of_a_word(const Config& config, const ScanRequest& request) const {
    const Launch launch = GetParam()->launches(config, request, Variant::aligned).launches[0];
    return static_cast<u64>(GetParam()->tile_items(config, request)) * static_cast<u64>(launch.cluster_blocks);
  }
};

TEST_P(EpochsOnGpu, WrapUnderScansOfTwoWordsAndOfThousands) {
  constexpr u64 kWords = 3000;
  const TestStream stream;
  bool scanned = false;
  const char* unsupported = nullptr;
  for (const char* type : {"i32", "i64", "i8"}) {
    ScanRequest request = same(type).request(Operator::sum, 100'000);
    if (const char* reason = GetParam()->unsupported_reason(request, sm())) {
      unsupported = reason;
      continue;
    }
    const KnownSums sums(*device_, request);
    const std::vector<Config> configs = config_of_each_layout(request);
    ASSERT_FALSE(configs.empty()) << "no config of " << to_string(request) << " has epochs";
    for (const Config& config : configs) {
      const u64 word_items = items_of_a_word(config, request);
      request.n = kWords * word_items;
      const TestScan scan(*device_, request, config);
      const Verdict verdict(*device_);
      wrap(config, scan.workspace(), kWords, word_items, [&, seed = u64{0}](u64 n) mutable {
        sums.fill(scan.items(), n, ++seed, stream);
        scan.enqueue(n, stream);
        sums.check(scan.results(), n, seed, verdict, stream);
      });
      EXPECT_EQ(verdict.problem(), "") << to_string(config) << " of " << to_string(request);
    }
    scanned = true;
  }
  if (!scanned) GTEST_SKIP() << unsupported;
}

// Values in several words, which only the CPU can check.
TEST_P(EpochsOnGpu, WrapUnderScansOfWideValues) {
  constexpr u64 kWords = 70;
  bool scanned = false;
  const char* unsupported = nullptr;
  for (const int bytes : {12, 16, 32}) {
    ScanRequest request = custom(bytes).request(Operator::custom_moderate, 100'000);
    if (const char* reason = GetParam()->unsupported_reason(request, sm())) {
      unsupported = reason;
      continue;
    }
    const std::vector<Config> configs = config_of_each_layout(request);
    ASSERT_FALSE(configs.empty()) << "no config of " << to_string(request) << " has epochs";
    for (const Config& config : configs) {
      const u64 word_items = items_of_a_word(config, request);
      request.n = kWords * word_items;
      const TestScan scan(*device_, request, config);
      Staging staging(*device_);
      wrap(config, scan.workspace(), kWords, word_items, [&, seed = u64{0}](u64 n) mutable {
        InputSpec input{.request = request, .seed = ++seed};
        input.request.n = n;
        upload_input(staging, input, scan.items());
        scan.enqueue(n, nullptr);
        std::vector<std::byte> found(n * static_cast<u64>(bytes));
        device_->download(found.data(), scan.results(), found.size());
        const auto wrong = make_reference(input)->check(0, found);
        ASSERT_FALSE(wrong) << to_string(config) << ", scan " << seed << ", item " << wrong->index << ": expected "
                            << wrong->expected << ", found " << wrong->found;
      });
      if (HasFatalFailure()) return;
    }
    scanned = true;
  }
  if (!scanned) GTEST_SKIP() << unsupported;
}

std::vector<const FamilyModel*> families_with_epochs() {
  const ScanRequest request{.n = 100'000};
  std::vector<const FamilyModel*> all(scan_families().begin(), scan_families().end());
  std::erase_if(all, [&](const FamilyModel* family) {
    return !has_epoch(family->workspace(family->default_config(request, kHostSm), request));
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, EpochsOnGpu, testing::ValuesIn(families_with_epochs()), name_of_family);

class EpochsOfReductionsOnGpu : public WrapsOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  // CTAs of the longest launches. Each publishes one word.
  u64 most_ctas(const Config& config, const ReduceRequest& request) const {
    const Launch launch = GetParam()->launches(config, request, Variant::aligned).launches[0];
    return grid_blocks(launch, device_->identity().sm_count);
  }
};

ReduceRequest sum_of_i32(ValueType output, u64 n) {
  return {.accumulator_type = default_accumulator(ValueType::i32, output),
          .output_type = output,
          .init = Init::none,
          .n = n};
}

// Each launch begins one vector behind the launch before, so that no two have the same sum.
TEST_P(EpochsOfReductionsOnGpu, WrapUnderReductionsOfTwoCtasAndOfAll) {
  constexpr u64 kMostItems = u64{1} << 24, kStep = 4;
  constexpr u64 kLaunches = kEpochsAgain + kLaunchesToTheWrap + kEpochsAgain, kResultBytes = sizeof(u64);
  const std::vector<std::int32_t> items = random_items(kMostItems + kStep * kLaunches, 9);
  const runtime::Buffer<std::int32_t> input(items);
  std::vector<i64> before{0};  // each item, the sum of those before it
  for (const std::int32_t item : items) before.push_back(before.back() + item);
  const TestStream stream;
  for (const ValueType output : {ValueType::i32, ValueType::i64}) {
    const ReduceRequest request = sum_of_i32(output, kMostItems);
    const u64 result_bits = ~u64{0} >> (64 - 8 * request.output_bytes());  // zeros follow a narrow result
    std::vector<Config> configs = drawn_configs(*GetParam(), request, sm(), 3);
    configs.push_back(GetParam()->default_config(request, sm()));
    for (const Config& config : configs) {
      const u64 tile = static_cast<u64>(GetParam()->tile_items(config, request)), ctas = most_ctas(config, request);
      const PreparedConfig reduction(*device_, request, config);
      const u64 workspace_bytes = reduction.workspace_bytes(kMostItems);
      const DeviceBuffer workspace(*device_, workspace_bytes), results(*device_, kLaunches * kResultBytes);
      device_->zero(workspace.data(), workspace_bytes);
      device_->zero(results.data(), kLaunches * kResultBytes);
      std::vector<u64> expected;
      wrap(config, {workspace.data(), workspace_bytes}, ctas, tile, [&](u64 n) {
        const u64 launch = expected.size(), first = kStep * launch;
        expected.push_back(static_cast<u64>(before[first + n] - before[first]) & result_bits);
        reduction.enqueue({input.data() + first, results.data() + kResultBytes * launch}, n, workspace.data(), stream);
      });
      std::vector<u64> found(kLaunches);
      device_->download(found.data(), results.data(), kLaunches * kResultBytes);
      EXPECT_EQ(found, expected) << to_string(config) << " of " << to_string(request);
    }
  }
}

std::vector<const FamilyModel*> reductions_with_epochs() {
  const ReduceRequest request = sum_of_i32(ValueType::i32, u64{1} << 24);
  const auto library = families_of<ReduceRequest>(Standing::library);
  std::vector<const FamilyModel*> all(library.begin(), library.end());
  std::erase_if(all, [&](const FamilyModel* family) {
    return family->unsupported_reason(request, kHostSm) != nullptr ||
           !has_epoch(family->workspace(family->default_config(request, kHostSm), request));
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, EpochsOfReductionsOnGpu, testing::ValuesIn(reductions_with_epochs()),
                         name_of_family);

}  // namespace
}  // namespace scantune
