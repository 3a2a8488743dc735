// The families of scans whose CTAs wait for each other, under many schedules. Tiles are so small that dozens of them
// race in every run. Scans run back to back, so that each overlaps the one before it. The workspace is never cleared.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <ostream>
#include <stdexcept>

#include "designed_rows.h"
#include "effort.h"
#include "expected_scan.h"
#include "families_under_test.h"
#include "sampled_requests.h"
#include "scan_items.h"
#include "scan_kernels.h"

namespace scantune::schedules_test {
namespace {

// ---- the design: every three values of what these scans differ in ----

constexpr const char* kWaiting[] = {"lookback", "one_shot", "pipelined", "scan_columns"};
constexpr const char* kPlaces[] = {"aligned", "aligned_in_place", "unaligned", "unaligned_in_place"};
constexpr const char* kNone = "none";  // of a parameter that the family has not
constexpr u64 kColumns = 20;           // several tiles side by side, and few enough for tiles of whole lines
constexpr u64 kTiles = 11;             // full tiles; a ragged one follows, whose tail takes several lanes

// Items with what combines them, whose results have the same bits in every order of combining. Values take one status
// word, two, and several, which a reader may find half written.
struct Items {
  std::string name;
  ScanRequest request;
  std::optional<TestOperator> custom = {};
};

ScanRequest built_in(ValueType input, ValueType accumulator, ValueType output, Operator op = Operator::sum) {
  return {.input_type = input, .accumulator_type = accumulator, .output_type = output, .op = op};
}

const std::vector<Items>& all_items() {
  using enum ValueType;
  static const std::vector<Items> kItems = [] {
    std::vector<Items> all = {{"i32_sum", built_in(i32, i32, i32)},
                              {"u8_sum", built_in(u8, u32, u8)},
                              {"i8_to_i32_sum", built_in(i8, i32, i32)},
                              {"f16_max", built_in(f16, f32, f16, Operator::max)},
                              {"i64_sum", built_in(i64, i64, i64)}};
    for (const TestOperator& custom : {affine_maps(), last_nonzero(f32, f32, f32), maps_of_bytes(3, 1),
                                       maps_of_bytes(12, 4), maps_of_bytes(16, 16), maps_of_bytes(32, 16)})
      all.push_back({custom.name, custom.request, custom});
    return all;
  }();
  return kItems;
}

const Items& items_of(const RowReader& row) { return *std::ranges::find(all_items(), row["items"], &Items::name); }

const TestOperator* custom_of(const RowReader& row) {
  const Items& items = items_of(row);
  return items.custom ? &*items.custom : nullptr;
}

ScanRequest request_of(const RowReader& row, u64 n) {
  ScanRequest request = items_of(row).request;
  request.kind = row.token_of<Kind>("kind");
  request.init = row.token_of<Init>("init");
  request.n = n;
  request = taken_by(row.family(), request);
  if (request.segments == Segments::columns) request.columns = kColumns;
  return request;
}

bool is_in_place(const RowReader& row) { return row["place"].ends_with("in_place"); }
Variant variant_of(const RowReader& row) {
  return row["place"].starts_with("unaligned") ? Variant::any : Variant::aligned;
}

// The parameters that are factors.
constexpr const char* kParameters[] = {"status_layout", "tile_order", "pdl"};

std::optional<int> place_of(const FamilyModel& family, std::string_view parameter) {
  for (int index = 0; index < static_cast<int>(family.parameters().size()); ++index)
    if (family.parameters()[static_cast<std::size_t>(index)].name == parameter) return index;
  return std::nullopt;
}

bool takes(const FamilyModel& family, const char* parameter, const std::string& spelling) {
  const auto place = place_of(family, parameter);
  if (!place) return spelling == kNone;
  if (spelling == kNone) return false;
  const ParameterModel& model = family.parameters()[static_cast<std::size_t>(*place)];
  const auto value = parse(model, spelling);
  return value && std::ranges::find(model.values, *value) != model.values.end();
}

const Design& design() {
  static const Design kDesign = [] {
    std::vector<std::string> items;
    for (const Items& of : all_items()) items.push_back(of.name);
    const std::vector<Factor> factors = {{"family", {std::begin(kWaiting), std::end(kWaiting)}},
                                         {"items", items},
                                         {"kind", all_tokens<Kind>()},
                                         {"init", {"none", "value", "memory"}},
                                         {"status_layout", all_tokens<StatusLayout>()},
                                         {"tile_order", {"block_index", "ticket", kNone}},
                                         {"pdl", {"0", "1", "2"}},
                                         {"place", {std::begin(kPlaces), std::end(kPlaces)}}};
    return Design("schedules", 3, 1, factors, [](const DesignRow& values) {
      const RowReader row(design(), values);
      const ScanRequest request = request_of(row, kSomeItems);
      return row.family().unsupported_reason(request, kHostSm) == nullptr &&
             (!is_in_place(row) || request.input_bytes() == request.output_bytes()) &&
             std::ranges::all_of(kParameters, [&](const char* name) { return takes(row.family(), name, row[name]); });
    });
  }();
  return kDesign;
}

TEST(ScheduleDesign, CoversEveryThreeValues) {
  needs_no_kernel();
  if (design().write_if_asked()) return;
  EXPECT_EQ(design().gaps(), std::vector<std::string>{});
}

// Sets a parameter, where the family has it.
void set(Config& config, const char* parameter, const std::string& spelling) {
  const std::optional<int> place = place_of(config.family(), parameter);
  if (place) config[*place] = *parse(config.family().parameters()[static_cast<std::size_t>(*place)], spelling);
}

// The fewest stages of pipelined, and as many warps that look back: at its end these take turns at all of them.
constexpr std::pair<const char*, const char*> kTightestRing[] = {
    {"stages", "2"}, {"look_ahead", "1"}, {"refill_distance", "0"}, {"look_back_warps", "2"}, {"poll_distance", "0"}};

// So many items that tiles race.
u64 items_of_tiles(const Config& config, const ScanRequest& request) {
  return kTiles * static_cast<u64>(config.family().tile_items(config, request)) + 79;
}

// A config with the row's parameters and small tiles, the others drawn: the smallest legal tiles have a hundred times
// the bytes of their status.
Config drawn_config(const RowReader& row) {
  constexpr u64 kTileBytes = 3072;
  constexpr int kMostDraws = 20'000;
  const FamilyModel& family = row.family();
  const ScanRequest some = request_of(row, kSomeItems);
  const int most = static_cast<int>(std::max<u64>(512, kTileBytes / static_cast<u64>(some.input_bytes())));
  Random random(row.seed());
  const bool has_tightest_ring = random.chance(50);
  for (int draw = 0; draw < kMostDraws; ++draw) {
    Config config = random_config(family, some, most, random);
    for (const char* const name : kParameters) set(config, name, row[name]);
    if (has_tightest_ring)
      for (const auto& [name, spelling] : kTightestRing) set(config, name, spelling);
    if (family.tile_items(config, some) > most) continue;
    const ScanRequest request = request_of(row, items_of_tiles(config, some));
    if (family.invalid_reason(config, request, kHostSm) != nullptr) continue;
    if (family.workspace(config, request).kind != WorkspaceKind::none) return config;
  }
  throw std::runtime_error("no config of small tiles was found for a scan of " + row["items"] + " by " + family.name());
}

const std::vector<DesignedCase>& designed() {
  static const std::vector<DesignedCase> kCases = designed_cases(
      design(), rows_to_run(design()), [](const DesignRow&, const RowReader& row) { return drawn_config(row); });
  return kCases;
}

// Scans that overlap, and the memory that they use.
struct Subject {
  ScanRequest request;  // of any n
  const TestOperator* custom;
  Config config;
  bool in_place = false;  // each scan reads the results of the one before
  Variant variant = Variant::aligned;
  u64 misaligned_input_bytes = 0;
  u64 misaligned_output_bytes = 0;
  u64 first_seed = 0;
};

Subject subject_of(const DesignedCase& tested) {
  const RowReader row = tested.read();
  Subject subject{request_of(row, kSomeItems), custom_of(row), tested.config, is_in_place(row), variant_of(row)};
  subject.first_seed = row.seed();
  if (subject.variant == Variant::aligned) return subject;
  Random random(row.seed());
  const auto misalignment = [&](ValueType type) {
    return static_cast<u64>(subject.request.alignment_of(type)) * (1 + random.below(kVectorAlignmentBytes - 1));
  };
  subject.misaligned_input_bytes = misalignment(subject.request.input_type);
  subject.misaligned_output_bytes =
      subject.in_place ? subject.misaligned_input_bytes : misalignment(subject.request.output_type);
  return subject;
}

class OverlappingScans : public testing::Test {
 protected:
  explicit OverlappingScans(Subject subject)
      : subject_(std::move(subject)),
        module_(ScanKernels().get(request_of(items_), subject_.config,
                                  subject_.custom != nullptr ? &subject_.custom->custom : nullptr, subject_.variant)) {}

