// The family that spins, under thousands of schedules: tiles so small that a dozen of them race in every run, scans
// back to back so that each overlaps the one before it and works on what that has just written, and one workspace that
// is never cleared.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <ostream>

#include "effort.h"
#include "expected_scan.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune {
namespace {

struct Variant {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // of parameters; the tiles are small
  ScanRequest request = {};
  std::optional<TestOperator> custom = {};
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

Variant custom_variant(const TestOperator& custom, const char* status_layout, const char* tile_order) {
  return {custom.name + "_" + status_layout + "_" + tile_order,
          {{"status_layout", status_layout}, {"tile_order", tile_order}, {"window", "32"}},
          custom.request,
          custom};
}

// Scans that start from the last result of the one before.
Variant offsets_variant(const char* status_layout, const char* tile_order) {
  return {
      std::string("i8_to_i32_from_memory_") + status_layout + "_" + tile_order,
      // The smallest tiles whose status is no more than a hundredth of their items.
      {{"items_per_thread", "12"}, {"vector_bytes", "4"}, {"status_layout", status_layout}, {"tile_order", tile_order}},
      {.input_type = ValueType::i8, .init = Init::memory}};
}

const std::vector<Variant> kVariants = {
    {"packed_block_index_window_32", {{"status_layout", "packed"}, {"tile_order", "block_index"}, {"window", "32"}}},
    {"packed_ticket_window_8", {{"status_layout", "packed"}, {"tile_order", "ticket"}, {"window", "8"}}},
    {"packed_block_index_window_1", {{"status_layout", "packed"}, {"tile_order", "block_index"}, {"window", "1"}}},
    {"packed_ticket_window_64", {{"status_layout", "packed"}, {"tile_order", "ticket"}, {"window", "64"}}},
    {"split_block_index_window_32", {{"status_layout", "split"}, {"tile_order", "block_index"}, {"window", "32"}}},
    {"split_ticket_window_32", {{"status_layout", "split"}, {"tile_order", "ticket"}, {"window", "32"}}},
    {"split_ticket_window_1", {{"status_layout", "split"}, {"tile_order", "ticket"}, {"window", "1"}}},
    {"split_block_index_window_64", {{"status_layout", "split"}, {"tile_order", "block_index"}, {"window", "64"}}},
    offsets_variant("packed", "ticket"),
    offsets_variant("split", "block_index"),
    custom_variant(maps_of_bytes(12, 4), "split", "block_index"),
    custom_variant(maps_of_bytes(12, 4), "packed", "ticket"),
    custom_variant(maps_of_bytes(3, 1), "split", "ticket"),
    // Several words for a value, which a reader may find half written.
    custom_variant(maps_of_bytes(20, 4), "packed", "block_index"),
    custom_variant(maps_of_bytes(32, 16), "packed", "block_index"),
    custom_variant(affine_maps(), "packed", "block_index"),
    custom_variant(complex_products(), "split", "ticket"),
    custom_variant(running_extremes(), "packed", "ticket"),
    custom_variant(last_nonzero(ValueType::f32, ValueType::f32, ValueType::f32), "packed", "block_index"),
};

class Schedules : public testing::TestWithParam<Variant> {
 protected:
  Schedules()
      : kernels_(device_),
        family_(*find_family("lookback")),
        config_(small_config()),
        module_(kernels_.get(GetParam().request, config_, custom() != nullptr ? &custom()->custom : nullptr)) {}

  static const TestOperator* custom() { return GetParam().custom ? &*GetParam().custom : nullptr; }

  static ScanRequest request_of(u64 n) {
    ScanRequest request = GetParam().request;
    request.n = n;
    return request;
  }

  static Config small_config() {
    std::vector<std::pair<std::string, std::string>> values = {
        {"block_threads", "128"}, {"items_per_thread", "4"}, {"layout", "direct"}};
    values.insert(values.end(), GetParam().values.begin(), GetParam().values.end());
    return config_of(*find_family("lookback"), request_of(1), values);
  }

