// The family that spins, under thousands of schedules: tiles so small that twenty of them race in every run, two scans
// back to back in place so that the second one overlaps the first, and one workspace that is never cleared.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "effort.h"
#include "expected_scan.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

constexpr ScanRequest kRequest = {.kind = Kind::inclusive};
constexpr u64 kTileItems = 512;
constexpr u64 kItems = 11 * kTileItems + 77;

struct Variant {
  const char* name;
  std::vector<std::pair<std::string, std::string>> values;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

const std::vector<Variant> kVariants = {
    {"packed_block_index_window_32", {{"status_layout", "packed"}, {"tile_order", "block_index"}, {"window", "32"}}},
    {"packed_ticket_window_8", {{"status_layout", "packed"}, {"tile_order", "ticket"}, {"window", "8"}}},
    {"packed_block_index_window_1", {{"status_layout", "packed"}, {"tile_order", "block_index"}, {"window", "1"}}},
    {"packed_ticket_window_64", {{"status_layout", "packed"}, {"tile_order", "ticket"}, {"window", "64"}}},
    {"split_block_index_window_32", {{"status_layout", "split"}, {"tile_order", "block_index"}, {"window", "32"}}},
    {"split_ticket_window_32", {{"status_layout", "split"}, {"tile_order", "ticket"}, {"window", "32"}}},
    {"split_ticket_window_1", {{"status_layout", "split"}, {"tile_order", "ticket"}, {"window", "1"}}},
    {"split_block_index_window_64", {{"status_layout", "split"}, {"tile_order", "block_index"}, {"window", "64"}}},
};

class Schedules : public testing::TestWithParam<Variant> {
 protected:
  Schedules()
      : kernels_(device_),
        family_(*find_family("lookback")),
        config_(small_config()),
        module_(kernels_.get(kRequest, config_)) {}

  Config small_config() const {
    auto values = GetParam().values;
    values.insert(values.end(), {{"block_threads", "128"}, {"items_per_thread", "4"}, {"layout", "direct"}});
    ScanRequest request = kRequest;
    request.n = kItems;
    return config_of(*find_family("lookback"), request, values);
  }

  // Scans `scans` times in place under one schedule.
  void check(u64 n, int scans, Workspace& workspace, u64 seed) {
    ScanRequest request = kRequest;
    request.n = n;
    const std::vector<i32> items = scan_items<i32>(n, seed);
    auto* const memory = static_cast<i32*>(device_.allocate(n * sizeof(i32)));
    std::copy(items.begin(), items.end(), memory);
    std::vector<HostLaunch> launches;
    std::vector<i32> expected = items;
    for (int scan = 0; scan < scans; ++scan) {
      for (const HostLaunch& launch :
           scan_launches(module_, config_, request, {memory, memory, workspace.data(), nullptr}))
        launches.push_back(launch);
      expected = expected_scan(request, expected, 0);
    }
    const Schedule schedule = Schedule::from_seed(seed);
    SCOPED_TRACE(to_string(schedule) + ", " + std::to_string(n) + " items");
    ASSERT_NO_THROW(device_.run(launches, schedule));
    for (u64 index = 0; index < n; ++index) ASSERT_EQ(memory[index], expected[index]) << "item " << index;
    device_.free(memory);
  }

  WorkspaceNeed need() const {
    ScanRequest request = kRequest;
    request.n = kItems;
    return family_.workspace(config_, request);
  }

  HostDevice device_;
  ScanKernels kernels_;
  const FamilyModel& family_;
  const Config config_;
  const Module& module_;
};

TEST_P(Schedules, GiveTheSameResultForTwoOverlappingScansInPlace) {
  Workspace workspace(device_, need());
  for (u64 seed = 1; seed <= 500 * kTestEffort; ++seed) {
    check(kItems, 2, workspace, seed);
    if (HasFatalFailure()) return;
    ASSERT_EQ(workspace.header().epoch, 2 * seed);
    ASSERT_EQ(workspace.header().ticket, 0u);
  }
}

// From a few launches before the epochs are used up to a few after, with sizes that come and go.
TEST_P(Schedules, CarryAWorkspaceThroughTheWrapOfItsEpoch) {
  Random random(5);
  for (u64 seed = 1; seed <= 60 * kTestEffort; ++seed) {
    Workspace workspace(device_, need());
    workspace.header().epoch = kLastEpoch - 2;
    for (int run = 0; run < 3; ++run) {
      check(1 + random.below(static_cast<u32>(kItems)), 2, workspace, 1000 * seed + static_cast<u64>(run));
      if (HasFatalFailure()) return;
    }
    ASSERT_EQ(workspace.header().epoch, 4u);
    ASSERT_EQ(workspace.header().finished, 0u);
  }
}

// Words that a launch of another epoch has left must never be taken for this one's.
TEST_P(Schedules, TakeNoWordOfAnEarlierLaunchForTheirOwn) {
  Random random(9);
  Workspace workspace(device_, need());
  for (u64 seed = 1; seed <= 100 * kTestEffort; ++seed) {
    check(1 + random.below(static_cast<u32>(kItems)), 1 + static_cast<int>(random.below(3)), workspace, 7000 + seed);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Lookback, Schedules, testing::ValuesIn(kVariants),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace scantune