  // Scans `scans` times under one schedule.
  void check(u64 n, int scans, const Workspace& workspace, u64 seed) {
    const ScanRequest request = request_of(n);
    const Schedule schedule = Schedule::from_seed(subject_.first_seed + seed);
    SCOPED_TRACE(to_string(request) + ", " + to_string(subject_.config) + ", " + to_string(schedule));
    if (subject_.in_place) {
      check_in_place(request, scans, workspace, schedule);
    } else {
      check_one_after_the_other(request, scans, workspace, schedule);
    }
  }

  // A number of items that needs a workspace: one that every family scans, or a larger one.
  u64 drawn_items(Random& random) const {
    u64 least = 16;
    while (need(least).kind == WorkspaceKind::none) ++least;
    return least + random.below(static_cast<u32>(items_ - least + 1));
  }

  WorkspaceNeed need(u64 n) const { return subject_.config.family().workspace(subject_.config, request_of(n)); }
  WorkspaceNeed need() const { return need(items_); }

 private:
  ScanRequest request_of(u64 n) const {
    ScanRequest request = subject_.request;
    request.n = n;
    return request;
  }

  // Each scan's input is the result of the one before.
  void check_in_place(const ScanRequest& request, int scans, const Workspace& workspace, const Schedule& schedule) {
    Bytes expected = scan_items(request, schedule.seed, subject_.custom);
    const Bytes init = scan_init(request, subject_.custom);
    const GuardedMemory memory(device_, expected.size(), subject_.misaligned_input_bytes);
    const GuardedMemory init_memory(device_, init.size());
    std::copy(expected.begin(), expected.end(), memory.data());
    std::copy(init.begin(), init.end(), init_memory.data());
    std::vector<HostLaunch> launches;
    for (int scan = 0; scan < scans; ++scan) {
      append(launches, request, {memory.data(), memory.data(), workspace.data(), init_memory.data()});
      expected = expected_scan(request, expected, init.data(), subject_.custom);
    }
    ASSERT_NO_THROW(device_.run(launches, schedule));
    ASSERT_EQ(difference(request, memory.data(), expected, subject_.custom), std::nullopt);
    ASSERT_TRUE(memory.surroundings_intact());
  }