  // Scans `scans` times under one schedule.
  void check(u64 n, int scans, Workspace& workspace, u64 seed) {
    const ScanRequest request = request_of(n);
    const Schedule schedule = Schedule::from_seed(seed);
    SCOPED_TRACE(to_string(schedule) + ", " + std::to_string(n) + " items");
    if (request.input_type == request.output_type) {
      check_in_place(request, scans, workspace, schedule);
    } else {
      check_one_after_the_other(request, scans, workspace, schedule);
    }
  }

  WorkspaceNeed need() const { return family_.workspace(config_, request_of(items_)); }

 private:
  // Each scan's input is the result of the one before.
  void check_in_place(const ScanRequest& request, int scans, const Workspace& workspace, const Schedule& schedule) {
    Bytes expected = scan_items(request, schedule.seed, custom());
    const GuardedMemory memory(device_, expected.size());
    std::copy(expected.begin(), expected.end(), memory.data());
    std::vector<HostLaunch> launches;
    for (int scan = 0; scan < scans; ++scan) {
      append(launches, request, {memory.data(), memory.data(), workspace.data(), nullptr});
      expected = expected_scan(request, expected, nullptr, custom());
    }
    ASSERT_NO_THROW(device_.run(launches, schedule));
    ASSERT_EQ(difference(request, memory.data(), expected, custom()), std::nullopt);
  }

  // Each scan's initial value is the last result of the one before.
  void check_one_after_the_other(const ScanRequest& request, int scans, const Workspace& workspace,
                                 const Schedule& schedule) {
    const Bytes items = scan_items(request, schedule.seed);
    const Bytes first_init = scan_init(request);
    const GuardedMemory input(device_, items.size()), init_memory(device_, first_init.size());
    std::copy(items.begin(), items.end(), input.data());
    std::copy(first_init.begin(), first_init.end(), init_memory.data());
    std::deque<GuardedMemory> results;
    std::deque<Bytes> expected;
    std::vector<HostLaunch> launches;
    const unsigned char* init = init_memory.data();
    const unsigned char* expected_init = first_init.data();
    for (int scan = 0; scan < scans; ++scan) {
      expected.push_back(expected_scan(request, items, expected_init));
      results.emplace_back(device_, expected.back().size());
      append(launches, request, {input.data(), results.back().data(), workspace.data(), init});
      init = results.back().data() + expected.back().size() - first_init.size();
      expected_init = expected.back().data() + expected.back().size() - first_init.size();
    }
    ASSERT_NO_THROW(device_.run(launches, schedule));
    for (std::size_t scan = 0; scan < results.size(); ++scan)
      ASSERT_EQ(difference(request, results[scan].data(), expected[scan]), std::nullopt) << "of scan " << scan;
  }

  void append(std::vector<HostLaunch>& launches, const ScanRequest& request, const ScanBuffers& buffers) const {
    for (const HostLaunch& launch : scan_launches(module_, config_, request, buffers)) launches.push_back(launch);
  }

 protected:
  HostDevice device_;
  ScanKernels kernels_;
  const FamilyModel& family_;
  const Config config_;
  const u64 items_ = 11 * static_cast<u64>(family_.tile_items(config_, request_of(1))) + 77;
  const Module& module_;
};

TEST_P(Schedules, GiveTheSameResultForTwoOverlappingScans) {
  Workspace workspace(device_, need());
  for (u64 seed = 1; seed <= 300 * kTestEffort; ++seed) {
    check(items_, 2, workspace, seed);
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
      check(1 + random.below(static_cast<u32>(items_)), 2, workspace, 1000 * seed + static_cast<u64>(run));
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
    check(1 + random.below(static_cast<u32>(items_)), 1 + static_cast<int>(random.below(3)), workspace, 7000 + seed);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Lookback, Schedules, testing::ValuesIn(kVariants),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace scantune
