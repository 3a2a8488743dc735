// Workspaces whose epoch is about to wrap: the launch of the last epoch zeroes every word that any launch has used.
#include <cstddef>

#include "family_test.h"
#include "known_sums.h"
#include "measure/upload_input.h"
#include "test_scan.h"

namespace scantune {
namespace {

constexpr u32 kLaunchesToTheWrap = 5;  // the last of them in the last epoch
constexpr u32 kLaunches = 12;

bool has_epoch(const WorkspaceNeed& need) {
  return need.kind == WorkspaceKind::packed_status || need.kind == WorkspaceKind::split_status;
}

class EpochsOnGpu : public FamiliesOnGpu, public testing::WithParamInterface<const FamilyModel*> {
 protected:
  // The default, and whatever of the searched space keeps its words in another layout.
  std::vector<Config> config_of_each_layout(const ScanRequest& request) const {
    std::vector<Config> chosen = default_and_drawn(*GetParam(), request, sm(), 0);
    const auto kind_of = [&](const Config& config) { return GetParam()->workspace(config, request).kind; };
    for (const Config& config : searched_configs(*GetParam(), request, sm()))
      if (std::ranges::find(chosen, kind_of(config), kind_of) == chosen.end()) chosen.push_back(config);
    std::erase_if(chosen, [&](const Config& config) { return !has_epoch(GetParam()->workspace(config, request)); });
    return chosen;
  }

  void start_near_the_last_epoch(const TestScan& scan) const {
    const u32 epoch = kLastEpoch - kLaunchesToTheWrap;
    device_->upload(scan.workspace() + offsetof(WorkspaceHeader, epoch), &epoch, sizeof epoch);
  }

  void expect_to_have_wrapped(const TestScan& scan) const {
    WorkspaceHeader header;
    device_->download(&header, scan.workspace(), sizeof header);
    EXPECT_EQ(header.epoch, kLaunches - kLaunchesToTheWrap) << to_string(scan.config());
    EXPECT_EQ(header.ticket, 0u) << to_string(scan.config());
    EXPECT_EQ(header.finished, 0u) << to_string(scan.config());
  }
};

// Two tiles up to thousands, in turn: words of a longer launch lie behind those of a shorter one.
TEST_P(EpochsOnGpu, WrapUnderScansOfFewAndOfThousandsOfTiles) {
  const TestStream stream;
  for (const char* type : {"i32", "i64", "i8"}) {
    ScanRequest request = same(type).request(Operator::sum, 100'000);
    const KnownSums sums(*device_, request);
    for (const Config& config : config_of_each_layout(request)) {
      const u64 tile = static_cast<u64>(GetParam()->tile_items(config, request));
      const u64 sizes[] = {2 * tile, 3000 * tile + 5, 7 * tile + 1, 400 * tile - 1, tile + 1};
      request.n = sizes[1];
      const TestScan scan(*device_, request, config);
      const Verdict verdict(*device_);
      start_near_the_last_epoch(scan);
      for (u32 launch = 0; launch < kLaunches; ++launch) {
        const u64 n = sizes[launch % std::size(sizes)];
        sums.fill(scan.items(), n, launch, stream);
        scan.enqueue(n, stream);
        sums.check(scan.results(), n, launch, verdict, stream);
      }
      stream.synchronize();
      EXPECT_EQ(verdict.problem(), "") << to_string(config) << " of " << to_string(request);
      expect_to_have_wrapped(scan);
    }
  }
}

// Values in several words, which none but the CPU can judge.
TEST_P(EpochsOnGpu, WrapUnderScansOfWideValues) {
  for (const int bytes : {12, 16, 32}) {
    const ScanRequest request = custom(bytes).request(Operator::custom_moderate, 100'000);
    const InputSpec input{.request = request};
    const auto reference = make_reference(input);
    std::vector<std::byte> found(request.n * static_cast<u64>(bytes));
    for (const Config& config : config_of_each_layout(request)) {
      const TestScan scan(*device_, request, config);
      upload_input(*device_, input, scan.items());
      start_near_the_last_epoch(scan);
      for (u32 launch = 0; launch < kLaunches; ++launch) {
        device_->zero(scan.results(), found.size());
        scan.enqueue(nullptr);
        device_->download(found.data(), scan.results(), found.size());
        const auto wrong = reference->check(0, found);
        ASSERT_FALSE(wrong) << to_string(config) << ", launch " << launch << ", item " << wrong->index << ": expected "
                            << wrong->expected << ", found " << wrong->found;
      }
      expect_to_have_wrapped(scan);
    }
  }
}

std::vector<const FamilyModel*> families_with_epochs() {
  const ScanRequest request{.n = 100'000};
  std::vector<const FamilyModel*> all(families().begin(), families().end());
  std::erase_if(all, [&](const FamilyModel* family) {
    return !has_epoch(family->workspace(family->default_config(request, kHostSm), request));
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, EpochsOnGpu, testing::ValuesIn(families_with_epochs()), name_of_family);

}  // namespace
}  // namespace scantune