  // Each scan's initial value is the last result of the one before, where memory has it and it is of that type.
  void check_one_after_the_other(const ScanRequest& request, int scans, const Workspace& workspace,
                                 const Schedule& schedule) {
    const bool passes_on = request.init == Init::memory && request.accumulator_type == request.output_type;
    const Bytes items = scan_items(request, schedule.seed, subject_.custom);
    const Bytes first_init = scan_init(request, subject_.custom);
    const GuardedMemory input(device_, items.size(), subject_.misaligned_input_bytes);
    const GuardedMemory init_memory(device_, first_init.size());
    std::copy(items.begin(), items.end(), input.data());
    std::copy(first_init.begin(), first_init.end(), init_memory.data());
    std::deque<GuardedMemory> results;
    std::deque<Bytes> expected;
    std::vector<HostLaunch> launches;
    const unsigned char* init = init_memory.data();
    const unsigned char* expected_init = first_init.data();
    for (int scan = 0; scan < scans; ++scan) {
      expected.push_back(expected_scan(request, items, expected_init, subject_.custom));
      results.emplace_back(device_, expected.back().size(), subject_.misaligned_output_bytes);
      append(launches, request, {input.data(), results.back().data(), workspace.data(), init});
      if (!passes_on) continue;
      init = results.back().data() + expected.back().size() - first_init.size();
      expected_init = expected.back().data() + expected.back().size() - first_init.size();
    }
    ASSERT_NO_THROW(device_.run(launches, schedule));
    for (std::size_t scan = 0; scan < results.size(); ++scan) {
      ASSERT_EQ(difference(request, results[scan].data(), expected[scan], subject_.custom), std::nullopt)
          << "of scan " << scan;
      ASSERT_TRUE(results[scan].surroundings_intact()) << "of scan " << scan;
    }
  }

