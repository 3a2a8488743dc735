// Plans that run in a workspace of the caller's, whatever it holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "families_under_test.h"
#include "kept_compiler.h"
#include "kernel_fixture.h"
#include "launch/plan.h"
#include "launch/workspace_layout.h"
#include "scan_kernels.h"

namespace scantune::caller_workspace_test {
namespace {

constexpr u64 kColumns = 7;

// A config whose runs need a workspace, and a request that it solves.
struct Case {
  Request request;
  Config config;
  WorkspaceNeed need;
  u64 columns;  // that are scanned, 1 where the items are one sequence; 0 of a reduction
};

void PrintTo(const Case& one, std::ostream* out) { *out << to_string(one.config) << " of " << to_string(one.request); }

// Some of every family, of every layout that its status words may have.
std::vector<Case> cases() {
  std::vector<Case> found;
  const auto add = [&](const FamilyModel& family, const Request& request, u64 columns,
                       const std::vector<std::pair<std::string, std::string>>& values) {
    const Config config = config_of(family, request, values);
    if (reject_reason(config, request, kHostSm) != nullptr) return;
    const WorkspaceNeed need = family.workspace(config, request);
    if (need.kind != WorkspaceKind::none) found.push_back({request, config, need, columns});
  };
  for (const FamilyModel* family : all_scan_families()) {
    ScanRequest request = taken_by(*family, ScanRequest{.n = 3000 * kColumns});
    const u64 columns = request.segments == Segments::columns ? kColumns : 1;
    if (request.segments == Segments::columns) request.columns = columns;
    if (family->unsupported_reason(request, kHostSm) != nullptr) continue;
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(family->parameters(), [=](const auto& parameter) { return name == parameter.name; });
    };
    std::vector<std::pair<std::string, std::string>> values;
    if (has("cluster_blocks")) values = {{"cluster_blocks", "1"}};  // one cluster for all items needs no workspace
    if (!has("status_layout")) add(*family, request, columns, values);
    if (!has("status_layout")) continue;
    for (const char* layout : {"packed", "split"}) {
      values.emplace_back("status_layout", layout);
      add(*family, request, columns, values);
      values.pop_back();
    }
  }
  for (const FamilyModel* family : families_of<ReduceRequest>(Standing::library)) {
    const ReduceRequest request = taken_by(*family, ReduceRequest{.n = 70'000});
    if (family->unsupported_reason(request, kHostSm) == nullptr) add(*family, request, 0, {});
  }
  return found;
}

std::vector<i32> expected(const Case& one, const std::vector<i32>& items) {
  const u64 columns = std::max<u64>(one.columns, 1);
  std::vector<i32> sums(items);
  for (u64 place = columns; place < sums.size(); ++place)
    sums[place] = static_cast<i32>(static_cast<u32>(sums[place]) + static_cast<u32>(sums[place - columns]));
  return one.columns > 0 ? sums : std::vector<i32>{sums.back()};
}

std::vector<i32> items_of(const Request& request, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<i32> items(request.n);
  for (i32& item : items) item = static_cast<i32>(random());
  return items;
}

class RunsInAWorkspace {
 public:
  RunsInAWorkspace(const std::shared_ptr<HostDevice>& device, const Case& one)
      : case_(one),
        plan_(device, CheckedRequest(one.request), {one.config, ConfigOrigin::untuned, "chosen by the test", {}}),
        input_(*device, one.request.n),
        output_(*device, one.columns > 0 ? one.request.n : 1),
        bounds_(*device, 2) {
    bounds_[0] = 0;
    bounds_[1] = static_cast<i32>(one.request.n);
  }

  u64 bytes() const { return plan_.workspace_bytes(); }

  // Whether the results of a run in the workspace are those of its items.
  ::testing::AssertionResult is_right(void* workspace, unsigned seed) {
    const std::vector<i32> items = items_of(case_.request, seed);
    std::copy(items.begin(), items.end(), input_.data());
    output_.fill(-1);
    plan_.run_in({workspace, bytes()}, {input_.data(), output_.data(), bounds_.data()}, InitialValue(), nullptr);
    const std::vector<i32> wanted = expected(case_, items);
    if (std::equal(wanted.begin(), wanted.end(), output_.data())) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "the results are wrong with seed " << seed;
  }

 private:
  Case case_;
  Plan plan_;
  DeviceArray<i32> input_, output_;
  DeviceArray<i32> bounds_;  // of a segment of all items, where the request has one
};

std::shared_ptr<HostDevice> host() { return std::make_shared<HostDevice>(7, kept_host_compiler()); }

class CallerWorkspaces : public ::testing::TestWithParam<Case> {};

TEST_P(CallerWorkspaces, MayBeginAtAnyMultipleOf16) {
  needs_no_kernel();  // by way of plans
  if (is_rehearsal()) return;
  const auto device = host();
  RunsInAWorkspace runs(device, GetParam());
  constexpr u64 kMost = 240;
  DeviceArray<unsigned char> memory(*device, runs.bytes() + kMost + 1);
  for (const u64 offset : {u64{16}, u64{64}, u64{112}, kMost}) {
    memory.fill(0xa5);
    EXPECT_TRUE(runs.is_right(memory.data() + offset, static_cast<unsigned>(offset))) << offset << " bytes on";
    std::fill_n(memory.data() + offset, runs.bytes(), static_cast<unsigned char>(0xa5));
    EXPECT_TRUE(std::all_of(memory.data(), memory.data() + memory.size(), [](auto byte) { return byte == 0xa5; }));
  }
}

TEST_P(CallerWorkspaces, MayHoldAnything) {
  needs_no_kernel();  // by way of plans
  if (is_rehearsal()) return;
  const auto device = host();
  RunsInAWorkspace runs(device, GetParam());
  ASSERT_EQ(runs.bytes(), given_bytes(GetParam().need));
  DeviceArray<unsigned char> workspace(*device, runs.bytes());
  unsigned seed = 1;

  workspace.fill(0xff);
  for (int run = 0; run < 3; ++run) EXPECT_TRUE(runs.is_right(workspace.data(), seed++)) << "over 0xff, run " << run;

  // What a scan of other items has left, with the epoch as it was before that scan: its words look like this run's.
  for (u64 byte = 0; byte < sizeof(WorkspaceHeader) && byte < workspace.size(); ++byte) workspace[byte] = 0;
  EXPECT_TRUE(runs.is_right(workspace.data(), seed++)) << "over words of the epoch to come";

  std::mt19937 random(5);
  for (int run = 0; run < 3; ++run) {
    std::generate_n(workspace.data(), workspace.size(), [&] { return static_cast<unsigned char>(random()); });
    EXPECT_TRUE(runs.is_right(workspace.data(), seed++)) << "over random bytes, run " << run;
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, CallerWorkspaces, ::testing::ValuesIn(cases()), [](const auto& one) {
  return one.param.config.family().name() + std::string("_") + std::to_string(one.index);
});

TEST(CallerWorkspaceCases, AreOfEveryKindAndOfTheFamiliesThatNeedOne) {
  needs_no_kernel();
  std::set<WorkspaceKind> kinds;
  std::map<std::string, int> families;
  for (const Case& one : cases()) {
    kinds.insert(one.need.kind);
    ++families[one.config.family().name()];
  }
  for (const char* name : {"lookback", "one_shot", "pipelined", "scan_columns"}) EXPECT_EQ(families[name], 2) << name;
  for (const char* name : {"three_phase", "reduce_atomic", "reduce_columns", "reduce_gather", "reduce_last_block",
                           "reduce_segments", "reduce_two_pass"})
    EXPECT_EQ(families[name], 1) << name;
  EXPECT_EQ(kinds, (std::set{WorkspaceKind::scratch, WorkspaceKind::packed_status, WorkspaceKind::split_status,
                             WorkspaceKind::counted}));
}

TEST(CallerWorkspaceCases, ShareOneWorkspaceInAnyOrder) {
  needs_no_kernel();  // by way of plans
  if (is_rehearsal()) return;
  const auto device = host();
  std::vector<std::unique_ptr<RunsInAWorkspace>> all;
  std::set<WorkspaceKind> kinds;
  u64 bytes = 0;
  for (const Case& one : cases()) {
    if (!kinds.insert(one.need.kind).second) continue;
    all.push_back(std::make_unique<RunsInAWorkspace>(device, one));
    bytes = std::max(bytes, all.back()->bytes());
  }
  DeviceArray<unsigned char> workspace(*device, bytes, 0x5a);
  std::mt19937 random(3);
  for (unsigned run = 0; run < 24; ++run)
    EXPECT_TRUE(all[random() % all.size()]->is_right(workspace.data(), run)) << "run " << run;
}

}  // namespace
}  // namespace scantune::caller_workspace_test