  void append(std::vector<HostLaunch>& launches, const ScanRequest& request, const ScanBuffers& buffers) const {
    for (const HostLaunch& launch : scan_launches(module_, subject_.config, request, buffers, subject_.variant))
      launches.push_back(launch);
  }

 protected:
  const Subject subject_;
  const u64 items_ = items_of_tiles(subject_.config, subject_.request);
  HostDevice device_;
  const Module& module_;
};

class Schedules : public OverlappingScans, public testing::WithParamInterface<DesignedCase> {
 protected:
  Schedules() : OverlappingScans(subject_of(GetParam())) {}
};

TEST_P(Schedules, GiveTheSameResultForTwoOverlappingScans) {
  if (is_rehearsal()) return;
  const Workspace workspace(device_, need());
  for (u64 seed = 1; seed <= 2 * kTestEffort; ++seed) {
    check(items_, 2, workspace, seed);
    if (HasFatalFailure()) return;
    ASSERT_EQ(workspace.header().epoch, 2 * seed);
    ASSERT_EQ(workspace.header().ticket, 0u);
    ASSERT_EQ(workspace.header().finished, 0u);
  }
}

// The launches begin a few before the last epoch and end a few after it, with sizes that change.
TEST_P(Schedules, CarryAWorkspaceThroughTheWrapOfItsEpoch) {
  if (is_rehearsal()) return;
  Random random(5);
  for (u64 seed = 1; seed <= kTestEffort; ++seed) {
    const Workspace workspace(device_, need());
    workspace.header().epoch = kLastEpoch - 2;
    for (int run = 0; run < 3; ++run) {
      check(drawn_items(random), 2, workspace, 1000 * seed + static_cast<u64>(run));
      if (HasFatalFailure()) return;
    }
    ASSERT_EQ(workspace.header().epoch, 4u);
    ASSERT_EQ(workspace.header().finished, 0u);
  }
}

// Words that a launch of another epoch has left must never be taken for this one's.
TEST_P(Schedules, TakeNoWordOfAnEarlierLaunchForTheirOwn) {
  if (is_rehearsal()) return;
  Random random(9);
  const Workspace workspace(device_, need());
  for (u64 seed = 1; seed <= kTestEffort; ++seed) {
    check(drawn_items(random), 1 + static_cast<int>(random.below(3)), workspace, 7000 + seed);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Designed, Schedules, testing::ValuesIn(designed()), kNameOfRow);

// Configs that put all tiles in one cluster, which needs no workspace.
struct OneCluster {
  const char* name;
  const char* block_threads;
  std::optional<TestOperator> custom = {};
};

void PrintTo(const OneCluster& tested, std::ostream* out) { *out << tested.name; }

const std::vector<OneCluster> kOneCluster = {
    {"i32", "128"},
    {"i32_of_two_warps_each", "64"},
    {"running_extremes", "128", running_extremes()},
    {"last_nonzero", "128", last_nonzero(ValueType::f32, ValueType::f32, ValueType::f32)},
};

Subject subject_of(const OneCluster& tested) {
  ScanRequest request = tested.custom ? tested.custom->request : ScanRequest{};
  request.n = 1;
  const Config config = config_of(*find_family("one_shot"), request,
                                  {{"block_threads", tested.block_threads},
                                   {"items_per_thread", "4"},
                                   {"layout", "direct"},
                                   {"cluster_blocks", "16"}});
  return {request, tested.custom ? &*tested.custom : nullptr, config, true};
}

class SchedulesOfOneCluster : public OverlappingScans, public testing::WithParamInterface<OneCluster> {
 protected:
  SchedulesOfOneCluster() : OverlappingScans(subject_of(GetParam())) {}
};

TEST_P(SchedulesOfOneCluster, GiveTheSameResultWithoutAWorkspace) {
  Random random(3);
  ASSERT_EQ(need(), WorkspaceNeed{});
  if (is_rehearsal()) return;
  const Workspace none(device_, need());
  for (u64 seed = 1; seed <= 24 * kTestEffort; ++seed) {
    check(1 + random.below(static_cast<u32>(items_)), 2, none, seed);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(OneShot, SchedulesOfOneCluster, testing::ValuesIn(kOneCluster),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace scantune::schedules_test
